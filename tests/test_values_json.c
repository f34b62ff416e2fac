/* test_values_json.c -- values from JSON, by debugging information. */
#include <stdio.h>
#include <stdlib.h>

#include "base/random.h"
#include "harness.h"
#include "raddle/model.h"
#include "spec/spec.h"
#include "spec/values.h"

enum colour { RED, GREEN = 5, BLUE };
enum level { LOW = -1, MIDDLE, HIGH };

struct point {
    char x;
    int y;
};

struct numbers {
    int8_t a;
    uint8_t b;
    int64_t c;
    uint64_t d;
    __int128 e;
    bool f;
    char g;
    float h;
    double i;
    long double j;
    enum colour k;
    enum level l;
    rdl_ref m;
    void *n;
};

struct bits {
    unsigned a : 3;
    int b : 5;
    bool c : 1;
    enum colour d : 4;
};

struct nested {
    struct point corners[2];
    int grid[2][2];
    char name[6];
    struct {
        short inner;
    };
    union {
        int i;
        float f;
    };
    union {
        char first;
        int second;
    } choice;
};

struct lists {
    rdl_vec(int, 3) numbers;
    rdl_map(int, enum colour, 3) colours;
    rdl_map(
        struct word { char text[4]; }, int, 2) words;
};

/* By these the types are found. */
static const struct {
    int *type;
} an_int;
static const struct {
    struct numbers *type;
} some_numbers;
static const struct {
    struct bits *type;
} some_bits;
static const struct {
    struct nested *type;
} a_nested;
static const struct {
    struct lists *type;
} some_lists;

#define TYPED(variable) (&(const struct rdl__typed){&variable, "type", sizeof *variable.type})

static struct rdl__error error;

/* Read, and shown; or what is wrong with it. */
static const char *read_as(const struct rdl__typed *typed, const char *json)
{
    static char said[1024], value[1024];
    const struct rdl__type *type = rdl__type_of(typed);
    char *text = strdup(json);
    struct rdl__json_scan scan = {.text = text, .at = text, .end = text + strlen(text)};
    struct rdl__text out = {0};

    EXPECT(type && type->size <= sizeof value);
    memset(value, 0xa5, sizeof value);
    if (!rdl__value_read_json(type, &scan, value, &error))
        rdl__text_add(&out, "%s", error.text);
    else if (!rdl__scan_is_over(&scan))
        rdl__text_add(&out, "there is more: %s", scan.at);
    else
        rdl__value_show(&out, type, value);
    snprintf(said, sizeof said, "%s", rdl__text_string(&out));
    rdl__text_release(&out);
    free(text);
    return said;
}

/* ---- What is understood -------------------------------------------------------------------- */

TEST(numbers_are_read_by_their_types)
{
    EXPECT_STR(read_as(TYPED(an_int), " -17 "), "-17");
    EXPECT_STR(read_as(TYPED(some_numbers),
                       "{\"a\":-128,\"b\":255,\"c\":-9223372036854775808,"
                       "\"d\":18446744073709551615,\"e\":-170141183460469231731687303715884105728,"
                       "\"f\":true,\"g\":\"x\",\"h\":0.1,\"i\":-2.5e3,\"j\":1.5,\"k\":\"BLUE\","
                       "\"l\":\"LOW\",\"m\":4,\"n\":4096}"),
               "{a = -128, b = 255, c = -9223372036854775808, d = 18446744073709551615, "
               "e = -170141183460469231731687303715884105728, f = true, g = 'x', h = 0.1, "
               "i = -2500.0, j = 1.5, k = BLUE, l = LOW, m = #4, n = 0x1000}");
    EXPECT_STR(read_as(TYPED(some_numbers),
                       "{\"f\":1,\"g\":65,\"k\":5,\"l\":-1,\"m\":null,\"n\":null,\"i\":3}"),
               "{a = 0, b = 0, c = 0, d = 0, e = 0, f = true, g = 'A', h = 0.0, i = 3.0, j = 0, "
               "k = GREEN, l = LOW, m = none, n = NULL}");
}

TEST(fields_may_come_in_any_order_and_what_is_missing_is_zero)
{
    EXPECT_STR(read_as(TYPED(some_bits), "{}"), "{a = 0, b = 0, c = false, d = RED}");
    EXPECT_STR(read_as(TYPED(some_bits), "{ \"d\" : \"GREEN\" , \"b\":-16,\"a\":7,\"c\":true}"),
               "{a = 7, b = -16, c = true, d = GREEN}");
    EXPECT_STR(read_as(TYPED(a_nested),
                       "{\"f\":1.0,\"inner\":3,\"name\":\"a\\\"\\u00e9\",\"grid\":[[1],[2,3]],"
                       "\"corners\":[{\"y\":-2}],\"choice\":{\"first\":\"c\"}}"),
               "{corners = [{x = '\\0', y = -2}, {x = '\\0', y = 0}], grid = [[1, 0], [2, 3]], "
               "name = \"a\\\"é\", inner = 3, {i = 1065353216}, choice = {first = 'c'}}");
    EXPECT_CONTAINS(read_as(TYPED(a_nested), "{\"choice\":{\"second\":16909060}}"),
                    "choice = <04 03 02 01>");
}

TEST(containers_are_arrays_and_objects)
{
    EXPECT_STR(read_as(TYPED(some_lists),
                       "{\"numbers\":[1,-2],\"colours\":{\"-7\":\"BLUE\",\"7\":0},"
                       "\"words\":{\"{text = \\\"ab\\\"}\":3}}"),
               "{numbers = [1, -2], colours = {-7: BLUE, 7: RED}, words = {{text = \"ab\"}: 3}}");
    EXPECT_STR(read_as(TYPED(some_lists), "{\"numbers\":[],\"colours\":{}}"),
               "{numbers = [], colours = {}, words = {}}");
}

TEST(without_a_type_there_are_numbers_and_nothing)
{
    char minus[] = "-2", object[] = "{}", more[] = "{\"a\":1}";
    struct rdl__json_scan scan = {.text = minus, .at = minus, .end = minus + 2};
    int16_t number;

    EXPECT(rdl__read_json(NULL, &scan, &number, sizeof number, &error));
    EXPECT_EQ(number, -2);
    scan = (struct rdl__json_scan){.text = object, .at = object, .end = object + 2};
    EXPECT(rdl__read_json(NULL, &scan, &number, 0, &error));
    scan.at = object;
    EXPECT(!rdl__read_json(NULL, &scan, &number, 3, &error));
    EXPECT_CONTAINS(error.text, "was it compiled with -g?");
    scan = (struct rdl__json_scan){.text = more, .at = more, .end = more + 7};
    EXPECT(!rdl__read_json(NULL, &scan, &number, 0, &error));
    EXPECT_STR(error.text, "there is no field 'a', but none at all");
}

/* ---- What is not ---------------------------------------------------------------------------- */

TEST(numbers_must_be_whole_and_fit)
{
    EXPECT_STR(read_as(TYPED(an_int), "\"seven\""), "expected a number at column 1, not \"seven\"");
    EXPECT_STR(read_as(TYPED(an_int), "1.5"), "expected a whole number at column 1, not 1.5");
    EXPECT_STR(read_as(TYPED(an_int), "1e3"), "expected a whole number at column 1, not 1e3");
    EXPECT_STR(read_as(TYPED(an_int), "2147483648"),
               "expected a number that fits at column 1, not 2147483648");
    EXPECT_STR(read_as(TYPED(an_int), "-"), "here is no value, at column 2");
    EXPECT_STR(read_as(TYPED(an_int), ""), "expected a number at column 1, not the end");
    EXPECT_STR(read_as(TYPED(an_int), "01"), "there is more: 1");
    EXPECT_STR(read_as(TYPED(some_numbers), "{\"b\":-1}"),
               "expected a number that fits for b at column 6, not -1");
    EXPECT_STR(read_as(TYPED(some_numbers), "{\"d\":18446744073709551616}"),
               "expected a number that fits for d at column 6, not 18446744073709551616");
    EXPECT_CONTAINS(
        read_as(TYPED(some_numbers), "{\"e\":999999999999999999999999999999999999999999}"),
        "expected a whole number for e");
    EXPECT_STR(read_as(TYPED(some_numbers), "{\"i\":true}"),
               "expected a number for i at column 6, not true");
    EXPECT_STR(read_as(TYPED(some_bits), "{\"b\":16}"),
               "expected a number that fits into its bits for b at column 6, not 16");
}

TEST(other_scalars_must_be_what_they_are)
{
    EXPECT_STR(read_as(TYPED(some_numbers), "{\"f\":\"yes\"}"),
               "expected true or false for f at column 6, not \"yes\"");
    EXPECT_STR(read_as(TYPED(some_numbers), "{\"f\":tru}"), "here is no value, at column 6");
    EXPECT_STR(read_as(TYPED(some_numbers), "{\"g\":\"xy\"}"),
               "expected a single character for g at column 6, not \"xy");
    EXPECT_STR(read_as(TYPED(some_numbers), "{\"k\":true}"),
               "expected one of RED, GREEN, BLUE for k at column 6, not true");
    EXPECT_CONTAINS(read_as(TYPED(some_numbers), "{\"k\":\"PINK\"}"),
                    "expected one of RED, GREEN, BLUE for k at column 6, not \"PINK");
    EXPECT_STR(read_as(TYPED(some_numbers), "{\"n\":nil}"), "here is no value, at column 6");
    EXPECT_CONTAINS(read_as(TYPED(a_nested), "{\"name\":\"seven!!\"}"),
                    "expected a string that fits for name at column 9");
    EXPECT_STR(read_as(TYPED(a_nested), "{\"name\":\"a\tb\"}"),
               "a string has a bare control character in it, at column 11");
}

TEST(what_has_parts_must_have_them)
{
    EXPECT_STR(read_as(TYPED(a_nested), "[]"), "expected an object at column 1, not an array");
    EXPECT_STR(read_as(TYPED(a_nested), "{\"corners\":{}}"),
               "expected an array for corners at column 12, not an object");
    EXPECT_STR(read_as(TYPED(a_nested), "{\"corners\":[{},{},{}]}"),
               "expected ']', since no more items fit in, for corners at column 19, not an object");
    EXPECT_STR(read_as(TYPED(a_nested), "{\"nam\":1}"),
               "there is no field 'nam', but corners, grid, name, inner, i, f, choice");
    EXPECT_STR(read_as(TYPED(a_nested), "{\"\":1}"),
               "there is no field '', but corners, grid, name, inner, i, f, choice");
    EXPECT_STR(read_as(TYPED(a_nested), "{\"i\":1 \"f\":2}"),
               "expected ',' or '}' at column 8, not \"f\"");
    EXPECT_STR(read_as(TYPED(a_nested), "{\"i\" 1}"), "a key lacks its colon, at column 6");
    EXPECT_STR(read_as(TYPED(a_nested), "{\"i\":1,}"), "here should be a string, at column 8");
    EXPECT_STR(read_as(TYPED(some_lists), "{\"numbers\":[1,2,3,4]}"),
               "expected ']', since no more items fit in, for numbers at column 19, not 4");
    EXPECT_STR(read_as(TYPED(some_lists), "{\"colours\":{\"x\":1}}"),
               "key \"x\": expected a number at column 1, not \"x\"");
}

/* Whatever is changed in a text, it is read or refused, and nothing is written elsewhere. */
TEST(a_damaged_text_does_no_damage)
{
    static const char sample[] =
        "{\"corners\":[{\"x\":\"a\",\"y\":-2},{\"y\":4}],\"name\":\"\\u00e9\","
        "\"grid\":[[1,2],[3]],\"choice\":{\"second\":77},\"f\":1.5e3}";
    struct rdl__random random = {0};
    int refused = 0;

    rdl__random_seed(&random, test_seed());
    for (int i = 0; i < 20000; i++) {
        char damaged[sizeof sample];
        size_t at = rdl__random_next(&random) % (sizeof sample - 1);

        memcpy(damaged, sample, sizeof sample);
        damaged[at] = (char)rdl__random_next(&random);
        error.text[0] = '\0';
        read_as(TYPED(a_nested), damaged);
        refused += error.text[0] != '\0';
    }
    EXPECT(refused > 5000 && refused < 20000);
}

TEST(what_is_skipped_remains_as_it_is)
{
    char text[] = "{\"a\":[1,{\"b\":\"]}\\\"\"}]} , 3";
    struct rdl__json_scan scan = {.text = text, .at = text, .end = text + strlen(text)};

    EXPECT(rdl__scan_skip(&scan));
    EXPECT_STR(scan.at, ", 3");
    scan.at = text + 1;
    EXPECT(rdl__scan_skip(&scan));
    EXPECT_STR(scan.at, "} , 3");
    scan.at = text + strlen(text) - 1;
    EXPECT(!rdl__scan_skip(&scan));
}
