/* reference_too_late.c -- an object is found, dropped by its last holder, and only then referenced.
   expect: assertion
   needs: sync */
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

static struct object {
    int references;
    bool is_gone;
} it = {1, false};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct object *registered = &it; /* this holds a reference, too */

static struct object *get(void)
{
    struct object *found;

    pthread_mutex_lock(&lock);
    found = registered;
#ifndef FIXED
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
#endif
    if (found) {
        assert(!found->is_gone);
        found->references++;
    }
    pthread_mutex_unlock(&lock);
    return found;
}

static void put(struct object *object)
{
    pthread_mutex_lock(&lock);
    if (--object->references == 0)
        object->is_gone = true;
    pthread_mutex_unlock(&lock);
}

static void *use(void *unused)
{
    struct object *object = get();

    (void)unused;
    if (object)
        put(object);
    return NULL;
}

static void *retire(void *unused)
{
    struct object *object;

    (void)unused;
    pthread_mutex_lock(&lock);
    object = registered;
    registered = NULL;
    pthread_mutex_unlock(&lock);
    put(object);
    return NULL;
}

int main(void)
{
    pthread_t user, keeper;

    pthread_create(&user, NULL, use, NULL);
    pthread_create(&keeper, NULL, retire, NULL);
    pthread_join(user, NULL);
    pthread_join(keeper, NULL);
    assert(it.is_gone);
    return 0;
}
