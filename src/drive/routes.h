/* routes.h -- from one quiet moment of a spec to the next: a call, and all that it lets go on.
 *
 * A node of a space is quiet if no call that waits there could go on.  A route begins and ends at
 * such nodes, and it is certain where it ends and what is answered on it, whoever goes on first.
 * A call of which that is not certain leads nowhere: it can be the last of a sequence. */
#ifndef RDL__ROUTES_H
#define RDL__ROUTES_H

#include "drive/sequence.h"
#include "drive/space.h"

struct rdl__route {
    uint32_t from, to; /* one more than the last node: nowhere */
    uint32_t step;     /* of the space: the call */
    uint64_t met;      /* preconditions of the call */
};

/* Where a node leads to when nobody calls. */
struct rdl__settled {
    enum { RDL__NOT_ASKED, RDL__CERTAIN, RDL__UNCERTAIN, RDL__UNKNOWN } is;
    uint32_t node;
    uint64_t answers; /* a hash of who returns what on the way */
};

struct rdl__routes {
    struct rdl__space *space;
    struct rdl__route *items; /* those from one node lie next to each other */
    uint32_t count, room;
    uint32_t *first;              /* by node; two more than there are nodes */
    struct rdl__settled *settled; /* by node */
    uint32_t settled_count;
    bool *open;   /* by node: not all that can come next is known */
    bool by_luck; /* some lead nowhere */
};

/* All routes of a space that was explored, RDL__WHEN_QUIET. */
void rdl__routes_init(struct rdl__routes *routes, struct rdl__space *space);
void rdl__routes_release(struct rdl__routes *routes);

/* Where does it end?  RDL__WHEN_TOLD: for routes made by hand. */
const struct rdl__settled *rdl__routes_settle(struct rdl__routes *routes, uint32_t node);

/* Under which preconditions is this call made? */
uint64_t rdl__routes_met(struct rdl__routes *routes, uint32_t from, uint32_t called);

/* Add the steps of a route: the call, and those that are continued.  It ends at the node that is
 * returned; RDL__NONE: nobody knows.  With `moves` those are taken, of each node one, of which some
 * other order might lead elsewhere. */
uint32_t rdl__routes_follow(struct rdl__routes *routes, uint32_t from, uint32_t called,
                            const uint32_t *moves, struct rdl__sequence *sequence);

/* Let the call of this move happen: who returns what, as a number.  The answer is the space's. */
uint64_t rdl__routes_answer(struct rdl__space *space, uint32_t from, const struct rdl__move *move);

#endif
