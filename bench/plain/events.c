/* events.c -- the spec of streams/pings.h as a state machine, written by hand.
 *
 * Usage: events EVENTS.  It looks at the same fields of the same structs. */
#include <stdbool.h>
#include <stdlib.h>

#include "../process.h"

enum direction { IN, OUT };
enum type { PING, PONG, NOISE, ALARM };

struct ping {
    int id, kind;
};

struct event {
    const void *port;
    enum direction direction;
    enum type type;
    const struct ping *data;
};

struct machine {
    const void *net;
    bool pinged;
    int rounds; /* of three */
    long forwarded, dropped;
};

/* By a rule, if there is one for it. */
static bool take_other(struct machine *m, const struct event *event)
{
    if (event->type != NOISE)
        return false;
    if (event->direction == IN)
        m->forwarded++;
    else
        m->dropped++;
    return true;
}

__attribute__((noinline)) static bool take(struct machine *m, const struct event *event)
{
    if (event->port != m->net)
        return false;
    if (!m->pinged && event->direction == OUT && event->type == PING) {
        m->pinged = true;
        m->forwarded++;
        return true;
    }
    if (m->pinged && event->direction == IN && event->type == PONG && event->data->kind == 0 &&
        (event->data->id == 1 || event->data->id == 2)) {
        m->pinged = false;
        m->rounds = (m->rounds + 1) % 3;
        m->forwarded++;
        return true;
    }
    return take_other(m, event);
}

int main(int argc, char **argv)
{
    static const struct ping one = {1, 0}, two = {2, 0};
    int net;
    const struct event rounds[] = {{&net, OUT, PING, &one}, {&net, IN, NOISE, &one},
                                   {&net, IN, PONG, &one},  {&net, OUT, NOISE, &one},
                                   {&net, OUT, PING, &two}, {&net, IN, NOISE, &two},
                                   {&net, IN, PONG, &two},  {&net, OUT, NOISE, &two}};
    struct machine machine = {.net = &net};
    long events = argc > 1 ? atol(argv[1]) : 0;
    double before = bench_cpu();

    for (long i = 0; i < events; i++)
        if (!take(&machine, &rounds[i % 8]))
            return 2;
    printf("events=%ld cpu=%.6f forwarded=%ld dropped=%ld\n", events, bench_cpu() - before,
           machine.forwarded, machine.dropped);
    return machine.pinged || machine.rounds != 0;
}
