/* spec.c -- a buffer that is filled by the line and emptied by the character, tested as in
 * Brinch Hansen's Reproducible Testing of Monitors: by a sequence of calls that tries every
 * operation under each of its preconditions.
 *
 * To see the sequence:             asymmetric_buffer --plan
 * To grade implementations by it:  raddle grade --spec examples/asymmetric_buffer
 *                                  examples/asymmetric_buffer/implementations/... */
#include <raddle.h>
#include <string.h>

#include "asymmetric_buffer.h"

/* What is left of the line; zero bytes after it. */
struct state {
    char contents[LINE_LENGTH];
};

struct line {
    char text[LINE_LENGTH];
};

/* One client sends and the other receives. */
struct role {
    bool sends;
};

static int length(const struct state *s)
{
    return (int)strnlen(s->contents, LINE_LENGTH);
}

/* ---- What the operations do ---------------------------------------------------------------- */

/* All characters differ, so that none is mistaken for another. */
static void send_args(struct rdl_case *t, const struct state *s, struct line *a)
{
    (void)s;
    memcpy(a->text, rdl_int(t, 0, 1) == 0 ? "ab" : "cd", LINE_LENGTH);
}

static bool send_cpre(const struct state *s, const struct line *a)
{
    (void)a;
    return length(s) == 0;
}

static void send_post(struct state *s, const struct line *a)
{
    memcpy(s->contents, a->text, LINE_LENGTH);
}

static bool receive_cpre(const struct state *s, const struct rdl_nothing *a)
{
    (void)a;
    return length(s) > 0;
}

static void receive_post(struct state *s, const struct rdl_nothing *a, char *r)
{
    (void)a;
    *r = s->contents[0];
    memmove(s->contents, s->contents + 1, LINE_LENGTH - 1);
    s->contents[LINE_LENGTH - 1] = '\0';
}

/* ---- Preconditions: every branch of the monitor is taken by some call ----------------------- */

static bool s1(const struct state *s, const struct line *a, const struct rdl_queue *q)
{
    (void)a, (void)q;
    return length(s) > 0;
}

static bool s2(const struct state *s, const struct line *a, const struct rdl_queue *q)
{
    (void)a, (void)q;
    return length(s) == 0;
}

static bool s3(const struct state *s, const struct line *a, const struct rdl_queue *q)
{
    (void)s, (void)a;
    return rdl_waiting(q, "receive") > 0;
}

static bool s4(const struct state *s, const struct line *a, const struct rdl_queue *q)
{
    (void)s, (void)a;
    return rdl_waiting(q, "receive") == 0;
}

static bool r1(const struct state *s, const struct rdl_nothing *a, const struct rdl_queue *q)
{
    (void)a, (void)q;
    return length(s) == 0;
}

static bool r2(const struct state *s, const struct rdl_nothing *a, const struct rdl_queue *q)
{
    (void)a, (void)q;
    return length(s) > 0;
}

static bool r3(const struct state *s, const struct rdl_nothing *a, const struct rdl_queue *q)
{
    (void)a;
    return rdl_waiting(q, "send") > 0 && length(s) == 1;
}

static bool r4(const struct state *s, const struct rdl_nothing *a, const struct rdl_queue *q)
{
    (void)s, (void)a;
    return rdl_waiting(q, "send") == 0;
}

static bool r5(const struct state *s, const struct rdl_nothing *a, const struct rdl_queue *q)
{
    (void)a, (void)q;
    return length(s) > 1;
}

/* ---- The real thing, and who calls it -------------------------------------------------------- */

static buffer *create(struct rdl_case *t, const struct state *s)
{
    (void)t, (void)s;
    return buffer_create();
}

static void send_call(buffer *b, const struct line *a)
{
    buffer_send(b, a->text);
}

static void receive_call(buffer *b, const struct rdl_nothing *a, char *r)
{
    (void)a;
    *r = buffer_receive(b);
}

static void take_role(struct rdl_case *t, int number, struct role *me)
{
    (void)t;
    me->sends = number == 0;
}

static bool is_sender(const struct role *me)
{
    return me->sends;
}

static bool is_receiver(const struct role *me)
{
    return !me->sends;
}

/* ---- Tests ----------------------------------------------------------------------------------- */

RDL_TYPES(buffer, struct state, buffer, struct role);
RDL_OP(buffer, send, struct line, .may = is_sender, .args = send_args, .cpre = send_cpre,
       .post = send_post, .call = send_call,
       .preconditions = {{"S1: the sender is delayed", s1},
                         {"S2: the sender is not delayed", s2},
                         {"S3: the receiver is continued", s3},
                         {"S4: the receiver is not continued", s4}});
RDL_OP_RETURNS(buffer, receive, struct rdl_nothing, char, .may = is_receiver, .cpre = receive_cpre,
               .post = receive_post, .call = receive_call,
               .preconditions = {{"R1: the receiver is delayed", r1},
                                 {"R2: the receiver is not delayed", r2},
                                 {"R3: the sender is continued", r3},
                                 {"R4: no sender waits", r4},
                                 {"R5: more is left for the receiver", r5}});
RDL_SPEC(buffer, RDL_OPS(buffer, send, receive), .client = take_role, .create = create,
         .destroy = buffer_destroy);

RDL_TEST_RESOURCE(lines_arrive_by_the_character, buffer, .clients = 2, .concurrent = 2);

RDL_TEST_PLAN(every_precondition_is_tried, buffer, .clients = 2, .tags = "grade");

/* The sequence of the paper. */
RDL_TEST_TABLE(the_sequence_of_the_paper, buffer,
               {1, "consumer", RDL_CALL(buffer, receive), RDL_BLOCKS},
               {2, "producer", RDL_CALL(buffer, send, {"ab"}), RDL_RETURNS},
               {3, "consumer", RDL_CONTINUED(buffer, receive), RDL_ANSWERS(buffer, receive, 'a')},
               {4, "producer", RDL_CALL(buffer, send, {"cd"}), RDL_BLOCKS},
               {5, "consumer", RDL_CALL(buffer, receive), RDL_ANSWERS(buffer, receive, 'b')},
               {6, "producer", RDL_CONTINUED(buffer, send)},
               {7, "consumer", RDL_CALL(buffer, receive), RDL_ANSWERS(buffer, receive, 'c')},
               {8, "consumer", RDL_CALL(buffer, receive), RDL_ANSWERS(buffer, receive, 'd')});

RDL_MAIN
