/* listen.c -- rdl_listen: between a server and its clients. */
#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

#include "drive/address.h"
#include "drive/wire.h"

struct proxy {
    struct rdl__source source; /* first: what clients connect to */
    struct rdl_address server;
    struct rdl__reader *reader;
    struct rdl__wire **wires;
    size_t count, accepted;
};

/* A client has come; it gets a connection to the server of its own. */
static void accept_client(struct rdl__source *source)
{
    struct proxy *proxy = (struct proxy *)source;
    int client = accept4(source->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK), server;
    struct rdl__wire *wire;

    if (client < 0)
        return;
    if (proxy->accepted == proxy->count) {
        close(client);
        rdl__end_post(&proxy->wires[proxy->count - 1]->peer, RDL_ONE_TOO_MANY, 0);
        return;
    }
    wire = proxy->wires[proxy->accepted++];
    rdl__end_open(&wire->peer, client, client);
    server = rdl__address_connect(&proxy->server, rdl__reader_stopping(proxy->reader));
    if (server >= 0)
        rdl__end_open(&wire->component, server, server);
    else
        rdl__end_post(&wire->component, RDL_UNREACHABLE, 0);
}

static void stop_listening(void *it)
{
    struct proxy *proxy = it;

    rdl__reader_stop(proxy->reader);
    close(proxy->source.fd);
    proxy->source.fd = -1;
}

static struct rdl_address choose_address(struct rdl_case *t, const struct rdl_address *server)
{
    struct rdl_address own = {0};

    if (server->path)
        own.path = rdl_format(t, "%s/proxy", rdl_folder(t));
    return own;
}

struct rdl_address rdl__listen(struct rdl_case *t, struct rdl_port *ports, struct rdl_proxy proxy)
{
    struct proxy *it = rdl_alloc(t, sizeof *it);
    struct rdl_address own = choose_address(t, &proxy.server);
    struct rdl__error error;

    if (!proxy.count || (!proxy.server.path && !proxy.server.tcp))
        rdl__misuse(t, "rdl_listen: there are no %s",
                    proxy.count ? "addresses of a .server" : "ports (.count)");
    if (proxy.server.path)
        it->server.path = rdl_format(t, "%s", proxy.server.path);
    it->server.tcp = proxy.server.tcp;
    it->count = proxy.count;
    it->reader = rdl__reader_of(t);
    it->wires = rdl_new_array(t, struct rdl__wire *, proxy.count);
    for (size_t i = 0; i < proxy.count; i++)
        it->wires[i] = rdl__wire_new(t, &ports[i], &proxy.framing, true, "rdl_listen");
    it->source.ready = accept_client;
    it->source.fd = rdl__address_listen(&own, &error);
    if (it->source.fd < 0)
        rdl__misuse(t, "rdl_listen: %s", error.text);
    rdl__defer(t, stop_listening, it);
    rdl__reader_add(it->reader, &it->source);
    return own;
}
