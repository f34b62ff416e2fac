/* explore.c -- cases whose threads are controlled: one execution each. */
#include "control/explore.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/apart.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/memory.h"
#include "control/alike.h"
#include "control/meet.h"
#include "control/sched/donor.h"
#include "control/sched/inner.h"
#include "control/sched/left.h"
#include "control/sched/loops.h"
#include "control/sched/next.h"
#include "control/strategy/distinct.h"
#include "port/crash.h"
#include "port/process.h"

enum {
    POINTS_LEAST = 200000, /* no execution with fewer points is endless, */
    POINTS_TIMES = 200,    /* nor one that is so many times as long as others, */
    LONG = 100000,         /* if these are not longer than this: */
    LONG_TIMES = 8,        /* else so many times are enough */
    NS_OF_MS = 1000 * 1000,
    CALLS_LEAST = 20000, /* calls of a spec are short */
    CALLS_TIMES = 20,
    DONORS_KEPT = 64,
    LEFT_STATUS = 217, /* the execution has said in its outcome why it ended */
};

bool (*rdl__explorer_hung)(void);
bool rdl__explorer_unclean, rdl__explorer_exhausted;
void (*rdl__explorer_judge)(struct rdl_case *t, int status, bool told);
void (*rdl__explorer_before)(void);
volatile int *rdl__explorer_child;

static const struct rdl__strategy *strategy;
static void *state;
static uint64_t longest;             /* points of an execution that came to its end */
static uint32_t donors_wanted;       /* as many as there were threads in some execution */
static struct rdl__summary *summary; /* shared with processes of single executions */

/* Operations that count since the program was seen to need it: accesses to stacks, if threads
 * meddle with the stacks of others; ends of threads, if others look whether they have ended.
 * When that is found out, what was learnt before is about another program. */
static unsigned watched;

static struct rdl__distinct seen;              /* schedules */
static struct rdl__limits limits;              /* of all executions so far */
static bool volatile_shared, volatile_ordered; /* in any of them: see struct rdl__summary */
static uint32_t threads_most;                  /* that an execution had at a time */
static unsigned parameter;
static uint64_t strategy_seed;

static void start_over(void)
{
    if (strategy->release)
        strategy->release(state);
    memset(state, 0, strategy->state_size);
    if (strategy->init)
        strategy->init(state, strategy_seed, parameter);
}

void rdl__explorer_start(const char *name, uint64_t seed)
{
    parameter = 0;
    strategy_seed = seed;
    rdl__distinct_release(&seen);
    rdl__limits_clear(&limits);
    volatile_shared = volatile_ordered = false;
    threads_most = watched = 0;
    longest = 0;
    if (!summary) {
        summary = rdl__map(sizeof *summary, MAP_SHARED | MAP_NORESERVE);
        if (!summary)
            rdl__stop("cannot get memory for what executions tell: %s", strerror(errno));
    }
    summary->chances_in_vain = 0;
    if (strategy && strategy->release)
        strategy->release(state);
    free(state);
    strategy = *name ? rdl__strategy_named(name, &parameter) : rdl__strategies[0];
    if (!strategy)
        rdl__stop("there is no strategy called %s; --help shows those that there are", name);
    state = rdl__allocate(strategy->state_size + 1);
    if (strategy->init)
        strategy->init(state, seed, parameter);
    rdl__explorer_exhausted = false;
}

/* Everything but the log and the facts, which are as long as their counts say; and what is kept. */
static void clear_summary(void)
{
    memset(summary, 0, offsetof(struct rdl__summary, log));
    rdl__limits_clear(&summary->limits);
}

static void tell(struct rdl__outcome *outcome)
{
    outcome->preemptions = summary->preemptions;
    outcome->threads = summary->threads;
    outcome->hash = summary->hash;
}

/* What a handler of crashes calls is not the program's doing; and the execution, if it is
 * one of this process, will not come to its end. */
static void lose_control(void)
{
    if (rdl__running && !rdl__sched.forked)
        tell(rdl__sched.t->outcome);
    rdl__running = NULL;
}

/* What only ThreadSanitizer has: raddle cc links without it. */
extern void __tsan_locate_address(void) __attribute__((weak));

static void check_sanitizer(struct rdl_case *t)
{
    if (__tsan_locate_address && rdl__pthread_create_is_wrapped())
        rdl__misuse(t,
                    "this program is linked with ThreadSanitizer (-fsanitize=thread), which cannot "
                    "follow controlled threads: compile and link it with raddle cc instead, "
                    "which finds data races, too");
}

/* False: there is no other execution to make. */
static bool begin(struct rdl_case *t)
{
    check_sanitizer(t);
    rdl__on_crash = lose_control;
    rdl__explorer_unclean = false;
    rdl__execution_prepare();
    if (!summary)
        rdl__explorer_start("", 0);
    clear_summary();
    tell(t->outcome);
    if (!t->tape->fresh_turns)
        return true;
    rdl__random_seed(&rdl__sched.view.random, rdl__random_next(&t->tape->random));
    if (!strategy->begin || strategy->begin(state, &rdl__sched.view, summary))
        return true;
    rdl__explorer_exhausted = true;
    return false;
}

/* As long as no execution has ended, nobody knows how long one takes. */
static uint64_t patience_of(const struct rdl_case *t)
{
    bool is_known = longest > 0 || t->test->options.points_max || t->test->options.spec;

    return is_known || !t->counted || !t->tape->fresh_turns
               ? 0
               : (uint64_t)t->timeout_ms * NS_OF_MS / 4 * 3;
}

static struct rdl__execution execution_of(struct rdl_case *t, bool apart)
{
    t->leave = rdl__execution_leave;
    return (struct rdl__execution){
        .t = t,
        .strategy = strategy,
        .strategy_state = state,
        .summary = summary,
        .forked = apart,
        .faults = t->test->options.faults,
        .watched = t->settings.watched,
        .points_max = t->settings.points_max,
        .patience_ns = patience_of(t),
        .volatiles = t->settings.volatiles,
    };
}

/* When an execution counts as endless: measured by the longest that came to its end. */
static uint32_t points_max_of(const struct rdl_case *t)
{
    bool of_spec = t->test->options.spec;
    uint64_t most = of_spec          ? longest * CALLS_TIMES
                    : longest < LONG ? longest * POINTS_TIMES
                                     : LONG * POINTS_TIMES + (longest - LONG) * LONG_TIMES;
    uint64_t least = of_spec ? CALLS_LEAST : POINTS_LEAST;

    if (t->test->options.points_max)
        most = t->test->options.points_max;
    else if (most < least)
        most = least;
    return most < UINT32_MAX ? (uint32_t)most : UINT32_MAX;
}

void rdl__explorer_settle(struct rdl_case *t)
{
    t->settings.points_max = points_max_of(t);
    t->settings.watched |= watched;
}

static unsigned watched_from_now(void)
{
    return watched | (summary->stacks ? RDL__WATCH_STACKS : 0) |
           (summary->ends ? RDL__WATCH_ENDS : 0) | (summary->detaches ? RDL__WATCH_DETACHED : 0);
}

/* Choices that exist and that no strategy is asked about. */
static void note_bounds(void)
{
    if (summary->timed)
        rdl__limits_add(&summary->limits, RDL__LIMIT_BOUND,
                        "sleeps and time-outs were not tried at every moment", "");
    if (summary->by_chance)
        rdl__limits_add(&summary->limits, RDL__LIMIT_BOUND,
                        "faults were injected by chance, not in every combination", "");
    if (summary->threads > 64)
        rdl__limits_add(&summary->limits, RDL__LIMIT_BOUND,
                        "more than 64 threads cannot be scheduled in every way", "");
    if (summary->log_full)
        rdl__limits_add(&summary->limits, RDL__LIMIT_BOUND,
                        "an execution has too many operations to try every order of them", "");
}

static void end(struct rdl_case *t, bool by_strategy)
{
    if (t->outcome->verdict == RDL__PASSED && summary->points > longest)
        longest = summary->points;
    tell(t->outcome);
    if (summary->threads > donors_wanted + 1 && summary->threads <= DONORS_KEPT)
        donors_wanted = summary->threads - 1;
    summary->data_drawn =
        (t->tape->fresh || !t->tape->fresh_turns) && t->tape->count != summary->choices;
    summary->failed = t->outcome->verdict == RDL__FAILED;
    summary->cut = t->outcome->verdict == RDL__CUT;
    note_bounds();
    rdl__limits_merge(&limits, &summary->limits);
    volatile_shared |= summary->volatile_shared;
    volatile_ordered |= summary->volatile_ordered;
    if (by_strategy)
        rdl__distinct_add(&seen, summary->hash);
    if (by_strategy && summary->threads > threads_most)
        threads_most = summary->threads;
    if (by_strategy && watched_from_now() != watched) {
        watched = watched_from_now();
        start_over();
    } else if (by_strategy && strategy->ended) {
        strategy->ended(state, summary);
    }
}

RDL__ENTRY static void call_body(void *context)
{
    struct rdl_case *t = context;

    rdl__gates_begin(t);
    errno = 0; /* as in a process that has just begun */
    t->test->body(t);
    rdl__undo_for_user(t);
}

static void explore_here(struct rdl_case *t)
{
    struct rdl__execution execution = execution_of(t, false);

    rdl__explorer_unclean = !rdl__execution_run(&execution, call_body, t);
}

_Noreturn static void leave_process(void)
{
    _exit(LEFT_STATUS);
}

_Noreturn static void run_and_exit(struct rdl_case *t, void (*leave)(void))
{
    struct rdl__execution execution = execution_of(t, true);

    rdl__donors_are_copies();
    rdl__sched.leave_process = leave;
    rdl__execution_run(&execution, call_body, t);
    exit(0); /* thread 0 has ended by pthread_exit, and so have all others */
}

_Noreturn void rdl__explore_and_exit(struct rdl_case *t, void (*leave)(void))
{
    if (!t->settings.points_max)
        t->settings.points_max = points_max_of(t);
    begin(t);
    run_and_exit(t, leave);
}

/* In a process of its own; the status that it ended with. */
static int run_apart(struct rdl_case *t)
{
    int pid, status = 0, self = getpid();

    if (rdl__explorer_before)
        rdl__explorer_before();
    rdl__find_all_next();
    rdl__donors_prepare(donors_wanted);
    rdl__left_begin(t->test);
    rdl__loops_mind();
    pid = rdl__copy_process();
    if (pid < 0)
        rdl__stop("cannot start a process for an execution: %s", strerror(errno));
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL); /* nobody else would end it */
        if (getppid() != self)
            _exit(LEFT_STATUS);
        run_and_exit(t, leave_process);
    }
    *rdl__explorer_child = pid;
    while (RDL__NEXT(waitpid)(pid, &status, 0) < 0 && errno == EINTR)
        continue;
    *rdl__explorer_child = 0;
    t->leave = NULL;
    return status;
}

/* As if the case had not been run, with a strategy that has learned nothing. */
static void begin_again(struct rdl_case *t, const struct rdl__tape *as_it_was)
{
    *t->tape = *as_it_was;
    t->races->count = 0;
    t->outcome->verdict = RDL__PASSED;
    t->outcome->claimed = 0;
    if (t->tape->fresh_turns)
        start_over();
    begin(t);
}

static void explore_apart(struct rdl_case *t, const struct rdl__tape *as_it_was)
{
    int status = run_apart(t);

    while (rdl__explorer_hung && rdl__explorer_hung()) {
        begin_again(t, as_it_was);
        status = run_apart(t);
    }
    rdl__explorer_judge(t, status, WIFEXITED(status) && WEXITSTATUS(status) == LEFT_STATUS);
}

void rdl__explore(struct rdl_case *t)
{
    bool by_strategy = t->tape->fresh_turns;
    const struct rdl__tape as_it_was = *t->tape;

    if (by_strategy)
        t->settings.watched |= watched;
    if (!t->settings.points_max)
        t->settings.points_max = points_max_of(t);
    if (!begin(t))
        t->outcome->verdict = RDL__DISCARDED;
    else if (rdl__explorer_judge)
        explore_apart(t, &as_it_was);
    else
        explore_here(t);
    if (!rdl__explorer_exhausted)
        end(t, by_strategy);
}

void rdl__explorer_tell(struct rdl__explored *out)
{
    out->tally = (struct rdl__tally){0};
    if (strategy && strategy->count)
        strategy->count(state, &out->tally);
    if (out->tally.schedules == 0)
        out->tally = (struct rdl__tally){
            .schedules = seen.count, .at_least = seen.full, .of = RDL__DIFFERENT};
    out->tally.threads = threads_most;
    out->instrumented = rdl__instrumented;
    out->volatile_shared = volatile_shared;
    out->volatile_ordered = volatile_ordered;
    rdl__alike_last(&limits);
    out->limits = limits;
    rdl__limits_clear(&limits);
}
