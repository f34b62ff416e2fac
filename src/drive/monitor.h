/* monitor.h -- the monitor that a spec makes, for those who know who calls. */
#ifndef RDL__MONITOR_H
#define RDL__MONITOR_H

#include "spec/spec.h"

/* As rdl_resource_call, with the client that policies are to see, and the number that
 * rdl_this tells (0: one more than the call before had). */
bool rdl__resource_call_as(struct rdl_resource *r, const struct rdl_call *call, void *out_answer);

#endif
