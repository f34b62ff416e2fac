/* seen.h -- how many different schedules have there been?
 *
 * Exact as long as there is room; from then on a lower bound. */
#ifndef RDL__SEEN_H
#define RDL__SEEN_H

#include <stdbool.h>
#include <stdint.h>

struct rdl__seen {
    uint64_t *hashes; /* a hash table; 0: empty */
    uint32_t count, room;
    bool full;
};

void rdl__seen_add(struct rdl__seen *seen, uint64_t hash);
void rdl__seen_release(struct rdl__seen *seen);

#endif
