/* cond_free.h -- conditions that free threads wait for, in a case whose order says who is woken. */
#ifndef RDL__COND_FREE_H
#define RDL__COND_FREE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/* Does the thread that calls wait in our way?  If not, the C library is asked. */
bool rdl__waits_in_order(void);

/* As pthread_cond_clockwait; without a time: for ever. */
int rdl__cond_wait_freely(pthread_cond_t *cond, pthread_mutex_t *mutex, clockid_t clock,
                          const struct timespec *when, uintptr_t pc);

/* The clock of those that do not name one. */
clockid_t rdl__cond_clock(const pthread_cond_t *cond);

/* It is initialised: who still waits, in a case that has failed, say, waits for another. */
void rdl__cond_forget_freely(const pthread_cond_t *cond);

/* Wake one who waits in our way; false: there is none.  Or all of them. */
bool rdl__cond_signal_freely(const pthread_cond_t *cond);
void rdl__cond_broadcast_freely(const pthread_cond_t *cond);

#endif
