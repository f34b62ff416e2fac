#!/usr/bin/env bash
# run_afl.sh -- AFL++ finds failing checks and crashes; Raddle makes of each finding
# the smallest case that fails alike.
set -eu
. "$SOURCE/tests/fuzz/common.sh"

command -v afl-fuzz afl-clang-fast >/dev/null || exit 77

# No screen to draw, no machine to tune; stop at the first finding.
export AFL_QUIET=1 AFL_NO_UI=1 AFL_NO_COLOR=1 AFL_NO_AFFINITY=1 AFL_SKIP_CPUFREQ=1
export AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES=1 AFL_BENCH_UNTIL_CRASH=1
unset AFL_SKIP_CRASHES AFL_MAP_SIZE AFL_PRELOAD

# Bounded by the number of cases; -t so that a busy machine is not taken for a hang.
afl-fuzz() { command afl-fuzz -s 1 -E 1000000 -t 5000 "$@"; }

documented 'raddle=$(pkg-config --cflags --libs raddle)'
documented 'cc -g -o unpack unpack.c $raddle'
documented 'afl-clang-fast -g -fsanitize=fuzzer -o unpack-afl unpack.c $raddle'
documented 'mkdir seeds'
documented "printf 'RDZ1\\5hello' >seeds/hello"

fuzz() {
    rm -rf findings
    documented 'afl-fuzz -i seeds -o findings -- ./unpack-afl' >fuzz.log 2>&1 ||
        fail "afl-fuzz:" "$(tail -30 fuzz.log)"
    grep -q '^target_mode .*persistent' findings/default/fuzzer_stats ||
        fail "every case gets a process of its own:" "$(cat findings/default/fuzzer_stats)"
    ls findings/default/crashes/id:000000* >/dev/null || fail "nothing found:" "$(tail fuzz.log)"
}

documented 'export RADDLE_FUZZ=the_text_has_the_size_that_was_announced'
fuzz
expect_finding './unpack --bytes findings/default/crashes/id:000000*' \
    'rdl_check_le(text.length, text.size)' '8 bytes: 52 44 5a 31 01 00 81 01'

export RADDLE_FUZZ=no_dictionary_is_needed
fuzz
expect_finding './unpack --bytes findings/default/crashes/id:000000*' \
    'crashed with SIGSEGV in ' '6 bytes: 52 44 5a 31 00 c0'
