#!/usr/bin/env bash
# run_judge.sh -- raddle judge: good and bad histories, what it says of them, and input that
# it does not understand.
set -eu

# A library without sanitizers would be loaded into a program with them.
[ -z "${SANITIZE:-}" ] || exit 77

raddle=$BUILD/bin/raddle
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

fail() {
    echo "run_judge.sh: $*" >&2
    exit 1
}

# says TEXT: in what was printed.
says() { grep -qF -- "$1" out || fail "it does not say '$1':" "$(cat out)"; }

# run STATUS COMMAND...: expect this of it; what it prints is in `out`.
run() {
    local wanted=$1 status=0
    shift
    timeout 100 "$@" >out 2>&1 || status=$?
    [ $status = "$wanted" ] || fail "$*: status $status, not $wanted:" "$(cut -c 1-2000 out)"
}

compile="${CC:-gcc} -g -Wall -Wextra -Werror -shared -fPIC -I$SOURCE/include"
$compile "$SOURCE/tests/judge/specs.c" -o alone.so
$compile "$SOURCE/tests/judge/specs.c" -o linked.so -Wl,--no-as-needed -Wl,-z,now \
    "-L$BUILD/lib" -lraddle "-Wl,-rpath,$BUILD/lib"
echo 'int nothing;' | $compile -x c - -o empty.so

# judge STATUS SPEC [OPTION...] <HISTORY
judge() {
    local wanted=$1 spec=$2
    shift 2
    cat >history
    run "$wanted" "$raddle" judge --spec alone.so --spec-name "$spec" "$@" history
}

# ---- How much it says ----

printf '%s\n' 'a call write 1' 'b call read' 'b return 0' 'a return' | judge 0 cell --quiet
[ ! -s out ] || fail "--quiet prints:" "$(cat out)"
cp history again
judge 0 cell --quiet --verbose <again
says 'linearizable: 2 calls, '
says '  4 events, at most 2 calls in progress at once, '
says '  write 1, read 1'
printf '%s\n' 'a call read' 'a return 5' | judge 1 cell --verbose --quiet
says 'history:2: not linearizable: a read() = 5'
! grep -q 'in progress at once' out || fail "--quiet has statistics:" "$(cat out)"

# ---- Registers: who was done before whom; linked with us or not ----

for library in alone.so ./linked.so; do
    printf '%s\n' '# a comment' '' 'a call write 1' 'b call read' 'b return 0' 'a return' \
        '  b   call  read ' 'b return 1' >history
    run 0 "$raddle" judge --spec $library --spec-name cell history
    says 'linearizable: 3 calls, 0.0'
    sed -i 's/return 1/return 0/' history
    run 1 "$raddle" judge --spec=$library --spec-name=cell history
    says 'history:8: not linearizable: b read() = 0, called in line 7'
done

judge 1 cell <<'END'
a call write 1
c call write 2
b call read
a return
b return 0
b call read
b return 7
d call write 5
END
says 'history:7: not linearizable: b read() = 7, called in line 6'
says 'at the same time:'
says 'c write('
says 'from line 2 on, has not returned'
says 'answered 7; the model says 1'
! grep -q 'd write' out || fail "what comes later is shown:" "$(cat out)"

# A call that has not returned, is unknown, or has failed.
printf '%s\n' 'a call write 1' 'b call read' 'b return 1' | judge 0 cell
printf '%s\n' 'a call write 1' 'a unknown' 'b call read' 'b return 0' 'b call read' \
    'b return 1' | judge 0 cell
printf '%s\n' 'a call write 1' 'a unknown' 'b call read' 'b return 1' 'b call read' \
    'b return 0' | judge 1 cell
says 'from line 1 on, unknown'
printf '%s\n' 'a call write 1' 'a fail' 'b call read' 'b return 1' | judge 1 cell
says 'history:4: not linearizable'
printf '%s\n' 'a call write 1' 'a fail' 'a call read' 'a return 0' | judge 0 cell
says 'linearizable: 1 call, '
judge 0 cell </dev/null
says 'linearizable: 0 calls, '

# The answer of a call that returns later must not make an earlier one look wrong.
printf '%s\n' 'a call write 1' 'b call read' 'c call read' 'c return 1' 'a return' \
    'b return 3' | judge 1 cell
says 'history:6: not linearizable: b read() = 3'

# ---- Keys: each begins by itself ----

run 0 "$raddle" judge --spec alone.so --spec-name cells - <<'END'
a call set 3 4
b call get 5
b return 1
a return
b call get 3
b return 4
END
says 'linearizable: 3 calls, 2 keys, '
run 1 "$raddle" judge --spec alone.so --spec-name cells - <<'END'
a call set 3 4
c call set 5 5
a return
b call get 3
b return 1
END
says 'standard input:5: not linearizable: b get('
says '(key 3)'
! grep -q 'c set' out || fail "a call with another key is shown:" "$(cat out)"

# ---- A queue: who waits, and in which order they are served ----

two_wait=$(printf '%s\n' 'a call take' quiet 'b call take' quiet 'c call put 7' 'c return')
printf '%s\n' "$two_wait" 'a return 7' quiet 'c call put 8' 'c return' 'b return 8' | judge 0 queue
says 'explained: 4 calls, 0.0'
printf '%s\n' "$two_wait" 'b return 7' quiet | judge 1 queue
says 'not in the order of the policy'
printf '%s\n' "$two_wait" 'b return 7' quiet | judge 0 queue --safety
printf '%s\n' "$two_wait" 'b return 7' quiet | judge 0 queue --liveness
printf '%s\n' "$two_wait" 'b return 7' quiet | judge 1 queue --policy
printf '%s\n' "$two_wait" quiet | judge 1 queue
says 'history:7: a call waits that has to go on'
says 'in progress:'
says 'a take(), from line 1 on, has not returned'
printf '%s\n' "$two_wait" quiet | judge 0 queue --policy
printf '%s\n' "$two_wait" quiet | judge 1 queue --liveness
printf '%s\n' "$two_wait" 'a return 8' quiet | judge 1 queue
says 'history:7: not possible: a take() = 8, called in line 1'
printf '%s\n' 'a call take' quiet 'b call put 1' 'a return 1' quiet | judge 1 queue
printf '%s\n' 'a call take' 'b call put 1' 'a return 1' | judge 0 queue

# ---- JSON ----

printf '%s\n' 'a call write 1' 'a return' | judge 0 cell --format json
says '{"spec":"cell","verdict":"pass","calls":1,"keys":1,"seconds":0.0'
printf '%s\n' 'a call read' 'a return 1' | judge 1 cell --format=json
says '"verdict":"fail","calls":1,"keys":1,'
says '"line":2,"blame":"answer","explanation":"history:2: not linearizable: a read() = 1'
says '"call":"a read() = 1"'

# ---- What is not understood ----

# refuses TEXT LINE...: the history of these lines, in the last of which is the error.
refuses() {
    local text=$1
    shift
    printf '%s\n' "$@" | judge 2 cell
    says "raddle judge: history:$#: $text"
}
refuses "what does 'a' do?  (call, return, fail or unknown)" '# one' '' 'a'
refuses "'calls' is none of call, return, fail and unknown" 'a calls read'
refuses "'call' needs an operation" 'a call'
refuses "spec cell has no operation 'put', but write, read" 'a call read' 'b call put 1'
refuses "arguments of write: " 'a call write one'
refuses "arguments of write: " 'a call write'
refuses "arguments of write: " 'a call write 1 2'
refuses "read takes no arguments, but there is '7'" 'a call read 7'
refuses "answer of read: " 'a call read' 'a return zero'
refuses "answer of read: " 'a call read' 'a return'
refuses "write returns nothing, but there is '1'" 'a call write 1' 'a return 1'
refuses "'return' of b, which has no call in progress" 'a call read' 'b return 1'
refuses "'fail' of a, which has no call in progress" 'a call read' 'a return 0' 'a fail'
refuses "a calls again, but its call of line 1 has not returned" 'a call read' 'a call read'
refuses "nothing may follow 'fail', but there is 'it'" 'a call read' 'a fail it'
refuses "'quiet' says who waits, but line 2 has a call of which that is unknown" \
    'a call read' 'a unknown' 'quiet'
printf 'a call\0 read\n' >history
run 2 "$raddle" judge --spec alone.so --spec-name cell history
says 'history:1: there is a NUL in this line'

run 2 "$raddle" judge --spec alone.so history
says 'alone.so has several specs; choose with --spec-name: cell, cells, queue, wrong'
run 2 "$raddle" judge --spec alone.so --spec-name pile history
says 'no spec in alone.so is called pile; there are: cell, cells, queue, wrong'
run 2 "$raddle" judge --spec alone.so --spec-name wrong history
says 'operation ask returns something'
run 2 "$raddle" judge --spec empty.so history
says 'there is no spec in empty.so'
run 2 "$raddle" judge --spec missing.so history
says 'cannot load missing.so'
run 2 "$raddle" judge --spec alone.so --spec-name cell missing
says 'cannot open missing: No such file or directory'
run 2 "$raddle" judge --spec alone.so --spec-name cell .
says 'cannot read .: Is a directory'
run 2 "$raddle" judge history
says 'which spec?'
run 2 "$raddle" judge --spec alone.so
says 'which history?'
run 2 "$raddle" judge --spec alone.so a b
says 'one history at a time'
run 2 "$raddle" judge --spec
says '--spec needs a value'
run 2 "$raddle" judge --frob
says "unknown option --frob"
run 2 "$raddle" judge --spec alone.so --format xml history
says "'xml' is neither human nor json"
run 2 "$raddle" judge --spec alone.so --safety --policy history
says '--safety means neither'
run 0 "$raddle" judge --help
says 'Usage: raddle judge'

# ---- Large ones ----

# Five clients, 100,000 calls, one register or 40 of them.
for keys in 1 40; do
    awk -v keys=$keys 'BEGIN {
        srand(1)
        for (started = 0; started < 100000 || open > 0;) {
            c = int(rand() * 5)
            if (!(c in state)) {
                if (started >= 100000) continue
                started++; open++
                key[c] = int(rand() * keys)
                is_set[c] = rand() < 0.5
                new[c] = int(rand() * 1000)
                state[c] = 1
                print "c" c, "call", is_set[c] ? "set " key[c] " " new[c] : "get " key[c]
            } else if (state[c] == 1) {
                if (is_set[c]) value[key[c]] = new[c]
                else answer[c] = key[c] in value ? value[key[c]] : 1
                state[c] = 2
            } else {
                print "c" c, "return", is_set[c] ? "" : answer[c]
                delete state[c]; open--
            }
        }
    }' | judge 0 cells
    says "linearizable: 100,000 calls, $keys key"
done
sed -i '199000,$s/return [0-9].*/return 5555/' history
run 1 "$raddle" judge --spec alone.so --spec-name cells history
says 'history:199'

# More calls in progress than can be told apart.
for i in $(seq 70); do echo "c$i call write $i"; done | judge 2 cell
says 'history:65: undecided: more than 64 calls are in progress at once'
