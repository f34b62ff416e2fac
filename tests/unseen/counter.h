/* counter.h -- a counter whose code is compiled in one way or another. */
#ifndef TESTS_UNSEEN_COUNTER_H
#define TESTS_UNSEEN_COUNTER_H

#ifdef __cplusplus
extern "C" {
#endif

int counter_get(void);
void counter_set(int value);
void counter_step(int (*between)(int value)); /* get, call, set */
void counter_lock(void);                      /* a lock of atomics and sched_yield */
void counter_unlock(void);
void *counter_thread(void *unused); /* get, sched_yield's like, set: a start routine */
void counter_apply(void (*function)(int value), int value);

#ifdef __cplusplus
}
#endif

#endif
