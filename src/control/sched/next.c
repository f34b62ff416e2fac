/* next.c -- the function that would have been called if ours did not come first. */
#include "control/sched/next.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

#include "base/error.h"
#include "port/bind.h"

/* clang links its sanitizers' versions into the program, where ours take their
 * place if they are in the program as well; theirs are still there under this name. */
extern int __interceptor_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                                        void *(*start)(void *), void *argument)
    __attribute__((weak));

/* Files that nobody else asks for. */
extern RDL__ASKED_FOR(assert);
extern RDL__ASKED_FOR(barrier);
extern RDL__ASKED_FOR(c11);
extern RDL__ASKED_FOR(exec);
extern RDL__ASKED_FOR(exit);
extern RDL__ASKED_FOR(guard);
extern RDL__ASKED_FOR(identity);
extern RDL__ASKED_FOR(file_lock);
extern RDL__ASKED_FOR(ipc);
extern RDL__ASKED_FOR(kill);
extern RDL__ASKED_FOR(libc_locks);
extern RDL__ASKED_FOR(loader);
extern RDL__ASKED_FOR(mappings);
extern RDL__ASKED_FOR(memory_limits);
extern RDL__ASKED_FOR(mq_notify);
extern RDL__ASKED_FOR(number);
extern RDL__ASKED_FOR(once);
extern RDL__ASKED_FOR(openmp);
extern RDL__ASKED_FOR(poll);
extern RDL__ASKED_FOR(rwlock);
extern RDL__ASKED_FOR(semaphore);
extern RDL__ASKED_FOR(sigwait);
extern RDL__ASKED_FOR(spinlock);
extern RDL__ASKED_FOR(syscall);
extern RDL__ASKED_FOR(thunks);
extern RDL__ASKED_FOR(undo);
extern RDL__ASKED_FOR(wrapped_static);

__attribute__((used)) static const char *const asked_for[] = {
    &rdl__file_assert,        &rdl__file_barrier,  &rdl__file_c11,        &rdl__file_exec,
    &rdl__file_exit,          &rdl__file_guard,    &rdl__file_libc_locks, &rdl__file_number,
    &rdl__file_once,          &rdl__file_openmp,   &rdl__file_poll,       &rdl__file_rwlock,
    &rdl__file_semaphore,     &rdl__file_sigwait,  &rdl__file_spinlock,   &rdl__file_syscall,
    &rdl__file_mappings,      &rdl__file_thunks,   &rdl__file_undo,       &rdl__file_wrapped_static,
    &rdl__file_loader,        &rdl__file_identity, &rdl__file_file_lock,  &rdl__file_ipc,
    &rdl__file_memory_limits, &rdl__file_kill,     &rdl__file_mq_notify,
};

extern struct rdl__next __start_rdl__next[] __attribute__((visibility("hidden")));
extern struct rdl__next __stop_rdl__next[] __attribute__((visibility("hidden")));

bool rdl__pthread_create_is_wrapped(void)
{
    return dlsym(RTLD_DEFAULT, "pthread_create") != (void *)rdl__own_pthread_create;
}

/* In this library, though it may have been loaded for somebody's use only. */
static void *look_in(const char *file, const char *name)
{
    void *library = RDL__NEXT(dlopen)(file, RTLD_LAZY | RTLD_NOLOAD);
    void *found = library ? dlsym(library, name) : NULL;

    if (library)
        dlclose(library);
    return found;
}

void *rdl__of_libc(const char *name)
{
    return look_in("libc.so.6", name);
}

static void *look_for(const char *name)
{
    void *next = NULL;

    if (strcmp(name, "pthread_create") == 0 && !rdl__pthread_create_is_wrapped())
        next = (void *)__interceptor_pthread_create;
    /* Without a version, dlsym may find the conditions of before 2003. */
    if (!next && strncmp(name, "pthread_cond_", 13) == 0)
        next = dlvsym(RTLD_NEXT, name, "GLIBC_2.3.2");
    if (!next)
        next = dlsym(RTLD_NEXT, name);
    if (!next && (strncmp(name, "GOMP_", 5) == 0 || strncmp(name, "omp_", 4) == 0))
        next = look_in("libgomp.so.1", name);
    return next;
}

void *rdl__find_next(const char *name)
{
    void *next;

    rdl__bind_all(); /* libraries of the program may call us before we have begun */
    next = look_for(name);
    if (!next)
        rdl__stop("the C library has no %s: Raddle needs glibc 2.34 or later", name);
    return next;
}

void rdl__find_all_next(void)
{
    static bool done; /* what is missing then may never be asked for */

    if (done)
        return;
    done = true;
    for (struct rdl__next *next = __start_rdl__next; next < __stop_rdl__next; next++)
        if (!next->function)
            next->function = look_for(next->name);
    rdl__thunks_find();
}
