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

#define rdl_connect(t, port, ...) rdl__port_connect((t), (port), (struct rdl_ends){__VA_ARGS__})
RDL_API void rdl__port_connect(struct rdl_case *t, struct rdl_port *port, struct rdl_ends ends);

/* An event comes out of the component: rdl_emit(&net, ping, .id = 3).  From any thread; it is
 * kept, and the caller goes on. */
#define rdl_emit(port, event, ...) RDL__POST(port, RDL_OUT, event, __VA_ARGS__)

/* Somebody else sends an event to the component. */
#define rdl_send(port, event, ...) RDL__POST(port, RDL_IN, event, __VA_ARGS__)

#define RDL__POST(port, direction, event, ...)                                                     \
    rdl_post((port), (direction), rdl_type(event), &(const rdl_data_##event){__VA_ARGS__},         \
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
             rdl_type(request), &(const rdl_data_##request){__VA_ARGS__},                          \
             sizeof(rdl_data_##request))
RDL_API void rdl__ask(struct rdl_port *port, const struct rdl_event_type *response, void *out,
                      const struct rdl_event_type *request, const void *data, size_t size);

/* ---- Running ----------------------------------------------------------------------------- */

struct rdl_stream_options {
    double deadline_ms; /* the longest it may take; 60,000 */
    uint32_t live_max;  /* the most ways to understand what has come, at a time; 10,000 */
} RDL__FORM;

/* Take events, and do what the spec says, until the stream is complete and it is quiet.  The
 * case fails if it goes another way. */
#define rdl_stream(t, spec, ...)                                                                   \
    rdl__stream((t), (spec), (struct rdl_stream_options){__VA_ARGS__}, RDL__HERE)
RDL_API void rdl__stream(struct rdl_case *t, const struct rdl_step *spec,
                         struct rdl_stream_options options, const char *file, int line);

#endif
