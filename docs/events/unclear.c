/* unclear.c -- a spec in which it cannot be known in time what is to be done. */
#include <raddle.h>

struct request {
    int number;
};

RDL_EVENT(request, struct request);
RDL_EVENT(response, struct request);
static struct rdl_port net = {.name = "net"};

static bool grant(const struct request *request, struct request *out)
{
    out->number = request->number;
    return true;
}

static bool refuse(const struct request *request, struct request *out)
{
    out->number = -request->number;
    return true;
}

#define REQUEST rdl_out(&net, rdl_any(request))

RDL_EXPLORE(it_asks_once_or_twice)
{
    rdl_connect(t, &net);
    rdl_stream(t, rdl_either(rdl_answer(REQUEST, request, grant, &net, response),
                             rdl_sequence(rdl_answer(REQUEST, request, refuse, &net, response),
                                          rdl_answer(REQUEST, request, grant, &net, response))));
}

RDL_MAIN
