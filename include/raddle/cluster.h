/* raddle/cluster.h -- components that belong together: do their specs agree, and their code?
 *
 *     RDL_CLUSTER(messages, RDL_SPECS(mbox, cb));
 *
 *     RDL_TEST_CLUSTER(the_specs_agree, messages);
 *     RDL_TEST_CLUSTER(the_box_with_a_buffer_that_plays, messages, .real = "mbox");
 *     RDL_TEST_CLUSTER(all_together, messages, .real = "all");
 *
 * Each component has a spec, with the call-outs of its operations (raddle/callouts.h), the
 * functions that they are (.mocks) and, where not anybody may call them, .callers.
 *
 * The first test runs no code at all.  It makes up calls of all operations that the test may make,
 * of any component, and has the specs perform what they say follows: whenever an operation may be
 * called, each operation that it calls out to must be ready for that (.pre), allow the caller, and
 * answer what the call-outs say it answers.  Where these leave something open (rdl_either,
 * rdl_optional, ...), all of it is tried, by chance.  The shortest disagreement is shown: what is
 * found is shrunk, and then states are visited breadth first, by calls like those that were found.
 *
 * What components call of specs that are not of the cluster is answered as their call-outs say;
 * where code is real, .mocked = RDL_SPECS(clock) names these specs.
 *
 * .real names a component whose code is tested, while specs play the others; also when these call
 * the real one.  With "all" everything is real, and each call between components is looked at,
 * from both sides: is it one of the caller's call-outs, and in order for the callee, and is the
 * answer what both specs say? */
#ifndef RADDLE_CLUSTER_H
#define RADDLE_CLUSTER_H

#include <raddle/callouts.h>
#include <raddle/test.h>

#ifdef RDL__OF_THE_SYSTEM
#pragma GCC system_header
#endif

struct rdl_cluster {
    const char *name;
    const char *file;
    int line;
    const char *const *specs; /* the names of its components; NULL ends them */
};

/* RDL_CLUSTER(name, RDL_SPECS(spec, ...));  at most 32. */
#define RDL_CLUSTER(cluster, ...)                                                                  \
    RDL__GLOBAL const struct rdl_cluster rdl_cluster_##cluster = {                                 \
        .name = #cluster, .file = __FILE__, .line = __LINE__, .specs = __VA_ARGS__}

/* A cluster of another file. */
#define RDL_EXTERN_CLUSTER(cluster) extern const struct rdl_cluster rdl_cluster_##cluster

/* RDL_TEST_CLUSTER(name, cluster, .option = value, ...);  .calls says how many calls the test
 * makes in a case; {0, 100}. */
#define RDL_TEST_CLUSTER(test_name, cluster_, ...)                                                 \
    RDL__TEST(test_name, rdl__test_cluster, it->cluster = &rdl_cluster_##cluster_, __VA_ARGS__)    \
    RDL__END_OF_MACRO

RDL_API void rdl__test_cluster(struct rdl_case *t);

/* ---- Deviations ------------------------------------------------------------------------------ */

/* How a component may differ from its spec, where that plays (.stand_ins, RDL_TEST_CLUSTER):
 *
 *     RDL_DEVIATION(cb, push, "only 128 elements fit", s->elements.count >= 128, *r = 1);
 *
 * When the condition holds, of the state s and the arguments a, the statement is executed instead
 * of .post; it may change s, and set the answer *r, which is zero otherwise.
 *
 * Several with the same text belong together, and are in force together, be they of one operation,
 * where the first goes before the others, of several, or of several specs:
 *
 *     RDL_DEVIATION(cb, push, "counts in pairs", true, s->count += 2);
 *     RDL_DEVIATION(cb, pop, "counts in pairs", true, s->count -= 2);
 *
 * Deviations are in force one text at a time, and only when asked for: by --deviation, or for a
 * test by .deviation = "only 128 elements fit".  That test passes as long as the deviation is
 * tolerated; with .expect_failure = true, as long as it is not.
 *
 * `raddle deviations PROGRAM` finds out which of them the component under test tolerates, in how
 * many cases they took effect, and the smallest case in which one is not tolerated:
 * raddle-deviations(1). */
#define RDL_DEVIATION(spec, op, text, condition, ...)                                              \
    RDL__DEVIATION(RDL__JOIN(rdl__deviation_, __COUNTER__), spec, op, text, condition, __VA_ARGS__)
#define RDL__DEVIATION(id, spec, op, text_, condition, ...)                                        \
    static bool RDL__JOIN(id, _holds)(const rdl_state_##spec *s __attribute__((unused)),           \
                                      const rdl_data_##spec##_##op *a __attribute__((unused)))     \
    {                                                                                              \
        return (condition);                                                                        \
    }                                                                                              \
    static void RDL__JOIN(id, _effect)(rdl_state_##spec * s __attribute__((unused)),               \
                                       const rdl_data_##spec##_##op *a __attribute__((unused)),    \
                                       rdl_answer_##spec##_##op *r __attribute__((unused)))        \
    {                                                                                              \
        __VA_ARGS__;                                                                               \
    }                                                                                              \
    static struct rdl_deviation id RDL__KEPT_SECTION = {                                           \
        .text = (text_),                                                                           \
        .file = __FILE__,                                                                          \
        .line = __LINE__,                                                                          \
        .operation = &rdl_op_##spec##_##op,                                                        \
        .holds = (bool (*)(const void *, const void *))RDL__JOIN(id, _holds),                      \
        .effect = (void (*)(void *, const void *, void *))RDL__JOIN(id, _effect),                  \
        .next = NULL};                                                                             \
    RDL__BEFORE_MAIN(RDL__JOIN(id, _register))                                                     \
    {                                                                                              \
        rdl__register_deviation(&id);                                                              \
    }                                                                                              \
    RDL__END_OF_MACRO

struct rdl_deviation {
    const char *text, *file;
    int line;
    const void *operation;
    bool (*holds)(const void *s, const void *a);
    void (*effect)(void *s, const void *a, void *r);
    struct rdl_deviation *next;
};
RDL_API void rdl__register_deviation(struct rdl_deviation *deviation);

#endif
