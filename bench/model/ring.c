/* ring.c -- a ring buffer of bytes. */
#include "ring.h"

#include <stdlib.h>

struct ring {
    int size, first, count;
    unsigned char values[];
};

struct ring *ring_new(int size)
{
    struct ring *r = malloc(sizeof *r + (size_t)size);

    *r = (struct ring){.size = size};
    return r;
}

struct ring *ring_new_small(int size)
{
    return ring_new(size < 128 ? size : 128);
}

bool ring_put(struct ring *r, int value)
{
    int at = r->first + r->count;

    if (r->count == r->size)
        return false;
    r->values[at < r->size ? at : at - r->size] = (unsigned char)value;
    r->count++;
    return true;
}

int ring_get(struct ring *r)
{
    int value;

    if (r->count == 0)
        return -1;
    value = r->values[r->first++];
    if (r->first == r->size)
        r->first = 0;
    r->count--;
    return value;
}

void ring_free(struct ring *r)
{
    free(r);
}
