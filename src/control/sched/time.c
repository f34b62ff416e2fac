/* time.c -- virtual time: clocks that move only when we say so.
 *
 * Time begins at the same moment in every execution, and stands still while threads
 * run; when all of them wait it jumps to the next deadline (sched.c).  So sleeping
 * costs nothing, and what a clock says is the same in every run of a schedule.
 *
 * Each reading of a clock takes a moment, though, since time that never moves is
 * unknown to programs.  A thread that does nothing else than read the clock waits
 * for it: then the moments get longer and longer, up to a tenth of a second, and
 * each reading offers the turn to others.
 *
 * All clocks are offsets of the one time, but those of CPU time: these count only
 * the moments, not the jumps. */
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <sys/time.h>
#include <unistd.h>

#include "control/sched/world.h"

#define sched (&rdl__sched)

enum {
    MOMENT = 1000, /* ns */
    MOMENT_MAX = 100 * 1000000,
    PATIENCE = 8,             /* readings in a row before the moments get longer */
    POLITE_AFTER = 4,         /* readings in a row before others are let go first */
    OPS_BETWEEN_READINGS = 4, /* no more of them in a loop that does nothing but wait */
    JUMP = 20 * 1000,         /* ns; operations alone take less */
    UPTIME = 1000,            /* s; what monotonic clocks begin with */
    TAI_OFFSET = 37,          /* s */
};

/* How a thread has read clocks lately. */
struct reading {
    uint64_t steps;  /* of the thread, when it last did */
    uint64_t jumped; /* time that had passed till then other than in moments */
    uint32_t in_a_row;
};

static struct reading readings[RDL__THREADS_MAX];
static uint32_t readers;   /* threads with numbers below this have read clocks */
static uint64_t beginning; /* of the execution, ns since 1970 */
static uint64_t moments;   /* that have passed, in ns */

void rdl__time_begin(void)
{
    beginning = sched->now;
    moments = 0;
    for (; readers > 0; readers--)
        readings[readers - 1] = (struct reading){0};
}

bool rdl__never(void *unused)
{
    (void)unused;
    return false;
}

/* ---- Conversions -------------------------------------------------------------------- */

bool rdl__is_span(const struct timespec *span)
{
    return span->tv_sec >= 0 && span->tv_nsec >= 0 && span->tv_nsec < RDL__NS;
}

struct timespec rdl__timespec(uint64_t ns)
{
    return (struct timespec){.tv_sec = (time_t)(ns / RDL__NS), .tv_nsec = (long)(ns % RDL__NS)};
}

/* The later of two ends is no end at all. */
static uint64_t add(uint64_t a, uint64_t b)
{
    uint64_t sum;

    return __builtin_add_overflow(a, b, &sum) ? RDL__FOREVER : sum;
}

static uint64_t ns_of(const struct timespec *time)
{
    uint64_t seconds;

    if (time->tv_sec < 0)
        return 0;
    if (__builtin_mul_overflow((uint64_t)time->tv_sec, (uint64_t)RDL__NS, &seconds))
        return RDL__FOREVER;
    return add(seconds, (uint64_t)time->tv_nsec);
}

uint64_t rdl__deadline_in(const struct timespec *span)
{
    return add(sched->now, ns_of(span));
}

/* Clocks of CPU time of any process or thread have negative numbers, and those of
 * devices have, too, with other low bits. */
bool rdl__is_cpu_clock(clockid_t clock)
{
    return clock == CLOCK_PROCESS_CPUTIME_ID || clock == CLOCK_THREAD_CPUTIME_ID ||
           (clock < 0 && (clock & 7) != 3);
}

/* What the clock says when it is `now`.  False: not one of ours. */
static bool clock_at(clockid_t clock, uint64_t now, uint64_t *out)
{
    switch (clock) {
    case CLOCK_REALTIME:
    case CLOCK_REALTIME_COARSE:
    case CLOCK_REALTIME_ALARM:
        *out = now;
        return true;
    case CLOCK_MONOTONIC:
    case CLOCK_MONOTONIC_COARSE:
    case CLOCK_MONOTONIC_RAW:
    case CLOCK_BOOTTIME:
    case CLOCK_BOOTTIME_ALARM:
        *out = now - beginning + UPTIME * UINT64_C(1000000000);
        return true;
    case CLOCK_TAI:
        *out = now + TAI_OFFSET * UINT64_C(1000000000);
        return true;
    default:
        *out = moments;
        return rdl__is_cpu_clock(clock);
    }
}

uint64_t rdl__deadline_at(clockid_t clock, const struct timespec *when)
{
    uint64_t then = ns_of(when), now;

    if (then == RDL__FOREVER || !clock_at(clock, sched->now, &now))
        return then;
    return then <= now ? sched->now : add(sched->now, then - now);
}

void rdl__yield(struct rdl__thread *self, uintptr_t pc)
{
    rdl__look_outside();
    rdl__point(self, &(struct rdl__op){.kind = RDL__OP_YIELD, .flags = RDL__OP_POLITE, .pc = pc});
}

/* ---- Moments -------------------------------------------------------------------------- */

/* Is what the thread did last of the kind that a loop does while it waits? */
static bool is_idle(const struct rdl__op *op)
{
    return op->touch != RDL__WRITES || op->kind == RDL__OP_TRYLOCK || op->flags & RDL__OP_POLITE;
}

static uint64_t moment_after(uint32_t in_a_row)
{
    uint32_t doublings = in_a_row > PATIENCE ? in_a_row - PATIENCE : 0;

    return doublings < 17 ? (uint64_t)MOMENT << doublings : MOMENT_MAX;
}

/* Time goes on by itself: there is no need to push it. */
static bool has_waited(const struct reading *reading, const struct rdl__op *last)
{
    return last->kind == RDL__OP_SLEEP ||
           sched->now - moments - reading->jumped > JUMP + 10 * moment_after(reading->in_a_row);
}

static void let_pass(uint64_t ns)
{
    moments += ns;
    sched->now += ns;
    rdl__time_passed();
}

void rdl__moment(struct rdl__thread *self, uintptr_t pc)
{
    struct reading *reading = &readings[self->id];
    const struct rdl__op *last = &sched->view.ops[self->id];
    uint64_t since;

    rdl__catch_up();
    since = sched->view.steps[self->id] - reading->steps;
    if (since <= OPS_BETWEEN_READINGS && (since == 0 || is_idle(last)) &&
        !has_waited(reading, last))
        reading->in_a_row++;
    else
        reading->in_a_row = 0;
    let_pass(moment_after(reading->in_a_row));
    if (reading->in_a_row >= POLITE_AFTER)
        rdl__yield(self, pc);
    reading->steps = sched->view.steps[self->id];
    reading->jumped = sched->now - moments;
    if (readers <= self->id)
        readers = self->id + 1;
}

/* ---- Reading clocks --------------------------------------------------------------------- */

int rdl__clock_read(struct rdl__thread *self, clockid_t clock, struct timespec *out, uintptr_t pc)
{
    uint64_t time;

    if (!clock_at(clock, 0, &time))
        return (int)-rdl__kernel(SYS_clock_gettime, clock, (long)out, 0, 0, 0, 0);
    rdl__moment(self, pc);
    if (sched->view.threads > 1)
        rdl__limit(RDL__LIMIT_BOUND, "clocks were not read at every moment", "");
    clock_at(clock, sched->now, &time);
    *out = rdl__timespec(time);
    return 0;
}

/* A sanitizer's function of this name may come before ours, which it then calls for the
 * program, from one place.  From all others it calls for itself, and holds locks that
 * nobody else must meet. */
static uintptr_t calls_for_program; /* 0: we come first */
static bool looking_for_place;

RDL__INTERPOSE int clock_gettime(clockid_t clock, struct timespec *out)
{
    struct rdl__thread *self = rdl__self();

    if (looking_for_place)
        calls_for_program = RDL__CALLER;
    if (!self || (calls_for_program && RDL__CALLER != calls_for_program))
        return RDL__NEXT(clock_gettime)(clock, out);
    return (int)rdl__in_errno(-rdl__clock_read(self, clock, out, RDL__CALLER));
}

extern __typeof__(clock_gettime) rdl__own_clock_gettime
    __attribute__((nothrow, leaf, alias("clock_gettime")));

void rdl__clocks_prepare(void)
{
    int (*first)(clockid_t clock, struct timespec * out);
    struct timespec unused;

    first = (__typeof__(first))dlsym(RTLD_DEFAULT, "clock_gettime");
    if (calls_for_program || !first || first == rdl__own_clock_gettime)
        return;
    looking_for_place = true;
    first(CLOCK_MONOTONIC, &unused);
    looking_for_place = false;
}

RDL__INTERPOSE int gettimeofday(struct timeval *restrict out, void *restrict zone)
{
    struct rdl__thread *self = rdl__self();
    struct timespec now;

    if (!self)
        return RDL__NEXT(gettimeofday)(out, zone);
    rdl__clock_read(self, CLOCK_REALTIME, &now, RDL__CALLER);
    if (zone)
        *(struct timezone *)zone = (struct timezone){0};
    *out = (struct timeval){.tv_sec = now.tv_sec, .tv_usec = now.tv_nsec / 1000};
    return 0;
}

RDL__INTERPOSE time_t time(time_t *out)
{
    struct rdl__thread *self = rdl__self();
    struct timespec now;

    if (!self)
        return RDL__NEXT(time)(out);
    rdl__clock_read(self, CLOCK_REALTIME, &now, RDL__CALLER);
    if (out)
        *out = now.tv_sec;
    return now.tv_sec;
}

RDL__INTERPOSE int timespec_get(struct timespec *out, int base)
{
    struct rdl__thread *self = rdl__self();

    if (!self || base != TIME_UTC)
        return RDL__NEXT(timespec_get)(out, base);
    rdl__clock_read(self, CLOCK_REALTIME, out, RDL__CALLER);
    return base;
}

RDL__INTERPOSE clock_t clock(void)
{
    struct rdl__thread *self = rdl__self();
    struct timespec used;

    if (!self)
        return RDL__NEXT(clock)();
    rdl__clock_read(self, CLOCK_PROCESS_CPUTIME_ID, &used, RDL__CALLER);
    return used.tv_sec * CLOCKS_PER_SEC + used.tv_nsec / (RDL__NS / CLOCKS_PER_SEC);
}

/* ---- Sleeping ----------------------------------------------------------------------------- */

enum rdl__woken rdl__sleep_until(struct rdl__thread *self, uint64_t deadline, uintptr_t pc)
{
    struct rdl__op op = {.kind = RDL__OP_SLEEP, .flags = RDL__OP_POLITE, .pc = pc};
    enum rdl__woken woken;

    rdl__test_cancel(self);
    do
        woken = rdl__await_interruptibly(self, &op, rdl__never, NULL, deadline);
    while (woken == RDL__INTERRUPTED && rdl__interruption(self) == RDL__NOTHING_RAN);
    return woken;
}

/* As rdl__sleep_until; what is left goes to *left, if that is not NULL. */
static int sleep_and_say(struct rdl__thread *self, uint64_t deadline, struct timespec *left,
                         uintptr_t pc)
{
    if (rdl__sleep_until(self, deadline, pc) != RDL__INTERRUPTED)
        return 0;
    if (left)
        *left = rdl__timespec(deadline > sched->now ? deadline - sched->now : 0);
    return EINTR;
}

int rdl__nanosleep(struct rdl__thread *self, const struct timespec *span, struct timespec *left,
                   uintptr_t pc)
{
    if (!rdl__is_span(span))
        return EINVAL;
    return sleep_and_say(self, rdl__deadline_in(span), left, pc);
}

int rdl__clock_nanosleep(struct rdl__thread *self, clockid_t clock, int flags,
                         const struct timespec *when, struct timespec *left, uintptr_t pc)
{
    uint64_t unused;

    if (clock == CLOCK_THREAD_CPUTIME_ID || !clock_at(clock, 0, &unused))
        return EINVAL;
    if (!(flags & TIMER_ABSTIME))
        return rdl__nanosleep(self, when, left, pc);
    if (when->tv_nsec < 0 || when->tv_nsec >= RDL__NS)
        return EINVAL;
    return sleep_and_say(self, rdl__deadline_at(clock, when), NULL, pc);
}

RDL__INTERPOSE int nanosleep(const struct timespec *span, struct timespec *left)
{
    struct rdl__thread *self = rdl__self();

    if (!self)
        return RDL__NEXT(nanosleep)(span, left);
    return (int)rdl__in_errno(-rdl__nanosleep(self, span, left, RDL__CALLER));
}

RDL__INTERPOSE int clock_nanosleep(clockid_t clock, int flags, const struct timespec *when,
                                   struct timespec *left)
{
    struct rdl__thread *self = rdl__self();

    if (!self)
        return RDL__NEXT(clock_nanosleep)(clock, flags, when, left);
    return rdl__clock_nanosleep(self, clock, flags, when, left, RDL__CALLER);
}

RDL__INTERPOSE int usleep(useconds_t us)
{
    struct rdl__thread *self = rdl__self();
    struct timespec span = {.tv_sec = us / 1000000, .tv_nsec = us % 1000000 * 1000};

    if (!self)
        return RDL__NEXT(usleep)(us);
    return (int)rdl__in_errno(-rdl__nanosleep(self, &span, NULL, RDL__CALLER));
}

/* What is left is rounded to seconds; the C library's rounds down, too. */
RDL__INTERPOSE unsigned sleep(unsigned seconds)
{
    struct rdl__thread *self = rdl__self();
    struct timespec span = {.tv_sec = seconds}, left = {0};

    if (!self)
        return RDL__NEXT(sleep)(seconds);
    return rdl__nanosleep(self, &span, &left, RDL__CALLER) == 0 ? 0 : (unsigned)left.tv_sec;
}

/* ---- Yielding ------------------------------------------------------------------------------- */

RDL__INTERPOSE int sched_yield(void)
{
    struct rdl__thread *self = rdl__self();

    if (!self)
        return RDL__NEXT(sched_yield)();
    rdl__yield(self, RDL__CALLER);
    return 0;
}
