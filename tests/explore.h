/* explore.h -- everything that can come out of a few threads: for tests of primitives.
 *
 *     static void *poster(void *unused) { sem_post(&sem); return unused; }
 *     static void *waiter(void *unused) { put(1, "%d", sem_trywait(&sem)); return unused; }
 *     static void body(void) { sem_init(&sem, 0, 0); together(2, poster, waiter); }
 *
 *     EXPECT_STR(outcomes_of(body), "-1 | 0");
 *
 * The body is run once for each order of operations that threads can see: all of
 * them, depth first.  What a thread does besides (its start, its end, the steps
 * after an unlock) it does at once, so bodies must not race.  An outcome is what
 * was put into the slots, in their order; or, if the execution failed, why and
 * what had been put until then.
 *
 * Executions happen in child processes, since those that fail leave their threads
 * behind; so an EXPECT must not be used within a body. */
#ifndef TESTS_EXPLORE_H
#define TESTS_EXPLORE_H

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "control/sched/inner.h"
#include "control/sched/seen.h"
#include "harness.h"
#include "run/execute.h"

enum {
    SLOTS = 8,
    SLOT_ROOM = 48,
    OUTCOMES_MAX = 1024,
    OUTCOME_ROOM = 512,
    DEPTH_MAX = 4096,
    FAILURES_PER_PROCESS = 20,
};

/* Shared by parent and children. */
struct exploration {
    struct {
        uint32_t chosen, count;
    } path[DEPTH_MAX];
    uint32_t length, at;
    bool by_chance, finished;
    unsigned faults;
    uint64_t runs, runs_max;
    char outcomes[OUTCOMES_MAX][OUTCOME_ROOM]; /* sorted */
    uint32_t outcome_count;
    char failure[600]; /* headline of the last one */
    char details[4096];
    uint64_t now; /* virtual time at the end of the last execution, since its start */
};

static struct exploration *exploration;
static uint32_t volatiles; /* what accesses to volatile variables mean: RDL__VOLATILE_ACQ_REL */
static char slots[SLOTS][SLOT_ROOM];

/* Append to a slot. */
__attribute__((format(printf, 2, 3), unused)) static void put(int slot, const char *format, ...)
{
    size_t used = strlen(slots[slot]);
    va_list args;

    va_start(args, format);
    vsnprintf(slots[slot] + used, SLOT_ROOM - used, format, args);
    va_end(args);
}

/* Start threads, and wait for their ends. */
__attribute__((unused)) static void together(int count, ...)
{
    pthread_t threads[SLOTS];
    va_list functions;

    va_start(functions, count);
    for (int i = 0; i < count; i++) {
        void *(*function)(void *) = va_arg(functions, void *(*)(void *));

        pthread_create(&threads[i], NULL, function, (void *)(intptr_t)i);
    }
    va_end(functions);
    for (int i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
}

/* So many seconds after now; both are virtual. */
__attribute__((unused)) static const struct timespec *after(clockid_t clock, int seconds)
{
    static struct timespec times[SLOTS];
    static unsigned next;
    struct timespec *time = &times[next++ % SLOTS];

    clock_gettime(clock, time);
    time->tv_sec += seconds;
    return time;
}

/* ---- Depth first --------------------------------------------------------------------- */

static uint32_t branch(uint32_t count)
{
    uint32_t at = exploration->at++;

    if (at >= DEPTH_MAX)
        _exit(3);
    if (exploration->by_chance)
        return (uint32_t)rdl__random_upto(&rdl__sched.view.random, count - 1);
    if (at == exploration->length) {
        exploration->path[at].chosen = 0;
        exploration->path[at].count = count;
        exploration->length++;
    }
    if (exploration->path[at].count != count)
        _exit(4); /* the body is not deterministic */
    return exploration->path[at].chosen;
}

/* Nobody minds when it is done: so now.  But who offers its turn to others may do
 * so for ever; by chance, they get it. */
static bool is_private(const struct rdl__op *op)
{
    return (op->touch == RDL__TOUCHES_NOTHING || op->kind == RDL__OP_JOIN) &&
           !(exploration->by_chance && op->flags & RDL__OP_POLITE);
}

static uint32_t pick_thread(void *state, struct rdl__view *view)
{
    (void)state;
    for (uint32_t id = 0; id < view->threads; id++)
        if (rdl__is_enabled(view, id) && is_private(&view->ops[id]))
            return id;
    return rdl__enabled_nth(view, branch(view->enabled_count));
}

static uint32_t choose_one(void *state, struct rdl__view *view, uint32_t max)
{
    (void)state, (void)view;
    return branch(max + 1);
}

static bool to_next_path(void)
{
    if (exploration->by_chance)
        return true;
    while (exploration->length > 0) {
        uint32_t last = exploration->length - 1;

        if (++exploration->path[last].chosen < exploration->path[last].count)
            return true;
        exploration->length--;
    }
    return false;
}

/* ---- Executions ------------------------------------------------------------------------ */

static void note_outcome(const char *text)
{
    uint32_t at = exploration->outcome_count;

    for (uint32_t i = 0; i < exploration->outcome_count; i++)
        if (strcmp(exploration->outcomes[i], text) == 0)
            return;
    if (at == OUTCOMES_MAX)
        _exit(5);
    for (; at > 0 && strcmp(exploration->outcomes[at - 1], text) > 0; at--)
        strcpy(exploration->outcomes[at], exploration->outcomes[at - 1]);
    snprintf(exploration->outcomes[at], OUTCOME_ROOM, "%s", text);
    exploration->outcome_count++;
}

static const char *name_of_cause(enum rdl__cause cause)
{
    switch (cause) {
    case RDL__BY_DEADLOCK:
        return "deadlock";
    case RDL__BY_MISUSE:
        return "misuse";
    case RDL__BY_LEAK:
        return "leak";
    case RDL__BY_LIVELOCK:
        return "livelock";
    case RDL__BY_RACE:
        return "race";
    case RDL__BY_MEMORY:
        return "memory";
    default:
        return "failure";
    }
}

static void note_end(const struct rdl__outcome *outcome)
{
    char text[OUTCOME_ROOM] = "";
    bool failed = outcome->verdict == RDL__FAILED;

    if (failed) {
        snprintf(text, sizeof text, "%s", name_of_cause(outcome->cause));
        strcpy(exploration->failure, outcome->check);
        strcpy(exploration->details, outcome->text);
    }
    for (int i = 0; i < SLOTS; i++)
        if (slots[i][0])
            snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", text[0] ? " " : "",
                     slots[i]);
    note_outcome(text[0] ? text : "done");
}

static void call_body(void *context)
{
    (*(void (**)(void))context)();
}

static const struct rdl__strategy depth_first = {
    .name = "depth first", .pick = pick_thread, .choose = choose_one};

static void run_one(struct rdl_case *t, const struct rdl__strategy *strategy, void *state,
                    struct rdl__summary *summary, void (*body)(void))
{
    struct rdl__execution execution = {.t = t,
                                       .strategy = strategy,
                                       .strategy_state = state,
                                       .summary = summary,
                                       .faults = exploration->faults,
                                       .points_max = 100000,
                                       .volatiles = volatiles};
    uint64_t began;

    rdl__tape_from_random(t->tape, exploration->runs);
    t->outcome->verdict = RDL__PASSED;
    t->outcome->claimed = 0;
    t->races->count = 0;
    t->wanted = RDL__ANY_RACE;
    memset(slots, 0, sizeof slots);
    exploration->at = 0;
    exploration->runs++;
    rdl__execution_run(&execution, call_body, &body);
    began = UINT64_C(1735689600) * 1000000000;
    exploration->now = rdl__sched.now - began;
    note_end(t->outcome);
}

_Noreturn static void run_some(void (*body)(void))
{
    struct rdl__error error;
    struct rdl__board *board = rdl__board_new(1 << 16, &error);
    struct rdl__summary *summary = rdl__allocate(sizeof *summary);
    struct rdl_case t;
    int failures = 0;

    alarm(120);
    rdl__case_init(&t, board, NULL);
    board->tape.limit = 1 << 16;
    while (failures < FAILURES_PER_PROCESS && !exploration->finished) {
        rdl__random_seed(&rdl__sched.view.random, test_seed() + exploration->runs);
        memset(summary, 0, offsetof(struct rdl__summary, log));
        run_one(&t, &depth_first, NULL, summary, body);
        failures += t.outcome->verdict != RDL__PASSED;
        exploration->finished = !to_next_path() || exploration->runs == exploration->runs_max;
    }
    _exit(0);
}

/* All outcomes, as one text. */
static const char *collected(void)
{
    static char all[OUTCOMES_MAX * OUTCOME_ROOM];

    all[0] = '\0';
    for (uint32_t i = 0; i < exploration->outcome_count; i++)
        snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", i ? " | " : "",
                 exploration->outcomes[i]);
    if (!exploration->by_chance && exploration->runs == exploration->runs_max)
        strcat(all, " | (there may be more)");
    return all;
}

static void begin_exploration(bool by_chance, uint64_t runs_max, unsigned faults)
{
    if (!exploration)
        exploration = mmap(NULL, sizeof *exploration, PROT_READ | PROT_WRITE,
                           MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    memset(exploration, 0, sizeof *exploration);
    exploration->by_chance = by_chance;
    exploration->runs_max = runs_max;
    exploration->faults = faults;
    fflush(NULL);
}

/* NULL, or how the child came to its end. */
static const char *await_child(pid_t child)
{
    static char text[40];
    int status = 0;

    EXPECT(child > 0 && waitpid(child, &status, 0) == child);
    snprintf(text, sizeof text, "ended with status %#x", status);
    return status ? text : NULL;
}

static const char *explore(void (*body)(void), bool by_chance, uint64_t runs_max, unsigned faults)
{
    begin_exploration(by_chance, runs_max, faults);
    while (!exploration->finished) {
        pid_t child = fork();
        const char *how;

        if (child == 0)
            run_some(body);
        how = await_child(child);
        if (how)
            return how;
    }
    return collected();
}

_Noreturn static void run_with(const struct rdl__strategy *strategy, void *state,
                               struct rdl__summary *summary, void (*body)(void))
{
    struct rdl__error error;
    struct rdl__board *board = rdl__board_new(1 << 12, &error);
    struct rdl_case t;

    rdl__instrumented = rdl__see_all = true; /* bodies do nothing that cannot be seen */
    alarm(120);
    rdl__case_init(&t, board, NULL);
    board->tape.limit = 1 << 12;
    run_one(&t, strategy, state, summary, body);
    summary->failed = t.outcome->verdict == RDL__FAILED;
    _exit(0);
}

/* The outcomes that one of the strategies of ours finds until it says that it is done. */
__attribute__((unused)) static const char *outcomes_with(const char *name, void (*body)(void))
{
    static struct rdl__summary *summary;
    unsigned parameter = 0;
    const struct rdl__strategy *strategy = rdl__strategy_named(name, &parameter);
    void *state = rdl__allocate(strategy->state_size + 1);
    const char *how = NULL;

    if (!summary)
        summary =
            mmap(NULL, sizeof *summary, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    begin_exploration(false, 100000, 0);
    if (strategy->init)
        strategy->init(state, test_seed(), parameter);
    while (!how && exploration->runs < exploration->runs_max) {
        pid_t child;

        memset(summary, 0, offsetof(struct rdl__summary, log));
        rdl__random_seed(&rdl__sched.view.random, exploration->runs);
        if (!strategy->begin(state, &rdl__sched.view, summary))
            break;
        child = fork();
        if (child == 0)
            run_with(strategy, state, summary, body);
        how = await_child(child);
        strategy->ended(state, summary);
    }
    if (strategy->release)
        strategy->release(state);
    free(state);
    return how ? how : collected();
}

/* All outcomes, sorted. */
__attribute__((unused)) static const char *outcomes_of(void (*body)(void))
{
    return explore(body, false, 200000, 0);
}

/* Those that were seen in so many executions, in which these faults may happen. */
__attribute__((unused)) static const char *outcomes_by_chance(void (*body)(void), uint64_t runs,
                                                              unsigned faults)
{
    return explore(body, true, runs, faults);
}

#endif
