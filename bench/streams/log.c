/* log.c -- the spec for raddle match; measure_events.py makes a library of it. */
#include "pings.h"

RDL_STREAM_SPEC(pings, THREE_EACH);
