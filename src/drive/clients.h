/* clients.h -- the threads that call the code under test, and wait in it.
 *
 * A client is a thread of its own for the length of a case: what it locks in one call it
 * may unlock in the next.  It is given a call; then all run, until each has returned or
 * waits.  Under control that is known exactly; of free threads the kernel is asked.
 *
 *     clients = rdl__clients_new(t, 10, NULL);
 *     rdl__clients_create(clients, state);
 *     rdl__clients_give(clients, client, op, &args);
 *     rdl__clients_run(clients);
 *     ... clients->log[...] ...
 *     rdl__clients_finish(clients, true);
 *
 * Memory: the case's.  Threads that still wait at the end are forgotten, with whatever the
 * code under test has allocated for them. */
#ifndef RDL__CLIENTS_H
#define RDL__CLIENTS_H

#include "case/case.h"
#include "control/sched/sched.h"
#include "judge/viable.h"
#include "port/blocked.h"
#include "spec/spec.h"

struct rdl__given {
    struct rdl_call call;
    void *args, *answer;
    bool returned;
    bool unsure;           /* what it calls of its neighbours */
    uint64_t began, ended; /* for debuggers: after so many steps */

    /* In the picture of the case, while somebody looks: */
    uint32_t drawn;      /* the call, */
    uint32_t drawn_wait; /* and that it waits, if its thread is free */
};

struct rdl__client {
    uint32_t number;
    struct rdl__clients *all;
    bool started, to_end;
    struct rdl__given *job;          /* NULL: none; it is idle */
    struct rdl__given *to_begin;     /* of a free thread: when all are run */
    struct rdl__thread *controlled;  /* what it is, if started: this, */
    pthread_t real;                  /* or a real thread, */
    struct rdl__real_thread watched; /* as the kernel sees it */
    void *me;                        /* its state */
};

/* A call begins, or returns. */
struct rdl__logged {
    struct rdl__given *given;
    bool returns;
};

struct rdl__clients {
    struct rdl_case *t;
    const struct rdl_spec *spec;
    void *object;
    struct rdl_resource *reference; /* called instead, if not NULL */
    struct rdl__stage *stage;       /* where its neighbours are; NULL: it has none */
    struct rdl__component *self;    /* itself, there */
    bool free_threads;
    struct rdl__client clients[RDL__CLIENTS_MOST];
    uint32_t count;
    uint32_t calls;            /* given so far */
    struct rdl__given **given; /* by number, from 1 */
    uint32_t given_room;

    /* If set, whoever has returned is given this next; NULL: nothing.  (Of free threads,
     * called with the lock held.) */
    struct rdl__given *(*next_call)(struct rdl__client *client);
    void *context;

    struct rdl__logged *log; /* in the order in which it happened */
    uint32_t log_count, log_room;

    pthread_mutex_t lock; /* of free threads: for jobs and log */
    pthread_cond_t changed;
};

/* So many; whether they are free is in t->test->options.  Their states are drawn, unless they
 * are given: one after the other. */
struct rdl__clients *rdl__clients_new(struct rdl_case *t, uint32_t count, const void *states);

/* What they are to call, in this state. */
void rdl__clients_create(struct rdl__clients *clients, const void *state);

/* Make it call this; args are copied.  It begins when all are run. */
struct rdl__given *rdl__clients_give(struct rdl__clients *clients, uint32_t client,
                                     const struct rdl_operation *op, const void *args);

/* The same call without giving it to the client. */
struct rdl__given *rdl__clients_make(struct rdl__clients *clients, uint32_t client,
                                     const struct rdl_operation *op, const void *args);

/* Give all the first of their next_call. */
void rdl__clients_start_all(struct rdl__clients *clients);

/* For rdl__answers. */
const struct rdl_operation *rdl__clients_answer(void *clients, rdl_ref ref,
                                                const void **out_answer);

/* Until each client is idle or waits. */
void rdl__clients_run(struct rdl__clients *clients);

/* For those who look at the case, in its picture or in a debugger: these calls are wrong, as the
 * judge says, and this is why; NULL: the judge knows. */
void rdl__clients_point_at_suspects(struct rdl__clients *clients, struct rdl__viable *viable,
                                    const char *why);

/* Tell the judge, and the clients themselves, what the log has from *judged on, which becomes
 * its end. */
void rdl__clients_take_in(struct rdl__clients *clients, struct rdl__viable *viable,
                          uint32_t *judged);

/* Is anybody waiting for a lock, of all things?  "deadlock" or "livelock", else NULL. */
const char *rdl__clients_stuck(const struct rdl__clients *clients);

/* The calls before number `first` that have not returned, oldest first; how many. */
uint32_t rdl__clients_waiting(const struct rdl__clients *clients, uint32_t first,
                              const struct rdl_call *out[RDL__CLIENTS_MOST]);

/* All go.  If nobody was left waiting in the code under test, and `destroy`, the thing itself
 * is destroyed.  Otherwise what it holds is lost: after many of them, so is the process. */
void rdl__clients_finish(struct rdl__clients *clients, bool destroy);

/* The same for several, in each of which somebody waits: nothing may run after it. */
void rdl__clients_abandon(struct rdl__clients **sets, uint32_t count);

#endif
