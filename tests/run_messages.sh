#!/usr/bin/env bash
# run_messages.sh -- what Raddle says when something is wrong.
#   tests/expected/messages.txt has every message in the sources (see messages.py), so that a
#   new one is read before it is taken, by the question: does it name what was being done, what
#   was wrong, and what to do?
#   tests/expected/refusals.txt has what people see who make the mistakes that people make.
# With ACCEPT=1 both are rewritten.
set -eu

scratch=$(mktemp -d)
trap 'chmod -R u+w "$scratch"; rm -rf "$scratch"' EXIT
expected=$SOURCE/tests/expected
status=0

# compare FILE: $scratch/FILE is what it should be.
compare() {
    if [ -n "${ACCEPT:-}" ]; then
        cp "$scratch/$1" "$expected/$1"
    elif ! diff -u "$expected/$1" "$scratch/$1"; then
        echo "run_messages.sh: read what has changed in $1; ACCEPT=1 takes it" >&2
        status=1
    fi
}

(cd "$SOURCE" && python3 tests/messages.py) >"$scratch/messages.txt" || status=1
compare messages.txt

# A sanitizer's allocator says what it thinks of programs that are no programs, too.
[ -z "${SANITIZE:-}" ] || exit $status

for name in $(env | sed -n 's/^\(RADDLE_[A-Z_]*\|GTEST_[A-Z_]*\)=.*/\1/p'); do
    unset "$name" # they are options too
done
cp -r "$SOURCE/tests/messages" "$scratch/here"
cd "$scratch/here"
export PATH=$BUILD/bin:$PATH
compile="$CC -Wall -Wextra -Werror -I$SOURCE/include"
$compile -g tests.c -rdynamic "$BUILD/lib/libraddle.a" -lm -ldl -pthread -o tests
$compile -g -O2 tests.c -rdynamic "$BUILD/lib/libraddle.a" -lm -ldl -pthread -o optimised
$compile -g -DCHANGED tests.c -rdynamic "$BUILD/lib/libraddle.a" -lm -ldl -pthread -o changed
$compile none.c -rdynamic "$BUILD/lib/libraddle.a" -lm -ldl -pthread -o none
$compile -g -fPIC -shared none.c -o none.so
$compile plain.c -o plain
$compile -static plain.c -o plain_static
$compile -c plain.c
printf '#!/bin/sh\n' >script
printf 'nothing\n' >text
chmod +x script text
./tests --filter fails --seed 1 --color never --regressions none >report || true
token=$(sed -n 's/.*--replay \(rdl[^ ]*\).*/\1/p' report | head -n 1)
[ -n "$token" ] || { cat report; exit 1; }
printf '%s\n' "${token/.fails_/.gone_}" >gone

# Each line of `mistakes` is a command; what it says, and its status if that is not 2.
while IFS= read -r command; do
    echo "\$ $command"
    [ -n "$command" ] || continue
    code=0
    TOKEN=$token timeout 60 bash -o pipefail -c "$command" >said 2>&1 </dev/null || code=$?
    sed "s|$scratch/here|HERE|g; s|$BUILD|BUILD|g; s|$SOURCE|SOURCE|g" said
    [ $code = 2 ] || echo "(exit status $code)"
done <mistakes >"$scratch/refusals.txt"
compare refusals.txt
exit $status
