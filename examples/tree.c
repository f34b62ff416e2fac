/* tree.c -- an ordered tree: recursive data, calls in sequence, and what was tested.
 *
 * Trees are made up in three ways here: drawn whole, to be had in any shape; by
 * calls of insert and remove, as a user would make them; and by calls of insert
 * that are aimed at the worst.  Labels tell what the cases were like, and
 * rdl_cover sees to it that the rare ones are not missed. */
#include <raddle.h>

/* Compile with -DPLANTED=false to be told of the bugs as if nobody knew of them. */
#ifndef PLANTED
#define PLANTED true
#endif

/* ---- The code under test ------------------------------------------------------- */

struct tree {
    int key;
    struct tree *left, *right;
};

/* The place of a key, or where it would have its place. */
static struct tree **find(struct tree **root, int key)
{
    while (*root && (*root)->key != key)
        root = key < (*root)->key ? &(*root)->left : &(*root)->right;
    return root;
}

/* The node is yours; it is not used if its key is there already. */
static void tree_insert(struct tree **root, struct tree *node)
{
    struct tree **place = find(root, node->key);

    if (!*place)
        *place = node;
}

/* Take the first node out of a tree that has one. */
static struct tree *take_first(struct tree **root)
{
    struct tree *first;

    while ((*root)->left)
        root = &(*root)->left;
    first = *root;
    *root = first->right;
    return first;
}

/* The same, but what hung to the right of it is lost. */
static struct tree *take_first_broken(struct tree **root)
{
    struct tree *first;

    while ((*root)->left)
        root = &(*root)->left;
    first = *root;
    *root = NULL;
    return first;
}

typedef struct tree *take_function(struct tree **root);

/* Where the node has two children, the next larger one takes its place. */
static void tree_remove(struct tree **root, int key, take_function *take)
{
    struct tree **place = find(root, key), *old = *place, *next;

    if (!old)
        return;
    if (!old->left || !old->right) {
        *place = old->left ? old->left : old->right;
        return;
    }
    next = take(&old->right);
    next->left = old->left;
    next->right = old->right;
    *place = next;
}

static int tree_depth(const struct tree *tree)
{
    int left, right;

    if (!tree)
        return 0;
    left = tree_depth(tree->left);
    right = tree_depth(tree->right);
    return 1 + (left > right ? left : right);
}

/* ---- Looking at trees ------------------------------------------------------------ */

/* Check that all keys lie between min and max, and in order; count them. */
static int look(const struct tree *tree, int min, int max)
{
    if (!tree)
        return 0;
    rdl_check_ge(tree->key, min);
    rdl_check_le(tree->key, max);
    return 1 + look(tree->left, min, tree->key - 1) + look(tree->right, tree->key + 1, max);
}

/* "((0)1(2))" */
static const char *text_of(struct rdl_case *t, const struct tree *tree)
{
    if (!tree)
        return "";
    return rdl_format(t, "(%s%d%s)", text_of(t, tree->left), tree->key, text_of(t, tree->right));
}

static int children(const struct tree *tree)
{
    return (tree->left != NULL) + (tree->right != NULL);
}

/* ---- Trees of any shape ------------------------------------------------------------ */

/* A tree whose keys are 0, 1, 2 and so on from left to right.  rdl_grow says
 * whether one of the two children is there, and sees to it that there is an end. */
static struct tree *any_tree(struct rdl_case *t, int *keys)
{
    RDL_SPAN(t, "tree");
    struct tree *tree = rdl_new(t, struct tree);

    if (rdl_grow(t, 2))
        tree->left = any_tree(t, keys);
    tree->key = (*keys)++;
    if (rdl_grow(t, 2))
        tree->right = any_tree(t, keys);
    return tree;
}

static void removing_the_root(struct rdl_case *t, take_function *take)
{
    int keys = 0;
    struct tree *root = any_tree(t, &keys);
    int key = root->key;

    rdl_label(t, "children: %d", children(root));
    rdl_measure(t, tree_depth(root), "depth");
    rdl_note("before: %s", text_of(t, root));
    tree_remove(&root, key, take);
    rdl_note("after:  %s", text_of(t, root));
    rdl_check_eq(look(root, 0, keys - 1), keys - 1);
    rdl_check(*find(&root, key) == NULL);
}

RDL_PROPERTY(removing_the_root_keeps_all_others)
{
    removing_the_root(t, take_first);
}

RDL_PROPERTY(removing_the_root_broken_keeps_all_others, .expect_failure = PLANTED)
{
    removing_the_root(t, take_first_broken);
}

/* ---- Calls in sequence --------------------------------------------------------------- */

/* With many keys hardly any call would be about a key that is there. */
#ifndef KEYS
#define KEYS 12
#endif

RDL_PROPERTY(a_tree_behaves_like_a_set)
{
    struct tree *root = NULL;
    bool *set = rdl_new_array(t, bool, KEYS);
    int most_children = 0, count = 0;
    struct rdl_list calls = rdl_list(t, .length = {0, 40});

    while (rdl_more(&calls)) {
        int key = (int)rdl_int(t, 0, KEYS - 1);
        bool removing = rdl_bool(t);
        struct tree *there = *find(&root, key);

        rdl_check_eq(there != NULL, set[key]);
        if (removing && there && children(there) > most_children)
            most_children = children(there);
        if (removing) {
            tree_remove(&root, key, take_first);
        } else {
            struct tree *node = rdl_new(t, struct tree);

            node->key = key;
            tree_insert(&root, node);
        }
        count += !removing - set[key];
        set[key] = !removing;
        rdl_check_eq(look(root, 0, KEYS - 1), count);
    }
    rdl_cover(t, 20, most_children == 2, "removed a node with two children");
}

/* ---- The worst case ------------------------------------------------------------------ */

/* Nothing here keeps a tree balanced.  Chance alone will not show it: sorted
 * keys are one order among billions.  Told that depth is what we are after,
 * Raddle works its way there. */
RDL_PROPERTY(fifteen_keys_are_at_most_ten_deep, .cases = 5000, .expect_failure = PLANTED)
{
    size_t n;
    int *keys = rdl_ints(t, &n, .length = {15, 15}, .range = {0, 99});
    struct tree *root = NULL;

    for (size_t i = 0; i < n; i++) {
        struct tree *node = rdl_new(t, struct tree);

        node->key = keys[i];
        tree_insert(&root, node);
    }
    rdl_maximise(t, tree_depth(root), "depth");
    rdl_check_le(tree_depth(root), 10);
}

RDL_MAIN
