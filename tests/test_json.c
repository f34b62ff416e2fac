/* test_json.c -- reading JSON: what is JSON becomes a tree, and nothing else is accepted. */
#include "harness.h"

#include <math.h>
#include <stdlib.h>

#include "base/json.h"
#include "base/random.h"
#include "base/text.h"

static struct rdl__arena arena;
static struct rdl__error error;

static const struct rdl__json *read_text(const char *text)
{
    return rdl__json_read(&arena, text, strlen(text), &error);
}

static void expect_refused(const char *text, const char *why)
{
    EXPECT(!read_text(text));
    EXPECT_CONTAINS(error.text, why);
}

TEST(every_kind_of_value_is_read)
{
    EXPECT_EQ(read_text("null")->kind, RDL__JSON_NULL);
    EXPECT_EQ(read_text(" true\n")->kind, RDL__JSON_TRUE);
    EXPECT_EQ(read_text("\tfalse\r")->kind, RDL__JSON_FALSE);
    EXPECT_EQ(read_text("[]")->kind, RDL__JSON_ARRAY);
    EXPECT_EQ(read_text("{ }")->kind, RDL__JSON_OBJECT);
    EXPECT_STR(read_text("\"text\"")->string, "text");
    EXPECT_EQ(read_text("12")->number, 12);
}

TEST(numbers_are_exact)
{
    EXPECT(read_text("-0.5")->number == -0.5);
    EXPECT(read_text("1e3")->number == 1000);
    EXPECT(read_text("1.25E-2")->number == 0.0125);
    EXPECT(read_text("9007199254740993")->number == 9007199254740992.0);
    EXPECT(isinf(read_text("1e999")->number));
    EXPECT(read_text("0")->number == 0);
}

TEST(strings_are_decoded)
{
    EXPECT_STR(read_text("\"a\\\"b\\\\c\\/d\\n\\t\"")->string, "a\"b\\c/d\n\t");
    EXPECT_STR(read_text("\"\\u0041\\u00e9\\u20AC\"")->string, "A\u00e9\u20ac");
    EXPECT_STR(read_text("\"\\ud83d\\ude00\"")->string, "\U0001f600");
    EXPECT_STR(read_text("\"\u00e9\u20ac\U0001f600\"")->string, "\u00e9\u20ac\U0001f600");
    EXPECT_EQ(read_text("\"a\\u0000b\"")->length, 3);
}

TEST(half_a_character_becomes_a_replacement)
{
    EXPECT_STR(read_text("\"\\ud83d\"")->string, "\ufffd");
    EXPECT_STR(read_text("\"\\ude00x\"")->string, "\ufffdx");
    EXPECT_STR(read_text("\"\\ud83d\\u0041\"")->string, "\ufffdA");
    EXPECT_STR(read_text("\"\\ud83d\\n\"")->string, "\ufffd\n");
}

TEST(what_is_in_objects_is_found_by_key)
{
    const struct rdl__json *object =
        read_text("{\"a\": 1, \"b\": {\"c\": \"x\"}, \"a\": 2, \"d\": [1, [2], 3]}");
    const struct rdl__json *list = rdl__json_get(object, "d");

    EXPECT_EQ(rdl__json_number(object, "a", -1), 1);
    EXPECT_EQ(rdl__json_number(object, "b", -1), -1);
    EXPECT_EQ(rdl__json_number(object, "z", -1), -1);
    EXPECT_STR(rdl__json_string(rdl__json_get(object, "b"), "c"), "x");
    EXPECT(!rdl__json_string(object, "a"));
    EXPECT(!rdl__json_string(rdl__json_get(object, "no"), "c"));
    EXPECT_EQ(list->first->number, 1);
    EXPECT_EQ(list->first->next->first->number, 2);
    EXPECT_EQ(list->first->next->next->number, 3);
    EXPECT(!list->first->next->next->next);
}

TEST(what_is_not_json_is_refused)
{
    static const char *const rubbish[] = {"",
                                          " ",
                                          "nul",
                                          "nulll",
                                          "True",
                                          "+1",
                                          "01",
                                          "-",
                                          ".5",
                                          "1.",
                                          "1e",
                                          "1e+",
                                          "0x10",
                                          "NaN",
                                          "[1,]",
                                          "[,1]",
                                          "[1 2]",
                                          "{\"a\":}",
                                          "{\"a\" 1}",
                                          "{a:1}",
                                          "{\"a\":1,}",
                                          "{1:2}",
                                          "]",
                                          "}",
                                          "[}",
                                          "{]",
                                          "'a'",
                                          "\"\\x41\"",
                                          "\"\\u1",
                                          "\"\n\"",
                                          "\"\\u00g0\"",
                                          "\"\xff\"",
                                          "\"\xc3\"",
                                          "1 2",
                                          "{} {}",
                                          "\"a",
                                          "\"\\",
                                          "\"\\\"",
                                          "//\n1",
                                          "[1]x",
                                          "\"\xed\xa0\x80\""};

    for (size_t i = 0; i < sizeof rubbish / sizeof *rubbish; i++)
        if (read_text(rubbish[i]))
            test_fail(__FILE__, __LINE__, "this was read: %s", rubbish[i]);
}

TEST(the_message_tells_the_line)
{
    expect_refused("{\n \"a\\nb\": 1,\n \"c\": x}", "line 3: here is no value");
    expect_refused("[1]\n[2]", "line 2: something follows");
}

TEST(a_nul_is_no_end)
{
    EXPECT(!rdl__json_read(&arena, "1\0", 2, &error));
    EXPECT(!rdl__json_read(&arena, "\"a\0b\"", 5, &error));
}

static struct rdl__text nested(int depth)
{
    struct rdl__text text = {0};

    for (int i = 0; i < depth; i++)
        rdl__text_add(&text, i % 2 ? "{\"k\":" : "[");
    rdl__text_add(&text, "1");
    for (int i = depth; i-- > 0;)
        rdl__text_add(&text, i % 2 ? "}" : "]");
    return text;
}

TEST(depth_has_a_limit)
{
    struct rdl__text deep = nested(RDL__JSON_DEPTH), deeper = nested(RDL__JSON_DEPTH + 1);
    struct rdl__text abyss = nested(1000000);

    EXPECT(read_text(deep.bytes));
    expect_refused(deeper.bytes, "too deep");
    expect_refused(abyss.bytes, "too deep");
    rdl__text_release(&deep);
    rdl__text_release(&deeper);
    rdl__text_release(&abyss);
}

static const char sample[] =
    "{\"test\":\"a\\u00e9\\ud83d\\ude00\",\"n\":[1,-2.5e-3,true,false,null],\"o\":{\"x\":{}}}";

TEST(no_beginning_of_a_text_is_one)
{
    EXPECT(read_text(sample));
    for (size_t count = 0; count + 1 < sizeof sample - 1; count++)
        EXPECT(!rdl__json_read(&arena, sample, count, &error));
}

/* Whatever a byte becomes, it is read or refused; sanitizers see to the rest. */
TEST(damaged_texts_do_no_harm)
{
    struct rdl__random random;
    int refused = 0, total = soak() ? 2000000 : 100000;

    rdl__random_seed(&random, test_seed());
    for (int i = 0; i < total; i++) {
        char damaged[sizeof sample];

        memcpy(damaged, sample, sizeof sample);
        for (int k = 0; k < 3; k++) {
            uint64_t at = rdl__random_upto(&random, sizeof sample - 2);

            damaged[at] = (char)rdl__random_next(&random);
        }
        refused += rdl__json_read(&arena, damaged, sizeof sample - 1, &error) == NULL;
        rdl__arena_reset(&arena);
    }
    EXPECT(refused > total / 2 && refused < total);
}
