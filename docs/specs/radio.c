/* radio.c -- messages that may get lost on the way, and the spec of that. */
#include <pthread.h>
#include <raddle.h>

enum { ROOM = 8 };

struct radio {
    pthread_mutex_t lock;
    int messages[ROOM];
    int first, count, sent;
};

/* Every third message gets lost; so does one for which there is no room. */
static void radio_send(struct radio *r, int message)
{
    pthread_mutex_lock(&r->lock);
    if (++r->sent % 3 != 0 && r->count < ROOM)
        r->messages[(r->first + r->count++) % ROOM] = message;
    pthread_mutex_unlock(&r->lock);
}

/* -1: there is none. */
static int radio_receive(struct radio *r)
{
    int message = -1;

    pthread_mutex_lock(&r->lock);
    if (r->count > 0) {
        message = r->messages[r->first];
        r->first = (r->first + 1) % ROOM;
        r->count--;
    }
    pthread_mutex_unlock(&r->lock);
    return message;
}

/* ---- What it should do ------------------------------------------------------------- */

struct air {
    rdl_fifo(int, ROOM) messages;
};

struct message {
    int value;
};

static void send_args(struct rdl_case *t, const struct air *s, struct message *a)
{
    (void)s;
    a->value = (int)rdl_int(t, 0, 9);
}

enum { ARRIVES, GETS_LOST, WAYS };

static bool send_post(struct air *s, const struct message *a, unsigned which)
{
    if (which == GETS_LOST)
        return true;
    if (rdl_is_full(&s->messages))
        return false;
    rdl_fifo_put(&s->messages, a->value);
    return true;
}

static void receive_post(struct air *s, const struct rdl_nothing *a, int *answer)
{
    (void)a;
    *answer = rdl_is_empty(&s->messages) ? -1 : rdl_fifo_get(&s->messages);
}

/* ---- How it is called ----------------------------------------------------------------- */

static void send_call(struct radio *r, const struct message *a)
{
    radio_send(r, a->value);
}

static void receive_call(struct radio *r, const struct rdl_nothing *a, int *answer)
{
    (void)a;
    *answer = radio_receive(r);
}

static struct radio *create(struct rdl_case *t, const struct air *s)
{
    struct radio *r = rdl_new(t, struct radio);

    (void)s;
    pthread_mutex_init(&r->lock, NULL);
    return r;
}

RDL_TYPES(radio, struct air, struct radio);
RDL_OP(radio, send, struct message, .args = send_args, .alternatives = WAYS, .post_any = send_post,
       .call = send_call);
RDL_OP_RETURNS(radio, receive, struct rdl_nothing, int, .post = receive_post, .call = receive_call);
RDL_SPEC(radio, RDL_OPS(radio, send, receive), .create = create);

RDL_TEST_RESOURCE(what_arrives_arrives_in_order, radio, .cases = 1000);

RDL_MAIN
