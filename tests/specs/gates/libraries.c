/* libraries.c -- gates in libraries that are loaded later, again, or never; in the C library. */
#include <dlfcn.h>
#include <pthread.h>
#include <raddle.h>
#include <stdlib.h>
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
static void lock_at_a_gate(struct rdl_case *t)
{
    pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;
    int count = 0;

    rdl_at(t, "libc.so.6!pthread_mutex_lock", .call = count_one, .it = &count);
    pthread_mutex_lock(&own);
    pthread_mutex_unlock(&own);
    rdl_check(count > 0);
}

RDL_SCHEDULE(wrong_primitive)
{
    lock_at_a_gate(t);
}

RDL_SCHEDULE(primitive_of_free_threads, .free_threads = true)
{
    lock_at_a_gate(t);
}
