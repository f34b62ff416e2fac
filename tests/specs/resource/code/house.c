/* house.c -- two rooms, which are one hall for whom that is not enough; who waits is
 * served by one of several rules. */
#include <pthread.h>
#include <stdlib.h>

#include "things.h"

struct waiter {
    int rooms, urgency;
    bool served;
    struct waiter *next; /* who came later */
};

struct house {
    enum rule rule;
    int free;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct waiter *first;
};

struct house *house_new(enum rule rule)
{
    struct house *h = calloc(1, sizeof *h);

    h->rule = rule;
    h->free = 2;
    return h;
}

void house_free(struct house *h)
{
    free(h);
}

/* Does `other`, who came `earlier` or later, come before w? */
static bool goes_before(const struct house *h, const struct waiter *other, const struct waiter *w,
                        bool earlier)
{
    switch (h->rule) {
    case FIRST:
        return earlier && other->rooms <= h->free;
    case STRICTLY_FIRST:
        return earlier;
    case FIRST_OF_ITS_KIND:
        return earlier && other->rooms == w->rooms;
    case URGENT:
        return other->rooms == w->rooms && other->urgency > w->urgency;
    case HALLS_FIRST:
        return other->rooms > w->rooms;
    case LAST:
        return !earlier;
    default:
        return false;
    }
}

static bool is_next(const struct house *h, const struct waiter *w)
{
    bool earlier = true;

    if (w->rooms > h->free)
        return false;
    for (const struct waiter *other = h->first; other; other = other->next) {
        if (other == w)
            earlier = false;
        else if (goes_before(h, other, w, earlier))
            return false;
    }
    return true;
}

static void serve_all_who_can_be(struct house *h)
{
    for (struct waiter **link = &h->first, *w; (w = *link);) {
        if (!is_next(h, w)) {
            link = &w->next;
            continue;
        }
        *link = w->next;
        h->free -= w->rooms;
        w->served = true;
        link = &h->first; /* who waited for that one */
    }
    pthread_cond_broadcast(&h->changed);
}

static void be_served(struct house *h, struct waiter *self)
{
    struct waiter **last;

    pthread_mutex_lock(&h->lock);
    for (last = &h->first; *last; last = &(*last)->next)
        ;
    *last = self;
    serve_all_who_can_be(h);
    while (!self->served)
        pthread_cond_wait(&h->changed, &h->lock);
    pthread_mutex_unlock(&h->lock);
}

void house_enter(struct house *h, bool hall, int urgency)
{
    be_served(h, &(struct waiter){.rooms = hall ? 2 : 1, .urgency = urgency});
}

/* Where all stand in one line, so does who wants to leave. */
void house_leave(struct house *h, int rooms)
{
    if (h->rule == FIRST) {
        be_served(h, &(struct waiter){.rooms = -rooms});
        return;
    }
    pthread_mutex_lock(&h->lock);
    h->free += rooms;
    serve_all_who_can_be(h);
    pthread_mutex_unlock(&h->lock);
}
