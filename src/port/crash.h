/* crash.h -- where a process was when a signal ended it.
 *
 * Only worker processes, which are ours, watch for crashes, and only for
 * signals that nobody else handles.  The record lies in shared memory: the
 * parent reads it when the worker is gone. */
#ifndef RDL__CRASH_H
#define RDL__CRASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "port/modules.h"

enum { RDL__FRAMES_MAX = 24 };

struct rdl__crash {
    int signal; /* 0: none recorded; -1: a sanitizer ended the process */
    bool out_of_stack;
    int frame_count;
    uintptr_t frames[RDL__FRAMES_MAX]; /* the first is where it happened */
    struct rdl__modules modules;       /* that they lie in */
    char note[1024];                   /* who waited for what, a line each */
};

/* Load the unwinder: once, before any worker is forked, rather than in each, and
 * while we still may allocate. */
void rdl__crash_prepare(void);

void rdl__crash_watch(struct rdl__crash *record);

/* The return addresses on the stack of the calling thread, innermost first; how many. */
int rdl__stack_read(uintptr_t *out, int room);

/* Called when the process crashes; NULL: nothing is. */
extern void (*rdl__on_crash)(void);

/* Asked last, in the handler: who waits for what, should it have taken too long; NULL: nobody
 * knows.  It may not come back. */
extern void (*rdl__tell_waits)(char *out, size_t room);

/* Asked first of all: where to go on instead, on the stack of who crashed, which it does not
 * return to; NULL: let it crash.  The signal is not watched for any more, until it is again. */
extern void (*(*rdl__on_fault)(int signal))(void);
void rdl__crash_watch_for(int signal);

/* The frame to blame: the first in the program or in a library that is neither
 * the C library's nor a sanitizer's.  Call in a process with the same memory
 * layout (the parent).  NULL if none was recorded. */
const uintptr_t *rdl__crash_culprit(const struct rdl__crash *record);

/* Is this code that only passes on the news of somebody else's mistake, such as the C
 * library? */
bool rdl__crash_is_messenger(uintptr_t address);

/* "SIGSEGV"; 0 stands for a sanitizer that ended the process.  Good until the
 * next call. */
const char *rdl__signal_name(int signal);

#endif
