#!/usr/bin/env bash
# demo.sh -- the main job on a small example: a failure found, shrunk, replayed.
set -eu
cd "$SOURCE"
mkdir -p "$BUILD/demo"
demo=$BUILD/demo/queue
"${CC:-cc}" -std=gnu17 -g -O1 -DPLANTED=false -Iinclude examples/queue.c \
    "$BUILD/lib/libraddle.a" -lm -pthread -o "$demo"

say() { printf '\n--- %s\n\n' "$*"; }

say "examples/queue.c has a queue that loses its order when it grows. Raddle looks for it:"
"$demo" --filter =queue_broken_behaves_like_the_model --seed 1 --regressions none |
    tee "$BUILD/demo/report" || true

token=$(sed -n 's/.*--replay \(rdl1[^ ]*\).*/\1/p' "$BUILD/demo/report")
[ -n "$token" ] || { echo "demo.sh: the failure was not found" >&2; exit 1; }

say "The line it printed brings the very same case back, as often as you like:"
status=0
"$demo" --replay "$token" || status=$?
[ "$status" = 1 ] || { echo "demo.sh: the case did not fail again" >&2; exit 1; }

say "The queue that grows correctly passes:"
"$demo" --filter =queue_behaves_like_the_model --seed 1 --cases 100000
