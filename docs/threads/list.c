/* list.c -- a list with a lock; what it gives away may be gone when it is used. */
#include <pthread.h>
#include <stdlib.h>

struct node {
    int value;
    struct node *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct node *first;

static struct node *look_up(void)
{
    struct node *found;

    pthread_mutex_lock(&lock);
    found = first;
    pthread_mutex_unlock(&lock);
    return found;
}

static void *reader(void *unused)
{
    struct node *found = look_up();

    pthread_mutex_lock(&lock);
    if (found)
        found->value++;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t thread;
    struct node *node = calloc(1, sizeof *node);

    first = node;
    pthread_create(&thread, NULL, reader, NULL);
    pthread_mutex_lock(&lock);
    first = NULL;
    free(node);
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    return 0;
}
