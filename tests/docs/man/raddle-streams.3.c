#include <raddle.h>

struct ping {
    int id;
};
RDL_EVENT(ping, struct ping);
RDL_EVENT(pong, struct ping);
static struct rdl_port net = {.name = "net"}, tool = {.name = "tool"};
struct pinger;
struct pinger *pinger_new(void (*send)(int id));
void pinger_start(struct pinger *p), pinger_stop(struct pinger *p);
void send_ping(int id);
void give_pong(void *it, const struct rdl_event *event);
bool is_idle(const struct pinger *p);

/* 1 */

/* 2 */
