/* explored.h -- a simulated program under a strategy, as the scheduler would run it. */
#ifndef TESTS_EXPLORED_H
#define TESTS_EXPLORED_H

#include "simulated.h"

enum { SIM_STEPS_MAX = EVENTS_MAX - 1 };

/* Do programs do what cannot be seen between their operations? */
static bool does_unseen;

struct simulation {
    struct rdl__view view;
    struct rdl__summary *summary;
    struct sim sim;
    struct sim_history history;
    uintptr_t base; /* where the objects are, this time */
    bool enabled_changed;
    uint32_t asked;      /* how often */
    uint64_t before_end; /* who could go when the process ended */
};

static inline void sim_come_to(struct simulation *s, uint32_t id)
{
    s->view.threads = s->sim.count;
    s->view.creator[id] = s->sim.threads[id].creator;
    if (s->sim.threads[id].ended)
        return;
    s->view.ops[id] = sim_op(&s->sim, id, s->base);
    if (does_unseen)
        s->view.ops[id].flags |= RDL__OP_WORLD;
    s->view.steps[id]++;
}

static inline void sim_update(struct simulation *s)
{
    uint64_t enabled = sim_all_enabled(&s->sim);

    s->enabled_changed |= s->view.enabled[0] != enabled;
    s->view.enabled[0] = enabled;
    s->view.enabled_count = (uint32_t)__builtin_popcountll(enabled);
    s->view.running = s->sim.running;
}

static inline struct rdl__log_entry *sim_log(struct simulation *s, uint32_t index, uint32_t id)
{
    s->summary->log[index] = (struct rdl__log_entry){.op = s->view.ops[id],
                                                     .thread = id,
                                                     .enabled_count = 1,
                                                     .enabled = s->view.enabled[0],
                                                     .note = s->view.note};
    return &s->summary->log[index];
}

/* The thread does its operation, having been picked from so many. */
static inline void sim_do(struct simulation *s, const struct rdl__strategy *strategy, void *state,
                          uint32_t id, uint32_t from)
{
    const struct sim_thread *thread = &s->sim.threads[id];
    struct rdl__summary *summary = s->summary;
    uint32_t asks = sim_asks(&s->sim, id), answer = 0, number = UINT32_MAX;
    struct rdl__log_entry *entry = sim_log(s, summary->log_count, id);

    summary->log_count += summary->wants_log;
    summary->steps++;
    entry->enabled_count = from;
    if (entry->op.kind == RDL__OP_START)
        entry->other = thread->creator;
    if (entry->op.kind == RDL__OP_JOIN)
        entry->other = thread->child[thread->at[1] - '0'];
    if (asks) {
        answer = strategy->choose ? strategy->choose(state, &s->view, asks)
                                  : (uint32_t)rdl__random_upto(&s->view.random, asks);
        EXPECT(answer <= asks);
        sim_log(s, summary->log_count, id)->chosen = answer + 1;
        summary->log[summary->log_count].other = asks;
        summary->log_count += summary->wants_log;
    }
    sim_count_costs(&s->history, &s->sim, s->view.enabled[0], id);
    sim_note(&s->history, &s->sim, id, answer);
    sim_step(&s->sim, id, answer);
    if (entry->op.kind == RDL__OP_CREATE) {
        number = s->sim.threads[id].child[s->sim.threads[id].children - 1];
        entry->other = number;
        s->view.steps[number] = 0;
        sim_come_to(s, number);
    }
    sim_come_to(s, id);
    if (s->sim.over)
        s->before_end = s->view.enabled[0];
    sim_update(s);
}

static inline uint32_t sim_pick(struct simulation *s, const struct rdl__strategy *strategy,
                                void *state)
{
    uint32_t running = s->view.running, picked;

    s->view.points++;
    if (s->view.quiet > 0 && !s->enabled_changed && rdl__is_enabled(&s->view, running) &&
        !(s->view.ops[running].flags & RDL__OP_POLITE)) {
        s->view.quiet--;
        return running;
    }
    s->enabled_changed = false;
    s->view.quiet = 0;
    s->asked++;
    picked = strategy->pick(state, &s->view);
    EXPECT(rdl__is_enabled(&s->view, picked));
    if (picked != running)
        EXPECT_EQ(s->view.quiet, 0);
    return picked;
}

static inline void sim_reset(struct simulation *s, const struct program *program, uint64_t seed)
{
    memset(s->summary, 0, offsetof(struct rdl__summary, log));
    s->summary->unseen = does_unseen;
    sim_begin(&s->sim, program);
    s->history.count = s->history.preemptions = s->history.delays = 0;
    s->history.order = 0;
    s->view.threads = 0;
    s->view.points = s->view.quiet = 0;
    s->view.enabled[0] = 0;
    s->base = 0x100000 + seed % 7 * 0x10000;
    s->asked = 0;
    s->before_end = 0;
    rdl__random_seed(&s->view.random, seed);
}

static inline void sim_end(struct simulation *s)
{
    struct rdl__summary *summary = s->summary;

    summary->points = s->view.points;
    summary->threads = s->view.threads;
    summary->hash = s->history.order;
    summary->preemptions = s->history.preemptions;
    for (uint32_t i = 0; i < s->sim.count; i++)
        if (s->sim.threads[i].used && !s->sim.threads[i].ended) {
            sim_log(s, summary->log_count + summary->pending_count++, i)->enabled_count =
                s->before_end >> i & 1;
            summary->alive++;
            summary->failed |= !s->sim.over;
        }
}

/* One execution, up to what its process would do: `ended` is left to the caller.
 * False: the strategy has nothing left to try. */
static inline bool simulate_part(struct simulation *s, const struct program *program,
                                 const struct rdl__strategy *strategy, void *state, uint64_t seed)
{
    sim_reset(s, program, seed);
    if (!strategy->begin(state, &s->view, s->summary))
        return false;
    s->view.steps[0] = 0;
    sim_come_to(s, 0);
    sim_update(s);
    while (s->view.enabled_count > 0 && s->summary->steps < SIM_STEPS_MAX) {
        uint32_t id = s->view.running, from = 1;

        if (!sim_creates(&s->sim)) {
            from = s->view.enabled_count;
            if (from > 1)
                id = sim_pick(s, strategy, state);
            else
                id = rdl__enabled_from(&s->view, 0);
        }
        sim_do(s, strategy, state, id, from);
    }
    sim_end(s);
    return true;
}

static inline bool simulate(struct simulation *s, const struct program *program,
                            const struct rdl__strategy *strategy, void *state, uint64_t seed)
{
    if (!simulate_part(s, program, strategy, state, seed))
        return false;
    if (strategy->ended)
        strategy->ended(state, s->summary);
    return true;
}

static inline struct simulation *simulation_new(void)
{
    struct simulation *s = calloc(1, sizeof *s);

    EXPECT(s);
    s->summary = calloc(1, sizeof *s->summary);
    EXPECT(s->summary);
    return s;
}

static inline void simulation_free(struct simulation *s)
{
    free(s->summary);
    free(s);
}

static inline void *strategy_new(const struct rdl__strategy *strategy, unsigned parameter)
{
    void *state = calloc(1, strategy->state_size + 1);

    EXPECT(state);
    if (strategy->init)
        strategy->init(state, 1, parameter);
    return state;
}

static inline void strategy_free(const struct rdl__strategy *strategy, void *state)
{
    if (strategy->release)
        strategy->release(state);
    free(state);
}

/* So many executions by the strategy of this name, or fewer if it comes to an end;
 * what it has counted then is in `tally`. */
static inline void explore(const struct program *program, const char *name, uint64_t executions,
                           uint64_t seed, struct findings *findings, struct rdl__tally *tally)
{
    unsigned parameter;
    const struct rdl__strategy *strategy = rdl__strategy_named(name, &parameter);
    struct simulation *s = simulation_new();
    void *state;

    EXPECT(strategy);
    state = strategy_new(strategy, parameter);
    *findings = (struct findings){0};
    while (findings->count < executions &&
           simulate(s, program, strategy, state, seed + findings->count))
        sim_found(findings, &s->sim, &s->history);
    if (tally)
        *tally = (struct rdl__tally){0};
    if (tally && strategy->count)
        strategy->count(state, tally);
    strategy_free(strategy, state);
    simulation_free(s);
}

#endif
