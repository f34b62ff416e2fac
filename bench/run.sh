#!/usr/bin/env bash
# run.sh [PART]... -- measure, and print tables (see `make bench`).
#
# Parts: tests (without threads, 1 to 5), threads (6 to 10), zoo (11), specs (12 to 16),
# events (17 to 21), gates (22 to 26), mocks (27 to 30); without any, all.
# BASE=FOLDER measures another build of Raddle beside this one (threads, 10a).
# BUILD and SOURCE are absolute; the Raddle programs are in $BUILD/bench already.
set -eu

peers=$SOURCE/bench/peers
out=$BUILD/bench

# Whoever runs a benchmark may have set options for their own tests.
for name in ${!RADDLE_*}; do unset "$name"; done
unset RC_PARAMS

export PYTHONDONTWRITEBYTECODE=1 # nothing is to be left in the source tree
cd "$out"
/usr/bin/python3 "$SOURCE/bench/common.py"
[ $# -gt 0 ] || set -- tests threads zoo specs events gates mocks
for part; do
    case $part in
    tests)
        g++ -O2 -o with_rapidcheck "$peers/with_rapidcheck.cpp" -lrapidcheck
        erlc -o . "$peers/with_proper.erl"
        /usr/bin/python3 "$SOURCE/bench/measure.py"
        ;;
    threads) /usr/bin/python3 "$SOURCE/bench/measure_threads.py" ;;
    zoo) /usr/bin/python3 "$SOURCE/bench/measure_zoo.py" ;;
    specs) /usr/bin/python3 "$SOURCE/bench/measure_specs.py" ;;
    events) /usr/bin/python3 "$SOURCE/bench/measure_events.py" ;;
    gates) /usr/bin/python3 "$SOURCE/bench/measure_gates.py" ;;
    mocks) /usr/bin/python3 "$SOURCE/bench/measure_mocks.py" ;;
    *)
        echo "run.sh: parts are tests, threads, zoo, specs, events, gates and mocks" >&2
        exit 2
        ;;
    esac
done
