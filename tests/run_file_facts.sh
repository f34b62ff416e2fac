#!/usr/bin/env bash
# run_file_facts.sh -- facts about files that end a claim: what executions leave changed, pages at
# two addresses, large transfers; and handlers of exit.
set -eu

# A sanitized library only works in a program that is sanitized too.
[ -z "${SANITIZE:-}" ] || exit 77
. "$SOURCE/tests/helpers/facts.sh"

# ---- Files that executions leave to each other -------------------------------------------------

# explore_in_new_folder WORD...: as explore does, where there is no file yet.
explore_in_new_folder() {
    rm -rf folder && mkdir folder
    (cd folder && "$raddle" explore --seed 1 --schedules 1000 -- "$@") >out 2>&1 </dev/null ||
        fail "$*:" "$(cat out)"
    said=$(tr -s ' \n' '  ' <out)
}

cat >lists.h <<'END'
#include <dirent.h>
#include <fts.h>
#include <ftw.h>
#include <glob.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <wordexp.h>
static void make(void) { close(creat("file", 0600)); }
static int found(const char *path, const struct stat *status, int kind, struct FTW *where)
{
    return !path || !status || kind < 0 || !where;
}
static void by_opendir(void) { closedir(opendir(".")); }
static void by_glob(void) { glob_t all = {0}; glob("./f*", 0, NULL, &all); globfree(&all); }
static void by_scandir(void) { struct dirent **all; scandir(".", &all, NULL, NULL); }
static void by_nftw(void) { nftw(".", found, 5, 0); }
static void by_fts(void) { fts_close(fts_open((char *[]){".", NULL}, FTS_PHYSICAL, NULL)); }
static void by_wordexp(void) { wordexp_t all = {0}; wordexp("f*", &all, 0); }
static void by_number(void)
{
    char bytes[4096];
    int fd = open(".", O_RDONLY);
    syscall(SYS_getdents64, fd, bytes, sizeof bytes);
    close(fd);
}
static void by_bind(void)
{
    struct sockaddr_un address = {AF_UNIX, "file"};
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    bind(fd, (struct sockaddr *)&address, sizeof address);
    close(fd);
}
static void *look(void *it) { LOOK(); return it; }
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, look, NULL);
    make();
    pthread_join(thread, NULL);
    return REMOVE ? unlink("file") : 0;
}
END
for way in opendir glob scandir nftw fts wordexp number bind; do
    build lists -w -DLOOK=by_$way -DREMOVE=0 <lists.h
    explore_in_new_folder ../lists
    says 'Executions do not begin alike: they look at'
    explore_in_new_folder env ../lists
    says 'Executions do not begin alike: they look at'
    build lists -w -DLOOK=by_$way -DREMOVE=1 <lists.h
    explore_in_new_folder ../lists
    silent 'begin alike'
    explore_in_new_folder env ../lists
    silent 'begin alike'
done

# ---- Pages at two addresses ---------------------------------------------------------------------

# Which accesses race is known only as long as both mappings are there.
build twice_mapped <<'END'
#include <sys/mman.h>
static int descriptor;
static int *map(void)
{
    return mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
}
static void *use(void *it)
{
    int *at = map();

    atomic_fetch_add((_Atomic int *)at, 1);
    munmap(at, 4096);
    return it;
}
int main(void)
{
    pthread_t one, two;

    descriptor = memfd_create("pages", 0);
    assert(ftruncate(descriptor, 4096) == 0);
    pthread_create(&one, NULL, use, NULL);
    pthread_create(&two, NULL, use, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    assert(*map() == 2);
    return 0;
}
END
explore twice_mapped
says 'between mappings of a file that were there at different times'
silent ' all '

# ---- Files that earlier executions have left changed ---------------------------------------------

# Two threads look whether something is still as it was, and change it, by another name.
cat >left.c <<'END'
#include "common.h"
#include <sys/mman.h>
#include <sys/stat.h>

static atomic_int changed;
static struct stat status_of(const char *name)
{
    struct stat status = {0};

    assert(stat(name, &status) == 0);
    return status;
}
static void *run(void *it)
{
    if (LOOK) {
        CHANGE;
        changed++;
    }
    return it;
}
int main(void)
{
    pthread_t one, two;

    pthread_create(&one, NULL, run, NULL);
    pthread_create(&two, NULL, run, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    assert(changed <= 1);
    return 0;
}
END
# left LOOK CHANGE: the second execution finds what the first has left.
left() {
    "$raddle" cc -w -g -DLOOK="$1" -DCHANGE="$2" left.c -o left
    for strategy in dpor random; do
        rm -rf x h l d
        printf abc >x && ln x h && ln -s x l && mkdir d
        if "$raddle" explore --seed 1 --schedules 100 --strategy $strategy -- ./left >out 2>&1; then
            said=$(tr -s ' \n' '  ' <out)
            says 'which earlier ones have left changed'
            silent ' all '
            silent 'the only'
        fi
    done
}
left 'status_of("l").st_size == 3' 'truncate("x", 9)'
left 'status_of("h").st_size == 3' 'truncate("x", 9)'
left 'status_of("x").st_nlink == 2' 'link("x", "y")'; rm -f y
left 'status_of("h").st_nlink == 2' 'link("x", "y")'; rm -f y
left 'status_of("d").st_nlink == 2' 'mkdir("d/k", 0700)'
left '(status_of("l").st_mode & 0777) != 0711' 'chmod("h", 0711)'
left '({ int fd = open("l", O_RDWR); char *at = mmap(0, 3, 3, MAP_SHARED, fd, 0); *at == 97; })' \
    '({ int fd = open("x", O_RDWR); pwrite(fd, "z", 1, 0); })'

# A file of its own, made anew and removed, leaves nothing behind, by whatever name.
build own_files <<'END'
#include <sys/stat.h>
static void *run(void *it)
{
    struct stat status;
    int fd = open("own", O_CREAT | O_RDWR, 0600);

    assert(fd >= 0 && write(fd, "abc", 3) == 3 && close(fd) == 0);
    assert(symlink("own", "link") == 0 && stat("link", &status) == 0 && status.st_size == 3);
    assert(link("own", "other") == 0 && unlink("own") == 0);
    assert(stat("other", &status) == 0 && status.st_nlink == 1);
    assert(unlink("other") == 0 && unlink("link") == 0);
    return it;
}
int main(void)
{
    pthread_t thread;

    pthread_create(&thread, NULL, run, NULL);
    pthread_join(thread, NULL);
    return 0;
}
END
explore own_files
says 'the only schedule'

# Memory from before main that an execution only maps.
build mapped_later <<'END'
#include <sys/mman.h>
static int descriptor;
static atomic_int changed;
__attribute__((constructor)) static void make(void)
{
    descriptor = memfd_create("pages", 0);
    assert(ftruncate(descriptor, 4096) == 0);
}
static void *run(void *at)
{
    if (!atomic_exchange((atomic_int *)at, 1))
        changed++;
    return at;
}
int main(void)
{
    void *at = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    pthread_t one, two;

    pthread_create(&one, NULL, run, at);
    pthread_create(&two, NULL, run, at);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
END
explore mapped_later
says 'they use a descriptor that was open before main'

# ---- Handlers of exit ----------------------------------------------------------------------------

# Whether a handler is registered in time depends on when exit begins.
build registers -DSTATUS=7 -DWAY="return 0" <<'END'
static atomic_int ran;
static void late(void) { ran = 1; }
static void early(void) { if (ran) _exit(STATUS); }
static void *run(void *it) { atexit(late); return it; }
int main(void)
{
    pthread_t thread;

    atexit(early);
    pthread_create(&thread, NULL, run, NULL);
    WAY;
}
END
for way in 'return 0' 'exit(0)'; do
    for strategy in dpor dfs pos; do
        "$raddle" cc -g -DSTATUS=7 -DWAY="$way" registers.c -o registers
        status=0
        "$raddle" explore --seed 1 --strategy $strategy -- ./registers >out 2>&1 || status=$?
        [ $status = 1 ] || fail "$way, $strategy: a handler is not registered in time:" "$(cat out)"
    done
    "$raddle" cc -g -DSTATUS=0 -DWAY="$way" registers.c -o registers
    explore registers
    says 'Handlers were not registered at every moment of `exit`'
done

# So it is with quick_exit: another thread may register one while another is run.
build registers_late <<'END'
static atomic_int runs, ran;
static void late(void) { ran = 1; }
static void running(void) { runs = 1; }
static void last(void) { if (ran) _exit(7); }
static void *run(void *it)
{
    if (runs)
        at_quick_exit(late);
    return it;
}
int main(void)
{
    pthread_t thread;

    at_quick_exit(last);
    at_quick_exit(running);
    pthread_create(&thread, NULL, run, NULL);
    quick_exit(0);
}
END
explore registers_late
says 'Handlers were not registered at every moment of `exit`'

# ---- Large transfers --------------------------------------------------------------------------

cat >large.h <<'END'
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/uio.h>
enum { N = 8192 };
static int file, other;
static FILE *stream;
static char a[N], b[N];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
#define locked(call) (pthread_mutex_lock(&mutex), call, pthread_mutex_unlock(&mutex))
static struct iovec pieces[2] = {{a, N / 2}, {a, N / 2}}, room[2] = {{b, N / 2}, {b, N / 2}};
END
# transfer BEFORE ONE TWO: two threads, and what main does before; in `said` what is said of that.
transfer() {
    build large <<END
#include "large.h"
static void *one(void *it) { $2; return it; }
static void *two(void *it) { $3; return it; }
int main(void)
{
    pthread_t threads[2];

    file = memfd_create("file", 0);
    other = memfd_create("other", 0);
    ftruncate(file, N);
    ftruncate(other, N);
    $1;
    pthread_create(&threads[0], NULL, one, NULL);
    pthread_create(&threads[1], NULL, two, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
END
    explore large
}

fact='reads and writes of more than a page of a file were not interrupted'
Fact=R${fact#r}
for pair in 'pwrite(file, a, N, 0):pread(file, b, N, 0)' \
    'write(file, a, N):pread(file, b, 1, N - 1)' \
    'pwrite(file, a, 1, 0):read(file, b, N)' 'pwrite(file, a, 1, 0):preadv(file, room, 2, 0)' \
    'pwritev(file, pieces, 2, 0):readv(file, room, 2)' 'ftruncate(file, 0):pread(file, b, N, 0)' \
    'syscall(SYS_pwrite64, file, a, N, 0):syscall(SYS_pread64, file, b, N, 0)' \
    'fwrite(a, 1, N, stream):pread(file, b, 1, 0)' \
    'sendfile(file, other, NULL, N):read(file, b, 1)' \
    'copy_file_range(other, NULL, file, NULL, N, 0):pread(file, b, 1, 0)' \
    'copy_file_range(file, NULL, other, NULL, N, 0):pwrite(file, b, 1, 0)'; do
    transfer 'stream = fdopen(dup(file), "w")' "${pair%:*}" "${pair#*:}"
    case $said in *"$fact"* | *"$Fact"*) ;; *) fail "$pair:" "$said" ;; esac
done

# A page at most; other files; nobody reads what is written; or something sets an order.
for pair in 'pwrite(file, a, 4096, 0):pread(file, b, 4096, 0)' \
    'pwrite(file, a, N, 0):pread(other, b, N, 0)' 'pread(file, a, N, 0):pread(file, b, N, 0)' \
    'pwrite(file, a, N, 0):pwrite(file, b, N, 0)' \
    'fwrite(a, 1, N, stream):fwrite(b, 1, N, stream)' \
    'locked(pwrite(file, a, N, 0)):locked(pread(file, b, N, 0))'; do
    transfer 'pwrite(file, a, N, 0); stream = fopen("log", "w")' "${pair%:*}" "${pair#*:}"
    silent 'of a file were not'
    says 'distinguishable schedule'
done
