/* requirements.h -- which requirements there are, and which of them a case exercises.
 *
 * Interface:  the table of requirements; what functions of a spec reach is set aside
 *             (rdl__reached), until whoever asked them knows that it has happened.
 * Invariant:  a number that has been given to an id stays: workers, which are copies of the
 *             parent, and the parent mean the same by it. */
#ifndef RDL__REQUIREMENTS_H
#define RDL__REQUIREMENTS_H

#include "case/case.h"
#include "raddle/requirements.h"

/* Of the table; numbers are from 0. */
struct rdl__requirement {
    char id[RDL__NAME_ROOM];
    const char *text; /* what it says; "": nobody has said */
};

uint32_t rdl__requirement_count(void);
const struct rdl__requirement *rdl__requirement_at(uint32_t number);
uint32_t rdl__requirements_lost(void); /* that found no room */

/* Ids, separated by blanks.  The set of their numbers. */
struct rdl__ids rdl__requirements_named(const char *ids);

/* No more are known from here on: cases are about to be run elsewhere. */
void rdl__requirements_settle(void);

/* The case at hand exercises these. */
void rdl__exercised(const struct rdl__ids *these);

/* What a function of a spec has reached since rdl__reached_begin, on this thread.  Nobody asks
 * while there is no line that could be reached. */
struct rdl__reached {
    struct rdl__ids set;
    bool any;       /* it is not empty */
    bool set_aside; /* what is reached goes there, and does not count yet */
};
extern _Thread_local struct rdl__reached rdl__reached;
extern bool rdl__reached_matters;

static inline void rdl__reached_begin(void)
{
    if (!rdl__reached_matters)
        return;
    if (rdl__reached.any)
        rdl__reached.set = (struct rdl__ids){{0}};
    rdl__reached.any = false;
    rdl__reached.set_aside = true;
}

static inline void rdl__reached_end(void)
{
    if (rdl__reached_matters)
        rdl__reached.set_aside = false;
}

/* It has really happened, in the case at hand. */
static inline void rdl__reached_happened(void)
{
    if (rdl__reached_matters && rdl__reached.any)
        rdl__exercised(&rdl__reached.set);
}

#endif
