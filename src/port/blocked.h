/* blocked.h -- real threads that run freely: which of them are blocked?
 *
 * The kernel knows.  A thread is blocked if it sleeps in a call that only another
 * thread can end; all are, at one moment, if each is found so and none has gone to sleep
 * meanwhile. */
#ifndef RDL__BLOCKED_H
#define RDL__BLOCKED_H

#include <pthread.h>
#include <stdbool.h>

struct rdl__real_thread {
    int id; /* the kernel's; 0: it has not begun yet */
    int ended;
    const void *owner;  /* threads of one owner are watched together */
    const char *name;   /* NULL: it has none */
    unsigned number;    /* in the order of their creation; 0 is the caller */
    unsigned namesakes; /* that were created before it */
    struct rdl__real_thread *next;
};

/* Start a real thread; it must call rdl__blocked_begin and rdl__blocked_end itself. */
int rdl__blocked_start(pthread_t *out, struct rdl__real_thread *thread, const void *owner,
                       void *(*start)(void *), void *argument);
void rdl__blocked_begin(struct rdl__real_thread *thread);
void rdl__blocked_end(struct rdl__real_thread *thread);

/* Watch the thread that calls, and those that anybody creates who tells us of that
 * (rdl__blocked_create), or has since this was called without an owner; `create` is what really
 * creates them.  Until the end. */
void rdl__blocked_watch_caller(const void *owner);
void rdl__blocked_watch_new(const void *owner, __typeof__(pthread_create) *create);
void rdl__blocked_watch_end(void);
extern bool rdl__blocked_watches_new;
int rdl__blocked_create(pthread_t *out, const pthread_attr_t *attributes, void *(*start)(void *),
                        void *argument);

/* The thread that waits with a time-out, but will do nothing unless others do before that: it
 * counts as blocked.  0: there is none. */
extern int rdl__blocked_idle;

/* The name of the thread that calls: as given ("worker"; the second one is "worker 2"), or what the
 * kernel knows it by, or "thread 1".  What is known of one of that name? */
const char *rdl__blocked_name(void);
enum rdl__life { RDL__UNKNOWN, RDL__LIVES, RDL__DIED };
enum rdl__life rdl__blocked_state(const char *name);

/* Watch it no longer: before its memory goes. */
void rdl__blocked_forget(void *thread);

/* Wait until all threads of this owner, but for the one that calls, have ended or are blocked;
 * how many are blocked. */
int rdl__blocked_until_quiet(const void *owner);

/* How many of them have not ended, but for the one that calls. */
int rdl__blocked_others(const void *owner);

/* When all are blocked: what each of them waits for, as far as its call tells. */
void rdl__blocked_tell(const void *owner,
                       void (*tell)(const char *thread, const char *waits_for, void *it), void *it);

/* Do all sleep at this moment, be it for a time? */
bool rdl__blocked_all_sleep(const void *owner);

/* Wait for something, or until all are blocked; true: it is there. */
bool rdl__blocked_until(const void *owner, bool (*ready)(void *what), void *what);

/* A process that counts as one of these threads, which is blocked when all of it sleeps. */
struct rdl__real_process {
    int id;
    const void *owner;
    struct rdl__real_process *next;
};
void rdl__blocked_watch(struct rdl__real_process *process, const void *owner, int id);
void rdl__blocked_watch_no_more(struct rdl__real_process *process);

bool rdl__blocked_now(const struct rdl__real_thread *thread);

#endif
