/* viable_histories.h -- histories made up: by a run of the semantics, then spoilt a little. */
#ifndef TESTS_VIABLE_HISTORIES_H
#define TESTS_VIABLE_HISTORIES_H

#include "base/random.h"
#include "viable_naive.h"

/* What kind of history, and how the run behaves that it is made by. */
struct making {
    const struct rdl_spec *spec;
    unsigned flags; /* which of policy and liveness the run keeps to */
    int phases;     /* 0: the free form, without quiet points */
    int calls;      /* at most, in a phase */
    int concurrent; /* at most, at a time */
    int spoilt;     /* so many times */
};

static int upto(struct rdl__random *random, int max)
{
    return (int)rdl__random_upto(random, (uint64_t)max);
}

static void add_event(struct history *h, enum happening what, int call, int answer)
{
    rdl__bug_if(h->count == EVENTS_MAX);
    h->events[h->count++] = (struct event){.what = what, .call = call, .answer = answer};
}

static int add_call(struct history *h, const struct rdl_spec *spec, struct rdl__random *random)
{
    int i = h->call_count++;

    h->args[i][0] = upto(random, 2);
    h->args[i][1] = upto(random, 2);
    h->calls[i] = (struct rdl_call){
        .operation = rdl__operation(spec, (size_t)upto(random, (int)spec->operation_count - 1)),
        .args = h->args[i],
        .number = (uint32_t)i + 1};
    return i;
}

/* Copies of histories have arguments, and clients that have one call at a time. */
static void settle_history(struct history *h)
{
    int client_of[CALLS_MAX], busy[CALLS_MAX] = {0}, client;

    for (int i = 0; i < h->call_count; i++)
        h->calls[i].args = h->args[i];
    for (int i = 0; i < h->count; i++) {
        struct event *e = &h->events[i];

        if (e->what == BEGIN) {
            for (client = 0; busy[client]; client++)
                ;
            busy[client] = 1;
            client_of[e->call] = client;
            h->calls[e->call].client = (uint32_t)client;
        } else if (e->what == RETURN) {
            busy[client_of[e->call]] = 0;
        }
    }
}

/* ---- A run --------------------------------------------------------------------------- */

struct running {
    struct rdl__random *random;
    const struct making *making;
    struct history *h;
    struct config c;
    int answers[CALLS_MAX];
    bool returned[CALLS_MAX];
    int left;  /* calls that are still to begin in this phase */
    bool lazy; /* nobody is executed any more, though he could */
};

/* Execute it with some answer, if there is one. */
static bool execute_somehow(struct running *r, int i)
{
    const struct rdl_operation *op = r->h->calls[i].operation;
    struct config before = r->c;

    for (int attempt = 0; attempt < 20; attempt++) {
        unsigned which = (unsigned)upto(r->random, (int)rdl__alternatives(op) - 1);
        int answer = upto(r->random, 5), model = 0;

        r->c = before;
        if (execute(r->making->spec, r->making->flags, &r->c, &r->h->calls[i], which,
                    op->judge ? &answer : NULL, &model)) {
            r->answers[i] = op->judge ? answer : model;
            return true;
        }
    }
    r->c = before;
    return false;
}

static int in_progress(const struct running *r)
{
    int count = 0;

    for (int i = 0; i < r->h->call_count; i++)
        count += r->c.status[i] != UNBORN && !r->returned[i];
    return count;
}

/* Do something with call i, if something is to be done. */
static bool advance(struct running *r, int i)
{
    const struct making *m = r->making;

    if (r->c.status[i] == EXECUTED && !r->returned[i]) {
        r->returned[i] = true;
        add_event(r->h, RETURN, i, r->h->calls[i].operation->answer_size ? r->answers[i] : 0);
        return true;
    }
    if (!r->lazy && may_go(m->spec, m->flags, &r->c, r->h->calls, i))
        return execute_somehow(r, i);
    if (r->c.status[i] == BEGUN && (m->flags & RDL__WITH_POLICY)) {
        check_in(m->spec, &r->c, &r->h->calls[i]);
        return true;
    }
    return false;
}

/* One thing happens; false: nothing can. */
static bool take_step(struct running *r)
{
    int count = r->h->call_count, first = count ? upto(r->random, count - 1) : 0;

    if (r->left > 0 && in_progress(r) < r->making->concurrent && upto(r->random, 2) == 0) {
        int i = add_call(r->h, r->making->spec, r->random);

        r->left--;
        r->c.status[i] = BEGUN;
        add_event(r->h, BEGIN, i, 0);
        return true;
    }
    for (int k = 0; k < count; k++)
        if (advance(r, (first + k) % count))
            return true;
    return r->left > 0 && in_progress(r) < r->making->concurrent;
}

static void run_phase(struct running *r)
{
    const struct making *m = r->making;
    bool free_form = m->phases == 0;
    int steps = 0, stop = free_form && upto(r->random, 1) ? upto(r->random, 4 * m->calls) : 1000;

    r->lazy = false;
    r->left = 1 + upto(r->random, m->calls - 1);
    while (steps++ < stop && take_step(r))
        if (!free_form && !(m->flags & RDL__WITH_LIVENESS) && upto(r->random, 9) == 0)
            r->lazy = true;
}

/* ---- Spoiling it ------------------------------------------------------------------------ */

static void remove_event(struct history *h, int at)
{
    memmove(&h->events[at], &h->events[at + 1], (size_t)(--h->count - at) * sizeof *h->events);
}

static void insert_event(struct history *h, int at, struct event e)
{
    if (h->count == EVENTS_MAX)
        return;
    memmove(&h->events[at + 1], &h->events[at], (size_t)(h->count++ - at) * sizeof *h->events);
    h->events[at] = e;
}

static int index_of(const struct history *h, enum happening what, int call)
{
    for (int i = 0; i < h->count; i++)
        if (h->events[i].what == what && h->events[i].call == call)
            return i;
    return -1;
}

/* Somewhere after it has begun, and before the end. */
static void insert_return(struct history *h, int call, int answer, struct rdl__random *random)
{
    int begin = index_of(h, BEGIN, call);

    insert_event(h, begin + 1 + upto(random, h->count - begin - 2),
                 (struct event){.what = RETURN, .call = call, .answer = answer});
}

static void swap_events(struct history *h, int at)
{
    struct event *e = &h->events[at], first = e[0];
    bool return_first = e[0].what == BEGIN && e[1].what == RETURN && e[0].call == e[1].call;

    if (at + 1 >= h->count || e[0].what >= QUIET || e[1].what >= QUIET || return_first)
        return;
    e[0] = e[1];
    e[1] = first;
}

static void spoil(struct history *h, struct rdl__random *random)
{
    int call = upto(random, h->call_count - 1), at = index_of(h, RETURN, call), answer;

    switch (upto(random, 4)) {
    case 0:
        if (at >= 0 && h->calls[call].operation->answer_size)
            h->events[at].answer = upto(random, 3);
        break;
    case 1: /* it waits, or it does not */
        if (at >= 0)
            remove_event(h, at);
        else
            insert_return(h, call, upto(random, 2), random);
        break;
    case 2:
        if (at < 0)
            break;
        answer = h->events[at].answer;
        remove_event(h, at);
        insert_return(h, call, answer, random);
        break;
    case 3:
        if (h->count > 1)
            swap_events(h, upto(random, h->count - 2));
        break;
    default:
        h->args[call][upto(random, 1)] = upto(random, 2);
    }
}

static void make_history(struct history *h, const struct making *m, struct rdl__random *random)
{
    struct running r = {.random = random, .making = m, .h = h, .c = first_config(m->spec)};

    memset(h, 0, sizeof *h);
    for (int phase = 0; phase < (m->phases ? m->phases : 1); phase++) {
        run_phase(&r);
        add_event(h, m->phases ? QUIET : END, 0, 0);
    }
    for (int i = 0; i < m->spoilt && h->call_count > 0; i++)
        spoil(h, random);
    settle_history(h);
}

/* ---- In words ----------------------------------------------------------------------------- */

static void show_history(const struct history *h)
{
    for (int i = 0; i < h->count; i++) {
        const struct event *e = &h->events[i];
        const struct rdl_call *call = &h->calls[e->call];
        const int *a = h->args[e->call];

        if (e->what == BEGIN && call->operation->args_size == 0)
            printf("    #%d %s()\n", e->call + 1, call->operation->name);
        else if (e->what == BEGIN && call->operation->args_size == sizeof *a)
            printf("    #%d %s(%d)\n", e->call + 1, call->operation->name, a[0]);
        else if (e->what == BEGIN)
            printf("    #%d %s(%d, %d)\n", e->call + 1, call->operation->name, a[0], a[1]);
        else if (e->what == RETURN && call->operation->answer_size)
            printf("    #%d -> %d\n", e->call + 1, e->answer);
        else if (e->what == RETURN)
            printf("    #%d returns\n", e->call + 1);
        else
            printf("    %s\n", e->what == QUIET ? "quiet" : "end");
    }
}

#endif
