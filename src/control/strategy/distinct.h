/* distinct.h -- how many different schedules have there been?
 *
 * Exact as long as there is room; from then on a lower bound. */
#ifndef RDL__DISTINCT_H
#define RDL__DISTINCT_H

#include <stdbool.h>
#include <stdint.h>

struct rdl__distinct {
    uint64_t *hashes; /* a hash table; 0: empty */
    uint32_t count, room;
    bool full;
};

void rdl__distinct_add(struct rdl__distinct *distinct, uint64_t hash);
void rdl__distinct_release(struct rdl__distinct *distinct);

#endif
