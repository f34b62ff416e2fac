/* seen.c -- how many different schedules have there been? */
#include "control/strategy/seen.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/memory.h"

enum { ROOM_AT_FIRST = 1 << 10, ROOM_MAX = 1 << 20 };

static uint64_t *place_of(const struct rdl__seen *seen, uint64_t hash)
{
    uint64_t at = rdl__mix(hash);

    while (seen->hashes[at & (seen->room - 1)] && seen->hashes[at & (seen->room - 1)] != hash)
        at++;
    return &seen->hashes[at & (seen->room - 1)];
}

static void make_room(struct rdl__seen *seen)
{
    struct rdl__seen old = *seen;

    seen->room = old.room ? old.room * 2 : ROOM_AT_FIRST;
    seen->hashes = rdl__allocate(seen->room * sizeof *seen->hashes);
    for (uint32_t i = 0; i < old.room; i++)
        if (old.hashes[i])
            *place_of(seen, old.hashes[i]) = old.hashes[i];
    free(old.hashes);
}

void rdl__seen_add(struct rdl__seen *seen, uint64_t hash)
{
    uint64_t *place;

    hash |= !hash;
    if (seen->count * 2 >= seen->room) {
        if (seen->room == ROOM_MAX) {
            seen->full |= !*place_of(seen, hash);
            return;
        }
        make_room(seen);
    }
    place = place_of(seen, hash);
    seen->count += !*place;
    *place = hash;
}

void rdl__seen_release(struct rdl__seen *seen)
{
    free(seen->hashes);
    *seen = (struct rdl__seen){0};
}
