/* raddle/case.h -- the case at hand: its memory, what it says of itself, and
 * whether it counts.
 *
 * Functions that take `t` are called from the body of a test, or what it calls,
 * on the thread that runs the body. */
#ifndef RADDLE_CASE_H
#define RADDLE_CASE_H

#include <raddle/base.h>

/* Memory that lives until the case ends.  Never NULL; rdl_alloc zeroes it. */
RDL_API void *rdl_alloc(struct rdl_case *t, size_t size);
RDL_API void *rdl_copy(struct rdl_case *t, const void *from, size_t size);
RDL_API char *rdl_format(struct rdl_case *t, const char *format, ...) RDL__PRINTF(2, 3);
#define rdl_new(t, type)              ((type *)rdl_alloc((t), sizeof(type)))
#define rdl_new_array(t, type, count) ((type *)rdl_alloc_array((t), (count), sizeof(type)))
RDL_API void *rdl_alloc_array(struct rdl_case *t, size_t count, size_t size);

/* Call undo(it) when the case ends, however it ends short of a crash.  Last
 * registered, first called, before the fixture is torn down.  Where threads are controlled they
 * are, still, so that undo can stop and join them; if the case has failed they are gone, and
 * joining them does nothing. */
RDL_API void rdl_defer(struct rdl_case *t, void (*undo)(void *it), void *it);

/* What the fixture's setup returned; NULL without a fixture. */
RDL_API void *rdl_fixture(struct rdl_case *t);

/* How large random data is meant to be, 1 to 100: small in the first cases of a
 * run, 100 in most.  Generators follow it by themselves. */
RDL_API int rdl_size(struct rdl_case *t);

/* This case does not count: what was drawn does not fit what the property is
 * about.  Drawing the right thing in the first place is better: a run that
 * discards nearly everything is reported. */
RDL_API RDL__NORETURN void rdl_discard(struct rdl_case *t);
#define rdl_assume(t, condition)                                                                   \
    do {                                                                                           \
        if (!(condition))                                                                          \
            rdl_discard(t);                                                                        \
    } while (0)

/* The test cannot run here (no such device, no permission): it is reported as
 * skipped, for this reason, and no further case of it is tried. */
RDL_API RDL__NORETURN void rdl_skip(struct rdl_case *t, const char *format, ...) RDL__PRINTF(2, 3);

/* ---- What was tested, over the whole run ---------------------------------- */

/* Count the cases that carry this label; a case counts once.  The report shows
 * each label's share.  Labels are copied; at most 63 bytes are kept. */
RDL_API void rdl_label(struct rdl_case *t, const char *format, ...) RDL__PRINTF(2, 3);

/* Count the cases in which condition holds, and show their share. */
#define rdl_classify(t, condition, name) rdl__classify((t), (condition), (name))
RDL_API void rdl__classify(struct rdl_case *t, bool condition, const char *name);

/* As rdl_classify, and fail the run if the share is surely below percent, or if
 * no case at all got there:  rdl_cover(t, 5.0, queue_full(q), "full");  */
RDL_API void rdl_cover(struct rdl_case *t, double percent, bool condition, const char *name);

/* Keep minimum, mean, maximum and a histogram of a number over all cases. */
RDL_API void rdl_measure(struct rdl_case *t, double value, const char *name);

/* Look for cases that make value larger: about half of the cases become changed
 * copies of the best one so far.  rdl_minimise does the opposite. */
RDL_API void rdl_maximise(struct rdl_case *t, double value, const char *name);
#define rdl_minimise(t, value, name) rdl_maximise((t), -(value), (name))

/* ---- Spans: which draws belong together ----------------------------------- */

/* From here to the end of the enclosing block, what is drawn is one thing of
 * this kind: the shrinker can leave it out whole, replace it by a smaller one
 * of the same label inside it, and sort it among its like.  Worth having in
 * generators of recursive structures and of the steps of a sequence:
 *
 *     static struct tree *tree(struct rdl_case *t)
 *     {
 *         RDL_SPAN(t, "tree");
 *         ...
 */
#define RDL_SPAN(t, label)                                                                         \
    struct rdl_case *RDL__JOIN(rdl__span_at_, __LINE__)                                            \
        __attribute__((cleanup(rdl__end_at), unused)) = rdl_begin((t), (label))

/* The same by hand, where a block does not fit.  Returns t. */
RDL_API struct rdl_case *rdl_begin(struct rdl_case *t, const char *label);
RDL_API void rdl_end(struct rdl_case *t);

static inline void rdl__end_at(struct rdl_case **t)
{
    rdl_end(*t);
}

#endif
