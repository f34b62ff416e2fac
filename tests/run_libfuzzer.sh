#!/usr/bin/env bash
# run_libfuzzer.sh -- libFuzzer finds what chance does not, be it a failing check or a
# crash; Raddle makes of each finding the smallest case that fails alike.
set -eu
. "$SOURCE/tests/fuzz/common.sh"

command -v clang >/dev/null || exit 77
echo 'int LLVMFuzzerTestOneInput(const char *p, long n) { return !p && n; }' >probe.c
clang -fsanitize=fuzzer,address probe.c -o probe 2>probe.log || exit 77

documented 'raddle=$(pkg-config --cflags --libs raddle)'
documented 'cc -g -o unpack unpack.c $raddle'
documented 'clang -g -fsanitize=fuzzer,address -o unpack-fuzz unpack.c $raddle'
./unpack --cases 20000 --seed 1 >chance.log ||
    fail "chance finds the bugs, too:" "$(cat chance.log)"

# It has to be told which test, and says so.
! ./unpack-fuzz >which.log 2>&1 || fail "no test was named, and yet:" "$(cat which.log)"
grep -q '^raddle: set RADDLE_FUZZ .* one of: .*, no_dictionary_is_needed$' which.log ||
    fail "which tests there are is not said:" "$(cat which.log)"

# The bound is some five times what the slowest of many seeds needed.
fuzz() {
    rm -rf corpus crash-*
    mkdir corpus
    ! documented './unpack-fuzz corpus' -seed=1 -runs=5000000 >fuzz.log 2>&1 ||
        fail "nothing was found:" "$(tail fuzz.log)"
    ls crash-* >/dev/null || fail "nothing was saved:" "$(tail fuzz.log)"
}

documented 'export RADDLE_FUZZ=the_text_has_the_size_that_was_announced'
fuzz
expect_finding './unpack --bytes crash-*' 'rdl_check_le(text.length, text.size)' \
    '8 bytes: 52 44 5a 31 01 00 81 01'

# A failing check is told by the fuzzer itself, with a token that is not shrunk yet.
grep -q '^raddle: the_text_has_the_size_that_was_announced fails$' fuzz.log &&
    grep -q '^unpack.c:[0-9]*: rdl_check_le(text.length, text.size)$' fuzz.log ||
    fail "the fuzzer does not tell which check failed:" "$(cat fuzz.log)"
token=$(sed -n 's/^raddle token: //p' fuzz.log)
again=$(./unpack --replay "$token") && fail "the fuzzer's token does not fail:" "$again"
grep -qF 'rdl_check_le(text.length, text.size)' <<<"$again" || fail "the token fails so:" "$again"

export RADDLE_FUZZ=no_dictionary_is_needed
fuzz
expect_finding './unpack --bytes crash-*' 'crashed with SIGSEGV in ' '6 bytes: 52 44 5a 31 00 c0'
