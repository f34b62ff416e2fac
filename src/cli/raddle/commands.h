/* commands.h -- the subcommands of raddle.  Each gets its own name as argv[0] and
 * returns the exit status. */
#ifndef RDL__COMMANDS_H
#define RDL__COMMANDS_H

#include "base/error.h"
#include "base/text.h"

int rdl__command_explore(int argc, char **argv);
int rdl__command_replay(int argc, char **argv);
int rdl__command_cc(int argc, char **argv);
int rdl__command_run(int argc, char **argv);
int rdl__command_judge(int argc, char **argv);
int rdl__command_token(int argc, char **argv);

/* The path of libraddle.so. */
bool rdl__find_library(struct rdl__text *out, struct rdl__error *error);

#endif
