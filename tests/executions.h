/* executions.h -- executions of small programs under our strategies, each held against its log.
 *
 * Of each execution, summary and tape have to say what follows from its log, which tells who did
 * what: how many points, switches and preemptions there were, and how long each stretch was.
 * The tape is then replayed, whole and spoilt. */
#ifndef TESTS_EXECUTIONS_H
#define TESTS_EXECUTIONS_H

#include "base/hash.h"
#include "explore.h"

enum {
    TAPE_MOST = 1 << 12,
    STRETCHES_MOST = 256,
    ORDERS_MOST = 1024,
    HASHES_MOST = 4096,
    SPOILT = 16,
    PREEMPTIONS_MOST = 16,
    RUNS = 4000, /* more than any of the programs has */
    CHANCES = 40,
};

/* What a strategy has tried, and what the executions said of themselves. */
struct tried {
    uint64_t runs;
    uint64_t order[ORDERS_MOST]; /* of operations that conflict: all there were */
    uint32_t orders;
    uint64_t hash[HASHES_MOST]; /* of executions: all there were */
    uint32_t hashes;
    struct rdl__tally tally;
    bool timed, unasked, polite, by_chance, answered;
    uint64_t with[PREEMPTIONS_MOST]; /* so many preemptions */
    uint32_t threads;                /* the most */
};

static struct tried *tried; /* shared with the process that tries */

/* ---- Oracles ---------------------------------------------------------------------------- */

/* What the log says; `lengths` are those that the tape should have. */
struct told {
    uint64_t steps, points, switches, preemptions;
    uint32_t threads;
    uint64_t lengths[STRETCHES_MOST];
};

static struct told told_by_log(const struct rdl__summary *summary)
{
    struct told told = {.threads = 1};
    const struct rdl__log_entry *last = NULL;
    uint64_t points = 0; /* of this stretch */

    for (uint32_t i = 0; i < summary->log_count; i++) {
        const struct rdl__log_entry *entry = &summary->log[i];

        if (entry->chosen)
            continue;
        told.steps++;
        told.points += entry->enabled_count > 1;
        if (entry->thread + 1 > told.threads)
            told.threads = entry->thread + 1;
        if (last && last->thread != entry->thread) {
            bool preempted = entry->enabled >> last->thread & 1;

            EXPECT(told.switches < STRETCHES_MOST);
            told.lengths[told.switches++] = preempted ? points + 1 : 0;
            told.preemptions += preempted;
            points = 0;
        } else {
            points += entry->enabled_count > 1;
        }
        last = entry;
    }
    return told;
}

/* Stretches and switches take turns on the tape, and lengths are where preemptions were.  (The
 * last stretch of a tape that was given may have ended before its length.) */
static void expect_tape_of(const struct rdl__tape *tape, const struct rdl__summary *summary,
                           const struct told *told)
{
    uint64_t stretches = 0, switches = 0, answers = 0, preemptions = 0;

    for (uint32_t i = 0; i < tape->count; i++) {
        const struct rdl__choice *choice = &tape->choices[i];

        EXPECT(choice->index <= choice->max);
        switches += choice->kind == RDL__SWITCH;
        answers += choice->kind == RDL__ANSWER;
        if (choice->kind != RDL__STRETCH)
            continue;
        preemptions += choice->index > 0 && stretches < summary->switches;
        if (told && stretches < told->switches)
            EXPECT_EQ(choice->index, told->lengths[stretches]);
        stretches++;
    }
    EXPECT_EQ(stretches, switches + 1);
    EXPECT_EQ(switches, summary->switches);
    EXPECT(preemptions <= summary->preemptions); /* whoever goes on too long is preempted, too */
    EXPECT_EQ(stretches + switches + answers, tape->count);
    EXPECT_EQ(summary->choices, tape->count);
    EXPECT_EQ(summary->answered, answers > 0);
}

/* Of executions that passed.  Where time jumps, a thread may follow itself; and where the
 * strategy was not asked, the log does not tell points. */
static void expect_consistent(const struct rdl__tape *tape, const struct rdl__summary *summary)
{
    struct told told = told_by_log(summary);
    bool plain = !summary->unasked && !summary->timed && summary->threads <= 64;

    EXPECT(!summary->log_full && summary->log_count > 0);
    EXPECT_EQ(summary->pending_count, 0);
    EXPECT_EQ(summary->steps, told.steps);
    EXPECT_EQ(summary->threads, told.threads);
    EXPECT_EQ(summary->alive, 1);
    if (plain) {
        EXPECT_EQ(summary->points, told.points);
        EXPECT_EQ(summary->switches, told.switches);
        EXPECT_EQ(summary->preemptions, told.preemptions);
    }
    expect_tape_of(tape, summary, plain ? &told : NULL);
}

static uint64_t name_of(uint32_t thread, uint32_t index)
{
    return rdl__mix((uint64_t)thread << 32 | (index + 1));
}

/* A number for all executions in which operations that conflict come in this order. */
static uint64_t hash_of_order(const struct rdl__summary *summary)
{
    static uint32_t index[RDL__LOG_ROOM]; /* of an operation in its thread */
    uint32_t done[RDL__THREADS_MAX] = {0};
    uint64_t sum = 0;

    for (uint32_t i = 0; i < summary->log_count; i++) {
        const struct rdl__log_entry *later = &summary->log[i];
        uint64_t name;

        index[i] = done[later->thread]++;
        name = name_of(later->thread, index[i]);
        sum += rdl__combine(name, later->chosen);
        for (uint32_t j = 0; j < i; j++) {
            const struct rdl__log_entry *earlier = &summary->log[j];

            if (earlier->thread != later->thread && rdl__conflict(&earlier->op, &later->op))
                sum += rdl__combine(name, name_of(earlier->thread, index[j]));
        }
    }
    return sum;
}

static void count(uint64_t hash, uint64_t *hashes, uint32_t *in_out_count, uint32_t most)
{
    for (uint32_t i = 0; i < *in_out_count; i++)
        if (hashes[i] == hash)
            return;
    EXPECT(*in_out_count < most);
    hashes[(*in_out_count)++] = hash;
}

/* ---- Replaying --------------------------------------------------------------------------- */

static struct rdl__summary *replayed;

/* What these choices lead to; what is recorded is on the tape. */
static void replay(struct rdl_case *t, const uint64_t *indexes, uint32_t count, void (*body)(void))
{
    struct rdl__feed feed = {
        .indexes = indexes, .count = count, .then = RDL__THEN_ZERO, .fill_at = RDL__NONE};
    struct rdl__execution execution = {.t = t, .summary = replayed, .points_max = 100000};

    memset(replayed, 0, offsetof(struct rdl__summary, log));
    replayed->wants_log = true;
    rdl__tape_from_feed(t->tape, &feed, 1);
    t->outcome->verdict = RDL__PASSED;
    t->outcome->claimed = 0;
    memset(slots, 0, sizeof slots);
    rdl__execution_run(&execution, call_body, &body);
}

static uint32_t indexes_of(const struct rdl__tape *tape, uint64_t *out)
{
    for (uint32_t i = 0; i < tape->count; i++)
        out[i] = tape->choices[i].index;
    return tape->count;
}

static void expect_same_operations(const struct rdl__summary *summary)
{
    EXPECT_EQ(replayed->log_count, summary->log_count);
    for (uint32_t i = 0; i < summary->log_count; i++) {
        const struct rdl__log_entry *one = &summary->log[i], *two = &replayed->log[i];

        EXPECT(one->thread == two->thread && one->op.kind == two->op.kind &&
               one->op.object == two->op.object && one->op.pc == two->op.pc &&
               one->enabled == two->enabled && one->chosen == two->chosen &&
               one->other == two->other);
    }
}

/* The tape that an execution left is that execution. */
static void expect_replays(struct rdl_case *t, const struct rdl__summary *summary,
                           void (*body)(void))
{
    static uint64_t indexes[TAPE_MOST], again[TAPE_MOST];
    uint32_t count = indexes_of(t->tape, indexes);
    enum rdl__verdict verdict = t->outcome->verdict;
    char came_out[SLOTS][SLOT_ROOM];
    uint64_t now = rdl__sched.now;

    memcpy(came_out, slots, sizeof slots);
    replay(t, indexes, count, body);
    EXPECT_EQ(t->outcome->verdict, verdict);
    EXPECT_EQ(rdl__sched.now, now);
    EXPECT(memcmp(came_out, slots, sizeof slots) == 0);
    EXPECT_EQ(indexes_of(t->tape, again), count);
    EXPECT(memcmp(indexes, again, count * sizeof *indexes) == 0);
    EXPECT_EQ(replayed->hash, summary->hash);
    EXPECT_EQ(replayed->points, summary->points);
    EXPECT_EQ(replayed->preemptions, summary->preemptions);
    EXPECT_EQ(replayed->choices, summary->choices);
    expect_same_operations(summary);
}

/* Any numbers are a tape.  What is recorded is the execution that they led to; and in the
 * simplest nobody is preempted. */
static void expect_spoilt_tapes_lead_somewhere(struct rdl_case *t, uint64_t seed,
                                               void (*body)(void))
{
    static struct rdl__summary *before;
    static uint64_t indexes[TAPE_MOST];
    struct rdl__random random;

    if (!before)
        before = rdl__allocate(sizeof *before);
    rdl__random_seed(&random, seed);
    for (uint32_t i = 0; i < SPOILT; i++)
        indexes[i] = rdl__random_upto(&random, 4);
    replay(t, indexes, (uint32_t)(seed % SPOILT), body);
    if (seed % SPOILT == 0)
        EXPECT_EQ(replayed->preemptions, 0);
    memcpy(before, replayed,
           offsetof(struct rdl__summary, log) + replayed->log_count * sizeof *replayed->log);
    if (t->outcome->verdict == RDL__PASSED)
        expect_tape_of(t->tape, replayed, NULL);
    expect_replays(t, before, body);
}

/* ---- All ways to try everything --------------------------------------------------------- */

static void note_summary(const struct rdl__summary *summary)
{
    tried->timed |= summary->timed;
    tried->unasked |= summary->unasked;
    tried->polite |= summary->polite;
    tried->by_chance |= summary->by_chance;
    tried->answered |= summary->answered;
    if (summary->preemptions < PREEMPTIONS_MOST)
        tried->with[summary->preemptions]++;
    if (summary->threads > tried->threads)
        tried->threads = summary->threads;
}

_Noreturn static void try_all_here(const struct rdl__strategy *strategy, unsigned parameter,
                                   void (*body)(void))
{
    struct rdl__error error;
    struct rdl__board *board = rdl__board_new(TAPE_MOST, &error);
    struct rdl__summary *summary = rdl__allocate(sizeof *summary);
    void *state = rdl__allocate(strategy->state_size + 1);
    struct rdl_case t;

    replayed = rdl__allocate(sizeof *replayed);
    rdl__instrumented = rdl__see_all = true; /* bodies do nothing that cannot be seen */
    rdl__case_init(&t, board, NULL);
    board->tape.limit = TAPE_MOST;
    if (strategy->init)
        strategy->init(state, test_seed(), parameter);
    while (exploration->runs < exploration->runs_max) {
        memset(summary, 0, offsetof(struct rdl__summary, log));
        rdl__random_seed(&rdl__sched.view.random, exploration->runs);
        if (strategy->begin && !strategy->begin(state, &rdl__sched.view, summary))
            break;
        summary->wants_log = true; /* we want it, if the strategy does not */
        run_one(&t, strategy, state, summary, body);
        summary->failed = t.outcome->verdict == RDL__FAILED;
        if (!summary->failed)
            expect_consistent(t.tape, summary);
        expect_replays(&t, summary, body);
        if (exploration->runs <= 4 * SPOILT)
            expect_spoilt_tapes_lead_somewhere(&t, exploration->runs - 1, body);
        note_summary(summary);
        count(hash_of_order(summary), tried->order, &tried->orders, ORDERS_MOST);
        count(summary->hash, tried->hash, &tried->hashes, HASHES_MOST);
        if (strategy->ended)
            strategy->ended(state, summary);
    }
    tried->runs = exploration->runs;
    if (strategy->count)
        strategy->count(state, &tried->tally);
    _exit(0);
}

/* The outcomes that a strategy finds, until it says that it is done or has had so many runs. */
static const char *outcomes_in(const char *name, uint64_t runs, void (*body)(void))
{
    unsigned parameter = 0;
    const struct rdl__strategy *strategy = rdl__strategy_named(name, &parameter);
    const char *how;
    pid_t child;

    EXPECT(strategy);
    if (!tried)
        tried =
            mmap(NULL, sizeof *tried, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    memset(tried, 0, sizeof *tried);
    begin_exploration(false, runs, 0);
    child = fork();
    if (child == 0)
        try_all_here(strategy, parameter, body);
    how = await_child(child);
    return how ? how : collected();
}

#endif
