/* tree.h -- every run of a test, as paths through one tree of choices.
 *
 * A deterministic test asks the same question after the same answers.  So the
 * tree can tell what a feed would do, as far as its path has been walked
 * before, without running anything: not only the very same feed, but also one
 * that differs only where nobody looks.
 *
 * Invariant: a node is an end, a question, or not yet known; its children are
 *            found by (node, index). */
#ifndef RDL__TREE_H
#define RDL__TREE_H

#include "choice/tape.h"

struct rdl__node;
struct rdl__edge;

struct rdl__tree {
    struct rdl__node *nodes;
    uint32_t count, room;
    struct rdl__edge *edges; /* a hash table */
    uint32_t edge_count, edge_room;
};

void rdl__tree_release(struct rdl__tree *tree);

/* Remember a run that made these choices. */
void rdl__tree_add(struct rdl__tree *tree, const struct rdl__choice *choices, uint32_t count);

/* Would this feed repeat a run that the tree has seen?  If so, out_count is the
 * number of choices that run made. */
bool rdl__tree_knows(const struct rdl__tree *tree, const struct rdl__feed *feed,
                     uint32_t *out_count);

#endif
