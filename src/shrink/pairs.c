/* pairs.c -- passes: two numbers at a time, and choices that no span holds.
 *
 * Two numbers may be bound to each other: only their sum counts, or only their
 * difference.  Then neither can be lowered alone, but the first can if the
 * second moves along. */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "case/case.h"
#include "generate/doubles.h"
#include "shrink/shrink.h"

enum { FEW = 4, ALL_PAIRS = 12, NEIGHBOURS = 4, CUT_MAX = 4 };

static __int128 offset_at(const struct rdl__made *made, uint32_t at)
{
    const struct rdl__choice *choice = &made->choices[at];
    struct rdl__offset offset = rdl__offset_of(choice->index, choice->max, choice->below);

    return offset.negative ? -(__int128)offset.distance : (__int128)offset.distance;
}

static bool draft_offset(struct rdl__shrinker *s, uint32_t at, __int128 value)
{
    const struct rdl__choice *choice = &s->best.choices[at];
    struct rdl__offset offset = {(uint64_t)(value < 0 ? -value : value), value < 0};

    if (value < -(__int128)choice->below || value > (__int128)(choice->max - choice->below))
        return false;
    rdl__draft_set(s, at, rdl__index_of(offset, choice->max, choice->below));
    return true;
}

/* Lower the first by `by`; move the second by as much, in the direction that
 * keeps their sum (+1) or their difference (-1). */
static bool shift(struct rdl__shrinker *s, uint32_t first, uint32_t second, __int128 by,
                  int direction)
{
    __int128 a, b;

    if (second >= s->best.count || by == 0)
        return false;
    a = offset_at(&s->best, first);
    b = offset_at(&s->best, second);
    if (a < 0)
        by = -by;
    rdl__draft(s);
    return draft_offset(s, first, a - by) && draft_offset(s, second, b + direction * by) &&
           rdl__consider(s);
}

/* How far the second number can go along. */
static __int128 room_for(const struct rdl__made *made, uint32_t first, uint32_t second,
                         int direction)
{
    const struct rdl__choice *choice = &made->choices[second];
    __int128 a = offset_at(made, first), b = offset_at(made, second);
    bool up = (a > 0) == (direction > 0);
    __int128 room = up ? (__int128)(choice->max - choice->below) - b : b + (__int128)choice->below;
    __int128 wanted = a < 0 ? -a : a;

    return wanted < room ? wanted : room;
}

static bool is_number(const struct rdl__made *made, uint32_t at)
{
    return at < made->count && made->choices[at].kind == RDL__INTEGER;
}

/* As far as possible; if not at once, then a little shows whether it is worth
 * looking for how far. */
static void shift_as_far_as_possible(struct rdl__shrinker *s, uint32_t first, uint32_t second,
                                     int direction)
{
    __int128 room = room_for(&s->best, first, second, direction);

    if (room <= 0 || shift(s, first, second, room, direction) ||
        !shift(s, first, second, 1, direction))
        return;
    for (__int128 step = (__int128)1 << 63; step > 0; step /= 2)
        if (is_number(&s->best, first) && is_number(&s->best, second) &&
            step <= room_for(&s->best, first, second, direction))
            shift(s, first, second, step, direction);
}

static void swap(struct rdl__shrinker *s, uint32_t first, uint32_t second)
{
    const struct rdl__choice *a = &s->best.choices[first], *b = &s->best.choices[second];

    if (a->index <= b->index || a->index > b->max)
        return;
    rdl__draft(s);
    rdl__draft_set(s, first, b->index);
    rdl__draft_set(s, second, a->index);
    rdl__consider(s);
}

/* All numbers on the other side of their simplest value, the ends at the other
 * ends: what fails often fails in the mirror too, and is simpler in one of them. */
static void mirror(struct rdl__shrinker *s)
{
    rdl__draft(s);
    for (uint32_t i = 0; i < s->best.count; i++) {
        const struct rdl__choice *choice = &s->best.choices[i];
        struct rdl__offset offset = rdl__offset_of(choice->index, choice->max, choice->below);
        uint64_t reach = rdl__reach(!offset.negative, choice->max, choice->below);

        if (choice->kind != RDL__INTEGER || offset.distance == 0 || reach == 0)
            continue;
        if (offset.distance > reach ||
            offset.distance == rdl__reach(offset.negative, choice->max, choice->below))
            offset.distance = reach;
        offset.negative = !offset.negative;
        rdl__draft_set(s, i, rdl__index_of(offset, choice->max, choice->below));
    }
    rdl__consider(s);
}

static uint32_t find_numbers(const struct rdl__made *made, uint32_t *out)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < made->count; i++)
        if (made->choices[i].kind == RDL__INTEGER && made->choices[i].max > 0)
            out[count++] = i;
    return count;
}

/* The first a step lower, the second as large as it can be.  When only both
 * together matter, what the first gives up the second takes. */
static bool trade(struct rdl__shrinker *s, uint32_t first, uint32_t second, uint64_t lower_by)
{
    const struct rdl__choice *a = &s->best.choices[first], *b = &s->best.choices[second];
    struct rdl__offset offset = rdl__offset_of(a->index, a->max, a->below);
    struct rdl__offset far = rdl__offset_of(b->index, b->max, b->below);

    far.distance = rdl__reach(far.negative, b->max, b->below);
    offset.distance -= lower_by;
    offset.negative = offset.negative && offset.distance;
    rdl__draft(s);
    rdl__draft_set(s, first, rdl__index_of(offset, a->max, a->below));
    rdl__draft_set(s, second, rdl__index_of(far, b->max, b->below));
    return rdl__consider(s);
}

static uint64_t distance_at(const struct rdl__made *made, uint32_t at)
{
    __int128 offset = offset_at(made, at);

    return (uint64_t)(offset < 0 ? -offset : offset);
}

static void trade_as_much_as_possible(struct rdl__shrinker *s, uint32_t first, uint32_t second)
{
    if (trade(s, first, second, distance_at(&s->best, first)) || !trade(s, first, second, 1))
        return;
    for (uint64_t step = UINT64_C(1) << 63; step > 0; step /= 2)
        if (is_number(&s->best, first) && is_number(&s->best, second) &&
            step <= distance_at(&s->best, first))
            trade(s, first, second, step);
}

static void try_pair(struct rdl__shrinker *s, uint32_t first, uint32_t second)
{
    static const int directions[] = {1, -1};

    swap(s, first, second);
    if (is_number(&s->best, first) && is_number(&s->best, second) &&
        s->best.choices[first].index > 0)
        trade_as_much_as_possible(s, first, second);
    for (int i = 0; i < 2; i++)
        if (is_number(&s->best, first) && is_number(&s->best, second) &&
            s->best.choices[first].index > 0)
            shift_as_far_as_possible(s, first, second, directions[i]);
}

/* One of the smallest for the first, one of the ends for the second. */
static void try_extremes(struct rdl__shrinker *s, uint32_t first, uint32_t second)
{
    for (uint64_t index = 1; index <= 2; index++)
        for (int negative = 0; negative <= 1; negative++) {
            const struct rdl__choice *b;
            struct rdl__offset far;

            if (!is_number(&s->best, first) || !is_number(&s->best, second) ||
                s->best.choices[first].index <= index)
                return;
            b = &s->best.choices[second];
            far = (struct rdl__offset){rdl__reach(negative, b->max, b->below), negative};
            if (far.distance == 0)
                continue;
            rdl__draft(s);
            rdl__draft_set(s, first, index);
            rdl__draft_set(s, second, rdl__index_of(far, b->max, b->below));
            rdl__consider(s);
        }
}

/* The first of two doubles becomes a power of two, as small as possible, while
 * the second is as large as a double can be. */
static bool trade_double(struct rdl__shrinker *s, uint32_t first, uint32_t second, int exponent)
{
    rdl__draft(s);
    rdl__draft_set(s, first, rdl__double_code(ldexp(1, exponent)));
    rdl__draft_set(s, second, rdl__double_code(DBL_MAX));
    return rdl__consider(s);
}

static void trade_doubles(struct rdl__shrinker *s, uint32_t first, uint32_t second)
{
    double x = rdl__double_of(s->best.choices[first].index);
    int low = -1074, high;
    bool is_power = frexp(x, &high) == 0.5;

    high -= is_power ? 2 : 1; /* the largest power of two below it */
    if (s->best.choices[first].index == 0 || !trade_double(s, first, second, high))
        return;
    while (low < high && second < s->best.count && !s->stopped) {
        int middle = low + (high - low) / 2;

        if (trade_double(s, first, second, middle))
            high = middle;
        else
            low = middle + 1;
    }
}

static void try_doubles(struct rdl__shrinker *s)
{
    uint32_t last = RDL__NONE;

    for (uint32_t i = 0; i < s->best.count && !s->stopped; i++) {
        if (s->best.choices[i].kind != RDL__DOUBLE)
            continue;
        if (last != RDL__NONE)
            trade_doubles(s, last, i);
        last = i;
    }
}

void rdl__pass_pairs(struct rdl__shrinker *s)
{
    uint32_t *at = rdl__allocate((s->best.count + 1) * sizeof *at);
    uint32_t count = find_numbers(&s->best, at);
    uint32_t reach = count <= ALL_PAIRS ? ALL_PAIRS : NEIGHBOURS;
    uint32_t length = s->best.count;
    uint64_t began = s->attempts;

    for (uint32_t i = 0; i < count && !s->stopped && !rdl__tired(s, began); i++)
        for (uint32_t k = i + 1; k < count && k <= i + reach && !s->stopped; k++)
            if (s->best.count == length && s->best.choices[at[i]].index > 0) {
                try_pair(s, at[i], at[k]);
                if (count <= FEW)
                    try_extremes(s, at[i], at[k]);
            }
    free(at);
    mirror(s);
    try_doubles(s);
}

/* The outermost element that a choice is in and `other` is not. */
static const struct rdl__span *element_of(struct rdl__shrinker *s, uint32_t at, uint32_t other)
{
    const struct rdl__span *span = rdl__span_around(s, at), *found = NULL;

    while (span && !(span->start <= other && span->end > other)) {
        if (span->label == RDL__LABEL_ELEMENT)
            found = span;
        span = span->parent == RDL__NONE ? NULL : &s->best.spans[span->parent];
    }
    return found;
}

/* Leave out the first number, with the element it is in, and let the second be
 * as large as it can be, on this side or on the other. */
static bool trade_away(struct rdl__shrinker *s, const struct rdl__span *element, uint32_t second,
                       bool negative)
{
    const struct rdl__choice *b = &s->best.choices[second];
    struct rdl__offset far = {rdl__reach(negative, b->max, b->below), negative};

    if (far.distance == 0)
        return false;
    rdl__draft(s);
    rdl__draft_set(s, second, rdl__index_of(far, b->max, b->below));
    rdl__draft_cut(s, element->start, element->end);
    return rdl__consider(s);
}

/* The draft: without the first `less` elements of a list, all other numbers in it
 * as large as they can be. */
static bool fewer_but_large(struct rdl__shrinker *s, uint32_t list, const uint32_t *elements,
                            uint32_t less)
{
    const struct rdl__span *span = &s->best.spans[list];

    rdl__draft(s);
    for (uint32_t i = span->start; i < span->end; i++) {
        const struct rdl__choice *choice = &s->best.choices[i];
        uint64_t above = choice->max - choice->below;
        struct rdl__offset far = {above ? above : choice->below, above == 0};

        if (choice->kind == RDL__INTEGER)
            rdl__draft_set(s, i, rdl__index_of(far, choice->max, choice->below));
    }
    rdl__draft_cut(s, span->start, s->best.spans[elements[less - 1]].end);
    return rdl__consider(s);
}

/* Where only many small numbers together matter, few large ones will do: leave
 * out as many as possible, in steps that double and then halve. */
static void gather(struct rdl__shrinker *s, uint32_t list)
{
    uint32_t *elements = NULL, less = 1;
    bool growing = true;

    while (less > 0 && list < s->best.span_count && !s->stopped) {
        uint32_t count;

        elements = rdl__reallocate(elements, (s->best.span_count + 1) * sizeof *elements);
        count = rdl__children(&s->best, list, elements, s->best.span_count);
        if (less < count && fewer_but_large(s, list, elements, less)) {
            less = growing ? less * 2 : less;
        } else {
            growing = false;
            less /= 2;
        }
    }
    free(elements);
}

static void gather_all(struct rdl__shrinker *s)
{
    for (uint32_t list = 0; list < s->best.span_count && !s->stopped; list++)
        if (s->best.spans[list].label == RDL__LABEL_LIST)
            gather(s, list);
}

/* Neighbours only, and only all or nothing: that is cheap, and of many numbers
 * of which only the sum counts it leaves few. */
void rdl__pass_trade(struct rdl__shrinker *s)
{
    uint32_t *at, count;

    gather_all(s);
    at = rdl__allocate((s->best.count + 1) * sizeof *at);
    count = find_numbers(&s->best, at);
    for (uint32_t i = 0; i + 1 < count && !s->stopped;) {
        const struct rdl__span *element = element_of(s, at[i], at[i + 1]);
        uint32_t length = s->best.count;

        if (s->best.choices[at[i]].index == 0) {
            i++;
        } else if (element) {
            bool negative = offset_at(&s->best, at[i + 1]) < 0;

            if (trade_away(s, element, at[i + 1], negative) ||
                trade_away(s, element, at[i + 1], !negative))
                count = find_numbers(&s->best, at);
            else
                i++;
        } else {
            if (trade(s, at[i], at[i + 1], distance_at(&s->best, at[i])) && s->best.count != length)
                count = find_numbers(&s->best, at);
            i++;
        }
    }
    free(at);
}

/* ---- Choices that no span of ours holds -------------------------------------------- */

/* Our own spans have a structure that cutting can only spoil. */
static bool is_loose(struct rdl__shrinker *s, uint32_t at)
{
    const struct rdl__span *around = rdl__span_around(s, at);

    return !around || around->label >= RDL__LABELS;
}

void rdl__pass_cut_runs(struct rdl__shrinker *s)
{
    uint64_t began = s->attempts;

    for (uint32_t width = 1; width <= CUT_MAX; width++)
        for (uint32_t end = s->best.count; end >= width && !s->stopped && !rdl__tired(s, began);
             end--) {
            if (end > s->best.count || !is_loose(s, end - width) || !is_loose(s, end - 1))
                continue;
            rdl__draft(s);
            rdl__draft_cut(s, end - width, end);
            rdl__consider(s);
        }
}
