/* number.c -- the numbers that threads go by where the kernel is concerned.
 *
 * The first thread has that of the process.  All others run on the same thread of the
 * kernel's, so their numbers are made up: larger than any of the kernel's, lest a call
 * about a thread be one about somebody else's process.  What the kernel is told of
 * scheduling, and asked, is about the thread that carries them all. */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include "control/sched/state.h"
#include "control/sched/world.h"

RDL__ASKED_FOR(number);

#define sched (&rdl__sched)

enum { NUMBERS_OF_THE_KERNEL = 1 << 22 };

pid_t rdl__thread_number(const struct rdl__thread *thread)
{
    return thread->id == 0 ? getpid() : NUMBERS_OF_THE_KERNEL + (pid_t)thread->id;
}

struct rdl__thread *rdl__thread_numbered(long number)
{
    long id = number == getpid() ? 0 : number - NUMBERS_OF_THE_KERNEL;

    if (id < 0 || (id == 0 && number != getpid()) || id >= sched->view.threads ||
        sched->threads[id]->state == RDL__UNUSED)
        return NULL;
    return sched->threads[id];
}

long rdl__number_for_kernel(long number)
{
    return rdl__self() && rdl__thread_numbered(number) ? 0 : number;
}

RDL__INTERPOSE pid_t gettid(void)
{
    struct rdl__thread *self = rdl__self();

    return self ? rdl__thread_number(self) : RDL__NEXT(gettid)();
}

/* ---- Scheduling --------------------------------------------------------------------- */

#define NONE ((const uint64_t[6]){0}) /* of the arguments says what is touched */

static pid_t for_kernel(pid_t number)
{
    return (pid_t)rdl__number_for_kernel(number);
}

RDL__INTERPOSE int sched_getscheduler(pid_t number)
{
    rdl__come_as_row("sched_getscheduler", NONE, RDL__CALLER);
    return RDL__NEXT(sched_getscheduler)(for_kernel(number));
}

RDL__INTERPOSE int sched_setscheduler(pid_t number, int policy, const struct sched_param *how)
{
    rdl__come_as_row("sched_setscheduler", NONE, RDL__CALLER);
    return RDL__NEXT(sched_setscheduler)(for_kernel(number), policy, how);
}

RDL__INTERPOSE int sched_getparam(pid_t number, struct sched_param *out)
{
    rdl__come_as_row("sched_getparam", NONE, RDL__CALLER);
    return RDL__NEXT(sched_getparam)(for_kernel(number), out);
}

RDL__INTERPOSE int sched_setparam(pid_t number, const struct sched_param *how)
{
    rdl__come_as_row("sched_setparam", NONE, RDL__CALLER);
    return RDL__NEXT(sched_setparam)(for_kernel(number), how);
}

RDL__INTERPOSE int sched_rr_get_interval(pid_t number, struct timespec *out)
{
    rdl__come_as_row("sched_rr_get_interval", NONE, RDL__CALLER);
    return RDL__NEXT(sched_rr_get_interval)(for_kernel(number), out);
}

RDL__INTERPOSE int sched_getaffinity(pid_t number, size_t size, cpu_set_t *out)
{
    rdl__come_as_row("sched_getaffinity", NONE, RDL__CALLER);
    return RDL__NEXT(sched_getaffinity)(for_kernel(number), size, out);
}

RDL__INTERPOSE int sched_setaffinity(pid_t number, size_t size, const cpu_set_t *cpus)
{
    rdl__come_as_row("sched_setaffinity", NONE, RDL__CALLER);
    return RDL__NEXT(sched_setaffinity)(for_kernel(number), size, cpus);
}

static id_t whose(int which, id_t who)
{
    return which == PRIO_PROCESS ? (id_t)for_kernel((pid_t)who) : who;
}

RDL__INTERPOSE int getpriority(__priority_which_t which, id_t who)
{
    rdl__come_as_row("getpriority", NONE, RDL__CALLER);
    return RDL__NEXT(getpriority)(which, whose((int)which, who));
}

RDL__INTERPOSE int setpriority(__priority_which_t which, id_t who, int priority)
{
    rdl__come_as_row("setpriority", NONE, RDL__CALLER);
    return RDL__NEXT(setpriority)(which, whose((int)which, who), priority);
}

/* ---- Scheduling, by handle ---------------------------------------------------------- */

/* In a copy of the process, the C library knows a thread by a number that the thread of another
 * process has. */
static bool is_carried(pthread_t handle)
{
    return rdl__self() && rdl__thread_of(handle);
}

static int error_of(int result)
{
    return result == 0 ? 0 : errno;
}

RDL__INTERPOSE int pthread_getaffinity_np(pthread_t handle, size_t size, cpu_set_t *out)
{
    rdl__come_as_row("pthread_getaffinity_np", NONE, RDL__CALLER);
    if (is_carried(handle))
        return error_of(RDL__NEXT(sched_getaffinity)(0, size, out));
    return RDL__NEXT(pthread_getaffinity_np)(handle, size, out);
}

RDL__INTERPOSE int pthread_setaffinity_np(pthread_t handle, size_t size, const cpu_set_t *cpus)
{
    rdl__come_as_row("pthread_setaffinity_np", NONE, RDL__CALLER);
    if (is_carried(handle))
        return error_of(RDL__NEXT(sched_setaffinity)(0, size, cpus));
    return RDL__NEXT(pthread_setaffinity_np)(handle, size, cpus);
}

RDL__INTERPOSE int pthread_getschedparam(pthread_t handle, int *policy, struct sched_param *out)
{
    rdl__come_as_row("pthread_getschedparam", NONE, RDL__CALLER);
    if (!is_carried(handle))
        return RDL__NEXT(pthread_getschedparam)(handle, policy, out);
    *policy = RDL__NEXT(sched_getscheduler)(0);
    return error_of(RDL__NEXT(sched_getparam)(0, out));
}

RDL__INTERPOSE int pthread_setschedparam(pthread_t handle, int policy,
                                         const struct sched_param *how)
{
    rdl__come_as_row("pthread_setschedparam", NONE, RDL__CALLER);
    if (is_carried(handle))
        return error_of(RDL__NEXT(sched_setscheduler)(0, policy, how));
    return RDL__NEXT(pthread_setschedparam)(handle, policy, how);
}

RDL__INTERPOSE int pthread_setschedprio(pthread_t handle, int priority)
{
    rdl__come_as_row("pthread_setschedprio", NONE, RDL__CALLER);
    if (is_carried(handle))
        return error_of(RDL__NEXT(sched_setparam)(0, &(struct sched_param){priority}));
    return RDL__NEXT(pthread_setschedprio)(handle, priority);
}
