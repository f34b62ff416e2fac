/* simulated.h -- little programs of several threads, without any thread.
 *
 * A program is one text per body; body 0 is that of thread 0:
 *
 *     static const struct program two_writers = {{"C1 C1", "W0"}};
 *
 *     R0 W0 A0    read, write, add to variable 0       L0 U0 T0   mutex: lock, unlock, try
 *     r0 w0 u0    rwlock 0: read, write, unlock        +0 -0      semaphore: up, down
 *     Q0 S0 B0    wait on condition 0 with mutex 0, signal, broadcast
 *     C1 J0       create a thread of body 1, join the first one created
 *     Y0 .0 ?2    yield, a step, a choice from 0 to 2  !0         yield until variable 0 is set
 *     G0          add to variable 0 in code that is not seen
 *     X0          end the process
 *
 * Unlocking what the thread does not hold is no operation.  Operations are as the
 * scheduler has them: waiting takes three, creating leaves no choice.
 *
 * enumerate() visits all schedules by itself, and tells what there is to be found. */
#ifndef TESTS_SIMULATED_H
#define TESTS_SIMULATED_H

#include <stdlib.h>

#include "base/hash.h"
#include "control/strategy/distinct.h"
#include "control/strategy/strategy.h"
#include "harness.h"

enum { BODIES = 6, SIM_THREADS = 8, SIM_OBJECTS = 4, CHILDREN = 6, EVENTS_MAX = 4096 };

struct program {
    const char *bodies[BODIES];
};

struct sim_thread {
    const char *at; /* in its body */
    bool used, started, ended, signalled;
    uint8_t stage; /* within an instruction */
    uint8_t creator, children, child[CHILDREN];
    uint8_t held;   /* mutexes, a bit each */
    uint32_t done;  /* operations */
    uint64_t name;  /* the same in every schedule */
    uint64_t value; /* of all it has seen */
};

struct sim {
    const struct program *program;
    struct sim_thread threads[SIM_THREADS];
    uint32_t count, running;
    bool over; /* the process has ended */
    uint32_t variables[SIM_OBJECTS];
    uint8_t owner[SIM_OBJECTS];                        /* of mutexes; thread + 1 */
    uint8_t readers[SIM_OBJECTS], writer[SIM_OBJECTS]; /* of rwlocks */
    uint8_t semaphores[SIM_OBJECTS];
};

/* What was done, to tell traces from each other. */
struct sim_event {
    struct rdl__op op;
    uint32_t thread;
    uint64_t id;
};

struct sim_history {
    struct sim_event events[EVENTS_MAX];
    uint32_t count;
    uint64_t order; /* a hash of the schedule */
    uint32_t preemptions, delays;
};

/* What can be found in a program. */
struct findings {
    struct rdl__distinct schedules, traces, finals;
    uint64_t count;     /* of executions */
    uint64_t deadlocks; /* of executions */
    uint64_t by_preemptions[64], by_delays[64];
    uint32_t longest; /* execution */
};

static inline void free_findings(struct findings *findings)
{
    rdl__distinct_release(&findings->schedules);
    rdl__distinct_release(&findings->traces);
    rdl__distinct_release(&findings->finals);
}

/* ---- One thread ---- */

static inline struct rdl__op sim_op(const struct sim *sim, uint32_t id, uintptr_t base)
{
    const struct sim_thread *thread = &sim->threads[id];
    uint32_t object = thread->at[0] ? (uint32_t)(thread->at[1] - '0') : 0;
    uintptr_t memory = base + object * 16, mutex = memory + 256, condition = memory + 512;
    struct rdl__op op = {.size = 1, .pc = (uintptr_t)thread->at + thread->stage};

    if (!thread->started)
        return (struct rdl__op){.kind = RDL__OP_START, .pc = 1};
#define SIM_OP(letter, the_kind, the_touch, the_object)                                            \
    case letter:                                                                                   \
        op.kind = RDL__OP_##the_kind;                                                              \
        op.touch = the_touch;                                                                      \
        op.object = the_object;                                                                    \
        break
    switch (thread->at[0]) {
        SIM_OP('R', READ, RDL__READS, memory);
        SIM_OP('W', WRITE, RDL__WRITES, memory);
        SIM_OP('A', ATOMIC, RDL__WRITES, memory);
        SIM_OP('L', LOCK, RDL__WRITES, mutex);
        SIM_OP('U', UNLOCK, RDL__WRITES, mutex);
        SIM_OP('T', TRYLOCK, RDL__WRITES, mutex);
        SIM_OP('r', READ_LOCK, RDL__WRITES, memory + 768);
        SIM_OP('w', WRITE_LOCK, RDL__WRITES, memory + 768);
        SIM_OP('u', UNLOCK, RDL__WRITES, memory + 768);
        SIM_OP('+', UP, RDL__WRITES, memory + 1024);
        SIM_OP('-', DOWN, RDL__WRITES, memory + 1024);
        SIM_OP('S', SIGNAL, RDL__WRITES, condition);
        SIM_OP('B', BROADCAST, RDL__WRITES, condition);
        SIM_OP('C', CREATE, RDL__TOUCHES_NOTHING, 0);
        SIM_OP('J', JOIN, RDL__READS, base + 2048 + thread->child[object]);
        SIM_OP('Y', YIELD, RDL__TOUCHES_NOTHING, 0);
        SIM_OP('.', STEP, RDL__TOUCHES_NOTHING, 0);
        SIM_OP('?', STEP, RDL__TOUCHES_NOTHING, 0);
        SIM_OP('G', STEP, RDL__TOUCHES_NOTHING, 0);
        SIM_OP('X', EXIT, RDL__TOUCHES_NOTHING, 0);
        SIM_OP('!', READ, RDL__READS, memory);
        SIM_OP('Q', WAIT, RDL__WRITES, condition);
    default:
        abort();
    }
#undef SIM_OP
    if (thread->at[0] == 'Q' && thread->stage == 0)
        op.also = mutex;
    else if (thread->at[0] == 'Q' && thread->stage == 1)
        op.touch = RDL__READS;
    else if (thread->at[0] == 'Q')
        op = (struct rdl__op){
            .kind = RDL__OP_LOCK, .touch = RDL__WRITES, .size = 1, .object = mutex, .pc = op.pc};
    else if (thread->at[0] == '!' && thread->stage == 1)
        op = (struct rdl__op){.kind = RDL__OP_YIELD, .pc = op.pc};
    if (op.kind == RDL__OP_YIELD)
        op.flags = RDL__OP_POLITE;
    if (thread->at[0] == 'G')
        op.flags = RDL__OP_WORLD;
    if (thread->at[0] == 'X')
        op.flags = RDL__OP_BREAKS;
    return op;
}

static inline bool sim_enabled(const struct sim *sim, uint32_t id)
{
    const struct sim_thread *thread = &sim->threads[id];
    uint32_t object;

    if (!thread->used || thread->ended || sim->over)
        return false;
    if (!thread->started)
        return true;
    object = (uint32_t)(thread->at[1] - '0');
    switch (thread->at[0]) {
    case 'L':
        return !sim->owner[object];
    case 'r':
        return !sim->writer[object];
    case 'w':
        return !sim->writer[object] && !sim->readers[object];
    case '-':
        return sim->semaphores[object] > 0;
    case 'J':
        return sim->threads[thread->child[object]].ended;
    case 'Q':
        return thread->stage == 0 || (thread->stage == 1 ? thread->signalled : !sim->owner[object]);
    default:
        return true;
    }
}

static inline bool sim_waits(const struct sim *sim, uint32_t id, char object)
{
    const struct sim_thread *thread = &sim->threads[id];

    return thread->used && !thread->ended && thread->started && thread->at[0] == 'Q' &&
           thread->at[1] == object && thread->stage == 1 && !thread->signalled;
}

/* The largest answer to what the next operation of the thread asks; 0: nothing. */
static inline uint32_t sim_asks(const struct sim *sim, uint32_t id)
{
    const struct sim_thread *thread = &sim->threads[id];
    uint32_t waiters = 0;

    if (!thread->started || thread->ended)
        return 0;
    if (thread->at[0] == '?')
        return (uint32_t)(thread->at[1] - '0');
    if (thread->at[0] != 'S')
        return 0;
    for (uint32_t i = 0; i < sim->count; i++)
        waiters += sim_waits(sim, i, thread->at[1]);
    return waiters ? waiters - 1 : 0;
}

static inline void sim_wake(struct sim *sim, char object, uint32_t which, bool all)
{
    for (uint32_t i = 0; i < sim->count; i++)
        if (sim_waits(sim, i, object) && (all || which-- == 0)) {
            sim->threads[i].signalled = true;
            if (!all)
                return;
        }
}

/* To the next instruction, past unlocks of what is not held; or to the end. */
static inline void sim_arrive(struct sim_thread *thread)
{
    for (;;) {
        while (*thread->at == ' ')
            thread->at++;
        if ((thread->at[0] != 'U' || thread->held >> (thread->at[1] - '0') & 1) &&
            (thread->at[0] != 'u' || thread->held >> (thread->at[1] - '0' + 4) & 1))
            break;
        thread->at += 2;
    }
    thread->ended = !*thread->at;
}

static inline void sim_see(struct sim_thread *thread, uint64_t what)
{
    thread->value = rdl__combine(thread->value, what + 1);
}

static inline uint32_t sim_create(struct sim *sim, uint32_t id, uint32_t body)
{
    struct sim_thread *creator = &sim->threads[id], *thread;
    uint32_t number = 0;

    while (number < sim->count && sim->threads[number].used)
        number++;
    if (number >= SIM_THREADS || creator->children >= CHILDREN)
        abort();
    if (number == sim->count)
        sim->count++;
    thread = &sim->threads[number];
    *thread = (struct sim_thread){.at = sim->program->bodies[body],
                                  .used = true,
                                  .creator = (uint8_t)id,
                                  .name = rdl__combine(creator->name, creator->children + 1)};
    creator->child[creator->children++] = (uint8_t)number;
    return number;
}

static inline void sim_lock_effect(struct sim *sim, uint32_t id, char what, uint32_t object)
{
    uint8_t *held = &sim->threads[id].held, bit = (uint8_t)(1 << object);

    switch (what) {
    case 'L':
        sim->owner[object] = (uint8_t)(id + 1);
        *held |= bit;
        break;
    case 'U':
        sim->owner[object] = 0;
        *held &= (uint8_t)~bit;
        break;
    case 'r':
        sim->readers[object]++;
        *held |= (uint8_t)(bit << 4);
        break;
    case 'w':
        sim->writer[object] = 1;
        *held |= (uint8_t)(bit << 4);
        break;
    case 'u':
        sim->readers[object] -= !sim->writer[object];
        sim->writer[object] = 0;
        *held &= (uint8_t) ~(bit << 4);
        break;
    }
}

/* Waiting: give up the mutex; be signalled; take the mutex.  True: it is over. */
static inline bool sim_wait_effect(struct sim *sim, uint32_t id, uint32_t object)
{
    struct sim_thread *thread = &sim->threads[id];

    if (thread->stage == 0)
        sim_lock_effect(sim, id, 'U', object);
    if (thread->stage == 2)
        sim_lock_effect(sim, id, 'L', object);
    thread->signalled = false;
    thread->stage = (uint8_t)((thread->stage + 1) % 3);
    return thread->stage == 0;
}

/* The effect of an instruction.  False: it is not over yet. */
static inline bool sim_effect(struct sim *sim, uint32_t id, uint32_t answer)
{
    struct sim_thread *thread = &sim->threads[id];
    uint32_t object = (uint32_t)(thread->at[1] - '0');

    switch (thread->at[0]) {
    case 'R':
        sim_see(thread, sim->variables[object]);
        break;
    case 'W':
        sim->variables[object] = (uint32_t)rdl__combine(thread->name, (uintptr_t)thread->at) | 1;
        break;
    case 'X':
        sim->over = true;
        break;
    case 'A':
    case 'G':
        sim_see(thread, ++sim->variables[object]);
        break;
    case 'T':
        sim_see(thread, sim->owner[object]);
        if (!sim->owner[object])
            sim_lock_effect(sim, id, 'L', object);
        break;
    case '+':
        sim->semaphores[object]++;
        break;
    case '-':
        sim->semaphores[object]--;
        break;
    case 'S':
    case 'B':
        sim_wake(sim, thread->at[1], answer, thread->at[0] == 'B');
        break;
    case 'C':
        sim_create(sim, id, object);
        break;
    case 'J':
        sim_see(thread, sim->threads[thread->child[object]].value);
        sim->threads[thread->child[object]].used = false;
        break;
    case '?':
        sim_see(thread, answer);
        break;
    case '!':
        if (thread->stage == 0 && sim->variables[object])
            break;
        thread->stage = !thread->stage;
        return false;
    case 'Q':
        return sim_wait_effect(sim, id, object);
    default:
        sim_lock_effect(sim, id, thread->at[0], object);
    }
    return true;
}

/* Let the thread do its operation. */
static inline void sim_step(struct sim *sim, uint32_t id, uint32_t answer)
{
    struct sim_thread *thread = &sim->threads[id];

    sim->running = id;
    if (!thread->started)
        thread->started = true;
    else if (sim_effect(sim, id, answer))
        thread->at += 2;
    thread->done++;
    sim_arrive(thread);
}

static inline void sim_begin(struct sim *sim, const struct program *program)
{
    *sim = (struct sim){.program = program, .count = 1};
    sim->threads[0] =
        (struct sim_thread){.at = program->bodies[0], .used = true, .started = true, .name = 1};
    sim_arrive(&sim->threads[0]);
}

/* Creating a thread comes at once. */
static inline bool sim_creates(const struct sim *sim)
{
    const struct sim_thread *thread = &sim->threads[sim->running];

    return !thread->ended && thread->started && thread->at[0] == 'C';
}

static inline uint64_t sim_all_enabled(const struct sim *sim)
{
    uint64_t enabled = 0;

    for (uint32_t i = 0; i < sim->count; i++)
        enabled |= (uint64_t)sim_enabled(sim, i) << i;
    return enabled;
}

static inline uint64_t sim_final(const struct sim *sim)
{
    uint64_t hash = 0;

    for (uint32_t i = 0; i < SIM_OBJECTS; i++)
        hash = rdl__combine(hash, sim->variables[i]);
    for (uint32_t i = 0; i < sim->count; i++) {
        const struct sim_thread *thread = &sim->threads[i];

        if (thread->used) /* numbers differ, names do not */
            hash += rdl__combine(rdl__combine(thread->name, thread->value),
                                 (uint64_t)thread->at + thread->stage);
    }
    return hash;
}

/* ---- Histories ---- */

/* How far from round robin without preemption is it to let this one go? */
static inline void sim_count_costs(struct sim_history *history, const struct sim *sim,
                                   uint64_t enabled, uint32_t id)
{
    bool runs_on =
        enabled >> sim->running & 1 && !(sim_op(sim, sim->running, 0).flags & RDL__OP_POLITE);
    uint32_t turn = runs_on ? sim->running : sim->running + 1;

    history->preemptions += runs_on && id != sim->running;
    for (;; turn++) {
        if (turn >= SIM_THREADS)
            turn = 0;
        if (turn == id)
            break;
        history->delays += enabled >> turn & 1;
    }
}

/* The operation that the thread does now. */
static inline void sim_note(struct sim_history *history, const struct sim *sim, uint32_t id,
                            uint32_t answer)
{
    const struct sim_thread *thread = &sim->threads[id];
    struct sim_event *event = &history->events[history->count++];

    EXPECT(history->count < EVENTS_MAX);
    *event = (struct sim_event){.op = sim_op(sim, id, 0), .thread = id};
    event->id = rdl__combine(rdl__combine(thread->name, thread->done),
                             (uint64_t)event->op.pc * 16 + answer);
    history->order = rdl__combine(history->order, event->id);
}

/* Equal for schedules that differ only in the order of what does not conflict. */
static inline uint64_t sim_trace(const struct sim_history *history)
{
    uint64_t hash = 0;

    for (uint32_t i = 0; i < history->count; i++) {
        const struct sim_event *later = &history->events[i];

        hash += rdl__mix(later->id);
        for (uint32_t k = 0; k < i; k++)
            if (rdl__depends(&history->events[k].op, &later->op, false))
                hash += rdl__combine(history->events[k].id, later->id);
    }
    return hash;
}

static inline void sim_found(struct findings *findings, const struct sim *sim,
                             const struct sim_history *history)
{
    bool deadlock = false;

    for (uint32_t i = 0; i < sim->count; i++)
        deadlock |= sim->threads[i].used && !sim->threads[i].ended && !sim->over;
    findings->count++;
    findings->deadlocks += deadlock;
    rdl__distinct_add(&findings->schedules, history->order);
    rdl__distinct_add(&findings->traces, sim_trace(history));
    rdl__distinct_add(&findings->finals, sim_final(sim));
    findings->by_preemptions[history->preemptions < 63 ? history->preemptions : 63]++;
    findings->by_delays[history->delays < 63 ? history->delays : 63]++;
    if (findings->longest < history->count)
        findings->longest = history->count;
}

/* ---- All schedules, by brute force ---- */

static inline bool sim_enumerate(const struct sim *sim, struct sim_history *history,
                                 struct findings *findings, uint64_t limit)
{
    uint64_t enabled = sim_creates(sim) ? UINT64_C(1) << sim->running : sim_all_enabled(sim);

    if (!enabled)
        sim_found(findings, sim, history);
    for (uint64_t rest = enabled; rest; rest &= rest - 1) {
        uint32_t id = (uint32_t)__builtin_ctzll(rest), asks = sim_asks(sim, id);

        for (uint32_t answer = 0; answer <= asks; answer++) {
            uint32_t count = history->count, preemptions = history->preemptions;
            uint32_t delays = history->delays;
            uint64_t order = history->order;
            struct sim next = *sim;

            sim_count_costs(history, sim, enabled, id);
            sim_note(history, sim, id, answer);
            sim_step(&next, id, answer);
            if (!sim_enumerate(&next, history, findings, limit))
                return false;
            history->count = count;
            history->preemptions = preemptions;
            history->delays = delays;
            history->order = order;
        }
    }
    return findings->count <= limit;
}

/* False: there are more than `limit` schedules. */
static inline bool enumerate(const struct program *program, struct findings *findings,
                             uint64_t limit)
{
    static struct sim_history history;
    struct sim sim;

    *findings = (struct findings){0};
    history.count = history.preemptions = history.delays = 0;
    history.order = 0;
    sim_begin(&sim, program);
    return sim_enumerate(&sim, &history, findings, limit);
}

#endif
