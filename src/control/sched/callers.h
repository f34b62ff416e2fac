/* callers.h -- how a thread came to where it is. */
#ifndef RDL__CALLERS_H
#define RDL__CALLERS_H

#include "control/sched/sched.h"

/* The calls that led the running thread to pc; none unless steps are recorded. */
void rdl__callers_of(const struct rdl__thread *self, uintptr_t pc, struct rdl__callers *out);

/* The same, by what is on the stack: for a pc in code that does not tell of its calls. */
void rdl__callers_by_stack(uintptr_t pc, struct rdl__callers *out);

/* The same for the operation that it has come to. */
static inline void rdl__callers_note(struct rdl__thread *self)
{
    if (__builtin_expect(rdl__sched.t->trace->on, 0))
        rdl__callers_of(self, rdl__sched.view.ops[self->id].pc, &self->callers);
}

/* As rdl__at, with the calls that led there, if steps are recorded; *out_stack, which may be NULL,
 * is then 1 + their number, and else left alone. */
const char *rdl__at_stack(uintptr_t pc, const struct rdl__callers *callers, uint32_t *out_stack);

#endif
