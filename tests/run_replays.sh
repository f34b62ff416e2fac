#!/usr/bin/env bash
# run_replays.sh -- a token is one execution: replayed again and again, each time in a new
# process at new addresses, on an idle machine and on one that has too much to do.  What
# test_replay.c does thousands of times in one process is done a few hundred times here.
# ctest: long
set -eu

# The preloaded library would have to come before the sanitizer's.
[ -z "${SANITIZE:-}" ] || exit 77

raddle=$BUILD/bin/raddle
scratch=$(mktemp -d)
busy=()
release() {
    [ ${#busy[@]} = 0 ] || kill "${busy[@]}" 2>/dev/null || true
    busy=()
}
trap 'release; rm -rf "$scratch"' EXIT
cd "$scratch"
export PKG_CONFIG_PATH=$BUILD/pkgconfig # the library just built
export RADDLE_SEED=1 RADDLE_FORMAT=json RADDLE_REGRESSIONS=none RADDLE_SHRINK_RUNS=1

fail() {
    echo "run_replays.sh: $*" >&2
    exit 1
}

value() { grep -o "\"$1\":\"\\{0,1\\}[^\",}]*" out | head -n 1 | sed 's/^"[^"]*":"\{0,1\}//'; }

# found COMMAND...: it fails; its token and hash are set.
found() {
    local status=0
    "$@" >out 2>&1 </dev/null || status=$?
    [ $status = 1 ] || fail "$*: status $status, not 1:" "$(cut -c 1-4000 out)"
    token=$(value token) hash=$(value hash)
}

# again TIMES NAME COMMAND...: all of them have the hash of NAME.
again() {
    local times=$1 replays=$2.replays hash=${hash_of[$2]} status same
    shift 2
    : >"$replays"
    for _ in $(seq "$times"); do
        status=0
        "$@" >>"$replays" 2>&1 </dev/null || status=$?
        [ $status = 1 ] ||
            fail "$*: status $status, not 1:" "$(tail -n 3 "$replays" | cut -c 1-4000)"
    done
    same=$(grep -c "\"hash\":\"$hash\"" "$replays" || true)
    [ "$same" = "$times" ] || fail "$*: only $same of $times have the hash $hash:" \
        "$(grep -v "\"hash\":\"$hash\"" "$replays" | head -n 1 | cut -c 1-4000)"
}

# ---- What is replayed ---------------------------------------------------------------------------

# glib, which finds its way by addresses; accesses to memory; time; and a test.
zoo=$SOURCE/tests/zoo
$CC -g -O1 -DBUG -o pool "$SOURCE/tests/real/pool.c" $(pkg-config --cflags --libs glib-2.0)
for name in aba_stack timed_out; do
    RADDLE_CC=gcc "$raddle" cc -std=gnu17 -g -O1 -o $name "$zoo/threads/$name.c"
done
$CC -g -O1 -pthread -o schedules "$zoo/schedules.c" $(pkg-config --cflags --libs raddle)

declare -A token_of hash_of
for name in pool aba_stack timed_out; do
    found "$raddle" explore -- ./$name
    token_of[$name]=$token hash_of[$name]=$hash
done
found ./schedules --filter =many_add_up
token_of[schedules]=$token hash_of[schedules]=$hash

# replay TIMES NAME: so often.
replay() {
    if [ "$2" = schedules ]; then
        again "$1" schedules ./schedules --replay "${token_of[schedules]}"
    else
        again "$1" "$2" "$raddle" replay "${token_of[$2]}"
    fi
}

# ---- Again and again ----------------------------------------------------------------------------

times=60
[ -z "${RADDLE_SOAK:-}" ] || times=2000

for name in "${!token_of[@]}"; do
    replay $times "$name"
done
for _ in $(seq $((2 * $(nproc)))); do
    sh -c 'while :; do :; done' &
    busy+=($!)
done
replays=() status=0
for name in "${!token_of[@]}"; do # all at once: each is a load for the others
    replay $((times / 4)) "$name" &
    replays+=($!)
done
for one in "${replays[@]}"; do
    wait "$one" || status=1 # it has said why
done
release
[ $status = 0 ] || exit 1
[ "$(cat /proc/sys/kernel/randomize_va_space)" != 0 ] ||
    echo "addresses are always the same here"
echo "$((${#token_of[@]} * (times + times / 4))) replays"
