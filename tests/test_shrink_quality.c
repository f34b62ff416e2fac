/* test_shrink_quality.c -- what failing cases shrink to, and at what cost.
 *
 * Each problem is a property with one kind of failure and a known simplest
 * case.  Every seed must reach it; the runs that took are counted. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check/plan.h"
#include "harness.h"
#include "raddle.h"

enum { SEEDS = 50, RUNS_MEDIAN = 150, RUNS_MAX = 1000 };

struct problem {
    const char *name;
    void (*body)(struct rdl_case *t);
    const char *simplest; /* the story of the simplest failing case */
};

/* ---- Lists ----------------------------------------------------------------------- */

static void long_list(struct rdl_case *t)
{
    size_t n;
    int *xs = rdl_ints(t, &n, .length = {0, 100});

    (void)xs;
    rdl_check(n < 10);
}

static void list_with_large_element(struct rdl_case *t)
{
    size_t n;
    int *xs = rdl_ints(t, &n, .length = {0, 100}, .range = {0, 1000000});

    for (size_t i = 0; i < n; i++)
        rdl_check(xs[i] < 900);
}

static void list_not_its_reverse(struct rdl_case *t)
{
    size_t n;
    int *xs = rdl_ints(t, &n, .length = {0, 100});

    for (size_t i = 0; i < n; i++)
        rdl_check_eq(xs[i], xs[n - 1 - i]);
}

static void list_with_equal_pair(struct rdl_case *t)
{
    size_t n;
    int *xs = rdl_ints(t, &n, .length = {0, 50}, .range = {0, 200});

    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < i; k++)
            rdl_check(!(xs[i] == xs[k] && xs[i] > 7));
}

static void list_with_large_sum(struct rdl_case *t)
{
    size_t n;
    int *xs = rdl_ints(t, &n, .length = {0, 40}, .range = {0, 400});
    long sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += xs[i];
    rdl_check(sum < 1000);
}

static void three_distinct(struct rdl_case *t)
{
    size_t n, distinct = 0;
    int *xs = rdl_ints(t, &n, .length = {0, 50});

    for (size_t i = 0; i < n; i++) {
        size_t k = 0;

        while (k < i && xs[k] != xs[i])
            k++;
        distinct += k == i;
    }
    rdl_check(distinct < 3);
}

static void sorted_descent(struct rdl_case *t)
{
    size_t n;
    int *xs = rdl_ints(t, &n, .length = {0, 60}, .range = {-500, 500});

    for (size_t i = 1; i < n; i++)
        rdl_check(xs[i - 1] <= xs[i]);
}

static void negative_and_positive(struct rdl_case *t)
{
    size_t n;
    int *xs = rdl_ints(t, &n, .length = {0, 60}, .range = {-100000, 100000});
    bool low = false, high = false;

    for (size_t i = 0; i < n; i++) {
        low = low || xs[i] < -1000;
        high = high || xs[i] > 1000;
    }
    rdl_check(!(low && high));
}

/* ---- Numbers ----------------------------------------------------------------------- */

static void threshold(struct rdl_case *t)
{
    int64_t n = rdl_i64(t);

    rdl_check(n < 123456789);
}

static void below_or_above(struct rdl_case *t)
{
    int64_t n = rdl_int(t, -1000000, 1000000);

    rdl_check(n > -30 && n < 5000);
}

static void difference(struct rdl_case *t)
{
    int64_t a = rdl_int(t, 0, 10000);
    int64_t b = rdl_int(t, 0, 10000);

    rdl_check(!(a >= 10 && (a - b == 1 || b - a == 1)));
}

static void product(struct rdl_case *t)
{
    int64_t a = rdl_int(t, 0, 1000);
    int64_t b = rdl_int(t, 0, 1000);

    rdl_check(a * b < 100);
}

static int saturated(int64_t x)
{
    return x > INT32_MAX ? INT32_MAX : x < INT32_MIN ? INT32_MIN : (int)x;
}

static void saturating_sums(struct rdl_case *t)
{
    int a = rdl_i32(t);
    int b = rdl_i32(t);
    int c = rdl_i32(t);

    rdl_check_eq(saturated((int64_t)saturated((int64_t)a + b) + c),
                 saturated(a + (int64_t)saturated((int64_t)b + c)));
}

static void a_double(struct rdl_case *t)
{
    double x = rdl_double(t);

    rdl_check(x < 1000.25);
}

static void a_fraction(struct rdl_case *t)
{
    double x = rdl_double(t, .range = {-50, 50});

    rdl_check(x == (double)(int)x);
}

/* ---- Text and bytes ------------------------------------------------------------------ */

static void string_with_slash(struct rdl_case *t)
{
    char *s = rdl_string(t, .length = {0, 60});

    rdl_check(!strchr(s, '/') || !strchr(s, '.'));
}

static void length_prefixed(struct rdl_case *t)
{
    int64_t n = rdl_int(t, 0, 50);
    bool found = false;

    for (int64_t i = 0; i < n; i++)
        found = rdl_int(t, 0, 255) > 100 || found;
    rdl_check(!found);
}

static void length_prefixed_records(struct rdl_case *t)
{
    int64_t n = rdl_int(t, 1, 20);
    int64_t total = 0;

    for (int64_t i = 0; i < n; i++) {
        int64_t kind = rdl_int(t, 0, 2);
        int64_t size = kind ? rdl_int(t, 0, 100) : 0;

        total += kind == 2 ? size : 0;
    }
    rdl_check(total <= 150);
}

static void bytes_after_header(struct rdl_case *t)
{
    size_t n;
    uint8_t *bytes = rdl_bytes(t, &n, .length = {0, 64});

    for (size_t i = 0; i + 1 < n; i++)
        rdl_check(!(bytes[i] >= 0x80 && bytes[i + 1] == bytes[i]));
}

/* ---- Nested and recursive -------------------------------------------------------------- */

struct tree {
    struct tree *left, *right;
    int key;
};

static struct tree *tree(struct rdl_case *t)
{
    RDL_SPAN(t, "tree");
    struct tree *node = rdl_new(t, struct tree);

    node->key = (int)rdl_int(t, 0, 1000);
    if (rdl_grow(t, 2)) {
        node->left = tree(t);
        node->right = tree(t);
    }
    return node;
}

static int depth_of(const struct tree *node)
{
    int left, right;

    if (!node)
        return 0;
    left = depth_of(node->left);
    right = depth_of(node->right);
    return 1 + (left > right ? left : right);
}

static bool has_key(const struct tree *node, int least)
{
    return node &&
           (node->key >= least || has_key(node->left, least) || has_key(node->right, least));
}

static void deep_tree(struct rdl_case *t)
{
    rdl_check(depth_of(tree(t)) < 4);
}

static void tree_with_key(struct rdl_case *t)
{
    rdl_check(!has_key(tree(t), 500));
}

static void nested_lists(struct rdl_case *t)
{
    struct rdl_list outer = rdl_list(t, .length = {0, 10});
    size_t total = 0;

    while (rdl_more(&outer)) {
        size_t n;

        rdl_ints(t, &n, .length = {0, 10});
        total += n;
    }
    rdl_check(total <= 10);
}

enum { NUMBER, ADD, DIVIDE };

/* 0 on division by zero, which only counts if the divisor is no literal 0. */
static bool evaluate(struct rdl_case *t, int64_t *out)
{
    RDL_SPAN(t, "expression");
    int64_t a, b;
    size_t what = rdl_pick(t, 3);

    if (what == NUMBER || !rdl_grow(t, 2)) {
        *out = rdl_int(t, -100, 100);
        return true;
    }
    if (!evaluate(t, &a) || !evaluate(t, &b))
        return false;
    if (what == DIVIDE && b == 0)
        return false;
    *out = what == ADD ? a + b : a / b;
    return true;
}

static void calculator(struct rdl_case *t)
{
    int64_t value;

    rdl_check(evaluate(t, &value));
}

/* ---- State machines --------------------------------------------------------------------- */

static void stack_overflow(struct rdl_case *t)
{
    struct rdl_list calls = rdl_list(t, .length = {0, 100});
    int depth = 0;

    while (rdl_more(&calls)) {
        switch (rdl_frequency(t, 3, 2, 1)) {
        case 0:
            depth++;
            break;
        case 1:
            depth -= depth > 0;
            break;
        default:
            break;
        }
        rdl_check(depth < 6);
    }
}

static void open_close(struct rdl_case *t)
{
    struct rdl_list calls = rdl_list(t, .length = {0, 60});
    bool open[8] = {0}, was_closed[8] = {0};

    while (rdl_more(&calls)) {
        size_t what = rdl_pick(t, 3);
        int64_t file = rdl_int(t, 0, 7);

        if (what == 0) {
            open[file] = true;
        } else if (what == 1 && open[file]) {
            open[file] = false;
            was_closed[file] = true;
        } else if (what == 2) {
            rdl_check(!(was_closed[file] && !open[file] && file >= 2));
        }
    }
}

static int64_t small(struct rdl_case *t)
{
    return rdl_int(t, 0, 50);
}

static int64_t medium(struct rdl_case *t)
{
    return rdl_int(t, 0, 5000);
}

static int64_t large(struct rdl_case *t)
{
    return 10 * rdl_int(t, 0, 5000);
}

static void union_of_generators(struct rdl_case *t)
{
    struct rdl_list list = rdl_list(t, .length = {0, 30});
    int64_t most = 0;

    while (rdl_more(&list)) {
        int64_t x = rdl_one_of(t, small, medium, large);

        most = x > most ? x : most;
    }
    rdl_check(most <= 200);
}

static void permutation(struct rdl_case *t)
{
    size_t *order = rdl_permutation(t, 8);

    for (size_t i = 0; i < 8; i++)
        rdl_check(order[i] != 5 || i >= 4);
}

static void five_lists(struct rdl_case *t)
{
    int total = 0;

    for (int k = 0; k < 5; k++) {
        size_t n;
        int *xs = rdl_ints(t, &n, .length = {0, 8}, .range = {INT16_MIN, INT16_MAX});
        int16_t sum = 0;

        for (size_t i = 0; i < n; i++)
            sum = (int16_t)(sum + xs[i]);
        rdl_assume(t, sum < 256);
        total = (int16_t)(total + sum);
    }
    rdl_check(total < 5 * 256);
}

static void subset(struct rdl_case *t)
{
    size_t count, sum = 0;
    size_t *some = rdl_subset(t, 20, &count);

    for (size_t i = 0; i < count; i++)
        sum += some[i];
    rdl_check(count < 3 || sum < 40);
}

static void places_in_a_list(struct rdl_case *t)
{
    size_t n;
    int *xs = rdl_ints(t, &n, .length = {1, 50}, .range = {0, 999});
    int64_t a = rdl_int(t, 0, (int64_t)n - 1);
    int64_t b = rdl_int(t, 0, (int64_t)n - 1);

    rdl_check(a == b || xs[a] + xs[b] <= 1200);
}

static void length_byte(struct rdl_case *t)
{
    size_t n;
    uint8_t *bytes = rdl_bytes(t, &n, .length = {0, 64});

    rdl_check(!(n > 1 && bytes[0] == n - 1 && bytes[n - 1] >= 200));
}

static const struct problem problems[] = {
    {"long_list", long_list, "xs={0, 0, 0, 0, 0, 0, 0, 0, 0, 0}"},
    {"list_with_large_element", list_with_large_element, "xs={900}"},
    {"list_not_its_reverse", list_not_its_reverse, "xs={0, 1}"},
    {"list_with_equal_pair", list_with_equal_pair, "xs={8, 8}"},
    {"list_with_large_sum", list_with_large_sum, "xs={200, 400, 400}"},
    {"three_distinct", three_distinct, "xs={0, 1, -1}"},
    {"sorted_descent", sorted_descent, "xs={0, -1}"},
    {"negative_and_positive", negative_and_positive, "xs={1001, -1001}"},
    {"threshold", threshold, "n=123456789"},
    {"below_or_above", below_or_above, "n=-30"},
    {"difference", difference, "a=10 b=9"},
    {"product", product, "a=1 b=100"},
    {"saturating_sums", saturating_sums, "a=1 b=-1 c=-2147483648"},
    {"a_double", a_double, "x=1001.0"},

    {"a_fraction", a_fraction, "x=0.5"},
    {"string_with_slash", string_with_slash, "s=\"./\""},
    {"length_prefixed", length_prefixed, "n=1 rdl_int=101"},
    {"length_prefixed_records", length_prefixed_records,
     "n=2 kind=2 rdl_int=51 kind=2 rdl_int=100"},
    {"bytes_after_header", bytes_after_header, "bytes=2 bytes: 80 80"},
    {"deep_tree", deep_tree, NULL},
    {"tree_with_key", tree_with_key, "tree node->key=500"},
    {"nested_lists", nested_lists, NULL},
    {"calculator", calculator, NULL},
    {"stack_overflow", stack_overflow, NULL},
    {"open_close", open_close, NULL},
    {"union_of_generators", union_of_generators, NULL},
    {"permutation", permutation, NULL},
    {"subset", subset, "some={17, 18, 19}"},
    {"places_in_a_list", places_in_a_list, "xs={202, 999} a=0 b=1"},
    {"five_lists", five_lists, NULL},
};

static void sum_of_digits(struct rdl_case *t)
{
    size_t n;
    int *xs = rdl_ints(t, &n, .length = {0, 30}, .range = {0, 9});
    int sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += xs[i];
    rdl_maximise(t, sum, "sum");
    rdl_check(sum < 180);
}

/* Two things at a time must change in these, again and again. */
static const struct problem hard_problems[] = {
    {"length_byte", length_byte, "bytes=2 bytes: 01 c8"},
    {"sum_of_digits", sum_of_digits,
     "xs={9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9}"},
};

/* ---- Running them ------------------------------------------------------------------------- */

struct seen {
    struct rdl__text story;
    uint64_t attempts;
};

static void look(void *self, const struct rdl__result *result)
{
    struct seen *seen = self;

    rdl__text_clear(&seen->story);
    if (result->failure_count == 0)
        return;
    seen->attempts = result->failures[0].attempts;
    for (size_t i = 0; i < result->failures[0].story.count; i++) {
        const struct rdl__line *line = &result->failures[0].story.lines[i];

        rdl__text_add(&seen->story, i ? " " : "");
        rdl__text_add(&seen->story, line->name[0] ? "%s=" : "%s", line->name);
        rdl__text_add(&seen->story, "%s", line->value);
    }
}

static void run_problem(const struct problem *problem, uint64_t seed, struct seen *seen)
{
    struct rdl_test test = {.name = problem->name, .file = __FILE__, .body = problem->body};
    struct rdl_test *tests[] = {&test};
    struct rdl__plan plan = {
        .seed = seed,
        .cases = 20000,
        .jobs = 1,
        .no_fork = true,
        .no_regressions = true,
        .shrink_runs = 20000,
        .shrink_seconds = 60,
        .command = "tests",
    };
    struct rdl__listener listener = {.test_ended = look, .self = seen};
    struct rdl__totals totals = {0};
    struct rdl__error error;

    EXPECT(rdl__check_all(&plan, &listener, tests, 1, &totals, &error));
}

static int compare_counts(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

/* Every seed ends at the simplest case; false if one does not. */
static bool try_problem(const struct problem *problem, uint64_t median)
{
    uint64_t attempts[SEEDS];
    struct seen seen = {0};
    char *first = NULL;
    bool good = true;

    for (int i = 0; i < SEEDS; i++) {
        run_problem(problem, test_seed() + (uint64_t)i, &seen);
        attempts[i] = seen.attempts;
        if (!first)
            first = strdup(rdl__text_string(&seen.story));
        if (strcmp(seen.story.bytes, problem->simplest ? problem->simplest : first) != 0) {
            printf("  %s: seed %d ends at  %s\n", problem->name, i + 1,
                   rdl__text_string(&seen.story));
            good = false;
        }
    }
    qsort(attempts, SEEDS, sizeof *attempts, compare_counts);
    printf("%-26s median %4llu  most %4llu   %s\n", problem->name,
           (unsigned long long)attempts[SEEDS / 2], (unsigned long long)attempts[SEEDS - 1], first);
    if (attempts[SEEDS / 2] > median || attempts[SEEDS - 1] > RUNS_MAX)
        good = false;
    free(first);
    rdl__text_release(&seen.story);
    return good;
}

TEST(every_problem_shrinks_to_its_simplest_case_from_every_seed)
{
    int bad = 0;

    EXPECT(chdir(getenv("SOURCE")) == 0); /* stories take names from the source */
    for (size_t i = 0; i < sizeof problems / sizeof *problems; i++)
        bad += !try_problem(&problems[i], RUNS_MEDIAN);
    EXPECT_EQ(bad, 0);
}

TEST(hard_problems_shrink_to_their_simplest_case_too)
{
    int bad = 0;

    EXPECT(chdir(getenv("SOURCE")) == 0);
    for (size_t i = 0; i < sizeof hard_problems / sizeof *hard_problems; i++)
        bad += !try_problem(&hard_problems[i], RUNS_MAX);
    EXPECT_EQ(bad, 0);
}
