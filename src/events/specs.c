/* specs.c -- the specs of streams that have names: a library is loaded, and here they are. */
#include "events/events.h"

static const struct rdl_stream_spec **specs;
static size_t spec_count;

void rdl__register_stream_spec(const struct rdl_stream_spec *spec)
{
    specs = rdl__reallocate(specs, (spec_count + 1) * sizeof(struct rdl_stream_spec *));
    specs[spec_count++] = spec;
}

const struct rdl_stream_spec *const *rdl__stream_specs(size_t *out_count)
{
    *out_count = spec_count;
    return specs;
}
