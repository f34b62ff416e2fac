/* fault_type.c -- the event that a component came to a sudden end. */
#include <string.h>

#include "raddle/events.h"

static void show_fault(FILE *out, const void *it)
{
    const struct rdl_fault *fault = it;

    if (fault->kind == RDL_FAULT_EXIT)
        fprintf(out, "exit %d", fault->number);
    else
        fprintf(out, "SIG%s", sigabbrev_np(fault->number));
}

const struct rdl_event_type rdl_event_fault = {
    .name = "fault", .size = sizeof(struct rdl_fault), .show = show_fault};
