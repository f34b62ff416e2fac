/* distinct.c -- how many different schedules have there been? */
#include "control/strategy/distinct.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/memory.h"

enum { ROOM_AT_FIRST = 1 << 10, ROOM_MAX = 1 << 20 };

static uint64_t *place_of(const struct rdl__distinct *distinct, uint64_t hash)
{
    uint64_t at = rdl__mix(hash);

    while (distinct->hashes[at & (distinct->room - 1)] &&
           distinct->hashes[at & (distinct->room - 1)] != hash)
        at++;
    return &distinct->hashes[at & (distinct->room - 1)];
}

static void make_room(struct rdl__distinct *distinct)
{
    struct rdl__distinct old = *distinct;

    distinct->room = old.room ? old.room * 2 : ROOM_AT_FIRST;
    distinct->hashes = rdl__allocate(distinct->room * sizeof *distinct->hashes);
    for (uint32_t i = 0; i < old.room; i++)
        if (old.hashes[i])
            *place_of(distinct, old.hashes[i]) = old.hashes[i];
    free(old.hashes);
}

void rdl__distinct_add(struct rdl__distinct *distinct, uint64_t hash)
{
    uint64_t *place;

    hash |= !hash;
    if (distinct->count * 2 >= distinct->room) {
        if (distinct->room == ROOM_MAX) {
            distinct->full |= !*place_of(distinct, hash);
            return;
        }
        make_room(distinct);
    }
    place = place_of(distinct, hash);
    distinct->count += !*place;
    *place = hash;
}

void rdl__distinct_release(struct rdl__distinct *distinct)
{
    free(distinct->hashes);
    *distinct = (struct rdl__distinct){0};
}
