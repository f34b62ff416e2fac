/* spec.c -- many may read at a time, or one may write; and who goes first.
 *
 * A process calls before_read, reads, and calls after_read; or the same with write.  The
 * `before` calls wait until it is safe to go on.  Who goes first if both could is a matter
 * of policy.  The graded test has writers first: no before_read goes on while a
 * before_write waits, so that a stream of readers does not keep writers out for ever.
 * Below it is the other way round.
 *
 * To grade implementations of readers_writers.h by this spec:
 *     raddle grade --spec examples/readers_writers examples/readers_writers/implementations/... */
#include <raddle.h>

#include "readers_writers.h"

/* ---- The resource --------------------------------------------------------------------- */

struct document {
    int readers, writers;
};

static bool writers_are_alone(const struct document *s)
{
    return s->readers >= 0 && (s->writers == 0 || (s->writers == 1 && s->readers == 0));
}

static bool before_read_cpre(const struct document *s, const struct rdl_nothing *a)
{
    (void)a;
    return s->writers == 0;
}

static void before_read_post(struct document *s, const struct rdl_nothing *a)
{
    (void)a;
    s->readers++;
}

static void after_read_post(struct document *s, const struct rdl_nothing *a)
{
    (void)a;
    s->readers--;
}

static bool before_write_cpre(const struct document *s, const struct rdl_nothing *a)
{
    (void)a;
    return s->readers == 0 && s->writers == 0;
}

static void before_write_post(struct document *s, const struct rdl_nothing *a)
{
    (void)a;
    s->writers++;
}

static void after_write_post(struct document *s, const struct rdl_nothing *a)
{
    (void)a;
    s->writers--;
}

/* ---- Who calls it ------------------------------------------------------------------------ */

/* A process keeps to the protocol: what it has begun, it ends. */
struct process {
    enum { IDLE, READING, WRITING } does;
};

static bool is_idle(const struct process *me)
{
    return me->does == IDLE;
}

static bool is_reading(const struct process *me)
{
    return me->does == READING;
}

static bool is_writing(const struct process *me)
{
    return me->does == WRITING;
}

static void begin_reading(struct process *me, const struct rdl_nothing *a)
{
    (void)a;
    me->does = READING;
}

static void begin_writing(struct process *me, const struct rdl_nothing *a)
{
    (void)a;
    me->does = WRITING;
}

static void be_idle(struct process *me, const struct rdl_nothing *a)
{
    (void)a;
    me->does = IDLE;
}

/* ---- How it is called ---------------------------------------------------------------------- */

static void before_read_call(rw *r, const struct rdl_nothing *a)
{
    (void)a;
    rw_before_read(r);
}

static void after_read_call(rw *r, const struct rdl_nothing *a)
{
    (void)a;
    rw_after_read(r);
}

static void before_write_call(rw *r, const struct rdl_nothing *a)
{
    (void)a;
    rw_before_write(r);
}

static void after_write_call(rw *r, const struct rdl_nothing *a)
{
    (void)a;
    rw_after_write(r);
}

static rw *create(struct rdl_case *t, const struct document *s)
{
    (void)t, (void)s;
    return rw_create();
}

/* ---- Writers first --------------------------------------------------------------------------- */

static bool no_writer_waits(const struct document *s, const struct rdl_nothing *a,
                            const struct rdl_queue *q)
{
    (void)s, (void)a;
    return rdl_waiting(q, "before_write") == 0;
}

RDL_TYPES(writers_first, struct document, rw, struct process);
RDL_OP(writers_first, before_read, struct rdl_nothing, .may = is_idle, .cpre = before_read_cpre,
       .enabled = no_writer_waits, .post = before_read_post, .call = before_read_call,
       .returned = begin_reading);
RDL_OP(writers_first, after_read, struct rdl_nothing, .may = is_reading, .post = after_read_post,
       .call = after_read_call, .returned = be_idle);
RDL_OP(writers_first, before_write, struct rdl_nothing, .may = is_idle, .cpre = before_write_cpre,
       .post = before_write_post, .call = before_write_call, .returned = begin_writing);
RDL_OP(writers_first, after_write, struct rdl_nothing, .may = is_writing, .post = after_write_post,
       .call = after_write_call, .returned = be_idle);
RDL_SPEC(writers_first, RDL_OPS(writers_first, before_read, after_read, before_write, after_write),
         .create = create, .destroy = rw_destroy, .invariant = writers_are_alone);

RDL_TEST_RESOURCE(a_writer_is_alone_and_goes_before_readers, writers_first, .clients = 6,
                  .concurrent = 4, .tags = "grade");

/* Readers may be overtaken for ever, but nobody need wait for one who waits. */
RDL_TEST_SPEC(with_writers_first_somebody_can_go_on, writers_first, .clients = 3,
              .may_starve = true);

/* ---- Readers first ------------------------------------------------------------------------- */

/* No implementation can do both.  This test is of one that Raddle makes from the spec;
 * compile with -DREADERS_FIRST=true to test yours. */
#ifndef READERS_FIRST
#define READERS_FIRST false
#endif

static bool no_reader_waits(const struct document *s, const struct rdl_nothing *a,
                            const struct rdl_queue *q)
{
    (void)s, (void)a;
    return rdl_waiting(q, "before_read") == 0;
}

RDL_TYPES(readers_first, struct document, rw, struct process);
RDL_OP(readers_first, before_read, struct rdl_nothing, .may = is_idle, .cpre = before_read_cpre,
       .post = before_read_post, .call = before_read_call, .returned = begin_reading);
RDL_OP(readers_first, after_read, struct rdl_nothing, .may = is_reading, .post = after_read_post,
       .call = after_read_call, .returned = be_idle);
RDL_OP(readers_first, before_write, struct rdl_nothing, .may = is_idle, .cpre = before_write_cpre,
       .enabled = no_reader_waits, .post = before_write_post, .call = before_write_call,
       .returned = begin_writing);
RDL_OP(readers_first, after_write, struct rdl_nothing, .may = is_writing, .post = after_write_post,
       .call = after_write_call, .returned = be_idle);
RDL_SPEC(readers_first, RDL_OPS(readers_first, before_read, after_read, before_write, after_write),
         .create = create, .destroy = rw_destroy, .invariant = writers_are_alone);

RDL_TEST_RESOURCE(a_writer_is_alone_and_goes_after_readers, readers_first, .clients = 6,
                  .concurrent = 4, .reference = !READERS_FIRST);

RDL_TEST_SPEC(with_readers_first_somebody_can_go_on, readers_first, .clients = 3,
              .may_starve = true);

RDL_MAIN
