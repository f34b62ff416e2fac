/* words.c -- operations in words. */
#include "control/sched/words.h"

#include <string.h>

const char *rdl__thing_name(enum rdl__thing thing)
{
    static const char *const names[] = {
        [RDL__ON_MEMORY] = "object",       [RDL__ON_MUTEX] = "mutex",
        [RDL__ON_SPIN_LOCK] = "spin lock", [RDL__ON_RWLOCK] = "rwlock",
        [RDL__ON_STREAM] = "stream",       [RDL__ON_CONDITION] = "condition",
        [RDL__ON_SEMAPHORE] = "semaphore", [RDL__ON_BARRIER] = "barrier",
        [RDL__ON_ONCE] = "once",           [RDL__ON_FUTEX] = "futex",
        [RDL__ON_QUEUE] = "queue",         [RDL__ON_CRITICAL] = "section",
        [RDL__ON_LOCK] = "lock",
    };

    return names[thing];
}

/* Not all of a variable, but some bytes of it or of something else. */
static bool is_part(const char *object)
{
    return object[strcspn(object, " +")] != '\0';
}

static void describe_access(struct rdl__text *out, const struct rdl__op *op, const char *object)
{
    bool atomic = op->kind == RDL__OP_ATOMIC;

    rdl__text_add(out, op->touch == RDL__READS ? "reads " : atomic ? "changes " : "writes ");
    if (op->size && is_part(object))
        rdl__text_add(out, "%u byte%s of ", op->size, op->size == 1 ? "" : "s");
    rdl__text_add(out, "%s", object);
}

void rdl__op_describe(struct rdl__text *out, const struct rdl__op *op, const char *object)
{
    static const char *const verbs[] = {
        [RDL__OP_JOIN] = "joins %s",
        [RDL__OP_LOCK] = "locks %s",
        [RDL__OP_TRYLOCK] = "tries to lock %s",
        [RDL__OP_UNLOCK] = "unlocks %s",
        [RDL__OP_READ_LOCK] = "locks %s for reading",
        [RDL__OP_WRITE_LOCK] = "locks %s for writing",
        [RDL__OP_WAIT] = "waits for %s",
        [RDL__OP_SIGNAL] = "signals %s",
        [RDL__OP_BROADCAST] = "wakes all who wait for %s",
        [RDL__OP_DOWN] = "takes from %s",
        [RDL__OP_UP] = "gives to %s",
        [RDL__OP_BARRIER] = "comes to %s",
        [RDL__OP_ONCE] = "does %s",
        [RDL__OP_FUTEX_WAIT] = "waits for %s",
        [RDL__OP_FUTEX_WAKE] = "wakes waiters for %s",
        [RDL__OP_DESTROY] = "destroys %s",
        [RDL__OP_LOOK] = "looks whether %s has ended",
    };
    static const char *const plain[] = {
        [RDL__OP_START] = "starts",
        [RDL__OP_CREATE] = "creates a thread",
        [RDL__OP_YIELD] = "lets others run",
        [RDL__OP_SLEEP] = "sleeps",
        [RDL__OP_IO] = "calls the C library",
        [RDL__OP_SIGNAL_WAIT] = "waits for a signal",
        [RDL__OP_QUIET] = "waits for all others",
        [RDL__OP_STEP] = "goes on",
        [RDL__OP_TEAM] = "meets its team",
        [RDL__OP_CALL] = "makes its next call",
        [RDL__OP_EMIT] = "emits an event",
        [RDL__OP_EVENT] = "takes an event",
        [RDL__OP_TICK] = "goes on at its time",
        [RDL__OP_GATE] = "passes a gate",
        [RDL__OP_MOCKED] = "calls what is mocked",
        [RDL__OP_UNSEEN] = "runs assembly",
        [RDL__OP_END] = "ends",
        [RDL__OP_EXIT] = "ends the process",
    };

    if (op->kind == RDL__OP_READ || op->kind == RDL__OP_WRITE || op->kind == RDL__OP_ATOMIC)
        describe_access(out, op, object);
    else if (op->kind == RDL__OP_UNSEEN && op->object)
        rdl__text_add(out, "calls %s", object);
    else if (op->kind < sizeof verbs / sizeof *verbs && verbs[op->kind]) {
        const char *verb = verbs[op->kind], *gap = verb;

        while (*gap != '%')
            gap++;
        rdl__text_add(out, "%.*s%s%s", (int)(gap - verb), verb, object, gap + 2);
    } else if (op->kind < sizeof plain / sizeof *plain && plain[op->kind]) {
        rdl__text_add(out, "%s", plain[op->kind]);
    }
}

void rdl__op_describe_wait(struct rdl__text *out, const struct rdl__op *op, const char *object)
{
    switch (op->kind) {
    case RDL__OP_JOIN:
        rdl__text_add(out, "waits for the end of %s", object);
        break;
    case RDL__OP_WAIT:
        rdl__text_add(out, "waits for a signal of %s", object);
        break;
    case RDL__OP_SLEEP:
        rdl__text_add(out, "sleeps");
        break;
    case RDL__OP_IO:
        rdl__text_add(out, "waits for a file");
        break;
    case RDL__OP_SIGNAL_WAIT:
        rdl__text_add(out, "waits for a signal");
        break;
    case RDL__OP_CALL:
        rdl__text_add(out, "waits for its next call");
        break;
    case RDL__OP_EVENT:
        rdl__text_add(out, "waits for an event");
        break;
    case RDL__OP_TICK:
        rdl__text_add(out, "waits for its time");
        break;
    case RDL__OP_GATE:
        rdl__text_add(out, "waits at a gate");
        break;
    case RDL__OP_MOCKED:
        rdl__text_add(out, "waits in a mocked call");
        break;
    case RDL__OP_QUIET:
        rdl__text_add(out, "waits for all others");
        break;
    default:
        rdl__text_add(out, "waits for %s", object);
    }
}
