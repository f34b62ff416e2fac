/* debug.c -- controlled threads, for debuggers. */
#include "control/sched/debug.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "control/sched/inner.h"
#include "control/sched/words.h"
#include "port/switch.h"

#define sched (&rdl__sched)

enum { ROOM = 1 << 16 };

bool rdl__debugged;

static const struct rdl__thread *last; /* whose turn it was when we were called last */
static const struct rdl__thread *failing;
static const struct rdl__thread *stopped; /* on whose stack that is, if one fails */
static struct rdl__thread *visitor;       /* who has gone to the stack of the one to blame */
static uint64_t steps;                    /* so far */

/* Who has done wrong, if a judge says so, which is another thread. */
static struct {
    struct rdl__thread *thread;
    uint64_t step;      /* the last thing it did; 0: it has not come back from it */
    uint64_t call;      /* or which call it was, */
    uintptr_t function; /* of what; 0: there was none */
} blamed;

/* What is said is always up to date: the program may be stopped anywhere. */
struct said {
    char bytes[ROOM];
    size_t count;
};

static struct said said_threads, said_holds, said_blamed;
const char *const rdl__debug_threads = said_threads.bytes;
const char *const rdl__debug_holds = said_holds.bytes;
const char *const rdl__debug_blamed = said_blamed.bytes;

static void say_nothing(struct said *said)
{
    said->count = 0;
    said->bytes[0] = '\0';
}

__attribute__((format(printf, 2, 3))) static void say(struct said *said, const char *format, ...)
{
    va_list args;
    int length;

    va_start(args, format);
    length = vsnprintf(said->bytes + said->count, ROOM - said->count, format, args);
    va_end(args);
    if (length > 0 && (size_t)length < ROOM - said->count)
        said->count += (size_t)length;
    said->bytes[said->count] = '\0';
}

/* ---- Who there is ------------------------------------------------------------------------- */

static bool is_current(const struct rdl__thread *thread)
{
    return thread == (failing ? failing : rdl__running);
}

static const char *state_of(const struct rdl__thread *thread)
{
    if (thread->state == RDL__ENDED)
        return "has ended";
    if (is_current(thread))
        return !failing ? "runs" : blamed.thread ? "is wrong" : "fails";
    return rdl__is_enabled(&sched->view, thread->id) ? "is ready" : "waits";
}

/* What the object is; its address is told as well, and the debugger may know a name for it. */
static const char *object_of(const struct rdl__op *op)
{
    for (uint32_t id = 0; id < sched->view.threads; id++)
        if ((uintptr_t)sched->threads[id] == op->object)
            return rdl__thread_name(sched->threads[id]);
    return op->thing == RDL__ON_MEMORY ? "memory" : rdl__thing_name(op->thing);
}

static void say_what(const struct rdl__thread *thread, const struct rdl__op *op)
{
    struct rdl__text text = {0};

    if (rdl__is_enabled(&sched->view, thread->id))
        rdl__op_describe(&text, op, object_of(op));
    else
        rdl__op_describe_wait(&text, op, object_of(op));
    say(&said_threads, "%s", rdl__text_string(&text));
    rdl__text_release(&text);
}

static void say_thread(const struct rdl__thread *thread)
{
    const struct rdl__op *op = &sched->view.ops[thread->id];
    bool is_parked = thread->state == RDL__ALIVE && thread != (stopped ? stopped : rdl__running);

    say(&said_threads, "%u\t%s\t%s\t", thread->id, rdl__thread_name(thread), state_of(thread));
    if (thread->state == RDL__ALIVE)
        say_what(thread, op);
    say(&said_threads, "\t%lx\t%lx\t%lx\t%lx\n",
        thread->state == RDL__ALIVE ? (unsigned long)op->object : 0,
        thread->state == RDL__ALIVE ? (unsigned long)op->pc : 0,
        is_parked ? (unsigned long)thread->stack_pointer : 0,
        is_parked ? (unsigned long)thread->fs : 0);
}

/* ---- Who holds what ------------------------------------------------------------------------ */

static void say_holds(const struct rdl__thread *thread)
{
    for (uint32_t i = 0; i < thread->hold_count; i++) {
        const struct rdl__hold *hold = &thread->holds[i];

        say(&said_holds, "%u\t%lx\t%lx\t%s\n", thread->id, (unsigned long)hold->object,
            (unsigned long)hold->pc,
            hold->shared      ? "shared"
            : hold->count > 1 ? "several times"
                              : "");
    }
}

void rdl__debug_note(void)
{
    say_nothing(&said_threads);
    say_nothing(&said_holds);
    for (uint32_t id = 0; (rdl__running || failing) && id < sched->view.threads; id++) {
        if (sched->threads[id]->state != RDL__UNUSED)
            say_thread(sched->threads[id]);
        if (sched->threads[id]->state == RDL__ALIVE)
            say_holds(sched->threads[id]);
    }
}

/* ---- Who is to blame ------------------------------------------------------------------------ */

uint64_t rdl__debug_now(void)
{
    return steps;
}

void rdl__debug_blame(struct rdl__thread *thread, uint64_t step)
{
    blamed.thread = thread;
    blamed.step = step;
}

void rdl__debug_blame_call(uint64_t number, uintptr_t function)
{
    blamed.call = number;
    blamed.function = function;
}

static void say_blamed(void)
{
    say_nothing(&said_blamed);
    if (blamed.step)
        say(&said_blamed, "step\t%lu\t%s\n", blamed.step, rdl__thread_name(blamed.thread));
    else if (blamed.function)
        say(&said_blamed, "call\t%lu\t%lx\n", blamed.call, (unsigned long)blamed.function);
}

/* A thread that waits is looked at where it stands: on its own stack. */
static void visit(struct rdl__thread *self, struct rdl__thread *other)
{
    stopped = other;
    visitor = self;
    rdl__switch(&self->stack_pointer, other->stack_pointer, other->fs);
}

void rdl__debug_arrive(void)
{
    struct rdl__thread *from = visitor;

    if (!from)
        return;
    rdl__debug_note(); /* only now it is known where the visitor has left its stack */
    raise(SIGTRAP);
    visitor = NULL;
    rdl__switch(&blamed.thread->stack_pointer, from->stack_pointer, from->fs);
}

/* ---- Where to stop ------------------------------------------------------------------------- */

__attribute__((noinline)) void rdl__debug_begins(void)
{
    __asm__ volatile("");
}

__attribute__((noinline)) void rdl__debug_switched(void)
{
    __asm__ volatile("");
}

__attribute__((noinline)) void rdl__debug_step(uint64_t number)
{
    __asm__ volatile("" : : "D"(number));
}

__attribute__((noinline)) void rdl__debug_call(uint64_t number)
{
    __asm__ volatile("" : : "D"(number));
}

void rdl__debug_follow(const struct rdl__thread *self)
{
    bool is_another = self != last;

    last = self;
    steps++;
    rdl__debug_note();
    if (is_another)
        rdl__debug_switched();
    rdl__debug_step(steps);
}

/* Until the debugger lets us go on, nothing is controlled: who uses it may call functions. */
void rdl__debug_stop(const char *what, const char *text)
{
    struct rdl__thread *running = rdl__running;
    struct rdl__thread *wrong = blamed.thread;

    failing = wrong ? wrong : running;
    stopped = running;
    rdl__running = NULL;
    rdl__debug_note();
    say_blamed();
    fflush(NULL);
    fprintf(stderr, "raddle: %s\n%s%s", what, text, *text ? "\n" : "");
    if (wrong && wrong != running && !blamed.step && wrong->state == RDL__ALIVE)
        visit(running, wrong);
    else
        raise(SIGTRAP);
    rdl__running = running;
    failing = stopped = NULL;
    memset(&blamed, 0, sizeof blamed);
    rdl__debug_note();
    say_blamed();
}
