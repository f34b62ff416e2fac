/* deviations.c -- raddle deviations: which deviations of its neighbours does a component tolerate?
 *
 * The test program does the work: this process becomes it. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "cli/raddle/commands.h"

static const char usage[] =
    "Usage: raddle deviations PROGRAM [OPTION]...\n\n"
    "Runs the tests of a program under each deviation (RDL_DEVIATION) of a component\n"
    "that is played by its spec, and prints which of them are tolerated.  OPTION is one\n"
    "of PROGRAM's: --filter, --seed, --cases, --time, --jobs, --format json, ...\n"
    "Exit status: 0 the table is made, 1 a test fails without any deviation, 2 wrong\n"
    "usage or set-up.\n";

int rdl__command_deviations(int argc, char **argv)
{
    struct rdl__error error;
    char **arguments, *path;

    if (argc > 1 && strcmp(argv[1], "--help") == 0)
        return fputs(usage, stdout) < 0 || fflush(stdout) ? RDL__EXIT_SETUP : RDL__EXIT_PASS;
    if (argc < 2 || argv[1][0] == '-') {
        fprintf(stderr,
                "raddle deviations: which program?  raddle deviations PROGRAM [OPTION]...\n");
        return RDL__EXIT_SETUP;
    }
    arguments = rdl__allocate((size_t)(argc + 1) * sizeof *arguments);
    arguments[0] = argv[1];
    arguments[1] = rdl__duplicate("--deviations");
    memcpy(arguments + 2, argv + 2, (size_t)(argc - 2) * sizeof *arguments);
    path = rdl__find_program(argv[1]);
    if (rdl__can_be_run(path, &error)) {
        execv(path, arguments);
        rdl__fail(&error, "cannot run %s: %s", path, strerror(errno));
    }
    fprintf(stderr, "raddle deviations: %s\n", error.text);
    free(path);
    free(arguments[1]);
    free(arguments);
    return RDL__EXIT_SETUP;
}
