/* log.c -- what a service that watches a peer does, for logs of it:
 *
 *     cc -g -shared -fPIC -o log.so log.c && raddle match log.so log.jsonl
 *
 * Each line of such a log is an event: its port, its direction, its type, what it carries (zero
 * where that is left out), and, if there is to be talk of time, when it was, in seconds:
 *
 *     {"port":"net","dir":"out","type":"ping","data":{"id":1},"time":12.6}
 *
 * It says hello, then pings its peer, each time with another number, and expects a pong with
 * the same number within a second.  If there is none, it raises an alarm and gives up. */
#include <raddle/events.h>

enum level { CALM, URGENT };

struct hello {
    char name[16];
};

struct ping {
    uint32_t id;
};

struct alarm {
    enum level level;
    uint32_t missed;
};

RDL_EVENT(hello, struct hello);
RDL_EVENT(ping, struct ping);
RDL_EVENT(pong, struct ping);
RDL_EVENT(alarm, struct alarm);
RDL_EVENT(note, struct hello);
RDL_SLOT(uint32_t, the_id);

static struct rdl_port net = {.name = "net"}, user = {.name = "user"};

RDL_STREAM_SPEC(
    watch,
    rdl_sequence(rdl_allow(rdl_out(&user, rdl_any(note))),
                 rdl_expect(rdl_out(&net, rdl_any(hello))),
                 rdl_star(rdl_expect(rdl_out(&net, rdl_bind(ping, id, the_id))),
                          rdl_within(1000, rdl_expect(rdl_in(&net, rdl_bound(pong, id, the_id))))),
                 rdl_optional(rdl_expect(rdl_out(&net, rdl_bind(ping, id, the_id))),
                              rdl_expect(rdl_out(&user, rdl_field(alarm, level, URGENT))))));
