/* primitives_model.h -- a model of primitives: programs of a few threads, and all that can
 * come out of them.
 *
 * The model knows nothing of the scheduler.  It walks through the states that a
 * program can get into, taking any step that any thread can take. */
#ifndef TESTS_PRIMITIVES_MODEL_H
#define TESTS_PRIMITIVES_MODEL_H

#include <stdio.h>
#include <stdlib.h>

#include "base/hash.h"
#include "explore.h"

enum { THREADS_MAX = 3, OPS_MAX = 5, STATES_MAX = 1 << 16 };

enum op {
    READ_LOCK,
    WRITE_LOCK,
    RW_UNLOCK,
    TRY_READ,
    TRY_WRITE,
    TIMED_READ,
    TIMED_WRITE,
    DOWN,
    UP,
    TRY_DOWN,
    TIMED_DOWN,
    VALUE,
    LOCK,
    UNLOCK,
    TRY_LOCK,
    TIMED_LOCK,
    WAIT,
    TIMED_WAIT,
    SIGNAL,
    BROADCAST,
    MEET,
    SPIN_LOCK,
    SPIN_UNLOCK,
    SPIN_TRY,
    ONCE,
    OPS,
};

static const char *const op_names[OPS] = {
    "read_lock", "write_lock",  "rw_unlock", "try_read",   "try_write", "timed_read", "timed_write",
    "down",      "up",          "try_down",  "timed_down", "value",     "lock",       "unlock",
    "try_lock",  "timed_lock",  "wait",      "timed_wait", "signal",    "broadcast",  "meet",
    "spin_lock", "spin_unlock", "spin_try",  "once",
};

static struct program {
    int threads;
    int count[THREADS_MAX];
    enum op ops[THREADS_MAX][OPS_MAX];
    int deadlines[THREADS_MAX][OPS_MAX]; /* of timed operations; all are different */
    int prefers_writers, tokens, party;
} program;

/* ---- The model ----------------------------------------------------------------------------- */

/* Where a thread is within its operation. */
enum phase {
    BEFORE,
    WRITER_WAITS, /* and keeps readers away */
    ON_CONDITION,
    SIGNALLED, /* needs the mutex */
    TIMED_OUT, /* from the condition: needs the mutex */
    AT_BARRIER,
    MAY_LEAVE,
    IN_ROUTINE,
};

enum { NOBODY = -1 };

struct state {
    int8_t at[THREADS_MAX], phase[THREADS_MAX];
    int8_t reads[THREADS_MAX];     /* how often each has locked it for reading */
    int8_t writer, owner, spinner; /* of rwlock, mutex, spin lock */
    int8_t tokens, met, once;
    bool misused;
    int16_t now;
    char results[THREADS_MAX][OPS_MAX + 1];
};

static bool is_over(const struct state *s, int thread)
{
    return s->at[thread] == program.count[thread];
}

static void finish(struct state *s, int thread, char result)
{
    s->results[thread][s->at[thread]++] = result;
    s->phase[thread] = BEFORE;
    while (!is_over(s, thread) && s->writer == thread) { /* this needs no turn */
        enum op op = program.ops[thread][s->at[thread]];

        if (op != READ_LOCK && op != WRITE_LOCK && op != TIMED_READ && op != TIMED_WRITE)
            break;
        s->results[thread][s->at[thread]++] = 'd';
    }
}

static int readers_of(const struct state *s)
{
    return s->reads[0] + s->reads[1] + s->reads[2];
}

static bool may_write(const struct state *s)
{
    return s->writer == NOBODY && readers_of(s) == 0;
}

static bool may_read(const struct state *s)
{
    for (int t = 0; t < program.threads; t++)
        if (s->phase[t] == WRITER_WAITS)
            return false;
    return s->writer == NOBODY;
}

/* May this thread unlock what `owner` has?  A thread that has ended cannot object. */
static bool may_give_up(const struct state *s, int thread, int owner)
{
    return owner != NOBODY && (owner == thread || is_over(s, owner));
}

static void model_rw_unlock(struct state *s, int thread)
{
    int from = thread;

    if (s->writer == thread) {
        s->writer = NOBODY;
        finish(s, thread, '0');
        return;
    }
    for (int t = 0; t < program.threads && s->reads[from] == 0; t++)
        if (s->reads[t] > 0 && is_over(s, t))
            from = t;
    if (s->writer != NOBODY || s->reads[from] == 0) {
        s->misused = true;
        return;
    }
    s->reads[from]--;
    finish(s, thread, '0');
}

static bool time_is_up(const struct state *s, int thread)
{
    return s->now >= program.deadlines[thread][s->at[thread]];
}

static bool is_timed(enum op op)
{
    return op == TIMED_READ || op == TIMED_WRITE || op == TIMED_DOWN || op == TIMED_LOCK ||
           op == TIMED_WAIT;
}

/* What it waits for is there (then take it), or its time is up, or neither. */
static bool take_if(struct state *s, int thread, bool can, int8_t *what, int becomes)
{
    if (can) {
        *what = (int8_t)becomes;
        finish(s, thread, '0');
        return true;
    }
    if (is_timed(program.ops[thread][s->at[thread]]) && time_is_up(s, thread)) {
        finish(s, thread, 't');
        return true;
    }
    return false;
}

static bool try_if(struct state *s, int thread, bool can, int8_t *what, int becomes)
{
    if (can)
        *what = (int8_t)becomes;
    finish(s, thread, can ? '0' : 'b');
    return true;
}

static bool give_up(struct state *s, int thread, int8_t *what)
{
    if (!may_give_up(s, thread, *what)) {
        s->misused = true;
        return true;
    }
    *what = NOBODY;
    finish(s, thread, '0');
    return true;
}

static bool step_writer(struct state *s, int thread)
{
    if (may_write(s) || !program.prefers_writers || s->phase[thread] == WRITER_WAITS)
        return take_if(s, thread, may_write(s), &s->writer, thread);
    s->phase[thread] = WRITER_WAITS; /* and looks at the clock only then, as in the C library */
    return true;
}

static bool step_waiter(struct state *s, int thread, enum op op)
{
    switch (s->phase[thread]) {
    case BEFORE:
        if (!may_give_up(s, thread, s->owner)) {
            s->misused = true;
            return true;
        }
        s->owner = NOBODY;
        s->phase[thread] = ON_CONDITION;
        return true;
    case ON_CONDITION:
        if (op != TIMED_WAIT || !time_is_up(s, thread))
            return false;
        s->phase[thread] = TIMED_OUT;
        return true;
    default:
        if (s->owner != NOBODY)
            return false;
        s->owner = (int8_t)thread;
        finish(s, thread, s->phase[thread] == SIGNALLED ? '0' : 't');
        return true;
    }
}

static bool step_signal(struct state *s, int thread, bool all, int choice, int *out_choices)
{
    int waiters = 0;

    for (int t = 0; t < program.threads; t++)
        if (s->phase[t] == ON_CONDITION && (waiters++ == choice || all))
            s->phase[t] = SIGNALLED;
    if (!all)
        *out_choices = waiters;
    finish(s, thread, '0');
    return true;
}

static bool step_barrier(struct state *s, int thread)
{
    if (s->phase[thread] == AT_BARRIER)
        return false;
    if (s->phase[thread] == MAY_LEAVE) {
        finish(s, thread, '0');
        return true;
    }
    if (++s->met < program.party) {
        s->phase[thread] = AT_BARRIER;
        return true;
    }
    s->met = 0;
    for (int t = 0; t < program.threads; t++)
        if (s->phase[t] == AT_BARRIER)
            s->phase[t] = MAY_LEAVE;
    finish(s, thread, 's');
    return true;
}

static bool step_once(struct state *s, int thread)
{
    if (s->phase[thread] == IN_ROUTINE) {
        s->tokens++;
        s->once = 2;
        finish(s, thread, '0');
        return true;
    }
    if (s->once == 1)
        return false;
    if (s->once == 2) {
        finish(s, thread, '0');
        return true;
    }
    s->once = 1;
    s->phase[thread] = IN_ROUTINE;
    return true;
}

/* One step of a thread, if it can take one; false: it cannot.  `choice` is which of
 * several waiters a signal wakes; *out_choices becomes how many there were. */
static bool step(struct state *s, int thread, int choice, int *out_choices)
{
    enum op op = program.ops[thread][s->at[thread]];

    switch (op) {
    case READ_LOCK:
    case TIMED_READ:
        return take_if(s, thread, may_read(s), &s->reads[thread], s->reads[thread] + 1);
    case TRY_READ:
        return try_if(s, thread, may_read(s), &s->reads[thread], s->reads[thread] + 1);
    case WRITE_LOCK:
    case TIMED_WRITE:
        return step_writer(s, thread);
    case TRY_WRITE:
        return try_if(s, thread, may_write(s), &s->writer, thread);
    case RW_UNLOCK:
        model_rw_unlock(s, thread);
        return true;
    case DOWN:
    case TIMED_DOWN:
        return take_if(s, thread, s->tokens > 0, &s->tokens, s->tokens - 1);
    case TRY_DOWN:
        return try_if(s, thread, s->tokens > 0, &s->tokens, s->tokens - 1);
    case UP:
        return take_if(s, thread, true, &s->tokens, s->tokens + 1);
    case VALUE:
        finish(s, thread, (char)('0' + s->tokens));
        return true;
    case LOCK:
    case TIMED_LOCK:
        return take_if(s, thread, s->owner == NOBODY, &s->owner, thread);
    case TRY_LOCK:
        return try_if(s, thread, s->owner == NOBODY, &s->owner, thread);
    case UNLOCK:
        return give_up(s, thread, &s->owner);
    case WAIT:
    case TIMED_WAIT:
        return step_waiter(s, thread, op);
    case SIGNAL:
    case BROADCAST:
        return step_signal(s, thread, op == BROADCAST, choice, out_choices);
    case MEET:
        return step_barrier(s, thread);
    case SPIN_LOCK:
        return take_if(s, thread, s->spinner == NOBODY, &s->spinner, thread);
    case SPIN_TRY:
        return try_if(s, thread, s->spinner == NOBODY, &s->spinner, thread);
    case SPIN_UNLOCK:
        return give_up(s, thread, &s->spinner);
    default:
        return step_once(s, thread);
    }
}

/* ---- All that the model can do ------------------------------------------------------------ */

static struct state states[STATES_MAX];
static uint32_t state_count;
static uint32_t table[2 * STATES_MAX]; /* 1 + number of a state */
static char outcomes[OUTCOMES_MAX][OUTCOME_ROOM];
static int outcome_count;

static void add_state(const struct state *s)
{
    uint32_t at = rdl__crc32(s, sizeof *s) % (2 * STATES_MAX);

    while (table[at]) {
        if (memcmp(&states[table[at] - 1], s, sizeof *s) == 0)
            return;
        at = (at + 1) % (2 * STATES_MAX);
    }
    EXPECT(state_count < STATES_MAX);
    states[state_count++] = *s;
    table[at] = state_count;
}

static void add_outcome(const struct state *s, const char *verdict)
{
    char text[OUTCOME_ROOM];
    int used = snprintf(text, sizeof text, "%s", verdict);

    for (int t = 0; t < program.threads; t++)
        if (s->results[t][0])
            used += snprintf(text + used, sizeof text - (size_t)used, "%s%s", used ? " " : "",
                             s->results[t]);
    for (int i = 0; i < outcome_count; i++)
        if (strcmp(outcomes[i], text) == 0)
            return;
    EXPECT(outcome_count < OUTCOMES_MAX);
    strcpy(outcomes[outcome_count++], text);
}

/* Nobody can take a step.  Does anybody wait for a time? */
static bool let_time_pass(struct state *s)
{
    int next = INT16_MAX;

    for (int t = 0; t < program.threads; t++)
        if (!is_over(s, t) && is_timed(program.ops[t][s->at[t]]) && s->phase[t] != SIGNALLED &&
            s->phase[t] != TIMED_OUT && program.deadlines[t][s->at[t]] < next)
            next = program.deadlines[t][s->at[t]];
    s->now = (int16_t)next;
    return next < INT16_MAX;
}

static void go_on_from(const struct state *from)
{
    bool stuck = true, over = true;
    struct state next;

    if (from->misused) {
        add_outcome(from, "misuse");
        return;
    }
    for (int t = 0; t < program.threads; t++) {
        over &= is_over(from, t);
        for (int choice = 0, choices = 1; choice < choices && !is_over(from, t); choice++) {
            next = *from;
            if (!step(&next, t, choice, &choices))
                break;
            stuck = false;
            add_state(&next);
        }
    }
    next = *from;
    if (over)
        add_outcome(from, "");
    else if (stuck && let_time_pass(&next))
        add_state(&next);
    else if (stuck)
        add_outcome(from, "deadlock");
}

static int compare_texts(const void *a, const void *b)
{
    return strcmp(a, b);
}

static const char *outcomes_of_model(void)
{
    static char all[OUTCOMES_MAX * OUTCOME_ROOM];
    struct state first;
    size_t used = 0;

    memset(&first, 0, sizeof first);
    first.writer = first.owner = first.spinner = NOBODY;
    first.tokens = (int8_t)program.tokens;
    memset(table, 0, sizeof table);
    state_count = 0;
    outcome_count = 0;
    add_state(&first);
    for (uint32_t i = 0; i < state_count; i++)
        go_on_from(&states[i]);
    qsort(outcomes, (size_t)outcome_count, sizeof *outcomes, compare_texts);
    for (int i = 0; i < outcome_count; i++)
        used += (size_t)sprintf(all + used, "%s%s", i ? " | " : "", outcomes[i]);
    return all;
}

#endif
