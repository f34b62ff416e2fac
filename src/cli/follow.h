/* follow.h -- programs that start the program that is explored.
 *
 * A program shows that it is one in its first execution (cli/program/follow.h).  raddle runs such
 * a program twice.  In the first run, the scouting, every process of it runs
 * free and sends news: which program it is, that it executes another, that it creates a thread.
 * So raddle learns which process has threads.  In the second run that process takes over, where
 * it is, with all that it has inherited.
 *
 * Processes know each other by their lineage: "r" is the process that raddle starts; a "+" is
 * added when it executes a program, and ".2" is the second process that it forks.  A process
 * that was made in a way that is not seen is ".?".
 *
 * A variable of the environment tells a program that it is followed, and its lineage.  All else is
 * in a file of raddle's, since programs close descriptors that they do not know. */
#ifndef RDL__CLI_FOLLOW_H
#define RDL__CLI_FOLLOW_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

#define RDL__FOLLOW_VARIABLE "RADDLE_FOLLOW"

enum { RDL__LINEAGE_ROOM = 512, RDL__PROGRAM_ROOM = 1024 };

/* What the variable says. */
struct rdl__following {
    int raddle;             /* the process of raddle, and descriptors of it: */
    int itinerary;          /* words, each with a zero byte after it (below), */
    int news;               /* a pipe to it, */
    int go;                 /* and one from it */
    int output, complaints; /* descriptors of ours, unless they were closed: raddle's 1 and 2 */
    int process;            /* that the lineage is of; 0: of the next one */
    char lineage[RDL__LINEAGE_ROOM];
};

/* The words of the itinerary: the lineage of the process that takes over ("": none does), the path
 * of our library, from when to when the program ran free, the name for tokens, struct rdl__followed
 * (the program, who started it, "copy" or "", how many others there are, and these); entries of the
 * environment that are options of raddle's, and an empty word; then the orders
 * (cli/program/program.h). */

enum rdl__news_kind {
    RDL__NEWS_PROGRAM, /* the process has begun to run this program */
    RDL__NEWS_EXECUTES,
    RDL__NEWS_FAILS, /* to execute it */
    RDL__NEWS_THREAD,
    RDL__NEWS_TAKES_OVER,
};

struct rdl__news {
    uint32_t kind;
    int32_t process;
    char lineage[RDL__LINEAGE_ROOM];
    char program[RDL__PROGRAM_ROOM]; /* as it was called; EXECUTES: the absolute path */
};
_Static_assert(sizeof(struct rdl__news) <= PIPE_BUF, "news of several processes must not mix");

bool rdl__following_read(struct rdl__following *out, const char *variable);

/* An environment, with all that a program needs to be followed; its own variables of these names
 * are put aside.  To be freed with one free(). */
char **rdl__following_environment(const struct rdl__following *following, const char *library,
                                  char *const *environment);

/* The environment of this process as the program is to see it. */
void rdl__following_put_back(void);

#endif
