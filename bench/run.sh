#!/usr/bin/env bash
# run.sh -- compile the peers, measure everything, print one table (see `make bench`).
#
# BUILD and SOURCE are absolute; the Raddle programs are in $BUILD/bench already.
set -eu

peers=$SOURCE/bench/peers
out=$BUILD/bench

g++ -O2 -o "$out/with_rapidcheck" "$peers/with_rapidcheck.cpp" -lrapidcheck
erlc -o "$out" "$peers/with_proper.erl"

# Whoever runs a benchmark may have set options for their own tests.
for name in ${!RADDLE_*}; do unset "$name"; done
unset RC_PARAMS

cd "$out"
exec /usr/bin/python3 "$SOURCE/bench/measure.py"
