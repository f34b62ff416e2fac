/* raddle.c -- the raddle command: one file a subcommand, and this table. */
#include "cli/raddle/commands.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/near.h"
#include "port/heap.h"
#include "port/statics.h"
#include "raddle.h"

static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *help;
} commands[] = {
    {"run", rdl__command_run, "run test programs, one after the other, and sum up"},
    {"deviations", rdl__command_deviations,
     "tell which deviations of its neighbours code tolerates"},
    {"explore", rdl__command_explore, "run a program under many schedules of its threads"},
    {"replay", rdl__command_replay, "run a program under the schedule of a token"},
    {"export", rdl__command_export, "write the case of a token as a C program"},
    {"cc", rdl__command_cc, "compile code so that its accesses to memory are seen"},
    {"grade", rdl__command_grade, "test many implementations against one spec"},
    {"judge", rdl__command_judge, "check a recorded history against a spec"},
    {"match", rdl__command_match, "check a log of events against a spec of streams"},
    {"report", rdl__command_report, "make a page for browsers of reports in JSON"},
    {"shell", rdl__command_shell, "call operations of a resource by hand"},
    {"token", rdl__command_token, "show what a token holds"},
    {"stubs", rdl__command_stubs, "write stubs for the functions of a header"},
    {"where", rdl__command_where, "show what a location means in a program"},
};

enum { COMMANDS = sizeof commands / sizeof *commands };

static int unknown(const char *name)
{
    struct rdl__nearest nearest = {.given = name, .length = strlen(name)};

    for (int i = 0; i < COMMANDS; i++)
        rdl__nearest_try(&nearest, commands[i].name);
    if (nearest.word)
        fprintf(stderr, "raddle: unknown command '%s'; did you mean raddle %s?\n", name,
                nearest.word);
    else
        fprintf(stderr, "raddle: unknown command '%s'; raddle --help shows all\n", name);
    return RDL__EXIT_SETUP;
}

static int run(int argc, char **argv)
{
    for (int i = 0; i < COMMANDS; i++)
        if (strcmp(argv[0], commands[i].name) == 0)
            return commands[i].run(argc, argv);
    return unknown(argv[0]);
}

static int help(FILE *out)
{
    fprintf(out, "Usage: raddle COMMAND [ARGUMENT]...\n\n");
    for (int i = 0; i < COMMANDS; i++)
        fprintf(out, "  %-10s %s\n", commands[i].name, commands[i].help);
    fprintf(out, "\nraddle COMMAND --help tells more.\n");
    return fflush(out) == 0 ? RDL__EXIT_PASS : RDL__EXIT_SETUP;
}

/* Whether a command has noticed or not, what it printed did not get to who asked for it. */
static int printed(int status)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return status;
    if (errno != EPIPE)
        fprintf(stderr, "raddle: cannot write to standard output: %s\n", strerror(errno));
    return RDL__EXIT_SETUP;
}

int main(int argc, char **argv)
{
    rdl__statics_are_ours = true;
    rdl__heap_begin(); /* for the specs that are loaded */
    if (argc < 2) {
        help(stderr);
        return RDL__EXIT_SETUP;
    }
    if (strcmp(argv[1], "help") == 0 && argc > 2)
        return printed(run(2, (char *[]){argv[2], (char *)"--help", NULL}));
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
        strcmp(argv[1], "help") == 0)
        return printed(help(stdout));
    if (strcmp(argv[1], "--version") == 0) {
        printf("raddle %s\n", RDL_VERSION);
        return printed(RDL__EXIT_PASS);
    }
    return printed(run(argc - 1, argv + 1));
}
