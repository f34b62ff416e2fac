/* test_viable_explain.c -- what the judge says of a history that it cannot explain. */
#include "harness.h"
#include "judge/viable.h"
#include "viable_specs.h"

static struct rdl_call call_of(const struct rdl_spec *spec, const char *operation, const void *args,
                               uint32_t number)
{
    return (struct rdl_call){.operation = rdl__operation_named(spec, operation),
                             .args = args,
                             .number = number,
                             .client = number};
}

static void begin(struct rdl__viable *v, const struct rdl_spec *spec, const char *operation,
                  int value, uint32_t number)
{
    struct one args = {value};
    struct rdl_call call = call_of(spec, operation, &args, number);

    rdl__viable_begin(v, &call);
}

/* Which of the calls in progress has had its effect is all that differs: it is told.  And
 * what comes out the same twice is told once. */
TEST(candidates_are_told_apart_by_what_was_done)
{
    struct rdl__viable *v = rdl__viable_new(rdl_spec_cell, &(struct count){0}, RDL__PENDING_FREE);
    struct rdl__text text = {0};

    begin(v, rdl_spec_cell, "write", 1, 1);
    begin(v, rdl_spec_cell, "write", 2, 2);
    begin(v, rdl_spec_cell, "write", 2, 3);
    rdl__viable_return(v, 1, NULL);
    begin(v, rdl_spec_cell, "read", 0, 4);
    rdl__viable_return(v, 4, &(int){7});
    EXPECT_EQ(rdl__viable_end(v), RDL__UNEXPLAINED);
    EXPECT_EQ(rdl__viable_blame(v), RDL__BLAME_RETURNED);
    rdl__viable_explain(v, &text);
    EXPECT_CONTAINS(text.bytes, "read() = 7 cannot be explained\n");
    EXPECT_CONTAINS(text.bytes, " done\n");
    EXPECT_CONTAINS(text.bytes, "  3. ");
    EXPECT_LACKS(text.bytes, "  4. ");
    rdl__text_release(&text);
    rdl__viable_free(v);
}
