/* test_expressions.c -- expressions of C over variables of a frame: their values are those that the
 * compilers give them; and what is wrong with others is said. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/random.h"
#include "base/text.h"
#include "choice/regress.h"
#include "control/gate/expression.h"
#include "harness.h"
#include "port/hook.h"

TEST(wrong_expressions_are_refused)
{
    static const char *const inputs[][2] = {
        {"", "a name or a number is missing"},
        {"x = 3", "conditions change nothing: == compares"},
        {"x y", "an operator is missing"},
        {"x +", "a name or a number is missing"},
        {"(x", "a ) is missing"},
        {"x)", "an operator is missing"},
        {"x[1", "a ] is missing"},
        {"x[]", "a name or a number is missing"},
        {"x.", "a name or a number is missing"},
        {"x->3", "a name or a number is missing"},
        {"3->x", "what comes before has no name"},
        {"(x + 1).y", "what comes before has no name"},
        {"*3", "only what has a name can be followed"},
        {"&3", "only what has a name has an address"},
        {"f(x)", "functions are not called here"},
        {"sizeof x", "functions are not called here"},
        {"$rip", "of names with a $ there are"},
        {"(int)x", "an operator is missing"},
        {"x ? 1 : 2", "an operator is missing"},
        {"x++", "an operator is missing"},
        {"x += 1", "an operator is missing"},
        {"1.5", "this is no whole number"},
        {"12ab", "this is no whole number"},
        {"99999999999999999999", "the number is too large"},
        {"'ab'", "this is no character"},
        {"''", "this is no character"},
        {"'\\q'", "this is no character"},
        {"\"x\" == y", "strings are compared by strcmp"},
        {"strcmp(x)", "a comma is missing"},
        {"strcmp x", "a ( is missing"},
        {"strcmp(x, \"y)", "the string does not end"},
        {"$_streq(x, \"y\"", "a ) is missing"},
        {"\xc3\xa4 == 1", "a name or a number is missing"},
    };
    char deep[600];
    struct rdl__error error;

    for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++) {
        error.text[0] = '\0';
        if (rdl__expression_read(inputs[i][0], &error))
            test_fail(__FILE__, __LINE__, "this is not refused: %s", inputs[i][0]);
        EXPECT_CONTAINS(error.text, inputs[i][1]);
    }
    memset(deep, '(', sizeof deep);
    deep[sizeof deep - 1] = '\0';
    EXPECT(!rdl__expression_read(deep, &error));
    EXPECT_CONTAINS(error.text, "too many parentheses in each other");
}

/* ---- Expressions mean what they mean in C ---------------------------------------------------- */

static const char variables[] =
    "#include <stdbool.h>\n"
    "#include <stddef.h>\n"
    "#include <string.h>\n"
    "enum mode { IDLE, BUSY, GONE = -3 } mode = GONE, modes[2] = {BUSY, IDLE};\n"
    "enum flag { LOW = 1, HIGH = 8 } flag = HIGH;\n"
    "char c = -3; signed char sc = -128; unsigned char uc = 250;\n"
    "short s = -30000; unsigned short us = 65000;\n"
    "int i = -7, zero; unsigned u = 4000000000u;\n"
    "long l = -5000000000; unsigned long ul = 18000000000000000000u;\n"
    "long long ll = 77; bool yes = true, no;\n"
    "struct item { int id; unsigned bits : 5; int few : 3; const char *name;\n"
    "              struct item *next; };\n"
    "struct item items[3] = {{1, 31, -2, \"first\", &items[1]}, {2, 7, 3, \"second\", &items[2]},\n"
    "                        {3, 0, 0, \"third\", NULL}};\n"
    "struct item *head = items, *last = &items[2], *none;\n"
    "int numbers[4] = {10, -20, 30, -40}, *at = &numbers[1], **to = &at;\n"
    "char text[8] = \"abc\"; double half = 0.5;\n"
    "struct { long double big; } large;\n"
    "long long here(void) { return c + sc + uc + s + us + i + zero + u; }\n";

static const char *const operands[] = {
    "c",          "sc",
    "uc",         "s",
    "us",         "i",
    "zero",       "u",
    "l",          "ul",
    "ll",         "yes",
    "no",         "0",
    "1",          "17",
    "'a'",        "0x80000000",
    "2147483648", "0xffu",
    "3l",         "010",
    "'\\n'",      "'\\xff'",
    "mode",       "flag",
    "modes[1]",   "items[1].id",
    "*at",        "**to",
    "at[-1]",     "head->bits",
    "head->few",  "head->next->id",
    "(*head).id", "items[i + 8].few",
    "*(at + 1)",  "numbers[yes]",
};

enum { OPERANDS = sizeof operands / sizeof *operands, EXPRESSIONS = 600 };

static void add_operand(struct rdl__text *out, struct rdl__random *random)
{
    rdl__text_add(out, "%s", operands[rdl__random_next(random) % OPERANDS]);
}

/* Divisions by 0, and shifts by too much, mean nothing in C. */
static void add_expression(struct rdl__text *out, struct rdl__random *random, int depth)
{
    static const char *const signs[] = {"+", "-", "*", "<",  "<=", ">", ">=", "==", "!=",
                                        "&", "^", "|", "&&", "||", "/", "%",  "<<", ">>"};
    static const char *const unary[] = {"-", "!", "~", "+"};
    uint64_t pick = rdl__random_next(random);
    const char *sign = signs[pick % 18];
    bool is_careful = strchr("/%", sign[0]) || strcmp(sign, "<<") == 0 || strcmp(sign, ">>") == 0;
    bool in_parentheses = is_careful || pick >> 20 & 1;

    if (depth == 0 || pick >> 32 & 1) {
        rdl__text_add(out, "%s", pick >> 33 & 3 ? "" : unary[pick >> 35 & 3]);
        add_operand(out, random);
        return;
    }
    rdl__text_add(out, "%s", in_parentheses ? "(" : "");
    add_expression(out, random, depth - 1);
    if (is_careful) {
        rdl__text_add(out, " %s ((", sign);
        add_expression(out, random, depth - 1);
        rdl__text_add(out, ") & 15 | 1)");
    } else {
        rdl__text_add(out, " %s ", sign);
        add_expression(out, random, depth - 1);
    }
    rdl__text_add(out, "%s", in_parentheses ? ")" : "");
}

/* The library with these expressions, and what is known of its variables. */
static struct {
    char folder[64];
    int count; /* of libraries there */
    void *library;
    struct rdl__stack_frames frames;
    struct rdl__registers registers;
} compiled;

static void remove_folder(void)
{
    run(NULL, "rm -rf %s", compiled.folder);
}

/* With the variables as they are in this function. */
static void compile_source(const char *source, const char *compiler, const char *function)
{
    struct rdl__text path = {0};
    struct rdl__error error;
    int status;
    char *said;

    if (compiled.count++ == 0) {
        strcpy(compiled.folder, "/tmp/test_expressions.XXXXXX");
        EXPECT(mkdtemp(compiled.folder));
        atexit(remove_folder);
    }
    rdl__text_add(&path, "%s/e.c", compiled.folder);
    EXPECT(rdl__write_file(path.bytes, source, strlen(source), &error));
    said = run(&status, "%s -w -g -fwrapv -fPIC -shared -o %s/e%d.so %s", compiler, compiled.folder,
               compiled.count, path.bytes);
    if (status != 0)
        test_fail(__FILE__, __LINE__, "%s", said);
    rdl__text_clear(&path);
    rdl__text_add(&path, "%s/e%d.so", compiled.folder, compiled.count);
    rdl__stack_frames_release(&compiled.frames);
    compiled.library = dlopen(path.bytes, RTLD_NOW);
    EXPECT(compiled.library);
    rdl__stack_frames_want(&compiled.frames, (uintptr_t)dlsym(compiled.library, function), NULL);
    rdl__stack_frames_find(&compiled.frames, NULL);
    EXPECT(compiled.frames.items[0].is_known);
    rdl__text_release(&path);
}

static void compile(struct rdl__text *const texts, size_t count, const char *compiler)
{
    struct rdl__text source = {0};

    rdl__text_add(&source, "%s", variables);
    for (size_t i = 0; i < count; i++)
        rdl__text_add(&source, "long long e%zu(void) { return (long long)(%s); }\n", i,
                      texts[i].bytes);
    compile_source(source.bytes, compiler, "here");
    rdl__text_release(&source);
}

static bool evaluate(const char *text, struct rdl__value *out, struct rdl__error *error)
{
    struct rdl__expression_scope scope = {
        .frame = &compiled.frames.items[0], .registers = &compiled.registers, .thread = "worker"};
    struct rdl__expression *expression = rdl__expression_read(text, error);
    bool ok = expression && rdl__expression_value(expression, &scope, out, error);

    rdl__expression_free(expression);
    return ok;
}

static void compare_with(const char *compiler)
{
    struct rdl__text *texts = rdl__allocate(EXPRESSIONS * sizeof *texts);
    struct rdl__random random;
    struct rdl__error error;
    struct rdl__value value;

    rdl__random_seed(&random, test_seed());
    for (int i = 0; i < EXPRESSIONS; i++)
        add_expression(&texts[i], &random, i % 5);
    compile(texts, EXPRESSIONS, compiler);
    for (int i = 0; i < EXPRESSIONS; i++) {
        char name[16];
        long long (*in_c)(void);

        snprintf(name, sizeof name, "e%d", i);
        *(void **)&in_c = dlsym(compiled.library, name);
        if (texts[i].count > 1000)
            continue;
        if (!evaluate(texts[i].bytes, &value, &error))
            test_fail(__FILE__, __LINE__, "%s: %s", texts[i].bytes, error.text);
        if ((long long)value.bits != in_c())
            test_fail(__FILE__, __LINE__, "%s is %lld in C, and %lld here", texts[i].bytes, in_c(),
                      (long long)value.bits);
        rdl__text_release(&texts[i]);
    }
    free(texts);
}

TEST(expressions_have_the_values_that_gcc_gives_them)
{
    compare_with("gcc");
}

TEST(expressions_have_the_values_that_clang_gives_them)
{
    compare_with("clang");
}

static long long value_of(const char *text)
{
    struct rdl__value value;
    struct rdl__error error;

    if (!compiled.library)
        compile(NULL, 0, "gcc");
    if (!evaluate(text, &value, &error))
        test_fail(__FILE__, __LINE__, "%s: %s", text, error.text);
    return (long long)value.bits;
}

TEST(pointers_strings_and_enumerations_are_compared)
{
    static const char *const true_ones[] = {
        "head == items",
        "head == &items[0]",
        "last != NULL",
        "!none",
        "none == 0",
        "head && last",
        "last - head == 2",
        "head + 2 == last",
        "2 + head == last",
        "last - 2 == head",
        "head < last",
        "&items[1].id != &items[2].id",
        "last->next == NULL",
        "mode == GONE",
        "GONE == mode",
        "modes[0] == BUSY",
        "mode < IDLE",
        "flag & HIGH",
        "strcmp(head->name, \"first\") == 0",
        "strcmp(head->name, last->name) < 0",
        "strcmp(\"b\", \"a\") > 0",
        "$_streq(text, \"abc\")",
        "!$_streq(text, \"abcd\")",
        "$_streq($_thread_name, \"worker\")",
        "yes == true",
        "no == false",
        "*text == 'a'",
        "text[1] == 'b'",
        "*last->name == 't'",
        "1 || none->id",
        "!(0 && none->id)",
    };

    for (size_t i = 0; i < sizeof true_ones / sizeof *true_ones; i++)
        if (!value_of(true_ones[i]))
            test_fail(__FILE__, __LINE__, "this is not true: %s", true_ones[i]);
}

TEST(what_cannot_be_evaluated_says_why)
{
    static const char *const inputs[][2] = {
        {"coumt == 1", "there is no variable coumt"},
        {"none->id", "a pointer is NULL"},
        {"head->idd", "there is no member idd"},
        {"items", NULL},
        {"items[0]", "neither a number nor a pointer"},
        {"half > 0", "floating-point"},
        {"items[3].id", "the array has no such element"},
        {"1 / zero", "it divides by 0"},
        {"i % zero", "it divides by 0"},
        {"1 << 32", "it shifts by 32 bits"},
        {"1 << i", "it shifts by -7 bits"},
        {"head * 2", "pointers are compared"},
        {"head + last", "pointers are compared"},
        {"-head", "- is for numbers, and there is a pointer"},
        {"mode == BUSSY", "there is no variable BUSSY"},
        {"strcmp(none->name, \"\")", "a pointer is NULL"},
        {"$_streq(NULL, \"\")", "a string is NULL"},
        {"$_streq(i, \"\")", "a number is no string"},
        {"$_streq(text + 0x7fffffffffff, \"\")", "a string is not in memory"},
        {"numbers[head]", "an index is a number, and this one is a pointer"},
    };
    struct rdl__error error;
    struct rdl__value value;

    if (!compiled.library)
        compile(NULL, 0, "gcc");
    for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++) {
        EXPECT_EQ(evaluate(inputs[i][0], &value, &error), !inputs[i][1]);
        if (inputs[i][1])
            EXPECT_CONTAINS(error.text, inputs[i][1]);
    }
}

TEST(what_the_compiler_did_not_keep_is_said_to_be_optimised_out)
{
    struct rdl__error error;
    struct rdl__value value;

    compile_source("__attribute__((pure)) int nowhere(int x);\n"
                   "int here(int x) { int gone = nowhere(x); return x + 1; }\n",
                   "gcc -O2", "here");
    EXPECT(!evaluate("gone == 1", &value, &error));
    EXPECT_CONTAINS(error.text, "gone is optimised out here");
    EXPECT(evaluate("x == 0 && 1", &value, &error));
    compile(NULL, 0, "gcc");
}

static void assign(const char *variable, const char *value, const char *wanted_error)
{
    struct rdl__error error = {""};
    struct rdl__expression *left = rdl__expression_read(variable, &error);
    struct rdl__expression *right = rdl__expression_read(value, &error);
    struct rdl__expression_scope scope = {
        .frame = &compiled.frames.items[0], .registers = &compiled.registers, .thread = ""};

    EXPECT(left && right);
    EXPECT_EQ(rdl__expression_assign(left, right, &scope, &error), !wanted_error);
    if (wanted_error)
        EXPECT_CONTAINS(error.text, wanted_error);
    rdl__expression_free(left);
    rdl__expression_free(right);
}

TEST(variables_are_set_as_c_would)
{
    compile(NULL, 0, "gcc");
    assign("i", "ul + 1", NULL);
    EXPECT_EQ(value_of("i"), (int)18000000000000000001u);
    assign("head->bits", "33", NULL);
    EXPECT_EQ(value_of("items[0].bits"), 1);
    EXPECT_EQ(value_of("items[0].few"), -2);
    assign("no", "256", NULL);
    EXPECT_EQ(value_of("no"), 1);
    assign("mode", "BUSY", NULL);
    EXPECT_EQ(value_of("mode == BUSY"), 1);
    assign("none", "head + 1", NULL);
    EXPECT_EQ(value_of("none->id"), 2);
    assign("uc", "-1", NULL);
    EXPECT_EQ(value_of("uc"), 255);
    assign("*at", "'x'", NULL);
    EXPECT_EQ(value_of("numbers[1]"), 'x');
    assign("numbers", "0", "an array cannot be set");
    assign("items[0]", "0", "neither a number nor a pointer");
    assign("nobody", "0", "there is no variable nobody");
}
