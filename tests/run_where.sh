#!/usr/bin/env bash
# run_where.sh -- raddle where: what it shows of locations, and what it says of those that it does
# not find.
set -eu

# The tool is not for sanitizers.
[ -z "${SANITIZE:-}" ] || exit 77

raddle=$BUILD/bin/raddle
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

fail() {
    echo "run_where.sh: $*" >&2
    exit 1
}

# says TEXT: in what was printed.
says() { grep -qF -- "$1" out || fail "it does not say '$1':" "$(cut -c 1-2000 out)"; }
lacks() { ! grep -qF -- "$1" out || fail "it says '$1':" "$(cut -c 1-2000 out)"; }

# run STATUS COMMAND...: expect this of it; what it prints is in `out`.
run() {
    local wanted=$1 status=0
    shift
    timeout 100 "$@" >out 2>&1 || status=$?
    [ $status = "$wanted" ] || fail "$*: status $status, not $wanted:" "$(cut -c 1-2000 out)"
}

cp -r "$SOURCE"/tests/locate/* .
line=$(grep -n 'total = total' reader.c | cut -d : -f 1)
${CC:-gcc} -g -O0 reader.c a/other.c b/other.c -o plain
${CC:-gcc} -g -O2 reader.c a/other.c b/other.c -o fast
${CC:-gcc} -O2 -shared -fPIC reader.c a/other.c b/other.c -o libbare.so
${CC:-gcc} -g -gsplit-dwarf -O0 reader.c a/other.c b/other.c -o split

# ---- What is shown ----

for program in plain fast; do
    run 0 "$raddle" where $program 'append:/total =/' reader.c:$line append add_to append:return
    says 'append:/total =/: 1 place'
    says "reader.c:$line  append"
    says "$line      total = total + id;"
    says 'parameters: struct box *box, int id'
    says 'add_to, inlined into main'
    says 'append:return: '
    [ "$(grep -c '=> 0x' out)" -ge 6 ] || fail "places lack code:" "$(cat out)"
    # The same address for the line, by its number and by its text.
    [ "$(grep -c "^  0x[0-9a-f]*  reader.c:$line" out)" = 2 ]
    [ "$(grep "^  0x[0-9a-f]*  reader.c:$line" out | sort -u | wc -l)" = 1 ] || fail "$(cat out)"
done
run 0 "$raddle" where plain measure
says 'parameters: struct box *box, double scale, const char *label'
says 'locals: struct item copy, int sum'
run 0 "$raddle" where fast pass_on:return
says 'which jumps to another function that returns in its place'

# A line is found in each copy of its function, also where it begins just before the copy.
${CC:-gcc} -g -O2 -fsanitize=address,undefined -shared -fPIC -I"$SOURCE/include" \
    "$SOURCE/examples/gates/blocking_queue.c" -o libqueue.so
run 0 "$raddle" where libqueue.so put:/pthread_mutex_unlock/
copies=$(grep -c '^  0x' out)
run 0 "$raddle" where libqueue.so put:/pthread_cond_signal/
[ "$(grep -c '^  0x' out)" = "$copies" ] || fail "it is not in $copies places:" "$(cat out)"

# Libraries that the program is linked with are found where they are, whatever is between them.
${CC:-gcc} -g -shared -fPIC -Wl,-soname,libother.so.1 a/other.c b/other.c -o libother.so.1
${CC:-gcc} -g -O0 reader.c ./libother.so.1 -Wl,-rpath,'$ORIGIN' -o "it's linked"
run 0 "$raddle" where "it's linked" append 'libother.so.1!in_b' 'libother!in_b:return' main
[ "$(grep -c 'b/other.c:' out)" -ge 2 ] || fail "what is in the library is not found:" "$(cat out)"
[ "$(grep -c ': 1 place' out)" = 4 ] || fail "not all are shown:" "$(cat out)"
run 1 "$raddle" where "it's linked" 'libother.so.1!in_bb' 'libanother.so.1!in_b' 'libc.so.6!qsort'
says 'libother.so.1!in_bb: there is no function in_bb in libother.so.1; did you mean in_b'
says 'the file is not called libanother.so.1, nor linked with such a library'
says 'libc.so.6!qsort: 1 place'

# Each address is of the line that addr2line says.
run 0 "$raddle" where fast box.h:22 reader.c:$line worth:return
grep -E '^  0x' out | while read -r address place rest; do
    addr2line -e fast "$address" | grep -qF "${place##*/}" ||
        fail "$address is not $place but $(addr2line -e fast "$address")"
done

# ---- Without debugging information ----

run 0 "$raddle" where libbare.so append 'libbare.so!lookup:return' 'libbare!worth'
says 'libbare.so!lookup:return: '
run 1 "$raddle" where libbare.so reader.c:$line
says 'no debugging information'
run 1 "$raddle" where libbare.so 'append:/total/'
says 'compile it with -g'
run 1 "$raddle" where split 'append:/total/'
says 'compile it with -g, and without -gsplit-dwarf'

# ---- What is not found ----

run 1 "$raddle" where plain apend append
says 'apend: there is no function apend; did you mean append?'
says 'append: 1 place'
run 1 "$raddle" where plain same
says 'several functions of that name'
run 1 "$raddle" where plain other.c:6
says 'several files of that name'
run 1 "$raddle" where plain raeder.c:6
says 'did you mean reader.c?'
run 1 "$raddle" where plain reader.c:$((line + 1))
says "the next line of append that has some is $((line + 2))"
run 1 "$raddle" where plain 'worth:/return/'
says 'several lines of worth'
run 1 "$raddle" where plain 'libz.so.1!crc32'
says 'the file is not called libz.so.1'
touch -d '+1 minute' reader.c
run 1 "$raddle" where plain 'append:/total =/'
says 'has changed since'
run 0 "$raddle" where plain reader.c:$line
says 'the file has changed since it was compiled'

# ---- JSON ----

run 1 "$raddle" where --format json fast add_to nobody
python3 - <<'END' || fail "$(cat out)"
import json

found, missing = [json.loads(line) for line in open("out")]
assert found["location"] == "add_to" and "error" not in found
place = found["places"][0]
assert place["function"] == "add_to" and place["inlined_into"] in ("main", "append", "in_a")
assert place["file"].endswith("/box.h") and place["source"] and not place["tail_call"]
assert {v["name"] for v in place["variables"]} == {"box", "id", "at"}
assert place["address"] in [c["address"] for c in place["code"]]
assert missing["places"] == [] and "no function" in missing["error"]
END

# ---- The command line ----

run 0 "$raddle" where --help
says 'Usage: raddle where'
run 2 "$raddle" where
says 'which program?'
run 2 "$raddle" where plain
says 'which location?'
run 2 "$raddle" where --nonsense plain append
says "unknown option --nonsense"
run 2 "$raddle" where nowhere append
says 'cannot read nowhere'
run 2 "$raddle" where reader.c append
says 'neither a program nor a library'
