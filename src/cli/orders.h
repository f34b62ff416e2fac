/* orders.h -- how a program that is explored is told what to do.
 *
 * A descriptor that it inherits holds words, each with a zero byte after it; an environment
 * variable says which one (RDL__PROGRAM_VARIABLE; see cli/program/program.h). */
#ifndef RDL__ORDERS_H
#define RDL__ORDERS_H

#include "base/text.h"

/* A file without a name, that the program inherits; -1: there can be none. */
int rdl__nameless_file(const char *bytes, size_t count);

/* The same descriptor, where the program does not get in its way. */
int rdl__out_of_the_way(int fd);

/* These options, and what the environment is to be like; the descriptor, or -1. */
int rdl__orders_write(int option_count, char **options);

/* The value of the variable: of a pipe to say hello through, or -1. */
void rdl__add_descriptors(struct rdl__text *out, int orders, int hello);

/* By itself, UBSan prints what it finds, and the program goes on as if nothing had happened: it is
 * to end then, unless the user has said otherwise. */
void rdl__end_at_undefined(void);

/* Addresses are to be the same in each run; if that is not for us to say, they are at
 * least the same in all executions of one run.  What the program itself executes gets
 * this as well. */
void rdl__fix_addresses(void);

#endif
