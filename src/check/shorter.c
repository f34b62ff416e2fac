/* shorter.c -- fewer calls that fail alike, of specs without code.
 *
 * Shrinking leaves out calls and makes them simpler, but does not put others in their place: what
 * fails after six of one kind is not tried with six of another.  Specs run no code, and it is known
 * in which states they are (outcome.states).  So states are visited breadth first, by the calls
 * of the case, and by some others: the first that fails is the shortest there is of such calls. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "check/simplify.h"
#include "check/turns.h"
#include "drive/stage.h"

enum {
    RUNS_MAX = 6000, /* each time */
    CALLS_MAX = 128,
    OPERATIONS_MAX = 64,
    VARIED = 3, /* arguments */
};

/* Choices, of a call or of all calls that lead to a state. */
struct path {
    uint64_t *indexes;
    uint32_t count;
};

struct shorter {
    struct rdl__session *session;
    const struct rdl_test *test;
    struct rdl__failure *failure;
    struct path calls[CALLS_MAX];
    uint32_t call_count;
    uint32_t drawn[OPERATIONS_MAX]; /* choices for arguments, of the simplest call of each */
    struct path *paths;             /* to states that were met first by them, the shortest first */
    uint64_t *states;
    uint32_t path_count, runs;
};

static struct path copy(const struct rdl__choice *choices, uint32_t count)
{
    struct path path = {rdl__allocate((count + 1) * sizeof *path.indexes), count};

    for (uint32_t i = 0; i < count; i++)
        path.indexes[i] = choices[i].index;
    return path;
}

/* ---- Which calls there are ------------------------------------------------------------------ */

static void add_call(struct shorter *s, struct path call)
{
    bool is_new = s->call_count < CALLS_MAX;

    for (uint32_t i = 0; i < s->call_count; i++)
        is_new &= s->calls[i].count != call.count ||
                  memcmp(s->calls[i].indexes, call.indexes, call.count * sizeof *call.indexes) != 0;
    if (is_new)
        s->calls[s->call_count++] = call;
    else
        free(call.indexes);
}

/* The choices of a call: an element of the list that a case is, which begins with what is called.
 * (What a spec draws at the beginning may be a list, too.) */
static bool is_call(const struct rdl__made *made, const struct rdl__span *span)
{
    return span->label == RDL__LABEL_ELEMENT && span->parent != RDL__NONE &&
           made->spans[span->parent].parent == RDL__NONE && span->end - span->start >= 2 &&
           made->choices[span->start + 1].kind == RDL__BRANCH;
}

/* Those of the case, and the simplest of each operation. */
static void list_calls(struct shorter *s, uint32_t first)
{
    const struct rdl__made *made = &s->failure->made;

    for (uint32_t i = 0; i < made->span_count; i++) {
        const struct rdl__span *span = &made->spans[i];

        if (is_call(made, span))
            add_call(s, copy(made->choices + span->start, span->end - span->start));
    }
    for (uint64_t op = 0; op <= made->choices[first + 1].max && op < OPERATIONS_MAX; op++) {
        struct path call = copy(made->choices + first, 2);

        call.indexes[1] = op;
        add_call(s, call);
    }
}

static uint32_t min(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* Also with arguments that are the largest there are, of which the first few are large or not.  How
 * many there are is known by now. */
static void list_large_calls(struct shorter *s)
{
    for (uint32_t op = 0; op < OPERATIONS_MAX; op++)
        for (uint32_t large = 1; large < 1u << min(VARIED, s->drawn[op]); large++) {
            struct path call = {rdl__allocate((s->drawn[op] + 2) * sizeof *call.indexes),
                                s->drawn[op] + 2};

            call.indexes[0] = 1;
            call.indexes[1] = op;
            for (uint32_t i = 0; i < s->drawn[op]; i++)
                call.indexes[2 + i] = large >> min(i, VARIED - 1) & 1 ? UINT64_MAX : 0;
            add_call(s, call);
        }
}

static uint32_t first_call(const struct rdl__made *made)
{
    for (uint32_t i = 0; i < made->span_count; i++)
        if (is_call(made, &made->spans[i]))
            return made->spans[i].start;
    return RDL__NONE;
}

/* ---- Where they lead ------------------------------------------------------------------------ */

static bool is_known(const struct shorter *s, uint64_t state)
{
    for (uint32_t i = 0; i < s->path_count; i++)
        if (s->states[i] == state)
            return true;
    return false;
}

/* What was made is on the board: all of it, but that there is no other call. */
static void keep(struct shorter *s, const struct rdl__board *board, const struct path *path,
                 const struct path *call)
{
    const struct rdl__made made = rdl__on_board(board);

    if (board->outcome.verdict != RDL__PASSED || made.count < path->count + call->count + 1)
        return;
    if (call->count == 2 && call->indexes[1] < OPERATIONS_MAX)
        s->drawn[call->indexes[1]] = made.count - 1 - path->count - 2;
    if (is_known(s, board->outcome.states))
        return;
    s->states[s->path_count] = board->outcome.states;
    s->paths[s->path_count++] = copy(made.choices, made.count - 1);
}

/* True: it fails alike. */
static bool try(struct shorter *s, const struct path *path, const struct path *call)
{
    uint32_t count = path->count + call->count;
    uint64_t *indexes = rdl__allocate((count + 1) * sizeof *indexes);
    const struct rdl__feed feed = {.indexes = indexes, .count = count, .fill_at = RDL__NONE};
    const struct rdl__board *board = rdl__first_board(s->session);
    bool ran;

    memcpy(indexes, path->indexes, path->count * sizeof *indexes);
    if (call->count) /* there may be none */
        memcpy(indexes + path->count, call->indexes, call->count * sizeof *indexes);
    s->runs++;
    ran = rdl__run_feed(s->session, s->test, &s->failure->settings, &feed, false);
    free(indexes);
    if (!ran)
        s->runs = RUNS_MAX;
    else if (rdl__fails_alike(&board->outcome, s->failure))
        return true;
    else
        keep(s, board, path, call);
    return false;
}

static uint32_t count_calls(const struct rdl__made *made)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < made->span_count; i++)
        count += is_call(made, &made->spans[i]);
    return count;
}

/* From the state at the beginning, in the order in which states are met. */
static bool visit(struct shorter *s, uint32_t first)
{
    const struct path none = {0}, begin = copy(s->failure->made.choices, first);
    bool found;

    for (uint32_t i = 0; i < s->path_count; i++)
        free(s->paths[i].indexes);
    s->path_count = s->runs = 0;
    found = try(s, &begin, &none);
    free(begin.indexes);
    for (uint32_t at = 0; at < s->path_count && !found; at++)
        for (uint32_t i = 0; i < s->call_count && !found && s->runs < RUNS_MAX; i++)
            found = try(s, &s->paths[at], &s->calls[i]);
    s->failure->attempts += s->runs;
    return found && rdl__first_board(s->session)->outcome.phases < count_calls(&s->failure->made);
}

static void take(struct shorter *s)
{
    struct rdl__made made = rdl__on_board(rdl__first_board(s->session));

    rdl__made_release(&s->failure->made);
    rdl__made_copy(&s->failure->made, &made);
}

bool rdl__find_shorter(struct rdl__session *session, const struct rdl_test *test,
                       struct rdl__failure *failure)
{
    struct shorter s = {.session = session, .test = test, .failure = failure};
    uint32_t first = first_call(&failure->made);
    bool by_these, by_large;

    if (!test->options.cluster || test->options.real || first == RDL__NONE)
        return false;
    s.paths = rdl__allocate((RUNS_MAX + 1) * sizeof *s.paths);
    s.states = rdl__allocate((RUNS_MAX + 1) * sizeof *s.states);
    list_calls(&s, first);
    if ((by_these = visit(&s, first)))
        take(&s);
    list_large_calls(&s);
    if ((by_large = visit(&s, first)))
        take(&s);
    for (uint32_t i = 0; i < s.path_count; i++)
        free(s.paths[i].indexes);
    for (uint32_t i = 0; i < s.call_count; i++)
        free(s.calls[i].indexes);
    free(s.paths);
    free(s.states);
    return by_these || by_large;
}
