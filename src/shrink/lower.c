/* lower.c -- passes: lower one choice, or several equal ones together.
 *
 * An integer moves towards its simplest value on its own side.  A failure that
 * begins at some threshold is followed exactly there, in about as many tries as
 * the threshold has bits; a number that is already there costs a dozen, and one
 * for each of its bits that is set. */
#include <stdlib.h>

#include "base/memory.h"
#include "generate/doubles.h"
#include "shrink/shrink.h"

/* Choices that move together: equal, and of the same domain. */
struct group {
    uint32_t *at;
    uint32_t count;
};

static const struct rdl__choice *leader(const struct rdl__shrinker *s, const struct group *group)
{
    return &s->best.choices[group->at[0]];
}

/* The group is only there as long as the tape has all of its places. */
static bool is_there(const struct rdl__shrinker *s, const struct group *group)
{
    return !s->stopped && group->at[group->count - 1] < s->best.count &&
           leader(s, group)->index > 0;
}

static bool set_index(struct rdl__shrinker *s, const struct group *group, uint64_t index)
{
    if (!is_there(s, group) || index >= leader(s, group)->index)
        return false;
    rdl__draft(s);
    for (uint32_t i = 0; i < group->count; i++)
        rdl__draft_set(s, group->at[i], index);
    return rdl__consider(s);
}

static struct rdl__offset offset_of(const struct rdl__shrinker *s, const struct group *group)
{
    const struct rdl__choice *choice = leader(s, group);

    return rdl__offset_of(choice->index, choice->max, choice->below);
}

static bool set_offset(struct rdl__shrinker *s, const struct group *group, uint64_t distance,
                       bool negative)
{
    const struct rdl__choice *choice = leader(s, group);

    if (distance > rdl__reach(negative, choice->max, choice->below))
        return false;
    return set_index(s, group,
                     rdl__index_of((struct rdl__offset){distance, negative && distance},
                                   choice->max, choice->below));
}

static int bit_length(uint64_t x)
{
    return x ? 64 - __builtin_clzll(x) : 0;
}

/* The smallest distance at which it fails, if it fails at all larger ones: first
 * its number of bits, then the rest of it, by bisection. */
static void find_threshold(struct rdl__shrinker *s, const struct group *group)
{
    struct rdl__offset offset = offset_of(s, group);
    int few = 0, many = bit_length(offset.distance);
    uint64_t low, high;

    while (many - few > 1 && is_there(s, group)) {
        int middle = few + (many - few) / 2;

        if (set_offset(s, group, (UINT64_C(1) << middle) - 1, offset.negative))
            many = middle;
        else
            few = middle;
    }
    if (!is_there(s, group))
        return;
    low = (UINT64_C(1) << few) - 1;
    high = offset_of(s, group).distance;
    while (high - low > 1 && is_there(s, group)) {
        uint64_t middle = low + (high - low) / 2;

        if (set_offset(s, group, middle, offset.negative))
            high = middle;
        else
            low = middle;
    }
}

/* Is there anything to be found below, on the same side? */
static bool gives_way(struct rdl__shrinker *s, const struct group *group)
{
    struct rdl__offset offset = offset_of(s, group);

    return set_offset(s, group, offset.distance - 1, offset.negative) ||
           set_offset(s, group, offset.distance / 2, offset.negative) ||
           (offset.distance > 2 && set_offset(s, group, offset.distance - 2, offset.negative));
}

/* For failures that need a pattern of bits rather than a size. */
static bool clear_bits(struct rdl__shrinker *s, const struct group *group)
{
    uint64_t before = s->improvements;

    for (int bit = bit_length(offset_of(s, group).distance) - 1; bit >= 0 && is_there(s, group);
         bit--) {
        struct rdl__offset offset = offset_of(s, group);

        if (offset.distance >> bit & 1)
            set_offset(s, group, offset.distance ^ UINT64_C(1) << bit, offset.negative);
    }
    return s->improvements != before;
}

/* Lower it by a multiple of step, as large as possible. */
static void subtract_multiples(struct rdl__shrinker *s, const struct group *group, uint64_t step)
{
    enum { TRIES_MAX = 80 }; /* more than bisection needs: then it is no rule, but luck */
    uint64_t times = offset_of(s, group).distance / step;

    for (int i = 0; i < TRIES_MAX && times > 0 && is_there(s, group); i++) {
        struct rdl__offset offset = offset_of(s, group);

        if (offset.distance < times * step ||
            !set_offset(s, group, offset.distance - times * step, offset.negative))
            times /= 2;
    }
}

/* For failures that come back at a regular distance, every seventh number say:
 * a step that many distances divide shows that there is one; leaving out its
 * factors shows which. */
static bool find_period(struct rdl__shrinker *s, const struct group *group)
{
    static const uint64_t rich[] = {720720, 27720, 2520, 420, 60, 12, 7};
    static const uint64_t primes[] = {2, 3, 5, 7, 11, 13};
    struct rdl__offset offset = offset_of(s, group);
    uint64_t step = 0;

    for (size_t i = 0; i < sizeof rich / sizeof *rich && !step && is_there(s, group); i++)
        if (offset.distance > rich[i] &&
            set_offset(s, group, offset.distance - rich[i], offset.negative))
            step = rich[i];
    if (!step)
        return false;
    for (size_t i = 0; i < sizeof primes / sizeof *primes && is_there(s, group); i++)
        while (step % primes[i] == 0 && is_there(s, group)) {
            offset = offset_of(s, group);
            if (offset.distance <= step / primes[i] ||
                !set_offset(s, group, offset.distance - step / primes[i], offset.negative))
                break;
            step /= primes[i];
        }
    if (is_there(s, group))
        subtract_multiples(s, group, step);
    return true;
}

static void lower_on_its_side(struct rdl__shrinker *s, const struct group *group)
{
    enum { ROUNDS = 6 }; /* of what can only be lowered a little each time, the rest stays */
    bool is_new = group->count > 1 || !rdl__looked_at(s, group->at[0]);

    for (int i = 0; i < ROUNDS && is_there(s, group); i++) {
        bool gave = gives_way(s, group);

        if (gave && is_there(s, group))
            find_threshold(s, group);
        if (is_new && is_there(s, group))
            gave = clear_bits(s, group) || (is_there(s, group) && find_period(s, group)) || gave;
        if (!gave)
            return;
    }
}

static void lower_integer(struct rdl__shrinker *s, const struct group *group)
{
    struct rdl__offset offset = offset_of(s, group);

    if (set_index(s, group, 0) || !is_there(s, group))
        return;
    if (offset.negative)
        set_offset(s, group, offset.distance, false);
    lower_on_its_side(s, group);
    if (!is_there(s, group))
        return;
    /* What fails here may fail even closer on the other side. */
    offset = offset_of(s, group);
    if (set_offset(s, group, offset.distance - !offset.negative, !offset.negative))
        lower_on_its_side(s, group);
}

/* ---- Doubles --------------------------------------------------------------------- */

static bool set_double(struct rdl__shrinker *s, const struct group *group, double x)
{
    return x >= 0 && set_index(s, group, rdl__double_code(x));
}

static double double_of(const struct rdl__shrinker *s, const struct group *group)
{
    return rdl__double_of(leader(s, group)->index);
}

/* With few binary digits after the point. */
static void round_double(struct rdl__shrinker *s, const struct group *group)
{
    static const int digits[] = {0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48};

    for (size_t i = 0; i < sizeof digits / sizeof *digits && is_there(s, group); i++) {
        double scale = (double)(UINT64_C(1) << digits[i]), x = double_of(s, group) * scale;

        if (!(x < 0x1p62) || x == (double)(uint64_t)x)
            return;
        if (set_double(s, group, (double)(uint64_t)x / scale) ||
            set_double(s, group, (double)((uint64_t)x + 1) / scale))
            return;
    }
}

static void subtract_from_double(struct rdl__shrinker *s, const struct group *group)
{
    for (double step = 0x1p62; step >= 0x1p-16 && is_there(s, group); step /= 2) {
        double x = double_of(s, group);

        if (x >= step && x <= 2 * 0x1p62)
            set_double(s, group, x - step);
    }
}

/* A fraction whose number of digits cannot be lowered: the digits themselves,
 * as a number.  A huge number: all of its code. */
static void lower_code(struct rdl__shrinker *s, const struct group *group)
{
    bool is_fraction = double_of(s, group) < 0x1p63;
    int bits = is_fraction ? bit_length(leader(s, group)->index & ((UINT64_C(1) << 52) - 1)) : 63;

    for (int bit = bits - 1; bit >= 0 && is_there(s, group); bit--) {
        uint64_t index = leader(s, group)->index, step = UINT64_C(1) << bit;

        if ((index & (step - 1 + step)) >= step)
            set_index(s, group, index - step);
    }
}

static void lower_double(struct rdl__shrinker *s, const struct group *group)
{
    static const double simple[] = {0, 1, 2, 0x1p31, 0x1p53, 0x1p63};
    static const double huge[] = {0x1p64, 1e30, 0x1p128, 1e100, 1e300, 1.7976931348623157e308};

    for (size_t i = 0; i < sizeof simple / sizeof *simple && is_there(s, group); i++)
        if (set_double(s, group, simple[i]))
            break;
    for (size_t i = 0; i < sizeof huge / sizeof *huge && is_there(s, group); i++) {
        double x = double_of(s, group);

        if (x < huge[i] || set_double(s, group, huge[i]))
            break;
    }
    if (is_there(s, group))
        round_double(s, group);
    if (is_there(s, group) && leader(s, group)->index >> 63 == 0)
        lower_integer(s, group); /* whole numbers are their own index */
    else if (is_there(s, group))
        subtract_from_double(s, group);
    if (is_there(s, group) && leader(s, group)->index >> 63)
        lower_code(s, group);
}

/* ---- The passes -------------------------------------------------------------------- */

static void lower(struct rdl__shrinker *s, const struct group *group)
{
    switch (leader(s, group)->kind) {
    case RDL__MORE:
        break; /* leaving out elements is another pass's work */
    case RDL__DOUBLE:
        lower_double(s, group);
        break;
    default:
        lower_integer(s, group);
    }
}

void rdl__pass_lower(struct rdl__shrinker *s)
{
    for (uint32_t i = 0; i < s->best.count && !s->stopped; i++) {
        struct group alone = {&i, 1};

        if (s->best.choices[i].index > 0)
            lower(s, &alone);
        if (i < s->best.count)
            rdl__look_at(s, i);
    }
}

static bool are_alike(const struct rdl__choice *a, const struct rdl__choice *b)
{
    return a->index == b->index && a->max == b->max && a->below == b->below && a->kind == b->kind;
}

/* Those that are equal to the choice at `first` and come after it.  A choice
 * with only two answers is equal to many others for no reason. */
static uint32_t find_equal(const struct rdl__made *made, uint32_t first, uint32_t *out)
{
    const struct rdl__choice *choice = &made->choices[first];
    uint32_t count = 0;

    if (choice->index == 0 || choice->max < 2 || choice->kind == RDL__MORE ||
        choice->kind == RDL__STRETCH)
        return 0;
    for (uint32_t i = 0; i < first; i++)
        if (are_alike(choice, &made->choices[i]))
            return 0; /* they have had their turn with that one */
    for (uint32_t i = first; i < made->count; i++)
        if (are_alike(choice, &made->choices[i]))
            out[count++] = i;
    return count;
}

void rdl__pass_lower_equal(struct rdl__shrinker *s)
{
    enum { COUNT_MAX = 4096 }; /* of more choices, looking for equals takes longer than it helps */
    uint32_t *at = NULL;

    if (s->best.count > COUNT_MAX)
        return;
    for (uint32_t first = 0; first < s->best.count && !s->stopped; first++) {
        struct group group;

        at = rdl__reallocate(at, s->best.count * sizeof *at);
        group = (struct group){at, find_equal(&s->best, first, at)};
        if (group.count < 2)
            continue;
        lower(s, &group);
        /* More than two may be equal by accident: try each pair with the first. */
        for (uint32_t i = 1; group.count > 2 && i < group.count && i <= 4; i++) {
            uint32_t two[2] = {at[0], at[i]};
            struct group pair = {two, 2};

            if (two[1] < s->best.count && is_there(s, &pair) &&
                are_alike(&s->best.choices[two[0]], &s->best.choices[two[1]]))
                lower(s, &pair);
        }
    }
    free(at);
}
