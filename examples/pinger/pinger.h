/* pinger.h -- a failure detector: it pings a peer, and says when it thinks that it is gone.
 *
 * A ping that is not answered in time is a miss.  After three of them in a row the peer is
 * suspected; when it answers after all, it is restored, and given twice the time from then on. */
#ifndef PINGER_H
#define PINGER_H

enum { PINGER_MISSES = 3 };

struct pinger_hooks {
    void (*ping)(int id);
    void (*suspect)(void);
    void (*restore)(void);
};

struct pinger;

struct pinger *pinger_new(const struct pinger_hooks *hooks, int interval_ms);
void pinger_start(struct pinger *p);
void pinger_on_pong(struct pinger *p, int id);
void pinger_stop(struct pinger *p); /* and free it */

int pinger_interval_ms(const struct pinger *p);

#endif
