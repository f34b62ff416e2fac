/* test_breakpoints.c -- gates in files of gdb's breakpoints: what is read and what is refused, and
 * whole tests with such files. */
#include <unistd.h>

#include "base/random.h"
#include "base/text.h"
#include "choice/regress.h"
#include "control/gate/breakpoints.h"
#include "harness.h"

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
                                            "    tick\n"
                                            "    set var queue->items[i + 1].id = 'x'\n"
                                            "    fail it came here\n"
                                            "    printf \"%d\\n\", x\n"
                                            "  end\n");
    static const enum rdl__command_kind kinds[] = {
        RDL__COMMAND_WAIT,  RDL__COMMAND_OPEN_FOR_ALL, RDL__COMMAND_OPEN, RDL__COMMAND_CLOSE,
        RDL__COMMAND_AWAIT, RDL__COMMAND_TICK,         RDL__COMMAND_SET,  RDL__COMMAND_FAIL};
    static const char *const texts[] = {"taken", "measured", "two words", "done",
                                        "",      "",         NULL,        "it came here"};

    EXPECT_EQ(parsed.count, 1);
    EXPECT_EQ(b->line, 2);
    EXPECT_STR(b->place, "queue.c:88");
    EXPECT_STR(b->thread, "taker");
    EXPECT_STR(b->condition_text, "queue->count == 0");
    EXPECT_EQ(b->command_count, 8);
    for (size_t i = 0; i < 8; i++) {
        EXPECT_EQ(b->commands[i].kind, kinds[i]);
        if (texts[i])
            EXPECT_STR(b->commands[i].text, texts[i]);
    }
    EXPECT_EQ(b->commands[4].time, 3);
    EXPECT_EQ(b->commands[7].line, 12);
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
        {"break f\ncommands\nprint x = 2\nend", "print changes nothing here: set var x = 2"},
        {"break f\ncommands\nend now", "there is 'now' behind"},
    };

    for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++)
        EXPECT_CONTAINS(refusal_of(inputs[i][0]), inputs[i][1]);
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

TEST(files_are_found_from_elsewhere_if_the_program_is_built_among_its_sources)
{
    int status;
    char *said = run(&status, "folder=$(mktemp -d) && mkdir -p $folder/build/bin &&\n"
                              "mkdir -p $folder/tests/specs && cd / || exit 2\n"
                              "cp -r \"$SOURCE\"/tests/specs/breakpoints $folder/tests/specs\n"
                              "cp \"$BUILD\"/specs/breakpoints $folder/build/bin/program\n"
                              "$folder/build/bin/program --regressions none --shrink-time 0 "
                              "--filter =wrong_stale_length\n"
                              "status=$?; rm -r $folder; exit $status");

    EXPECT_EQ(status, 1);
    EXPECT_CONTAINS(said, "rdl_check(appended)");
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

TEST(conditions_are_counted_and_the_clock_awaited)
{
    int status;

    run_tests(&status, "--filter counted,clock");
    EXPECT_EQ(status, 0);
    run_tests(&status, "--filter =conditions_are_counted --gates none");
    EXPECT_EQ(status, 1);
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
