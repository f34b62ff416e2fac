/* test_values.c -- values of specs in words, and back, by debugging information.
 *
 * tests/run_values.sh compiles this file with other compilers and kinds of debugging
 * information, and the claims about their absence without any. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/random.h"
#include "harness.h"
#include "raddle/spec.h"
#include "spec/spec.h"

enum { ROUNDS = 2000 };
enum colour { RED, GREEN = 5, BLUE };
enum level { LOW = -1, MIDDLE, HIGH };

struct move {
    int n, weight;
};

struct item {
    int value;
};

struct numbers {
    int8_t a;
    uint8_t b;
    short c;
    unsigned short d;
    unsigned e;
    long f;
    unsigned long long g;
    __int128 h;
    unsigned __int128 i;
    bool j;
    char k;
    float l;
    double m;
    long double n;
    size_t o;
    enum colour p;
    enum level q;
    rdl_ref r;
    const volatile int s;
};

struct bits {
    unsigned a : 3;
    int b : 5;
    bool c : 1;
    unsigned long long d : 40;
    enum colour e : 4;
    int f;
    signed char g : 2;
    unsigned : 3;
    unsigned h : 7;
};

struct point {
    char x;
    int y;
};

struct nested {
    struct point corners[2];
    int grid[2][3];
    char name[6], lines[2][4];
    uint8_t bytes[3];
    struct {
        short inner;
        struct rdl_nothing empty;
    };
    union {
        int i;
        float f;
    };
    struct point *here;
    void (*function)(void);
    union {
        char first;
        int second;
    } choice;
    struct {
        int only;
    } single;
};

struct lists {
    rdl_vec(int, 4) numbers;
    rdl_set(struct point, 3) points;
    rdl_map(int, enum colour, 4) colours;
    rdl_fifo(double, 2) reals;
};

struct one_map {
    rdl_map(short, struct point, 3) map;
};

struct sized {
    int count;
    char tail[0];
};

struct house {
    int weight[2];
    bool occupied[2];
};

struct shown {
    int secret;
};

static void show_secret(FILE *out, const struct shown *a)
{
    fprintf(out, "secret %d\n", a->secret ^ 9);
}

static bool read_secret(const char *text, struct shown *a)
{
    return sscanf(text, "secret %d", &a->secret) == 1 && (a->secret ^= 9, true);
}

static void show_house(FILE *out, const struct rdl_nothing *me)
{
    (void)me;
    fprintf(out, "a client");
}

static void do_nothing(void *object, const struct move *a)
{
    (void)object, (void)a;
}

typedef int plain_number;
typedef const struct point *const *pointer;

RDL_TYPES(house, struct house, void);
RDL_OP(house, enter, struct move, .call = do_nothing);
RDL_OP_RETURNS(house, put, struct item, struct item);
RDL_OP_RETURNS(house, get, struct rdl_nothing, int);
RDL_OP_RETURNS(house, count, plain_number, struct numbers);
RDL_OP_RETURNS(house, pack, struct bits, struct bits);
RDL_OP_RETURNS(house, nest, struct nested, struct nested);
RDL_OP_RETURNS(house, list, struct lists, struct lists);
RDL_OP_RETURNS(house, map, struct one_map, struct one_map);
RDL_OP_RETURNS(house, refer, rdl_ref, enum colour);
RDL_OP_RETURNS(house, follow, pointer, struct point);
RDL_OP_RETURNS(house, size, struct sized, double);
RDL_OP_RETURNS(house, hide, struct shown, struct shown, .show = show_secret,
               .show_answer = show_secret, .read = read_secret, .read_answer = read_secret);
RDL_POLICY(house, turns, struct lists, struct rdl_nothing);
RDL_SPEC(house,
         RDL_OPS(house, enter, put, get, count, pack, nest, list, map, refer, follow, size, hide),
         .policy = rdl_policy(house, turns), .show_client = show_house);

#define OP(name) ((const struct rdl_operation *)&rdl_op_house_##name)

static const char *text_of(struct rdl__text *text)
{
    static char said[8][4096];
    static int next;

    snprintf(said[++next % 8], sizeof said[0], "%s", rdl__text_string(text));
    rdl__text_release(text);
    return said[next % 8];
}

static const char *call_of(const struct rdl_operation *op, const void *args)
{
    struct rdl__text text = {0};

    rdl__show_call(&text, op, args);
    return text_of(&text);
}

static const char *answer_of(const struct rdl_operation *op, const void *answer)
{
    struct rdl__text text = {0};

    rdl__show_answer(&text, op, answer);
    return text_of(&text);
}

/* The first test of all: nothing has been looked up yet, as in a worker. */
TEST(a_copy_of_the_process_can_look_up_types_itself)
{
    int pid = fork(), status;

    if (pid == 0)
        _exit(strcmp(call_of(OP(count), &(plain_number){7}), "count(7)") == 0 ? 0 : 1);
    EXPECT(waitpid(pid, &status, 0) == pid);
    EXPECT_EQ(status, 0);
    rdl__show_prepare();
}

#ifndef WITHOUT_TYPES

/* ---- As they are shown ---------------------------------------------------------------------- */

TEST(a_call_shows_the_names_of_its_arguments_if_there_are_several)
{
    EXPECT_STR(call_of(OP(enter), &(struct move){0, 100}), "enter(n = 0, weight = 100)");
    EXPECT_STR(call_of(OP(put), &(struct item){-7}), "put(-7)");
    EXPECT_STR(call_of(OP(get), NULL), "get()");
    EXPECT_STR(call_of(OP(count), &(int){-3}), "count(-3)");
    EXPECT_STR(call_of(OP(refer), &(rdl_ref){3}), "refer(#3)");
    EXPECT_STR(call_of(OP(refer), &(rdl_ref){0}), "refer(none)");
    EXPECT_STR(answer_of(OP(put), &(struct item){-7}), "{value = -7}");
    EXPECT_STR(answer_of(OP(get), &(int){-3}), "-3");
}

TEST(a_state_shows_its_parts)
{
    struct house house = {{700, 0}, {false, true}};
    struct lists sched = {.numbers = {1, {5}}};
    struct rdl__text text = {0};

    rdl__show_state(&text, rdl_spec_house, &house);
    EXPECT_STR(text_of(&text), "{weight = [700, 0], occupied = [false, true]}");
    rdl__show_sched(&text, rdl_policy(house, turns), &sched);
    EXPECT_STR(text_of(&text), "{numbers = [5], points = [], colours = {}, reals = []}");
    rdl__show_client(&text, rdl_spec_house, NULL);
    EXPECT_STR(text_of(&text), "a client");
}

TEST(numbers_are_shown_by_their_types)
{
    struct numbers n = {
        .a = -128,
        .b = 255,
        .c = -3,
        .d = 65535,
        .e = 4000000000,
        .f = -5000000000,
        .g = UINT64_MAX,
        .h = (__int128)INT64_MIN * 16,
        .i = ~(unsigned __int128)0,
        .j = true,
        .k = 'x',
        .l = 0.1f,
        .m = -0.0,
        .n = 1.5L,
        .o = 12,
        .p = GREEN,
        .q = LOW,
        .r = 4,
        .s = 9,
    };

    EXPECT_STR(answer_of(OP(count), &n),
               "{a = -128, b = 255, c = -3, d = 65535, e = 4000000000, f = -5000000000, "
               "g = 18446744073709551615, h = -147573952589676412928, "
               "i = 340282366920938463463374607431768211455, j = true, k = 'x', l = 0.1, "
               "m = -0.0, n = 1.5, o = 12, p = GREEN, q = LOW, r = #4, s = 9}");
    EXPECT_STR(answer_of(OP(refer), &(enum colour){BLUE}), "BLUE");
    EXPECT_STR(answer_of(OP(refer), &(enum colour){(enum colour)3}), "3");
}

TEST(bits_are_shown_as_numbers)
{
    struct bits bits = {5, -16, true, 0x123456789a, BLUE, -1, -2, 99};

    EXPECT_STR(answer_of(OP(pack), &bits),
               "{a = 5, b = -16, c = true, d = 78187493530, e = BLUE, f = -1, g = -2, h = 99}");
}

TEST(what_is_nested_is_shown_in_braces)
{
    struct nested n = {
        .corners = {{'a', 1}, {'\n', -2}},
        .grid = {{1, 2, 3}, {4, 5, 6}},
        .name = "a\"b",
        .lines = {"full", ""},
        .bytes = {1, 2, 255},
        .inner = 3,
        .i = 7,
        .choice = {.first = 'c'},
        .single = {8},
    };

    memset((char *)&n.choice + 1, 0, sizeof n.choice - 1);
    EXPECT_STR(answer_of(OP(nest), &n),
               "{corners = [{x = 'a', y = 1}, {x = '\\n', y = -2}], "
               "grid = [[1, 2, 3], [4, 5, 6]], name = \"a\\\"b\", lines = [\"full\", \"\"], "
               "bytes = [1, 2, 255], inner = 3, empty = {}, {i = 7}, here = NULL, "
               "function = NULL, choice = {first = 'c'}, single = {only = 8}}");
    n.choice.second = 0x01020304;
    EXPECT_CONTAINS(answer_of(OP(nest), &n), "choice = <04 03 02 01>");
    n.here = (struct point *)0x1234;
    EXPECT_CONTAINS(answer_of(OP(nest), &n), "here = 0x1234");
}

TEST(containers_are_shown_as_what_they_contain)
{
    struct lists lists = {0};
    struct one_map one = {0};

    rdl_vec_push(&lists.numbers, 1);
    rdl_vec_push(&lists.numbers, -2);
    rdl_set_add(&lists.points, (struct point){'p', 3});
    rdl_map_put(&lists.colours, 7, RED);
    rdl_map_put(&lists.colours, -7, BLUE);
    rdl_map_put(&one.map, 1, (struct point){'q', 4});
    EXPECT_STR(call_of(OP(list), &lists), "list(numbers = [1, -2], points = [{x = 'p', y = 3}], "
                                          "colours = {-7: BLUE, 7: RED}, reals = [])");
    EXPECT_STR(call_of(OP(map), &one), "map({1: {x = 'q', y = 4}})");
    lists.numbers.count = 5;
    EXPECT_CONTAINS(call_of(OP(list), &lists), "numbers = {count = 5, items = [1, -2, 0, 0]}");
    EXPECT_STR(call_of(OP(size), &(struct sized){.count = 3}), "size(count = 3, tail = \"\")");
    EXPECT_STR(call_of(OP(follow), &(pointer){NULL}), "follow(NULL)");
}

/* ---- As they are read ----------------------------------------------------------------------- */

static struct rdl__error error;

/* Read, shown again. */
static const char *reread(const struct rdl_operation *op, const char *text)
{
    unsigned char args[1024];

    error.text[0] = '\0';
    memset(args, 0xa5, sizeof args);
    return rdl__read_args(op, text, args, &error) ? call_of(op, args) : error.text;
}

TEST(arguments_are_read_with_or_without_names)
{
    const char *forms[] = {"0 100",
                           "0, 100",
                           "n = 0, weight = 100",
                           "{0, 100}",
                           " 0  0x64 ",
                           "{n = 0, weight = 100}",
                           "n=0 weight=100",
                           ".n = 0, .weight = 100"};

    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        EXPECT_STR(reread(OP(enter), forms[i]), "enter(n = 0, weight = 100)");
    EXPECT_STR(reread(OP(put), "-7"), "put(-7)");
    EXPECT_STR(reread(OP(put), "value = 7"), "put(7)");
    EXPECT_STR(reread(OP(put), "{value = 7}"), "put(7)");
    EXPECT_STR(reread(OP(get), " "), "get()");
    EXPECT_STR(reread(OP(refer), "#3"), "refer(#3)");
    EXPECT_STR(reread(OP(refer), "3"), "refer(#3)");
    EXPECT_STR(reread(OP(map), "{1: 'q' 4, 2: {'r', 5}}"),
               "map({1: {x = 'q', y = 4}, 2: {x = 'r', y = 5}})");
    EXPECT_STR(reread(OP(map), "map = {}"), "map({})");
    EXPECT_STR(reread(OP(list), "[1 2] [{'a' 1}] {3: GREEN} [0.5]"),
               "list(numbers = [1, 2], points = [{x = 'a', y = 1}], colours = {3: GREEN}, "
               "reals = [0.5])");
}

TEST(what_is_not_understood_is_told_with_its_place)
{
    EXPECT_STR(reread(OP(enter), "0 x"),
               "arguments of enter: expected a number for weight at column 3, not \"x\"");
    EXPECT_STR(reread(OP(enter), "0"),
               "arguments of enter: expected a number for weight at column 2, not the end");
    EXPECT_STR(reread(OP(enter), "0 1 2"),
               "arguments of enter: expected nothing else at column 5, not \"2\"");
    EXPECT_STR(reread(OP(enter), "weight = 1"),
               "arguments of enter: expected a number for n at column 1, not \"weight = 1\"");
    EXPECT_STR(reread(OP(enter), "0 3000000000"), "arguments of enter: expected a number that "
                                                  "fits for weight at column 3, not "
                                                  "\"3000000000\"");
    EXPECT_STR(reread(OP(get), "1"), "arguments of get: expected nothing, not \"1\"");
    EXPECT_CONTAINS(reread(OP(list), "1"), "expected '[' for numbers at column 1");
    EXPECT_CONTAINS(reread(OP(list), "[1 2 3 4 5]"), "no more items fit in");
    EXPECT_CONTAINS(reread(OP(list), "[] [] {1: GREY} []"), "expected an enumerator for colours");
    EXPECT_CONTAINS(reread(OP(pack), "8"), "expected a number that fits into its bits for a");
    EXPECT_CONTAINS(reread(OP(hide), "nothing"), "\"nothing\" is not understood");
}

static struct rdl__random chance;

static uint64_t random_number(uint64_t max)
{
    return rdl__random_upto(&chance, max);
}

/* What is shown is read as the same value, padding and unused items apart. */
static void expect_round_trip(const struct rdl_operation *op, const void *answer)
{
    unsigned char again[1024];
    const char *text = answer_of(op, answer);

    error.text[0] = '\0';
    memset(again, 0xa5, sizeof again);
    if (!rdl__read_answer(op, text, again, &error))
        test_fail(__FILE__, __LINE__, "%s: %s", text, error.text);
    EXPECT_STR(answer_of(op, again), text);
    EXPECT(rdl__answers_look_the_same(op, answer, again));
    EXPECT_EQ(again[op->answer_size], 0xa5);
}

static void fill(void *out, size_t size)
{
    unsigned char *bytes = out;
    bool rarely = random_number(1);

    for (size_t i = 0; i < size; i++)
        bytes[i] = (unsigned char)(rarely && random_number(3) ? 0 : random_number(255));
}

static struct point random_point(void)
{
    struct point point;

    fill(&point, sizeof point);
    return point;
}

static void fill_lists(struct lists *out)
{
    memset(out, 0, sizeof *out);
    for (uint64_t i = random_number(4); i > 0; i--)
        rdl_vec_push(&out->numbers, (int)random_number(UINT32_MAX));
    for (uint64_t i = random_number(3); i > 0; i--)
        rdl_set_add(&out->points, random_point());
    for (uint64_t i = random_number(4); i > 0; i--)
        rdl_map_put(&out->colours, (int)random_number(5), (enum colour)random_number(8));
    for (uint64_t i = random_number(2); i > 0; i--)
        rdl_fifo_put(&out->reals, (double)random_number(UINT64_MAX) / 3);
}

TEST(what_is_shown_can_be_read)
{
    rdl__random_seed(&chance, test_seed());
    for (int round = 0; round < ROUNDS; round++) {
        struct numbers numbers;
        struct bits bits;
        struct nested nested;
        struct lists lists;
        struct one_map one = {0};
        double real = ldexp((double)random_number(UINT64_MAX), (int)random_number(200) - 100);

        fill(&numbers, sizeof numbers);
        numbers.j = random_number(1);
        numbers.l = (float)real;
        numbers.m = -real;
        numbers.n = (long double)real / 3;
        fill(&bits, sizeof bits);
        bits.c = random_number(1);
        fill(&nested, sizeof nested);
        fill_lists(&lists);
        rdl_map_put(&one.map, (short)random_number(99), random_point());
        expect_round_trip(OP(count), &numbers);
        expect_round_trip(OP(pack), &bits);
        expect_round_trip(OP(nest), &nested);
        expect_round_trip(OP(list), &lists);
        expect_round_trip(OP(map), &one);
        expect_round_trip(OP(size), &real);
        expect_round_trip(OP(refer), &(enum colour){(enum colour)random_number(9)});
    }
}

/* Shown, changed in some places, read: whatever comes of it can be shown again. */
TEST(a_text_that_was_tampered_with_does_no_harm)
{
    const char bytes[] = "{}[]<>,:=#'\"\\x0123456789-. abRGN";

    rdl__random_seed(&chance, test_seed());
    for (int round = 0; round < 20 * ROUNDS; round++) {
        const struct rdl_operation *op =
            rdl_spec_house->operations[random_number(rdl_spec_house->operation_count - 1)];
        unsigned char value[1024] = {0}, again[1024];
        char text[4096];

        fill(value, op->answer_size);
        snprintf(text, sizeof text, "%s", answer_of(op, value));
        for (uint64_t i = random_number(3); i > 0 && text[0]; i--)
            text[random_number(strlen(text) - 1)] = bytes[random_number(sizeof bytes - 1)];
        memset(again, 0xa5, sizeof again);
        if (rdl__read_answer(op, text, again, &error))
            EXPECT(strlen(answer_of(op, again)) > 0 || op->answer_size == 0);
        EXPECT_EQ(again[op->answer_size], 0xa5);
    }
}

/* ---- Compared ------------------------------------------------------------------------------- */

TEST(answers_are_the_same_whatever_their_padding_holds)
{
    struct point one, two;
    struct lists some = {0}, others = {0};
    double nan_of_ours = NAN;

    memset(&one, 0, sizeof one);
    memset(&two, 0xff, sizeof two);
    one.x = two.x = 'a';
    one.y = two.y = 5;
    EXPECT(memcmp(&one, &two, sizeof one) != 0);
    EXPECT(rdl__answers_look_the_same(OP(follow), &one, &two));
    two.y = 6;
    EXPECT(!rdl__answers_look_the_same(OP(follow), &one, &two));
    others.numbers.items[2] = 9;
    EXPECT(rdl__answers_look_the_same(OP(list), &some, &others));
    others.numbers.count = 3;
    EXPECT(!rdl__answers_look_the_same(OP(list), &some, &others));
    some.numbers.count = 3;
    EXPECT(!rdl__answers_look_the_same(OP(list), &some, &others));
    EXPECT(rdl__answers_look_the_same(OP(size), &nan_of_ours, &nan_of_ours));
    EXPECT(!rdl__answers_look_the_same(OP(get), &(int){1}, &(int){2}));
}

#else

TEST(without_debugging_information_there_are_numbers_and_bytes)
{
    struct rdl__error error = {0};
    unsigned char args[sizeof(struct move)];

    EXPECT_STR(call_of(OP(enter), &(struct move){1, -2}), "enter(-8589934591)");
    EXPECT_STR(call_of(OP(put), &(struct item){-7}), "put(-7)");
    EXPECT_STR(call_of(OP(get), NULL), "get()");
    EXPECT_STR(call_of(OP(map), &(struct one_map){.map = {1, {{2, {'a', 4}}}}}) + 0,
               "map(01 00 00 00 02 00 00 00 61 00 00 00 04 00 00 00 00 00 00 00 00 00 00 00 00 00 "
               "00 00 00 00 00 00 00 00 00 00 00 00 00 00)");
    EXPECT(rdl__read_args(OP(put), "-7", args, &error));
    EXPECT_EQ(*(int *)args, -7);
    EXPECT(!rdl__read_args(OP(put), "x", args, &error));
    EXPECT_STR(error.text, "arguments of put: expected a number at column 1, not \"x\"");
    EXPECT(!rdl__answers_look_the_same(OP(size), &(double){0}, &(double){1}));
}

#endif

TEST(functions_of_the_spec_come_first)
{
    struct rdl__error why = {0};
    struct shown shown;

    EXPECT_STR(call_of(OP(hide), &(struct shown){14}), "hide(secret 7)");
    EXPECT_STR(answer_of(OP(hide), &(struct shown){14}), "secret 7");
    EXPECT(rdl__read_args(OP(hide), "secret 7", &shown, &why));
    EXPECT_EQ(shown.secret, 14);
}
