/* likes.h -- names that are like one that does not exist: what was perhaps meant. */
#ifndef RDL__LIKES_H
#define RDL__LIKES_H

#include "base/text.h"

struct rdl__likes {
    const char *wanted;
    struct {
        const char *name;
        int distance;
    } best[3]; /* the nearest first */
};

void rdl__likes_consider(struct rdl__likes *likes, const char *name);

/* "; did you mean append or appear?"; nothing if none is like it. */
void rdl__likes_say(struct rdl__text *out, const struct rdl__likes *likes);

#endif
