/* test_generators.c -- what generators draw: within bounds, well formed, and with
 * the values in it that break programs. */
#include <ctype.h>
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check/plan.h"
#include "harness.h"
#include "raddle.h"
#include "run/execute.h"

static struct rdl__board *board;

static void never(void)
{
    abort();
}

/* Run a body on so many cases; each must end with this verdict. */
static void run_cases(void (*body)(struct rdl_case *t), uint64_t cases, enum rdl__verdict verdict)
{
    struct rdl_test test = {.name = "test", .file = __FILE__, .body = body};
    struct rdl_case t;
    struct rdl__error error;
    static const volatile int stop;

    if (!board)
        EXPECT((board = rdl__board_new(1 << 16, &error)) != NULL);
    rdl__case_init(&t, board, never);
    board->task = (struct rdl__task){
        .kind = RDL__RUN_RANDOM,
        .test = &test,
        .settings = {.size = 100, .choices_max = 1 << 16},
        .seed = test_seed(),
        .ramp = 100,
    };
    for (uint64_t i = 0; i < cases; i++) {
        board->task.first = i;
        board->task.count = 1;
        rdl__do_task(board, &t, &stop);
        if (board->outcome.verdict != verdict)
            printf("case %d: %s: %s\n", (int)i, board->outcome.check, board->outcome.text);
        EXPECT_EQ(board->outcome.verdict, verdict);
    }
    rdl__case_release(&t);
}

static int seen[16];

static void forget(void)
{
    memset(seen, 0, sizeof seen);
}

static void integers(struct rdl_case *t)
{
    int64_t a = rdl_int(t, -5, 1000000);
    uint64_t b = rdl_uint(t, 10, UINT64_MAX);
    int64_t c = rdl_int(t, INT64_MIN, INT64_MAX);
    int64_t d = rdl_int_near(t, 42, 0, 50);
    int64_t e = rdl_int(t, 7, 7);

    rdl_check(a >= -5 && a <= 1000000);
    rdl_check(b >= 10);
    rdl_check(d >= 0 && d <= 50);
    rdl_check_eq(e, 7);
    seen[0] += a == -5;
    seen[1] += a == 1000000;
    seen[2] += a == 0;
    seen[3] += b == UINT64_MAX;
    seen[4] += c == INT64_MIN;
    seen[5] += c == INT64_MAX;
    seen[6] += c > -1000 && c < 1000;
    seen[7] += c > INT64_MAX / 2 || c < INT64_MIN / 2;
    seen[8] += d == 42;
    seen[9] += c > 1 << 20 && c < INT64_MAX && ((c & (c - 1)) == 0 || (c & (c + 1)) == 0);
}

TEST(integers_keep_to_their_range_and_visit_its_ends)
{
    forget();
    run_cases(integers, 50000, RDL__PASSED);
    for (int i = 0; i < 10; i++)
        EXPECT(seen[i] > 10);
}

static void widths(struct rdl_case *t)
{
    seen[0] += rdl_i8(t) == INT8_MIN;
    seen[1] += rdl_u8(t) == UINT8_MAX;
    seen[2] += rdl_i16(t) == INT16_MIN;
    seen[3] += rdl_u16(t) == UINT16_MAX;
    seen[4] += rdl_i32(t) == INT32_MIN;
    seen[5] += rdl_u32(t) == UINT32_MAX;
    seen[6] += rdl_i64(t) == INT64_MIN;
    seen[7] += rdl_u64(t) == UINT64_MAX;
    seen[8] += rdl_i32(t) < 0;
}

TEST(every_width_has_its_extremes)
{
    forget();
    run_cases(widths, 20000, RDL__PASSED);
    for (int i = 0; i < 9; i++)
        EXPECT(seen[i] > 10);
}

static void chances(struct rdl_case *t)
{
    rdl_check(!rdl_chance(t, 0.0));
    rdl_check(rdl_chance(t, 1.0));
    seen[0] += rdl_chance(t, 0.1);
    seen[1] += rdl_bool(t);
    seen[2] += rdl_maybe(t);
}

TEST(booleans_come_as_often_as_asked)
{
    forget();
    run_cases(chances, 20000, RDL__PASSED);
    EXPECT(seen[0] > 1800 && seen[0] < 2200);
    EXPECT(seen[1] > 9600 && seen[1] < 10400);
    EXPECT(seen[2] > 9600 && seen[2] < 10400);
}

static void doubles(struct rdl_case *t)
{
    double any = rdl_double(t);
    double unit = rdl_double(t, .range = {0, 1});
    double odd = rdl_double(t, .range = {5.25, 5.75});
    double negative = rdl_double(t, .range = {-10, -3});
    double strange = rdl_double(t, .nan = true, .infinity = true);
    float single = rdl_float(t);
    double above = rdl_double(t, .range = {1, INFINITY}, .infinity = true);

    rdl_check(isfinite(any));
    rdl_check(unit >= 0 && unit <= 1 && !signbit(unit));
    rdl_check(odd >= 5.25 && odd <= 5.75);
    rdl_check(negative >= -10 && negative <= -3);
    rdl_check(isfinite(single));
    rdl_check(above >= 1);
    seen[0] += any == 0 && signbit(any);
    seen[1] += fabs(any) > 1e100;
    seen[2] += any != floor(any);
    seen[3] += any == floor(any) && any != 0;
    seen[4] += unit == 0;
    seen[5] += unit == 1;
    seen[6] += unit > 0 && unit < 1;
    seen[7] += isnan(strange);
    seen[8] += strange == INFINITY;
    seen[9] += strange == -INFINITY;
    seen[10] += (double)single != floor((double)single);
    seen[11] += any < 0;
    seen[12] += odd != 5.5;
    seen[13] += isinf(above);
}

TEST(doubles_keep_to_their_range_and_are_of_all_kinds)
{
    forget();
    run_cases(doubles, 20000, RDL__PASSED);
    for (int i = 0; i < 14; i++)
        EXPECT(seen[i] > 10);
}

static bool is_utf8(const char *text)
{
    while (*text) {
        const char *start = text;

        if (rdl__utf8_next(&text) == RDL__NO_CHARACTER && strncmp(start, "\xef\xbf\xbd", 3) != 0)
            return false;
    }
    return true;
}

static void strings(struct rdl_case *t)
{
    char *printable = rdl_string(t);
    char *ascii = rdl_string(t, .kind = RDL_ASCII, .length = {3, 5});
    char *utf8 = rdl_string(t, .kind = RDL_UTF8);
    char *name = rdl_identifier(t);
    char *digits = rdl_string(t, .of = "01", .length = {8, 8});
    uint32_t code = rdl_codepoint(t);

    for (char *c = printable; *c; c++)
        rdl_check(*c >= ' ' && *c < 127);
    rdl_check(strlen(printable) <= 32);
    rdl_check(strlen(ascii) >= 3 && strlen(ascii) <= 5);
    for (char *c = ascii; *c; c++)
        rdl_check((unsigned char)*c < 128);
    rdl_check(is_utf8(utf8));
    rdl_check(isalpha((unsigned char)*name) || *name == '_');
    for (char *c = name; *c; c++)
        rdl_check(isalnum((unsigned char)*c) || *c == '_');
    rdl_check(strcmp(name, "if") != 0 && strcmp(name, "int") != 0 && strcmp(name, "do") != 0);
    rdl_check(strlen(digits) == 8 && strspn(digits, "01") == 8);
    rdl_check(code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code < 0xe000));
    rdl_check(isprint((unsigned char)rdl_char(t)));
    seen[0] += *printable == '\0';
    seen[1] += strlen(printable) == 32;
    seen[2] += strlen(utf8) > 32;
    seen[3] += code > 0xffff;
    seen[4] += code < 128;
    seen[5] += strpbrk(ascii, "\n\t\x7f") != NULL;
    seen[6] += name[0] && !name[1];
}

TEST(strings_are_well_formed_and_of_all_lengths)
{
    forget();
    run_cases(strings, 20000, RDL__PASSED);
    for (int i = 0; i < 7; i++)
        EXPECT(seen[i] > 10);
}

struct point {
    int x;
    double y;
};

static struct point point(struct rdl_case *t)
{
    return (struct point){.x = (int)rdl_int(t, 1, 9), .y = rdl_double(t, .range = {0, 1})};
}

static void lists(struct rdl_case *t)
{
    size_t n, m, k, inner = 0;
    int *xs = rdl_ints(t, &n, .length = {2, 10}, .range = {-3, 3});
    uint8_t *bytes = rdl_bytes(t, &m, .length = {0, 100});
    struct point *points = rdl_array(t, &k, point, .length = {1, 5});
    struct rdl_list outer = rdl_list(t, .length = {0, 4});

    rdl_check(n >= 2 && n <= 10);
    for (size_t i = 0; i < n; i++)
        rdl_check(xs[i] >= -3 && xs[i] <= 3);
    rdl_check(m <= 100);
    for (size_t i = 0; i < m; i++)
        seen[6] += bytes[i] == 255;
    rdl_check(k >= 1 && k <= 5);
    for (size_t i = 0; i < k; i++)
        rdl_check(points[i].x >= 1 && points[i].x <= 9 && points[i].y <= 1);
    while (rdl_more(&outer)) {
        struct rdl_list left_early = rdl_list(t, .length = {0, 9});

        while (rdl_more(&left_early))
            if (rdl_bool(t))
                break;
        inner++;
    }
    rdl_check(inner == outer.count && inner <= 4);
    rdl_check(!rdl_more(&outer));
    seen[0] += n == 2;
    seen[1] += n == 10;
    seen[2] += m == 100;
    seen[3] += k == 5;
    seen[4] += inner == 0;
    seen[5] += inner == 4;
}

TEST(lists_keep_to_their_length_and_reach_both_ends)
{
    forget();
    run_cases(lists, 20000, RDL__PASSED);
    for (int i = 0; i < 7; i++)
        EXPECT(seen[i] > 10);
}

static int one(struct rdl_case *t)
{
    (void)t;
    return 1;
}

static int two(struct rdl_case *t)
{
    (void)t;
    return 2;
}

static void choices(struct rdl_case *t)
{
    static const char *const colours[] = {"red", "green", "blue"};
    const char *colour = rdl_sample(t, colours);
    size_t count, which = rdl_frequency(t, 0, 6, 0, 3, 1);
    size_t *order = rdl_permutation(t, 6), *some = rdl_subset(t, 10, &count);
    uint64_t features = rdl_swarm(t, 5);
    bool there[6] = {0};
    int picked = rdl_one_of(t, one, two);

    for (int i = 0; i < 6; i++)
        there[order[i]] = true;
    for (int i = 0; i < 6; i++)
        rdl_check(there[i]);
    for (size_t i = 1; i < count; i++)
        rdl_check(some[i - 1] < some[i] && some[i] < 10);
    rdl_check(which == 1 || which == 3 || which == 4);
    rdl_check(features > 0 && features < 32);
    rdl_check(features >> rdl_pick_of(t, features) & 1);
    rdl_check(rdl_pick(t, 1) == 0);
    seen[0] += colour == colours[0];
    seen[1] += colour == colours[2];
    seen[2] += which == 1;
    seen[3] += which == 4;
    seen[4] += count == 0;
    seen[5] += count == 10;
    seen[6] += features == 31;
    seen[7] += picked == 1;
    seen[8] += picked == 2;
    seen[9] += order[0] == 5;
}

TEST(choices_are_made_among_all_there_is)
{
    forget();
    run_cases(choices, 20000, RDL__PASSED);
    for (int i = 0; i < 10; i++)
        EXPECT(seen[i] > 10);
    EXPECT(seen[2] > 11000 && seen[2] < 13000); /* 6 in 10 */
}

static int nodes(struct rdl_case *t)
{
    RDL_SPAN(t, "tree");

    return rdl_grow(t, 2) ? 1 + nodes(t) + nodes(t) : 1;
}

static void recursion(struct rdl_case *t)
{
    int n = nodes(t);

    rdl_check(n <= 101);
    seen[0] += n == 1;
    seen[1] += n > 20;
    seen[2] += n > 90;
}

TEST(recursion_ends_within_its_budget)
{
    forget();
    run_cases(recursion, 20000, RDL__PASSED);
    for (int i = 0; i < 3; i++)
        EXPECT(seen[i] > 10);
}

static void sizes(struct rdl_case *t)
{
    size_t n;

    rdl_ints(t, &n, .length = {0, 1000});
    rdl_check(rdl_size(t) >= 1 && rdl_size(t) <= 100);
    if (board->task.first < 5)
        rdl_check(n <= 60);
    seen[0] += n > 900;
}

TEST(sizes_grow_over_a_run)
{
    forget();
    run_cases(sizes, 500, RDL__PASSED);
    EXPECT(seen[0] > 10);
}

static void nested_ints(struct rdl_case *t)
{
    struct rdl_list lists = rdl_list(t, .length = {1, 4});
    size_t n;

    rdl_ints(t, &n, .length = {2, 5}, .range = {5, 9});
    while (rdl_more(&lists)) {
        RDL_SPAN(t, "inner");
        rdl_ints(t, &n, .length = {0, 9});
    }
    rdl_bool(t);
}

/* Ints are drawn by a shortcut when they come from chance, and step by step when
 * they come from a feed. */
TEST(the_shortcut_for_ints_writes_the_same_tape_as_the_long_way)
{
    static struct rdl__choice choices[1 << 16];
    static struct rdl__span spans[1 << 16];
    static uint64_t indexes[1 << 16];
    struct rdl_test test = {.name = "test", .file = __FILE__, .body = nested_ints};

    for (uint64_t seed = 0; seed < 300; seed++) {
        struct rdl__feed feed = {.indexes = indexes, .fill_at = RDL__NONE};
        uint32_t spans_before;
        struct rdl_case t;

        run_cases(nested_ints, 1, RDL__PASSED);
        rdl__case_init(&t, board, never);
        t.test = &test;
        t.settings = (struct rdl__settings){.size = 100, .choices_max = 1 << 16};
        rdl__tape_from_random(&board->tape, seed);
        rdl__execute(&t);
        feed.count = board->tape.count;
        spans_before = board->tape.span_count;
        memcpy(choices, board->tape.choices, feed.count * sizeof *choices);
        memcpy(spans, board->tape.spans, spans_before * sizeof *spans);
        for (uint32_t i = 0; i < feed.count; i++)
            indexes[i] = choices[i].index;
        rdl__tape_from_feed(&board->tape, &feed, 0);
        rdl__execute(&t);
        EXPECT_EQ(board->tape.count, feed.count);
        EXPECT_EQ(board->tape.span_count, spans_before);
        for (uint32_t i = 0; i < feed.count; i++) {
            const struct rdl__choice *a = &choices[i], *b = &board->tape.choices[i];

            EXPECT(a->index == b->index && a->max == b->max && a->below == b->below &&
                   a->depth == b->depth && a->low == b->low && a->kind == b->kind);
        }
        for (uint32_t i = 0; i < spans_before; i++) {
            const struct rdl__span *a = &spans[i], *b = &board->tape.spans[i];

            EXPECT(a->start == b->start && a->end == b->end && a->label == b->label &&
                   a->parent == b->parent && a->depth == b->depth);
        }
        rdl__case_release(&t);
    }
}

/* ---- Calls that make no sense -------------------------------------------------------- */

static void swapped(struct rdl_case *t)
{
    rdl_int(t, 5, 4);
}
static void nothing(struct rdl_case *t)
{
    rdl_pick(t, 0);
}
static void no_weight(struct rdl_case *t)
{
    rdl_frequency(t, 0, 0);
}
static void no_chance(struct rdl_case *t)
{
    rdl_chance(t, 1.5);
}
static void no_length(struct rdl_case *t)
{
    rdl_string(t, .length = {5, 4});
}
static void no_doubles(struct rdl_case *t)
{
    rdl_double(t, .range = {2, 1});
}
static void nan_range(struct rdl_case *t)
{
    rdl_double(t, .range = {NAN, 1});
}
static void far_from(struct rdl_case *t)
{
    rdl_int_near(t, 9, 0, 5);
}
static void no_letters(struct rdl_case *t)
{
    rdl_string(t, .of = "");
}
static void wrong_end(struct rdl_case *t)
{
    rdl_end(t);
}
static void wide_ints(struct rdl_case *t)
{
    size_t n;
    rdl_ints(t, &n, .range = {0, INT64_MAX});
}
static void no_swarm(struct rdl_case *t)
{
    rdl_swarm(t, 65);
}
static void no_percentage(struct rdl_case *t)
{
    rdl_cover(t, 101, true, "x");
}

static void no_list(struct rdl_case *t)
{
    rdl_list(t, .length = {7, 6});
}

TEST(lengths_that_cannot_be_are_told_where_they_are)
{
    run_cases(no_length, 1, RDL__MISUSED);
    EXPECT_CONTAINS(board->outcome.text, "tests/test_generators.c:");
    run_cases(no_list, 1, RDL__MISUSED);
    EXPECT_CONTAINS(board->outcome.text, "at least 7 and at most 6 elements");
    EXPECT_CONTAINS(board->outcome.text, "tests/test_generators.c:");
}

TEST(calls_that_make_no_sense_are_errors_with_a_text)
{
    void (*const bodies[])(struct rdl_case *) = {
        swapped,  nothing,    no_weight, no_chance, no_length, no_doubles,    nan_range,
        far_from, no_letters, wrong_end, wide_ints, no_swarm,  no_percentage, no_list};

    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
        run_cases(bodies[i], 1, RDL__MISUSED);
        EXPECT(strlen(board->outcome.text) > 10);
    }
}

static void endless(struct rdl_case *t)
{
    for (;;)
        rdl_bool(t);
}

TEST(a_case_that_draws_for_ever_is_cut)
{
    run_cases(endless, 1, RDL__CUT);
}
