/* next.h -- the function that would have been called if ours did not come first.
 *
 * Functions of ours with names of the C library's are marked RDL__INTERPOSE.  They
 * serve controlled threads; everybody else is handed on with RDL__NEXT:
 *
 *     return RDL__NEXT(pthread_mutex_lock)(mutex);
 */
#ifndef RDL__NEXT_H
#define RDL__NEXT_H

#include <pthread.h>
#include <stdbool.h>

#define RDL__INTERPOSE __attribute__((visibility("default")))

/* In a program that is linked with a sanitizer, functions of these names are in the
 * sanitizer's library, too, which comes first: the linker would leave ours out.  So
 * next.c asks for each file by the name that this gives it. */
#define RDL__ASKED_FOR(file) const char rdl__file_##file

struct rdl__next {
    const char *name;
    void *function; /* NULL: not looked for yet */
};

/* All of them lie side by side in a section, so that they can be found at once. */
#define RDL__NEXT(wanted)                                                                          \
    (__extension__({                                                                               \
        static struct rdl__next next __attribute__((section("rdl__next"))) = {#wanted, NULL};      \
                                                                                                   \
        if (__builtin_expect(!next.function, 0))                                                   \
            next.function = rdl__find_next(#wanted);                                               \
        (__typeof__(&wanted))next.function;                                                        \
    }))

/* Find all there are: once, before processes are forked that would each do it. */
void rdl__find_all_next(void);

/* The same for functions that are made from the table of calls (thunks.c). */
void rdl__thunks_find(void);

/* Our own pthread_create, whoever comes first. */
int rdl__own_pthread_create(pthread_t *out, const pthread_attr_t *attributes,
                            void *(*start)(void *), void *argument);

/* Does another one come before it, such as a sanitizer's, which calls ours? */
bool rdl__pthread_create_is_wrapped(void);

/* Never NULL: a function that is not there stops the process with a message. */
void *rdl__find_next(const char *name);

/* The C library's function of this name; NULL: it has none. */
void *rdl__of_libc(const char *name);

#endif
