/* next.h -- the function that would have been called if ours did not come first.
 *
 * Functions of ours with names of the C library's are marked RDL__INTERPOSE.  They
 * serve controlled threads; everybody else is handed on with RDL__NEXT:
 *
 *     return RDL__NEXT(pthread_mutex_lock)(mutex);
 */
#ifndef RDL__NEXT_H
#define RDL__NEXT_H

#define RDL__INTERPOSE __attribute__((visibility("default")))

#define RDL__NEXT(function)                                                                        \
    (__extension__({                                                                               \
        static __typeof__(&function) next;                                                         \
                                                                                                   \
        if (__builtin_expect(!next, 0))                                                            \
            next = (__typeof__(&function))rdl__find_next(#function);                               \
        next;                                                                                      \
    }))

/* Never NULL: a function that is not there stops the process with a message. */
void *rdl__find_next(const char *name);

#endif
