/* start.c -- taking over a program just before its main.
 *
 * Only in the shared library: the start-up code of every program calls this
 * function, and a test program linked with the static library must not get it. */
#include <stdlib.h>

#include "cli/follow.h"
#include "cli/program/follow.h"
#include "cli/program/program.h"
#include "control/sched/inner.h"
#include "control/sched/memory.h"
#include "control/sched/next.h"
#include "raddle/reproduce.h"

typedef int start_function(rdl__main_function *function, int argc, char **argv, void (*init)(void),
                           void (*fini)(void), void (*loader_fini)(void), void *stack_end);

start_function __libc_start_main;

static rdl__main_function *program_main;
static void (*run_destructors)(void);

const struct rdl_reproduction *rdl__program_reproduced;

void rdl_reproduce_program(const struct rdl_reproduction *what)
{
    rdl__program_reproduced = what;
    rdl__memory_allow();
}

/* The last handler of exit(): after this one the process ends. */
static void end_program(void)
{
    run_destructors();
    rdl__streams_end();
    rdl__process_ends(0);
}

static void end_program_quickly(void)
{
    rdl__process_ends(0);
}

static int explore_instead(int argc, char **argv, char **environment)
{
    (void)environment;
    return rdl__program_explore(program_main, argc, argv);
}

static int follow_instead(int argc, char **argv, char **environment)
{
    (void)environment;
    return rdl__program_follow(program_main, argc, argv);
}

/* Whether there is something to reproduce is known when constructors have run. */
static int run_main(int argc, char **argv, char **environment)
{
    if (rdl__program_reproduced)
        return rdl__program_reproduce(argv);
    return program_main(argc, argv, environment);
}

RDL__INTERPOSE int __libc_start_main(rdl__main_function *function, int argc, char **argv,
                                     void (*init)(void), void (*fini)(void),
                                     void (*loader_fini)(void), void *stack_end)
{
    program_main = function;
    run_destructors = loader_fini;
    if (getenv(RDL__PROGRAM_VARIABLE))
        function = explore_instead;
    else if (getenv(RDL__FOLLOW_VARIABLE))
        function = follow_instead;
    else
        function = run_main;
    if (function != run_main)
        rdl__memory_allow();
    if (function != run_main) { /* the first to be registered run last */
        at_quick_exit(end_program_quickly);
        loader_fini = end_program;
    }
    return RDL__NEXT(__libc_start_main)(function, argc, argv, init, fini, loader_fini, stack_end);
}
