/* compile.h -- what the parts of the compiler share: steps.c knows what steps are, compile.c makes
 * places of them, compile_events.c knows which events they are about. */
#ifndef RDL__COMPILE_H
#define RDL__COMPILE_H

#include "events/program.h"

struct rdl__compiler {
    struct rdl__program *p;
    struct rdl__error *error;
    const struct rdl_step *top;
    uint32_t inside, part; /* of which interleaving: its place, or RDL__NOWHERE */
};

/* Room for one more. */
#define RDL__GROW(array, count, room)                                                              \
    do {                                                                                           \
        if ((count) == (room)) {                                                                   \
            (room) = (room) ? 2 * (room) : 16;                                                     \
            (array) = rdl__reallocate((array), (room) * sizeof *(array));                          \
        }                                                                                          \
    } while (0)

/* ---- steps.c -------------------------------------------------------------------------------- */

/* Where a step stands; a block begins where its first part does, or before. */
int rdl__line_of(const struct rdl_step *step);

bool rdl__step_is_header(const struct rdl_step *step); /* rules, and what is required */
bool rdl__step_is_event(const struct rdl_step *step);

/* Can it, or can one round of a loop, be gone through without anything happening? */
bool rdl__step_is_nullable(const struct rdl_step *step);
bool rdl__step_body_is_nullable(const struct rdl_step *step);

/* Is there an event, or an action, in it at all? */
bool rdl__step_has_events(const struct rdl_step *step);
bool rdl__step_has_actions(const struct rdl_step *step);

/* The first step in it that the test does something in; that has a deadline; NULL: none. */
const struct rdl_step *rdl__step_find_action(const struct rdl_step *step);
const struct rdl_step *rdl__step_find_within(const struct rdl_step *step);

/* ---- compile_events.c ----------------------------------------------------------------------- */

/* False: error says that this is wrong with the step. */
bool rdl__wrong(struct rdl__compiler *c, const struct rdl_step *step, const char *what);

/* Words of the configurations; the first of them. */
uint32_t rdl__add_words(struct rdl__program *p, uint32_t count);

/* The number of a step's pattern, in *out. */
bool rdl__add_pattern(struct rdl__compiler *c, const struct rdl_step *step, uint32_t *out);

/* Its event is waited for; `first`: those it is one of. */
bool rdl__add_wanted(struct rdl__compiler *c, const struct rdl_step *step, uint32_t first);

/* When all are known. */
void rdl__suspect_functions(struct rdl__program *p);
bool rdl__check_slots(struct rdl__compiler *c);

#endif
