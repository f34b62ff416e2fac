# common.sh -- what run_libfuzzer.sh and run_afl.sh share: a scratch folder with the
# program to be fuzzed, and what has to become of a finding.
set -eu

# A sanitized library only works in a program that is sanitized the same way.
[ -z "${SANITIZE:-}" ] || exit 77

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
cp "$SOURCE/tests/fuzz/unpack.c" .
export PKG_CONFIG_PATH=$BUILD/pkgconfig # the library just built
unset RADDLE_FUZZ

fail() {
    echo "${0##*/}: $*" >&2
    exit 1
}

# Run a command of docs/fuzzing.md, which must be there in just these words; what
# follows is added to it.
documented() {
    grep -qxF -- "$1" "$SOURCE/docs/fuzzing.md" || fail "docs/fuzzing.md does not say: $1"
    eval "$*"
}

cc() { "$CC" "$@"; }

# What a report says of the failure and the values that lead to it.
story_of() { sed -n '/^FAIL/,/^  Replay:/p' <<<"$1" | sed '1d;$d'; }

# expect_finding COMMAND FAILURE MESSAGE -- the command, which turns a finding into a
# case, fails so, with this message and no longer one; its replay line tells the same.
expect_finding() {
    local report again replay status=0

    report=$(documented "$1") || status=$?
    [ "$status" = 1 ] || fail "$1: exit status $status" "$report"
    story_of "$report" | grep -qF -- "$2" || fail "the report does not say: $2" "$report"
    story_of "$report" | grep -qxF -- "    message = $3" || fail "not shrunk to $3:" "$report"
    replay=$(sed -n 's/^  Replay:  //p' <<<"$report")
    status=0
    again=$($replay) || status=$?
    [ "$status" = 1 ] || fail "$replay: exit status $status" "$again"
    [ "$(story_of "$again")" = "$(story_of "$report")" ] ||
        fail "the replay tells another story:" "$report" "$again"
}
