/* connections.c -- components behind pipes and sockets: some do as they should, some do not.
 *
 * Each test is there twice: with threads that are controlled, and with threads that run
 * freely.  tests/test_streams_fds.c knows what is to be found. */
#include <poll.h>
#include <pthread.h>
#include <raddle.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static struct rdl_port net = {.name = "net"};

static const struct rdl_framing lines = {.kind = RDL_LINES};

#define TWICE(test, ...)                                                                           \
    static void test(struct rdl_case *t);                                                          \
    RDL_EXPLORE(test##_controlled, .cases = 300, ##__VA_ARGS__)                                    \
    {                                                                                              \
        test(t);                                                                                   \
    }                                                                                              \
    RDL_PROPERTY(test##_free, .cases = 20, ##__VA_ARGS__)                                          \
    {                                                                                              \
        test(t);                                                                                   \
    }                                                                                              \
    static void test(struct rdl_case *t)

/* ---- Components ----------------------------------------------------------------------------- */

struct component {
    int fd, out;
    const char *says;
    size_t size;
    struct rdl_thread *thread;
    int ours[4]; /* descriptors, to be closed at the end */
};

static void close_all(void *it)
{
    struct component *c = it;

    for (int i = 0; i < 4; i++)
        if (c->ours[i])
            close(c->ours[i]);
}

static struct component *new_component(struct rdl_case *t, const char *says)
{
    struct component *c = rdl_new(t, struct component);

    c->says = says;
    c->size = strlen(says);
    rdl_defer(t, close_all, c);
    return c;
}

/* One end is the component's; the other is returned. */
static int connect_component(struct component *c, int type)
{
    if (socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, c->ours) != 0)
        abort();
    c->fd = c->out = c->ours[0];
    return c->ours[1];
}

static void close_end(struct component *c)
{
    close(c->ours[0]);
    c->ours[0] = 0;
}

static void say(void *it)
{
    struct component *c = it;

    if (write(c->out, c->says, c->size) < 0)
        abort();
}

static void say_and_close(void *it)
{
    say(it);
    close_end(it);
}

/* Answers lines with themselves, in two pieces, until nothing more comes. */
static void echo(void *it)
{
    struct component *c = it;
    char bytes[100];
    ssize_t got;

    while ((got = read(c->fd, bytes, sizeof bytes)) > 0)
        if (write(c->out, bytes, 2) + write(c->out, bytes + 2, (size_t)got - 2) < got)
            abort();
}

static void start(struct rdl_case *t, struct component *c, void (*run)(void *it))
{
    c->thread = rdl_spawn(t, "component", run, c);
}

/* ---- As they should ------------------------------------------------------------------------- */

TWICE(an_echo_answers)
{
    struct component *c = new_component(t, "");

    rdl_connect_fds(t, &net, .component = connect_component(c, SOCK_STREAM), .framing = lines);
    start(t, c, echo);
    rdl_stream(t, rdl_sequence(rdl_trigger_text(&net, "hello\n"),
                               rdl_expect(rdl_out(&net, rdl_text("hello\n"))),
                               rdl_trigger_text(&net, "again\n"),
                               rdl_expect(rdl_out(&net, rdl_text("again\n"))),
                               rdl_trigger(&net, closed)));
    rdl_join(c->thread);
}

TWICE(an_echo_behind_pipes_answers)
{
    struct component *c = new_component(t, "");

    if (pipe(c->ours) != 0 || pipe(c->ours + 2) != 0)
        abort();
    c->fd = c->ours[0];
    c->out = c->ours[3];
    rdl_connect_fds(t, &net, .component = c->ours[2], .component_in = c->ours[1], .framing = lines);
    start(t, c, echo);
    rdl_stream(t, rdl_sequence(rdl_trigger_text(&net, "hello\n"),
                               rdl_expect(rdl_out(&net, rdl_text("hello\n")))));
    close(c->ours[1]);
    c->ours[1] = 0;
    rdl_join(c->thread);
}

TWICE(datagrams_are_frames)
{
    struct component *c = new_component(t, "datagram");

    rdl_connect_fds(t, &net, .component = connect_component(c, SOCK_DGRAM),
                    .framing = {.kind = RDL_MESSAGES});
    start(t, c, say);
    rdl_stream(t, rdl_expect(rdl_out(&net, rdl_text("datagram"))));
    rdl_join(c->thread);
}

/* Two components that talk to each other, and we are in between. */
TWICE(frames_go_from_one_to_the_other)
{
    struct component *one = new_component(t, "ping\n"), *two = new_component(t, "");

    rdl_connect_fds(t, &net, .component = connect_component(one, SOCK_STREAM),
                    .peer = connect_component(two, SOCK_STREAM), .framing = lines);
    start(t, one, say);
    start(t, two, echo);
    rdl_stream(t, rdl_sequence(rdl_expect(rdl_out(&net, rdl_text("ping\n"))),
                               rdl_expect(rdl_in(&net, rdl_text("ping\n")))));
    close_end(one); /* the other end of which is the test's still */
    shutdown(two->ours[1], SHUT_WR);
    rdl_join(one->thread);
    rdl_join(two->thread);
}

struct number {
    int value;
};
static void show_number(FILE *out, const struct number *it)
{
    fprintf(out, "%d", it->value);
}
RDL_EVENT(number, struct number, .show = show_number);
RDL_SLOT(int, the_value);

static bool decode(const struct rdl_frame *frame, struct rdl_decoded *out)
{
    struct number *it = rdl_decoded(out, number);

    return sscanf(frame->bytes, "%d", &it->value) == 1;
}

static void encode(const struct rdl_event *event, struct rdl_encoded *out)
{
    const struct number *it = event->data;
    char text[20];

    rdl_encode(out, text, (size_t)snprintf(text, sizeof text, "%d", it->value));
    rdl_encode(out, "\n", 1);
}

static const struct rdl_framing numbers = {.kind = RDL_LINES, .decode = decode, .encode = encode};

TWICE(frames_are_decoded_and_encoded)
{
    struct component *c = new_component(t, "");

    rdl_connect_fds(t, &net, .component = connect_component(c, SOCK_STREAM), .framing = numbers);
    start(t, c, echo);
    rdl_stream(t, rdl_sequence(rdl_trigger(&net, number, .value = 17),
                               rdl_expect(rdl_out(&net, rdl_is(number, .value = 17))),
                               rdl_trigger(&net, closed)));
    rdl_join(c->thread);
}

TWICE(what_was_decoded_is_forwarded_as_it_came)
{
    struct component *one = new_component(t, "  017 \n"), *two = new_component(t, "");
    char seen[20] = "";

    rdl_connect_fds(t, &net, .component = connect_component(one, SOCK_STREAM),
                    .peer = connect_component(two, SOCK_STREAM),
                    .framing = {.kind = RDL_LINES, .decode = decode});
    start(t, one, say);
    rdl_stream(t, rdl_expect(rdl_out(&net, rdl_is(number, .value = 17))));
    rdl_join(one->thread);
    rdl_check_eq(read(two->fd, seen, sizeof seen), 7);
    rdl_check_str(seen, "  017 \n");
}

TWICE(a_close_can_be_expected)
{
    struct component *c = new_component(t, "bye\n");

    rdl_connect_fds(t, &net, .component = connect_component(c, SOCK_STREAM), .framing = lines);
    start(t, c, say_and_close);
    rdl_stream(t, rdl_sequence(rdl_expect(rdl_out(&net, rdl_text("bye\n"))),
                               rdl_expect(rdl_out(&net, rdl_any(closed)))));
    rdl_join(c->thread);
}

TWICE(a_frame_cut_short_can_be_expected)
{
    struct component *c = new_component(t, "bye");

    rdl_connect_fds(t, &net, .component = connect_component(c, SOCK_STREAM), .framing = lines);
    start(t, c, say_and_close);
    rdl_stream(t, rdl_expect(rdl_out(&net, rdl_is(broken, .how = RDL_CUT_SHORT, .bytes = 3))));
    rdl_join(c->thread);
}

TWICE(streams_follow_each_other)
{
    struct component *c = new_component(t, "one\ntwo\n");

    rdl_connect_fds(t, &net, .component = connect_component(c, SOCK_STREAM), .framing = lines);
    for (int i = 0; i < 3; i++) {
        start(t, c, say);
        rdl_stream(t, rdl_sequence(rdl_expect(rdl_out(&net, rdl_text("one\n"))),
                                   rdl_expect(rdl_out(&net, rdl_text("two\n")))));
        rdl_join(c->thread);
    }
}

/* ---- As they should not --------------------------------------------------------------------- */

TWICE(a_peer_dies)
{
    struct component *c = new_component(t, "hello\n");

    rdl_connect_fds(t, &net, .component = connect_component(c, SOCK_STREAM), .framing = lines);
    start(t, c, say_and_close);
    rdl_stream(t, rdl_sequence(rdl_expect(rdl_out(&net, rdl_text("hello\n"))),
                               rdl_expect(rdl_out(&net, rdl_text("still here\n")))));
    rdl_join(c->thread);
}

TWICE(a_frame_is_cut_short)
{
    struct component *c = new_component(t, "hello\nhal");

    rdl_connect_fds(t, &net, .component = connect_component(c, SOCK_STREAM), .framing = lines);
    start(t, c, say_and_close);
    rdl_stream(t, rdl_repeat(2, rdl_expect(rdl_out(&net, rdl_any(frame)))));
    rdl_join(c->thread);
}

TWICE(a_frame_is_too_large)
{
    struct component *c = new_component(t, "\x7f\xff\xff\xff");

    rdl_connect_fds(t, &net, .component = connect_component(c, SOCK_STREAM),
                    .framing = {.kind = RDL_PREFIXED});
    start(t, c, say);
    rdl_stream(t, rdl_expect(rdl_out(&net, rdl_any(frame))));
    rdl_join(c->thread);
}

TWICE(a_frame_is_malformed)
{
    struct component *c = new_component(t, "seventeen\n");

    rdl_connect_fds(t, &net, .component = connect_component(c, SOCK_STREAM), .framing = numbers);
    start(t, c, say);
    rdl_stream(t, rdl_expect(rdl_out(&net, rdl_any(number))));
    rdl_join(c->thread);
}

/* It goes, though there is something for it. */
static void leave_unread(void *it)
{
    struct component *c = it;
    struct pollfd one = {.fd = c->ours[0], .events = POLLIN};

    poll(&one, 1, -1);
    close_end(c);
}

TWICE(a_connection_is_reset)
{
    struct component *c = new_component(t, "");

    rdl_connect_fds(t, &net, .component = connect_component(c, SOCK_STREAM), .framing = lines);
    start(t, c, leave_unread);
    rdl_stream(t, rdl_sequence(rdl_trigger_text(&net, "are you there?\n"),
                               rdl_expect(rdl_out(&net, rdl_any(frame)))));
    rdl_join(c->thread);
}

TWICE(nobody_is_there)
{
    struct component *c = new_component(t, "");

    if (pipe(c->ours) != 0)
        abort();
    rdl_connect_fds(t, &net, .component_in = c->ours[1], .framing = lines);
    close_end(c);
    rdl_stream(t, rdl_sequence(rdl_trigger_text(&net, "are you there?\n"),
                               rdl_trigger_text(&net, "hello?\n"),
                               rdl_expect(rdl_out(&net, rdl_any(frame)))));
}

enum { FLOOD = 1000000, SMALLER_FLOOD = 200000 };

/* Its last bytes may never be read. */
static void send_lines(struct component *c, int count)
{
    char text[16];

    for (int i = 1; i <= count; i++)
        if (send(c->out, text, (size_t)snprintf(text, sizeof text, "%d\n", i), MSG_NOSIGNAL) < 0)
            return;
}

static void flood(void *it)
{
    send_lines(it, FLOOD);
}

static void flood_less(void *it)
{
    send_lines(it, SMALLER_FLOOD);
}

TWICE(a_component_floods)
{
    struct component *c = new_component(t, "");

    rdl_connect_fds(t, &net, .component = connect_component(c, SOCK_STREAM), .framing = lines);
    start(t, c, flood);
    rdl_stream(t, rdl_repeat(3, rdl_expect(rdl_out(&net, rdl_any(frame)))));
    rdl_join(c->thread);
}

static void swallow(void *it)
{
    struct component *c = it;
    char bytes[4096];

    while (read(c->fd, bytes, sizeof bytes) > 0)
        ;
}

/* All of them are allowed, and come through. */
RDL_PROPERTY(a_flood_that_is_allowed, .cases = 1)
{
    struct component *one = new_component(t, ""), *two = new_component(t, "");

    rdl_connect_fds(t, &net, .component = connect_component(one, SOCK_STREAM),
                    .peer = connect_component(two, SOCK_STREAM), .framing = lines);
    start(t, one, flood_less);
    start(t, two, swallow);
    rdl_stream(t, rdl_repeat(SMALLER_FLOOD, rdl_expect(rdl_out(&net, rdl_any(frame)))));
    shutdown(two->ours[1], SHUT_WR);
    rdl_join(one->thread);
    rdl_join(two->thread);
}

/* Nobody reads what is sent: more than fits into any buffer. */
static void wait_for_ever(void *it)
{
    struct component *c = it;
    struct pollfd one = {.fd = c->ours[0], .events = 0};

    poll(&one, 1, -1);
}

TWICE(nobody_reads)
{
    struct component *c = new_component(t, "");

    rdl_connect_fds(t, &net, .component = connect_component(c, SOCK_STREAM), .framing = lines);
    start(t, c, wait_for_ever);
    rdl_stream(t, rdl_repeat(10000, rdl_trigger_text(&net, "something that nobody reads\n")),
               .deadline_ms = 200);
}

/* ---- Time ----------------------------------------------------------------------------------- */

TWICE(a_deadline_in_the_past)
{
    struct component *c = new_component(t, "late\n");

    rdl_connect_fds(t, &net, .component = connect_component(c, SOCK_STREAM), .framing = lines);
    start(t, c, say);
    rdl_stream(t, rdl_within(0, rdl_expect(rdl_out(&net, rdl_text("never\n")))));
    rdl_join(c->thread);
}

TWICE(a_tiny_deadline)
{
    struct component *c = new_component(t, "");

    rdl_connect_fds(t, &net, .component = connect_component(c, SOCK_STREAM), .framing = lines);
    start(t, c, say);
    rdl_stream(t, rdl_expect(rdl_out(&net, rdl_any(frame))), .deadline_ms = 0.001);
    rdl_join(c->thread);
}

/* Nothing comes: the case does not take longer than it is given. */
RDL_PROPERTY(within_is_kept_while_nothing_comes, .cases = 1)
{
    struct component *c = new_component(t, "");

    rdl_connect_fds(t, &net, .component = connect_component(c, SOCK_STREAM), .framing = lines);
    rdl_stream(t, rdl_within(20, rdl_expect(rdl_out(&net, rdl_any(frame)))));
}

RDL_MAIN
