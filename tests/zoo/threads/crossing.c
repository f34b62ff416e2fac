/* crossing.c -- both lights look green to one who reads them one by one while they change.
   expect: assertion
   needs: access */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#ifdef FIXED
enum { NORTH = 1, EAST = 2 };

static atomic_uint greens; /* both lights in one word */
#else
static atomic_bool north_is_green, east_is_green;
#endif

static void show(bool north, bool east)
{
#ifdef FIXED
    atomic_store(&greens, (north ? NORTH : 0u) | (east ? EAST : 0u));
#else
    atomic_store(&north_is_green, north);
    atomic_store(&east_is_green, east);
#endif
}

static bool both_are_green(void)
{
#ifdef FIXED
    return atomic_load(&greens) == (NORTH | EAST);
#else
    return atomic_load(&north_is_green) && atomic_load(&east_is_green);
#endif
}

static void *control(void *unused)
{
    (void)unused;
    show(true, false);
    show(false, false);
    show(false, true);
    show(false, false);
    return NULL;
}

static void *watch(void *unused)
{
    (void)unused;
    assert(!both_are_green());
    return NULL;
}

int main(void)
{
    pthread_t controller, watcher;

    pthread_create(&controller, NULL, control, NULL);
    pthread_create(&watcher, NULL, watch, NULL);
    pthread_join(controller, NULL);
    pthread_join(watcher, NULL);
    return 0;
}
