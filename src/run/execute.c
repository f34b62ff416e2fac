/* execute.c -- one case from tape to verdict; many, as a task says. */
#include "run/execute.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "case/requirements.h"
#include "control/alike.h"
#include "control/explore.h"
#include "control/meet.h"
#include "control/sched/races.h"
#include "port/exceptions.h"
#include "run/target.h"

/* The tape has no further: the limit was reached, or a token does not fit. */
static void tape_stopped(void *context, enum rdl__tape_stop why)
{
    struct rdl_case *t = context;

    t->outcome->verdict = why == RDL__STALE ? RDL__UNFIT : RDL__CUT;
    rdl__case_leave(t);
}

void rdl__case_init(struct rdl_case *t, struct rdl__board *board, void (*abandon)(void))
{
    *t = (struct rdl_case){
        .tape = &board->tape,
        .trace = &board->trace,
        .outcome = &board->outcome,
        .stats = &board->stats,
        .activity = &board->activity,
        .races = &board->races,
        .abandon = abandon,
    };
    board->tape.stop = tape_stopped;
    board->tape.stop_context = t;
}

void rdl__case_release(struct rdl_case *t)
{
    rdl__arena_release(&t->arena);
    rdl__arena_release(&t->kept);
}

static void reset(struct rdl_case *t)
{
    rdl__arena_reset(&t->arena);
    rdl__arena_reset(&t->kept);
    t->fixture = NULL;
    t->deferred = NULL;
    t->score_count = 0;
    t->nodes_left = t->settings.size;
    t->growth = 0;
    t->share_count = 0;
    t->hidden = 0;
    t->activity->doing = NULL;
    t->races->count = 0;
    t->outcome->verdict = RDL__PASSED;
    t->outcome->claimed = 0;
    t->outcome->stack = 0;
    t->outcome->class[0] = '\0';
    t->outcome->kin = 0;
    t->outcome->phases = t->outcome->concurrent = t->outcome->deviations = 0;
    t->outcome->exercised = (struct rdl__ids){{0}};
    rdl__reached.set_aside = false; /* a case may have ended in the midst of a spec's function */
    t->thread = pthread_self();
    rdl__exceptions_forget();
}

/* Undo what the case set up; each undo may itself fail a check, and the next
 * still gets its turn. */
static void undo(struct rdl_case *t, const struct rdl_fixture *fixture, bool is_set_up)
{
    while (t->deferred) {
        struct rdl__deferred *last = t->deferred;

        t->deferred = last->next;
        if (_setjmp(t->escape) == 0)
            last->undo(last->it);
    }
    if (is_set_up && fixture->teardown && _setjmp(t->escape) == 0)
        fixture->teardown(t->fixture);
}

static bool is_copy; /* this process was forked by a case */

static void note_fork(void)
{
    is_copy = true;
}

void rdl__mind_forks(void)
{
    static bool minded;

    if (!minded)
        pthread_atfork(NULL, NULL, note_fork);
    minded = true;
    is_copy = false; /* the worker itself was forked by its parent */
}

RDL__ENTRY static void call_body(struct rdl_case *t)
{
    rdl__gates_begin(t);
    t->test->body(t);
    __asm__ volatile(""); /* so that it returns here */
}

void rdl__execute(struct rdl_case *t)
{
    const struct rdl_fixture *fixture = t->test->options.fixture;
    volatile bool is_set_up = false;

    reset(t);
    if (t->test->options.explore && !rdl__explorer_judge)
        rdl__alike_begin(t->test);
    rdl__current = t;
    if (_setjmp(t->escape) == 0) {
        if (fixture && fixture->setup)
            t->fixture = fixture->setup(t);
        is_set_up = fixture != NULL;
        if (t->test->options.explore)
            rdl__explore(t);
        else
            call_body(t);
    }
    if (__builtin_expect(is_copy, 0))
        _exit(0);
    if (t->deferred || is_set_up)
        undo(t, fixture, is_set_up);
    if (rdl__meeting && t->outcome->verdict == RDL__PASSED && _setjmp(t->escape) == 0)
        rdl__gates_left(t);
    if (rdl__meeting)
        rdl__meet_end();
    rdl__current = NULL;
    rdl__tape_finish(t->tape);
    if (t->test->options.explore && !rdl__explorer_judge)
        rdl__alike_end(t);
}

uint32_t rdl__size_of_case(uint64_t n, uint64_t ramp)
{
    return n >= ramp ? 100 : (uint32_t)(1 + n * 100 / ramp);
}

static void keep_example(struct rdl__board *board, uint32_t number)
{
    struct rdl__example *kept = &board->examples[number];
    struct rdl__example this = {.is_there = true,
                                .passed = board->outcome.verdict == RDL__PASSED,
                                .count = board->tape.count,
                                .settings = board->task.settings};

    if (this.count > RDL__EXAMPLE_ROOM || (kept->is_there && !rdl__example_is_better(&this, kept)))
        return;
    for (uint32_t i = 0; i < this.count; i++)
        board->example_indexes[number][i] = board->tape.choices[i].index;
    *kept = this;
}

static void count_exercised(struct rdl__board *board)
{
    const struct rdl__ids *exercised = &board->outcome.exercised;

    if (rdl__ids_are_none(exercised))
        return;
    rdl__stats_exercised(&board->stats, exercised);
    for (uint32_t word = 0; board->task.keeps_examples && word < RDL__IDS_WORDS; word++)
        for (uint64_t left = exercised->words[word]; left; left &= left - 1)
            keep_example(board, 64 * word + (uint32_t)__builtin_ctzll(left));
}

static void count(struct rdl__board *board)
{
    struct rdl__stats *stats = &board->stats;

    switch (board->outcome.verdict) {
    case RDL__CUT:
        stats->too_long++;
        stats->discards++;
        break;
    case RDL__DISCARDED:
        stats->discards++;
        break;
    default:
        stats->cases++;
        count_exercised(board);
    }
    rdl__stats_length(stats, board->tape.count);
    __atomic_store_n(&board->done, board->done + 1, __ATOMIC_RELEASE);
}

enum { NOT_KNOWN = RDL__KNOWN_MAX };

static uint32_t number_known(const struct rdl__board *board, uint64_t origin)
{
    const struct rdl__task *task = &board->task;

    for (uint32_t i = 0; i < task->known_count; i++)
        if (task->known[i] == origin && task->known_at[i] <= board->failed_at)
            return i;
    return NOT_KNOWN;
}

static const struct rdl__race *new_among(const struct rdl__board *board, bool suspected)
{
    for (uint32_t i = 0; i < board->races.count; i++)
        if (board->races.met[i].suspected == suspected &&
            number_known(board, board->races.met[i].origin) == NOT_KNOWN)
            return &board->races.met[i];
    return NULL;
}

/* The first race that is not known; NULL: all are.  The search has to hear of suspected ones. */
static const struct rdl__race *new_race(const struct rdl__board *board)
{
    const struct rdl__race *found = new_among(board, false);

    return found || board->task.kind != RDL__RUN_RANDOM ? found : new_among(board, true);
}

static void count_again(struct rdl__board *board, uint64_t origin)
{
    uint32_t number = number_known(board, origin);

    if (number != NOT_KNOWN)
        board->again[number]++;
}

/* Of a case that has met nothing new, nobody else will hear. */
static void count_races_again(struct rdl__board *board)
{
    for (uint32_t i = 0; i < board->races.count; i++)
        count_again(board, board->races.met[i].origin);
}

/* A case has come to its end though it has met races.  If nothing worse has happened, it fails by
 * the first of them that is new. */
static void judge_races(struct rdl__board *board)
{
    struct rdl__outcome *outcome = &board->outcome;
    const struct rdl__race *new;

    if (board->task.wanted || (outcome->verdict != RDL__PASSED &&
                               outcome->verdict != RDL__DISCARDED && outcome->verdict != RDL__CUT))
        return;
    new = new_race(board);
    if (new)
        rdl__race_fail(outcome, new);
    else
        count_races_again(board);
}

static void run_case(struct rdl__board *board, struct rdl_case *t)
{
    rdl__execute(t);
    judge_races(board);
}

/* The case has failed: in a way that is known, and without a race that is new? */
static bool is_nothing_new(struct rdl__board *board)
{
    if (board->outcome.cause == RDL__BY_RACE || new_race(board) ||
        number_known(board, board->outcome.origin) == NOT_KNOWN)
        return false;
    count_again(board, board->outcome.origin);
    count_races_again(board);
    return true;
}

/* Is there nothing to be gained from another case? */
static bool ends_the_task(struct rdl__board *board)
{
    switch (board->outcome.verdict) {
    case RDL__FAILED:
        board->is_counted = is_nothing_new(board);
        return !board->is_counted;
    case RDL__SKIPPED:
    case RDL__MISUSED:
        return true;
    default:
        return false;
    }
}

/* A bug that nearly every case meets keeps others from being met, since a case ends where it
 * fails.  So in half of the cases some operations are not called; which, is up to chance.  (After
 * Groce and others, Swarm Testing.) */
static uint64_t choose_left_out(uint64_t n, uint64_t seed)
{
    uint64_t some = rdl__combine(seed, 1), fewer = rdl__combine(seed, 2);

    return n % 2 == 0 ? 0 : n % 4 == 1 ? some & fewer : some;
}

static void run_random(struct rdl__board *board, struct rdl_case *t, const volatile int *stop)
{
    const struct rdl__task *task = &board->task;

    for (uint64_t n = task->first; n < task->first + task->count && !*stop; n++) {
        uint64_t seed = rdl__combine(task->seed, n);

        t->settings.size = rdl__size_of_case(n, task->ramp);
        board->stats.current = n + 1;
        board->failed_at = n;
        board->is_counted = false;
        t->left_out = task->leaves_out ? choose_left_out(n, seed) : 0;
        if (!board->targeting || !rdl__target_aim(board, seed))
            rdl__tape_from_random(&board->tape, seed);
        if (task->test->options.explore)
            rdl__explorer_settle(t);
        board->task.settings = t->settings; /* for the token, if this one fails */
        run_case(board, t);
        if (task->test->options.explore && rdl__explorer_exhausted) {
            board->exhausted = true;
            break;
        }
        count(board);
        if (ends_the_task(board) || rdl__worn_out)
            break;
        if (t->score_count)
            rdl__target_note(board, t);
    }
}

/* A test that makes up its data while it runs may have no use for it under any schedule. */
enum { DISCARDS_ENOUGH = 4 };

static void run_turns(struct rdl__board *board, struct rdl_case *t, const volatile int *stop)
{
    const struct rdl__task *task = &board->task;
    int discards = 0;

    for (uint64_t n = task->first; n < task->first + task->count && !*stop; n++) {
        board->failed_at = n;
        rdl__tape_from_data(&board->tape, &task->feed, rdl__combine(task->seed, n));
        run_case(board, t);
        board->task.settings = t->settings;
        board->exhausted = rdl__explorer_exhausted;
        __atomic_store_n(&board->done, board->done + 1, __ATOMIC_RELEASE);
        if (board->exhausted || board->outcome.verdict == RDL__FAILED || rdl__worn_out)
            break;
        discards = board->outcome.verdict == RDL__DISCARDED ? discards + 1 : 0;
        if (discards == DISCARDS_ENOUGH)
            break;
    }
}

static void run_anew(struct rdl__board *board, struct rdl_case *t, const volatile int *stop)
{
    const struct rdl__task *task = &board->task;

    for (uint64_t n = task->first; n < task->first + task->count && !*stop; n++) {
        board->failed_at = n;
        rdl__tape_from_data(&board->tape, &task->feed, rdl__combine(task->seed, n));
        run_case(board, t);
        __atomic_store_n(&board->done, board->done + 1, __ATOMIC_RELEASE);
        if (board->outcome.verdict == RDL__FAILED || rdl__worn_out || !board->tape.fresh)
            break; /* without chance, the next would be the same */
    }
}

/* The last choice that can be raised is, and what comes after it begins anew
 * with the simplest. */
bool rdl__next_in_order(struct rdl__board *board)
{
    const struct rdl__tape *tape = &board->tape;
    uint32_t i = tape->count;

    while (i > 0 && tape->choices[i - 1].index == tape->choices[i - 1].max)
        i--;
    if (i == 0)
        return false;
    for (uint32_t k = 0; k < i; k++)
        board->next_feed[k] = tape->choices[k].index;
    board->next_feed[i - 1]++;
    board->next_feed_count = i;
    return true;
}

/* next_feed is kept up to date before each case: when one crashes, the parent
 * knows where to go on. */
static void run_all(struct rdl__board *board, struct rdl_case *t, const volatile int *stop)
{
    struct rdl__feed feed = {
        .indexes = board->feed_indexes, .count = board->task.feed.count, .fill_at = RDL__NONE};

    for (uint64_t n = 0; n < board->task.count && !*stop; n++) {
        rdl__tape_from_feed(&board->tape, &feed, 0);
        board->stats.current = board->task.first + n + 1;
        board->failed_at = board->task.first + n;
        board->is_counted = false;
        run_case(board, t);
        count(board);
        board->exhausted = !rdl__next_in_order(board);
        if (ends_the_task(board) || board->exhausted)
            break;
        memcpy(board->feed_indexes, board->next_feed, board->next_feed_count * sizeof(uint64_t));
        feed.count = board->next_feed_count;
    }
}

static void run_one(struct rdl__board *board, struct rdl_case *t)
{
    const struct rdl__task *task = &board->task;

    if (task->kind == RDL__RUN_BYTES)
        rdl__tape_from_bytes(&board->tape, board->bytes, task->byte_count);
    else
        rdl__tape_from_feed(&board->tape, &task->feed, task->seed);
    run_case(board, t);
    board->strict_next = board->tape.cursor.next;
    __atomic_store_n(&board->done, board->done + 1, __ATOMIC_RELEASE);
}

void rdl__do_task(struct rdl__board *board, struct rdl_case *t, const volatile int *stop)
{
    const struct rdl__task *task = &board->task;

    t->test = task->test;
    t->settings = task->settings;
    t->left_out = 0;
    t->wanted = task->wanted;
    t->wanted_cause = task->wanted_cause;
    t->told = &board->task.settings;
    t->timeout_ms = task->timeout_ms;
    t->counted = task->kind == RDL__RUN_RANDOM || task->kind == RDL__RUN_ALL;
    board->tape.limit = task->settings.choices_max < board->choices_room
                            ? task->settings.choices_max
                            : board->choices_room;
    board->exhausted = false;
    board->explored = (struct rdl__explored){0};
    board->outcome.preemptions = board->outcome.threads = 0;
    board->outcome.verdict = RDL__PASSED;
    rdl__trace_start(&board->trace, task->traced);
    if (board->explores != task->test || strcmp(board->explores_by, task->strategy) != 0)
        board->exploring = false;
    if (task->test->options.explore && !board->exploring &&
        (task->kind == RDL__RUN_RANDOM || task->kind == RDL__RUN_ANEW ||
         task->kind == RDL__RUN_TURNS)) {
        rdl__explorer_start(task->strategy, rdl__combine(task->seed, task->first));
        board->exploring = true;
        board->explores = task->test;
        snprintf(board->explores_by, sizeof board->explores_by, "%s", task->strategy);
    }
    if (task->kind == RDL__RUN_RANDOM)
        run_random(board, t, stop);
    else if (task->kind == RDL__RUN_ANEW)
        run_anew(board, t, stop);
    else if (task->kind == RDL__RUN_ALL)
        run_all(board, t, stop);
    else if (task->kind == RDL__RUN_TURNS)
        run_turns(board, t, stop);
    else
        run_one(board, t);
    if (task->test->options.explore)
        rdl__explorer_tell(&board->explored);
}
