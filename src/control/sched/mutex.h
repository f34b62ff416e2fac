/* mutex.h -- mutexes, as conditions and C11 use them. */
#ifndef RDL__MUTEX_H
#define RDL__MUTEX_H

#include "control/sched/sched.h"

/* Lock, waiting until the deadline at most: 0 or an error number, as
 * pthread_mutex_lock returns it. */
int rdl__mutex_take(struct rdl__thread *self, pthread_mutex_t *mutex, uintptr_t pc,
                    uint64_t deadline);

/* The rest of the interface: as the pthread_mutex_ functions. */
int rdl__mutex_try(struct rdl__thread *self, pthread_mutex_t *mutex, uintptr_t pc);
int rdl__mutex_unlock(struct rdl__thread *self, pthread_mutex_t *mutex, uintptr_t pc);
int rdl__mutex_destroy(struct rdl__thread *self, pthread_mutex_t *mutex, uintptr_t pc);

/* Unlock without being a place to switch threads. */
int rdl__mutex_release(struct rdl__thread *self, pthread_mutex_t *mutex, uintptr_t pc);

/* Its owner has ended without unlocking it (robust ones only). */
void rdl__mutex_orphaned(struct rdl__thread *self, uintptr_t object);

#endif
