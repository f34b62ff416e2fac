/* watch.h -- real threads that run freely: which of them are blocked?
 *
 * The kernel knows.  A thread is blocked if it sleeps in a call that only another
 * thread can end; all are, at one moment, if each is found so twice and has not run in
 * between. */
#ifndef RDL__WATCH_H
#define RDL__WATCH_H

#include <pthread.h>
#include <stdbool.h>

struct rdl__real_thread {
    int id; /* the kernel's; 0: it has not begun yet */
    int ended;
    const void *owner; /* threads of one owner are watched together */
    struct rdl__real_thread *next;
};

/* Start a real thread; it must call watch_begin and watch_end itself. */
int rdl__watch_start(pthread_t *out, struct rdl__real_thread *thread, const void *owner,
                     void *(*start)(void *), void *argument);
void rdl__watch_begin(struct rdl__real_thread *thread);
void rdl__watch_end(struct rdl__real_thread *thread);

/* Watch it no longer: before its memory goes. */
void rdl__watch_forget(void *thread);

/* Wait until all threads of this owner have ended or are blocked; how many are blocked. */
int rdl__watch_until_quiet(const void *owner);
bool rdl__watch_is_blocked(const struct rdl__real_thread *thread);

#endif
