#!/usr/bin/env bash
# run_hook.sh -- hooks in programs of gcc and clang, optimised and not, position-independent and
# not, with sanitizers; exceptions of C++ through a hook; gdb's view of one.
set -eu

# These are sanitized already.
[ -z "${SANITIZE:-}" ] || exit 77

here=$SOURCE/tests/hook
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

fail() {
    echo "run_hook.sh: $*" >&2
    exit 1
}

says() { grep -qE -- "$1" out || fail "it does not say '$1':" "$(cat out)"; }

compile() {
    local compiler=$1
    shift
    "$compiler" -g -D_GNU_SOURCE -I"$SOURCE/src" -I"$SOURCE/include" "$@" "$BUILD/lib/libraddle.a" \
        -rdynamic -lm -ldl -lpthread
}

run() {
    timeout 100 "$@" >out 2>&1 </dev/null || fail "$*: status $?:" "$(cat out)"
}

# With these options, hooks work, be they jumps or breakpoints.
works() {
    compile "$@" "$here/program.c" -o program
    run ./program
    run ./program breakpoints
    says 'counted 6000, unwound'
    echo "ok      $*"
}

for compiler in gcc clang; do
    for level in -O0 -O1 -O2; do
        works "$compiler" $level -fPIE -pie -fcf-protection=full
        works "$compiler" $level -fno-pie -no-pie -fcf-protection=none
    done
    works "$compiler" -O1 -fsanitize=address,undefined
done
# Not with clang, whose ThreadSanitizer is linked into the program, where Raddle has functions
# of the same names.
works gcc -O1 -fsanitize=thread

for options in -O0 '-O2 -fcf-protection=full'; do
    gcc -O2 -fexceptions -c "$here/in_c.c" -o in_c.o
    compile g++ $options "$here/exceptions.cc" in_c.o -o exceptions
    run ./exceptions
    says 'caught 6, destroyed 6, passed 0, quiet 1'
    echo "ok      exceptions, $options"
done

if command -v gdb >/dev/null; then
    compile gcc -O1 "$here/program.c" -o program
    run gdb -q -batch -ex 'handle SIGSEGV nostop noprint' -ex 'break count' -ex run -ex bt \
        -ex delete -ex continue --args ./program breakpoints
    says '#[0-9]+ .*add \(numbers='
    says '#[0-9]+ .*work \(it='
    says 'counted 6000, unwound'
    echo "ok      gdb"
fi
