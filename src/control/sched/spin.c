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
#include "control/sched/track.h"

enum {
    FIRST_LOOK = 4,         /* reads until an anchor is dropped; */
    LAST_LOOK = 64,         /* and at most, after anchors that told nothing */
    FIRST_WINDOW = 16,      /* how often in a row an anchor may be met in vain; */
    LAST_WINDOW = 4096,     /* and at most, when that has happened before */
    PAUSE = 16,             /* for each time it was, so many reads without an anchor */
    PERIOD_MAX = 4096,      /* reads from an anchor back to it */
    ONCE = 1,               /* in the same state again, */
    AND_AGAIN = 512,        /* and when in doubt */
    STACK_MAX = 256 * 1024, /* a deeper stack is not looked at */
    FAIR = 4096, /* points without a switch: let others go, whatever it is that takes so long */
};

uint32_t rdl__spinners;

void rdl__spin_begin(struct rdl__track *track)
{
    track->reads = track->hits = track->same = track->seen_count = track->pause = 0;
    track->look_at = FIRST_LOOK;
    track->window = FIRST_WINDOW;
    track->anchor = 0;
    track->changed = track->recording = track->stuck = track->doubt = track->proven = false;
    track->same_wanted = ONCE;
}

/* ---- What a thread has seen ----------------------------------------------------------------- */

static uint64_t load(uintptr_t address, uint32_t size)
{
    uint64_t value = 0;

    memcpy(&value, (const void *)address, size);
    return value;
}

static bool is_mine(const struct rdl__track *track, uintptr_t address)
{
    return address - track->mine_low < track->mine_size;
}

/* Is all as it was?  Variables on its own stack are part of its state, as long as it
 * is the thread itself that asks. */
static bool is_as_seen(const struct rdl__track *track, bool by_itself)
{
    for (uint32_t i = 0; i < track->seen_count; i++) {
        const struct rdl__seen *seen = &track->seen[i];

        if (!seen->own && !(by_itself && is_mine(track, seen->address)) &&
            load(seen->address, seen->size) != seen->value)
            return false;
    }
    return true;
}

static void stop_recording(struct rdl__track *track)
{
    track->recording = false;
    track->look_at = LAST_LOOK;
}

static void see(struct rdl__track *track, uintptr_t address, uint32_t size)
{
    uint64_t value = load(address, size);

    for (uint32_t i = 0; i < track->seen_count; i++)
        if (track->seen[i].address == address && track->seen[i].size == size) {
            if (track->seen[i].value == value || track->seen[i].own)
                return;
            track->seen[i].own = is_mine(track, address); /* the thread has changed it */
            if (!track->seen[i].own)
                stop_recording(track);
            return;
        }
    if (track->seen_count == RDL__SEEN_MAX)
        stop_recording(track);
    else
        track->seen[track->seen_count++] =
            (struct rdl__seen){.address = address, .value = value, .size = size};
}

void rdl__spin_read(struct rdl__track *track, uintptr_t address, uintptr_t size)
{
    for (; size > 8 && track->recording; address += 8, size -= 8)
        see(track, address, 8);
    if (track->recording)
        see(track, address, (uint32_t)size);
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
static uint64_t near_state(const struct rdl__track *track, const struct rdl__entry *entry)
{
    size_t words = (track->stack_high - (uintptr_t)entry->stack) / sizeof *entry->stack;

    return hash_words(hash_words((uintptr_t)entry ^ track->more, entry->registers, 6), entry->stack,
                      words < NEAR_WORDS ? words : NEAR_WORDS);
}

/* Where glibc lets the kernel note on which CPU a thread runs, counted from the thread
 * pointer: rseq(2).  In a donor it is above the stack, and changes when it likes. */
extern const ptrdiff_t __rseq_offset __attribute__((weak));
extern const unsigned __rseq_size __attribute__((weak));
enum { RSEQ_MIN = 32 };

/* The rest of the stack, and the thread-local variables above it. */
static uint64_t far_state(const struct rdl__track *track, const struct rdl__entry *entry)
{
    const uintptr_t *from = entry->stack + NEAR_WORDS;
    const uintptr_t *end = (const uintptr_t *)track->stack_high;
    uint64_t hash = 0;

    if (&__rseq_offset) {
        uintptr_t notes = rdl__thread_pointer() + (uintptr_t)__rseq_offset;
        size_t size = __rseq_size > RSEQ_MIN ? (__rseq_size + 7) & ~7u : RSEQ_MIN;

        if (notes >= (uintptr_t)from && notes < (uintptr_t)end) {
            hash = hash_words(hash, from, (size_t)((const uintptr_t *)notes - from));
            from = (const uintptr_t *)(notes + size);
        }
    }
    return from < end ? hash_words(hash, from, (size_t)(end - from)) : hash;
}

/* Can its state be told? */
static bool has_state(const struct rdl__track *track, const struct rdl__entry *entry)
{
    uintptr_t stack = (uintptr_t)entry->stack;

    return !entry->unknown && stack < track->stack_high && track->stack_high - stack <= STACK_MAX;
}

/* ---- Waiting --------------------------------------------------------------------------------- */

static bool may_go_on(void *what)
{
    const struct rdl__track *track = what;

    return track->doubt || !is_as_seen(track, false);
}

static void wait_for_change(struct rdl__thread *self, struct rdl__op *op)
{
    struct rdl__track *track = self->track;
    bool doubted;

    track->proven = track->same_wanted == AND_AGAIN;
    track->stuck = true;
    rdl__spinners++;
    op->flags |= RDL__OP_POLITE;
    rdl__await(self, op, may_go_on, track, RDL__FOREVER);
    rdl__spinners--;
    doubted = track->doubt;
    rdl__spin_begin(track);
    track->same_wanted = doubted ? AND_AGAIN : ONCE;
}

void rdl__spin_recheck(void)
{
    for (uint32_t id = 0; id < rdl__sched.view.threads; id++) {
        struct rdl__thread *thread = rdl__sched.threads[id];

        if (thread->state == RDL__ALIVE && thread->track->stuck)
            rdl__look_again(thread);
    }
}

bool rdl__spin_doubt(void)
{
    bool any = false;

    for (uint32_t id = 0; id < rdl__sched.view.threads; id++) {
        struct rdl__thread *thread = rdl__sched.threads[id];

        if (thread->state == RDL__ALIVE && thread->track->stuck && !thread->track->proven) {
            thread->track->doubt = any = true;
            rdl__look_again(thread);
        }
    }
    return any;
}

bool rdl__spinning(const struct rdl__thread *thread)
{
    return thread->track->stuck;
}

/* Sleeping and offering one's turn change nothing; all other operations may. */
void rdl__spin_operation(struct rdl__thread *self, const struct rdl__op *op)
{
    static const uint64_t one = 1;
    const uint64_t harmless = one << RDL__OP_READ | one << RDL__OP_WRITE | one << RDL__OP_ATOMIC |
                              one << RDL__OP_YIELD | one << RDL__OP_SLEEP;

    if (!(harmless >> op->kind & 1))
        self->track->changed = true;
    if (rdl__spinners)
        rdl__spin_recheck();
}

/* ---- The closer look ------------------------------------------------------------------------- */

static void drop_anchor(struct rdl__track *track, const struct rdl__op *op)
{
    track->anchor = op->object;
    track->anchor_pc = op->pc;
    track->anchor_value = load(op->object, op->size < 8 ? op->size : 8);
    track->reads = track->hits = track->same = 0;
    track->changed = false;
    if (track->look_at < LAST_LOOK)
        track->look_at *= 2;
}

/* The thread is not waiting: look again only after a while. */
static void weigh_anchor(struct rdl__track *track)
{
    track->anchor = 0;
    track->recording = false;
    track->reads = 0;
    track->look_at = LAST_LOOK;
}

/* It changed something: what it did before says nothing of what comes. */
static void start_over(struct rdl__track *track)
{
    weigh_anchor(track);
    track->window = FIRST_WINDOW;
    track->pause = 0;
    track->same_wanted = ONCE;
}

/* It goes round, and yet its state is another each time.  Looking costs time, so do
 * it less, and then longer, in case it just takes long to come back. */
static void grow_patient(struct rdl__track *track)
{
    weigh_anchor(track);
    track->pause = track->window * PAUSE / LAST_LOOK;
    if (track->window < LAST_WINDOW)
        track->window *= 2;
}

static void compare(struct rdl__track *track, const struct rdl__entry *entry)
{
    if (!has_state(track, entry) || (track->recording && !is_as_seen(track, true))) {
        stop_recording(track);
        track->same = 0;
    } else if (track->recording && near_state(track, entry) == track->near &&
               far_state(track, entry) == track->far) {
        track->same++;
        track->hits = 0;
    } else if (track->same == 0 && (track->hits & (track->hits - 1)) == 0) {
        track->near = near_state(track, entry);
        track->far = far_state(track, entry);
        track->recording = true;
        track->seen_count = 0;
        track->look_at = 0; /* not to miss a read */
    }
}

/* Back at the anchor.  True: it has waited for something to change. */
static bool meet_anchor(struct rdl__thread *self, const struct rdl__entry *entry,
                        struct rdl__op *op)
{
    struct rdl__track *track = self->track;

    if (track->changed || (!is_mine(track, op->object) &&
                           load(op->object, op->size < 8 ? op->size : 8) != track->anchor_value)) {
        start_over(track);
        return false;
    }
    track->reads = 0;
    if (++track->hits > track->window) {
        grow_patient(track);
        return false;
    }
    compare(track, entry);
    if (track->same >= track->same_wanted) {
        wait_for_change(self, op);
        return true;
    }
    if (track->hits % 4 == 0)
        op->flags |= RDL__OP_POLITE;
    return false;
}

bool rdl__spin_look(struct rdl__thread *self, const struct rdl__entry *entry, struct rdl__op *op)
{
    struct rdl__track *track = self->track;

    rdl__catch_up();
    if (op->object == track->anchor && op->pc == track->anchor_pc)
        return meet_anchor(self, entry, op);
    if (track->recording) {
        if (track->reads > PERIOD_MAX)
            weigh_anchor(track);
    } else if (track->reads >= track->look_at && track->pause > 0) {
        track->pause--;
        track->reads = 0;
        op->flags |= track->changed ? 0 : RDL__OP_POLITE;
        track->changed = false;
    } else if (track->reads >= track->look_at) {
        drop_anchor(track, op);
    }
    if (rdl__sched.stretch > FAIR)
        op->flags |= RDL__OP_POLITE;
    return false;
}
