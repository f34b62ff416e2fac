/* callers.h -- how a thread came to where it is. */
#ifndef RDL__CALLERS_H
#define RDL__CALLERS_H

#include "control/sched/sched.h"

/* Are races at the same two places told apart by the calls that led there? */
static inline bool rdl__races_by_callers(void)
{
    return rdl__sched.t && rdl__sched.t->settings.race & RDL__RACES_BY_CALLERS;
}

/* The calls that led the running thread to pc; none unless steps are recorded. */
void rdl__callers_of(const struct rdl__thread *self, uintptr_t pc, struct rdl__callers *out);

/* The same, by what is on the stack: for a pc in code that does not tell of its calls. */
void rdl__callers_by_stack(uintptr_t pc, struct rdl__callers *out);

/* Keep the calls that led to the operation that the thread has come to, while steps are recorded.
 * To read a stack takes longer than most operations, so that is done for the first ones only. */
enum { RDL__CALLERS_NOTED = 20000 };
static inline void rdl__callers_note(struct rdl__thread *self)
{
    const struct rdl__trace *trace = rdl__sched.t->trace;

    if (__builtin_expect(!trace->on, 1))
        return;
    if (trace->steps.count < RDL__CALLERS_NOTED)
        rdl__callers_of(self, rdl__sched.view.ops[self->id].pc, &self->callers);
    else
        self->callers.count = 0;
}

/* As rdl__at, with the calls that led there, if steps are recorded; *out_stack, which may be NULL,
 * is then 1 + their number, and else left alone. */
const char *rdl__at_stack(uintptr_t pc, const struct rdl__callers *callers, uint32_t *out_stack);
const char *rdl__at_calls(const struct rdl__call_stack *calls, uint32_t *out_stack);

#endif
