/* program.h -- a program that knows nothing of Raddle, explored from within.
 *
 * The shared library is preloaded into the program.  Just before main it takes over:
 * the process as it is then is the snapshot from which every execution begins, each
 * in a copy of it.  So the snapshot process is to the program what a test program is
 * to its tests, and all the rest (workers, shrinking, reports) is the same. */
#ifndef RDL__PROGRAM_H
#define RDL__PROGRAM_H

#include "base/text.h"
#include "cli/orders.h"
#include "observe/followed.h"

typedef int rdl__main_function(int argc, char **argv, char **environment);

/* In the environment: the descriptor from which the snapshot reads what it is to do,
 * followed by that of a pipe through which it says that it has taken over, or that it has to be
 * followed (cli/follow.h); and whether it is to find that out. */
#define RDL__PROGRAM_VARIABLE "RADDLE_TAKE_OVER"

/* What stands in that descriptor: words, each with a zero byte after it: how many
 * options there are, the options of raddle explore, and the values of LD_PRELOAD, LD_BIND_NOW,
 * ASAN_OPTIONS, UBSAN_OPTIONS and GOMP_SPINCOUNT that the program is to see ("" for none). */

/* What it says through the pipe. */
enum { RDL__HAS_TAKEN_OVER = 0, RDL__TO_BE_FOLLOWED = 'f' };

/* Explore the program; the exit status. */
int rdl__program_explore(rdl__main_function *function, int argc, char **argv);

/* The same of one that another program has started; `name` is the name of the test, the orders are
 * the next words, and the environment is as it should be. */
_Noreturn void rdl__program_explore_followed(rdl__main_function *function, int argc, char **argv,
                                             const char *name, const struct rdl__followed *followed,
                                             struct rdl__order_words *orders);

/* What a reproducer is to do (raddle/reproduce.h), if this program is one; and begin: the program
 * is executed anew, in the order of things that exploring needs.  The exit status if it cannot. */
struct rdl_reproduction;
extern const struct rdl_reproduction *rdl__program_reproduced;
int rdl__program_reproduce(char **argv);

/* A command as the name of a test, and so as part of a token: words are separated by
 * +, and what is not harmless in a shell is % and two hex digits. */
void rdl__command_encode(struct rdl__text *out, int argc, char **argv);
char **rdl__command_decode(const char *name, int *out_argc); /* to be freed, words too */

#endif
