/* cluster_counts.h -- what the test calls of a cluster, and which interesting states its components
 * come to, for statistics. */
#ifndef RDL__CLUSTER_COUNTS_H
#define RDL__CLUSTER_COUNTS_H

#include "drive/stage.h"

struct rdl__cluster_counts {
    struct rdl_case *t;
    uint32_t choice_count;
    uint64_t *calls;    /* of each operation that the test may call */
    uint32_t *followed; /* by each other */
    uint32_t last;      /* 1 + the one that was called last; 0: none was */

    struct {
        const struct rdl__component *component;
        uint32_t number; /* of the interesting states of its spec */
    } states[RDL__STATES_MAX];
    uint32_t state_count;
    uint32_t now;      /* bit i: it is number i */
    uint32_t *visited; /* calls after which it was such */
    uint32_t *from;    /* how often it was entered from each other; the last: from none */
};

/* For a case that counts; others are not counted. */
void rdl__cluster_counts_begin(struct rdl__cluster_counts *counts, struct rdl_case *t,
                               struct rdl__component *const *components, uint32_t component_count,
                               uint32_t choice_count);

/* The test has called this one. */
void rdl__cluster_counts_called(struct rdl__cluster_counts *counts, uint32_t choice);

/* All of it goes to the statistics; `ops` are what the test may call. */
void rdl__cluster_counts_tell(const struct rdl__cluster_counts *counts,
                              const struct rdl_operation *const *ops);

#endif
