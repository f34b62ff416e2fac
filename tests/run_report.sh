#!/usr/bin/env bash
# run_report.sh -- raddle report: stored reports become the page that the run itself would have.
set -eu

raddle=$BUILD/bin/raddle
cd "$(mktemp -d)"
trap 'rm -r "$PWD"' EXIT

fail() {
    printf '%s\n' "$@" >&2
    exit 1
}

# ---- The same page ---------------------------------------------------------------------------

# Of a run that fails and one that passes.
"$BUILD/zoo/faults" --filter =fails_a_check --filter =passes --seed 1 --regressions none \
    --format json --output run.json --html run.html >/dev/null && fail "the run has not failed"
"$raddle" report --html page.html run.json
for page in run page; do # which differ in what is said of all tests, on the first line
    sed -n '/^{"raddle"/,/^<\/script>/p' $page.html | sed 1d >$page.data
done
[ -s run.data ] || fail "there are no data"
cmp run.data page.data || fail "the data of the pages differ"
grep -q '^fail   fails_a_check' page.html || fail "no words for where there are no scripts"

# From standard input, to standard output; of several.
"$raddle" report - <run.json >piped.html
grep -q '<title>standard input</title>' piped.html || fail "not of standard input"
"$raddle" report run.json run.json >two.html
grep -q '<title>2 reports</title>' two.html || fail "not of two reports"

# A pipe stays one, and so does a device: a file in its place would not do.
mkfifo pipe
cat pipe >through.html &
"$raddle" report --html pipe run.json
wait $!
[ -p pipe ] && cmp page.html through.html || fail "not through a pipe"

# As docs/reports.md has it.
PATH=$BUILD/bin:$PATH
cp "$BUILD/examples/text" tests
./tests --format tap --output tests.tap --format json --output tests.json --html tests.html >out
[ -s tests.tap ] && [ -s tests.json ] && [ -s tests.html ] || fail "a report is missing"
rm tests.json tests.html
./tests --format json --output tests.json >/dev/null
raddle report --html tests.html tests.json
grep -q '^pass  ' tests.html || fail "no words of what passes"

# ---- What is none is refused -----------------------------------------------------------------

refused() {
    local words=$1
    shift
    status=0
    "$raddle" report "$@" >out 2>err || status=$?
    [ $status = 2 ] || fail "report $*: status $status"
    grep -q -- "$words" err || fail "report $*: says" "$(cat err)"
    [ ! -s out ] || fail "report $*: wrote something"
}

printf '{"test":"a","verdict":"pass","failures":[]}\n{"test":' >broken.json
printf '{"name":"something else"}\n' >other.json
printf '[{"file":"a.c","verdict":"pass"}]\n' >grades.json
printf '["a",' >list.json
printf '{"test":"\0"}\n' >nul.json
: >empty.json
refused 'of which reports'
refused 'unknown option' --sped run.json
refused 'nosuch.json: No such file' nosuch.json
refused 'broken.json: line 2 is no JSON, as --format json writes it: ' broken.json
refused 'other.json: line 1 tells of no test' other.json
refused 'grades.json: something in its list is no grade' grades.json
refused 'list.json: ' list.json
refused 'nul.json: this is no JSON' nul.json
echo >blank.json
refused 'blank.json: there is nothing in it' blank.json
refused 'empty.json: there is nothing in it' empty.json
refused 'cannot write' --html nosuch/page.html run.json
refused '--html' --html
"$raddle" report --help | grep -q '^Usage: raddle report' || fail "no help"
