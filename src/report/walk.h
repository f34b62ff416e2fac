/* walk.h -- a walk through the timeline of a case, forwards and backwards, item by item.
 *
 * The case has been run; all that is walked through is what was recorded.  So a step back is as
 * cheap as one forward, and shows exactly what was there before. */
#ifndef RDL__WALK_H
#define RDL__WALK_H

#include "report/report.h"

struct rdl__walk {
    const struct rdl__timeline *timeline; /* at least one item */
    const char *name;                     /* of the case */
    struct rdl__paint paint;
    uint32_t at;             /* the item */
    struct rdl__text sought; /* what was looked for last */
    struct rdl__text remark; /* what there is to say of the last command; "": nothing */
    bool helps;              /* it was asked for help */
};

extern const char rdl__walk_keys[]; /* the commands, in a line */
extern const char rdl__walk_help[]; /* and in several */

/* Do what a command says: "n", "17", "/lock".  False: to end. */
bool rdl__walk_command(struct rdl__walk *walk, const char *command);

/* Where it is: title, lines of source around it, who is in which calls, who waits for what, the
 * model.  Each line is clipped. */
void rdl__walk_add_item(struct rdl__text *out, const struct rdl__walk *walk, int width);

/* A whole screen: what happened around it, in columns, and that. */
void rdl__walk_add_screen(struct rdl__text *out, const struct rdl__walk *walk, int rows, int width);

void rdl__walk_release(struct rdl__walk *walk);

#endif
