/* error.h -- the two ways in which Raddle itself goes wrong.
 *
 * The world is wrong (a file, a fork, a permission): return rdl__fail(error,
 * ...), and whoever was asked by the user prints the text, once.
 * We are wrong, or out of memory: there is no way to go on, so say it and stop.
 * (That the code under test is wrong is neither: that is a verdict.) */
#ifndef RDL__ERROR_H
#define RDL__ERROR_H

#include <stdbool.h>

enum {
    RDL__EXIT_PASS = 0,
    RDL__EXIT_FAIL = 1,
    RDL__EXIT_SETUP = 2,
    RDL__EXIT_SKIPPED = 77,
};

struct rdl__error {
    char text[1024];
};

/* Say what was being done and why it could not be; returns false, so that a
 * function can `return rdl__fail(...)`.  The text is cut if it is too long. */
bool rdl__fail(struct rdl__error *error, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Stop the process, with set-up status, after saying why.  A worker process
 * leaves the message where its parent finds it (see rdl__on_stop). */
_Noreturn void rdl__stop(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* What rdl__stop does with its message instead of printing it; returns only if
 * the message is to be printed after all. */
extern void (*rdl__on_stop)(const char *message);

#define rdl__bug_if(condition)                                                                     \
    do {                                                                                           \
        if (__builtin_expect(!!(condition), 0))                                                    \
            rdl__stop("bug in raddle at %s:%d: %s", __FILE__, __LINE__, #condition);               \
    } while (0)

#endif
