/* spec.c -- a circular buffer: it is created once, before all else; nobody pushes onto a full one
 * or pops from an empty one; what comes out is what went in, in that order.
 *
 * After figure 2 and appendix A.4 of Mostowski, Arts and Hughes, "Modelling of Autosar Libraries
 * for Large Scale Testing" (2017).  Each operation is a function of cirq_buffer.h.  `.call` calls
 * it, to test it.  `.mock` is called in its stead while somebody is tested who uses it: it makes
 * of the function's arguments those of the operation, and of the answer what is returned. */
#include "spec.h"

#include <string.h>

#include "cirq_buffer.h"

struct buffer {
    struct sizes sizes; /* 0 before it is created */
    rdl_fifo(struct element, BUFFER_SIZE_MAX) elements;
};

RDL_TYPES(cb, struct buffer, CirqBufferType *);

RDL_PRE(cb, create, s->sizes.size == 0 && a->size > 0);
RDL_POST(cb, create, s->sizes = *a);
RDL_PRE(cb, push, s->elements.count < s->sizes.size);
RDL_POST_RETURNS(cb, push, rdl_fifo_put(&s->elements, *a), *r = 0);
RDL_PRE(cb, pop, s->elements.count > 0);
RDL_POST_RETURNS(cb, pop, r->element = rdl_fifo_get(&s->elements));

/* ---- Arguments ---------------------------------------------------------------------------- */

RDL_ARGS(cb, create, a->size = rdl_uint(t, 1, BUFFER_SIZE_MAX);
         a->data_size = rdl_uint(t, 1, sizeof(struct element)));

/* Otherwise large buffers would not get full. */
RDL_WEIGH(cb, push, s->elements.count < s->sizes.size ? 5 : 0);

/* One number for all of an element, so that it becomes small when elements become smaller. */
static void push_args(struct rdl_case *t, const struct buffer *s, struct element *a)
{
    uint64_t value = rdl_u64(t);

    for (size_t i = 0; i < s->sizes.data_size; i++)
        ((uint8_t *)a)[i] = (uint8_t)(value >> 8 * (i % 8));
}

/* ---- As functions ------------------------------------------------------------------------- */

RDL_DO(cb, create, *o = CirqBuffDynCreate(a->size, a->data_size));

static CirqBufferType *create_mock(size_t size, size_t dataSize)
{
    static CirqBufferType played;
    CirqBufferType *created = &played;

    played = (CirqBufferType){.maxCnt = (int)size, .dataSize = dataSize};
    rdl_mocked(cb, create, &((struct sizes){size, dataSize}),
               created = rdl_real(CirqBuffDynCreate)(size, dataSize));
    return created;
}

RDL_DO_RETURNS(cb, push, *r = CirqBuffPush(*o, (void *)a));

static int push_mock(CirqBufferType *cPtr, void *dataPtr)
{
    struct element a = {{0}};

    memcpy(&a, dataPtr, cPtr->dataSize);
    return rdl_mocked_returns(cb, push, &a, rdl_real(CirqBuffPush)(cPtr, dataPtr));
}

static struct popped pop_by(int (*pop)(CirqBufferType *, void *), CirqBufferType *cPtr)
{
    struct popped r = {0};

    r.status = pop(cPtr, &r.element);
    return r;
}

RDL_DO_RETURNS(cb, pop, *r = pop_by(CirqBuffPop, *o));

static int pop_mock(CirqBufferType *cPtr, void *dataPtr)
{
    struct popped r =
        rdl_mocked_returns(cb, pop, &(struct rdl_nothing){}, pop_by(rdl_real(CirqBuffPop), cPtr));

    memcpy(dataPtr, &r.element, cPtr->dataSize);
    return r.status;
}

/* ---- All of it ---------------------------------------------------------------------------- */

static CirqBufferType **create(struct rdl_case *t, const struct buffer *s)
{
    (void)s;
    return rdl_alloc(t, sizeof(CirqBufferType *));
}

RDL_OP(cb, create, struct sizes, RDL_MOCKS(CirqBuffDynCreate, create_mock), .callers = "mbox",
       .args = cb_create_args, .pre = cb_create_pre, .post = cb_create_post,
       .call = cb_create_call);
RDL_OP_RETURNS(cb, push, struct element, int, RDL_MOCKS(CirqBuffPush, push_mock), .callers = "mbox",
               .weigh = cb_push_weigh, .args = push_args, .pre = cb_push_pre, .post = cb_push_post,
               .call = cb_push_call);
RDL_OP_RETURNS(cb, pop, struct rdl_nothing, struct popped, RDL_MOCKS(CirqBuffPop, pop_mock),
               .callers = "mbox", .pre = cb_pop_pre, .post = cb_pop_post, .call = cb_pop_call);
RDL_SPEC(cb, RDL_OPS(cb, push, pop, create), .create = create);

RDL_DEVIATION(cb, push, "silently holds 128 elements", s->elements.count >= 128, *r = 1);
