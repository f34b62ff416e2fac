/* gate.c -- gates: who waits at them, and who is let through. */
#include "control/gate/gate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "control/gate/script.h"
#include "port/blocked.h"

struct rdl_gate {
    struct rdl_case *t;
    char name[64];
    uint32_t tokens;  /* it has been opened for so many threads */
    bool is_wide;     /* for all */
    uint64_t reached; /* how often a thread has come here */
    uint64_t noticed; /* and how often that was waited for */
    struct rdl_gate *next;
};

/* Somebody who waits for a gate to be reached, or until it is certain that it will not be. */
struct hope {
    const struct rdl_gate *gate;
    bool is_given_up;
    struct hope *next;
};

static struct rdl_gate *gates;
static struct hope *hopes;
static struct rdl__waiter *waiters;

/* Threads that were never let through may still stand here, if they are free, and will for ever:
 * then all of this stays. */
void rdl__gates_end(void)
{
    while (gates) {
        struct rdl_gate *gate = gates;

        gates = gate->next;
        if (!waiters)
            free(gate);
    }
    hopes = NULL;
    waiters = NULL;
    rdl__orders_end();
    rdl__alone_end();
    rdl__probe_end();
    rdl__places_end();
}

static struct rdl_gate *add(struct rdl_case *t, const char *name)
{
    struct rdl_gate *gate = rdl__allocate(sizeof *gate);

    gate->t = t;
    snprintf(gate->name, sizeof gate->name, "%s", name);
    gate->next = gates;
    gates = gate;
    return gate;
}

struct rdl_gate *rdl_gate(struct rdl_case *t, const char *name)
{
    struct rdl_gate *gate;

    rdl__meet_begin(t);
    rdl__meet_lock();
    for (gate = gates; gate && strncmp(gate->name, name, sizeof gate->name - 1) != 0;)
        gate = gate->next;
    if (!gate)
        gate = add(t, name);
    rdl__meet_unlock();
    return gate;
}

struct rdl_gate *rdl__gate_new(struct rdl_case *t, const char *name)
{
    struct rdl_gate *gate;

    rdl__meet_begin(t);
    rdl__meet_lock();
    gate = add(t, name);
    rdl__meet_unlock();
    return gate;
}

/* What others have kept from an earlier case is gone, and must not be looked at. */
static void check_is_ours(const struct rdl_gate *gate, uintptr_t caller)
{
    const struct rdl_gate *at;

    rdl__meet_lock();
    for (at = gates; at && at != gate;)
        at = at->next;
    rdl__meet_unlock();
    if (!at)
        rdl__misuse_by(
            caller,
            gate ? "a gate is used that is one of a case that has ended: make one in each case "
                   "(rdl_gate)"
                 : "a gate is used that is NULL: rdl_gate makes one");
}

/* ---- Waiting -------------------------------------------------------------------------------- */

void rdl__gate_await(struct rdl_case *t, struct rdl__waiter *waiter, bool (*ready)(void *what),
                     void *what)
{
    struct rdl__op op = {.kind = RDL__OP_GATE,
                         .object = (uintptr_t)&waiters,
                         .also = (uintptr_t)waiter->takes,
                         .pc = waiter->pc};
    struct rdl__waiter **at = &waiters;

    waiter->ready = ready;
    waiter->it = what;
    waiter->next = waiters;
    waiters = waiter;
    rdl__meet_await(t, &op, ready, what);
    while (*at && *at != waiter)
        at = &(*at)->next;
    if (*at)
        *at = waiter->next;
}

void rdl__gates_changed(void)
{
    rdl__meet_changed(&waiters);
}

const struct rdl__waiter *rdl__gate_waiter(const char *thread)
{
    for (const struct rdl__waiter *waiter = waiters; waiter; waiter = waiter->next)
        if (strcmp(waiter->thread, thread) == 0)
            return waiter;
    return NULL;
}

static void describe_gate(const void *what, char *out, size_t room)
{
    snprintf(out, room, "gate %s to be opened", ((const struct rdl_gate *)what)->name);
}

static void describe_hope(const void *what, char *out, size_t room)
{
    snprintf(out, room, "somebody to come to gate %s", ((const struct rdl_gate *)what)->name);
}

static struct rdl__waiter waiter_at(const struct rdl_gate *gate, uintptr_t pc,
                                    void (*describe)(const void *, char *, size_t))
{
    struct rdl__waiter waiter = {.pc = pc, .describe = describe, .what = gate};

    rdl__meet_name(waiter.thread);
    return waiter;
}

/* In the picture of the case, in the lane of the thread. */
static void draw(const struct rdl_gate *gate, const char *does)
{
    struct rdl__trace *trace = gate->t->trace;
    char thread[RDL__MEET_NAME], title[160];

    if (!trace->on)
        return;
    rdl__meet_name(thread);
    snprintf(title, sizeof title, "%s %s", does, gate->name);
    rdl__trace_point(trace, "gate", rdl__self() ? 0 : rdl__trace_lane(trace, "thread", thread), 0,
                     title, "");
}

/* ---- Passing -------------------------------------------------------------------------------- */

static bool is_open(void *what)
{
    const struct rdl_gate *gate = what;

    return gate->is_wide || gate->tokens > 0;
}

void rdl__gate_pass(struct rdl_gate *gate, uintptr_t pc)
{
    struct rdl__waiter waiter = waiter_at(gate, pc, describe_gate);

    rdl__meet_lock();
    gate->reached++;
    draw(gate, "comes to gate");
    rdl__gates_changed();
    rdl__gate_await(gate->t, &waiter, is_open, gate);
    draw(gate, "passes gate");
    if (!gate->is_wide)
        gate->tokens--;
    rdl__gates_changed(); /* others may have been ready, too, and are no more */
    rdl__meet_unlock();
}

void rdl_gate_wait(struct rdl_gate *gate)
{
    check_is_ours(gate, RDL__CALLER);
    rdl__gate_pass(gate, RDL__CALLER);
}

void rdl_gate_open(struct rdl_gate *gate)
{
    check_is_ours(gate, RDL__CALLER);
    rdl__meet_lock();
    gate->tokens++;
    draw(gate, "opens gate");
    rdl__gates_changed();
    rdl__meet_unlock();
}

static void set_wide(struct rdl_gate *gate, bool is_wide, uintptr_t caller)
{
    check_is_ours(gate, caller);
    rdl__meet_lock();
    gate->is_wide = is_wide;
    gate->tokens = 0;
    draw(gate, is_wide ? "opens for all: gate" : "closes gate");
    rdl__gates_changed();
    rdl__meet_unlock();
}

void rdl_gate_open_for_all(struct rdl_gate *gate)
{
    set_wide(gate, true, RDL__CALLER);
}

void rdl_gate_close(struct rdl_gate *gate)
{
    set_wide(gate, false, RDL__CALLER);
}

/* ---- Being reached -------------------------------------------------------------------------- */

static bool is_reached(void *what)
{
    const struct rdl_gate *gate = what;

    return gate->reached > gate->noticed;
}

bool rdl__gate_was_reached(const struct rdl_gate *gate)
{
    return gate->reached > 0;
}

void rdl__happens_in_one(struct rdl_case *t, const char *what, bool happens)
{
    if (t->counted)
        rdl__stats_label(t->stats, what, happens, RDL__ONCE_UNSAID);
}

void rdl_gate_reached(struct rdl_gate *gate)
{
    struct rdl__waiter waiter = waiter_at(gate, RDL__CALLER, describe_hope);

    check_is_ours(gate, RDL__CALLER);
    rdl__meet_lock();
    rdl__gate_await(gate->t, &waiter, is_reached, gate);
    gate->noticed++;
    rdl__meet_unlock();
}

static bool is_decided(void *what)
{
    const struct hope *hope = what;

    return hope->is_given_up || is_reached((void *)hope->gate);
}

bool rdl_gate_is_reached(struct rdl_gate *gate)
{
    struct rdl__waiter waiter = waiter_at(gate, RDL__CALLER, describe_hope);
    struct hope hope = {.gate = gate}, **at = &hopes;
    bool reached;

    check_is_ours(gate, RDL__CALLER);
    rdl__meet_lock();
    hope.next = hopes;
    hopes = &hope;
    rdl__gate_await(gate->t, &waiter, is_decided, &hope);
    while (*at != &hope)
        at = &(*at)->next;
    *at = hope.next;
    reached = is_reached(gate);
    gate->noticed += reached;
    rdl__meet_unlock();
    return reached;
}

bool rdl__gates_give_up(void)
{
    bool changed = false;

    for (struct hope *hope = hopes; hope; hope = hope->next) {
        changed |= !hope->is_given_up;
        hope->is_given_up = true;
    }
    if (changed)
        rdl__gates_changed();
    return changed;
}

/* ---- Why it does not go on ------------------------------------------------------------------ */

bool rdl__gates_describe(const char *thread, char *out, size_t room)
{
    const struct rdl__waiter *waiter = rdl__gate_waiter(thread);

    if (waiter)
        waiter->describe(waiter->what, out, room);
    return waiter;
}

static void tell_of_other(const char *thread, const char *waits_for, void *it)
{
    if (!rdl__gate_waiter(thread))
        rdl__text_add(it, "%s waits for %s\n", thread, waits_for);
}

void rdl__gates_tell(struct rdl__text *text, bool with_places)
{
    char what[256];

    for (const struct rdl__waiter *waiter = waiters; waiter; waiter = waiter->next) {
        waiter->describe(waiter->what, what, sizeof what);
        rdl__text_add(text, "%s waits for %s", waiter->thread, what);
        rdl__text_add(text, with_places ? " at %s\n" : "\n", rdl__at(waiter->pc));
    }
}

/* As the process ends, maybe in the midst of anything: nothing is allocated, no lock is taken. */
void rdl__gates_note(char *out, size_t room)
{
    size_t length = 0;
    char what[256];

    for (const struct rdl__waiter *waiter = waiters; waiter && length < room;
         waiter = waiter->next) {
        waiter->describe(waiter->what, what, sizeof what);
        length += (size_t)snprintf(out + length, room - length, "%s waits for %s at %s\n",
                                   waiter->thread, what, rdl__at(waiter->pc));
    }
}

/* Controlled ones have been waited for. */
void rdl__gates_left(struct rdl_case *t)
{
    struct rdl__text text = {0};
    const struct rdl__waiter *waiter;

    rdl__meet_lock();
    for (waiter = waiters; waiter && waiter->ready(waiter->it);)
        waiter = waiter->next;
    if (waiter)
        rdl__gates_tell(&text, true);
    rdl__meet_unlock();
    if (waiter)
        rdl__failed_by(RDL__BY_DEADLOCK, t->test->file, t->test->line,
                       "the case has ended, but threads stand at gates", &text);
}

void rdl__gates_stuck(struct rdl_case *t)
{
    struct rdl__text text = {0};

    if (!waiters)
        return;
    rdl__gates_tell(&text, true);
    rdl__blocked_tell(t, tell_of_other, &text);
    rdl__failed_by(RDL__BY_DEADLOCK, t->test->file, t->test->line, RDL__INFEASIBLE, &text);
}
