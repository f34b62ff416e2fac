#!/usr/bin/env bash
# run_examples.sh -- every program of examples/
#   passes (a planted bug is marked as expected, so finding it is passing);
#   says the same when it is run again with the same seed, apart from times;
#   finds failures that their own replay command shows again: same check, same values.
# ctest: long
set -eu

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$SOURCE" # where the sources are that reports read names from

fail() {
    echo "run_examples.sh: $*" >&2
    exit 1
}

without_times() {
    sed -E 's/[0-9]+\.[0-9]+ s\b/0 s/g; s/"seconds":[0-9.e-]+/"seconds":0/g'
}

# One line a failure: the replay command, a tab, what failed and the values drawn.
failures_of() {
    python3 -c '
import json, sys
for line in sys.stdin:
    for failure in json.loads(line).get("failures", []): # of a test; requirements have none
        values = [[part["name"], part["value"], part["depth"]] for part in failure["story"]]
        print(failure["replay"], json.dumps([failure["message"], values]), sep="\t")'
}

programs=0 replayed=0
for program in "$BUILD"/examples/*; do
    [ -f "$program" ] && [ -x "$program" ] || continue
    programs=$((programs + 1))
    for run in 1 2; do
        "$program" --seed 1 --regressions none --format human --output "$scratch/$run.human" \
            --format json --output "$scratch/$run.json" ||
            fail "$program --seed 1 fails:" "$(cat "$scratch/$run.human")"
    done
    for format in human json; do
        diff <(without_times <"$scratch/1.$format") <(without_times <"$scratch/2.$format") ||
            fail "$program --seed 1 --format $format: two runs differ"
    done

    failures_of <"$scratch/1.json" >"$scratch/failures"
    while IFS=$'\t' read -r command failure; do
        replayed=$((replayed + 1))
        bash -c "$command --regressions none --format json" >"$scratch/replay" || true
        again=$(failures_of <"$scratch/replay" | cut -f2-)
        [ "$again" = "$failure" ] ||
            fail "$command" $'\nfirst:  ' "$failure" $'\nreplay: ' "$again"
    done <"$scratch/failures"
done

[ $programs -ge 5 ] || fail "only $programs examples were found in $BUILD/examples"
[ $replayed -ge 5 ] || fail "only $replayed failures were found, where more are planted"
echo "$programs examples, $replayed failures replayed"
