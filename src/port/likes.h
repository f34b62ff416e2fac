/* likes.h -- names that are like one that does not exist: what was perhaps meant. */
#ifndef RDL__LIKES_H
#define RDL__LIKES_H

#include <stdbool.h>

#include "base/text.h"

struct rdl__likes {
    const char *wanted;
    bool of_libraries; /* what is considered now: not of the program itself */
    struct rdl__like {
        const char *name;
        int distance;
        bool of_library;
    } best[3]; /* the nearest first; of equals, those of the program; and then by name */
};

void rdl__likes_consider(struct rdl__likes *likes, const char *name);

/* "; did you mean append or appear?"; nothing if none is like it. */
void rdl__likes_say(struct rdl__text *out, const struct rdl__likes *likes);

#endif
