/* libraries.c -- gates in libraries that are loaded later, again, or never; in the C library. */
#include <dlfcn.h>
#include <pthread.h>
#include <raddle.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static void set_flag(struct rdl_hit *hit, void *it)
{
    (void)hit;
    *(bool *)it = true;
}

static void count_one(struct rdl_hit *hit, void *it)
{
    (void)hit;
    ++*(int *)it;
}

/* Load a library, call it and unload it. */
static unsigned long load_and_call(struct rdl_case *t)
{
    unsigned long (*crc32)(unsigned long, const void *, unsigned), sum;
    void *library = dlopen("libz.so.1", RTLD_NOW);

    rdl_assume(t, library);
    crc32 = (unsigned long (*)(unsigned long, const void *, unsigned))dlsym(library, "crc32");
    sum = crc32(0, "a", 1);
    dlclose(library);
    return sum;
}

RDL_SCHEDULE(a_library_that_is_loaded_later)
{
    bool was_there = false;

    rdl_at(t, "libz.so.1!crc32", .call = set_flag, .it = &was_there);
    rdl_check_eq(load_and_call(t), 0xe8b7be43);
    rdl_check(was_there);
}

static void load_thrice(struct rdl_case *t)
{
    int count = 0;

    rdl_at(t, "libz.so.1!crc32", .call = count_one, .it = &count);
    rdl_at(t, "libz.so.1!crc32:return", .call = count_one, .it = &count);
    for (int i = 1; i <= 3; i++) {
        rdl_check_eq(load_and_call(t), 0xe8b7be43);
        rdl_check_eq(count, 2 * i);
    }
}

RDL_SCHEDULE(a_library_that_is_loaded_again)
{
    load_thrice(t);
}

RDL_SCHEDULE(a_library_that_is_loaded_again_free, .free_threads = true, .cases = 3)
{
    load_thrice(t);
}

/* It is there when the place is named, and another time afterwards. */
RDL_SCHEDULE(a_library_that_was_there_is_loaded_again)
{
    void *library = dlopen("libz.so.1", RTLD_NOW);
    int count = 0;

    rdl_assume(t, library);
    rdl_at(t, "crc32", .call = count_one, .it = &count);
    dlclose(library);
    rdl_check_eq(load_and_call(t), 0xe8b7be43);
    rdl_check_eq(load_and_call(t), 0xe8b7be43);
    rdl_check_eq(count, 2);
}

static void load_often(void *unused)
{
    (void)unused;
    for (int i = 0; i < 20; i++)
        dlclose(dlopen("libz.so.1", RTLD_NOW));
}

RDL_SCHEDULE(libraries_are_loaded_by_several_threads, .free_threads = true)
{
    int count = 0;
    struct rdl_thread *loader;

    rdl_at(t, "libz.so.1!crc32", .call = count_one, .it = &count);
    loader = rdl_spawn(t, "loader", load_often, NULL);
    for (int i = 1; i <= 20; i++) {
        rdl_check_eq(load_and_call(t), 0xe8b7be43);
        rdl_check_eq(count, i);
    }
    rdl_join(loader);
}

static void stop_elsewhere(struct rdl_hit *hit, void *it)
{
    (void)hit;
    if (getpid() != *(pid_t *)it)
        abort();
}

/* Places are looked for by a copy of this process, which must not come to them. */
RDL_SCHEDULE(who_looks_for_places_passes_them)
{
    pid_t self = getpid();

    rdl_at(t, "libc.so.6!malloc", .call = stop_elsewhere, .it = &self);
    rdl_at(t, "libc.so.6!qsort", .call = stop_elsewhere, .it = &self);
}

RDL_SCHEDULE(wrong_function_of_a_library)
{
    rdl_at(t, "libc.so.6!qsrot", .call = set_flag);
}

RDL_SCHEDULE(wrong_function_of_a_library_that_is_loaded_later)
{
    rdl_at(t, "libz.so.1!crc23", .call = set_flag);
    load_and_call(t);
}

RDL_SCHEDULE(wrong_library)
{
    rdl_at(t, "libzz.so.1!crc32", .call = set_flag);
    load_and_call(t);
}

/* Raddle has its own for controlled threads; free ones come there. */
static int lock_at(struct rdl_case *t, const char *place)
{
    pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;
    int count = 0;

    rdl_at(t, place, .call = count_one, .it = &count);
    pthread_mutex_lock(&own);
    pthread_mutex_unlock(&own);
    return count;
}

RDL_SCHEDULE(primitive_of_controlled_threads)
{
    rdl_check_eq(lock_at(t, "libc.so.6!pthread_mutex_lock"), 1);
}

RDL_SCHEDULE(primitive_of_free_threads, .free_threads = true)
{
    rdl_check(lock_at(t, "libc.so.6!pthread_mutex_lock") > 0);
}

RDL_SCHEDULE(wrong_primitive)
{
    lock_at(t, "libc.so.6!pthread_mutex_lock:return");
}

/* Raddle itself allocates memory meanwhile, and looks at the time. */
RDL_SCHEDULE(calls_of_controlled_threads_are_counted)
{
    static const char *const names[] = {"libc.so.6!write", "libc.so.6!nanosleep", "malloc",
                                        "libc.so.6!clock_gettime", "libc.so.6!raise"};
    enum { COUNT = sizeof names / sizeof *names };
    int counts[COUNT] = {0}, pipe_ends[2];
    struct timespec time = {0};
    void *volatile memory;

    if (pipe(pipe_ends) != 0)
        return;
    signal(SIGUSR1, SIG_IGN);
    for (int i = 0; i < COUNT; i++)
        rdl_at(t, names[i], .call = count_one, .it = &counts[i]);
    rdl_check_eq(write(pipe_ends[1], "x", 1), 1);
    nanosleep(&time, NULL);
    memory = malloc(10);
    clock_gettime(CLOCK_MONOTONIC, &time);
    raise(SIGUSR1);
    for (int i = 0; i < COUNT; i++)
        rdl_check_eq(counts[i], 1);
    free(memory);
    close(pipe_ends[0]);
    close(pipe_ends[1]);
}
