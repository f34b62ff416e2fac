#!/usr/bin/env bash
# demo.sh -- the main job on an example: implementations of one spec are graded; of one that
# is broken, the smallest failing run is shown, and replayed.
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

say "Robots pass through warehouses. $spec/spec.c says when they may; these are the
--- programs of those who were asked to see to it, some of them right, most of them not:"
grade --time 2 $spec/implementations/*.c

say "What is wrong with $(basename $broken)?"
grade $broken | tee "$BUILD/demo/report"

token=$(sed -n 's/.*--replay \(rdl1[^ ]*\).*/\1/p' "$BUILD/demo/report" | tail -n 1)
[ -n "$token" ] || { echo "demo.sh: there is no token to replay" >&2; exit 1; }

say "The line it printed brings the very same run back, as often as you like:"
grade $broken --replay "$token"
