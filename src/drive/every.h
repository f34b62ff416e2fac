/* every.h -- all that a function can draw, simplest first.
 *
 *     struct rdl__every every;
 *     rdl__every_init(&every, t);
 *     rdl__every_start(&every, UINT64_MAX);
 *     while (rdl__every_next(&every, draw, context))
 *         ... what draw(t, context) has drawn ...
 *     rdl__every_release(&every);
 *
 * What it draws goes to a tape of its own: the case's stays as it is. */
#ifndef RDL__EVERY_H
#define RDL__EVERY_H

#include "case/case.h"

struct rdl__every {
    struct rdl_case *t;
    struct rdl__tape tape;
    uint64_t *feed;
    uint32_t feed_count;
    uint64_t cap; /* of each choice, indexes up to this one are tried */
    bool over;
    bool all; /* so far nothing was left out */
};

void rdl__every_init(struct rdl__every *every, struct rdl_case *t);
void rdl__every_release(struct rdl__every *every);
void rdl__every_start(struct rdl__every *every, uint64_t cap);

/* Let it draw the next; false: there is none.  What is discarded does not count. */
bool rdl__every_next(struct rdl__every *every, void (*draw)(struct rdl_case *t, void *context),
                     void *context);

#endif
