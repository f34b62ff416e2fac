/* start.c -- taking over a program just before its main.
 *
 * Only in the shared library: the start-up code of every program calls this
 * function, and a test program linked with the static library must not get it. */
#include <stdlib.h>

#include "cli/program/program.h"
#include "control/sched/next.h"
#include "raddle/reproduce.h"

typedef int start_function(rdl__main_function *function, int argc, char **argv, void (*init)(void),
                           void (*fini)(void), void (*loader_fini)(void), void *stack_end);

start_function __libc_start_main;

static rdl__main_function *program_main;

const struct rdl_reproduction *rdl__program_reproduced;

void rdl_reproduce_program(const struct rdl_reproduction *what)
{
    rdl__program_reproduced = what;
}

static int explore_instead(int argc, char **argv, char **environment)
{
    (void)environment;
    return rdl__program_explore(program_main, argc, argv);
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
    function = getenv(RDL__PROGRAM_VARIABLE) ? explore_instead : run_main;
    return RDL__NEXT(__libc_start_main)(function, argc, argv, init, fini, loader_fini, stack_end);
}
