/* next.c -- the function that would have been called if ours did not come first. */
#include "control/sched/next.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

#include "base/error.h"

/* clang links its sanitizers' versions into the program, where ours take their
 * place; they are still there under these names. */
extern int __interceptor_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                                        void *(*start)(void *), void *argument)
    __attribute__((weak));

void *rdl__find_next(const char *name)
{
    void *next = NULL;

    if (strcmp(name, "pthread_create") == 0)
        next = (void *)__interceptor_pthread_create;
    /* Without a version, dlsym may find the conditions of before 2003. */
    if (!next && strncmp(name, "pthread_cond_", 13) == 0)
        next = dlvsym(RTLD_NEXT, name, "GLIBC_2.3.2");
    if (!next)
        next = dlsym(RTLD_NEXT, name);
    if (!next)
        rdl__stop("the C library has no %s", name);
    return next;
}
