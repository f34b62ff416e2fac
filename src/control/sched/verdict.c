/* verdict.c -- an execution has failed: who did what, and who waits for whom. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "base/text.h"
#include "control/meet.h"
#include "control/sched/callers.h"
#include "control/sched/debug.h"
#include "control/sched/inner.h"
#include "control/sched/words.h"

#define sched (&rdl__sched)

/* ---- Names ------------------------------------------------------------------------- */

enum { NAMED_MAX = 256, CALLED_MAX = 64 };

static struct {
    uintptr_t object;
    char name[32];
} named[NAMED_MAX];
static uint32_t named_count;

static struct {
    char name[sizeof((struct rdl__thread *)0)->name];
    uint32_t count;
} called[CALLED_MAX];
static uint32_t called_count, born;

void rdl__names_reset(void)
{
    named_count = 0;
    called_count = born = 0;
    rdl__thread_rename(sched->threads[0], "main");
    rdl__title_begin(sched->threads[0], NULL);
}

/* Threads that are called the same are numbered, from the second on. */
void rdl__thread_rename(struct rdl__thread *thread, const char *name)
{
    size_t length = strnlen(name, sizeof thread->name - 1);
    uint32_t i = 0;

    for (size_t at = 0; at < length; at++)
        thread->name[at] = (unsigned char)name[at] < ' ' || name[at] == 127 ? '?' : name[at];
    thread->name[length] = '\0';
    thread->namesakes = 0;
    while (i < called_count && strcmp(called[i].name, thread->name) != 0)
        i++;
    if (i == CALLED_MAX || !thread->name[0])
        return;
    if (i == called_count) {
        memcpy(called[i].name, thread->name, sizeof thread->name);
        called[i].count = 0;
        called_count++;
    }
    thread->namesakes = called[i].count++;
}

void rdl__thread_born(struct rdl__thread *thread, const char *name)
{
    thread->number = ++born;
    rdl__thread_rename(thread, name ? name : "");
}

/* Objects are numbered, each kind by itself, in the order in which they are first
 * spoken of: addresses differ between runs. */
const char *rdl__object_name(uintptr_t object, const char *kind)
{
    size_t length = strlen(kind);
    int number = 1;

    for (uint32_t i = 0; i < named_count; i++) {
        if (strncmp(named[i].name, kind, length) != 0 || named[i].name[length] != ' ')
            continue;
        if (named[i].object == object)
            return named[i].name;
        number++;
    }
    if (named_count == NAMED_MAX)
        return kind;
    named[named_count].object = object;
    snprintf(named[named_count].name, sizeof named->name, "%s %d", kind, number);
    if (sched->t->trace->on)
        rdl__steps_name_object(&sched->t->trace->steps, object, named[named_count].name);
    return named[named_count++].name;
}

const char *rdl__thread_name(const struct rdl__thread *thread)
{
    static char names[4][48];
    static unsigned next;
    char *name = names[next++ % 4];

    if (thread->name[0] && !thread->namesakes)
        return thread->name;
    if (thread->name[0])
        snprintf(name, sizeof names[0], "%s %u", thread->name, thread->namesakes + 1);
    else
        snprintf(name, sizeof names[0], "thread %u", thread->number);
    return name;
}

const char *rdl__at(uintptr_t pc)
{
    static char places[4][24];
    static unsigned next;
    char *place = places[next++ % 4];

    snprintf(place, sizeof places[0], RDL__AT "%016lx" RDL__AT_END, (unsigned long)pc);
    return place;
}

/* ---- What is held -------------------------------------------------------------------- */

struct rdl__hold *rdl__held_by(struct rdl__thread *thread, uintptr_t object)
{
    for (uint32_t i = thread->hold_count; i-- > 0;)
        if (thread->holds[i].object == object)
            return &thread->holds[i];
    return NULL;
}

/* Field by field: the calls are many, and mostly not wanted. */
static void hold_new(struct rdl__thread *self, uintptr_t object, uintptr_t pc, bool shared)
{
    struct rdl__hold *hold = &self->holds[self->hold_count++];

    hold->object = object;
    hold->pc = pc;
    hold->count = 1;
    hold->shared = shared;
    hold->robust = hold->stream = false;
    if (__builtin_expect(sched->t->trace->on, 0))
        hold->callers = self->callers;
    else
        hold->callers.count = 0;
}

void rdl__got(struct rdl__thread *self, uintptr_t object, uintptr_t pc, bool shared)
{
    struct rdl__hold *hold = shared ? rdl__held_by(self, object) : NULL;

    if (hold)
        hold->count++;
    else if (self->hold_count < RDL__HOLDS_MAX)
        hold_new(self, object, rdl__blamed(self, pc), shared);
    if (__builtin_expect(rdl__debugged, 0))
        rdl__debug_note();
}

void rdl__gave(struct rdl__thread *self, uintptr_t object)
{
    struct rdl__hold *hold = rdl__held_by(self, object);
    uint32_t at = hold ? (uint32_t)(hold - self->holds) : 0;

    if (!hold || --hold->count > 0)
        return;
    memmove(hold, hold + 1, (--self->hold_count - at) * sizeof *hold);
    if (__builtin_expect(rdl__debugged, 0))
        rdl__debug_note();
}

struct rdl__thread *rdl__holder(uintptr_t object)
{
    for (uint32_t id = 0; id < sched->view.threads; id++)
        if (sched->threads[id]->state == RDL__ALIVE && rdl__held_by(sched->threads[id], object))
            return sched->threads[id];
    return NULL;
}

/* ---- The end --------------------------------------------------------------------------- */

/* 1 + the number of a stack of this place that the text speaks of; 0: there is none. */
static uint32_t stack_of(uintptr_t pc)
{
    const struct rdl__steps *steps = &sched->t->trace->steps;

    for (uint32_t i = 0; sched->t->trace->on && i < steps->stack_count; i++)
        if (steps->stacks[i].pc == pc)
            return i + 1;
    return 0;
}

/* The first line of the text is the headline. */
_Noreturn static void end_with(enum rdl__cause cause, uintptr_t pc, uint64_t origin,
                               const char *text)
{
    struct rdl__outcome *outcome = sched->t->outcome;
    size_t headline = strcspn(text, "\n");

    if (!outcome->claimed) {
        outcome->claimed = 1;
        outcome->verdict = RDL__FAILED;
        outcome->cause = cause;
        outcome->number = 0;
        outcome->line = 0;
        outcome->file[0] = '\0';
        outcome->pc = pc;
        snprintf(outcome->check, sizeof outcome->check, "%.*s", (int)headline, text);
        snprintf(outcome->text, sizeof outcome->text, "%s",
                 text + headline + (text[headline] != '\0'));
        outcome->origin = rdl__combine(cause, origin);
        outcome->stack = stack_of(pc);
    }
    rdl__execution_leave(sched->t);
}

_Noreturn void rdl__execution_fails(enum rdl__cause cause, uintptr_t pc, const char *format, ...)
{
    char text[4096];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    pc = rdl__blamed(rdl__running, pc);
    rdl__callers_of(rdl__running, pc, &rdl__running->callers);
    rdl__at_stack(pc, &rdl__running->callers, NULL);
    end_with(cause, pc, pc, text);
}

/* ---- Nobody can run ---------------------------------------------------------------------- */

struct waiting {
    char text[4096];
    size_t used;
};

__attribute__((format(printf, 2, 3))) static void say(struct waiting *out, const char *format, ...)
{
    va_list args;
    int length;

    va_start(args, format);
    length = vsnprintf(out->text + out->used, sizeof out->text - out->used, format, args);
    va_end(args);
    if (length > 0)
        out->used += (size_t)length < sizeof out->text - out->used
                         ? (size_t)length
                         : sizeof out->text - out->used - 1;
}

static struct rdl__thread *joined_by(const struct rdl__op *op)
{
    for (uint32_t id = 0; id < sched->view.threads; id++)
        if ((uintptr_t)sched->threads[id] == op->object)
            return sched->threads[id];
    return NULL;
}

/* Who is to come first, by the order that a thread at a gate keeps to. */
static struct rdl__thread *named_by_order(const struct rdl__thread *thread)
{
    const char *name = rdl__order_blocker(rdl__thread_name(thread));

    for (uint32_t id = 0; name && id < sched->view.threads; id++)
        if (strcmp(rdl__thread_name(sched->threads[id]), name) == 0)
            return sched->threads[id];
    return NULL;
}

/* Whom this thread waits for: another that holds what it wants, or is to end. */
static struct rdl__thread *blocker_of(const struct rdl__thread *thread)
{
    const struct rdl__op *op = &sched->view.ops[thread->id];

    if (op->kind == RDL__OP_GATE)
        return named_by_order(thread);
    return op->kind == RDL__OP_JOIN ? joined_by(op) : rdl__holder(op->object);
}

static bool is_at_gate(const struct rdl__thread *thread)
{
    return thread->state == RDL__ALIVE && sched->view.ops[thread->id].kind == RDL__OP_GATE;
}

static bool some_are_at_gates(void)
{
    for (uint32_t id = 0; id < sched->view.threads; id++)
        if (is_at_gate(sched->threads[id]))
            return true;
    return false;
}

/* Nobody has it, and yet it is not free: a thread has ended that held it. */
static void say_who_took_it_along(struct waiting *out, uintptr_t object)
{
    for (uint32_t id = 0; id < sched->view.threads; id++) {
        struct rdl__thread *thread = sched->threads[id];
        const struct rdl__hold *hold = rdl__held_by(thread, object);

        if (hold && thread->state != RDL__ALIVE) {
            say(out, ", which %s held since %s and never gave back: it has ended",
                rdl__thread_name(thread), rdl__at_stack(hold->pc, &hold->callers, NULL));
            return;
        }
    }
}

static void say_what_it_awaits(struct waiting *out, const struct rdl__thread *thread)
{
    const struct rdl__op *op = &sched->view.ops[thread->id];
    struct rdl__thread *holder = blocker_of(thread);
    const struct rdl__hold *hold = holder ? rdl__held_by(holder, op->object) : NULL;
    const struct rdl__vain_signal *vain = NULL;
    char text[256];

    if (rdl__spinning(thread)) {
        say(out, "memory to change, going round at %s", rdl__at(op->pc));
        return;
    }
    switch (op->kind) {
    case RDL__OP_JOIN:
        say(out, "the end of %s", holder ? rdl__thread_name(holder) : "all other threads");
        break;
    case RDL__OP_WAIT:
        say(out, "a signal of %s", rdl__object_name(op->object, "condition"));
        vain = rdl__signalled_in_vain(op->object);
        break;
    case RDL__OP_IO:
        rdl__describe_wait(thread, text, sizeof text);
        say(out, "%s", text);
        break;
    case RDL__OP_SIGNAL_WAIT:
        say(out, "a signal");
        break;
    case RDL__OP_MOCKED:
        say(out, "a mocked call to return");
        break;
    case RDL__OP_GATE:
        if (!rdl__gates_describe(rdl__thread_name(thread), text, sizeof text))
            snprintf(text, sizeof text, "a gate");
        say(out, "%s", text);
        break;
    default:
        say(out, "%s", rdl__object_name(op->object, rdl__thing_name(op->thing)));
    }
    if (op->pc)
        say(out, " at %s", rdl__at_stack(op->pc, &thread->callers, NULL));
    if (vain)
        say(out, ", which %s gave before, at %s, when nobody waited", vain->by, rdl__at(vain->pc));
    if (hold && holder == thread)
        say(out, ", which it holds itself since %s", rdl__at_stack(hold->pc, &hold->callers, NULL));
    else if (hold)
        say(out, ", which %s holds since %s", rdl__thread_name(holder),
            rdl__at_stack(hold->pc, &hold->callers, NULL));
    else if (!holder && op->object)
        say_who_took_it_along(out, op->object);
}

/* Threads that wait for each other in a ring; 0: there is none. */
static uint32_t find_cycle(struct rdl__thread **out)
{
    for (uint32_t id = 0; id < sched->view.threads; id++) {
        struct rdl__thread *at = sched->threads[id];
        uint32_t count = 0;

        while (at && at->state == RDL__ALIVE && count < sched->view.threads) {
            out[count++] = at;
            at = blocker_of(at);
            if (at == out[0])
                return count;
        }
    }
    return 0;
}

/* Somebody waits for a signal of a condition that has been given before: had it
 * come later, or the waiter earlier, all would be well. */
static struct rdl__thread *missed_signal(void)
{
    for (uint32_t id = 0; id < sched->view.threads; id++)
        if (sched->threads[id]->state == RDL__ALIVE && sched->view.ops[id].kind == RDL__OP_WAIT &&
            rdl__signalled_in_vain(sched->view.ops[id].object))
            return sched->threads[id];
    return NULL;
}

static bool is_leftover(const struct rdl__thread *thread)
{
    return sched->ending && thread->id != 0 && thread->state == RDL__ALIVE && !thread->service;
}

static void say_leftovers(struct waiting *out)
{
    uint32_t count = 0;

    for (uint32_t id = 1; id < sched->view.threads; id++)
        count += is_leftover(sched->threads[id]);
    if (count == 1)
        say(out, "a thread is left over at the end");
    else
        say(out, "%u threads are left over at the end", count);
    for (uint32_t id = 1, told = 0; id < sched->view.threads; id++)
        if (is_leftover(sched->threads[id]))
            say(out, "%s %s", told++ ? "," : ":", rdl__thread_name(sched->threads[id]));
}

static void say_headline(struct waiting *out, struct rdl__thread **ring, uint32_t ring_count,
                         const struct rdl__thread *deaf)
{
    if (rdl__spinners) {
        say(out, "livelock: all threads wait, and %s by going round in a loop",
            rdl__spinners == 1 ? "one of them" : "some of them");
    } else if (some_are_at_gates()) {
        say(out, RDL__INFEASIBLE);
    } else if (sched->ending) {
        say_leftovers(out);
    } else if (ring_count == 1) {
        say(out, "deadlock: %s waits for itself", rdl__thread_name(ring[0]));
    } else if (ring_count > 1) {
        say(out, "deadlock: ");
        for (uint32_t i = 0; i < ring_count; i++)
            say(out, "%s -> ", rdl__thread_name(ring[i]));
        say(out, "%s", rdl__thread_name(ring[0]));
    } else if (deaf) {
        say(out, "lost wake-up: %s waits for a signal that was given before it waited",
            rdl__thread_name(deaf));
    } else {
        say(out, "deadlock: all threads wait");
    }
    say(out, "\n");
}

static void say_waiting(struct waiting *out, const struct rdl__thread *thread)
{
    say(out, "%s waits for ", rdl__thread_name(thread));
    say_what_it_awaits(out, thread);
    if (is_leftover(thread))
        say(out, "; it was created at %s", rdl__at(thread->created_at));
    say(out, "\n");
}

static bool is_in(struct rdl__thread **ring, uint32_t count, const struct rdl__thread *thread)
{
    for (uint32_t i = 0; i < count; i++)
        if (ring[i] == thread)
            return true;
    return false;
}

/* Two deadlocks are the same if the same places take part: those in the ring, if there
 * is one; else those that wait for anything but the end of others. */
static bool is_part_of_it(const struct rdl__thread *thread, struct rdl__thread **ring,
                          uint32_t ring_count)
{
    return ring_count ? is_in(ring, ring_count, thread)
                      : sched->view.ops[thread->id].kind != RDL__OP_JOIN;
}

_Noreturn void rdl__nobody_can_run(void)
{
    static struct rdl__thread *ring[RDL__THREADS_MAX];
    static struct waiting out;
    uint32_t ring_count = sched->ending ? 0 : find_cycle(ring);
    const struct rdl__thread *spinner = NULL;
    uint64_t origin = 0;
    struct rdl__thread *deaf = missed_signal();

    rdl__trace_standstill();
    out.used = 0;
    say_headline(&out, ring, ring_count, deaf);
    if (ring_count == 0 && deaf && !sched->ending)
        ring[ring_count++] = deaf;
    for (uint32_t i = 0; i < ring_count; i++)
        say_waiting(&out, ring[i]);
    for (uint32_t id = 0; id < sched->view.threads; id++) {
        struct rdl__thread *thread = sched->threads[id];

        if (thread->state != RDL__ALIVE || thread->service || (sched->ending && id == 0))
            continue;
        if (rdl__spinning(thread))
            spinner = thread;
        if (!is_in(ring, ring_count, thread))
            say_waiting(&out, thread);
        if (is_part_of_it(thread, ring, ring_count))
            origin += rdl__mix(sched->view.ops[id].pc); /* whatever their order */
    }
    if (ring_count == 0 && rdl__has_strangers())
        say(&out,
            "a thread runs too that Raddle does not control: aio_read, getaddrinfo_a or clone "
            "has started it;\nif a thread waits for that one, the program has no deadlock\n");
    end_with(rdl__spinners   ? RDL__BY_LIVELOCK
             : sched->ending ? RDL__BY_LEAK
                             : RDL__BY_DEADLOCK,
             sched->view.ops[ring_count ? ring[0]->id
                             : spinner  ? spinner->id
                                        : 0]
                 .pc,
             origin, out.text);
}

/* Where it was when the limit came says nothing: all such failures count as one. */
_Noreturn void rdl__endless(void)
{
    static struct waiting out;

    out.used = 0;
    say(&out, "livelock: it does not come to an end (after %llu places to switch threads)\n",
        (unsigned long long)rdl__bound_least());
    end_with(RDL__BY_LIVELOCK, sched->view.ops[rdl__running->id].pc, 0, out.text);
}
