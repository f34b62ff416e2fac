/* start.c -- taking over a program just before its main.
 *
 * Only in the shared library: the start-up code of every program calls this
 * function, and a test program linked with the static library must not get it. */
#include <stdlib.h>

#include "cli/program/program.h"
#include "control/sched/next.h"

typedef int start_function(rdl__main_function *function, int argc, char **argv, void (*init)(void),
                           void (*fini)(void), void (*loader_fini)(void), void *stack_end);

start_function __libc_start_main;

static rdl__main_function *program_main;

static int explore_instead(int argc, char **argv, char **environment)
{
    (void)environment;
    return rdl__program_explore(program_main, argc, argv);
}

RDL__INTERPOSE int __libc_start_main(rdl__main_function *function, int argc, char **argv,
                                     void (*init)(void), void (*fini)(void),
                                     void (*loader_fini)(void), void *stack_end)
{
    program_main = function;
    if (getenv(RDL__PROGRAM_VARIABLE))
        function = explore_instead;
    return RDL__NEXT(__libc_start_main)(function, argc, argv, init, fini, loader_fini, stack_end);
}
