/* broken: crash: when the list has become empty, its end still points to the last node.
 *
 * The next item is hung onto that, which is freed, and the list looks empty. */
#include <stdlib.h>
#include <threads.h>

#include "multibuffer.h"

struct node {
    int item;
    struct node *next;
};

struct multibuffer {
    mtx_t lock;
    cnd_t changed;
    int capacity, count;
    struct node *first, *last;
};

multibuffer *multibuffer_create(int capacity)
{
    multibuffer *m = calloc(1, sizeof *m);

    mtx_init(&m->lock, mtx_plain);
    cnd_init(&m->changed);
    m->capacity = capacity;
    return m;
}

static void append(multibuffer *m, int item)
{
    struct node *node = malloc(sizeof *node);

    *node = (struct node){.item = item};
    if (m->last)
        m->last->next = node;
    else
        m->first = node;
    m->last = node;
    m->count++;
}

static int take(multibuffer *m)
{
    struct node *node = m->first;
    int item = node->item;

    m->first = node->next;
    m->count--;
    free(node);
    return item;
}

void multibuffer_put(multibuffer *m, const int *items, int n)
{
    mtx_lock(&m->lock);
    while (m->count + n > m->capacity)
        cnd_wait(&m->changed, &m->lock);
    for (int i = 0; i < n; i++)
        append(m, items[i]);
    cnd_broadcast(&m->changed);
    mtx_unlock(&m->lock);
}

void multibuffer_get(multibuffer *m, int *items, int n)
{
    mtx_lock(&m->lock);
    while (m->count < n)
        cnd_wait(&m->changed, &m->lock);
    for (int i = 0; i < n; i++)
        items[i] = take(m);
    cnd_broadcast(&m->changed);
    mtx_unlock(&m->lock);
}

void multibuffer_destroy(multibuffer *m)
{
    while (m->first)
        take(m);
    cnd_destroy(&m->changed);
    mtx_destroy(&m->lock);
    free(m);
}
