#!/usr/bin/env bash
# run_redis.sh -- examples/redis: what Redis promises holds, what it does not promise is found
# to fail, for the right reason; no server is left, nor any of its files.
set -eu

[ -x "$BUILD/redis/redis" ] || exit 77

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export TMPDIR=$scratch/tmp
mkdir "$TMPDIR"

fail() {
    echo "run_redis.sh: $*" >&2
    exit 1
}

for seed in 1 2 3; do
    timeout 100 "$BUILD/redis/redis" --seed $seed --regressions none >"$scratch/out" 2>&1 ||
        fail "--seed $seed:" "$(cat "$scratch/out")"
    grep -q "messages_are_kept .*an event has not come in time" "$scratch/out" ||
        fail "messages_are_kept fails for another reason:" "$(cat "$scratch/out")"
    grep -q "transactions_answer_at_once .*has a place for" "$scratch/out" ||
        fail "transactions_answer_at_once fails for another reason:" "$(cat "$scratch/out")"
done
[ -z "$(ls "$TMPDIR")" ] || fail "files are left:" "$(ls "$TMPDIR")"
! pgrep -a -f "[r]edis-server.*$TMPDIR" || fail "servers are left"
cat "$scratch/out"
