/* door.c -- a door that visitors wait at, and the test clock. */
#include <pthread.h>
#include <raddle.h>

struct door {
    pthread_mutex_t lock;
    pthread_cond_t opened;
    bool is_open;
    int inside;
};

static struct door door;
static struct rdl_case *the_case;

/* ---- The code under test ------------------------------------------------------------------- */

static void enter(struct door *d)
{
    pthread_mutex_lock(&d->lock);
    while (!d->is_open)
        pthread_cond_wait(&d->opened, &d->lock);
    d->inside++;
    pthread_mutex_unlock(&d->lock);
}

static void open_door(struct door *d)
{
    pthread_mutex_lock(&d->lock);
    d->is_open = true;
    pthread_cond_signal(&d->opened);
    pthread_mutex_unlock(&d->lock);
}

/* ---- By the clock -------------------------------------------------------------------------- */

static void come_at(void *it)
{
    rdl_await(the_case, *(int *)it);
    enter(&door);
}

RDL_SCHEDULE(all_who_wait_come_in, .free_threads = true)
{
    struct rdl_thread *ann, *bob;

    the_case = t;
    door = (struct door){.lock = PTHREAD_MUTEX_INITIALIZER, .opened = PTHREAD_COND_INITIALIZER};
    ann = rdl_spawn(t, "ann", come_at, &(int){1});
    bob = rdl_spawn(t, "bob", come_at, &(int){2});
    rdl_await(t, 3); /* both wait */
    rdl_check_eq(door.inside, 0);
    open_door(&door);
    rdl_await(t, 4); /* who comes in is in */
    rdl_check_eq(door.inside, 2);
    rdl_join(ann);
    rdl_join(bob);
}

RDL_MAIN
