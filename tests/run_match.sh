#!/usr/bin/env bash
# run_match.sh -- raddle match: logs that are as specified and logs that are not, what it says of
# them, and lines that it does not understand.
set -eu

# A library without sanitizers would be loaded into a program with them.
[ -z "${SANITIZE:-}" ] || exit 77

raddle=$BUILD/bin/raddle
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

fail() {
    echo "run_match.sh: $*" >&2
    exit 1
}

# says TEXT: in what was printed.
says() { grep -qF -- "$1" out || fail "it does not say '$1':" "$(cut -c 1-2000 out)"; }
lacks() { ! grep -qF -- "$1" out || fail "it says '$1':" "$(cut -c 1-2000 out)"; }

# run STATUS COMMAND...: expect this of it; what it prints is in `out`.
run() {
    local wanted=$1 status=0
    shift
    timeout 100 "$@" >out 2>&1 || status=$?
    [ $status = "$wanted" ] || fail "$*: status $status, not $wanted:" "$(cut -c 1-2000 out)"
}

compile="${CC:-gcc} -g -Wall -Wextra -Werror -shared -fPIC -I$SOURCE/include"
$compile "$SOURCE/tests/match/specs.c" -o specs.so
$compile -g0 "$SOURCE/tests/match/specs.c" -o bare.so
$compile "$SOURCE/docs/events/log.c" -o log.so
$compile "$SOURCE/docs/events/log.c" -o linked.so -Wl,--no-as-needed -Wl,-z,now \
    "-L$BUILD/lib" -lraddle "-Wl,-rpath,$BUILD/lib"
echo 'int nothing;' | $compile -x c - -o empty.so

# ---- The example: as it should be, and not ----

cp "$SOURCE/docs/events/log.jsonl" .
for library in log.so ./linked.so; do
    run 0 "$raddle" match $library log.jsonl
    [ "$(cat out)" = '6 events: as specified' ] || fail "$(cat out)"
done
run 0 "$raddle" match log.so - <log.jsonl
run 0 "$raddle" match --quiet log.so log.jsonl
[ ! -s out ] || fail "--quiet prints:" "$(cat out)"
run 0 "$raddle" match --format json --spec-name=watch log.so log.jsonl
says '{"spec":"watch","verdict":"pass","events":6,"seconds":0.'

# changed SED: the log, otherwise, does not match.
changed() {
    sed "$1" log.jsonl >other
    run 1 "$raddle" match log.so other
}
changed '3s/"id":1/"id":4/'
says 'other:3: not as specified: in net pong(4)'
says 'in net pong whose id is the_id  ['
says "log.c:$(grep -n 'rdl_bound(pong' "$SOURCE/docs/events/log.c" | cut -d : -f 1)]"
says 'out user alarm with level = URGENT'
says '    line 2: out net ping(1)'
lacks 'line 3:'
changed 's/URGENT/CALM/'
says 'other:6: not as specified: out user alarm(level = CALM, missed = 2)'
says '    line 4: out user note("all is well")'
changed '3,$d'
says 'other: the log ends after 2 events, but more was expected'
says 'in net pong whose id is the_id'
changed '1,$d'
says 'other: the log ends after 0 events'
says 'out net any hello'
changed '3s/12.9/13.7/'
says 'other:3: not as specified: in net pong(1)'
says 'it came at 13.700000 s, and for some of what was expected before rdl_within ended at 13.6'
run 1 "$raddle" match --verbose --quiet log.so other
says 'other:3: not as specified: in net pong(1)'
lacks ' 1, '
run 1 "$raddle" match --quiet --verbose log.so other
says 'net out hello 1, net out ping 1, net in pong 1, in 0.'
run 1 "$raddle" match --format=json log.so other
says '"verdict":"fail","events":2,'
says '"reason":"event","line":3,"event":"in net pong(1)","expected":["out user alarm with level'
says '"why":"it came at 13.700000 s'
says '"last":[{"line":1,"event":"out net hello(\"watcher\")"},{"line":2,'
sed 2q log.jsonl | run 1 "$raddle" match --format json log.so -
says '"reason":"end","expected":["in net pong'

# Only the last twenty are shown.
{
    head -n 1 log.jsonl
    for id in $(seq 30); do
        sed -n "2,3{s/:1}/:$id}/;s/\"time\".*/\"time\":12.5}/;p}" log.jsonl
    done
    echo '{"port":"net","dir":"in","type":"pong"}'
} >long
run 1 "$raddle" match log.so long
says 'long:62: not as specified: in net pong(0)'
[ "$(grep -c '    line' out)" = 20 ] || fail "not the last twenty:" "$(cat out)"
says '    line 61: in net pong(30)'

# ---- Values ----

# matches STATUS SPEC LINE...
matches() {
    local wanted=$1 spec=$2
    shift 2
    printf '%s\n' "$@" >lines
    run "$wanted" "$raddle" match specs.so --spec-name "$spec" lines
}
mixed='{"port":"net","dir":"in","type":"mixed","data":'
good='"name":"abcdefgh","colour":"BLUE","corner":{"y":-9223372036854775808,"x":-3},"on":true'
good="$good,\"real\":1e-1,\"list\":[1,65535]"
matches 0 values "$mixed{$good}}" "" "   " "$mixed  { $good , \"list\" : [ 1 , 65535, 0 ] } } "
says '2 events: as specified'
matches 0 values "{\"data\":{$good},\"type\":\"mixed\",\"dir\":\"in\",\"port\":\"net\"}"
matches 1 values "$mixed{\"name\":\"\\u00e9\\\"\",\"colour\":7}}"
says 'in net mixed(name = "é\"", colour = 7, corner = {x = 0, y = 0}, on = false, real = 0'
matches 1 values "${mixed%,*}}"
says 'in net mixed(name = "", colour = RED, '

# refuses SPEC TEXT LINE...: in the last of the lines is the error.
refuses() {
    local spec=$1 text=$2
    shift 2
    matches 2 "$spec" "$@"
    says "raddle match: lines:$#: $text"
}
refuses values "data of mixed: there is no field 'nam', but name, colour, corner, on, real, list" \
    "$mixed{$good}}" "$mixed{\"nam\":1}}"
refuses values "data of mixed: expected a string for name at column 56, not 1" \
    "$mixed{\"name\":1}}"
refuses values 'data of mixed: expected a string that fits for name' \
    "$mixed{\"name\":\"123456789\"}}"
refuses values 'data of mixed: expected one of RED, GREEN, BLUE for colour' \
    "$mixed{\"colour\":\"PINK\"}}"
refuses values 'data of mixed: expected a number that fits for x' "$mixed{\"corner\":{\"x\":128}}}"
refuses values 'data of mixed: expected an object at column 48, not 3' "${mixed}3}"
refuses values "data of mixed: expected ']', since no more items fit in, for list" \
    "$mixed{\"list\":[1,2,3,4]}}"
refuses values 'data of mixed: ' '{"data":{"on":1 2},"type":"mixed","dir":"in","port":"net"}'
refuses values 'here should be , or }' '{"data":{} {},"type":"mixed","dir":"in","port":"net"}'

# Without debugging information there are numbers only.
echo "$mixed{}}" | run 2 "$raddle" match bare.so --spec-name values -
says 'data of mixed: what it is made of is not known: was it compiled with -g?'

# Bytes.
get='{"port":"net","dir":"out","type":"frame","data":"GET x\r\n"}'
ok='{"port":"net","dir":"in","type":"frame","data":"+OK \u0041"}'
matches 0 frames "$get" "$ok" "$get" "$ok"
matches 1 frames "$get" "${ok/+OK/-ERR}"
says 'lines:2: not as specified: in net "-ERR A"'
says 'in net "+OK*"'
refuses frames 'data of frame: here should be a string' "${get/\"GET x\\r\\n\"/3}"

# ---- Who acts ----

tick='{"port":"net","dir":"in","type":"tick","data":'
end='{"port":"side","dir":"out","type":"end","data":{}}'
matches 0 acts "${tick}3}" "${tick}99}" "$end"
says 'note: rdl_do and rdl_inspect are passed over'
[ "$(grep -c note out)" = 1 ] || fail "not one note:" "$(cat out)"
matches 0 acts "${tick}3}" "${tick}99}" '{"port":"net","dir":"out","type":"request"}' "$end"
matches 1 acts "${tick}4}"
says 'not as specified: in net tick(4)'
says 'in net tick(3)'
matches 1 acts "${tick}3}" "$end"
says 'in net any tick'

request() { echo "{\"port\":\"net\",\"dir\":\"out\",\"type\":\"request\",\"data\":{\"id\":$1}}"; }
answer() {
    printf '{"port":"net","dir":"in","type":"response","data":{"padded":"x","twice":%s}}' "$1"
}
matches 0 answers "$(request 1)" "$(answer 2)" "$(request 5)" "${tick}1}" "$(answer 10)" "$end"
matches 0 answers "$(request 1)" "$(answer 2)" "${tick}1}" "$(request 5)" "$(answer 10)" "$end"
matches 1 answers "$(request 1)" "$(answer 3)"
says 'in net response, the answer of answer_positive (required)'
matches 1 answers "$(request 1)" "$end"
says 'lines:2: not as specified'
matches 1 answers "$(request 1)" "$(answer 2)" "$(answer 2)"
says 'lines:3: not as specified'
matches 1 answers "$(request 0)"
says 'out net request that answer_positive can answer, any request'
matches 1 answers "$(request 1)"
says 'the log ends after 1 event, but'
matches 0 unordered "$(request 1)" "$(answer 2)" "${tick}1}" "$(request 2)" "$(answer 4)" "$end"
matches 0 unordered "$(request 1)" "$(request 2)" "$(answer 4)" "$(answer 2)" "${tick}1}" "$end"
matches 1 unordered "$(answer 2)"
matches 1 unordered "$(request 1)" "${tick}1}" "$(request 2)" "$end"
for spec in at_end in_a_row; do
    matches 0 $spec "$(request 1)" "$(request 2)" "$(answer 2)" "$end" "$(answer 4)"
    matches 1 $spec "$(request 1)" "$(answer 2)"
    says 'lines:2: not as specified'
done

# ---- Rules, and time ----

at() { echo "{\"port\":\"$1\",\"dir\":\"out\",\"type\":\"$2\",\"time\":$3}"; }
matches 0 rules "$(at net request 1700000000.5)" "${tick}1}" "$(at side end 1700000002)"
matches 1 rules "$(at net request 1700000000.5)" "$(at side end 1700000002.000001)"
says 'lines:2: too late: out side end()'
says 'it came at 1700000002.000001 s, but rdl_within ended at 1700000002.000000 s'
says 'out side any end'
matches 1 rules "${tick}5}"
says 'it is forbidden there by the rule at '
run 1 "$raddle" match specs.so --spec-name rules --format json lines
says '"why":"it is forbidden there by the rule at '
matches 0 rules '{"port":"net","dir":"out","type":"request"}' "$end"
says 'note: the log has no times, so rdl_within is not checked'
matches 0 rules "$(at net request 0)" "$(at side end 1.5e0)"
refuses rules 'its time is before that of the event before it' \
    "$(at net request 3.000000001)" "$(at side end 3)"
refuses rules 'it is the first event to have a time' \
    '{"port":"net","dir":"out","type":"request"}' "$(at side end 3)"
refuses rules 'time -1 is out of range' "$(at net request -1)"
refuses rules 'time 1e99 is out of range' "$(at net request 1e99)"
refuses rules 'time must be a number of seconds' "$(at net request '"1"')"

# ---- What is not understood ----

refuses acts "there is no port 'nat', but net, side" '{"port":"nat"}'
refuses acts "'up' is no direction: in or out" '{"dir":"up"}'
refuses acts "there is no type 'tack', but tick, request, end" '{"type":"tack"}'
refuses acts "there is no key 'prot', but port, dir, type, data, time" '{"prot":1}'
refuses acts 'port is there twice' '{"port":"net","port":"net"}'
refuses acts 'port must be a string' '{"port":3}'
refuses acts 'dir is missing' "${tick}3}" '' '{"port":"net","type":"tick"}'
refuses acts 'expected an object, {"port": ...}' 'net tick 3'
refuses acts 'here should be a string, at column 2' '{port'
refuses acts 'a key lacks its colon, at column 9' '{"port" "net"}'
refuses acts 'a string does not end' '{"port":"net'
refuses acts 'something follows, at column 49' "${tick}3}3"
refuses acts 'here should be , or }' '{"dir":"in" "type":"tick"}'
printf '{"dir":"in"\0}\n' >lines
run 2 "$raddle" match specs.so --spec-name acts lines
says 'lines:1: here should be , or }, at column 12'

# A line may have a mebibyte and no more; the last need not end.
frame='{"port":"net","dir":"out","type":"frame","data":"GET '
{ printf '%s' "$frame" && head -c 1048500 /dev/zero | tr '\0' x && printf '\\r\\n"}'; } >lines
[ "$(wc -c <lines)" -le 1048576 ] || fail "that is too long"
run 1 "$raddle" match specs.so --spec-name frames --format json lines
says '"reason":"end"'
{ echo && printf '%s' "$frame" && head -c 1048600 /dev/zero | tr '\0' x && echo '"}'; } >lines
run 2 "$raddle" match specs.so --spec-name frames lines
says 'lines:2: the line is longer than 1 MiB'

run 2 "$raddle" match specs.so lines
says 'specs.so has several specs; choose with --spec-name: values, acts, answers, '
run 2 "$raddle" match specs.so --spec-name pile lines
says 'no spec in specs.so is called pile; there are: values, acts, '
run 2 "$raddle" match empty.so lines
says 'there is no spec of streams in empty.so; RDL_STREAM_SPEC makes one'
run 2 "$raddle" match missing.so lines
says 'cannot load missing.so'
run 2 "$raddle" match log.so missing
says 'cannot open missing: No such file or directory'
run 2 "$raddle" match log.so .
says 'cannot read .: Is a directory'
run 2 "$raddle" match
says 'which library?'
run 2 "$raddle" match log.so
says 'which log of events?'
run 2 "$raddle" match log.so a b
says 'one log at a time'
run 2 "$raddle" match --spec-name
says '--spec-name needs a value'
run 2 "$raddle" match --frob
says "unknown option --frob"
run 2 "$raddle" match --format xml log.so log.jsonl
says "'xml' is neither human nor json"
run 0 "$raddle" match --help
says 'Usage: raddle match'

# ---- A long one, through a pipe, in little memory ----

awk 'BEGIN {
    print "{\"port\":\"net\",\"dir\":\"out\",\"type\":\"hello\"}"
    for (i = 0; i < 250000; i++) {
        print "{\"port\":\"net\",\"dir\":\"out\",\"type\":\"ping\",\"data\":{\"id\":" i "}}"
        print "{\"port\":\"net\",\"dir\":\"in\",\"type\":\"pong\",\"data\":{\"id\":" i "}}"
    }
}' >long
cat long | (ulimit -v 200000 && run 0 "$raddle" match log.so -)
says '500,001 events: as specified'
sed -i '400001s/:[0-9]*}}/:5}}/' long
run 1 "$raddle" match log.so long
says 'long:400001: not as specified: in net pong(5)'
