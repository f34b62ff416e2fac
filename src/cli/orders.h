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

/* The same words, to be added to others. */
void rdl__orders_add(struct rdl__text *out, int option_count, char **options);

/* Words with a zero byte after each.  They are never freed. */
struct rdl__order_words {
    char *bytes;
    size_t count, next;
};

struct rdl__order_words rdl__read_words(int fd);      /* which is closed */
char *rdl__next_word(struct rdl__order_words *words); /* NULL: there is none */
void rdl__add_word(struct rdl__text *out, const char *word);

/* The value of the variable: of a pipe to say hello through, or -1; and whether the program is
 * probed first (cli/program/follow.h). */
enum rdl__probing { RDL__PROBES_NOT, RDL__PROBES_FIRST, RDL__PROBES_ONLY };
void rdl__add_descriptors(struct rdl__text *out, int orders, int hello, enum rdl__probing probes);

/* By itself, UBSan prints what it finds, and the program goes on as if nothing had happened: it is
 * to end then, unless the user has said otherwise. */
void rdl__end_at_undefined(void);

#endif
