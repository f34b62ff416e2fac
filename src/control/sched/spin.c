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
    FIRST_LOOK = 4,         /* reads until an anchor is dropped; */
    LAST_LOOK = 64,         /* and at most, after anchors that told nothing */
    FIRST_WINDOW = 16,      /* how often an anchor may be met in vain; */
    LAST_WINDOW = 4096,     /* and at most, when that has happened before */
    PAUSE = 16,             /* for each time it was, so many reads without an anchor */
    PERIOD_MAX = 4096,      /* reads from an anchor back to it */
    ONCE = 1,               /* in the same state again, */
    AND_AGAIN = 512,        /* and when in doubt */
    STACK_MAX = 256 * 1024, /* a deeper stack is not looked at */
    FAIR = 4096, /* points without a switch: let others go, whatever it is that takes so long */
};

uint32_t rdl__spinners;

void rdl__spin_begin(struct rdl__watch *watch)
{
    watch->reads = watch->hits = watch->same = watch->seen_count = watch->pause = 0;
    watch->look_at = FIRST_LOOK;
    watch->window = FIRST_WINDOW;
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

/* ---- Its state ------------------------------------------------------------------------------- */

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

enum { NEAR_WORDS = 32 };

/* Registers and the innermost part of the stack: most loops that count do it here. */
static uint64_t near_state(const struct rdl__watch *watch, const struct rdl__entry *entry)
{
    size_t words = (watch->stack_high - (uintptr_t)entry->stack) / sizeof *entry->stack;

    return hash_words(hash_words((uintptr_t)entry, entry->registers, 6), entry->stack,
                      words < NEAR_WORDS ? words : NEAR_WORDS);
}

static uint64_t far_state(const struct rdl__watch *watch, const struct rdl__entry *entry)
{
    size_t words = (watch->stack_high - (uintptr_t)entry->stack) / sizeof *entry->stack;

    return words > NEAR_WORDS ? hash_words(0, entry->stack + NEAR_WORDS, words - NEAR_WORDS) : 0;
}

/* Can its state be told? */
static bool has_state(const struct rdl__watch *watch, const struct rdl__entry *entry)
{
    uintptr_t stack = (uintptr_t)entry->stack;

    return !entry->unknown && stack < watch->stack_high && watch->stack_high - stack <= STACK_MAX;
}

/* ---- Waiting --------------------------------------------------------------------------------- */

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

        if (thread->state == RDL__ALIVE && thread->watch->stuck)
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

/* ---- The closer look ------------------------------------------------------------------------- */

static void drop_anchor(struct rdl__watch *watch, const struct rdl__op *op)
{
    watch->anchor = op->object;
    watch->anchor_pc = op->pc;
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
}

/* It changed something: what it did before says nothing of what comes. */
static void start_over(struct rdl__watch *watch)
{
    weigh_anchor(watch);
    watch->window = FIRST_WINDOW;
    watch->pause = 0;
    watch->same_wanted = ONCE;
}

/* It goes round, and yet its state is another each time.  Looking costs time, so do
 * it less, and then longer, in case it just takes long to come back. */
static void grow_patient(struct rdl__watch *watch)
{
    weigh_anchor(watch);
    watch->pause = watch->window * PAUSE / LAST_LOOK;
    if (watch->window < LAST_WINDOW)
        watch->window *= 2;
}

static void compare(struct rdl__watch *watch, const struct rdl__entry *entry)
{
    if (!has_state(watch, entry) || (watch->recording && !is_as_seen(watch))) {
        stop_recording(watch);
        watch->same = 0;
    } else if (watch->recording && near_state(watch, entry) == watch->near &&
               far_state(watch, entry) == watch->far) {
        watch->same++;
    } else if (watch->same == 0 && (watch->hits & (watch->hits - 1)) == 0) {
        watch->near = near_state(watch, entry);
        watch->far = far_state(watch, entry);
        watch->recording = true;
        watch->seen_count = 0;
        watch->look_at = 0; /* not to miss a read */
    }
}

/* Back at the anchor.  True: it has waited for something to change. */
static bool meet_anchor(struct rdl__thread *self, const struct rdl__entry *entry,
                        struct rdl__op *op)
{
    struct rdl__watch *watch = self->watch;

    if (watch->changed || load(op->object, op->size < 8 ? op->size : 8) != watch->anchor_value) {
        start_over(watch);
        return false;
    }
    watch->reads = 0;
    if (++watch->hits > watch->window && watch->same == 0) {
        grow_patient(watch);
        return false;
    }
    compare(watch, entry);
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

    if (op->object == watch->anchor && op->pc == watch->anchor_pc)
        return meet_anchor(self, entry, op);
    if (watch->recording) {
        if (watch->reads > PERIOD_MAX)
            weigh_anchor(watch);
    } else if (watch->reads >= watch->look_at && watch->pause > 0) {
        watch->pause--;
        watch->reads = 0;
        op->flags |= watch->changed ? 0 : RDL__OP_POLITE;
        watch->changed = false;
    } else if (watch->reads >= watch->look_at) {
        drop_anchor(watch, op);
    }
    if (rdl__sched.stretch > FAIR)
        op->flags |= RDL__OP_POLITE;
    return false;
}
