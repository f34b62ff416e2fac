/* test_breakpoints.c -- gates in files of gdb's breakpoints: what is read and what is refused; that
 * conditions mean what they mean in C, as the compiler has it; and whole tests with such files. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/random.h"
#include "base/text.h"
#include "choice/regress.h"
#include "control/gate/breakpoints.h"
#include "harness.h"
#include "port/hook.h"

static struct rdl__breakpoints parsed;

static const struct rdl__breakpoint *parse(const char *text)
{
    struct rdl__error error;

    rdl__breakpoints_release(&parsed);
    if (!rdl__breakpoints_parse(&parsed, "x.gdb", text, &error))
        test_fail(__FILE__, __LINE__, "%s", error.text);
    return parsed.items;
}

static const char *refusal_of(const char *text)
{
    static struct rdl__error error;

    rdl__breakpoints_release(&parsed);
    error.text[0] = '\0';
    if (rdl__breakpoints_parse(&parsed, "x.gdb", text, &error))
        test_fail(__FILE__, __LINE__, "this is not refused: %s", text);
    return error.text;
}

/* ---- Reading -------------------------------------------------------------------------------- */

TEST(a_breakpoint_has_place_thread_condition_and_commands)
{
    const struct rdl__breakpoint *b = parse("# gates\n"
                                            "break queue.c:88 thread taker if queue->count == 0\n"
                                            "  commands\n"
                                            "    silent\n"
                                            "    wait taken\n"
                                            "    open measured for all\n"
                                            "    open \"two words\"\n"
                                            "    close done\n"
                                            "    await 3\n"
                                            "    set var queue->items[i + 1].id = 'x'\n"
                                            "    fail it came here\n"
                                            "    printf \"%d\\n\", x\n"
                                            "  end\n");
    static const enum rdl__command_kind kinds[] = {
        RDL__COMMAND_WAIT,  RDL__COMMAND_OPEN_FOR_ALL, RDL__COMMAND_OPEN, RDL__COMMAND_CLOSE,
        RDL__COMMAND_AWAIT, RDL__COMMAND_SET,          RDL__COMMAND_FAIL};
    static const char *const texts[] = {"taken", "measured", "two words",   "done",
                                        "",      NULL,       "it came here"};

    EXPECT_EQ(parsed.count, 1);
    EXPECT_EQ(b->line, 2);
    EXPECT_STR(b->place, "queue.c:88");
    EXPECT_STR(b->thread, "taker");
    EXPECT_STR(b->condition_text, "queue->count == 0");
    EXPECT_EQ(b->command_count, 7);
    for (size_t i = 0; i < 7; i++) {
        EXPECT_EQ(b->commands[i].kind, kinds[i]);
        if (texts[i])
            EXPECT_STR(b->commands[i].text, texts[i]);
    }
    EXPECT_EQ(b->commands[4].time, 3);
    EXPECT_EQ(b->commands[6].line, 11);
}

TEST(places_are_those_of_raddle_and_of_gdb)
{
    static const char *const places[][2] = {
        {"b append", "append"},
        {"br a/queue.c:88", "a/queue.c:88"},
        {"hbreak queue.c:append   if x", "queue.c:append"},
        {"break append:return", "append:return"},
        {"break append:/if (x) y/ if z", "append:/if (x) y/"},
        {"break append:/a / b/ thread t", "append:/a / b/"},
        {"break append:/thread 1/", "append:/thread 1/"},
        {"break libz.so.1!crc32 if(1)", "libz.so.1!crc32"},
        {"break -source queue.c -line 7 if x", "queue.c:7"},
        {"break -function append thread t", "append"},
        {"break -qualified main", "main"},
        {"break /home/a/queue.c:7\r", "/home/a/queue.c:7"},
        {"break iffy", "iffy"},
    };

    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        EXPECT_STR(parse(places[i][0])->place, places[i][1]);
}

TEST(breakpoints_are_known_by_gdbs_numbers)
{
    const struct rdl__breakpoint *b = parse("break one\nbreak two if a\ndprintf f.c:1,\"x\"\n"
                                            "tbreak four\nbreak five\nbreak six\n"
                                            "condition 1 x > 1\ncondition 2\nignore 1 3\n"
                                            "disable 2 4\nenable 4\ndelete 5\n"
                                            "commands 1\nopen a\nend\n"
                                            "commands 1\nopen b\nend\n"
                                            "condition $bpnum y\nignore $bpnum 2\n"
                                            "commands\nend\n");

    EXPECT_EQ(parsed.count, 6);
    EXPECT_STR(b[0].condition_text, "x > 1");
    EXPECT_EQ(b[0].ignore, 3);
    EXPECT_EQ(b[0].command_count, 1);
    EXPECT_STR(b[0].commands[0].text, "b");
    EXPECT(!b[1].condition && b[1].is_disabled);
    EXPECT(!b[2].place);
    EXPECT(b[3].is_temporary && !b[3].is_disabled);
    EXPECT(b[4].is_deleted && !b[0].is_temporary);
    EXPECT_STR(b[5].condition_text, "y");
    EXPECT_EQ(b[5].ignore, 2);
    EXPECT(b[5].has_commands && !b[4].has_commands && b[5].command_count == 0);
    b = parse("break one\nbreak two\ndisable\nenable 2\n");
    EXPECT(b[0].is_disabled && !b[1].is_disabled);
}

/* ---- Refusing ------------------------------------------------------------------------------- */

TEST(what_is_not_understood_is_refused_with_its_line)
{
    static const char *const inputs[][2] = {
        {"break", "x.gdb:1: a place is missing"},
        {"\n\nbreak if x", "x.gdb:3: a place is missing"},
        {"break 88", "88 is a line of which file? Write FILE:88"},
        {"break *0x1234", "addresses such as *0x1234 differ"},
        {"break f thread 1", "numbers of threads mean nothing"},
        {"break f thread", "numbers of threads mean nothing"},
        {"break f thread t u", "there is 'u' behind"},
        {"break f task 1", "there is 'task 1' behind"},
        {"break f if", "the condition is missing"},
        {"break f if x ==", "in 'x ==', at its end: a name or a number is missing"},
        {"break -label l", "-label is not understood; there are -source"},
        {"watch x", "'watch' places no gate; there are break"},
        {"catch throw", "'catch' places no gate"},
        {"run", "'run' places no gate"},
        {"end", "'end' places no gate"},
        {"commands", "there is no breakpoint yet"},
        {"break f\ncommands 2", "x.gdb:2: there is no breakpoint 2"},
        {"break f\ncommands x", "'x' is no number"},
        {"break f\ndelete 1\ncondition 1 x", "x.gdb:3: there is no breakpoint 1"},
        {"break f\ndisable $bpnum.2", "$bpnum.2 is one address of a breakpoint"},
        {"break f\ndisable 99999999999999999999", "is no number"},
        {"break f\nignore 1", "'' is no number"},
        {"break f\nignore 1 -3", "'-3' is no number"},
        {"break f\nignore 1 2 3", "there is '3' behind"},
        {"break f\ncondition", "whose condition?"},
        {"break f\ncommands\nwait x", "x.gdb:3: the commands of the breakpoint in line 1 have no"},
        {"break f\ncommands\nwait\nend", "x.gdb:3: the name of a gate is missing"},
        {"break f\ncommands\nwait a b\nend", "there is 'b' behind"},
        {"break f\ncommands\nopen a for some\nend", "or by: open a for all"},
        {"break f\ncommands\nopen a for all now\nend", "open a for all"},
        {"break f\ncommands\nawait soon\nend", "'soon' is no number"},
        {"break f\ncommands\nset x = 3\nend", "set var VARIABLE = VALUE"},
        {"break f\ncommands\nset var x\nend", "= is missing"},
        {"break f\ncommands\nset var x == 3\nend", "= is missing"},
        {"break f\ncommands\nset var x += 3\nend", "= is missing"},
        {"break f\ncommands\nset var 3 = x\nend", "3  cannot be set"},
        {"break f\ncommands\nset var x = \nend", "a name or a number is missing"},
        {"break f\ncommands\nif x\nwait y\nend\nend", "there is no if among commands"},
        {"break f\ncommands\ncall g()\nend", "'call' is no command of gates; there are wait"},
        {"break f\ncommands\nend now", "there is 'now' behind"},
    };

    for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++)
        EXPECT_CONTAINS(refusal_of(inputs[i][0]), inputs[i][1]);
}

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
    EXPECT_CONTAINS(error.text, "that is too deep");
}

/* Whatever is in the file, it is read or refused; under a sanitizer that says more. */
TEST(no_damage_to_a_file_does_harm)
{
    static const char file[] = "break q.c:8 thread t if a->b[1] == 'x' && strcmp(p, \"\\n\")\n"
                               "  commands 1\n    set var a.b = -(c << 2)\n    open x for all\n"
                               "  end\ncondition $bpnum *p != &q\nignore 1 2\n";
    static const char letters[] = " \n\t\"'()[]*&-=\\x0#$.:/aif";
    struct rdl__random random;
    struct rdl__error error;

    rdl__random_seed(&random, test_seed());
    for (int i = 0; i < 20000; i++) {
        char damaged[sizeof file];
        unsigned changes = 1 + (unsigned)(rdl__random_next(&random) % 4);

        memcpy(damaged, file, sizeof file);
        while (changes-- > 0)
            damaged[rdl__random_next(&random) % (sizeof file - 1)] =
                letters[rdl__random_next(&random) % (sizeof letters - 1)];
        rdl__breakpoints_release(&parsed);
        rdl__breakpoints_parse(&parsed, "x.gdb", damaged, &error);
    }
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
    void *library;
    struct rdl__stack_frames frames;
    struct rdl__registers registers;
} compiled;

static void remove_folder(void)
{
    run(NULL, "rm -rf %s", compiled.folder);
}

static void compile(struct rdl__text *const texts, size_t count, const char *compiler)
{
    struct rdl__text source = {0}, path = {0};
    struct rdl__error error;
    int status;
    char *said;

    strcpy(compiled.folder, "/tmp/test_breakpoints.XXXXXX");
    EXPECT(mkdtemp(compiled.folder));
    atexit(remove_folder);
    rdl__text_add(&source, "%s", variables);
    for (size_t i = 0; i < count; i++)
        rdl__text_add(&source, "long long e%zu(void) { return (long long)(%s); }\n", i,
                      texts[i].bytes);
    rdl__text_add(&path, "%s/e.c", compiled.folder);
    EXPECT(rdl__write_file(path.bytes, source.bytes, source.count, &error));
    said = run(&status, "%s -w -g -O0 -fwrapv -fPIC -shared -o %s/e.so %s", compiler,
               compiled.folder, path.bytes);
    if (status != 0)
        test_fail(__FILE__, __LINE__, "%s", said);
    rdl__text_clear(&path);
    rdl__text_add(&path, "%s/e.so", compiled.folder);
    compiled.library = dlopen(path.bytes, RTLD_NOW);
    EXPECT(compiled.library);
    compiled.frames = (struct rdl__stack_frames){0};
    rdl__stack_frames_want(&compiled.frames, (uintptr_t)dlsym(compiled.library, "here"), NULL);
    rdl__stack_frames_find(&compiled.frames, NULL);
    EXPECT(compiled.frames.items[0].is_known);
    rdl__text_release(&source);
    rdl__text_release(&path);
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
        {"-head", "- of a pointer is nothing"},
        {"mode == BUSSY", "there is no variable BUSSY"},
        {"strcmp(none->name, \"\")", "a pointer is NULL"},
        {"$_streq(NULL, \"\")", "a string is NULL"},
        {"$_streq(i, \"\")", "a number is no string"},
        {"$_streq(text + 0x7fffffffffff, \"\")", "a string is not in memory"},
        {"numbers[head]", "an index is a pointer"},
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

/* ---- Whole tests ---------------------------------------------------------------------------- */

static char *run_tests(int *out_status, const char *options)
{
    return run(out_status,
               "cd \"$SOURCE\" && \"$BUILD\"/specs/breakpoints --regressions none "
               "--shrink-time 0 --color never %s",
               options);
}

TEST(the_file_of_a_tests_name_reproduces_its_bug)
{
    int status;
    char *said = run_tests(&status, "--filter =wrong_stale_length");

    EXPECT_EQ(status, 1);
    EXPECT_CONTAINS(said, "rdl_check(appended)");
    EXPECT_CONTAINS(said, "gates: wrong_stale_length.gdb");
    said = run_tests(&status, "--filter =wrong_stale_length --gates none");
    EXPECT_EQ(status, 0);
    EXPECT_LACKS(said, "gates:");
}

TEST(free_threads_are_held_as_well)
{
    int status;

    for (int i = 0; i < (soak() ? 100 : 3); i++) {
        char *said = run_tests(&status, "--filter =wrong_stale_length_free");

        EXPECT_EQ(status, 1);
        EXPECT_CONTAINS(said, "rdl_check(appended)");
    }
}

TEST(a_file_may_be_given_and_is_part_of_the_replay)
{
    int status;
    char *said = run_tests(&status, "--filter =plain");

    EXPECT_EQ(status, 0);
    said =
        run_tests(&status, "--filter plain --gates tests/specs/breakpoints/wrong_stale_length.gdb");
    EXPECT_EQ(status, 1);
    EXPECT_CONTAINS(said, "0 passed, 2 failed");
    EXPECT_CONTAINS(said, " --gates tests/specs/breakpoints/wrong_stale_length.gdb\n");
    said = run(&status, "cd /; RADDLE_GATES=\"$SOURCE\"/tests/specs/breakpoints "
                        "\"$BUILD\"/specs/breakpoints --regressions none --shrink-time 0 "
                        "--filter =wrong_stale_length");
    EXPECT_EQ(status, 1);
    EXPECT_CONTAINS(said, "rdl_check(appended)");
    said = run_tests(&status, "--gates nowhere.gdb");
    EXPECT_EQ(status, 2);
    EXPECT_CONTAINS(said, "--gates: cannot read nowhere.gdb: No such file");
}

TEST(a_test_that_asks_for_a_file_needs_it)
{
    int status;
    char *said = run_tests(&status, "--filter =wrong_no_file");

    EXPECT_EQ(status, 2);
    EXPECT_CONTAINS(said, "there is no file nowhere.gdb beside tests/specs/breakpoints/");
}

TEST(a_breakpoint_without_commands_is_a_gate)
{
    int status;

    run_tests(&status, "--filter =a_breakpoint_is_a_gate");
    EXPECT_EQ(status, 0);
}

TEST(what_gdb_saves_is_read)
{
    int status;
    char *said = run_tests(&status, "--filter =wrong_saved_by_gdb");

    EXPECT_EQ(status, 1);
    EXPECT_CONTAINS(said, "rdl_check(appended)");
    said =
        run(&status,
            "command -v gdb >/dev/null || exit 77\n"
            "folder=$(mktemp -d) && cd $folder || exit 2\n"
            "gdb -nx -batch -ex \"source $SOURCE/tests/specs/breakpoints/wrong_saved_by_gdb.gdb\""
            " -ex 'save breakpoints again.gdb' \"$BUILD\"/specs/breakpoints >/dev/null 2>&1\n"
            "diff again.gdb \"$SOURCE\"/tests/specs/breakpoints/wrong_saved_by_gdb.gdb &&\n"
            "\"$BUILD\"/specs/breakpoints --regressions none --shrink-time 0 --filter plain_free"
            " --gates again.gdb\n"
            "status=$?; rm -r $folder; exit $status");
    if (status != 77)
        EXPECT_CONTAINS(said, "0 passed, 1 failed");
}

/* The error of a test that is run with these gates. */
static char *error_with(const char *gates, const char *test)
{
    struct rdl__text path = {0}, options = {0};
    struct rdl__error error;
    int status;
    char *said;

    rdl__text_add(&path, "/tmp/test_breakpoints.%d.gdb", (int)getpid());
    EXPECT(rdl__write_file(path.bytes, gates, strlen(gates), &error));
    rdl__text_add(&options, "--filter =%s --gates %s", test, path.bytes);
    said = run_tests(&status, options.bytes);
    unlink(path.bytes);
    EXPECT(status == 1 || status == 2);
    rdl__text_release(&path);
    rdl__text_release(&options);
    return said;
}

TEST(what_goes_wrong_in_a_gate_ends_the_test_with_the_line_of_the_file)
{
    static const char *const cases[][2] = {
        {"break buffer_copi", "gdb:1: "},
        {"\nbreak buffer_copy if coumt", "gdb:2: 'coumt' in buffer_copy, thread appender: 'coumt': "
                                         "there is no variable coumt"},
        {"break buffer_copy\ncommands\nset var count = 1 / 0\nend",
         "gdb:3: 'count = 1 / 0' in buffer_copy, thread appender: it divides by 0"},
        {"break buffer_copy if x =", "gdb:1: in 'x =', at '=': conditions change nothing"},
        {"break buffer_copy\ncommands\nfail it came here\nend", "it came here"},
        {"tbreak buffer_copy\ncommands\nwait ever\nend",
         "appender waits for gate ever to be opened"},
        {"break buffer_copy\ncommands\nset var count = 5\nend", "rdl_check(appended)"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        EXPECT_CONTAINS(error_with(cases[i][0], "plain"), cases[i][1]);
        EXPECT_CONTAINS(error_with(cases[i][0], "plain_free"), cases[i][1]);
    }
}
