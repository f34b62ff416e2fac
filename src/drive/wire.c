/* wire.c -- a port whose ends are descriptors: frames are read and posted, events written. */
#include "drive/wire.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/text.h"
#include "drive/send.h"
#include "events/events.h"

struct rdl_decoded {
    struct rdl_event event;
    void *data;
};

void *rdl__decoded(struct rdl_decoded *out, const struct rdl_event_type *type, size_t size)
{
    free(out->data);
    out->data = rdl__allocate(size + 1);
    out->event.type = type;
    out->event.data = out->data;
    out->event.size = size;
    return out->data;
}

/* ---- Reading -------------------------------------------------------------------------------- */

static void post(struct rdl__end *end, const struct rdl_event *event, const struct rdl_frame *frame)
{
    rdl__ports_post(end->wire->ports, rdl__queued_framed(event, frame), RDL__CALLER);
}

/* Nothing more is read from there. */
void rdl__end_post(struct rdl__end *end, enum rdl_ending how, size_t bytes)
{
    struct rdl_ended ended = {.how = how, .bytes = (uint32_t)bytes};
    struct rdl_event event = {end->wire->port, end->direction,
                              how == RDL_CLOSED ? &rdl_event_closed : &rdl_event_broken, &ended,
                              sizeof ended};

    end->is_over = true;
    end->source.fd = -1;
    post(end, &event, NULL);
}

static bool post_frame(struct rdl__end *end, const char *bytes, size_t size)
{
    const struct rdl_framing *framing = &end->frames.framing;
    struct rdl_frame *frame = rdl__allocate(sizeof *frame + size + 1);
    struct rdl_decoded decoded = {
        .event = {end->wire->port, end->direction, &rdl_event_frame, frame, sizeof *frame + size}};
    bool is_good;

    frame->size = (uint32_t)size;
    memcpy(frame->bytes, bytes, size);
    is_good = !framing->decode || framing->decode(frame, &decoded);
    if (is_good)
        post(end, &decoded.event, decoded.data ? frame : NULL);
    free(decoded.data);
    free(frame);
    return is_good;
}

/* Post all frames there are, as long as there is room for them. */
static void post_frames(struct rdl__end *end)
{
    const char *bytes;
    size_t size;

    while (!end->is_over && rdl__ports_await_room(end->wire->ports)) {
        size_t rest = rdl__frames_rest(&end->frames);

        switch (rdl__frames_next(&end->frames, &bytes, &size)) {
        case RDL__WHOLE_FRAME:
            if (!post_frame(end, bytes, size))
                rdl__end_post(end, RDL_MALFORMED, size);
            break;
        case RDL__BAD_FRAME:
            rdl__end_post(end, RDL_MALFORMED, rest);
            break;
        case RDL__LARGE_FRAME:
            rdl__end_post(end, RDL_TOO_LARGE, rest);
            break;
        case RDL__PART_OF_FRAME:
            return;
        }
    }
}

static void read_message(struct rdl__end *end)
{
    size_t room;
    char *space = rdl__frames_space(&end->frames, &room);
    ssize_t got = recv(end->source.fd, space, room, MSG_DONTWAIT | MSG_TRUNC);

    if (got < 0 && (errno == EINTR || errno == EAGAIN))
        return;
    if (!rdl__ports_await_room(end->wire->ports))
        return; /* a message is lost; but the case is over */
    if (got < 0)
        rdl__end_post(end, errno == ECONNRESET ? RDL_RESET : RDL_UNREADABLE, 0);
    else if ((size_t)got == room || (size_t)got > end->frames.framing.max)
        rdl__end_post(end, RDL_TOO_LARGE, (size_t)got);
    else if (got == 0 && !rdl__is_datagram(end->source.fd))
        rdl__end_post(end, RDL_CLOSED, 0);
    else if (!post_frame(end, space, (size_t)got))
        rdl__end_post(end, RDL_MALFORMED, (size_t)got);
}

static void read_end(struct rdl__source *source)
{
    struct rdl__end *end = (struct rdl__end *)source;
    size_t room, rest = rdl__frames_rest(&end->frames);
    char *space = rdl__frames_space(&end->frames, &room);
    ssize_t got = end->is_socket ? recv(source->fd, space, room, MSG_DONTWAIT)
                                 : read(source->fd, space, room);

    if (got > 0) {
        rdl__frames_add(&end->frames, (size_t)got);
        post_frames(end);
    } else if (got == 0) {
        rdl__end_post(end, rest ? RDL_CUT_SHORT : RDL_CLOSED, rest);
    } else if (errno != EINTR && errno != EAGAIN) {
        rdl__end_post(end, errno == ECONNRESET ? RDL_RESET : RDL_UNREADABLE, rest);
    }
}

static void read_ready(struct rdl__source *source)
{
    struct rdl__end *end = (struct rdl__end *)source;

    if (end->keeps_messages)
        read_message(end);
    else
        read_end(source);
}

static void resume(struct rdl__source *source)
{
    struct rdl__end *end = (struct rdl__end *)source;

    if (end->frames.framing.kind != RDL_MESSAGES)
        post_frames(end);
}

/* ---- Writing -------------------------------------------------------------------------------- */

struct rdl_encoded {
    struct rdl__text text;
};

void rdl_encode(struct rdl_encoded *out, const void *bytes, size_t size)
{
    rdl__text_add_bytes(&out->text, bytes, size);
}

/* What the event is in bytes; false: there is no way to know. */
static bool add_bytes(struct rdl__end *end, const struct rdl_event *event, struct rdl_encoded *out)
{
    const struct rdl__queued *queued =
        (const void *)((const char *)event - offsetof(struct rdl__queued, event));
    const struct rdl_frame *frame = event->type == &rdl_event_frame ? event->data : queued->frame;

    if (end->frames.framing.encode && event->type != &rdl_event_frame)
        end->frames.framing.encode(event, out);
    else if (frame)
        rdl_encode(out, frame->bytes, frame->size);
    else
        return false;
    return true;
}

static void write_event(struct rdl__end *end, const struct rdl_event *event)
{
    struct rdl__wire *wire = end->wire;
    const char *who = wire->port->name;
    struct rdl_encoded encoded = {0};
    struct rdl__text *bytes = &encoded.text, all = {0};
    unsigned char prefix[RDL__PREFIX_MAX];
    int size;

    if (!add_bytes(end, event, &encoded))
        rdl__misuse(wire->ports->t,
                    "rdl_stream: %s goes to a descriptor at the port %s, but the framing has no "
                    ".encode that says what it is in bytes",
                    event->type->name, who);
    size = rdl__frame_prefix(&end->frames.framing, bytes->count, prefix);
    if (size < 0)
        rdl__misuse(wire->ports->t,
                    "rdl_stream: a frame of %zu bytes is too large for the lengths of the port %s",
                    bytes->count, who);
    rdl__text_add_bytes(&all, prefix, (size_t)size);
    rdl__text_add_bytes(&all, bytes->bytes, bytes->count);
    rdl__text_release(bytes);
    if (!rdl__send(end, event, all.bytes, all.count) && end->in < 0 && !end->is_over)
        rdl__end_post(end, RDL_UNREACHABLE, 0);
    rdl__text_release(&all);
}

/* Nothing more will be written there. */
static void shut_down(struct rdl__end *end)
{
    if (end->out >= 0 && end->is_socket) {
        shutdown(end->out, SHUT_WR);
    } else if (end->out >= 0 && end->wire->is_ours) {
        close(end->out);
        end->out = -1;
    }
}

static void deliver(struct rdl__end *end, const struct rdl_event *event)
{
    if (rdl__is_a(event->type, &rdl_event_ended) || event->type == &rdl_event_fault)
        shut_down(end);
    else if (end->out >= 0)
        write_event(end, event);
    else if (event->direction == RDL_IN)
        rdl__misuse(end->wire->ports->t,
                    "rdl_stream: %s goes into the component at the port %s, but nobody is "
                    "connected there",
                    event->type->name, event->port->name);
}

static void deliver_in(void *it, const struct rdl_event *event)
{
    deliver(&((struct rdl__wire *)it)->component, event);
}

static void deliver_out(void *it, const struct rdl_event *event)
{
    deliver(&((struct rdl__wire *)it)->peer, event);
}

/* ---- Connecting ----------------------------------------------------------------------------- */

static void close_end(struct rdl__end *end)
{
    if (end->wire->is_ours && end->out >= 0 && end->out != end->in)
        close(end->out);
    if (end->wire->is_ours && end->in >= 0)
        close(end->in);
    rdl__frames_release(&end->frames);
}

/* Threads of the test that are left when a case has failed may write to what is closed now:
 * they are not to end the process by it.  Until the next case has connections. */
static bool pipes_are_ignored;

static void ignore_pipes(bool ignore)
{
    void (*before)(int);

    if (ignore == pipes_are_ignored)
        return;
    before = signal(SIGPIPE, ignore ? SIG_IGN : SIG_DFL);
    if (before != (ignore ? SIG_DFL : SIG_IGN))
        signal(SIGPIPE, before); /* that is somebody else's business */
    else
        pipes_are_ignored = ignore;
}

static void disconnect(void *it)
{
    struct rdl__wire *wire = it;

    rdl__reader_stop(wire->reader);
    if (!wire->is_controlled)
        ignore_pipes(true);
    close_end(&wire->component);
    close_end(&wire->peer);
}

static void init_end(struct rdl__end *end, struct rdl__wire *wire, enum rdl_direction direction,
                     const struct rdl_framing *framing)
{
    end->source = (struct rdl__source){.fd = -1, .ready = read_ready, .resume = resume};
    end->wire = wire;
    end->direction = direction;
    end->in = end->out = -1;
    rdl__frames_init(&end->frames, framing);
    rdl__reader_add(wire->reader, &end->source);
}

struct rdl__wire *rdl__wire_new(struct rdl_case *t, struct rdl_port *port,
                                const struct rdl_framing *framing, bool is_ours, const char *who)
{
    const char *flaw = rdl__framing_flaw(framing);
    struct rdl__wire *wire = rdl_alloc(t, sizeof *wire);

    if (flaw)
        rdl__misuse(t, "%s: the port %s: %s", who, port->name ? port->name : "without a name",
                    flaw);
    wire->is_controlled = rdl__self();
    if (!wire->is_controlled)
        ignore_pipes(false);
    wire->reader = rdl__reader_of(t);
    wire->ports = rdl__ports_of(t);
    wire->port = port;
    wire->is_ours = is_ours;
    init_end(&wire->component, wire, RDL_OUT, framing);
    init_end(&wire->peer, wire, RDL_IN, framing);
    rdl_connect(t, port, .in = deliver_in, .out = deliver_out, .it = wire);
    rdl__defer(t, disconnect, wire);
    return wire;
}

void rdl__end_open(struct rdl__end *end, int in, int out)
{
    int any = in >= 0 ? in : out;

    end->is_socket = rdl__is_socket(any);
    end->keeps_messages = rdl__keeps_messages(any);
    end->in = in;
    end->out = out;
    end->source.fd = in;
}

static int or_none(int fd)
{
    return fd > 0 ? fd : -1;
}

static void open_given(struct rdl__end *end, int fd, int fd_in)
{
    int in = or_none(fd), out = fd_in > 0 ? fd_in : rdl__is_socket(in) ? in : -1;

    rdl__end_open(end, in, out);
    if ((in >= 0 || out >= 0) && end->keeps_messages != (end->frames.framing.kind == RDL_MESSAGES))
        rdl__misuse(end->wire->ports->t,
                    "rdl_connect_fds: the port %s: RDL_MESSAGES is for "
                    "sockets that keep messages apart, and the only framing that is",
                    end->wire->port->name);
}

void rdl__connect_fds(struct rdl_case *t, struct rdl_port *port, struct rdl_fds fds)
{
    struct rdl__wire *wire = rdl__wire_new(t, port, &fds.framing, false, "rdl_connect_fds");

    rdl__reader_stop(wire->reader);
    open_given(&wire->component, fds.component, fds.component_in);
    open_given(&wire->peer, fds.peer, fds.peer_in);
    if (wire->ports->stream)
        rdl__reader_start(wire->reader);
}
