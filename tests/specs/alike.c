/* alike.c -- tests whose executions have to begin alike, for tests/test_alike.c: code under test
 * that keeps something in static variables. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* re_set_syntax, pthread_setattr_default_np */
#endif
#include <fcntl.h>
#include <locale.h>
#include <malloc.h>
#include <pthread.h>
#include <regex.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
#include <wchar.h>

#include <raddle.h>

enum { INHERITED = 9 }; /* a descriptor that the tests are started with */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int read_locked(const int *from)
{
    int value;

    pthread_mutex_lock(&lock);
    value = *from;
    pthread_mutex_unlock(&lock);
    return value;
}

static void write_locked(int *to, int value)
{
    pthread_mutex_lock(&lock);
    *to = value;
    pthread_mutex_unlock(&lock);
}

static void both(struct rdl_case *t, void (*run)(void *it))
{
    struct rdl_thread *one = rdl_spawn(t, "one", run, t), *two = rdl_spawn(t, "two", run, t);

    rdl_join(one);
    rdl_join(two);
}

/* ---- Bugs that only the first use has --------------------------------------------------- */

static int created, singleton;

/* The singleton is made when it is needed, but two threads may find that it is. */
static void use_singleton(void *it)
{
    (void)it;
    if (!read_locked(&singleton)) {
        created++;
        write_locked(&singleton, 1);
    }
}

RDL_EXPLORE(wrong_singleton)
{
    both(t, use_singleton);
    rdl_check_eq(created, 1);
}

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int started, table;

static void make_table(void)
{
    write_locked(&started, 1);
    write_locked(&table, 7);
}

/* A thread that sees that it was started takes it for finished. */
static void use_table(void *t)
{
    if (!read_locked(&started))
        pthread_once(&once, make_table);
    rdl_check_eq(read_locked(&table), 7);
    (void)t;
}

RDL_EXPLORE(wrong_once)
{
    both(t, use_table);
}

/* The first use of a cache returns before the value is there. */
static void use_cache(void *t)
{
    static int known, value;
    int first;

    pthread_mutex_lock(&lock);
    first = !known;
    known = 1;
    pthread_mutex_unlock(&lock);
    if (first)
        write_locked(&value, 42);
    rdl_check_eq(read_locked(&value), 42);
    (void)t;
}

RDL_EXPLORE(wrong_cache)
{
    both(t, use_cache);
}

/* ---- What is put back, and what is kept -------------------------------------------------- */

static int runs RDL_KEEP;
static char *text = (char *)"initial";
static char large[1 << 20];

static void touch(void *it)
{
    (void)it;
    read_locked(&created);
}

RDL_EXPLORE(right_statics)
{
    static int local = 3;

    runs++;
    rdl_check_eq(local, 3);
    local = 4;
    rdl_check_str(text, "initial");
    text = (char *)"changed";
    for (size_t at = 0; at < sizeof large; at += 1001) {
        rdl_check_eq(large[at], 0);
        large[at] = runs % 2 ? 1 : 2;
    }
    both(t, touch);
}

RDL_EXPLORE(right_large_and_sparse)
{
    static size_t at RDL_KEEP;

    rdl_check_eq(large[(at + (sizeof large - 5000)) % sizeof large], 0);
    at = (at + 5000) % sizeof large;
    large[at] = 1;
    both(t, touch);
}

RDL_EXPLORE(wrong_kept)
{
    static int kept RDL_KEEP = 10;

    both(t, touch);
    rdl_check_lt(kept++, 12);
}

/* What is set up once is there in each execution. */
static int prepared;

static void prepare(void)
{
    prepared = 5;
}

static void *set_up(struct rdl_case *t)
{
    (void)t;
    rdl_check_eq(prepared, 5);
    prepared++;
    return NULL;
}

static const struct rdl_fixture fixture = {.setup_once = prepare, .setup = set_up};

RDL_EXPLORE(right_fixture, .fixture = &fixture)
{
    rdl_check_eq(prepared, 6);
    prepared++;
    both(t, touch);
}

/* ---- The heap ----------------------------------------------------------------------------- */

static int *list;
static size_t length;

static void fill(void)
{
    length = 100;
    list = malloc(length * sizeof *list);
    for (size_t i = 0; i < length; i++)
        list[i] = (int)i;
}

static const struct rdl_fixture filled = {.setup_once = fill};

/* Whatever an execution does to blocks that were there before it, the next one finds them. */
RDL_EXPLORE(right_heap, .fixture = &filled)
{
    static int turn RDL_KEEP;

    rdl_bool(t);
    rdl_check_eq(length, 100);
    for (size_t i = 0; i < length; i++)
        rdl_check_eq(list[i], i);
    list[turn % 100] = -1;
    if (turn % 3 == 0)
        list = realloc(list, (length = 1000) * sizeof *list);
    else if (turn % 3 == 1)
        free(list);
    turn++;
    both(t, touch);
}

/* New blocks hold the same bytes, too, though nobody has written them. */
RDL_EXPLORE(right_new_blocks, .cases = 50)
{
    static const size_t sizes[] = {1, 100, 5000, 3000000};
    static char *places[4] RDL_KEEP;
    char *aligned;

    rdl_bool(t);
    for (int i = 0; i < 4; i++) {
        char *block = malloc(sizes[i]);

        rdl_check(!places[i] || places[i] == block);
        places[i] = block;
        rdl_check_ge(malloc_usable_size(block), sizes[i]);
        for (size_t at = 0; at < sizes[i]; at += 97)
            rdl_check_eq(block[at], 0);
        memset(block, 1, sizes[i]);
        if (i % 2)
            free(block);
    }
    rdl_check_eq(posix_memalign((void **)&aligned, 4096, 10), 0);
    rdl_check_eq((uintptr_t)aligned % 4096, 0);
    aligned = realloc(aligned, 10000);
    free(aligned);
    both(t, touch);
}

RDL_EXPLORE(wrong_double_free)
{
    char *volatile block = malloc(10), *volatile same = block;

    both(t, touch);
    free(block);
    free(same);
}

/* ---- The C library and the kernel ------------------------------------------------------------ */

static int destroyed RDL_KEEP;

static void destroy(void *value)
{
    destroyed += value != NULL;
}

static void use_key(void *key)
{
    pthread_setspecific(*(pthread_key_t *)key, key);
}

RDL_EXPLORE(right_keys)
{
    static pthread_key_t first RDL_KEEP;
    static int executions RDL_KEEP;
    pthread_key_t key;
    struct rdl_thread *thread;

    rdl_bool(t);
    rdl_check_eq(pthread_key_create(&key, destroy), 0);
    rdl_check(executions == 0 || key == first);
    rdl_check(!pthread_getspecific(key));
    pthread_setspecific(key, &key);
    first = key;
    thread = rdl_spawn(t, "one", use_key, &key);
    rdl_join(thread);
    rdl_check_eq(destroyed, ++executions);
    both(t, touch);
}

static pthread_key_t old_key;

static void make_key(void)
{
    pthread_key_create(&old_key, NULL);
    pthread_setspecific(old_key, &old_key);
}

static const struct rdl_fixture with_key = {.setup_once = make_key};

RDL_EXPLORE(right_old_key, .fixture = &with_key)
{
    rdl_check(pthread_getspecific(old_key) == &old_key);
    pthread_setspecific(old_key, t);
    both(t, touch);
}

static void write_mark(void)
{
    fputs("handler\n", stdout);
}

RDL_EXPLORE(right_exit_handlers)
{
    rdl_bool(t);
    atexit(write_mark);
    both(t, touch);
}

/* A process that ends calls the handlers of the execution at hand, each once. */
RDL_EXPLORE(wrong_exit)
{
    atexit(write_mark);
    both(t, touch);
    exit(3);
}

static _Alignas(4096) char guarded[4096];

/* Variables and memory that an execution makes read-only are writable for the next one. */
RDL_EXPLORE(right_protected)
{
    char *block = aligned_alloc(4096, 4096);

    rdl_bool(t);
    rdl_check_eq(guarded[0]++, 0);
    block[0] = 1;
    rdl_check_eq(mprotect(guarded, sizeof guarded, PROT_READ), 0);
    rdl_check_eq(mprotect(block, 4096, PROT_NONE), 0);
    both(t, touch);
}

/* A signal that is blocked to the end reaches nobody, and is not there in the next execution. */
RDL_EXPLORE(right_pending)
{
    sigset_t set;

    rdl_bool(t);
    sigpending(&set);
    rdl_check(!sigismember(&set, SIGUSR1));
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigaddset(&set, SIGUSR2);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    raise(SIGUSR1);
    kill(getpid(), SIGUSR2);
    both(t, touch);
}

static _Thread_local int own = 8;

RDL_EXPLORE(right_library_state)
{
    static long first RDL_KEEP, real RDL_KEEP;
    static char folder[200] RDL_KEEP;
    static char stack[1 << 14];
    stack_t old_stack, new_stack = {.ss_sp = stack, .ss_size = sizeof stack};
    struct sigaction old;
    char here[200];

    rdl_bool(t);
    rdl_check(!getenv("ALIKE"));
    rdl_check(getenv("PATH"));
    setenv("ALIKE", "changed", 1);
    unsetenv("PATH");
    rdl_check_str(setlocale(LC_ALL, NULL), "C");
    setlocale(LC_ALL, "C.UTF-8");
    rdl_check(first == 0 || first == random());
    rdl_check(real == 0 || real == lrand48());
    if (!first) {
        first = random();
        real = lrand48();
    }
    rdl_check(getcwd(here, sizeof here));
    rdl_check(!folder[0] || strcmp(here, folder) == 0);
    strcpy(folder, here);
    rdl_check_eq(chdir("/"), 0);
    rdl_check_ne(umask(0123), 0123);
    sigaction(SIGUSR1, NULL, &old);
    rdl_check(old.sa_handler == SIG_DFL);
    signal(SIGUSR1, SIG_IGN);
    rdl_check_eq(sigaltstack(&new_stack, &old_stack), 0);
    rdl_check(old_stack.ss_sp != stack);
    rdl_check_eq(own, 8);
    own = 9;
    both(t, touch);
}

/* ---- A fixture of several tests -------------------------------------------------------------- */

static void say_begin(void)
{
    dprintf(1, "set up once\n");
}

static void say_end(void)
{
    dprintf(1, "torn down once\n");
}

static const struct rdl_fixture telling = {.setup_once = say_begin, .teardown_once = say_end};

RDL_EXPLORE(tells_first, .strategy = "dfs", .fixture = &telling)
{
    both(t, touch);
}

RDL_EXPLORE(tells_nothing, .strategy = "dfs")
{
    both(t, touch);
}

RDL_EXPLORE(tells_last, .strategy = "dfs", .fixture = &telling)
{
    both(t, touch);
}

/* ---- What is left ---------------------------------------------------------------------------- */

RDL_EXPLORE(leaves_descriptor, .strategy = "dfs")
{
    rdl_check_ge(dup(0), 0);
    both(t, touch);
}

/* The lowest number is free again. */
RDL_EXPLORE(leaves_later_descriptor, .strategy = "dfs")
{
    int fd = dup(0);

    rdl_check_ge(dup(0), 0);
    close(fd);
    both(t, touch);
}

RDL_EXPLORE(leaves_other_file, .strategy = "dfs")
{
    int fd = open("/dev/zero", O_RDONLY);

    rdl_check_ge(dup2(fd, 0), 0);
    close(fd);
    both(t, touch);
}

RDL_EXPLORE(leaves_mapping, .strategy = "dfs")
{
    rdl_check(mmap(NULL, 100, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED);
    both(t, touch);
}

static int *shared_memory, *own_memory, *break_memory, old_socket;
static FILE *words;

__attribute__((constructor)) static void set_up_before_main(void)
{
    shared_memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    own_memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    break_memory = sbrk(sizeof *break_memory);
    old_socket = socket(AF_UNIX, SOCK_STREAM, 0);
    words = fopen("/proc/self/comm", "r");
}

RDL_EXPLORE(leaves_shared_memory, .strategy = "dfs")
{
    ++*shared_memory;
    both(t, touch);
}

RDL_EXPLORE(leaves_stream, .strategy = "dfs")
{
    ungetc('x', words);
    both(t, touch);
}

RDL_EXPLORE(leaves_group, .strategy = "dfs")
{
    rdl_check_eq(setgid(getgid()), 0);
    both(t, touch);
}

RDL_EXPLORE(leaves_limit, .strategy = "dfs")
{
    struct rlimit limit;

    getrlimit(RLIMIT_CORE, &limit);
    setrlimit(RLIMIT_CORE, &limit);
    both(t, touch);
}

RDL_EXPLORE(leaves_priority, .strategy = "dfs")
{
    setpriority(PRIO_PROCESS, 0, getpriority(PRIO_PROCESS, 0));
    both(t, touch);
}

RDL_EXPLORE(leaves_socket, .strategy = "dfs")
{
    int on = 1;

    setsockopt(old_socket, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
    both(t, touch);
}

/* Descriptors that the process was started with. */
RDL_EXPLORE(right_flags, .strategy = "dfs")
{
    int flags = fcntl(0, F_GETFL);

    rdl_check(!(flags & O_NONBLOCK));
    rdl_check_eq(fcntl(0, F_GETFD), 0);
    fcntl(0, F_SETFL, flags | O_NONBLOCK);
    fcntl(0, F_SETFD, FD_CLOEXEC);
    both(t, touch);
}

RDL_EXPLORE(leaves_flags_of_copy, .strategy = "dfs")
{
    int fd = dup(INHERITED);

    fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
    close(fd);
    both(t, touch);
}

RDL_EXPLORE(leaves_offset, .strategy = "dfs")
{
    char byte;

    rdl_check_eq(read(INHERITED, &byte, 1), 1);
    both(t, touch);
}

RDL_EXPLORE(leaves_buffer, .strategy = "dfs")
{
    setvbuf(stderr, NULL, _IOFBF, 1000);
    both(t, touch);
}

RDL_EXPLORE(leaves_wide_stream, .strategy = "dfs")
{
    fputwc(L' ', stderr);
    both(t, touch);
}

RDL_EXPLORE(leaves_syntax, .strategy = "dfs")
{
    re_set_syntax(RE_SYNTAX_POSIX_EXTENDED);
    both(t, touch);
}

RDL_EXPLORE(leaves_attributes, .strategy = "dfs")
{
    pthread_attr_t attributes;

    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 1 << 20);
    pthread_setattr_default_np(&attributes);
    both(t, touch);
}

/* What stays in a buffer would be written by a later execution. */
RDL_EXPLORE(right_output, .strategy = "dfs")
{
    int ends[2], old = dup(1);
    char byte[8];

    rdl_check_eq(pipe(ends), 0);
    dup2(ends[1], 1);
    fputs("a", stdout);
    fflush(stdout);
    rdl_check_eq(read(ends[0], byte, sizeof byte), 1);
    dup2(old, 1);
    close(old);
    close(ends[0]);
    close(ends[1]);
    fputs(" ", stdout);
    both(t, touch);
}

RDL_EXPLORE(leaves_break, .strategy = "dfs")
{
    rdl_check(sbrk(16) != (void *)-1);
    both(t, touch);
}

RDL_EXPLORE(right_own_memory, .strategy = "dfs")
{
    rdl_check_eq(++*own_memory, 1);
    rdl_check_eq(++*break_memory, 1);
    both(t, touch);
}

RDL_EXPLORE(leaves_nothing, .strategy = "dfs")
{
    int fd = dup(0);
    void *memory = mmap(NULL, 10000, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    munmap(memory, 10000);
    close(fd);
    both(t, touch);
}

static void close_log(void *file)
{
    fclose(file);
}

/* The file is written anew each time, read back, and left. */
RDL_EXPLORE(leaves_file_that_is_written_anew, .strategy = "dfs")
{
    FILE *file = fopen("alike.log", "w");

    rdl_check(file);
    fputs("hello\n", file);
    close_log(file);
    file = fopen("alike.log", "r");
    rdl_check(file);
    close_log(file);
    both(t, touch);
}

RDL_EXPLORE(leaves_file_that_it_looks_at, .strategy = "dfs")
{
    FILE *file = access("alike.seen", F_OK) == 0 ? NULL : fopen("alike.seen", "w");

    if (file)
        close_log(file);
    both(t, touch);
}

RDL_EXPLORE(removes_file_that_it_looks_at, .strategy = "dfs")
{
    int fd = open("alike.own", O_CREAT | O_EXCL | O_RDWR, 0600);

    rdl_check_ge(fd, 0);
    close(fd);
    unlink("alike.own");
    both(t, touch);
}

RDL_MAIN
