/* test_passes.c -- each pass of the shrinker by itself does what shrink.h says of it, to a case
 * that needs it; and the order of tapes is what it is said to be. */
#include <stdio.h>

#include "case/case.h"
#include "shrink_bench.h"

/* ---- What is drawn ------------------------------------------------------------------------ */

enum { MOST = 12 };

static uint64_t integer(struct rdl__tape *tape)
{
    return rdl__choose(tape, RDL__INTEGER, 99);
}

/* A list of numbers; how many. */
static int list(struct rdl__tape *tape, uint64_t *out)
{
    int count = 0;

    rdl__span_begin(tape, RDL__LABEL_LIST);
    while (rdl__choose(tape, RDL__MORE, count < MOST)) {
        rdl__span_begin(tape, RDL__LABEL_ELEMENT);
        tape->spans[tape->span_count - 1].start--; /* with the question before it */
        out[count++] = integer(tape);
        rdl__span_end(tape);
    }
    rdl__span_end(tape);
    return count;
}

static bool has(const uint64_t *numbers, int count, uint64_t number)
{
    for (int i = 0; i < count; i++)
        if (numbers[i] == number)
            return true;
    return false;
}

static uint64_t sum(const uint64_t *numbers, int count)
{
    uint64_t sum = 0;

    for (int i = 0; i < count; i++)
        sum += numbers[i];
    return sum;
}

/* ---- Tests -------------------------------------------------------------------------------- */

static bool a_seven(struct rdl__tape *tape)
{
    uint64_t xs[MOST];

    return has(xs, list(tape, xs), 7);
}

static bool a_seven_and_an_odd_number_of_them(struct rdl__tape *tape)
{
    uint64_t xs[MOST];
    int count = list(tape, xs);

    return has(xs, count, 7) && count % 2;
}

static bool equal_booleans_and_five(struct rdl__tape *tape)
{
    uint64_t a = rdl__choose(tape, RDL__BOOLEAN, 1), b = rdl__choose(tape, RDL__BOOLEAN, 1);

    return a == b && integer(tape) >= 5;
}

static bool the_last_is_five(struct rdl__tape *tape)
{
    uint64_t xs[6];

    for (int i = 0; i < 6; i++)
        xs[i] = integer(tape);
    return xs[5] >= 5;
}

static bool any_branch_of_three(struct rdl__tape *tape)
{
    uint64_t branch = rdl__choose(tape, RDL__BRANCH, 2);

    if (branch == 2)
        return integer(tape) + integer(tape) >= 3;
    return integer(tape) >= 3;
}

/* The earlier branch needs a large number; what comes after its span must stay small. */
static bool a_branch_before_a_small_number(struct rdl__tape *tape)
{
    uint64_t branch, in_span;

    rdl__span_begin(tape, RDL__LABEL_GROUP);
    branch = rdl__choose(tape, RDL__BRANCH, 1);
    in_span = integer(tape);
    rdl__span_end(tape);
    return integer(tape) <= 5 && (branch == 1 || in_span > 90);
}

/* A tree: a number, and two trees or none. */
static uint64_t largest_in_tree(struct rdl__tape *tape, int depth)
{
    uint64_t largest;

    rdl__span_begin(tape, RDL__LABEL_GROUP);
    largest = integer(tape);
    if (depth < 3 && rdl__choose(tape, RDL__BRANCH, 1))
        for (int i = 0; i < 2; i++) {
            uint64_t other = largest_in_tree(tape, depth + 1);

            largest = other > largest ? other : largest;
        }
    rdl__span_end(tape);
    return largest;
}

static bool a_nine_in_a_tree(struct rdl__tape *tape)
{
    return largest_in_tree(tape, 0) == 9;
}

static bool two_equal_and_a_nine(struct rdl__tape *tape)
{
    uint64_t a = integer(tape), b = integer(tape), c = integer(tape);

    return a == c && a >= 3 && b >= 9;
}

static bool so_many_with_a_seven(struct rdl__tape *tape)
{
    uint64_t xs[99];
    int count = (int)integer(tape);

    for (int i = 0; i < count; i++)
        xs[i] = integer(tape);
    return has(xs, count, 7);
}

static bool sevens_in_two_lists(struct rdl__tape *tape)
{
    uint64_t xs[2 * MOST];
    int count = list(tape, xs);

    count += list(tape, xs + count);
    return has(xs, count, 7) && has(xs, count, 8);
}

static bool six_in_all(struct rdl__tape *tape)
{
    uint64_t xs[MOST];
    int count = list(tape, xs);

    return count == 3 && sum(xs, 3) == 6 && has(xs, 3, 2);
}

static bool two_make_ten(struct rdl__tape *tape)
{
    uint64_t a = integer(tape), b = integer(tape);

    return a + b == 10;
}

static bool two_make_ten_or_more(struct rdl__tape *tape)
{
    uint64_t a = integer(tape), b = integer(tape);

    return a + b >= 10;
}

static bool two_are_three_apart(struct rdl__tape *tape)
{
    uint64_t a = integer(tape), b = integer(tape);

    return b == a + 3;
}

static bool one_is_true(struct rdl__tape *tape)
{
    return rdl__choose(tape, RDL__BOOLEAN, 1) + rdl__choose(tape, RDL__BOOLEAN, 1) +
               rdl__choose(tape, RDL__BOOLEAN, 1) ==
           1;
}

/* Numbers as long as none is 0, without a span around them. */
static bool a_seven_before_a_zero(struct rdl__tape *tape)
{
    uint64_t xs[MOST];
    int count = 0;

    while (count < MOST && (xs[count] = integer(tape)) != 0)
        count++;
    return has(xs, count, 7);
}

/* A list, and the number of an element in it, which is a seven. */
static bool the_place_of_a_seven(struct rdl__tape *tape)
{
    uint64_t xs[MOST], place;
    int count = list(tape, xs);

    place = count > 0 ? rdl__choose(tape, RDL__INTEGER, (uint64_t)count - 1) : 0;
    return count > 0 && xs[place] == 7;
}

static bool the_first_and_last_have_one_name(struct rdl__tape *tape)
{
    uint64_t names[3];

    for (int i = 0; i < 3; i++)
        names[i] = rdl__choose(tape, RDL__INTEGER, 9);
    return names[0] == names[2] && names[0] != names[1];
}

/* Its first element says how many come after it. */
static bool a_list_that_knows_its_length(struct rdl__tape *tape)
{
    uint64_t xs[MOST];
    int count = list(tape, xs);

    return count > 0 && xs[0] == (uint64_t)count - 1 && has(xs + 1, count - 1, 7);
}

/* ---- Before and after ---------------------------------------------------------------------- */

static const char *after_pass(void (*pass)(struct rdl__shrinker *s), test_function *test,
                              const char *before)
{
    static char after[400];
    uint64_t indexes[64];
    uint32_t count = 0;
    struct bench *bench = new_bench(test);
    struct rdl__shrinker s = {0};
    char *end;

    for (; *before; before = end + strspn(end, " "))
        indexes[count++] = strtoull(before, &end, 10);
    run_pass(bench, &s, pass, indexes, count);
    EXPECT_EQ(bench->repeats, 0);
    after[0] = '\0';
    for (uint32_t i = 0; i < s.best.count; i++)
        snprintf(after + strlen(after), sizeof after - strlen(after), "%s%ju", i ? " " : "",
                 (uintmax_t)s.best.choices[i].index);
    rdl__shrink_release(&s);
    free_bench(bench);
    return after;
}

static const struct {
    void (*pass)(struct rdl__shrinker *s);
    test_function *test;
    const char *before, *after;
} examples[] = {
    {rdl__pass_leave_out, a_seven, "1 3 1 7 1 2 1 9 0", "1 7 0"},
    {rdl__pass_leave_out, a_seven_and_an_odd_number_of_them, "1 7 1 3 1 2 0", "1 7 1 3 1 2 0"},
    {rdl__pass_leave_out_runs, a_seven_and_an_odd_number_of_them, "1 7 1 3 1 2 0", "1 7 0"},
    {rdl__pass_leave_out_runs, a_seven_and_an_odd_number_of_them, "1 3 1 2 1 7 1 1 1 5 0", "1 7 0"},
    {rdl__pass_zero, equal_booleans_and_five, "1 1 9", "0 0 9"},
    {rdl__pass_zero, the_last_is_five, "3 1 4 1 5 9", "0 0 0 0 0 9"},
    {rdl__pass_branches, any_branch_of_three, "2 5 6", "0 5"},
    {rdl__pass_branches, a_branch_before_a_small_number, "1 0 3", "0 99 3"},
    {rdl__pass_descend, a_nine_in_a_tree, "1 1 2 1 3 0 9 0 4 0", "9 0"},
    {rdl__pass_lower, the_last_is_five, "3 1 4 1 5 97", "0 0 0 0 0 5"},
    {rdl__pass_lower, two_make_ten, "4 6", "4 6"},
    {rdl__pass_lower_equal, two_equal_and_a_nine, "9 9 9", "3 9 3"},
    {rdl__pass_lower_equal, two_equal_and_a_nine, "8 20 8", "3 20 3"},
    {rdl__pass_counted, so_many_with_a_seven, "4 1 7 2 3", "1 7"},
    {rdl__pass_counted_elements, a_list_that_knows_its_length, "1 2 1 5 1 7 0", "1 1 1 7 0"},
    {rdl__pass_indexed, the_place_of_a_seven, "1 3 1 2 1 7 1 8 0 2", "1 7 1 8 0 0"},
    {rdl__pass_merge, sevens_in_two_lists, "1 7 1 3 0 1 8 0", "0 1 7 1 3 1 8 0"},
    {rdl__pass_sort, six_in_all, "1 3 1 1 1 2 0", "1 1 1 2 1 3 0"},
    {rdl__pass_trade, two_make_ten_or_more, "4 6", "0 99"},
    {rdl__pass_pairs, two_make_ten, "4 6", "0 10"},
    {rdl__pass_pairs, two_are_three_apart, "50 53", "0 3"},
    {rdl__pass_cut_runs, a_seven_before_a_zero, "3 1 7 2 0", "7 0"},
    {rdl__pass_booleans, one_is_true, "1 0 0", "0 0 1"},
    {rdl__pass_balance, six_in_all, "1 2 1 2 1 2 0", "1 0 1 4 1 2 0"},
    {rdl__pass_rename, the_first_and_last_have_one_name, "1 0 1", "0 1 0"},
    {rdl__pass_move, six_in_all, "1 3 1 1 1 2 0", "1 1 1 2 1 3 0"},
};

TEST(each_pass_does_what_it_is_for)
{
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        const char *after = after_pass(examples[i].pass, examples[i].test, examples[i].before);

        if (strcmp(after, examples[i].after) != 0)
            test_fail(__FILE__, __LINE__, "example %zu: %s becomes %s, not %s", i,
                      examples[i].before, after, examples[i].after);
    }
}

/* ---- Order -------------------------------------------------------------------------------- */

enum { LONG = 5 };

struct small {
    struct rdl__choice choices[LONG];
    uint32_t count;
};

static struct small draw(struct rdl__random *random)
{
    static const enum rdl__choice_kind kinds[] = {RDL__INTEGER, RDL__STRETCH, RDL__SWITCH};
    struct small it = {.count = (uint32_t)rdl__random_upto(random, LONG)};

    for (uint32_t i = 0; i < it.count; i++)
        it.choices[i] = (struct rdl__choice){.index = rdl__random_upto(random, 2),
                                             .max = 2,
                                             .kind = (uint8_t)kinds[rdl__random_upto(random, 2)]};
    return it;
}

static int of(const struct small *it, bool (*counts)(const struct rdl__choice *choice))
{
    int count = 0;

    for (uint32_t i = 0; i < it->count; i++)
        count += counts(&it->choices[i]);
    return count;
}

static bool is_data(const struct rdl__choice *choice)
{
    return choice->kind == RDL__INTEGER;
}

static bool is_stretch(const struct rdl__choice *choice)
{
    return choice->kind == RDL__STRETCH;
}

static bool is_preemption(const struct rdl__choice *choice)
{
    return is_stretch(choice) && choice->index > 0;
}

static int sign(int64_t difference)
{
    return (difference > 0) - (difference < 0);
}

/* A later preemption is simpler. */
static int weight(const struct rdl__choice *choice)
{
    return is_preemption(choice) ? 100 - (int)choice->index : (int)choice->index;
}

static int order_by_definition(const struct small *a, const struct small *b)
{
    int order = sign(of(a, is_data) - of(b, is_data));

    order = order ? order : sign(of(a, is_preemption) - of(b, is_preemption));
    order = order ? order : sign(of(a, is_stretch) - of(b, is_stretch));
    for (uint32_t i = 0; !order && i < a->count && i < b->count; i++)
        order = sign(weight(&a->choices[i]) - weight(&b->choices[i]));
    return order ? order : sign((int)a->count - (int)b->count);
}

/* Data first: fewer, then smaller; then all the rest. */
static int order_of_data(const struct small *a, const struct small *b)
{
    int order = sign(of(a, is_data) - of(b, is_data));

    for (uint32_t i = 0, j = 0; !order; i++, j++) {
        while (i < a->count && !is_data(&a->choices[i]))
            i++;
        while (j < b->count && !is_data(&b->choices[j]))
            j++;
        if (i >= a->count || j >= b->count)
            break;
        order = sign((int)a->choices[i].index - (int)b->choices[j].index);
    }
    return order ? order : order_by_definition(a, b);
}

TEST(tapes_are_ordered_by_data_then_preemptions_then_stretches_then_choices)
{
    struct rdl__random random;

    rdl__random_seed(&random, test_seed());
    for (int i = 0; i < 20000; i++) {
        struct small a = draw(&random), b = draw(&random);
        struct rdl__made x = {.choices = a.choices, .count = a.count};
        struct rdl__made y = {.choices = b.choices, .count = b.count};

        EXPECT_EQ(rdl__compare(a.choices, a.count, b.choices, b.count),
                  order_by_definition(&a, &b));
        EXPECT_EQ(rdl__compare_data(&x, &y), order_of_data(&a, &b));
        EXPECT_EQ(rdl__compare(a.choices, a.count, a.choices, a.count), 0);
    }
}
