cat >tests.c <<'END'
#include <raddle.h>

struct thing { int thing; };
struct stored { int count; };

RDL_TYPES(store, struct stored, void);
RDL_EXTERN_OP_RETURNS(store, put, struct thing, int);
RDL_POST_RETURNS(store, put, s->count++; *r = 0);
RDL_OP_RETURNS(store, put, struct thing, int, .post = store_put_post, .callers = "queue");
RDL_EXTERN_OP_RETURNS(store, size, struct rdl_nothing, int);
RDL_POST_RETURNS(store, size, *r = s->count);
RDL_OP_RETURNS(store, size, struct rdl_nothing, int, .post = store_size_post, .callers = "queue");
RDL_SPEC(store, RDL_OPS(store, put, size));

RDL_DEVIATION(store, put, "only three fit", s->count >= 3, *r = 1);
RDL_DEVIATION(store, put, "breaks at a thousand", s->count >= 1000, *r = 1);
RDL_DEVIATION(store, put, "counts in pairs", true, s->count += 2);
RDL_DEVIATION(store, size, "counts in pairs", true, *r = s->count / 2);

RDL_TYPES(queue, struct stored, struct thing);
RDL_EXTERN_OP_RETURNS(queue, put, struct thing, int);
RDL_POST_RETURNS(queue, put, s->count++; *r = 0);
RDL_DO_RETURNS(queue, put, *r = rdl_mocked_returns(store, put, a, 0); (void)o);
RDL_OP_RETURNS(queue, put, struct thing, int, .post = queue_put_post, .call = queue_put_call);
RDL_EXTERN_OP_RETURNS(queue, size, struct rdl_nothing, int);
RDL_POST_RETURNS(queue, size, *r = s->count);
RDL_DO_RETURNS(queue, size, *r = rdl_mocked_returns(store, size, a, 0); (void)o);
RDL_OP_RETURNS(queue, size, struct rdl_nothing, int, .post = queue_size_post,
               .call = queue_size_call);

static struct thing *create(struct rdl_case *t, const struct stored *s)
{
    (void)s;
    return rdl_new(t, struct thing);
}

RDL_SPEC(queue, RDL_OPS(queue, put, size), .create = create);
RDL_TEST_MODEL(a_queue, queue, .stand_ins = RDL_SPECS(store));
RDL_MAIN
END
cc -o tests tests.c $(pkg-config --cflags --libs raddle)
