#!/usr/bin/env bash
# run_follow.sh -- raddle explore on programs that start the program with threads.
set -eu

# The preloaded library would have to come before the sanitizer's.
[ -z "${SANITIZE:-}" ] || exit 77

raddle=$BUILD/bin/raddle
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
export PATH=$scratch:$PATH
for name in bank starter; do
    $CC -g -O1 -pthread -o $name "$SOURCE/tests/explore/$name.c"
done

fail() {
    echo "run_follow.sh: $*" >&2
    exit 1
}

# explore STATUS ARGUMENT...: run it, expect the status; what it prints is in `out`.
explore() {
    local wanted=$1 status=0
    shift
    "$raddle" explore --seed 1 --schedules 500 "$@" >out 2>&1 </dev/null || status=$?
    [ "$status" = "$wanted" ] || fail "explore $*: status $status, not $wanted:" "$(cat out)"
}

says() { grep -qF -- "$1" out || fail "it does not say '$1':" "$(cat out)"; }
silent() { ! grep -qF -- "$1" out || fail "it says '$1':" "$(cat out)"; }

# finds COMMAND...: the deadlock is found through this command, and its token replays.
finds() {
    local token status=0
    explore 1 -- "$@"
    says 'deadlock: thread 1 -> thread 2 -> thread 1'
    says '1 preemption'
    cp out found
    token=$(grep -o 'rdl1\.[^ ]*' out | head -n 1)
    "$raddle" replay "$token" >out 2>&1 </dev/null || status=$?
    [ $status = 1 ] || fail "the replay of $*: status $status:" "$(cat out)"
    says 'deadlock: thread 1 -> thread 2 -> thread 1'
    mv found out
}

# ---- exec -----------------------------------------------------------------------------------

finds env A=1 ./bank
says 'explored ./bank, which env started'
finds env -i ./bank
finds env -u PATH ./bank
finds nice ./bank
finds nohup ./bank
finds sh -c 'exec ./bank'
finds nice env B=2 sh -c 'exec ./bank'
for way in execve bare execv execvp execvpe execl execlp execle fexecve execveat execveat-fd \
    syscall; do
    explore 1 -- ./starter $way
    says 'deadlock: thread 1 -> thread 2 -> thread 1'
done
finds ./starter itself
finds ./starter fails
explore 0 -- env ./bank ordered

# ---- Scripts ---------------------------------------------------------------------------------

printf '#!/bin/sh\nexec ./bank\n' >script && chmod +x script
finds ./script
printf '#!/bin/sh\n./bank\necho done\n' >script && chmod +x script
finds ./script
says 'explored ./bank, which sh started'
mkdir -p .libs && cp bank .libs/lt-bank
cat >wrapper <<'END'
#! /bin/sh
# As libtool makes them for programs that are not installed yet.
progdir=`echo "$0" | sed 's%/[^/]*$%%'`
program=lt-'bank'
LD_LIBRARY_PATH="$progdir/.libs:$LD_LIBRARY_PATH"
export LD_LIBRARY_PATH
if test -f "$progdir/.libs/$program"; then
    exec "$progdir/.libs/$program" ${1+"$@"}
fi
END
chmod +x wrapper
finds ./wrapper
explore 0 -- ./wrapper ordered

# ---- fork ------------------------------------------------------------------------------------

finds timeout 5 ./bank
says 'explored ./bank, which timeout started'
finds sh -c './bank; echo done'
finds sh -c './bank >log 2>&1; echo done'
finds sh -c 'true; true | cat; ./bank'
finds ./starter spawn
finds ./starter spawnp
finds ./starter system
finds ./starter popen
finds ./starter fork child
finds ./starter fork parent
finds ./starter fork both
explore 0 -- sh -c './bank ordered; echo done'

# ---- As if we were not there --------------------------------------------------------------------

mkdir -p elsewhere
printf 'CHANGED=1\n' >expected
explore 0 --expect expected -- env -i CHANGED=1 ./starter environment
printf 'CHANGED=1\nLD_PRELOAD=\n' >expected
explore 0 --expect expected -- env -i CHANGED=1 LD_PRELOAD= ./starter environment
printf 'CHANGED=1\n' >expected
explore 0 --expect expected -- sh -c 'env -i CHANGED=1 ./starter environment; true'

# ---- No threads, other processes -----------------------------------------------------------------

explore 0 -- true
says 'no second thread was ever started'
silent 'the only'
explore 0 -- sh -c 'true; exit 0'
says 'no second thread was ever started'
explore 1 -- sh -c 'exit 4'
explore 1 -- env sh -c 'exit 4'
explore 0 -- ./starter helped

# ---- Bad input -----------------------------------------------------------------------------------

cp bank setuid && chmod u+s setuid
explore 2 -- env ./setuid
says 'set-user-ID'
explore 2 -- timeout 5 ./setuid
says 'set-user-ID'
$CC -static -pthread -o static "$SOURCE/tests/explore/bank.c"
explore 2 -- env ./static
says 'is linked statically'
explore 2 -- ./static
says 'is linked statically'
$CC -static -o wrapped -x c - <<'END'
#include <unistd.h>
int main(int argc, char **argv) { return argc > 1 ? execv(argv[1], argv + 1) : 1; }
END
finds ./wrapped ./bank
finds env ./wrapped ./bank
explore 1 -- env ./nowhere
says 'exit'

# A program that gets out of reach is not said to have no threads.
if unshare -r true 2>/dev/null; then
    explore 0 -- unshare -r ./bank ordered
    silent 'was ever started'
    says 'no second thread was seen, but not all processes were'
fi

# ---- Input and options ---------------------------------------------------------------------------

$CC -pthread -g -o reader -x c - <<'END'
#include <pthread.h>
#include <stdio.h>
static void *nothing(void *it) { return it; }
int main(void)
{
    char line[64];
    pthread_t thread;
    pthread_create(&thread, NULL, nothing, NULL);
    while (fgets(line, sizeof line, stdin))
        fputs(line, stdout);
    return pthread_join(thread, NULL);
}
END
printf 'one\ntwo\n' >expected
explore 0 --expect expected -- sh -c 'printf "one\ntwo\n" | ./reader'
"$raddle" explore --schedules 9 --expect expected -- sh -c 'true; ./reader' <expected >out 2>&1 ||
    fail "a file as input:" "$(cat out)"
cat expected | "$raddle" explore --schedules 9 --expect expected -- env ./reader >out 2>&1 ||
    fail "a pipe as input:" "$(cat out)"
explore 0 --expect expected -- sh -c '{ printf "one\ntwo\n"; sleep 1000; } | ./reader'
says 'standard input did not end'
RADDLE_SCHEDULES=7 "$raddle" explore --format json -- env -i ./bank ordered >out 2>&1
says '"schedules":7,'
"$raddle" explore --seed 1 --format json -- sh -c './bank ordered >log; true' >out 2>&1
says '"started_by":"sh"'

# ---- No execution is thrown away half done -------------------------------------------------------

# The program minds if its file is there already, and removes it at its end.
"$raddle" cc -pthread -g -o tidy -x c - <<'END'
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
static void *nothing(void *it) { return it; }
int main(int argc, char **argv)
{
    pthread_t thread;
    int fd = open("own", O_RDWR | O_CREAT | O_EXCL, 0600);
    assert(fd >= 0);
    if (argc > 1 && system(argv[1]) != 0)
        return 1;
    pthread_create(&thread, NULL, nothing, NULL);
    pthread_join(thread, NULL);
    close(fd);
    return unlink("own");
}
END
explore 0 -- ./tidy
says 'the only schedule'
explore 0 -- ./tidy true
explore 0 -- env ./tidy
explore 0 -- sh -c './tidy; exit $?'
[ ! -e own ] || fail "a file was left behind"

# A program that calls nothing by which others are started has the threads itself: it is not run
# once more to find that out.
$CC -O1 -pthread -x c - -o counted <<'END'
#include <pthread.h>
#include <stdio.h>
static void *nothing(void *it) { return it; }
int main(int argc, char **argv)
{
    pthread_t thread;
    FILE *runs = fopen("runs", "a");

    fputc('x', runs);
    fclose(runs);
    pthread_create(&thread, NULL, nothing, NULL);
    pthread_join(thread, NULL);
    return 0;
}
END
explore 0 --strategy in-order -- ./counted
[ "$(cat runs)" = x ] || fail "the program ran more than once: $(cat runs)"

explore 0 -- sh -c './counted; ./counted'
tr '\n' ' ' <out | tr -s ' ' >line
grep -qF 'It did not control `./counted`, which the program started.' line ||
    fail "it does not name the program that it did not control:" "$(cat out)"

# ---- In the debugger -----------------------------------------------------------------------------

explore 1 -- env ./bank
token=$(grep -o 'rdl1\.[^ ]*' out | head -n 1)
status=0
"$raddle" replay --gdb "$token" >out 2>&1 </dev/null || status=$?
[ $status = 2 ] || fail "the debugger: status $status:" "$(cat out)"
says 'which has the threads'

# ---- Nothing is left behind ----------------------------------------------------------------------

mkfifo alive
"$raddle" explore --seed 1 -- sh -c 'sleep 1000 >alive & ./bank ordered' >out 2>&1 </dev/null &
running=$!
cat alive # until nobody is left who could write to it
wait $running || fail "a process that stays:" "$(cat out)"
