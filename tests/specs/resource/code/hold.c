/* hold.c -- a lock that is taken in one call and given back in another.
 *
 * It aborts if a client is not the same thread in both, or is in two calls at once. */
#include <pthread.h>
#include <stdlib.h>

#include "things.h"

enum { CLIENTS = 8 };

struct hold {
    pthread_mutex_t lock;
    int serial;
    int calls[CLIENTS];
    bool inside[CLIENTS];
};

/* What a thread knows of itself: in which case, who it is, how often it has called. */
static _Thread_local struct {
    int serial, client, calls;
} self;

struct hold *hold_new(void)
{
    static int serial;
    struct hold *h = calloc(1, sizeof *h);
    pthread_mutexattr_t kind;

    pthread_mutexattr_init(&kind);
    pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&h->lock, &kind);
    h->serial = ++serial;
    return h;
}

void hold_free(struct hold *h)
{
    free(h);
}

static void begin(struct hold *h, int client)
{
    if (self.serial != h->serial) {
        self.serial = h->serial;
        self.client = client;
        self.calls = 0;
    }
    if (self.client != client || self.calls != h->calls[client] || h->inside[client])
        abort();
    h->inside[client] = true;
    h->calls[client]++;
    self.calls++;
}

static void end(struct hold *h, int client)
{
    if (!h->inside[client])
        abort();
    h->inside[client] = false;
}

void hold_take(struct hold *h, int client)
{
    begin(h, client);
    if (pthread_mutex_lock(&h->lock) != 0)
        abort();
    end(h, client);
}

void hold_give_back(struct hold *h, int client)
{
    begin(h, client);
    if (pthread_mutex_unlock(&h->lock) != 0)
        abort();
    end(h, client);
}
