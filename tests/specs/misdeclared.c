/* misdeclared.c -- specs that do not make sense.  $WRONG names the one to be tested: it
 * stops the program. */
#include <raddle.h>
#include <stdlib.h>
#include <string.h>

struct state {
    int n;
};
struct large {
    char bytes[(1 << 20) + 1];
};

static void post(struct state *s, const struct rdl_nothing *a)
{
    (void)a;
    s->n++;
}

static bool judge(struct state *s, const struct rdl_nothing *a)
{
    (void)s, (void)a;
    return true;
}

static bool post_any(struct state *s, const struct rdl_nothing *a, unsigned which)
{
    (void)s, (void)a, (void)which;
    return true;
}

static void call(int *o, const struct rdl_nothing *a)
{
    (void)o, (void)a;
}

static void answer_call(int *o, const struct rdl_nothing *a, int *r)
{
    (void)o, (void)a;
    *r = 1;
}

static int *create(struct rdl_case *t, const struct state *s)
{
    (void)s;
    return rdl_alloc(t, sizeof(int));
}

static bool same(const struct state *a, const struct state *b)
{
    return a->n == b->n;
}

static uint64_t hash(const struct state *s)
{
    return (uint64_t)s->n;
}

RDL_TYPES(of, struct state, int);
RDL_OP(of, fine, struct rdl_nothing, .post = post, .call = call);
RDL_OP(of, uncalled, struct rdl_nothing, .post = post);
RDL_OP(of, both, struct rdl_nothing, .post = post, .judge = judge, .call = call);
RDL_OP(of, choiceless, struct rdl_nothing, .post_any = post_any, .call = call);
RDL_OP(of, chosen, struct rdl_nothing, .post = post, .alternatives = 2, .call = call);
RDL_OP(of, unweighed, struct rdl_nothing, .post = post, .weight = (unsigned)-1, .call = call);
RDL_OP_RETURNS(of, unsaid, struct rdl_nothing, int, .call = answer_call);

#define TYPES(name)                                                                                \
    typedef struct state rdl_state_##name;                                                         \
    typedef int rdl_object_##name;                                                                 \
    typedef struct rdl_nothing rdl_client_##name

TYPES(no_call);
RDL_SPEC(no_call, RDL_OPS(of, uncalled), .create = create);
TYPES(no_create);
RDL_SPEC(no_create, RDL_OPS(of, fine), .create = NULL);
TYPES(twice_the_name);
RDL_OP(twice_the_name, fine, struct rdl_nothing, .post = post, .call = call);
RDL_SPEC(twice_the_name, RDL_OPS(of, fine) RDL_OPS(twice_the_name, fine), .create = create);
TYPES(two_effects);
RDL_SPEC(two_effects, RDL_OPS(of, both), .create = create);
TYPES(no_alternatives);
RDL_SPEC(no_alternatives, RDL_OPS(of, choiceless), .create = create);
TYPES(no_post_any);
RDL_SPEC(no_post_any, RDL_OPS(of, chosen), .create = create);
TYPES(negative_weight);
RDL_SPEC(negative_weight, RDL_OPS(of, unweighed), .create = create);
TYPES(no_effect);
RDL_SPEC(no_effect, RDL_OPS(of, unsaid), .create = create);
TYPES(no_priority);
RDL_SPEC(no_priority, RDL_OPS(of, fine), .create = create, .policy = RDL_PRIORITY);
TYPES(unknown_operation);
RDL_SPEC(unknown_operation, RDL_OPS(of, fine), .create = create,
         .policy = rdl_over(of, fine, coarse));
TYPES(no_hash);
RDL_SPEC(no_hash, RDL_OPS(of, fine), .create = create, .same = same);
TYPES(no_same);
RDL_SPEC(no_same, RDL_OPS(of, fine), .create = create, .hash = hash);

static int *create_large(struct rdl_case *t, const struct large *s)
{
    (void)s;
    return rdl_alloc(t, sizeof(int));
}

RDL_TYPES(too_large, struct large, int);
RDL_OP(too_large, fine, struct rdl_nothing, .call = call);
RDL_SPEC(too_large, RDL_OPS(too_large, fine), .create = create_large);

static bool holds(const struct state *s, const struct rdl_nothing *a, const struct rdl_queue *q)
{
    (void)s, (void)a, (void)q;
    return true;
}

TYPES(precondition_twice);
RDL_OP(precondition_twice, fine, struct rdl_nothing, .call = call,
       .preconditions = {{"S1", holds}, {"S2", holds}, {"S1: again", holds}});
RDL_SPEC(precondition_twice, RDL_OPS(precondition_twice, fine), .create = create);
TYPES(precondition_unnamed);
RDL_OP(precondition_unnamed, fine, struct rdl_nothing, .call = call,
       .preconditions = {{"S1", holds}, {": nothing", holds}});
RDL_SPEC(precondition_unnamed, RDL_OPS(precondition_unnamed, fine), .create = create);
TYPES(precondition_missing);
RDL_OP(precondition_missing, fine, struct rdl_nothing, .call = call,
       .preconditions = {[1] = {"S2", holds}});
RDL_SPEC(precondition_missing, RDL_OPS(precondition_missing, fine), .create = create);
TYPES(precondition_unsaid);
RDL_OP(precondition_unsaid, fine, struct rdl_nothing, .call = call,
       .preconditions = {{"S1", NULL}});
RDL_SPEC(precondition_unsaid, RDL_OPS(precondition_unsaid, fine), .create = create);
TYPES(precondition_long);
RDL_OP(precondition_long, fine, struct rdl_nothing, .call = call,
       .preconditions = {{"the sender is delayed by somebody", holds}});
RDL_SPEC(precondition_long, RDL_OPS(precondition_long, fine), .create = create);

#define SIXTEEN(of)                                                                                \
    {                                                                                              \
        {"1", of}, {"2", of}, {"3", of}, {"4", of}, {"5", of}, {"6", of}, {"7", of}, {"8", of},    \
            {"9", of}, {"10", of}, {"11", of}, {"12", of}, {"13", of}, {"14", of}, {"15", of},     \
            {"16", of},                                                                            \
    }
#define FULL(op)                                                                                   \
    RDL_OP(preconditions_many, op, struct rdl_nothing, .call = call,                               \
           .preconditions = SIXTEEN(holds))
TYPES(preconditions_many);
FULL(a);
FULL(b);
FULL(c);
FULL(d);
RDL_OP(preconditions_many, e, struct rdl_nothing, .call = call, .preconditions = {{"1", holds}});
RDL_SPEC(preconditions_many, RDL_OPS(preconditions_many, a, b, c, d, e), .create = create);

TYPES(backwards);
RDL_OP(backwards, fine, struct rdl_nothing, .call = call);
RDL_SPEC(backwards, RDL_OPS(backwards, fine), .create = create);

static struct rdl_test test = {
    .name = "wrong", .file = __FILE__, .line = __LINE__, .body = rdl__test_model};

static void use(const char *name, const struct rdl_spec *spec)
{
    const char *wanted = getenv("WRONG");

    if (wanted && strcmp(wanted, name) == 0) {
        test.options.spec = spec;
        rdl_register(&test);
    }
}

#define USE(name) use(#name, rdl_spec_##name)

RDL_CLUSTER(one_twice, RDL_SPECS(no_create, no_call, no_create));

static void use_cluster(const char *name, const struct rdl_cluster *cluster)
{
    const char *wanted = getenv("WRONG");

    if (wanted && strcmp(wanted, name) == 0) {
        test.options.cluster = cluster;
        test.body = rdl__test_cluster;
        rdl_register(&test);
    }
}

int main(int argc, char **argv)
{
    USE(no_call);
    USE(no_create);
    USE(twice_the_name);
    USE(two_effects);
    USE(no_alternatives);
    USE(no_post_any);
    USE(negative_weight);
    USE(no_effect);
    USE(no_priority);
    USE(unknown_operation);
    USE(no_hash);
    USE(no_same);
    USE(too_large);
    USE(precondition_twice);
    USE(precondition_unnamed);
    USE(precondition_missing);
    USE(precondition_unsaid);
    USE(precondition_long);
    USE(preconditions_many);
    use_cluster("one_twice", &rdl_cluster_one_twice);
    USE(backwards);
    if (test.options.spec == rdl_spec_backwards) {
        test.options.calls.min = 50;
        test.options.calls.max = 10;
    }
    return rdl_main(argc, argv);
}
