/* spec.c -- a message box: it is created once, before all else; nobody posts to a full one or
 * fetches from an empty one; messages are fetched in the order in which they were posted.
 *
 * After figures 4 and 6 and appendix A.8 of Mostowski, Arts and Hughes, "Modelling of Autosar
 * Libraries for Large Scale Testing" (2017).  What sets it apart from the spec of the buffer are
 * its call-outs: each operation calls just one function of the circular buffer, with just these
 * arguments, which answers just that.  How the answer comes about is the buffer's affair: in tests
 * of the box alone it is what is said here, elsewhere that of the buffer's spec, or of a buffer.
 *
 * Messages are posted five times as often as they are fetched, and boxes may be large, so that
 * large boxes get full. */
#include "spec.h"

#include "../buffer/spec.h"
#include "mbox.h"

struct mbox {
    size_t size; /* 0 before it is created */
    rdl_fifo(uint64_t, MBOX_SIZE_MAX) messages;
};

RDL_TYPES(mbox, struct mbox, Arc_MBoxType *);

RDL_WEIGH(mbox, create, s->size == 0);
RDL_PRE(mbox, create, s->size == 0 && a->size > 0);
RDL_POST(mbox, create, s->size = a->size);
RDL_CALLOUTS(mbox, create, rdl_call(cb, create, a->size, sizeof(void *)));

RDL_WEIGH(mbox, post, s->messages.count < s->size ? 5 : 0);
RDL_PRE(mbox, post, s->messages.count < s->size);
RDL_POST_RETURNS(mbox, post, rdl_fifo_put(&s->messages, a->value), *r = 0);
RDL_CALLOUTS(mbox, post, rdl_call_returns(cb, push, 0, .words = {a->value}));

RDL_WEIGH(mbox, fetch, s->messages.count > 0);
RDL_PRE(mbox, fetch, s->messages.count > 0);
RDL_POST_RETURNS(mbox, fetch, r->value = rdl_fifo_get(&s->messages));
RDL_CALLOUTS(mbox, fetch,
             rdl_call_returns(cb, pop, {.element.words = {rdl_fifo_peek(&s->messages)}}));

/* ---- Arguments ---------------------------------------------------------------------------- */

RDL_ARGS(mbox, create, a->size = 1 + (size_t)rdl_pick(t, MBOX_SIZE_MAX));

RDL_ARGS(mbox, post, a->value = rdl_u64(t));

/* ---- As functions ------------------------------------------------------------------------- */

RDL_DO(mbox, create, *o = Arc_MBoxCreate(a->size));

RDL_DO_RETURNS(mbox, post, void *message = (void *)a->value; *r = Arc_MBoxPost(*o, &message));

RDL_DO_RETURNS(mbox, fetch, r->status = Arc_MBoxFetch(*o, &r->value));

/* ---- All of it ---------------------------------------------------------------------------- */

static Arc_MBoxType **create(struct rdl_case *t, const struct mbox *s)
{
    (void)s;
    return rdl_alloc(t, sizeof(Arc_MBoxType *));
}

RDL_OP(mbox, create, struct box_size, .callers = "test", .weigh = mbox_create_weigh,
       .args = mbox_create_args, .pre = mbox_create_pre, .post = mbox_create_post,
       .callouts = mbox_create_callouts, .call = mbox_create_call);
RDL_OP_RETURNS(mbox, post, struct message, int, .callers = "test", .weigh = mbox_post_weigh,
               .args = mbox_post_args, .pre = mbox_post_pre, .post = mbox_post_post,
               .callouts = mbox_post_callouts, .call = mbox_post_call);
RDL_OP_RETURNS(mbox, fetch, struct rdl_nothing, struct fetched, .callers = "test",
               .weigh = mbox_fetch_weigh, .pre = mbox_fetch_pre, .post = mbox_fetch_post,
               .callouts = mbox_fetch_callouts, .call = mbox_fetch_call);

/* What is first is the simplest: a case that fails becomes one of as many of these as it can. */
RDL_SPEC(mbox, RDL_OPS(mbox, post, fetch, create), .create = create);
