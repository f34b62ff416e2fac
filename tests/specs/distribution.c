/* distribution.c -- a transfer of thirty chunks, which one wrong call ends: who tests it by
 * chance alone never sees the end of it; who weighs calls by the state does. */
#include <raddle.h>

enum { CHUNKS = 30 };

/* The receiver under test. */
struct receiver {
    int expected; /* 0: no transfer is under way */
    int received; /* whole transfers */
};

static void begin(struct receiver *r)
{
    r->expected = 1;
}

/* Is it the one that was expected?  If not, that is the end of it. */
static bool take(struct receiver *r, int number)
{
    bool right = r->expected > 0 && r->expected == number;

    r->expected = right ? r->expected + 1 : 0;
    if (r->expected > CHUNKS) {
        r->expected = 0;
        r->received++;
    }
    return right;
}

/* ---- The spec, twice: by chance, and with weights ------------------------------------------- */

struct transfer {
    int expected, received;
};

struct chunk {
    int number;
};

static void any_chunk(struct rdl_case *t, const struct transfer *s, struct chunk *a)
{
    (void)s;
    a->number = rdl_int(t, 1, CHUNKS);
}

static void mostly_right_chunk(struct rdl_case *t, const struct transfer *s, struct chunk *a)
{
    bool wrong = rdl_int(t, 0, 99) == 99;

    a->number = s->expected > 0 && !wrong ? s->expected : rdl_int(t, 1, CHUNKS);
}

static unsigned weigh_chunk(const struct transfer *s)
{
    return s->expected > 0 ? 100 : 1;
}

static void begin_post(struct transfer *s, const struct rdl_nothing *a)
{
    (void)a;
    s->expected = 1;
}

static void begin_call(struct receiver *r, const struct rdl_nothing *a)
{
    (void)a;
    begin(r);
}

static void cancel_post(struct transfer *s, const struct rdl_nothing *a)
{
    (void)a;
    s->expected = 0;
}

static void cancel_call(struct receiver *r, const struct rdl_nothing *a)
{
    (void)a;
    r->expected = 0;
}

static void chunk_post(struct transfer *s, const struct chunk *a, bool *r)
{
    *r = s->expected > 0 && s->expected == a->number;
    s->expected = *r ? s->expected + 1 : 0;
    if (s->expected > CHUNKS)
        *s = (struct transfer){0, s->received + 1};
}

static void chunk_call(struct receiver *r, const struct chunk *a, bool *answer)
{
    *answer = take(r, a->number);
}

static struct receiver *create(struct rdl_case *t, const struct transfer *s)
{
    (void)s;
    return rdl_new(t, struct receiver);
}

static bool is_under_way(const struct transfer *s)
{
    return s->expected > 1;
}

static bool is_half_done(const struct transfer *s)
{
    return s->expected == CHUNKS / 2;
}

static bool is_done(const struct transfer *s)
{
    return s->received > 0;
}

#define STATES                                                                                     \
    {                                                                                              \
        {"under way", is_under_way}, {"half done", is_half_done},                                  \
        {                                                                                          \
            "done", is_done                                                                        \
        }                                                                                          \
    }

RDL_TYPES(chance, struct transfer, struct receiver);
RDL_OP(chance, begin, struct rdl_nothing, .post = begin_post, .call = begin_call);
RDL_OP(chance, cancel, struct rdl_nothing, .post = cancel_post, .call = cancel_call);
RDL_OP_RETURNS(chance, chunk, struct chunk, bool, .args = any_chunk, .post = chunk_post,
               .call = chunk_call);
RDL_SPEC(chance, RDL_OPS(chance, begin, cancel, chunk), .create = create, .interesting = STATES);

RDL_TEST_MODEL(a_transfer_by_chance, chance);

RDL_TYPES(weighed, struct transfer, struct receiver);
RDL_OP(weighed, begin, struct rdl_nothing, .post = begin_post, .call = begin_call);
RDL_OP(weighed, cancel, struct rdl_nothing, .post = cancel_post, .call = cancel_call);
RDL_OP_RETURNS(weighed, chunk, struct chunk, bool, .weigh = weigh_chunk, .args = mostly_right_chunk,
               .post = chunk_post, .call = chunk_call);
RDL_SPEC(weighed, RDL_OPS(weighed, begin, cancel, chunk), .create = create, .interesting = STATES);

RDL_TEST_MODEL(a_transfer_with_weights, weighed);
RDL_TEST_MODEL(a_longer_transfer_with_weights, weighed, .calls = {0, 400});
RDL_TEST_RESOURCE(a_transfer_by_phases, weighed, .cases = 300, .phases = 100, .rounds = 1);

RDL_MAIN
