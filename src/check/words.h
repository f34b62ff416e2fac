/* words.h -- steps of controlled threads in words: what was done, to what, and where. */
#ifndef RDL__CHECK_WORDS_H
#define RDL__CHECK_WORDS_H

#include <stdio.h>

#include "check/objects.h"
#include "control/sched/op.h"
#include "observe/steps.h"
#include "port/lines.h"

struct rdl__step_words {
    const struct rdl__steps *steps; /* has the names of threads */
    const struct rdl__lines *lines; /* has the places */
    struct rdl__objects *objects;   /* has the names of what steps are done to */
};

struct rdl__op rdl__step_op(const struct rdl__step *step);

/* The place to show for a step: outside of files that are wrappers as a whole, such as those of
 * C++'s library. */
uintptr_t rdl__step_shown(const struct rdl__step *step, const struct rdl__lines *lines);

/* What it is done to: "mutex m", "worker". */
const char *rdl__step_object(const struct rdl__step_words *words, const struct rdl__step *step,
                             char room[40]);

/* "locks mutex m"; of a step that waits, "waits for mutex m". */
void rdl__step_add_words(struct rdl__text *out, const struct rdl__step_words *words,
                         const struct rdl__step *step);

/* "bank.c:31", or just a function. */
void rdl__add_place(struct rdl__text *out, const struct rdl__lines *lines, uintptr_t pc);

/* A file of the code, as places call it; NULL: it is not there, or has changed since the code was
 * compiled.  fclose() it. */
FILE *rdl__words_open(const struct rdl__lines *lines, const char *file);

/* A line of it without what surrounds it; "" if it is not there, or says nothing.  free() it. */
char *rdl__words_source(const struct rdl__lines *lines, const char *file, int line);

#endif
