/* next.c -- the function that would have been called if ours did not come first. */
#include "control/sched/next.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

#include "base/error.h"

/* clang links its sanitizers' versions into the program, where ours take their
 * place if they are in the program as well; theirs are still there under this name. */
extern int __interceptor_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                                        void *(*start)(void *), void *argument)
    __attribute__((weak));

extern struct rdl__next __start_rdl__next[] __attribute__((visibility("hidden")));
extern struct rdl__next __stop_rdl__next[] __attribute__((visibility("hidden")));

static void *look_for(const char *name)
{
    void *next = NULL;

    if (strcmp(name, "pthread_create") == 0 &&
        dlsym(RTLD_DEFAULT, name) == (void *)rdl__own_pthread_create)
        next = (void *)__interceptor_pthread_create;
    /* Without a version, dlsym may find the conditions of before 2003. */
    if (!next && strncmp(name, "pthread_cond_", 13) == 0)
        next = dlvsym(RTLD_NEXT, name, "GLIBC_2.3.2");
    if (!next)
        next = dlsym(RTLD_NEXT, name);
    return next;
}

void *rdl__find_next(const char *name)
{
    void *next = look_for(name);

    if (!next)
        rdl__stop("the C library has no %s", name);
    return next;
}

void rdl__find_all_next(void)
{
    for (struct rdl__next *next = __start_rdl__next; next < __stop_rdl__next; next++)
        if (!next->function)
            next->function = look_for(next->name);
}
