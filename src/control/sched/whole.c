/* whole.c -- with one of the functions that come before the C library's come all.
 *
 * From a static library the linker takes only those files that somebody asks for.
 * But shared libraries are loaded later, and may lock, wait and sleep in ways that
 * the program itself does not: they would get the C library's functions, and stop
 * all threads at once.  So here one function of each file is asked for. */
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <sys/socket.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#include "control/sched/inner.h"

int __cxa_guard_acquire(int *guard);

const void *const rdl__whole[] = {
    (void *)__cxa_guard_acquire,
    (void *)fgets,
    (void *)flockfile,
    (void *)fork,
    (void *)nanosleep,
    (void *)poll,
    (void *)pthread_barrier_wait,
    (void *)pthread_cond_wait,
    (void *)pthread_create,
    (void *)pthread_mutex_lock,
    (void *)pthread_once,
    (void *)pthread_rwlock_rdlock,
    (void *)pthread_spin_lock,
    (void *)read,
    (void *)recv,
    (void *)sem_wait,
    (void *)sigaction,
    (void *)sigwait,
    (void *)syscall,
    (void *)thrd_create,
};
