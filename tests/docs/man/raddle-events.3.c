#include <raddle.h>

struct ping {
    int id;
};
struct alarm {
    int level;
};
RDL_EVENT(hello, struct ping);
RDL_EVENT(ping, struct ping);
RDL_EVENT(pong, struct ping);
RDL_EVENT(alarm, struct alarm);
RDL_SLOT(int, the_id);
static struct rdl_port net = {.name = "net"};
#define first         rdl_out(&net, rdl_is(ping, .id = 1))
#define first_answer  rdl_in(&net, rdl_is(pong, .id = 1))
#define first_ok      rdl_out(&net, rdl_is(hello, .id = 1))
#define second        rdl_out(&net, rdl_is(ping, .id = 2))
#define second_answer rdl_in(&net, rdl_is(pong, .id = 2))
#define second_ok     rdl_out(&net, rdl_is(hello, .id = 2))

RDL_PROPERTY(streams)
{
    rdl_stream(t, /* 1 */);
    rdl_stream(t, /* 2 */);
}
