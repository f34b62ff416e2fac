/* monitor.c -- a spec that runs: a monitor that makes calls wait as the spec says.
 *
 * One mutex guards all.  A call checks in, which puts it at the end of the queue, and waits
 * at a condition of its own until its cpre holds and the policy lets it go on; then it takes
 * effect, and leaves the queue.  Both change what others may do.
 *
 * Invariant:  after each change, every call that may go on has been woken.  It looks again
 *             when it has the mutex, since another may have been faster: where the policy
 *             does not say who is first, chance or the scheduler does.
 * Memory:     a call is its caller's, on the heap as long as it waits. */
#include "drive/monitor.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "case/case.h"

struct waiter {
    struct rdl_call call; /* first: the queue points at these */
    pthread_cond_t woken;
    void *info;   /* what the policy keeps of it */
    void *answer; /* the model's */
};

struct rdl_resource {
    const struct rdl_spec *spec;
    const struct rdl_policy *policy;
    pthread_mutex_t mutex;
    void *state, *sched;
    void *next; /* scratch: the state, if a call goes on */
    const struct rdl_call **queue;
    uint32_t count, room;
    uint32_t last_number;
};

/* Called wrongly: what is wrong, in words. */
#define refuse(spec, format, ...)                                                                  \
    rdl__misuse_at((spec)->file, (spec)->line, "the monitor of spec %s: " format, (spec)->name,    \
                   __VA_ARGS__)

/* ---- One call ------------------------------------------------------------------------------- */

static struct waiter *waiter_new(const struct rdl_resource *r, const struct rdl_call *call)
{
    const struct rdl_operation *op = call->operation;
    struct waiter *w = rdl__allocate(sizeof *w);
    void *args = rdl__allocate(op->args_size);

    if (op->args_size) {
        memcpy(args, call->args, op->args_size);
        op->clear_args(args);
    }
    w->call = *call;
    w->call.args = args;
    w->info = rdl__allocate(r->policy->info_size);
    w->answer = rdl__allocate(op->answer_size);
    pthread_cond_init(&w->woken, NULL);
    return w;
}

static void waiter_free(struct waiter *w)
{
    pthread_cond_destroy(&w->woken);
    free((void *)w->call.args);
    free(w->info);
    free(w->answer);
    free(w);
}

static uint32_t place_of(const struct rdl_resource *r, const struct waiter *w)
{
    uint32_t i = 0;

    while (r->queue[i] != &w->call)
        i++;
    return i;
}

/* What it would do goes to r->next.  False: none of its alternatives is possible. */
static bool predict(struct rdl_resource *r, struct waiter *w)
{
    for (unsigned which = 0; which < rdl__alternatives(w->call.operation); which++) {
        memcpy(r->next, r->state, r->spec->state_size);
        if (rdl__post(r->spec, &w->call, r->next, which, w->answer))
            return true;
    }
    return false;
}

static bool may_go_on(struct rdl_resource *r, uint32_t i)
{
    struct waiter *w = (struct waiter *)r->queue[i];
    struct rdl_queue queue = {.calls = r->queue, .count = r->count, .self = i};

    return rdl__cpre(w->call.operation, r->state, w->call.args) &&
           rdl__enabled(r->spec, r->state, r->sched, w->info, &queue) &&
           (!w->call.operation->post_any || predict(r, w));
}

static void wake_those_who_may_go_on(struct rdl_resource *r, const struct waiter *but)
{
    for (uint32_t i = 0; i < r->count; i++)
        if (r->queue[i] != &but->call && may_go_on(r, i))
            pthread_cond_signal(&((struct waiter *)r->queue[i])->woken);
}

static void check_in(struct rdl_resource *r, struct waiter *w)
{
    if (r->count == r->room) {
        r->room = r->room ? 2 * r->room : 8;
        r->queue = rdl__reallocate(r->queue, r->room * sizeof *r->queue);
    }
    if (w->call.number == 0)
        w->call.number = ++r->last_number;
    if (r->policy->waiting)
        r->policy->waiting(r->sched, w->info, &w->call, r->state);
    r->queue[r->count++] = &w->call;
    wake_those_who_may_go_on(r, w);
}

static void execute(struct rdl_resource *r, struct waiter *w)
{
    uint32_t i = place_of(r, w);

    predict(r, w);
    if (r->policy->post_waiting)
        r->policy->post_waiting(r->sched, w->info, &w->call, r->state);
    memcpy(r->state, r->next, r->spec->state_size);
    memmove(r->queue + i, r->queue + i + 1, (r->count - i - 1) * sizeof *r->queue);
    r->count--;
    wake_those_who_may_go_on(r, w);
}

/* ---- What users call ------------------------------------------------------------------------ */

struct rdl_resource *rdl_resource_new(const struct rdl_spec *spec, const void *initial)
{
    struct rdl_resource *r = rdl__allocate(sizeof *r);

    r->spec = spec;
    r->policy = rdl__policy_of(spec);
    r->state = rdl__allocate(spec->state_size);
    r->next = rdl__allocate(spec->state_size);
    r->sched = rdl__allocate(r->policy->state_size);
    if (initial)
        memcpy(r->state, initial, spec->state_size);
    spec->clear_state(r->state);
    if (r->policy->initial)
        r->policy->initial(r->sched);
    pthread_mutex_init(&r->mutex, NULL);
    return r;
}

bool rdl__resource_call_as(struct rdl_resource *r, const struct rdl_call *call, void *out_answer)
{
    const struct rdl_operation *op = call->operation;
    struct waiter *w = waiter_new(r, call);
    bool accepted;

    pthread_mutex_lock(&r->mutex);
    accepted = rdl__pre(op, r->state, w->call.args);
    if (accepted) {
        check_in(r, w);
        while (!may_go_on(r, place_of(r, w)))
            pthread_cond_wait(&w->woken, &r->mutex);
        execute(r, w);
        if (out_answer && op->answer_size)
            memcpy(out_answer, w->answer, op->answer_size);
    }
    pthread_mutex_unlock(&r->mutex);
    waiter_free(w);
    return accepted;
}

bool rdl_resource_call(struct rdl_resource *r, const char *operation, const void *args,
                       void *out_answer)
{
    const struct rdl_operation *op = rdl__operation_named(r->spec, operation);

    if (!op)
        refuse(r->spec, "there is no operation %s", operation);
    if (op->judge)
        refuse(r->spec, "operation %s has judge, which does not say what happens: post does",
               op->name);
    if (!args && op->args_size)
        refuse(r->spec, "operation %s has arguments, but is called with NULL", op->name);
    return rdl__resource_call_as(r, &(struct rdl_call){.operation = op, .args = args}, out_answer);
}

void rdl_resource_free(struct rdl_resource *r)
{
    if (!r)
        return;
    if (r->count)
        refuse(r->spec, "it is freed while %s waits in it", r->queue[0]->operation->name);
    pthread_mutex_destroy(&r->mutex);
    free(r->state);
    free(r->next);
    free(r->sched);
    free(r->queue);
    free(r);
}
