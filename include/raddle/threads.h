/* raddle/threads.h -- tests that decide which thread runs next.
 *
 *     RDL_EXPLORE(two_transfers_keep_the_sum)
 *     {
 *         struct rdl_thread *one = rdl_spawn(t, "one", transfer, &to_b);
 *         struct rdl_thread *two = rdl_spawn(t, "two", transfer, &to_a);
 *
 *         rdl_join(one);
 *         rdl_join(two);
 *         rdl_check_eq(a.balance + b.balance, 200);
 *     }
 *
 * The body is run again and again, each time under another schedule, until a
 * failure is found, there is no schedule left, or the budget is used up (.cases,
 * 10,000 schedules).  Its threads, and those they create, run one at a time, on one
 * processor; Raddle switches between them at calls they meet in (locks, conditions,
 * semaphores, files, sleeps, ...) and, in code compiled by `raddle cc`, at every
 * access to memory.  Time is virtual: nobody really sleeps.
 *
 * A schedule fails when a check fails or the code crashes, and also when threads
 * deadlock, spin for ever, race for memory or use the heap wrongly (code compiled by
 * `raddle cc`; raddle-cc(1)), misuse a primitive, or are left over at the end.  The
 * report tells the fewest preemptions it takes, and the token replays them.
 *
 * All schedules run in the same process and begin alike.  Raddle puts static
 * variables back before each one (RDL_KEEP of raddle/test.h makes an exception);
 * the body must undo other changes, such as those of files. */
#ifndef RADDLE_THREADS_H
#define RADDLE_THREADS_H

#include <raddle/check.h>
#include <raddle/test.h>

#ifdef RDL__OF_THE_SYSTEM
#pragma GCC system_header
#endif

/* RDL_EXPLORE(name, .option = value, ...) { body, with the case as t } */
#define RDL_EXPLORE(test_name, ...) RDL__PROPERTY(test_name, it->explore = true, __VA_ARGS__)

/* The same for one schedule: each thread runs until it has to wait, then the one that was started
 * first goes on.  Gates (raddle/gates.h) and the test clock (raddle/clock.h) say what is to be
 * otherwise.  With .free_threads = true, threads are real ones that run as they like (once, or
 * .cases times). */
#define RDL_SCHEDULE(test_name, ...)                                                               \
    RDL__PROPERTY(test_name, it->explore = it->scheduled = true, __VA_ARGS__)

/* For .faults: what the rules of POSIX allow but hardly ever happens. */
enum {
    RDL_SPURIOUS_WAKEUPS = 1, /* a condition wait returns without a signal */
    RDL_EARLY_TIMEOUTS = 2,   /* a timed wait, or a sleep, ends while others could still run */
    RDL_FAILED_TRYLOCKS = 4,  /* a trylock fails though the lock is free */
};

/* For .volatile_accesses: what they mean where data races are looked for (--volatile goes before
 * it).  Accesses that are not aligned, or wider than 8 bytes, are always plain.  Inline assembly is
 * treated alike: mov, cmp and their like as volatile accesses, locked instructions and xchg as
 * atomic operations. */
enum {
    RDL_VOLATILE_ACQ_REL, /* a store releases and a load acquires, as pre-C11 code expects */
    RDL_VOLATILE_RELAXED, /* they race with no volatile or atomic access, and order nothing */
    RDL_VOLATILE_PLAIN,   /* as the C standard has it: they are accesses like any other */
};

struct rdl_thread;

/* Start a thread that calls run(it), with a name for reports (at most 31 bytes are
 * kept).  In an RDL_EXPLORE it is controlled; elsewhere it is a thread like any
 * other.  It must be joined before the case ends. */
RDL_API struct rdl_thread *rdl_spawn(struct rdl_case *t, const char *name, void (*run)(void *it),
                                     void *it);

/* Wait for the end of the thread. */
RDL_API void rdl_join(struct rdl_thread *thread);

/* The thread need not come to its end: it waits, and nobody will let it go on.  What it uses must
 * not be freed. */
RDL_API void rdl_leave(struct rdl_thread *thread);

/* Wait until every other thread has ended or is blocked; how many are blocked.  The
 * answer is exact, not a matter of waiting long enough: controlled threads are known;
 * of those that rdl_spawn has started elsewhere, the kernel is asked what they wait
 * for.  A thread that sleeps for a time is not blocked there, nor is one that waits for the end
 * of a child; in an RDL_EXPLORE, who sleeps is. */
RDL_API int rdl_until_quiet(struct rdl_case *t);

/* Is it blocked?  Worth asking after rdl_until_quiet. */
RDL_API bool rdl_is_blocked(const struct rdl_thread *thread);

/* Let others run first, if they can: a place to switch threads at. */
RDL_API void rdl_yield(void);

/* As rdl_check, from any code and thread: the schedule fails if the condition does
 * not hold.  Outside of a test it is an assert that cannot be switched off. */
#define rdl_assert_always(condition)                                                               \
    ((condition) ? (void)0 : rdl__failed(RDL__HERE, "rdl_assert_always(" #condition ")", "%s", ""))

/* Some schedule must get here with this condition true: if none of a whole run does,
 * the test fails.  May be used from any code and thread of a test. */
#define rdl_reachable(condition) rdl__reachable((condition), #condition)
RDL_API void rdl__reachable(bool condition, const char *text);

#endif
