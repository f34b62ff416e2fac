#!/usr/bin/env bash
# Claim: whichever request to the system fails in a run (memory, mappings,
# processes, descriptors, files), one by one over all there are, the run ends
# with a status that is right, says why if it could not go on, and leaves
# nothing half-written behind.
set -u
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
[ -n "${SANITIZE:-}" ] && { echo "skipped: sanitizers have an allocator of their own"; exit 77; }

failed=0
complain() {
    echo "FAILED: request $n ($(cat log 2>/dev/null)): $1"
    cat out
    failed=$((failed + 1))
}

n=0
while :; do
    n=$((n + 1))
    [ "$n" -gt 3000 ] && { complain "there is no end to it"; break; }
    rm -rf log out kept report.json && mkdir kept
    FAIL_NTH=$n FAIL_LOG=$folder/log LD_PRELOAD="$BUILD/helpers/fail_nth.so" \
        "$BUILD/zoo/faults" --filter '=fails_a_check,=aborts' --seed 1 --regressions kept \
        --format json --output report.json --format human > out 2>&1
    status=$?
    [ -e log ] || break # fewer requests than that: all have had their turn
    case $status in
    1) grep -q ' = 300' out || complain "the failure was not found" ;;
    2) grep -Eq '(raddle|faults): .' out || complain "it does not say why" ;;
    *) complain "status $status" ;;
    esac
    if ls kept | grep -qv '^faults\.raddle$'; then
        complain "it left $(ls kept) behind"
    fi
    if [ -s report.json ] && grep -qv '^{.*}$' report.json; then
        complain "half a report"
    fi
    whole='^#|^rdl1\.[a-z_]*\.[A-Za-z0-9_-]* # '
    if [ -e kept/faults.raddle ] && grep -Eqv "$whole" kept/faults.raddle; then
        complain "half a regression file"
    fi
done
echo "$((n - 1)) requests, each failed once"
[ "$n" -gt 50 ] || { echo "FAILED: that is too few to be true"; failed=1; }
[ "$failed" -eq 0 ]
