/* cond.h -- condition variables, as C11's use them. */
#ifndef RDL__COND_H
#define RDL__COND_H

#include "control/sched/sched.h"

/* Wait, until the deadline at most: 0 or an error number, as pthread_cond_wait
 * returns it. */
int rdl__cond_wait(struct rdl__thread *self, pthread_cond_t *cond, pthread_mutex_t *mutex,
                   uint64_t deadline, uintptr_t pc);
void rdl__cond_signal(struct rdl__thread *self, pthread_cond_t *cond, uintptr_t pc);
void rdl__cond_broadcast(struct rdl__thread *self, pthread_cond_t *cond, uintptr_t pc);
void rdl__cond_destroy(struct rdl__thread *self, pthread_cond_t *cond, uintptr_t pc);

#endif
