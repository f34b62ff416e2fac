# facts.sh -- programs are built and explored, and what the report says is looked at.  To be sourced
# by scripts that exit with 77 where the library is sanitized.
raddle=$BUILD/bin/raddle
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

fail() {
    echo "$(basename "$0"): $*" >&2
    exit 1
}

cat >common.h <<'END'
#define _GNU_SOURCE
#include <assert.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
END

# build NAME OPTION... <PROGRAM
build() {
    local name=$1
    shift
    { cat common.h && cat; } >"$name.c"
    "$raddle" cc -g "$name.c" -o "$name" -pthread "$@"
}

# explore NAME STATUS: what it says in one line is in `said`.
explore() {
    local status=0
    "$raddle" explore --seed 1 --schedules 1000 -- "./$1" >out 2>&1 </dev/null || status=$?
    [ "$status" = "${2:-0}" ] || fail "$1: status $status:" "$(cat out)"
    said=$(tr -s ' \n' '  ' <out)
}

says() { case $said in *"$1"*) ;; *) fail "it does not say '$1':" "$said" ;; esac; }
silent() { case $said in *"$1"*) fail "it says '$1':" "$said" ;; esac; }
