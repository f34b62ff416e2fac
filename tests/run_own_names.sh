#!/usr/bin/env bash
# run_own_names.sh -- programs that define functions by names of the C library's, which Raddle
# calls, too: tests/own_names.  They get the verdict and the claim that they get with other names,
# and nobody but the program calls its functions.
set -eu

# The preloaded library would have to come before the sanitizer's.
[ -z "${SANITIZE:-}" ] || exit 77

raddle=$BUILD/bin/raddle
code=$SOURCE/tests/own_names
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
export RADDLE_SEED=1

fail() {
    echo "run_own_names.sh: $*" >&2
    exit 1
}

# build FOLDER NAMES LINK COMPILER...: the program, of one command, of two objects, at a fixed
# address, or with a library.
build() {
    local folder=$1 names=$2 link=$3
    shift 3
    mkdir "$folder"
    case $link in
    once) "$@" $names "$code/program.c" "$code/names.c" -o "$folder/program" ;;
    objects)
        "$@" $names -c "$code/program.c" -o "$folder/program.o"
        "$@" $names -c "$code/names.c" -o "$folder/names.o"
        "$@" "$folder/program.o" "$folder/names.o" -o "$folder/program"
        ;;
    fixed) "$@" $names -no-pie "$code/program.c" "$code/names.c" -o "$folder/program" ;;
    library)
        "$@" $names -fPIC -shared "$code/names.c" -o "$folder/libnames.so"
        "$@" $names "$code/program.c" "-L$folder" -lnames "-Wl,-rpath,\$ORIGIN" -o "$folder/program"
        ;;
    esac
}

# explore FOLDER WAY: what is said, without the time and the token, is in FOLDER/WAY.
explore() {
    (cd "$1" && timeout 100 "$raddle" explore -- ./program "$2" 2>&1 </dev/null || true) |
        sed -E 's/, [0-9.]+ s//; s/rdl1[^ ]*/TOKEN/' >"$1/$2"
}

# verdict FOLDER WAY
verdict() { grep -oE '^ok |deadlock: |data race|crashed|exited with' "$1/$2" | head -1; }

compilers=("gcc -pthread -O0 -fno-builtin" "clang -pthread -O1 -fno-builtin" "$raddle cc -O0"
    "$raddle cc -O1 -fno-builtin")
for compiler in "${compilers[@]}" "clang: $raddle cc -O1 -fno-builtin"; do
    export RADDLE_CC=gcc
    [ "${compiler%%:*}" != clang ] || export RADDLE_CC=clang
    compiler="${compiler#clang: } -g"
    for link in once objects fixed library; do
        rm -rf own other
        build own "" $link $compiler
        build other -DOTHER_NAMES $link $compiler
        status=0
        own/program || status=$?
        [ $status = 0 ] || fail "$compiler, $link: the program by itself: status $status"
        for way in correct deadlock race; do
            explore own $way
            explore other $way
            [ -n "$(verdict other $way)" ] || fail "$compiler, $link, $way:" "$(cat other/$way)"
            # Some of a library's functions come behind ours: there are more schedules then.
            if [ $link = library ]; then
                [ "$(verdict own $way)" = "$(verdict other $way)" ] ||
                    fail "$compiler, $link, $way:" "$(cat own/$way)"
            else
                diff own/$way other/$way || fail "$compiler, $link, $way: not as with other names"
            fi
        done
    done
done

# The claim as it should be, not just the same twice.
grep -qx 'ok     ./program+correct  all [0-9]* distinguishable schedules' own/correct ||
    fail "no complete pass:" "$(cat own/correct)"

# Functions that are not instrumented are known as such, whatever they are called.
for names in "" -DOTHER_NAMES; do
    rm -rf mixed
    mkdir mixed
    gcc -g -O0 -fno-builtin $names -c "$code/names.c" -o mixed/names.o
    RADDLE_CC=gcc "$raddle" cc -g -O0 -fno-builtin $names "$code/program.c" mixed/names.o \
        -o mixed/program
    explore mixed correct
    sed 's/my_//g' mixed/correct | tr -s ' \n' ' ' >"said$names"
done
diff said said-DOTHER_NAMES || fail "functions that are not instrumented"
grep -q 'did not see what .bsearch' said || fail "it is not said what was not seen:" "$(cat said)"

# A library that the program loads calls the program's function.
RADDLE_CC=gcc "$raddle" cc -g -O0 -fno-builtin -fPIC -shared "$code/plugin.c" -o plugin.so
RADDLE_CC=gcc "$raddle" cc -g -O0 -fno-builtin "$code/host.c" "$code/names.c" -o host
./host || fail "a library does not call the program's strcmp"
"$raddle" explore -- ./host >out 2>&1 || fail "a library that is loaded:" "$(cat out)"

# In a test program, with the shared library.
RADDLE_CC=gcc "$raddle" cc -g -O1 -fno-builtin -I"$SOURCE/include" "$code/tests.c" "$code/names.c" \
    -L"$BUILD/lib" -Wl,-rpath,"$BUILD/lib" -lraddle -o tests
./tests >out 2>&1 || fail "tests:" "$(cat out)"
grep -q '1 passed, 0 failed' out || fail "tests:" "$(cat out)"

# A library that is preloaded comes before the C library for Raddle, too.
gcc -D_GNU_SOURCE -fPIC -shared "$code/before.c" -o before.so
gcc -g -pthread -DOTHER_NAMES "$code/program.c" "$code/names.c" -o program
LD_PRELOAD=$PWD/before.so "$raddle" explore -- ./program correct >out 2>&1 || true
grep -q 'addresses differ from run to run' out ||
    fail "what is preloaded was not asked:" "$(cat out)"
