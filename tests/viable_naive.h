/* viable_naive.h -- a judge of histories that is as plain as the semantics it is read off.
 *
 * After Figure 5 of the article on shared resources, and its Viable sets: a call checks in
 * at some moment after it has begun, and is executed at some moment after that and before
 * it returns.  All orders are walked through one by one.  Two things are as good as given:
 * what happens may as well happen after the next call has begun, and a return changes
 * nothing, so both are passed without trying anything else in front of them.  Only between
 * phases, where the article has sets, equal configurations are one. */
#ifndef TESTS_VIABLE_NAIVE_H
#define TESTS_VIABLE_NAIVE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "judge/viable.h"

enum { CALLS_MAX = 20, EVENTS_MAX = 64, STATE_ROOM = 24, SCHED_ROOM = 16, INFO_ROOM = 8 };

enum { STEPS_MAX = 2000000 };

enum happening { BEGIN, RETURN, QUIET, END };

struct event {
    enum happening what;
    int call;
    int answer; /* of RETURN */
};

struct history {
    struct event events[EVENTS_MAX];
    int count;
    struct rdl_call calls[CALLS_MAX]; /* numbered from 1 */
    int args[CALLS_MAX][2];
    int call_count;
};

enum status { UNBORN, BEGUN, CHECKED_IN, EXECUTED };

/* A configuration of the semantics: calls, sa, ss. */
struct config {
    _Alignas(8) unsigned char state[STATE_ROOM];
    unsigned char sched[SCHED_ROOM];
    unsigned char info[CALLS_MAX][INFO_ROOM];
    unsigned char status[CALLS_MAX];
    unsigned char queue[CALLS_MAX]; /* those checked in, in the order of their arrival */
    unsigned char queue_count;
};

struct configs {
    struct config *all;
    int count, room;
};

struct naive {
    const struct rdl_spec *spec;
    unsigned flags;
    const struct history *history;
    struct configs found;
    int steps; /* so far; with more than STEPS_MAX it is given up, and nothing is known */
};

static struct config first_config(const struct rdl_spec *spec)
{
    struct config c;
    const struct rdl_policy *policy = rdl__policy_of(spec);

    memset(&c, 0, sizeof c);
    if (policy->initial)
        policy->initial(c.sched);
    return c;
}

static void check_in(const struct rdl_spec *spec, struct config *c, const struct rdl_call *call)
{
    const struct rdl_policy *policy = rdl__policy_of(spec);
    int i = (int)call->number - 1;

    if (policy->waiting)
        policy->waiting(c->sched, c->info[i], call, c->state);
    c->status[i] = CHECKED_IN;
    c->queue[c->queue_count++] = (unsigned char)i;
}

static bool lets_it(const struct rdl_spec *spec, const struct config *c,
                    const struct rdl_call *calls, int call)
{
    const struct rdl_call *waiting[CALLS_MAX];
    struct rdl_queue queue = {.calls = waiting, .count = c->queue_count};

    for (uint32_t i = 0; i < queue.count; i++) {
        waiting[i] = &calls[c->queue[i]];
        if (c->queue[i] == call)
            queue.self = i;
    }
    return rdl__enabled(spec, c->state, c->sched, c->info[call], &queue);
}

/* Could it be executed?  Without a policy nobody asks who has come when. */
static bool may_go(const struct rdl_spec *spec, unsigned flags, const struct config *c,
                   const struct rdl_call *calls, int call)
{
    bool with_policy = flags & RDL__WITH_POLICY;

    return c->status[call] == (with_policy ? CHECKED_IN : BEGUN) &&
           rdl__cpre(calls[call].operation, c->state, calls[call].args) &&
           (!with_policy || lets_it(spec, c, calls, call));
}

/* Execute it: *out_answer is what the model says.  False: not with this answer. */
static bool execute(const struct rdl_spec *spec, unsigned flags, struct config *c,
                    const struct rdl_call *call, unsigned which, const int *answer, int *out_answer)
{
    const struct rdl_policy *policy = rdl__policy_of(spec);
    struct config before = *c;
    int i = (int)call->number - 1, kept = 0;

    if (!rdl__explains(spec, call, c->state, which, answer, out_answer))
        return false;
    c->status[i] = EXECUTED;
    if (!(flags & RDL__WITH_POLICY))
        return true;
    for (int k = 0; k < c->queue_count; k++)
        if (c->queue[k] != i)
            c->queue[kept++] = c->queue[k];
    c->queue[kept] = 0;
    c->queue_count = (unsigned char)kept;
    if (policy->post_waiting)
        policy->post_waiting(c->sched, before.info[i], call, before.state);
    memset(c->info[i], 0, INFO_ROOM);
    return true;
}

static void add_config(struct configs *set, const struct config *c)
{
    for (int i = 0; i < set->count; i++)
        if (memcmp(&set->all[i], c, sizeof *c) == 0)
            return;
    if (set->count == set->room) {
        set->room = set->room * 2 + 4;
        set->all = rdl__reallocate(set->all, (size_t)set->room * sizeof *set->all);
    }
    set->all[set->count++] = *c;
}

/* All is quiet: is everybody there who has not been served, and nobody who could go on? */
static bool is_complete(const struct naive *n, const struct config *c)
{
    const struct history *h = n->history;

    for (int i = 0; i < h->call_count; i++) {
        if (c->status[i] == BEGUN && (n->flags & RDL__WITH_POLICY))
            return false;
        if ((n->flags & RDL__WITH_LIVENESS) && may_go(n->spec, n->flags, c, h->calls, i))
            return false;
    }
    return true;
}

/* The next return of the call, from `event` up to the end of the phase.  NULL: none. */
static const struct event *return_of(const struct naive *n, int event, int call)
{
    const struct event *e = &n->history->events[event];

    for (; e->what != QUIET && e->what != END; e++)
        if (e->what == RETURN && e->call == call)
            return e;
    return NULL;
}

/* Does the phase that `event` is in end with everybody waiting? */
static bool ends_quietly(const struct naive *n, int event)
{
    while (n->history->events[event].what != QUIET && n->history->events[event].what != END)
        event++;
    return n->history->events[event].what == QUIET;
}

static void walk(struct naive *n, const struct config *c, int event);

static void walk_executing(struct naive *n, const struct config *c, int event, int i)
{
    const struct rdl_call *call = &n->history->calls[i];
    const struct event *returns = return_of(n, event, i);
    int scratch;

    if (!returns && ends_quietly(n, event))
        return;
    for (unsigned which = 0; which < rdl__alternatives(call->operation); which++) {
        struct config next = *c;

        if (execute(n->spec, n->flags, &next, call, which, returns ? &returns->answer : NULL,
                    &scratch))
            walk(n, &next, event);
    }
}

/* From here on, in all ways: check-ins and executions, until the next event is due. */
static void walk(struct naive *n, const struct config *c, int event)
{
    const struct event *e = &n->history->events[event];
    struct config next;

    if (n->steps++ > STEPS_MAX)
        return;
    if (e->what == BEGIN) {
        next = *c;
        next.status[e->call] = BEGUN;
        walk(n, &next, event + 1);
        return;
    }
    if (e->what == RETURN && c->status[e->call] == EXECUTED) {
        walk(n, c, event + 1);
        return;
    }
    if (e->what == END || (e->what == QUIET && is_complete(n, c)))
        add_config(&n->found, c);
    if (e->what == END)
        return;
    for (int i = 0; i < n->history->call_count; i++) {
        if (may_go(n->spec, n->flags, c, n->history->calls, i))
            walk_executing(n, c, event, i);
        if (c->status[i] == BEGUN && (n->flags & RDL__WITH_POLICY)) {
            next = *c;
            check_in(n->spec, &next, &n->history->calls[i]);
            walk(n, &next, event);
        }
    }
}

/* From the phase that begins with `event`: what is viable after it; *set is what was
 * viable before it.  Returns where the next one begins. */
static int walk_phase(struct naive *n, struct configs *set, int event)
{
    n->found = (struct configs){0};
    for (int i = 0; i < set->count; i++)
        walk(n, &set->all[i], event);
    free(set->all);
    *set = n->found;
    while (n->history->events[event].what != QUIET && n->history->events[event].what != END)
        event++;
    return event + 1;
}

/* Is the history explained up to its first `end` events, the last of which is a quiet
 * point or the end?  If it was given up: yes. */
static bool naive_explains(const struct rdl_spec *spec, unsigned flags, const struct history *h,
                           int end)
{
    struct naive n = {.spec = spec, .flags = flags, .history = h};
    struct config first = first_config(spec);
    struct configs set = {0};
    bool explained;

    add_config(&set, &first);
    for (int event = 0; event < end;)
        event = walk_phase(&n, &set, event);
    explained = set.count > 0 || n.steps > STEPS_MAX;
    free(set.all);
    return explained;
}

#endif
