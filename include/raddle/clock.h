/* raddle/clock.h -- a clock for tests, by which calls of several threads come in a given order.
 *
 *     static void produce(void *it)             static void consume(void *it)
 *     {                                         {
 *         rdl_await(t, 2);                          rdl_await(t, 1);
 *         send(&buffer, "ab");                      c = receive(&buffer);   // has to wait
 *         ...                                       rdl_await(t, 3);
 *     }                                             rdl_check_eq(c, 'a');
 *                                                   ...
 *
 * The clock shows 0 at first.  It goes on, to the next time that somebody awaits, when every
 * other thread awaits a time or is blocked.  So a call that is made at time 1 has returned, or
 * waits, before anything is done at time 2: no sleeping, and the same order in every run.
 *
 * It is for tests of all kinds, whether their threads are controlled (RDL_SCHEDULE, RDL_EXPLORE)
 * or free.  Threads that sleep, or wait with a time-out, are not blocked: the clock stands still
 * until they have gone on and are.  (Controlled ones that do so again and again, without end, do
 * not stop it: they are let do so a few times.) */
#ifndef RADDLE_CLOCK_H
#define RADDLE_CLOCK_H

#include <raddle/base.h>

/* Wait until the clock shows this time.  If it is over already, the test fails: what this thread
 * did before took longer than planned. */
#define rdl_await(t, time) rdl__await_time((t), (time), RDL__HERE)
RDL_API void rdl__await_time(struct rdl_case *t, int time, const char *file, int line);

/* The clock goes on by one now, whoever is busy: for a time that begins with something in the code,
 * such as rdl_at(t, "queue.c:88", .tick = true). */
RDL_API void rdl_tick(struct rdl_case *t);

/* What the clock shows. */
RDL_API int rdl_clock(struct rdl_case *t);

#endif
