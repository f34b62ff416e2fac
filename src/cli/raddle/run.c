/* run.c -- raddle run: several test programs, one after the other.
 *
 * The programs do the work and print their reports; options are passed on to
 * each.  Here only their exit statuses are put together. */
#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "cli/raddle/commands.h"

static const char usage[] =
    "Usage: raddle run PROGRAM... [-- OPTION...]\n\n"
    "Runs each test program with the options, and sums up: exit status 1 if any\n"
    "found a failure, else 2 if any could not run, else 77 if all skipped, else 0.\n"
    "PROGRAM --help shows the options.\n";

/* The program's exit status; a set-up error if it did not get that far. */
static int run_program(const char *program, int option_count, char **options)
{
    char **argv = rdl__allocate((size_t)(option_count + 2) * sizeof *argv);
    char *path = rdl__find_program(program);
    struct rdl__error error;
    pid_t pid;
    int status, why;
    bool started = rdl__can_be_run(path, &error);

    argv[0] = rdl__duplicate(program);
    memcpy(argv + 1, options, (size_t)option_count * sizeof *argv);
    if (started && (why = posix_spawn(&pid, path, NULL, NULL, argv, environ)) != 0)
        started = rdl__fail(&error, "cannot run %s: %s", path, strerror(why));
    free(argv[0]);
    free(argv);
    free(path);
    if (!started) {
        fprintf(stderr, "raddle run: %s\n", error.text);
        return RDL__EXIT_SETUP;
    }
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return RDL__EXIT_SETUP;
    if (WIFSIGNALED(status)) {
        fprintf(stderr, "raddle run: %s was ended by signal %d (%s)\n", program, WTERMSIG(status),
                strsignal(WTERMSIG(status)));
        return RDL__EXIT_SETUP;
    }
    return WEXITSTATUS(status);
}

/* Are the programs to print nothing but failures?  Those say which program they are of. */
static bool is_quiet(int option_count, char **options)
{
    const char *variable = getenv("RADDLE_QUIET");
    bool quiet = variable && *variable && strcmp(variable, "0") != 0;

    for (int i = 0; i < option_count; i++) {
        if (strcmp(options[i], "--quiet") == 0)
            quiet = true;
        if (strcmp(options[i], "--verbose") == 0)
            quiet = false;
    }
    return quiet;
}

int rdl__command_run(int argc, char **argv)
{
    int programs = 1, counts[256] = {0}, first_option;

    while (programs < argc && strcmp(argv[programs], "--") != 0) {
        if (strcmp(argv[programs], "--help") == 0)
            return fputs(usage, stdout) < 0 ? RDL__EXIT_SETUP : RDL__EXIT_PASS;
        if (argv[programs][0] == '-') {
            fprintf(stderr,
                    "raddle run: options for the programs come after --, as in\n"
                    "    raddle run PROGRAM -- %s\n",
                    argv[programs]);
            return RDL__EXIT_SETUP;
        }
        programs++;
    }
    if (programs == 1) {
        fprintf(stderr, "raddle run: which program?  raddle run PROGRAM... [-- OPTION...]\n");
        return RDL__EXIT_SETUP;
    }
    first_option = programs < argc ? programs + 1 : argc;
    for (int i = 1; i < programs; i++) {
        if (programs > 2 && !is_quiet(argc - first_option, argv + first_option)) {
            printf("== %s\n", argv[i]);
            fflush(stdout);
        }
        counts[run_program(argv[i], argc - first_option, argv + first_option) & 255]++;
    }
    if (counts[RDL__EXIT_FAIL])
        return RDL__EXIT_FAIL;
    if (counts[RDL__EXIT_PASS] + counts[RDL__EXIT_SKIPPED] < programs - 1)
        return RDL__EXIT_SETUP;
    return counts[RDL__EXIT_PASS] ? RDL__EXIT_PASS : RDL__EXIT_SKIPPED;
}
