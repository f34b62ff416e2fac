/* choices.c -- one of several, some of many, in which order; recursion; swarms. */
#include <string.h>

#include "generate/lists.h"
#include "generate/numbers.h"

static void show_number(struct rdl_case *t, const char *file, int line, const char *what,
                        uint32_t from, size_t number)
{
    struct rdl__text text = {0};

    rdl__text_add(&text, "%zu", number);
    rdl__show(t, file, line, what, from, &text);
    rdl__text_release(&text);
}

static void show_numbers(struct rdl_case *t, const char *file, int line, const char *what,
                         uint32_t from, const size_t *numbers, size_t n)
{
    struct rdl__text text = {0};

    rdl__text_add(&text, "{");
    for (size_t i = 0; i < n; i++)
        rdl__text_add(&text, i ? ", %zu" : "%zu", numbers[i]);
    rdl__text_add(&text, "}");
    rdl__show(t, file, line, what, from, &text);
    rdl__text_release(&text);
}

size_t rdl__pick(struct rdl_case *t, const char *file, int line, size_t n)
{
    size_t picked;

    if (n == 0)
        rdl__misuse(t, "%s:%d: rdl_pick: there is nothing to pick from: the count is 0", file,
                    line);
    picked = (size_t)rdl__choose(t->tape, RDL__BRANCH, n - 1);
    if (rdl__showing(t))
        show_number(t, file, line, "rdl_pick", t->tape->count - 1, picked);
    return picked;
}

size_t rdl__sample(struct rdl_case *t, const char *file, int line, const char *array, size_t n)
{
    size_t picked = (size_t)rdl__choose(t->tape, RDL__BRANCH, n - 1);

    if (rdl__showing(t)) {
        struct rdl__text text = {0};

        rdl__text_add(&text, "%s[%zu]", array, picked);
        rdl__show(t, file, line, "rdl_sample", t->tape->count - 1, &text);
        rdl__text_release(&text);
    }
    return picked;
}

/* Indexes count only what can be picked, so that a weight of 0 never is. */
size_t rdl__frequency(struct rdl_case *t, const char *file, int line, const unsigned *weights,
                      size_t n)
{
    struct rdl__tape *tape = t->tape;
    uint64_t total = 0, left, index = 0;
    size_t possible = 0, picked = 0;

    for (size_t i = 0; i < n; i++) {
        total += weights[i];
        possible += weights[i] > 0;
    }
    if (total == 0)
        rdl__misuse(t, "%s:%d: rdl_frequency: all weights are 0, so there is nothing to choose",
                    file, line);
    if (tape->fresh) {
        left = rdl__random_upto(&tape->random, total - 1);
        for (size_t i = 0; left >= weights[i]; left -= weights[i], i++)
            index += weights[i] > 0;
    } else {
        index = rdl__tape_given(tape, RDL__BRANCH, possible - 1, 0);
    }
    rdl__record(tape, RDL__BRANCH, index, possible - 1, 0);
    for (uint64_t skip = index; weights[picked] == 0 || skip-- > 0;)
        picked++;
    if (rdl__showing(t))
        show_number(t, file, line, "rdl_frequency", tape->count - 1, picked);
    return picked;
}

size_t rdl__one_of_begin(struct rdl_case *t, size_t n)
{
    rdl__span_begin(t->tape, RDL__LABEL_ONE_OF);
    return (size_t)rdl__choose(t->tape, RDL__BRANCH, n - 1);
}

static void swap(char *a, char *b, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        char old = a[i];

        a[i] = b[i];
        b[i] = old;
    }
}

/* The first element comes from any place, the second from any of the rest, and
 * so on: choices of 0 leave everything where it is.  Places count from the end,
 * so that a choice means the same wherever in the sequence it is made. */
static void shuffle(struct rdl_case *t, char *array, size_t n, size_t size)
{
    rdl__span_begin(t->tape, RDL__LABEL_GROUP);
    for (size_t i = 0; i + 1 < n; i++) {
        size_t back = (size_t)rdl__choose(t->tape, RDL__INTEGER, n - 1 - i);

        if (back)
            swap(array + i * size, array + (n - back) * size, size);
    }
    rdl__span_end(t->tape);
}

size_t *rdl__permutation(struct rdl_case *t, const char *file, int line, size_t n)
{
    size_t *numbers = rdl_new_array(t, size_t, n);
    uint32_t from = t->tape->count;

    for (size_t i = 0; i < n; i++)
        numbers[i] = i;
    shuffle(t, (char *)numbers, n, sizeof *numbers);
    if (rdl__showing(t))
        show_numbers(t, file, line, "rdl_permutation", from, numbers, n);
    return numbers;
}

void rdl__shuffle(struct rdl_case *t, void *array, size_t n, size_t size)
{
    shuffle(t, array, n, size);
}

size_t *rdl__subset(struct rdl_case *t, const char *file, int line, size_t n, size_t *out_count)
{
    size_t *numbers = rdl_new_array(t, size_t, n), count = 0;
    uint32_t from = t->tape->count;
    double share = t->tape->fresh ? (double)rdl__random_upto(&t->tape->random, 4) / 4 : 0.5;

    rdl__span_begin(t->tape, RDL__LABEL_GROUP);
    for (size_t i = 0; i < n; i++)
        if (rdl__draw_boolean(t, share, true))
            numbers[count++] = i;
    rdl__span_end(t->tape);
    *out_count = count;
    if (rdl__showing(t))
        show_numbers(t, file, line, "rdl_subset", from, numbers, count);
    return numbers;
}

/* How many nodes the one that asks may have below it, if chance decides. */
static uint32_t take_share(struct rdl_case *t)
{
    return t->share_count ? t->shares[--t->share_count] : t->nodes_left;
}

/* Divide what is left among the children, evenly or not: trees are to be bushy
 * in some cases and stalks in others. */
static void give_shares(struct rdl_case *t, uint32_t left, unsigned children)
{
    bool evenly = rdl__random_next(&t->tape->random) & 1;

    for (unsigned i = children; i > 0 && t->share_count < RDL__SHARES_MAX; i--) {
        uint32_t share =
            evenly || i == 1 ? left / i : (uint32_t)rdl__random_upto(&t->tape->random, left);

        t->shares[t->share_count++] = share;
        left -= share;
    }
}

/* What is possible depends on choices made before and on nothing else, so that a
 * replay sees the same; how likely it is may depend on anything. */
bool rdl_grow(struct rdl_case *t, unsigned children)
{
    bool possible = children > 0 && t->nodes_left >= children;
    uint32_t share = 0;
    bool grows;

    if (t->tape->fresh) {
        if (t->growth == 0)
            t->growth = 0.5 + 0.24 * (double)rdl__random_upto(&t->tape->random, 2);
        share = take_share(t);
    }
    grows = rdl__draw_boolean(t, share >= children ? t->growth : 0, possible);
    if (grows && share >= children)
        give_shares(t, share - children, children);
    if (grows)
        t->nodes_left -= children;
    return grows;
}

uint64_t rdl__swarm(struct rdl_case *t, const char *file, int line, unsigned n)
{
    struct rdl__tape *tape = t->tape;
    uint64_t features = 0, all = n >= 64 ? UINT64_MAX : (UINT64_C(1) << n) - 1;
    double off = tape->fresh ? (double)rdl__random_upto(&tape->random, 3) / 4 : 0.5;
    uint32_t from = tape->count;

    if (n < 1 || n > 64)
        rdl__misuse(t, "%s:%d: rdl_swarm: %u features, where 1 to 64 are possible", file, line, n);
    rdl__span_begin(tape, RDL__LABEL_GROUP);
    for (unsigned i = 0; i < n; i++)
        if (!rdl__draw_boolean(t, off, true))
            features |= UINT64_C(1) << i;
    rdl__span_end(tape);
    if (!features)
        features = all;
    if (rdl__showing(t)) {
        struct rdl__text text = {0};

        for (unsigned i = 0; i < n; i++)
            rdl__text_add(&text, "%c", features >> i & 1 ? '1' : '0');
        rdl__show(t, file, line, "rdl_swarm", from, &text);
        rdl__text_release(&text);
    }
    return features;
}

/* The feature with this number, or if it is off the next one that is on. */
static unsigned feature_at(uint64_t features, unsigned number)
{
    uint64_t from_here = features >> number;

    return (unsigned)__builtin_ctzll(from_here ? from_here << number : features);
}

/* The index is the number of the feature, so that it means the same whichever
 * other features are on. */
unsigned rdl__pick_of(struct rdl_case *t, const char *file, int line, uint64_t features)
{
    struct rdl__tape *tape = t->tape;
    uint64_t left = features, max;
    unsigned bit;

    if (!features)
        rdl__misuse(t, "%s:%d: rdl_pick_of: no feature is on", file, line);
    max = 63 - (unsigned)__builtin_clzll(features);
    if (tape->fresh) {
        uint64_t skip =
            rdl__random_upto(&tape->random, (uint64_t)__builtin_popcountll(features) - 1);

        while (skip-- > 0)
            left &= left - 1;
        bit = (unsigned)__builtin_ctzll(left);
    } else {
        bit = feature_at(features, (unsigned)rdl__tape_given(tape, RDL__BRANCH, max, 0));
    }
    rdl__record(tape, RDL__BRANCH, bit, max, 0);
    if (rdl__showing(t))
        show_number(t, file, line, "rdl_pick_of", tape->count - 1, bit);
    return bit;
}
