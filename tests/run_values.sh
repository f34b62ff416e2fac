#!/usr/bin/env bash
# run_values.sh -- values of specs in words: by the debugging information of several compilers
# and of several kinds, from a library, and without any.
set -eu

# The library would need the sanitizer's; test_values itself runs with it.
[ -z "${SANITIZE:-}" ] || exit 77

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

fail() {
    echo "run_values.sh: $*" >&2
    exit 1
}

flags="-std=gnu17 -D_GNU_SOURCE -DTEST_BUILD=\"\" -DTEST_SOURCE=\"\" -w -I$SOURCE/include
    -I$SOURCE/src -I$SOURCE/tests"
libraries="$BUILD/lib/libraddle.a -pthread -lm -ldl"

# test NAME PROGRAM...: its claims hold.
test_of() {
    local name=$1
    shift
    timeout 100 "$@" >out 2>&1 || fail "$name:" "$(cat out)"
}

for compile in "gcc -g -O0" "gcc -g -O3" "gcc -g -gdwarf-4" "gcc -g -gdwarf-3 -gstrict-dwarf" \
    "gcc -g -gdwarf-2 -gstrict-dwarf" "gcc -g -fdebug-types-section" "gcc -g -flto" \
    "clang -g -O0" "clang -g -O2 -gdwarf-4" "clang -g -O2 -fdebug-types-section"; do
    command -v ${compile%% *} >/dev/null || continue
    $compile $flags "$SOURCE/tests/test_values.c" "$SOURCE/tests/harness.c" $libraries -o typed
    test_of "$compile" ./typed
done

# In workers, and by threads that are controlled.
gcc -g -O2 $flags "$SOURCE/tests/values/controlled.c" $libraries -rdynamic -o controlled
test_of "controlled threads" ./controlled

# A spec in a library.
gcc -g -O2 -shared -fPIC $flags "$SOURCE/tests/test_values.c" $libraries -o libvalues.so \
    -Wl,--version-script="$SOURCE/cmake/openmp.map"
gcc -O2 -rdynamic $flags "$SOURCE/tests/harness.c" -Wl,--no-as-needed ./libvalues.so -o loading
test_of "a library" ./loading

# Nothing to go by: no debugging information, a libdw that has nothing in it, one that
# does not survive its loading.
without="$flags -DWITHOUT_TYPES"
gcc -O2 $without "$SOURCE/tests/test_values.c" "$SOURCE/tests/harness.c" $libraries -o untyped
test_of "no -g" ./untyped
gcc -g -O2 $without "$SOURCE/tests/test_values.c" "$SOURCE/tests/harness.c" $libraries -o typed
mkdir empty broken
echo 'int nothing;' >empty.c
echo '__attribute__((constructor)) static void die(void) { __builtin_trap(); }' >broken.c
gcc -shared -fPIC empty.c -o empty/libdw.so.1
gcc -shared -fPIC broken.c -o broken/libdw.so.1
for kind in empty broken; do
    test_of "libdw that is $kind" env LD_LIBRARY_PATH="$scratch/$kind" ./typed
done
