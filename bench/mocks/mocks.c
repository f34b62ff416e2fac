/* mocks.c -- calls of mocked functions whose arguments are checked: how long they take. */
#include <sys/mman.h>

#include "../usage.h"

#include "flash.h"

enum { CALLS = 20000 };

/* ---- What is measured ------------------------------------------------------------------ */

/* In memory that the workers share: what they print is only seen of tests that fail. */
static double *best;

__attribute__((constructor)) static void share(void)
{
    best = mmap(NULL, sizeof *best, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
}

static void tell(double ns)
{
    if (*best == 0 || ns < *best)
        *best = ns;
}

/* Workers leave by _exit, so that only the parent gets here. */
__attribute__((destructor)) static void report(void)
{
    fprintf(stderr, "ns=%.6f\n", *best);
}

/* ---- Functions ------------------------------------------------------------------------- */

RDL_PROPERTY(plain, .cases = 5)
{
    (void)t;
    tell(flash_ns(flash_write, CALLS, NULL, NULL));
}

RDL_PROPERTY(mocked, .cases = 5)
{
    rdl_mock(t, flash_write, rdl_arg(3), rdl_arg(flash_text), rdl_arg(4), rdl_returns(0));
    tell(flash_ns(flash_write, CALLS, NULL, NULL));
}

RDL_PROPERTY(mocked_text, .cases = 5)
{
    rdl_mock(t, flash_write, rdl_arg(3), rdl_str("abc"), rdl_arg(4), rdl_returns(0));
    tell(flash_ns(flash_write, CALLS, NULL, NULL));
}

RDL_PROPERTY(mocked_short, .cases = 5)
{
    rdl_mock(t, flash_short, rdl_arg(3), rdl_arg(flash_text), rdl_arg(4), rdl_returns(0));
    tell(flash_ns(flash_short, CALLS, NULL, NULL));
}

RDL_PROPERTY(spied, .cases = 5)
{
    rdl_spy(t, flash_write);
    tell(flash_ns(flash_write, CALLS, NULL, NULL));
}

static int writes_nothing(int block, const char *data, size_t length)
{
    return block + data[0] + (int)length;
}

RDL_PROPERTY(replaced, .cases = 5)
{
    rdl_replace(t, flash_write, writes_nothing);
    tell(flash_ns(flash_write, CALLS, NULL, NULL));
}

RDL_PROPERTY(expected, .cases = 5)
{
    rdl_expect_calls(t, rdl_star(rdl_call_to(flash_write, rdl_arg(3), rdl_arg(flash_text),
                                             rdl_arg(4), rdl_returns(0))));
    tell(flash_ns(flash_write, CALLS, NULL, NULL));
    rdl_calls_done(t);
}

/* ---- Operations ------------------------------------------------------------------------ */

struct written {
    int block;
    const char *data;
    size_t length;
};

struct flash {
    long writes;
};

RDL_TYPES(flash, struct flash, char);
RDL_EXTERN_OP_RETURNS(flash, write, struct written, int);

static int write_mock(int block, const char *data, size_t length)
{
    struct written a = {block, data, length};

    return rdl_mocked_returns(flash, write, &a, rdl_real(flash_write)(block, data, length));
}

static void write_post(struct flash *s, const struct written *a, int *r)
{
    (void)a;
    s->writes++;
    *r = 0;
}

RDL_OP_RETURNS(flash, write, struct written, int, RDL_MOCKS(flash_write, write_mock),
               .post = write_post);
RDL_OP_RETURNS(flash, by_names, struct written, int, .mocks = "flash_short", .post = write_post);
RDL_SPEC(flash, RDL_OPS(flash, write, by_names));

/* Whoever writes a lot, by one operation. */
struct log {
    char nothing;
};

static void measure_writes(char *o, const struct rdl_nothing *a)
{
    (void)o, (void)a;
    tell(flash_ns(flash_write, CALLS, NULL, NULL));
}

static void measure_short_writes(char *o, const struct rdl_nothing *a)
{
    (void)o, (void)a;
    tell(flash_ns(flash_short, CALLS, NULL, NULL));
}

static void says_write(const struct log *s, const struct rdl_nothing *a)
{
    (void)s, (void)a;
    rdl_callouts(
        rdl_star(rdl_call_returns(flash, write, 0, .block = 3, .data = flash_text, .length = 4)));
}

static void says_by_names(const struct log *s, const struct rdl_nothing *a)
{
    (void)s, (void)a;
    rdl_callouts(rdl_star(
        rdl_call_returns(flash, by_names, 0, .block = 3, .data = flash_text, .length = 4)));
}

static char *create(struct rdl_case *t, const struct log *s)
{
    (void)s;
    return rdl_alloc(t, 1);
}

RDL_TYPES(log, struct log, char);
RDL_OP(log, append, struct rdl_nothing, .call = measure_writes, .callouts = says_write);
RDL_SPEC(log, RDL_OPS(log, append), .create = create);
RDL_TYPES(names, struct log, char);
RDL_OP(names, append, struct rdl_nothing, .call = measure_short_writes, .callouts = says_by_names);
RDL_SPEC(names, RDL_OPS(names, append), .create = create);

RDL_TEST_MODEL(called_out, log, .calls = {1, 1}, .cases = 5);
RDL_TEST_MODEL(called_out_by_names, names, .calls = {1, 1}, .cases = 5);
RDL_TEST_MODEL(played, log, .stand_ins = RDL_SPECS(flash), .calls = {1, 1}, .cases = 5);
