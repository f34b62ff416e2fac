/* shrink.c -- the one gate that every proposal goes through, and the rounds. */
#include "shrink/shrink.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "port/clock.h"

void rdl__made_copy(struct rdl__made *to, const struct rdl__made *from)
{
    struct rdl__made copy = *from;

    copy.choices = rdl__allocate(from->count * sizeof *from->choices);
    copy.spans = rdl__allocate(from->span_count * sizeof *from->spans);
    if (from->count)
        memcpy(copy.choices, from->choices, from->count * sizeof *from->choices);
    if (from->span_count)
        memcpy(copy.spans, from->spans, from->span_count * sizeof *from->spans);
    *to = copy;
}

void rdl__made_release(struct rdl__made *made)
{
    free(made->choices);
    free(made->spans);
    *made = (struct rdl__made){0};
}

/* What is counted before choices are compared one by one. */
struct sizes {
    uint32_t data, preemptions, stretches;
};

static struct sizes sizes_of(const struct rdl__choice *choices, uint32_t count)
{
    struct sizes sizes = {0};

    for (uint32_t i = 0; i < count; i++) {
        bool is_stretch = choices[i].kind == RDL__STRETCH;

        sizes.data += !rdl__is_turn(choices[i].kind);
        sizes.stretches += is_stretch;
        sizes.preemptions += is_stretch && choices[i].index > 0;
    }
    return sizes;
}

/* Of two preemptions the later one is simpler; none is simpler still. */
static uint64_t weight_of(const struct rdl__choice *choice)
{
    return choice->kind == RDL__STRETCH && choice->index > 0 ? UINT64_MAX - choice->index
                                                             : choice->index;
}

int rdl__compare(const struct rdl__choice *a, uint32_t a_count, const struct rdl__choice *b,
                 uint32_t b_count)
{
    struct sizes x = sizes_of(a, a_count), y = sizes_of(b, b_count);

    if (x.data != y.data)
        return x.data < y.data ? -1 : 1;
    if (x.preemptions != y.preemptions)
        return x.preemptions < y.preemptions ? -1 : 1;
    if (x.stretches != y.stretches)
        return x.stretches < y.stretches ? -1 : 1;
    for (uint32_t i = 0; i < a_count && i < b_count; i++)
        if (weight_of(&a[i]) != weight_of(&b[i]))
            return weight_of(&a[i]) < weight_of(&b[i]) ? -1 : 1;
    return (a_count > b_count) - (a_count < b_count);
}

/* The next choice that is data, from a place on; NULL: there is none. */
static const struct rdl__choice *next_data(const struct rdl__made *made, uint32_t *at)
{
    while (*at < made->count && rdl__is_turn(made->choices[*at].kind))
        ++*at;
    return *at < made->count ? &made->choices[(*at)++] : NULL;
}

int rdl__compare_data(const struct rdl__made *a, const struct rdl__made *b)
{
    uint32_t at = 0, bt = 0;
    int order = 0;

    for (;;) {
        const struct rdl__choice *x = next_data(a, &at), *y = next_data(b, &bt);

        if (!x || !y)
            return x       ? 1
                   : y     ? -1
                   : order ? order
                           : rdl__compare(a->choices, a->count, b->choices, b->count);
        if (order == 0 && x->index != y->index)
            order = x->index < y->index ? -1 : 1;
    }
}

/* ---- Drafts -------------------------------------------------------------------- */

static void make_room(struct rdl__shrinker *s, uint32_t count)
{
    if (count <= s->draft_room)
        return;
    s->draft_room = count * 2;
    s->draft_indexes = rdl__reallocate(s->draft_indexes, s->draft_room * sizeof(uint64_t));
    s->draft.indexes = s->draft_indexes;
}

void rdl__draft(struct rdl__shrinker *s)
{
    make_room(s, s->best.count + 1);
    s->draft = (struct rdl__feed){
        .indexes = s->draft_indexes, .count = s->best.count, .fill_at = RDL__NONE};
    for (uint32_t i = 0; i < s->best.count; i++)
        s->draft_indexes[i] = s->best.choices[i].index;
}

void rdl__draft_set(struct rdl__shrinker *s, uint32_t at, uint64_t index)
{
    rdl__bug_if(at >= s->draft.count);
    s->draft_indexes[at] = index;
}

void rdl__draft_cut(struct rdl__shrinker *s, uint32_t from, uint32_t to)
{
    rdl__bug_if(from > to || to > s->draft.count);
    memmove(s->draft_indexes + from, s->draft_indexes + to,
            (s->draft.count - to) * sizeof(uint64_t));
    s->draft.count -= to - from;
}

void rdl__draft_insert(struct rdl__shrinker *s, uint32_t at, const struct rdl__choice *choices,
                       uint32_t count)
{
    rdl__bug_if(at > s->draft.count);
    make_room(s, s->draft.count + count);
    memmove(s->draft_indexes + at + count, s->draft_indexes + at,
            (s->draft.count - at) * sizeof(uint64_t));
    for (uint32_t i = 0; i < count; i++)
        s->draft_indexes[at + i] = choices[i].index;
    s->draft.count += count;
}

void rdl__draft_fill(struct rdl__shrinker *s, uint32_t at, uint32_t until, uint16_t depth,
                     bool whole)
{
    rdl__draft_cut(s, at, until);
    s->draft.fill_at = at;
    s->draft.fill_depth = depth;
    s->draft.fill_whole = whole;
}

/* ---- The gate ------------------------------------------------------------------ */

static bool out_of_budget(struct rdl__shrinker *s)
{
    if (s->attempts >= s->attempts_max || (s->deadline_ns && rdl__now_ns() >= s->deadline_ns))
        s->stopped = true;
    return s->stopped;
}

/* A case that makes more choices than this is not simpler.  With threads it may
 * be: fewer switches can mean more places where one could have been.  But not
 * without end, or a thread that waits would wait longer and longer. */
static uint32_t limit_for(const struct rdl__shrinker *s)
{
    for (uint32_t i = 0; i < s->best.count; i++)
        if (s->best.choices[i].kind == RDL__STRETCH)
            return s->first_count < UINT32_MAX / 4 ? 2 * s->first_count + 64 : s->first_count;
    return s->best.count;
}

static bool is_simpler(const struct rdl__shrinker *s, const struct rdl__made *made)
{
    return s->data_first
               ? rdl__compare_data(made, &s->best) < 0
               : rdl__compare(made->choices, made->count, s->best.choices, s->best.count) < 0;
}

bool rdl__consider(struct rdl__shrinker *s)
{
    struct rdl__made made;
    enum rdl__ran ran;
    uint32_t count;

    if (s->stopped || rdl__tree_knows(&s->tree, &s->draft, &count) || out_of_budget(s))
        return false;
    s->attempts++;
    ran = s->run(s->context, &s->draft, limit_for(s), &made);
    if (ran == RDL__RAN_STOP) {
        s->stopped = true;
        return false;
    }
    rdl__tree_add(&s->tree, made.choices, made.count);
    if (ran != RDL__RAN_FAIL || !is_simpler(s, &made)) {
        if (s->tried)
            s->tried(s->context, s);
        return false;
    }
    rdl__made_release(&s->best);
    rdl__made_copy(&s->best, &made);
    s->improvements++;
    s->improved_at = s->attempts;
    if (s->tried)
        s->tried(s->context, s);
    return true;
}

bool rdl__tired(const struct rdl__shrinker *s, uint64_t began)
{
    enum { PATIENCE = 120 };

    return s->attempts - (s->improved_at > began ? s->improved_at : began) > PATIENCE;
}

bool rdl__looked_at(const struct rdl__shrinker *s, uint32_t at)
{
    return at < s->looked_room && s->looked[at] == s->best.choices[at].index;
}

void rdl__look_at(struct rdl__shrinker *s, uint32_t at)
{
    if (at >= s->looked_room) {
        uint32_t room = s->best.count;

        s->looked = rdl__reallocate(s->looked, room * sizeof *s->looked);
        memset(s->looked + s->looked_room, 0, (room - s->looked_room) * sizeof *s->looked);
        s->looked_room = room;
    }
    s->looked[at] = s->best.choices[at].index;
}

/* Spans come in the order of their beginnings: walk along both. */
static void find_around(struct rdl__shrinker *s)
{
    const struct rdl__span *spans = s->best.spans;
    uint32_t open = RDL__NONE, next = 0;

    s->around = rdl__reallocate(s->around, s->best.count * sizeof *s->around);
    for (uint32_t at = 0; at < s->best.count; at++) {
        for (; next < s->best.span_count && spans[next].start <= at; next++)
            if (spans[next].end > at)
                open = next;
        while (open != RDL__NONE && spans[open].end <= at)
            open = spans[open].parent;
        s->around[at] = open;
    }
    s->around_at = s->improvements + 1;
}

const struct rdl__span *rdl__span_around(struct rdl__shrinker *s, uint32_t at)
{
    if (s->around_at != s->improvements + 1)
        find_around(s);
    return s->around[at] == RDL__NONE ? NULL : &s->best.spans[s->around[at]];
}

uint32_t rdl__children(const struct rdl__made *made, uint32_t parent, uint32_t *out, uint32_t room)
{
    uint32_t count = 0;

    for (uint32_t i = parent == RDL__NONE ? 0 : parent + 1; i < made->span_count; i++) {
        if (made->spans[i].parent == parent) {
            if (count < room)
                out[count] = i;
            count++;
        } else if (parent != RDL__NONE && made->spans[i].start >= made->spans[parent].end) {
            break;
        }
    }
    return count;
}

/* ---- Rounds -------------------------------------------------------------------- */

typedef void pass_function(struct rdl__shrinker *s);

/* Those that take away much or that nearly always apply, and those that try
 * many things for little. */
static pass_function *const cheap_passes[] = {
    rdl__pass_schedule, rdl__pass_leave_out,   rdl__pass_zero,    rdl__pass_branches,
    rdl__pass_descend,  rdl__pass_merge,       rdl__pass_counted, rdl__pass_trade,
    rdl__pass_lower,    rdl__pass_lower_equal, rdl__pass_sort,
};
static pass_function *const costly_passes[] = {
    rdl__pass_leave_out_runs, rdl__pass_indexed, rdl__pass_counted_elements,
    rdl__pass_booleans,       rdl__pass_pairs,   rdl__pass_cut_runs,
};

static pass_function *const thorough_passes[] = {
    rdl__pass_rename,
    rdl__pass_move,
    rdl__pass_regroup,
    rdl__pass_balance,
};

static bool run_passes(struct rdl__shrinker *s, pass_function *const *passes, size_t count)
{
    uint64_t before = s->improvements;

    for (size_t i = 0; i < count && !s->stopped; i++)
        passes[i](s);
    return s->improvements != before;
}

/* The cheap passes; once they make the tape no shorter, the costly ones too.
 * Not only once the cheap ones find nothing: two numbers that are bound to each
 * other can be lowered in turns, a little each time, for ever. */
static bool run_round(struct rdl__shrinker *s)
{
    uint32_t length = s->best.count;
    bool found = run_passes(s, cheap_passes, sizeof cheap_passes / sizeof *cheap_passes);

    if (s->best.count == length)
        found = run_passes(s, costly_passes, sizeof costly_passes / sizeof *costly_passes) || found;
    if (!found && s->thorough)
        found = run_passes(s, thorough_passes, sizeof thorough_passes / sizeof *thorough_passes);
    return found && !s->stopped;
}

/* So many rounds in a row that make the tape no shorter are enough. */
enum { ROUNDS_MAX = 25 };

/* The simplest case there is often fails already. */
static void try_simplest(struct rdl__shrinker *s)
{
    rdl__draft(s);
    s->draft.count = 0;
    rdl__consider(s);
}

void rdl__shrink(struct rdl__shrinker *s, const struct rdl__made *first)
{
    rdl__made_copy(&s->best, first);
    s->first_count = first->count;
    rdl__tree_add(&s->tree, first->choices, first->count);
    try_simplest(s);
    for (int rounds = 0; rounds < ROUNDS_MAX; rounds++) {
        uint32_t length = s->best.count;

        if (!run_round(s))
            return;
        if (s->best.count < length)
            rounds = 0;
    }
    s->stopped = true; /* it gets lower a little each time, and would for ever */
}

void rdl__shrink_release(struct rdl__shrinker *s)
{
    rdl__made_release(&s->best);
    rdl__tree_release(&s->tree);
    free(s->draft_indexes);
    free(s->around);
    free(s->looked);
    s->around = NULL;
    s->around_at = 0;
    s->looked = NULL;
    s->looked_room = 0;
    s->draft_indexes = NULL;
    s->draft_room = 0;
}
