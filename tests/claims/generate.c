/* generate.c -- random programs of threads, as one C file.
 *
 *     generate SEED COUNT programs|tests threads|orders [pairs] > batch.c
 *
 * Every program is small enough for all of its schedules to be tried: one to three threads with
 * few statements each, of few kinds (statements.h), or they would hardly meet.  What a thread has
 * seen goes into v, and v into the outcome.
 *
 * Programs are functions that the main of frame.h calls by number.  Tests are RDL_EXPLOREs of a
 * test program, whose executions are made in one process: none that could end that process, or a
 * deadlock, which would end the search.
 *
 * With `pairs` they are not drawn from SEED, but numbered from it on: each pair of statements of a
 * kind meets in one of them, and what else there is of it is drawn.
 *
 * With `orders` the same programs have no threads: each statement is a function, and orders.h
 * calls those of all threads in every order.  That needs no scheduler, no table of what functions
 * touch, and no instrumentation. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "statements.h"

static uint64_t state;

static unsigned upto(unsigned max)
{
    uint64_t z = (state += 0x9e3779b97f4a7c15);

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return (unsigned)((z ^ z >> 31) % (max + 1));
}

#define LENGTH(array) (sizeof(array) / sizeof *(array))

static const char *const *const kinds[] = {
    memory,   atomics, locks,    conditions, ends,    memory,      meetings, environment,
    files,    unseen,  assembly, firsts,     ends,    streams,     pipes,    shapes,
    nested,   signals, locks,    folders,    library, other_locks, texts,    bytes,
    numerals, blocks,  opened,   printed,    objects, libraries,   mappings, one_file};
static const char *const *const safe_kinds[] = {
    memory,     atomics,     safe_locks, environment, files,   library,  unseen,  assembly, firsts,
    safe_locks, other_locks, streams,    pipes,       shapes,  nested,   signals, firsts,   texts,
    bytes,      numerals,    blocks,     opened,      printed, mappings, one_file};

/* Of statements that wait for other threads, begin some, or end them. */
static const char *const *const tied_kinds[] = {conditions, meetings, ends, nested, signals};

static bool tests, orders, pairs;
static const char *const *one, *const *two; /* the kinds of the program */
static unsigned pair[2];                    /* the statements that are to meet */

static bool has(const char *const *kind)
{
    return one == kind || two == kind;
}

static bool is_tied(void)
{
    for (size_t i = 0; i < LENGTH(tied_kinds); i++)
        if (has(tied_kinds[i]))
            return true;
    return false;
}

static const char *const *draw_kind(void)
{
    return tests ? safe_kinds[upto(LENGTH(safe_kinds) - 1)] : kinds[upto(LENGTH(kinds) - 1)];
}

/* ---- Pairs --------------------------------------------------------------------------------- */

static unsigned count_of(const char *const *kind)
{
    unsigned count = 0;

    while (kind[count])
        count++;
    return count;
}

/* Has the list had this kind before? */
static bool is_again(const char *const *const *list, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (list[k] == list[i])
            return true;
    return false;
}

/* Pair `number` of all, which begin anew after the last one. */
static void choose_pair(unsigned number)
{
    const char *const *const *list = tests ? safe_kinds : kinds;
    size_t count = tests ? LENGTH(safe_kinds) : LENGTH(kinds);
    unsigned all = 0;

    for (size_t i = 0; i < count; i++)
        all += is_again(list, i) ? 0 : count_of(list[i]) * (count_of(list[i]) + 1) / 2;
    number %= all;
    for (size_t i = 0; i < count; i++)
        for (unsigned k = 0; !is_again(list, i) && k < count_of(list[i]); k++) {
            if (number <= k) {
                one = two = list[i];
                pair[0] = k;
                pair[1] = number;
                return;
            }
            number -= k + 1;
        }
}

/* ---- Statements ---------------------------------------------------------------------------- */

static void print_text(const char *text)
{
    unsigned once = upto(1);

    printf("    {");
    for (; *text; text++)
        if (*text == '$')
            printf("%u", upto(1));
        else if (*text == '~')
            printf("%u", once);
        else if (*text == '@')
            printf("%u", 1 + upto(2));
        else
            putchar(*text);
    printf("}\n");
}

static void print_statement(void)
{
    const char *const *kind = upto(3) ? one : two;

    print_text(kind[upto(count_of(kind) - 1)]);
}

/* The last one of a thread is that of the pair, if there is one for it. */
static void print_next(unsigned thread, bool is_last)
{
    if (pairs && is_last && thread < 2)
        print_text(one[pair[thread]]);
    else
        print_statement();
}

static void print_thread(unsigned program, unsigned thread, unsigned statements)
{
    printf("static void *thread_%u_%u(void *argument)\n{\n    int v = 0;\n\n", program, thread);
    for (unsigned i = 0; i < statements; i++)
        print_next(thread, i + 1 == statements);
    printf("    return told(argument, v);\n}\n\n");
}

/* The same as functions that can be called one by one. */
static void print_steps(unsigned program, unsigned thread, unsigned statements)
{
    for (unsigned i = 0; i < statements; i++) {
        printf("static int step_%u_%u_%u(int v)\n{\n", program, thread, i);
        print_next(thread, i + 1 == statements);
        printf("    return v;\n}\n\n");
    }
    printf("static step *const steps_%u_%u[] = {", program, thread);
    for (unsigned i = 0; i < statements; i++)
        printf("step_%u_%u_%u, ", program, thread, i);
    printf("NULL};\n\n");
}

/* ---- Programs ------------------------------------------------------------------------------ */

static void print_preparation(unsigned program)
{
    printf("static void prepare_%u(void)\n{\n", program);
    if (has(files) || has(folders))
        printf("    make_files();\n");
    if (has(streams))
        printf("    make_streams();\n");
    if (has(opened))
        printf("    remove_files();\n");
    if (has(pipes))
        printf("    make_pipes();\n");
    if (has(mappings))
        printf("    make_page();\n");
    if (has(one_file))
        printf("    make_one_file();\n");
    if (has(shapes))
        printf("    make_mappings();\n");
    if (has(signals))
        printf("    signal(SIGUSR1, count_signal);\n");
    printf("}\n\n");
}

/* How main leaves a thread: it joins it, or not; looks whether it has ended, or detaches it. */
static void print_leaving(unsigned thread)
{
    unsigned how = upto(9);

    if (tests && (has(streams) || has(one_file) || has(mappings) || has(shapes)))
        how = 9; /* main closes and unmaps them */
    if (how == 0)
        printf("    pthread_detach(t[%u]);\n", thread);
    else if (how == 1)
        printf("    if (pthread_tryjoin_np(t[%u], NULL) == EBUSY) {\n        SEE(1);\n"
               "        pthread_join(t[%u], NULL);\n    }\n",
               thread, thread);
    else if (how > 2)
        printf("    pthread_join(t[%u], NULL);\n", thread);
}

/* How many statements a thread has. */
static unsigned draw_length(unsigned thread, unsigned threads)
{
    if (pairs)
        return 1 + (thread == 0 ? upto(1) : 0);
    return 1 + upto(threads < 3 ? 2 : 0);
}

static void print_threads(unsigned program, unsigned threads)
{
    for (unsigned i = 0; i < threads; i++)
        print_thread(program, i, draw_length(i, threads));
    printf("static int program_%u(void)\n{\n    pthread_t t[4];\n    int v = 0;\n\n"
           "    prepare_%u();\n",
           program, program);
    for (unsigned i = 0; i < threads; i++)
        printf("    start(&t[%u], thread_%u_%u, %u);\n", i, program, i, i);
    for (unsigned i = upto(1); i > 0; i--)
        print_statement();
    for (unsigned i = 0; i < threads; i++)
        print_leaving(i);
    printf("    return finish(v);\n}\n\n");
}

/* All orders of the steps are orders of the program in which main goes on when the others have
 * ended; what it may see or miss before that is left out. */
static void print_orders(unsigned program, unsigned threads)
{
    for (unsigned i = 0; i < threads; i++)
        print_steps(program, i, draw_length(i, threads));
    print_steps(program, threads, upto(1));
    for (unsigned i = 0; i < threads; i++)
        upto(9);
    printf("static const struct program program_%u = {", program);
    if (!is_tied()) {
        printf("prepare_%u, %u, {", program, threads + 1);
        for (unsigned i = 0; i <= threads; i++)
            printf("steps_%u_%u, ", program, i);
        printf("}");
    }
    printf("};\n\n");
}

/* ---- The file ------------------------------------------------------------------------------ */

static void print_main(unsigned count)
{
    printf(orders ? "static const struct program *const programs[] = {"
                  : "static int (*const programs[])(void) = {");
    for (unsigned program = 0; program < count; program++)
        printf("%sprogram_%u, ", orders ? "&" : "", program);
    printf("NULL};\n\nint main(int argc, char **argv)\n{\n    return run(argc, argv, programs);\n"
           "}\n");
}

static void print_tests(unsigned count)
{
    for (unsigned program = 0; program < count; program++)
        printf("static const struct rdl_fixture fixture_%u = {.setup_once = close_leftovers};\n\n"
               "RDL_EXPLORE(test_%u, .fixture = &fixture_%u)\n{\n    (void)t;\n    set_up(%u);\n"
               "    program_%u();\n    tear_down();\n}\n\n",
               program, program, program, program, program);
    printf("RDL_MAIN\n");
}

int main(int argc, char **argv)
{
    unsigned count;

    if (argc != 5 && argc != 6)
        return 2;
    state = strtoull(argv[1], NULL, 10);
    count = (unsigned)atoi(argv[2]);
    tests = strcmp(argv[3], "tests") == 0;
    orders = strcmp(argv[4], "orders") == 0;
    pairs = argc == 6;
    printf("#define _GNU_SOURCE\n%s#include \"frame.h\"\n%s\n",
           tests && !orders ? "#include <raddle.h>\n" : "",
           orders  ? "#include \"orders.h\"\n"
           : tests ? ""
                   : "#include \"alone.h\"\n");
    for (unsigned program = 0; program < count; program++) {
        unsigned threads = 2;

        if (pairs) {
            choose_pair((unsigned)strtoul(argv[1], NULL, 10) + program);
        } else {
            one = draw_kind();
            two = draw_kind();
            if (has(one_file) && has(files)) /* one empties the file that the other maps */
                two = one;
            threads = upto(3) ? 2 : 1 + 2 * upto(1);
        }
        print_preparation(program);
        if (orders)
            print_orders(program, threads);
        else
            print_threads(program, threads);
    }
    if (tests && !orders)
        print_tests(count);
    else
        print_main(count);
    return 0;
}
