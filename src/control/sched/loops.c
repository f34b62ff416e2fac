/* loops.c -- loops of code that is not seen, in which threads wait.
 *
 * Such a loop keeps all other threads from running, and so it never ends.  The runner ends the
 * execution when that has taken its time, and the place where it was then tells which loop it was.
 * From then on the thread comes to us each time it goes round; if it has not got on since, as its
 * registers and its stack say, it lets others run, as if it had called sched_yield.  The execution
 * begins anew: so the time that it was given has no part in what it does.
 *
 * All processes of a run know of a loop that one of them has found. */
#include "control/sched/loops.h"

#include <string.h>
#include <sys/mman.h>

#include "base/apart.h"
#include "base/hash.h"
#include "control/sched/inner.h"
#include "control/sched/world.h"
#include "port/hook.h"
#include "port/loop.h"

enum {
    JUMPS_MAX = 64,
    VAIN_MAX = 100,
    RED_ZONE = 128,
    FRAME_MAX = 1 << 16, /* bytes */
    FRAME_LIKELY = 512,
    RESULTS = 0x8d5, /* flags that say how a comparison came out */
};

struct known_jump {
    uintptr_t at;
    bool has_locals; /* of which registers say nothing */
};

static struct known {
    uint32_t count;
    struct known_jump jumps[JUMPS_MAX];
} * known;
static struct rdl__hook hooks[JUMPS_MAX];
static uint32_t minded;

/* Where each thread came round last, and its registers then. */
static struct {
    uintptr_t at;
    uint64_t state;
} rounds[RDL__THREADS_MAX];

static uint32_t in_vain; /* rounds since anybody got on */

void rdl__loops_prepare(void)
{
    if (!known)
        known = rdl__map(sizeof *known, MAP_SHARED | MAP_NORESERVE);
}

static bool is_known(uintptr_t jump)
{
    for (uint32_t i = 0; i < known->count; i++)
        if (known->jumps[i].at == jump)
            return true;
    return false;
}

bool rdl__loops_learn(uintptr_t pc)
{
    struct rdl__loop loop;
    bool is_new = false;

    if (!known || rdl__is_own(pc + 1) || !rdl__loop_find(pc, &loop))
        return false;
    for (size_t i = 0; i < loop.count && known->count < JUMPS_MAX; i++)
        if (!is_known(loop.jumps[i])) {
            known->jumps[known->count++] =
                (struct known_jump){.at = loop.jumps[i], .has_locals = loop.has_locals};
            is_new = true;
        }
    return is_new;
}

/* It has come round again and again, and nobody else can run: neither now nor at a later time. */
static void fail_if_endless(struct rdl__thread *self, uintptr_t pc)
{
    if (rdl__sched.view.enabled_count > 1 || rdl__time_will_tell() || rdl__others_may_act()) {
        in_vain = 0;
        return;
    }
    if (++in_vain > VAIN_MAX)
        rdl__execution_fails(RDL__BY_LIVELOCK, pc,
                             "livelock: %s waits in a loop, and no other thread can run\n",
                             rdl__thread_name(self));
}

/* What it has on its stack: from the red zone up to where its frame begins, or may begin. */
static uint64_t hash_locals(const struct rdl__registers *registers)
{
    uint64_t from = registers->rsp - RED_ZONE;
    uint64_t end = registers->rbp - registers->rsp < FRAME_MAX ? registers->rbp
                                                               : registers->rsp + FRAME_LIKELY;

    return rdl__hash_bytes((const void *)from, end - from);
}

static void come_round(struct rdl__registers *registers, void *it)
{
    const struct known_jump *jump = it;
    struct rdl__thread *self = rdl__self();
    uint64_t state = registers->flags & RESULTS;

    if (!self)
        return;
    for (size_t i = 0; i < sizeof registers->dwarf / sizeof *registers->dwarf; i++)
        state = rdl__combine(state, registers->dwarf[i]);
    if (jump->has_locals)
        state = rdl__combine(state, hash_locals(registers));
    if (rounds[self->id].at == registers->rip && rounds[self->id].state == state) {
        rdl__yield(self, registers->rip + 1);
        fail_if_endless(self, registers->rip + 1);
    } else {
        in_vain = 0;
    }
    rounds[self->id].at = registers->rip;
    rounds[self->id].state = state;
}

void rdl__loops_mind(void)
{
    struct rdl__error error;

    memset(rounds, 0, sizeof rounds);
    in_vain = 0;
    for (; known && minded < known->count; minded++) {
        hooks[minded] = (struct rdl__hook){
            .address = known->jumps[minded].at, .call = come_round, .it = &known->jumps[minded]};
        (void)rdl__hook_place(&hooks[minded], &error); /* refused: it goes on as before */
    }
}
