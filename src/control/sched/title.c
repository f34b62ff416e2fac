/* title.c -- names of threads as the program and the kernel know them.
 *
 * A thread begins with the name of the thread that started it, and main with the program's.  The
 * kernel would keep one name for all controlled threads, which it carries as one; so their names
 * are kept here, and the kernel is told main's alone, for /proc/self/comm. */
#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <string.h>
#include <sys/prctl.h>

#include "control/sched/inner.h"
#include "control/sched/left.h"
#include "control/sched/next.h"
#include "control/sched/state.h"
#include "port/kernel.h"

_Static_assert(sizeof((struct rdl__thread *)0)->title == RDL__TITLE_ROOM, "as the kernel has it");

static char first[RDL__TITLE_ROOM]; /* of main, before any execution */
static bool is_known, is_changed;   /* what `first` is; the kernel's is another one now */

void rdl__title_begin(struct rdl__thread *thread, const struct rdl__thread *creator)
{
    if (creator) {
        memcpy(thread->title, creator->title, sizeof thread->title);
        return;
    }
    if (!is_known)
        is_known = rdl__kernel(SYS_prctl, PR_GET_NAME, (long)first, 0, 0, 0, 0) == 0;
    else if (is_changed)
        rdl__kernel(SYS_prctl, PR_SET_NAME, (long)first, 0, 0, 0, 0);
    is_changed = false;
    memcpy(thread->title, first, sizeof first);
}

static void set_title(struct rdl__thread *thread, const char *name)
{
    memset(thread->title, 0, sizeof thread->title);
    memcpy(thread->title, name, strnlen(name, sizeof thread->title - 1));
    rdl__thread_rename(thread, thread->title);
    if (thread->id != 0)
        return;
    rdl__kernel(SYS_prctl, PR_SET_NAME, (long)thread->title, 0, 0, 0, 0);
    is_changed = true;
}

RDL__INTERPOSE int pthread_setname_np(pthread_t thread, const char *name)
{
    struct rdl__thread *other = rdl__self() ? rdl__thread_of(thread) : NULL;

    if (!other)
        return RDL__NEXT(pthread_setname_np)(thread, name);
    rdl__come_as_row("pthread_setname_np", (const uint64_t[6]){0}, RDL__CALLER);
    if (strlen(name) >= sizeof other->title)
        return ERANGE;
    set_title(other, name);
    return 0;
}

RDL__INTERPOSE int pthread_getname_np(pthread_t thread, char *out, size_t room)
{
    struct rdl__thread *other = rdl__self() ? rdl__thread_of(thread) : NULL;

    if (!other)
        return RDL__NEXT(pthread_getname_np)(thread, out, room);
    rdl__come_as_row("pthread_getname_np", (const uint64_t[6]){0}, RDL__CALLER);
    if (room < sizeof other->title)
        return ERANGE;
    memcpy(out, other->title, strlen(other->title) + 1);
    return 0;
}

RDL__INTERPOSE int prctl(int option, ...)
{
    struct rdl__thread *self = rdl__self();
    unsigned long a[4];
    va_list arguments;

    va_start(arguments, option);
    for (int i = 0; i < 4; i++)
        a[i] = va_arg(arguments, unsigned long);
    va_end(arguments);
    if (self && !rdl__is_alone())
        rdl__come_to_state(self,
                           option == PR_SET_NAME || option == PR_GET_NAME ? RDL__STATE_TITLES
                                                                          : RDL__STATE_PROCESS,
                           option == PR_GET_NAME ? RDL__READS : RDL__WRITES, RDL__CALLER);
    if (self && option == PR_SET_NAME) {
        set_title(self, (const char *)a[0]);
        return 0;
    }
    if (self && option == PR_GET_NAME) {
        memcpy((char *)a[0], self->title, sizeof self->title);
        return 0;
    }
    if (self)
        rdl__remains_called(rdl__call_row("prctl"), NULL);
    return RDL__NEXT(prctl)(option, a[0], a[1], a[2], a[3]);
}
