/* callers.c -- how a thread came to where it is: for reports, and only while steps are recorded. */
#include "control/sched/callers.h"

#include <stdio.h>

#include "control/sched/inner.h"
#include "control/sched/seen.h"
#include "control/sched/track.h"
#include "port/crash.h"

static bool is_recorded(void)
{
    return rdl__sched.t && rdl__sched.t->trace->on;
}

/* As instrumented functions have told; the outermost one is called by nobody of interest. */
static void read_told(struct rdl__callers *out, const struct rdl__track *track)
{
    for (uint32_t at = track->depth; at > 1 && track->depth - at < RDL__FRAMES_KEPT; at--) {
        uintptr_t pc = track->frames[(at - 1) % RDL__FRAMES_KEPT].pc;

        if (out->count == RDL__CALLERS_MAX || rdl__is_own(pc))
            return;
        out->pcs[out->count++] = pc;
    }
}

/* As the stack has them, from the call on that returns to pc. */
static void read_stack(struct rdl__callers *out, uintptr_t pc)
{
    uintptr_t frames[RDL__CALLERS_MAX * 2];
    struct rdl__thread *running = rdl__running;
    int count, at = 0;

    rdl__running = NULL; /* the unwinder may lock something, which is not the program's doing */
    count = rdl__stack_read(frames, RDL__CALLERS_MAX * 2);
    rdl__running = running;
    while (at < count && frames[at] != pc)
        at++;
    for (at++; at < count && out->count < RDL__CALLERS_MAX && !rdl__is_own(frames[at]); at++)
        out->pcs[out->count++] = frames[at];
}

void rdl__callers_of(const struct rdl__thread *self, uintptr_t pc, struct rdl__callers *out)
{
    out->count = 0;
    if (!is_recorded() && !rdl__races_by_callers())
        return;
    if (self->track && self->track->depth > 0)
        read_told(out, self->track);
    else
        read_stack(out, pc);
    for (uint32_t i = 0; is_recorded() && i < out->count; i++)
        rdl__modules_note(&rdl__sched.t->trace->steps.modules, rdl__place_code(out->pcs[i]));
}

void rdl__callers_by_stack(uintptr_t pc, struct rdl__callers *out)
{
    out->count = 0;
    read_stack(out, pc);
    for (uint32_t i = 0; i < out->count; i++)
        rdl__modules_note(&rdl__sched.t->trace->steps.modules, rdl__place_code(out->pcs[i]));
}

const char *rdl__at_calls(const struct rdl__call_stack *calls, uint32_t *out_stack)
{
    static char places[4][24];
    static unsigned next;
    char *place = places[next++ % 4];
    uint32_t number = RDL__STACKS_MAX;

    if (is_recorded())
        number = rdl__steps_add_stack(&rdl__sched.t->trace->steps, calls);
    if (number == RDL__STACKS_MAX)
        return rdl__at(calls->pc);
    if (out_stack)
        *out_stack = number + 1;
    snprintf(place, sizeof places[0], RDL__AT_STACK "%016lx" RDL__AT_END, (unsigned long)number);
    return place;
}

const char *rdl__at_stack(uintptr_t pc, const struct rdl__callers *callers, uint32_t *out_stack)
{
    return rdl__at_calls(&(struct rdl__call_stack){.pc = pc, .callers = *callers}, out_stack);
}
