/* follow.h -- in a program that is followed (cli/follow.h): run free, or take over. */
#ifndef RDL__PROGRAM_FOLLOW_H
#define RDL__PROGRAM_FOLLOW_H

#include "cli/program/program.h"
#include "observe/followed.h"

/* What main is called instead, where RDL__FOLLOW_VARIABLE is set. */
int rdl__program_follow(rdl__main_function *function, int argc, char **argv);

/* imports.c.  Does anything that is loaded call functions by which other programs are started, load
 * more, or make system calls itself?  If not, the program has the threads, or there are none. */
bool rdl__program_may_start_others(void);

/* probe.c.  Run the program once, in a copy of this process, to learn whether it is the one with
 * threads.  `run` runs it and does not return.  True: it has none, but starts other processes or
 * executes another program, so it has to be followed. */
bool rdl__program_probe(void (*run)(void), unsigned timeout_ms);

#endif
