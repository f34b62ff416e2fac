#!/usr/bin/env bash
# demo.sh -- the main job on an example: of an implementation that is broken, the smallest failing
# run is shown, and replayed; then all implementations of its spec are graded.
set -eu
cd "$SOURCE"
mkdir -p "$BUILD/demo"
raddle=$BUILD/bin/raddle
spec=examples/warehouse
broken=$spec/implementations/signal_instead_of_broadcast.c

say() { printf '\n--- %s\n\n' "$*"; }

# grade ARGUMENTS... -- of which one at least is known to fail
grade() {
    status=0
    "$raddle" grade --seed 1 --spec $spec "$@" || status=$?
    [ "$status" = 1 ] || { echo "demo.sh: no failure was found" >&2; exit 1; }
}

say "Robots pass through warehouses, and wait where there is no room. $spec/spec.c says
--- when they may go on. What is wrong with $broken?"
grade $broken | tee "$BUILD/demo/report"

token=$(sed -n 's/.*--replay \(rdl1[^ ]*\).*/\1/p' "$BUILD/demo/report" | tail -n 1)
[ -n "$token" ] || { echo "demo.sh: there is no token to replay" >&2; exit 1; }

say "The line it printed brings the very same run back, as often as you like:"
grade $broken --replay "$token"

say "And these are all the programs of those who were asked to see to it, some of them right, most
--- of them not (that takes a minute):"
grade --time 1 $spec/implementations/*.c

say "To type such lines yourself, tell this shell where Raddle is:
---   export PATH=$BUILD/bin:\$PATH PKG_CONFIG_PATH=$BUILD/pkgconfig
--- Now test your own queue: docs/tutorials/queue.md"
