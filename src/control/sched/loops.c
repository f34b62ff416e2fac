/* loops.c -- loops of code that is not seen, in which threads wait.
 *
 * Such a loop keeps all other threads from running, and so it never ends.  The runner ends the
 * execution when that has taken its time, and the place where it was then tells which loop it was.
 * From then on the thread comes to us each time it goes round; if it has not got on since, as its
 * registers and its stack say, it lets others run, as if it had called sched_yield.  The execution
 * begins anew, so the time that it was given has no part in what it does.
 *
 * Other loops of the same module that can only end by what another thread does become known with
 * the first one, as each would take an execution its time.
 *
 * Invariant: a thread waits only if it would for ever, were it alone.  It has come round twice with
 * the same registers and the same stack, and has not left the loop in between; so nothing but what
 * it reads can end it.
 *
 * All processes of a run know of a loop that one of them has found. */
#include "control/sched/loops.h"

#include <sys/mman.h>

#include "base/apart.h"
#include "base/hash.h"
#include "control/sched/inner.h"
#include "control/sched/seen.h"
#include "control/sched/world.h"
#include "port/hook.h"
#include "port/loop.h"
#include "port/loop_step.h"

enum {
    LOOPS_MAX = 256,
    OTHERS_MAX = 192, /* that were not gone round in; there is to be room for those that are */
    NEST_MAX = 4,     /* loops around a place */
    CALLERS_MAX = 3,
    VAIN_MAX = 100,  /* rounds of a thread in which nobody got on */
    RESULTS = 0x8d5, /* flags that say how a comparison came out */
};

/* Processes add to it at the same time, and may find the same. */
static struct known {
    uint32_t count; /* may be more than there is room for */
    struct known_loop {
        struct rdl__loop it;
        bool is_whole;
    } loops[LOOPS_MAX];
} * known;

/* A jump of a loop that is known, in this process. */
static struct place {
    struct rdl__hook hook;
    uint32_t loop;
    const struct rdl__loop_jump *jump;
    bool goes_back; /* and does not for a loop minded before, such as one within this one */
    uint64_t
        *states; /* of each thread when it came round here last; 0: it has left the loop since */
} places[LOOPS_MAX][RDL__LOOP_JUMPS];
static bool minded[LOOPS_MAX];

/* Executions change only their copies of these. */
static uint64_t (*states)[RDL__LOOP_JUMPS][RDL__THREADS_MAX]; /* of the loops that are minded */
static uint64_t progress;                                     /* how often anybody got on */
static struct {
    uint64_t since; /* progress */
    uint32_t rounds, loop;
} in_vain[RDL__THREADS_MAX];

void rdl__loops_prepare(void)
{
    if (!known)
        known = rdl__map(sizeof *known, MAP_SHARED | MAP_NORESERVE);
}

/* ---- Finding them ---------------------------------------------------------------------------- */

static uint32_t count_known(void)
{
    uint32_t count = __atomic_load_n(&known->count, __ATOMIC_ACQUIRE);

    return count < LOOPS_MAX ? count : LOOPS_MAX;
}

static bool is_whole(uint32_t loop)
{
    return __atomic_load_n(&known->loops[loop].is_whole, __ATOMIC_ACQUIRE);
}

static bool is_known(uintptr_t jump)
{
    for (uint32_t i = 0; i < count_known(); i++)
        for (size_t j = 0; is_whole(i) && j < known->loops[i].it.count; j++)
            if (known->loops[i].it.jumps[j].at == jump && known->loops[i].it.jumps[j].goes_back)
                return true;
    return false;
}

/* False: all its ways back are known. */
static bool learn(const struct rdl__loop *loop)
{
    bool is_new = false;
    uint32_t number;

    for (size_t i = 0; i < loop->count; i++)
        is_new |= loop->jumps[i].goes_back && !is_known(loop->jumps[i].at);
    if (!is_new || count_known() == LOOPS_MAX)
        return false;
    number = __atomic_fetch_add(&known->count, 1, __ATOMIC_ACQ_REL);
    if (number >= LOOPS_MAX)
        return false;
    known->loops[number].it = *loop;
    __atomic_store_n(&known->loops[number].is_whole, true, __ATOMIC_RELEASE);
    return true;
}

static bool learn_around(uintptr_t pc)
{
    struct rdl__loop loops[NEST_MAX];
    size_t count = rdl__is_own(pc + 1) ? 0 : rdl__loops_around(pc, loops, NEST_MAX);
    bool is_new = false;

    for (size_t i = 0; i < count; i++)
        is_new |= learn(&loops[i]);
    return is_new;
}

/* Not of the C library, whose loops are its own business; nor where others look after them. */
static void learn_others(uintptr_t pc)
{
    static struct rdl__loop loops[OTHERS_MAX];
    size_t count = rdl__is_seen(pc + 1) ? 0 : rdl__loops_that_wait(pc, loops, OTHERS_MAX);

    for (size_t i = 0; i < count && count_known() < OTHERS_MAX; i++)
        if (!rdl__is_seen(loops[i].jumps[0].at + 1))
            learn(&loops[i]);
}

bool rdl__loops_learn(const uintptr_t *frames, int count)
{
    for (int i = 0; known && i < count && i <= CALLERS_MAX; i++) {
        uintptr_t at = frames[i] + (i > 0); /* of callers: behind the call */

        if (learn_around(at)) {
            learn_others(at);
            return true;
        }
    }
    return false;
}

/* ---- Going round ----------------------------------------------------------------------------- */

/* Has each thread that can run come round again and again, since anybody got on? */
static bool all_wait(void)
{
    const struct rdl__view *view = &rdl__sched.view;

    for (uint32_t id = 0; id < view->threads; id++)
        if (rdl__is_enabled(view, id) &&
            (in_vain[id].since != progress || in_vain[id].rounds <= VAIN_MAX))
            return false;
    return true;
}

/* If so, and nobody else can run at a later time, either. */
static void fail_if_endless(struct rdl__thread *self, uint32_t loop, uintptr_t pc)
{
    if (in_vain[self->id].since != progress || in_vain[self->id].loop != loop)
        in_vain[self->id].rounds = 0;
    in_vain[self->id].since = progress;
    in_vain[self->id].loop = loop;
    if (++in_vain[self->id].rounds <= VAIN_MAX || !all_wait())
        return;
    if (rdl__time_will_tell() || rdl__others_may_act())
        progress++;
    else
        rdl__execution_fails(RDL__BY_LIVELOCK, pc, "livelock: %s waits in a loop, and %s\n",
                             rdl__thread_name(self),
                             rdl__sched.view.enabled_count > 1 ? "so do all others that can run"
                                                               : "no other thread can run");
}

static bool has_frame_pointer(const struct rdl__registers *registers)
{
    return registers->rbp - registers->rsp < RDL__FRAME_MAX;
}

/* What it has on its stack: from the red zone up to where its frame begins, or may begin. */
static uint64_t hash_locals(const struct rdl__registers *registers)
{
    uint64_t from = registers->rsp - RDL__RED_ZONE;
    uint64_t end =
        has_frame_pointer(registers) ? registers->rbp : registers->rsp + RDL__FRAME_LIKELY;

    return rdl__hash_bytes((const void *)from, end - from);
}

static uint64_t hash_state(struct rdl__registers *registers, const struct rdl__loop *loop)
{
    enum { VECTORS = 16, VECTOR_SIZE = 16 };
    uint64_t state = registers->flags & RESULTS;

    for (size_t i = 0; i < sizeof registers->dwarf / sizeof *registers->dwarf; i++)
        state = rdl__combine(state, registers->dwarf[i]);
    for (unsigned i = 0; i < VECTORS; i++)
        state = rdl__combine(state, rdl__hash_bytes(rdl__registers_xmm(registers, i), VECTOR_SIZE));
    if (loop->has_locals)
        state = rdl__combine(state, hash_locals(registers));
    return state | 1;
}

static void leave(uint32_t loop, const struct rdl__thread *self)
{
    for (size_t i = 0; i < RDL__LOOP_JUMPS; i++)
        states[loop][i][self->id] = 0;
    if (in_vain[self->id].loop == loop && in_vain[self->id].rounds > 0)
        progress++; /* it is not one around that which it leaves */
}

static void come_to_jump(struct rdl__registers *registers, void *it)
{
    const struct place *place = it;
    const struct rdl__loop_jump *jump = place->jump;
    const struct rdl__loop *loop = &known->loops[place->loop].it;
    struct rdl__thread *self = rdl__self();
    bool is_taken = rdl__loop_jump_is_taken(jump, registers->flags);
    uint64_t state, before;

    if (!self)
        return;
    if (jump->leaves[is_taken])
        leave(place->loop, self);
    if (jump->leaves[is_taken] || !is_taken || !place->goes_back ||
        (loop->has_pointer && !has_frame_pointer(registers)))
        return;
    state = hash_state(registers, loop);
    before = place->states[self->id];
    place->states[self->id] = state;
    if (before == state) {
        rdl__yield(self, registers->rip + 1);
        fail_if_endless(self, place->loop, registers->rip + 1);
    } else if (before != 0) {
        progress++;
    }
}

static bool is_minded(uintptr_t jump)
{
    for (uint32_t i = 0; i < LOOPS_MAX; i++)
        for (size_t j = 0; minded[i] && j < RDL__LOOP_JUMPS; j++)
            if (places[i][j].goes_back && places[i][j].jump->at == jump)
                return true;
    return false;
}

/* Refused: it goes on as before. */
static void mind(uint32_t number)
{
    const struct rdl__loop *loop = &known->loops[number].it;
    struct rdl__hook *hooks[RDL__LOOP_JUMPS];
    struct rdl__error error;

    for (size_t i = 0; i < loop->count; i++) {
        const struct rdl__loop_jump *jump = &loop->jumps[i];
        struct place *place = &places[number][i];

        *place = (struct place){
            .hook = {.address = jump->at, .call = come_to_jump, .it = place},
            .loop = number,
            .jump = jump,
            .goes_back = jump->goes_back && !is_minded(jump->at),
            .states = states[number][i],
        };
        hooks[i] = &place->hook;
    }
    minded[number] = true;
    (void)rdl__hooks_place(hooks, loop->count, &error);
}

void rdl__loops_mind(void)
{
    uint32_t count = known ? count_known() : 0;

    if (count > 0 && !states)
        states = rdl__map(sizeof *states * LOOPS_MAX, MAP_PRIVATE | MAP_NORESERVE);
    for (uint32_t i = 0; i < count; i++)
        if (!minded[i] && is_whole(i))
            mind(i);
}
