/* reproduce.c -- rdl_reproduce: a test program whose one case is written in it. */
#include "raddle/reproduce.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "cli/options.h"
#include "drive/written.h"
#include "port/trap.h"

static void decide(struct rdl__token *out, uint64_t index)
{
    out->indexes[out->count++] = index;
}

/* The first turn is thread 0's: only its length is a choice. */
void rdl__token_of_reproduction(struct rdl__token *out, const struct rdl_reproduction *what,
                                const char *name)
{
    bool begun = false;

    *out = (struct rdl__token){
        .name = rdl__duplicate(name),
        .settings = {.size = what->size ? what->size : 100,
                     .choices_max = 1 << 20,
                     .points_max = what->points_max,
                     .watched = what->watched,
                     .round = what->round,
                     .volatiles = what->volatiles},
        .indexes = rdl__allocate((2 * what->count + 1) * sizeof *out->indexes),
    };
    for (size_t i = 0; i < what->count; i++) {
        const struct rdl_decision *decision = &what->decisions[i];

        if (decision->kind != RDL__DECIDES_TURN || begun)
            decide(out, decision->what);
        if (decision->kind == RDL__DECIDES_TURN)
            decide(out, decision->steps);
        begun |= decision->kind == RDL__DECIDES_TURN;
    }
}

static struct rdl_test *find_test(struct rdl_test **tests, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(tests[i]->name, name) == 0)
            return tests[i];
    return NULL;
}

/* That it fails is what is to be seen, whatever the test expects. */
static int run(struct rdl__options *options, const struct rdl_reproduction *what,
               struct rdl_test *test)
{
    struct rdl__token token;
    int status;

    test->options.expect_failure = false;
    test->options.skip = NULL;
    rdl__written_calls = what->calls;
    rdl__token_of_reproduction(&token, what, test->name);
    options->decided = &token;
    options->plan.no_regressions = true;
    options->plan.deviation = what->deviation;
    options->plan.gates = what->gates;
    if (test->options.explore || test->options.scheduled)
        rdl__trap_expect();
    status = rdl__run_tests(options, &test, 1);
    if (status == RDL__EXIT_PASS)
        fprintf(stderr,
                "raddle: the case passes: the bug is repaired, or this is not compiled as it "
                "was\n");
    rdl__token_release(&token);
    return status;
}

int rdl_reproduce(int argc, char **argv, const struct rdl_reproduction *what)
{
    struct rdl__options *options = rdl__allocate(sizeof *options);
    struct rdl__text help = {0};
    struct rdl__error error;
    size_t count;
    struct rdl_test **tests = rdl__tests(&count), *test;
    int status;

    test = what->test ? find_test(tests, count, what->test) : NULL;
    if (!rdl__options_read(options, argc, argv, &error)) {
        status = rdl__complain(argv[0], &error);
    } else if (options->help) {
        rdl__options_help(&help, argv[0]);
        status = fputs(help.bytes, stdout) < 0 ? RDL__EXIT_SETUP : RDL__EXIT_PASS;
    } else if (!test) {
        rdl__fail(&error, "there is no test called %s here: is its file compiled, too?",
                  what->test ? what->test : "(none)");
        status = rdl__complain(argv[0], &error);
    } else {
        status = run(options, what, test);
    }
    rdl__text_release(&help);
    free(options);
    free(tests);
    return status;
}
