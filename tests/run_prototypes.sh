#!/usr/bin/env bash
# run_prototypes.sh -- functions of random prototypes, by gcc and clang, optimised and not: thunks
# are told what was passed, and return what they are to; functions that are refused; exceptions of
# C++ through a thunk; gdb's view of one.
set -eu

# These are sanitized already.
[ -z "${SANITIZE:-}" ] || exit 77

here=$SOURCE/tests/prototypes
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
count=100 seed=1
[ -z "${RADDLE_SOAK:-}" ] || count=500 seed=$RANDOM

fail() {
    echo "run_prototypes.sh: $*" >&2
    exit 1
}

says() { grep -qE -- "$1" out || fail "it does not say '$1':" "$(cat out)"; }

compile() {
    local compiler=$1
    shift
    "$compiler" -D_GNU_SOURCE -I"$SOURCE/src" -I"$SOURCE/include" -I"$here" -w -Wno-psabi "$@" \
        "$BUILD/lib/libraddle.a" -lm -ldl -lpthread
}

run() {
    timeout 200 "$@" >out 2>&1 </dev/null || fail "seed $seed: $*: status $?:" "$(cat out)"
}

for options in '-O0 -gdwarf-4 -DOLD_DWARF' '-O2 -gdwarf-5'; do
    python3 "$here/generate.py" $seed $count >library.c
    for compiler in gcc clang; do
        compile $compiler $options library.c "$here/driver.c" -o generated
        run ./generated
        says ' 0 wrong'
        echo "ok      $compiler $options, seed $seed: $(tail -1 out)"
        compile $compiler $options "$here/refused.c" -o refused
        run ./refused
        says 'all as it should be'
    done
    seed=$((seed + 1))
done

for options in -O0 '-O2 -fcf-protection=full'; do
    gcc -O2 -fexceptions -c "$SOURCE/tests/hook/in_c.c" -o in_c.o
    compile g++ -g $options "$here/exceptions.cc" in_c.o -o exceptions
    run ./exceptions
    says 'caught 6, destroyed 12, afterwards 6'
    echo "ok      exceptions, $options"
done

if command -v gdb >/dev/null; then
    compile gcc -g -O1 library.c "$here/driver.c" -o generated
    run gdb -q -batch -ex 'handle SIGSEGV nostop noprint' -ex 'break called' -ex run -ex bt \
        ./generated
    says '#0 .*called \(arguments='
    says '#[0-9]+ .*call[0-9]+ \(n='
    says '#[0-9]+ .*main \('
    echo "ok      gdb"
fi
