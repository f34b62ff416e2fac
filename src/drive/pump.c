/* pump.c -- threads that take events out of queues. */
#include "base/memory.h"
#include "drive/ports.h"

struct pump {
    struct rdl_port *port;
    enum rdl_direction direction;
    const struct rdl_event_type *type;
    bool (*take)(void *queue, void *out);
    void *queue;
    void *item;
};

static void pump(void *it)
{
    const struct pump *p = it;

    while (p->take(p->queue, p->item))
        rdl_post(p->port, p->direction, p->type, p->item, p->type->size);
}

void rdl__pump(struct rdl_case *t, struct rdl_port *port, enum rdl_direction direction,
               const struct rdl_event_type *type, bool (*take)(void *queue, void *out), void *queue)
{
    struct pump *p = rdl_alloc(t, sizeof *p);

    *p = (struct pump){port, direction, type, take, queue, rdl_alloc(t, type->size + 1)};
    rdl__serve(t, "pump", pump, p);
}
