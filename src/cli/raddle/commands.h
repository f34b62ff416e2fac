/* commands.h -- the subcommands of raddle.  Each gets its own name as argv[0] and
 * returns the exit status. */
#ifndef RDL__COMMANDS_H
#define RDL__COMMANDS_H

int rdl__command_explore(int argc, char **argv);
int rdl__command_replay(int argc, char **argv);
int rdl__command_run(int argc, char **argv);
int rdl__command_token(int argc, char **argv);

#endif
