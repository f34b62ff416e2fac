/* raddle/streams.h -- tests of a component by the events at its ports.
 *
 * The component is connected to ports in whatever way it talks to others; what passes them is
 * held until the spec (raddle/events.h) has a place for it.
 *
 *     static void give_pong(void *it, const struct rdl_event *event)
 *     {
 *         pinger_on_pong(it, event->data);
 *     }
 *     static void send_ping(int id)                          the component's callback
 *     {
 *         rdl_emit(&net, ping, .id = id);
 *     }
 *
 *     RDL_EXPLORE(a_pinger_pings_until_it_is_answered)
 *     {
 *         struct pinger *pinger = pinger_new(send_ping);
 *
 *         rdl_connect(t, &net, .in = give_pong, .it = pinger);
 *         pinger_start(pinger);
 *         rdl_stream(t, rdl_sequence(
 *             rdl_repeat(3, rdl_expect(rdl_out(&net, rdl_any(ping)))),
 *             rdl_trigger(&net, pong, .id = 1),
 *             rdl_inspect(is_idle, pinger)));
 *         pinger_stop(pinger);
 *     }
 *
 * In an RDL_EXPLORE the threads of the component are controlled: in which order those who run
 * at the same time emit their events is tried out, time is virtual, and a stream has passed
 * once it is complete and nobody can do anything any more.  Elsewhere threads run freely, and
 * deadlines are of real time. */
#ifndef RADDLE_STREAMS_H
#define RADDLE_STREAMS_H

#include <raddle/case.h>
#include <raddle/events.h>
#include <raddle/test.h>

#ifdef RDL__OF_THE_SYSTEM
#pragma GCC system_header
#endif

/* ---- Ports ------------------------------------------------------------------------------- */

/* What is at both ends of a port, for the length of the case.  Functions are called by the
 * thread that runs rdl_stream, when an event is forwarded; it is lent to them.
 *
 *   .in    give it to the component
 *   .out   give it to whom it is for; without, it is for the spec, which plays all others */
struct rdl_ends {
    void (*in)(void *it, const struct rdl_event *event);
    void (*out)(void *it, const struct rdl_event *event);
    void *it;
} RDL__FORM;

#define rdl_connect(t, port, ...)                                                                  \
    rdl__port_connect((t), (port), RDL__FILLED(struct rdl_ends, __VA_ARGS__))
RDL_API void rdl__port_connect(struct rdl_case *t, struct rdl_port *port, struct rdl_ends ends);

/* An event comes out of the component: rdl_emit(&net, ping, .id = 3).  From any thread; it is
 * kept, and the caller goes on. */
#define rdl_emit(port, event, ...) RDL__POST(port, RDL_OUT, event, __VA_ARGS__)

/* Somebody else sends an event to the component. */
#define rdl_send(port, event, ...) RDL__POST(port, RDL_IN, event, __VA_ARGS__)

#define RDL__POST(port, direction, event, ...)                                                     \
    rdl_post((port), (direction), rdl_type(event), RDL__LENT(rdl_data_##event, __VA_ARGS__),       \
             sizeof(rdl_data_##event))

/* The same for an event whose type is known at run time only, or whose size varies. */
RDL_API void rdl_post(struct rdl_port *port, enum rdl_direction direction,
                      const struct rdl_event_type *type, const void *data, size_t size);

/* A thread that takes what the component puts into a queue of its own, or somebody else into
 * the other, and emits (RDL_OUT) or sends (RDL_IN) it:
 *
 *     bool take(struct queue *it, struct ping *out);     waits; false: there will be no more
 *     rdl_pump(t, &net, RDL_OUT, ping, take, queue);
 *
 * What goes the other way is put into a queue by .in or .out of rdl_connect.  The thread need
 * not end by itself.  The queue must live as long as the case (rdl_defer its end before). */
#define rdl_pump(t, port, direction, event, function, queue)                                       \
    rdl__pump((t), (port), (direction), rdl_type(event),                                           \
              (bool (*)(void *, void *))(                                                          \
                  0 ? (bool (*)(__typeof__(*(queue)) *, rdl_data_##event *))0 : (function)),       \
              (queue))
RDL_API void rdl__pump(struct rdl_case *t, struct rdl_port *port, enum rdl_direction direction,
                       const struct rdl_event_type *type, bool (*take)(void *queue, void *out),
                       void *queue);

/* The component asks, and waits for an answer on the same port, for functions that return
 * something:
 *
 *     static int read_register(int number)
 *     {
 *         struct reading answer;
 *
 *         rdl_ask(&bus, reading, &answer, request, .number = number);
 *         return answer.value;
 *     } */
#define rdl_ask(port, response, out, request, ...)                                                 \
    rdl__ask((port), rdl_type(response), (1 ? (out) : (rdl_data_##response *)0),                   \
             rdl_type(request), RDL__LENT(rdl_data_##request, __VA_ARGS__),                        \
             sizeof(rdl_data_##request))
RDL_API void rdl__ask(struct rdl_port *port, const struct rdl_event_type *response, void *out,
                      const struct rdl_event_type *request, const void *data, size_t size);

/* ---- Frames ---------------------------------------------------------------------------- */

/* Pipes and sockets know bytes; a framing says where one event ends and the next begins.
 *
 *     {.kind = RDL_LINES}                           up to and including '\n'
 *     {.kind = RDL_PREFIXED, .width = 2}            the length, in so many bytes (1, 2, 4, 8;
 *                                                   4), and then as many; the frame is without
 *                                                   the length, which is put before it again
 *                                                   when it is written
 *     {.kind = RDL_FIXED, .size = 16}               so many bytes each
 *     {.kind = RDL_CUSTOM, .length = resp_length}   as a function says
 *     {.kind = RDL_MESSAGES}                        one datagram each; the only framing of
 *                                                   sockets that keep messages apart
 */
enum rdl_framing_kind {
    RDL_LINES = 1,
    RDL_PREFIXED,
    RDL_FIXED,
    RDL_CUSTOM,
    RDL_MESSAGES,
};

struct rdl_decoded;
struct rdl_encoded;

struct rdl_framing {
    enum rdl_framing_kind kind;
    uint32_t max;       /* bytes in a frame, at most; 1 MiB */
    uint32_t width;     /* RDL_PREFIXED */
    bool little_endian; /* and not the byte order of networks */
    bool counts_itself; /* the length is that of the prefix, too */
    uint32_t size;      /* RDL_FIXED */

    /* RDL_CUSTOM: how long is the first frame of what has come so far (which may be longer
     * than that)?  0: that cannot be said yet; negative: it is none. */
    long (*length)(const char *bytes, size_t size);

    /* Make the frame an event of another type than `frame`:
     *
     *     bool decode(const struct rdl_frame *frame, struct rdl_decoded *out)
     *     {
     *         struct ping *ping = rdl_decoded(out, ping);
     *
     *         return sscanf(frame->bytes, "PING %d", &ping->id) == 1;
     *     }
     *
     * A NUL follows the bytes.  If it returns true without rdl_decoded, the frame stays one;
     * false: it is malformed.  Called by a thread of ours. */
    bool (*decode)(const struct rdl_frame *frame, struct rdl_decoded *out);

    /* And bytes again, those of one frame, by rdl_encode(out, bytes, size), as often as it
     * takes.  Without it, what has come as a frame is forwarded in the bytes it came in; what
     * the spec makes up can only be of type `frame` (rdl_trigger_text). */
    void (*encode)(const struct rdl_event *event, struct rdl_encoded *out);
} RDL__FORM;

/* Memory for what is decoded, all 0. */
#define rdl_decoded(out, event)                                                                    \
    ((rdl_data_##event *)rdl__decoded((out), rdl_type(event), sizeof(rdl_data_##event)))
RDL_API void *rdl__decoded(struct rdl_decoded *out, const struct rdl_event_type *type, size_t size);
RDL_API void rdl_encode(struct rdl_encoded *out, const void *bytes, size_t size);

/* ---- Pipes and sockets --------------------------------------------------------------------- */

/* The port is a connection that the test has made: what the component writes comes out of it,
 * what its peer writes goes in.
 *
 *     socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
 *     pinger_start(pair[0]);
 *     rdl_connect_fds(t, &net, .component = pair[1], .framing = {.kind = RDL_LINES});
 *
 * Descriptors are never 0, which means that there is none (as does -1).  They stay the
 * caller's, and must stay open until the case ends (rdl_defer comes in the opposite order:
 * what was opened and deferred before this call is closed after all is over).
 *
 * A thread of ours, "reader", reads while a stream runs, and only then; between streams bytes
 * wait where they are.  It stops reading while 1000 events, or 16 MiB of them, wait to be taken.
 *
 * When a connection ends that is an event (`closed`, `broken`; `ended` is both):
 *
 *     rdl_expect(rdl_out(&net, rdl_any(closed)))
 *
 * If it is forwarded, or triggered, sockets are shut down for writing; a pipe remains open,
 * since it is the caller's.
 *
 * An event is forwarded by writing it.  If whom it is for does not read, the stream waits until
 * its deadline, or that of an rdl_within, and then fails.  If whom it is for has gone, it is
 * lost, as over any connection; the other direction tells that it has ended or, for pipes,
 * `broken` comes from there.
 *
 * When a case has failed, threads of the test may be left that use a connection.  Those that we
 * made (rdl_listen, rdl_process) are closed, so that nobody waits for them any more; writing to
 * them fails, without SIGPIPE.  Join such threads in a function that was deferred before the
 * connection was made.
 *
 * (Datagram sockets must be connected, and never end.) */
struct rdl_fds {
    int component;    /* the other end of what the component reads and writes */
    int component_in; /* if that is two pipes: where to write what is for it */
    int peer;         /* none: the spec plays it */
    int peer_in;
    struct rdl_framing framing;
} RDL__FORM;

#define rdl_connect_fds(t, port, ...)                                                              \
    rdl__connect_fds((t), (port), RDL__FILLED(struct rdl_fds, __VA_ARGS__))
RDL_API void rdl__connect_fds(struct rdl_case *t, struct rdl_port *port, struct rdl_fds fds);

/* ---- Servers -------------------------------------------------------------------------------- */

/* The path of a Unix socket, or else a TCP port of 127.0.0.1. */
struct rdl_address {
    const char *path;
    int tcp;
};

/* Stand between a server, which is the component, and its clients: whoever connects to the
 * address that is returned is connected to the server.  Each connection is a port of its own,
 * in the order in which they are made: what clients send goes in, what the server sends comes
 * out.
 *
 *     static struct rdl_port clients[] = {{"first"}, {"second"}};
 *
 *     address = rdl_listen(t, clients, .count = 2, .server = {.path = socket},
 *                          .framing = {.kind = RDL_CUSTOM, .length = resp_length});
 *
 * Clients are accepted while a stream runs; before that they wait.  The address is a Unix
 * socket in a folder of its own, or a TCP port that was free, whichever the server's is. */
struct rdl_proxy {
    size_t count; /* of ports */
    struct rdl_address server;
    struct rdl_framing framing;
} RDL__FORM;

#define rdl_listen(t, ports, ...)                                                                  \
    rdl__listen((t), (ports), RDL__FILLED(struct rdl_proxy, __VA_ARGS__))
RDL_API struct rdl_address rdl__listen(struct rdl_case *t, struct rdl_port *ports,
                                       struct rdl_proxy proxy);

/* A process, until the case ends: then it is killed, together with those that it has started
 * (unless they have left its process group), and waited for.  It is killed, too, if the process
 * of the test dies.  Not in an RDL_EXPLORE: it would run as it likes.
 *
 *     const char *const command[] = {"redis-server", "--port", "0", "--unixsocket", path, NULL};
 *     struct rdl_process *server = rdl_process(t, command, .port = &redis);
 *
 * Its end is an event `fault` that comes out of .port, after all that it has written.  With a
 * framing .port is also its standard input and output, and the process is the component: what
 * goes in it reads, what it writes comes out.
 *
 * Standard input is empty, and standard output goes nowhere, if they are not the port's;
 * standard error stays what it is.  No other descriptors are handed on.  The first word of the
 * command is looked for in PATH.
 *
 * While processes run, it is quiet when all of their threads sleep, for whatever reason: one
 * that sleeps for a time, or for something from outside, may still go on by itself. */
struct rdl_process_options {
    struct rdl_port *port;
    struct rdl_framing framing;
    const char *log; /* a file to which standard error, and output, are appended */
} RDL__FORM;

#define rdl_process(t, command, ...)                                                               \
    rdl__process((t), (command), RDL__FILLED(struct rdl_process_options, __VA_ARGS__))
RDL_API struct rdl_process *rdl__process(struct rdl_case *t, const char *const *command,
                                         struct rdl_process_options options);
RDL_API int rdl_process_id(const struct rdl_process *process);

/* Wait until somebody accepts connections there; the case fails if nobody has after so many
 * milliseconds of real time, or if the process (may be NULL) ends before.  There is nothing
 * in the kernel to be woken by, so a connection is tried each millisecond. */
#define rdl_await_server(t, process, server, ms)                                                   \
    rdl__await_server((t), (process), (server), (ms), RDL__HERE)
RDL_API void rdl__await_server(struct rdl_case *t, const struct rdl_process *process,
                               struct rdl_address server, double ms, const char *file, int line);

/* A folder for files of this case, which is removed when it ends, unless the process dies. */
RDL_API const char *rdl_folder(struct rdl_case *t);

/* ---- Running ----------------------------------------------------------------------------- */

struct rdl_stream_options {
    double deadline_ms; /* the longest it may take; 60,000 of virtual time, and where time is real
                           four fifths of what the case may take (.timeout_ms) */
    uint32_t live_max;  /* the most ways to understand what has come, at a time; 10,000 */
} RDL__FORM;

/* Take events, and do what the spec says, until the stream is complete and it is quiet: every
 * thread of the case, whoever has made it, has ended or is blocked.  (A free one that sleeps for a
 * time is waited for.)  The case fails if it goes another way.  What is emitted afterwards is for
 * the next rdl_stream of the case; if there is none, nobody looks at it. */
#define rdl_stream(t, spec, ...)                                                                   \
    rdl__stream((t), (spec), RDL__FILLED(struct rdl_stream_options, __VA_ARGS__), RDL__HERE)
RDL_API void rdl__stream(struct rdl_case *t, const struct rdl_step *spec,
                         struct rdl_stream_options options, const char *file, int line);

#endif
