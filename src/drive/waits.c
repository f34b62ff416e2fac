/* waits.c -- calls of components that have to wait, and what lets them go on.
 *
 * Invariant: whenever nobody has the lock, may_go_on is right for all who wait.  So waiting is
 *            nothing but looking at that, and it may be looked at from anywhere: functions of
 *            specs are called only by threads that have the lock. */
#include "drive/waits.h"

#include <pthread.h>
#include <string.h>

#include "control/sched/sched.h"
#include "drive/stage.h"
#include "raddle/callouts.h"

/* For somebody who may come. */
struct rdl__kept {
    const struct rdl_step *step;
    struct rdl__kept *next;
};

/* ---- One at a time -------------------------------------------------------------------------- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of free threads */
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static _Thread_local bool has_lock;

bool rdl__stage_lock(void)
{
    struct rdl__thread *self = rdl__self();

    if (has_lock)
        return false;
    if (self)
        self->no_switch++, self->aside++;
    else
        pthread_mutex_lock(&lock);
    return has_lock = true;
}

void rdl__stage_unlock(void)
{
    struct rdl__thread *self = rdl__self();

    has_lock = false;
    if (self)
        self->no_switch--, self->aside--;
    else
        pthread_mutex_unlock(&lock);
}

/* A case may have ended in the midst of a spec's function. */
void rdl__stage_lock_reset(void)
{
    has_lock = false;
    lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    changed = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
}

void rdl__waits_release(struct rdl__waits *waits)
{
    rdl__arena_release(&waits->arena);
}

/* ---- Threads -------------------------------------------------------------------------------- */

/* What a call is made to, as others see it who make another. */
static uintptr_t object_of(const struct rdl__wait *wait)
{
    return wait->component ? (uintptr_t)wait->component : (uintptr_t)wait->call.operation;
}

static struct rdl__op op_on(uintptr_t object, uintptr_t pc)
{
    return (struct rdl__op){
        .kind = RDL__OP_MOCKED, .touch = RDL__WRITES, .size = 1, .object = object, .pc = pc};
}

void rdl__stage_come(uintptr_t object, uintptr_t pc)
{
    struct rdl__thread *self = rdl__self();
    struct rdl__op op = op_on(object, pc);

    if (!self || has_lock)
        return;
    rdl__point(self, &op);
    rdl__hb_acquire(self, object);
}

/* It is done: who waits there may go on, and has seen all that happened before. */
static void is_done(uintptr_t object)
{
    struct rdl__thread *self = rdl__self();

    if (!self) {
        pthread_cond_broadcast(&changed);
        return;
    }
    rdl__hb_release(self, object);
    rdl__got_on();
    rdl__changed(object);
}

static bool may_go_on(void *what)
{
    return ((const struct rdl__wait *)what)->may_go_on;
}

static void wait_freely(const struct rdl__wait *wait)
{
    has_lock = false;
    while (!wait->may_go_on)
        pthread_cond_wait(&changed, &lock);
    has_lock = true;
}

static void pause_until_ready(struct rdl__wait *wait)
{
    struct rdl__thread *self = rdl__self();
    struct rdl__op op = op_on(object_of(wait), wait->pc);

    if (!self) {
        wait_freely(wait);
        return;
    }
    rdl__stage_unlock();
    rdl__await(self, &op, may_go_on, wait, RDL__FOREVER);
    rdl__hb_acquire(self, op.object);
    rdl__stage_lock();
}

/* ---- Who waits ------------------------------------------------------------------------------ */

static void arrive(struct rdl__waits *waits, struct rdl__wait *wait)
{
    struct rdl__wait **end = &waits->first;

    while (*end)
        end = &(*end)->next;
    *end = wait;
    wait->next = NULL;
    wait->waits = true;
    wait->may_go_on = false;
    wait->call.number = ++waits->calls;
}

static void leave(struct rdl__waits *waits, struct rdl__wait *wait)
{
    struct rdl__wait **at = &waits->first;

    while (*at != wait)
        at = &(*at)->next;
    *at = wait->next;
    wait->waits = false;
}

/* ---- For a component that plays ------------------------------------------------------------- */

enum { QUEUE_MAX = 256 };

static uint32_t queue_for(const struct rdl__waits *waits, const struct rdl__component *component,
                          const struct rdl_call *out[QUEUE_MAX])
{
    uint32_t count = 0;

    for (const struct rdl__wait *wait = waits->first; wait && count < QUEUE_MAX; wait = wait->next)
        if (wait->component == component)
            out[count++] = &wait->call;
    return count;
}

void rdl__waits_changed(struct rdl__waits *waits, const struct rdl__component *component)
{
    const struct rdl_call *calls[QUEUE_MAX];
    struct rdl_queue queue = {.calls = calls};

    if (!waits->can_end)
        return;
    queue.count = queue_for(waits, component, calls);
    for (struct rdl__wait *wait = waits->first; wait && queue.self < queue.count;
         wait = wait->next) {
        if (wait->component != component)
            continue;
        wait->may_go_on = rdl__cpre(wait->call.operation, component->state, wait->call.args) &&
                          rdl__enabled(component->spec, component->state, component->policy_state,
                                       wait->info, &queue);
        queue.self++;
    }
    is_done((uintptr_t)component);
}

bool rdl__wait_for_turn(struct rdl__waits *waits, struct rdl__wait *wait)
{
    const struct rdl__component *component = wait->component;
    const struct rdl_policy *policy = rdl__policy_of(component->spec);

    if (!waits->can_end)
        return rdl__cpre(wait->call.operation, component->state, wait->call.args);
    arrive(waits, wait);
    memset(wait->info, 0, policy->info_size);
    if (policy->waiting)
        policy->waiting(component->policy_state, wait->info, &wait->call, component->state);
    rdl__waits_changed(waits, component);
    if (!wait->may_go_on)
        pause_until_ready(wait);
    leave(waits, wait);
    if (policy->post_waiting)
        policy->post_waiting(component->policy_state, wait->info, &wait->call, component->state);
    return true;
}

/* ---- Until it is released ------------------------------------------------------------------- */

static bool is_for(const struct rdl_step *step, const struct rdl__wait *wait)
{
    const struct rdl_operation *op = wait->call.operation;
    struct rdl_event event = {&rdl_calls, RDL_OUT, wait->type, wait->call.args, op->args_size};

    return !wait->component && !wait->may_go_on && step->type->operation == op &&
           rdl__pattern_holds(step->pattern, &event);
}

bool rdl__wait_for_release(struct rdl__waits *waits, struct rdl__wait *wait)
{
    struct rdl__kept **at = &waits->kept;

    wait->may_go_on = false;
    while (*at && !is_for((*at)->step, wait))
        at = &(*at)->next;
    if (*at) {
        wait->answer = (*at)->step->value;
        *at = (*at)->next;
        return true;
    }
    if (!waits->can_end)
        return false;
    arrive(waits, wait);
    pause_until_ready(wait);
    leave(waits, wait);
    return true;
}

static void keep(struct rdl__waits *waits, const struct rdl_step *step)
{
    struct rdl__kept **end = &waits->kept;

    while (*end)
        end = &(*end)->next;
    *end = rdl__arena_alloc(&waits->arena, sizeof **end);
    **end = (struct rdl__kept){.step = step};
}

void rdl__waits_let_go(struct rdl__waits *waits, const struct rdl_step *step)
{
    uintptr_t object = (uintptr_t)step->type->operation;
    struct rdl__wait *wait;

    rdl__stage_unlock();
    rdl__stage_come(object, 0);
    rdl__stage_lock();
    step = rdl__step_copy(&waits->arena, step);
    wait = waits->first;
    while (wait && !is_for(step, wait))
        wait = wait->next;
    if (wait) {
        wait->answer = step->value;
        wait->may_go_on = true;
    } else {
        keep(waits, step);
    }
    is_done(object);
}

/* ---- In words ------------------------------------------------------------------------------- */

void rdl__waits_add(const struct rdl__waits *waits, struct rdl__text *out)
{
    for (const struct rdl__wait *wait = waits->first; wait; wait = wait->next) {
        rdl__text_add(out, "client %u waits in %s.", wait->call.client, wait->call.operation->of);
        rdl__show_call(out, wait->call.operation, wait->call.args);
        rdl__text_add(out, wait->component ? ", which is not possible now\n"
                                           : ", until it is released\n");
    }
}
