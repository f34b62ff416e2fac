/* spin.c -- loops that only wait.
 *
 * A thread that reads the same again and again, and changes nothing, waits for
 * somebody else to change what it reads.  We drop an anchor at one of its reads,
 * and when it comes by again with nothing changed look closer: the values that it
 * reads from there on are noted, together with a hash of its whole state: registers
 * and stack.  Once it is back at the anchor in the very same state, and all it has
 * read is still as it was, it will go round for ever unless one of these values
 * changes.  So that is what it waits for from then on, like one that waits for a
 * mutex: no schedule is lost, and a loop that counts how often it went round is
 * never taken for one (its state differs).
 *
 * Should it happen that nobody can run, while some wait in this way, we have another
 * and much longer look at each, in case code that we do not see (a random number
 * generator, say) makes a difference; only then is it a livelock. */
#include <string.h>

#include "base/hash.h"
#include "control/sched/inner.h"
#include "control/sched/watch.h"

enum {
    FIRST_LOOK = 4,         /* reads until the first anchor is dropped; */
    LAST_LOOK = 64,         /* and at most, after anchors that told nothing */
    PERIOD_MAX = 4096,      /* reads from an anchor back to it */
    ONCE = 1,               /* in the same state again, */
    AND_AGAIN = 256,        /* and when in doubt */
    STACK_MAX = 256 * 1024, /* a deeper stack is not looked at */
    FAIR = 4096, /* points without a switch: let others go, whatever it is that takes so long */
};

uint32_t rdl__spinners;

void rdl__spin_begin(struct rdl__watch *watch)
{
    watch->reads = watch->hits = watch->same = watch->seen_count = 0;
    watch->look_at = FIRST_LOOK;
    watch->anchor = 0;
    watch->changed = watch->recording = watch->stuck = watch->doubt = watch->proven = false;
    watch->same_wanted = ONCE;
}

/* ---- What a thread has seen ----------------------------------------------------------------- */

static uint64_t load(uintptr_t address, uint32_t size)
{
    uint64_t value = 0;

    memcpy(&value, (const void *)address, size);
    return value;
}

static bool is_as_seen(const struct rdl__watch *watch)
{
    for (uint32_t i = 0; i < watch->seen_count; i++)
        if (load(watch->seen[i].address, watch->seen[i].size) != watch->seen[i].value)
            return false;
    return true;
}

static void stop_recording(struct rdl__watch *watch)
{
    watch->recording = false;
    watch->look_at = LAST_LOOK;
}

static void see(struct rdl__watch *watch, uintptr_t address, uint32_t size)
{
    uint64_t value = load(address, size);

    for (uint32_t i = 0; i < watch->seen_count; i++)
        if (watch->seen[i].address == address && watch->seen[i].size == size) {
            if (watch->seen[i].value != value)
                stop_recording(watch);
            return;
        }
    if (watch->seen_count == RDL__SEEN_MAX)
        stop_recording(watch);
    else
        watch->seen[watch->seen_count++] = (struct rdl__seen){address, value, size};
}

void rdl__spin_read(struct rdl__watch *watch, uintptr_t address, uintptr_t size)
{
    for (; size > 8 && watch->recording; address += 8, size -= 8)
        see(watch, address, 8);
    if (watch->recording)
        see(watch, address, (uint32_t)size);
}

/* ---- Its state --------------------------------------------------------------------------------- */

__attribute__((no_sanitize("address"))) static uint64_t
hash_words(uint64_t hash, const uintptr_t *words, size_t count)
{
    uint64_t lanes[4] = {hash, 1, 2, 3};
    size_t i = 0;

    for (; i + 4 <= count; i += 4)
        for (int lane = 0; lane < 4; lane++) {
            lanes[lane] = (lanes[lane] ^ words[i + (size_t)lane]) * UINT64_C(0x9e3779b97f4a7c15);
            lanes[lane] ^= lanes[lane] >> 29;
        }
    for (; i < count; i++)
        lanes[0] = rdl__combine(lanes[0], words[i]);
    return rdl__combine(rdl__combine(rdl__combine(lanes[0], lanes[1]), lanes[2]), lanes[3]);
}

/* False: the stack is too deep to look at. */
static bool state_of(const struct rdl__watch *watch, const struct rdl__entry *entry,
                     uint64_t *out_hash)
{
    uintptr_t stack = (uintptr_t)entry->stack, size = watch->stack_high - stack;
    uint64_t hash = stack;

    if (entry->unknown || stack >= watch->stack_high || size > STACK_MAX)
        return false;
    for (int i = 0; i < 6; i++)
        hash = rdl__combine(hash, entry->registers[i]);
    *out_hash = hash_words(hash, entry->stack, size / sizeof *entry->stack);
    return true;
}

/* ---- Waiting --------------------------------------------------------------------------------------- */

static bool may_go_on(void *what)
{
    const struct rdl__watch *watch = what;

    return watch->doubt || !is_as_seen(watch);
}

static void wait_for_change(struct rdl__thread *self, struct rdl__op *op)
{
    struct rdl__watch *watch = self->watch;
    bool doubted;

    watch->proven = watch->same_wanted == AND_AGAIN;
    watch->stuck = true;
    rdl__spinners++;
    op->flags |= RDL__OP_POLITE;
    rdl__await(self, op, may_go_on, watch, RDL__FOREVER);
    rdl__spinners--;
    doubted = watch->doubt;
    rdl__spin_begin(watch);
    watch->same_wanted = doubted ? AND_AGAIN : ONCE;
}

void rdl__spin_recheck(void)
{
    for (uint32_t id = 0; id < rdl__sched.view.threads; id++) {
        struct rdl__thread *thread = rdl__sched.threads[id];

        if (thread != rdl__running && thread->state == RDL__ALIVE && thread->watch->stuck)
            rdl__look_again(thread);
    }
}

bool rdl__spin_doubt(void)
{
    bool any = false;

    for (uint32_t id = 0; id < rdl__sched.view.threads; id++) {
        struct rdl__thread *thread = rdl__sched.threads[id];

        if (thread->state == RDL__ALIVE && thread->watch->stuck && !thread->watch->proven) {
            thread->watch->doubt = any = true;
            rdl__look_again(thread);
        }
    }
    return any;
}

bool rdl__spinning(const struct rdl__thread *thread)
{
    return thread->watch->stuck;
}

/* Sleeping and offering one's turn change nothing; all other operations may. */
void rdl__spin_operation(struct rdl__thread *self, const struct rdl__op *op)
{
    const unsigned harmless = 1u << RDL__OP_READ | 1u << RDL__OP_WRITE | 1u << RDL__OP_ATOMIC |
                              1u << RDL__OP_YIELD | 1u << RDL__OP_SLEEP;

    if (!(harmless >> op->kind & 1))
        self->watch->changed = true;
    if (rdl__spinners)
        rdl__spin_recheck();
}

/* ---- The closer look --------------------------------------------------------------------------------- */

static void drop_anchor(struct rdl__watch *watch, const struct rdl__op *op)
{
    watch->anchor = op->pc;
    watch->anchor_address = op->object;
    watch->anchor_value = load(op->object, op->size < 8 ? op->size : 8);
    watch->reads = watch->hits = watch->same = 0;
    watch->changed = false;
    if (watch->look_at < LAST_LOOK)
        watch->look_at *= 2;
}

/* The thread is not waiting: look again only after a while. */
static void weigh_anchor(struct rdl__watch *watch)
{
    watch->anchor = 0;
    watch->recording = false;
    watch->reads = 0;
    watch->look_at = LAST_LOOK;
    watch->same_wanted = ONCE;
}

/* Back at the anchor.  True: it has waited for something to change. */
static bool meet_anchor(struct rdl__thread *self, const struct rdl__entry *entry,
                        struct rdl__op *op)
{
    struct rdl__watch *watch = self->watch;
    uint64_t state;

    if (watch->changed || load(op->object, op->size < 8 ? op->size : 8) != watch->anchor_value) {
        weigh_anchor(watch);
        return false;
    }
    watch->reads = 0;
    watch->hits++;
    if (!state_of(watch, entry, &state))
        watch->recording = false;
    else if (watch->recording && is_as_seen(watch) && state == watch->state)
        watch->same++;
    else if ((watch->hits & (watch->hits - 1)) == 0) {
        watch->state = state;
        watch->recording = true;
        watch->seen_count = watch->same = 0;
        watch->look_at = 0; /* not to miss a read */
    }
    if (watch->same >= watch->same_wanted) {
        wait_for_change(self, op);
        return true;
    }
    if (watch->hits % 4 == 0)
        op->flags |= RDL__OP_POLITE;
    return false;
}

bool rdl__spin_look(struct rdl__thread *self, const struct rdl__entry *entry, struct rdl__op *op)
{
    struct rdl__watch *watch = self->watch;

    if (op->pc == watch->anchor && op->object == watch->anchor_address)
        return meet_anchor(self, entry, op);
    if (watch->recording) {
        if (watch->reads > PERIOD_MAX)
            weigh_anchor(watch);
    } else if (watch->reads >= watch->look_at) {
        drop_anchor(watch, op);
    }
    if (rdl__sched.stretch > FAIR)
        op->flags |= RDL__OP_POLITE;
    return false;
}
