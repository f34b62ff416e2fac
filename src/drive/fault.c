/* fault.c -- crashes and exits of the component as events, where a spec asks for them.
 *
 * What crashed is left as it is: its thread goes no further, what it held it holds.  The event
 * comes after those that came out before, but before any that the component has not been
 * given yet. */
#include <stdlib.h>

#include "drive/ports.h"
#include "port/crash.h"

/* Whose faults they are; NULL: nobody asks for them. */
static struct rdl__ports *asking;
static int struck_by;

static void put(int kind, int number)
{
    struct rdl_fault fault = {kind, number};
    struct rdl_event event = {&rdl_faults, RDL_OUT, &rdl_event_fault, &fault, sizeof fault};
    struct rdl__queued *queued = rdl__queued_new(&event), *last = NULL;

    for (struct rdl__queued *at = asking->head; at; at = at->next)
        if (at->event.direction == RDL_OUT)
            last = at;
    rdl__ports_put_after(asking, last, queued);
    rdl__changed((uintptr_t)asking);
}

/* The thread that runs ends here; that of the test goes on taking events. */
_Noreturn static void leave(void)
{
    struct rdl__thread *self = rdl__self();

    if (self->struck)
        _longjmp(*self->struck, 1);
    _longjmp(asking->recover, 1);
}

static bool can_leave(void)
{
    struct rdl__thread *self = rdl__self();

    return asking && self && (self->struck || asking->stream);
}

/* Here everything can be called again, as it was before the signal. */
static void go_on(void)
{
    struct rdl__thread *self = rdl__running;

    rdl__running = NULL; /* what we do now is not the program's doing */
    rdl__crash_watch_for(struck_by);
    rdl__running = self;
    put(RDL_FAULT_SIGNAL, struck_by);
    leave();
}

static void (*on_fault(int signal))(void)
{
    if (!can_leave())
        return NULL;
    struck_by = signal;
    return go_on;
}

static void on_sudden_end(int kind, int number)
{
    if (!can_leave())
        return;
    put(kind, number);
    leave();
}

void rdl__faults_ask(struct rdl__ports *ports)
{
    asking = ports;
    rdl__on_fault = ports ? on_fault : NULL;
    rdl__on_sudden_end = ports ? on_sudden_end : NULL;
}
