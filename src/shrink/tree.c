/* tree.c -- every run of a test, as paths through one tree of choices. */
#include "shrink/tree.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/memory.h"

/* When so much is remembered, nothing more is: long tapes would fill memory,
 * and forgetting costs only a run that was not needed. */
enum { NODES_MAX = 1 << 23, EDGES_AT_FIRST = 1 << 10 };

enum state { UNKNOWN, QUESTION, END };

struct rdl__node {
    uint64_t max;
    uint16_t depth, low;
    uint8_t state;
};

struct rdl__edge {
    uint64_t index;
    uint32_t from, to; /* to is 0 in an empty place: nothing leads to the root */
};

void rdl__tree_release(struct rdl__tree *tree)
{
    free(tree->nodes);
    free(tree->edges);
    *tree = (struct rdl__tree){0};
}

static struct rdl__edge *place_of(const struct rdl__tree *tree, uint32_t from, uint64_t index)
{
    uint64_t at = rdl__combine(index, from) & (tree->edge_room - 1);

    while (tree->edges[at].to && (tree->edges[at].from != from || tree->edges[at].index != index))
        at = (at + 1) & (tree->edge_room - 1);
    return &tree->edges[at];
}

static void make_room_for_edges(struct rdl__tree *tree)
{
    struct rdl__edge *old = tree->edges;
    uint32_t old_room = tree->edge_room;

    if (tree->edge_count * 2 < tree->edge_room)
        return;
    tree->edge_room = old_room ? old_room * 2 : EDGES_AT_FIRST;
    tree->edges = rdl__allocate(tree->edge_room * sizeof *tree->edges);
    for (uint32_t i = 0; i < old_room; i++)
        if (old[i].to)
            *place_of(tree, old[i].from, old[i].index) = old[i];
    free(old);
}

static uint32_t new_node(struct rdl__tree *tree)
{
    if (tree->count == tree->room) {
        tree->room = tree->room ? tree->room * 2 : 1024;
        tree->nodes = rdl__reallocate(tree->nodes, tree->room * sizeof *tree->nodes);
    }
    tree->nodes[tree->count] = (struct rdl__node){.state = UNKNOWN};
    return tree->count++;
}

static uint32_t child_of(struct rdl__tree *tree, uint32_t from, uint64_t index)
{
    struct rdl__edge *edge;

    make_room_for_edges(tree);
    edge = place_of(tree, from, index);
    if (!edge->to) {
        *edge = (struct rdl__edge){.index = index, .from = from, .to = new_node(tree)};
        tree->edge_count++;
    }
    return edge->to;
}

void rdl__tree_add(struct rdl__tree *tree, const struct rdl__choice *choices, uint32_t count)
{
    uint32_t node = 0;

    if (tree->count + count + 1 > NODES_MAX)
        return;
    if (tree->count == 0)
        new_node(tree); /* the root */
    for (uint32_t i = 0; i < count; i++) {
        tree->nodes[node].max = choices[i].max;
        tree->nodes[node].depth = choices[i].depth;
        tree->nodes[node].low = choices[i].low;
        tree->nodes[node].state = QUESTION;
        node = child_of(tree, node, choices[i].index);
    }
    if (tree->nodes[node].state == UNKNOWN)
        tree->nodes[node].state = END;
}

bool rdl__tree_knows(const struct rdl__tree *tree, const struct rdl__feed *feed,
                     uint32_t *out_count)
{
    struct rdl__cursor cursor = {.feed = *feed};
    uint32_t at = 0, count = 0;

    if (tree->count == 0)
        return false;
    while (tree->nodes[at].state == QUESTION) {
        const struct rdl__node *node = &tree->nodes[at];
        uint64_t index;

        if (!rdl__cursor_next(&cursor, node->depth, node->low, node->max, &index))
            index = 0;
        at = place_of(tree, at, index)->to;
        if (at == 0)
            return false;
        count++;
    }
    *out_count = count;
    return tree->nodes[at].state == END;
}
