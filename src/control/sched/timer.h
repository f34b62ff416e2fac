/* timer.h -- timers in virtual time, whatever they do when their time has come.
 *
 * timer.c keeps them; timerfd and alarm are there, too, those of timer_create in
 * posix_timer.c.  They live as long as the execution. */
#ifndef RDL__TIMER_H
#define RDL__TIMER_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

enum { RDL__TIMERS_MAX = 128 };

struct rdl__timer {
    void (*expired)(struct rdl__timer *timer, uint64_t times); /* NULL: it is free */
    int fd;                                                    /* of timerfd; else -1 */
    clockid_t clock;
    uint64_t deadline; /* RDL__FOREVER: it is not set */
    uint64_t interval; /* 0: once */
    bool due;          /* it came, and nobody has noticed; till then it is not awaited again */
    bool apart;        /* a thread awaits it, so its deadline is that thread's */
};

/* NULL: there is no room. */
struct rdl__timer *rdl__timer_new(clockid_t clock,
                                  void (*expired)(struct rdl__timer *timer, uint64_t times));
void rdl__timer_free(struct rdl__timer *timer);

/* Its number, from 0 to RDL__TIMERS_MAX - 1, and back.  NULL: it is free. */
uint32_t rdl__timer_index(const struct rdl__timer *timer);
struct rdl__timer *rdl__timer_at(uint32_t index);

void rdl__timer_set(struct rdl__timer *timer, uint64_t deadline, uint64_t interval);
struct itimerspec rdl__timer_setting(const struct rdl__timer *timer);
bool rdl__is_setting(const struct itimerspec *setting);

/* The deadline that this setting means now; `absolute`: a time on the timer's clock. */
uint64_t rdl__timer_deadline(const struct rdl__timer *timer, bool absolute,
                             const struct timespec *value);

/* It is due.  How often has it expired?  Its deadline is the next one then. */
uint64_t rdl__timer_expire(struct rdl__timer *timer);
uint64_t rdl__timer_span(const struct timespec *span); /* in ns */

/* There are timers of the kernel's, too. */
void rdl__timers_are_real(void);
void rdl__note_timer(void); /* a timer limits what a pass may claim */

/* posix_timer.c */
void rdl__posix_timers_begin(void);
void rdl__timer_told(siginfo_t *info); /* the signal reaches its handler, or who waits for it */

#endif
