#!/usr/bin/env bash
# run_real.sh -- programs and a library that nobody here wrote, as Debian packages them: pigz
# and xz with four threads, and glib's pools and queues.  200 schedules of each, nearly all
# of them different, and what comes out is the same, and right.
set -eu

# The preloaded library would have to come before the sanitizer's.
[ -z "${SANITIZE:-}" ] || exit 77

raddle=$BUILD/bin/raddle
schedules=200 seed=1
if [ -n "${RADDLE_SOAK:-}" ]; then
    schedules=5000 seed=${RADDLE_SOAK_SEED:-1}
fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

fail() {
    echo "run_real.sh: $*" >&2
    exit 1
}

value() { grep -o "\"$1\":\"\\{0,1\\}[^\",}]*" out | head -n 1 | sed 's/^"[^"]*":"\{0,1\}//'; }
is() { [ "$(value "$1")" = "$2" ] || fail "$1 is '$(value "$1")', not '$2':" "$(cat out)"; }

# same EXPECTED PROGRAM...: it prints this under all schedules, at least three quarters of
# which are not like any other.
same() {
    local expected=$1 different
    shift
    timeout 200 "$raddle" explore --seed "$seed" --schedules $schedules --expect "$expected" \
        --format json -- "$@" >out 2>&1 </dev/null || fail "$*:" "$(cut -c 1-4000 out)"
    is verdict pass
    is schedules $schedules
    different=$(sed -n 's/.*"covered":{"complete":[a-z]*,"schedules":\([0-9]*\),.*/\1/p' out)
    [ "${different:-0}" -ge $((schedules * 3 / 4)) ] ||
        fail "$*: only '$different' different schedules:" "$(cat out)"
    echo "$1: $different different schedules of $schedules"
}

# ---- Compressing ---------------------------------------------------------------------------

# Nine blocks for four threads.
seq 1 60000 | head -c 280000 >input

pigz -1 -p 4 -b 32 -n -c input >expected.gz
gzip -d -c expected.gz | cmp - input
same expected.gz pigz -1 -p 4 -b 32 -n -c input

xz -0 -T 4 --block-size=32KiB -c input >expected.xz
xz -d -T 1 -c expected.xz | cmp - input
same expected.xz xz -0 -T 4 --block-size=32KiB -c input

# And back, in several threads again.
same input xz -d -T 4 -c expected.xz
same input pigz -d -p 4 -c expected.gz

# ---- A pool of threads -----------------------------------------------------------------------

glib=$(pkg-config --cflags --libs glib-2.0)
$CC -g -O1 -o pool "$SOURCE/tests/real/pool.c" $glib
$CC -g -O1 -DBUG -o pool_bug "$SOURCE/tests/real/pool.c" $glib
echo '91 91' >expected
same expected ./pool

status=0
"$raddle" explore --seed "$seed" --schedules $schedules --shrink-runs 100 --format json \
    -- ./pool_bug >out 2>&1 </dev/null || status=$?
[ $status = 1 ] || fail "pool_bug: status $status, not 1:" "$(cat out)"
is class exit
hash=$(value hash) token=$(value token)
status=0
"$raddle" replay "$token" --format json >out 2>&1 </dev/null || status=$?
[ $status = 1 ] || fail "the replay of $token ended with status $status:" "$(cat out)"
is class exit
is hash "$hash"
