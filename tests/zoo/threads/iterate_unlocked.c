/* iterate_unlocked.c -- between two steps of a walk its node is recycled, and it strays.
   expect: assertion
   needs: sync */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

struct node {
    struct node *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct node nodes[3] = {{&nodes[1]}, {&nodes[2]}, {NULL}};
static struct node *list = nodes, *recycled;

static void *walk(void *unused)
{
    const struct node *last = NULL;

    (void)unused;
    pthread_mutex_lock(&lock);
    for (const struct node *node = list; node; node = node->next) {
        last = node;
#ifndef FIXED
        pthread_mutex_unlock(&lock); /* "so that others get their turn" */
        pthread_mutex_lock(&lock);
#endif
    }
    pthread_mutex_unlock(&lock);
    assert(last == &nodes[2]);
    return NULL;
}

static void *remove_second(void *unused)
{
    struct node *second;

    (void)unused;
    pthread_mutex_lock(&lock);
    second = list->next;
    list->next = second->next;
    second->next = recycled;
    recycled = second;
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t walker, remover;

    pthread_create(&walker, NULL, walk, NULL);
    pthread_create(&remover, NULL, remove_second, NULL);
    pthread_join(walker, NULL);
    pthread_join(remover, NULL);
    return 0;
}
