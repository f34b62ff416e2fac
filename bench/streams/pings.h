/* pings.h -- what the benchmarks of events share: a component that pings, and its spec.
 *
 * A round is four events: a ping comes out, noise goes in, a pong goes in, noise comes out.
 * Those in peers/ know them as letters: p n a d, and b for every second pong. */
#ifndef BENCH_PINGS_H
#define BENCH_PINGS_H

#include <raddle.h>

struct ping {
    int id, kind;
};

RDL_EVENT(ping, struct ping);
RDL_EVENT(pong, struct ping);
RDL_EVENT(noise, struct ping);
RDL_EVENT(alarm, struct ping);

__attribute__((unused)) static struct rdl_port net = {.name = "net"};

enum { ROUND = 4 };

#define RULES                                                                                      \
    rdl_allow(rdl_in(&net, rdl_any(noise))), rdl_drop(rdl_out(&net, rdl_any(noise))),              \
        rdl_disallow(rdl_out(&net, rdl_any(alarm)))

#define PING_PONG                                                                                  \
    rdl_expect(rdl_out(&net, rdl_any(ping))),                                                      \
        rdl_either(rdl_expect(rdl_in(&net, rdl_is(pong, .id = 1))),                                \
                   rdl_expect(rdl_in(&net, rdl_is(pong, .id = 2))))

#define THREE_EACH rdl_sequence(RULES, rdl_star(rdl_repeat(3, PING_PONG)))

#endif
