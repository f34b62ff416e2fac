#!/usr/bin/env bash
# run_names.sh -- names of files that depend on more than the last folder: on numbers of
# descriptors, and on links on the way.
#
# In each program, one thread changes something and another one uses a name; in some order the name
# stands for something else.  dpor, which leaves orders out, has to find it.
set -eu

# A sanitized library only works in a program that is sanitized too.
[ -z "${SANITIZE:-}" ] || exit 77

raddle=$BUILD/bin/raddle
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

fail() {
    echo "run_names.sh: $*" >&2
    exit 1
}

cat >use.c <<'END'
#define _GNU_SOURCE
#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *change, *call, *path;
static int at = AT_FDCWD, home = -1, result;
static struct stat status;

static int relink(const char *target, const char *name)
{
    return unlink(name) + symlink(target, name);
}

static void *run_change(void *it)
{
    if (strcmp(change, "give") == 0)
        dup2(0, 50), close(50);
    else if (strcmp(change, "reopen") == 0)
        close(50), dup2(open("other", O_RDONLY), 50);
    else if (strcmp(change, "relink") == 0)
        relink("other", "way"), relink("folder", "way");
    else if (strcmp(change, "relinkat") == 0)
        unlinkat(home, "way", 0), symlinkat("folder", home, "way");
    else if (strcmp(change, "rename") == 0)
        rename("way", "away"), rename("away", "way");
    else if (strcmp(change, "rename-folder") == 0)
        rename("folder", "away"), rename("away", "folder");
    else if (strcmp(change, "link") == 0)
        unlink("way"), link("folder/inner", "way"), relink("folder", "way");
    else if (strcmp(change, "close") == 0)
        close(50);
    else if (strcmp(change, "dup2") == 0)
        dup2(0, 50);
    else if (strcmp(change, "access") == 0)
        access("other/inner", F_OK);
    else if (strcmp(change, "create") == 0)
        close(open("other/made", O_CREAT | O_RDWR, 0600));
    else
        abort();
    return it;
}

static void *run_call(void *it)
{
    if (strcmp(call, "access") == 0)
        result = at == AT_FDCWD ? access(path, F_OK) : faccessat(at, path, F_OK, 0);
    else if (strcmp(call, "stat") == 0)
        result = at == AT_FDCWD ? stat(path, &status) : fstatat(at, path, &status, 0);
    else if (strcmp(call, "fstat") == 0)
        result = fstatat(at, "", &status, AT_EMPTY_PATH);
    else if (strcmp(call, "mkdir") == 0)
        result = at == AT_FDCWD ? mkdir(path, 0700) : mkdirat(at, path, 0700);
    else if (strcmp(call, "truncate") == 0)
        result = truncate(path, 0);
    else if (strcmp(call, "open") == 0)
        result = at == AT_FDCWD ? open(path, O_RDONLY) : openat(at, path, O_RDONLY);
    else if (strcmp(call, "create") == 0)
        result = at == AT_FDCWD ? open(path, O_CREAT | O_RDWR, 0600)
                                : openat(at, path, O_CREAT | O_RDWR, 0600);
    else if (strcmp(call, "fopen") == 0)
        result = fopen(path, "r") ? 0 : -1;
    else if (strcmp(call, "opendir") == 0)
        result = opendir(path) ? 0 : -1;
    else if (strcmp(call, "chdir") == 0)
        result = chdir(path);
    else if (strcmp(call, "fchdir") == 0)
        result = fchdir(at);
    else
        abort();
    return it;
}

/* use CHANGE CALL PATH [FOLDER NUMBER]...: the name is looked for in the last folder that is given.
 * Its user goes first, so the first schedule is none of those that fail. */
int main(int argc, char **argv)
{
    pthread_t threads[2];
    char back[4096];

    getcwd(back, sizeof back);
    change = argv[1], call = argv[2], path = argv[3];
    if (strstr(change, "linkat"))
        home = open(".", O_RDONLY);
    for (int i = 4; i < argc; i += 2) {
        if (strcmp(argv[i + 1], "cwd") == 0) {
            assert(chdir(argv[i]) == 0);
        } else {
            at = atoi(argv[i + 1]);
            assert(dup2(open(argv[i], O_RDONLY), at) == at);
        }
    }
    pthread_create(&threads[0], NULL, run_call, NULL);
    pthread_create(&threads[1], NULL, run_change, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    chdir(back);
    unlink("folder/made");
    unlink("other/made");
    rmdir("folder/fresh");
    rmdir("folder/deep/fresh");
    return strcmp(change, "give") == 0 ? result >= 0 : result < 0;
}
END
"$raddle" cc -w -g -O1 use.c -o use

# explore STATUS CHANGE CALL PATH [FOLDER NUMBER]...: what it says is in out.
failures=0
explore() {
    local wanted=$1 status=0
    shift
    "$raddle" explore --strategy dpor --seed 1 --schedules 1000 --shrink-time 0 -- ./use "$@" \
        >out 2>&1 </dev/null || status=$?
    [ "$status" = "$wanted" ] && return
    echo "run_names.sh: $*: status $status, not $wanted: $(head -1 out)" >&2
    failures=$((failures + 1))
}

mkdir -p folder/deep other
touch folder/inner other/inner

# ---- Names that lead to numbers of descriptors -------------------------------------------------

ln -s /proc/self/fd/50 near
for ((i = 0; i < 37; i++)); do # with `near` and two in /proc, as many as the kernel follows
    ln -s "$([ $i = 0 ] && echo near || echo "link$((i - 1))")" "link$i"
done
ln -s "$scratch/link1" whole
ln -s /proc/self/fd numbers
ln -s numbers/../fd again
for path in /proc/self/fd/50 /dev/fd/50 near link0 "$scratch/link2" whole link36 numbers/50 \
    numbers/../fd/50 ./again//50 numbers/./50 folder/../other/../numbers/50; do
    explore 1 give access "$path"
done
explore 1 give access fd/50 /proc/self cwd
explore 1 give access 50 /proc/self/fd cwd
explore 1 give access ./fd/50 /proc/self 49
explore 1 give stat 50 /proc/self/fd 49
explore 1 give open 50 numbers 49
explore 1 give access folder/../near . 49

# ---- A folder that has a number ----------------------------------------------------------------

ln -s /dev/fd/50 through
ln -s through/deep deeper
for change in close dup2; do
    for path in /dev/fd/50/inner /proc/self/fd/50/inner /dev/fd/50/ /dev/fd/50/. /dev/fd/50/.. \
        through/inner through/ deeper deeper/../inner deeper/; do
        explore 1 $change access $path folder 50 . 49
        explore 1 $change stat $path folder 50 . 49
    done
    for path in through/fresh deeper/fresh/ /dev/fd/50/./fresh; do
        explore 1 $change mkdir $path folder 50 . 49
    done
    for call in open create fopen truncate; do
        explore 1 $change $call through/inner folder 50 . 49
    done
    explore 1 $change create deeper/../made folder 50 . 49
    explore 1 $change opendir deeper folder 50 . 49
    explore 1 $change chdir deeper folder 50 . 49
    # The number is given to the function.
    for call in access stat open create; do
        explore 1 $change $call inner folder 50
        explore 1 $change $call deep/../inner folder 50
    done
    explore 1 $change create made folder 50
    explore 1 $change mkdir fresh folder 50
    explore 1 $change access deep/. folder 50
    explore 1 $change stat deep folder 50
    explore 1 $change fchdir '' folder 50
done
for file in folder folder/inner; do
    explore 1 close fstat '' $file 50
done
for call in access stat open fchdir; do # in between there is no such number
    explore 1 reopen $call inner folder 50
done

# ---- A link on the way of a name comes, goes and changes ---------------------------------------

ln -s folder way
ln -s way/inner far
ln -s far farther
for change in relink relinkat rename rename-folder link; do
    for path in way/inner way/ way/../inner far farther way/deep/../inner; do
        [ $path = way/../inner ] && ln -sf folder/inner inner
        explore 1 $change access $path
        explore 1 $change stat $path . 49
    done
    explore 1 $change open way/inner
    explore 1 $change create way/made
    explore 1 $change mkdir way/fresh
    explore 1 $change chdir way
    explore 1 $change opendir way
    explore 1 $change truncate farther
done

# ---- Names that have nothing to do with each other --------------------------------------------

for call in access stat create; do
    for path in folder/inner "$scratch/folder/inner" way/inner; do
        for change in access create; do
            explore 0 $change $call $path
            grep -q 'the only distinguishable schedule' out ||
                [ "$call-$change" = create-create ] || # both take the lowest number
                fail "$change, $call $path:" "$(cat out)"
        done
    done
done

[ "$failures" = 0 ]
