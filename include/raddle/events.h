/* raddle/events.h -- what a component does, as a language of events.
 *
 * Events pass through ports: into the component, or out of it.  A spec says which streams of
 * them are right, in the way a regular expression says it of characters:
 *
 *     RDL_EVENT(ping, struct ping);
 *     RDL_EVENT(pong, struct pong);
 *     static struct rdl_port net = {.name = "net"};
 *
 *     rdl_sequence(
 *         rdl_allow(rdl_out(&net, rdl_any(hello))),
 *         rdl_repeat(3,
 *             rdl_expect(rdl_out(&net, rdl_bind(ping, id, the_id))),
 *             rdl_either(
 *                 rdl_expect(rdl_in(&net, rdl_bound(pong, id, the_id))),
 *                 rdl_expect(rdl_out(&net, rdl_is(alarm, .level = 1))))))
 *
 * All of these are expressions.  Inside of a function what they make lives as long as the
 * block they stand in; outside of functions, for ever:
 *
 *     static const struct rdl_step *const greeting = rdl_sequence(...);
 *
 * Functions that a spec names to decide something (rdl_if, rdl_answer) must depend on nothing
 * but what they are given, and change nothing else: they are called as often as it takes. */
#ifndef RADDLE_EVENTS_H
#define RADDLE_EVENTS_H

#include <stdio.h>

#include <raddle/base.h>

#ifdef RDL__OF_THE_SYSTEM
#pragma GCC system_header
#endif

/* ---- Types of events ------------------------------------------------------------------- */

/* RDL_EVENT(name, type of what it carries, .field = ..., ...);
 *
 *   .same     are two of them the same?  Without: all their bytes are
 *   .show     print it, on one line; without, the debugging information of the program (-g)
 *             says how
 *   .is_a     rdl_type(another): each of this type is one of that type, too, whose data is
 *             how this one's begins */
#define RDL_EVENT(event, Type, ...)                                                                \
    RDL__MADE_OF_BYTES(Type)                                                                       \
    typedef Type rdl_data_##event;                                                                 \
    RDL__CLEAR(rdl_clear_data_##event, Type)                                                       \
    __attribute__((unused)) static const struct {                                                  \
        RDL__EVENT_TYPE(Type);                                                                     \
        Type *rdl__type_data;                                                                      \
    } rdl_event_##event = {                                                                        \
        .name = #event,                                                                            \
        .size = sizeof(Type),                                                                      \
        .clear = rdl_clear_data_##event,                                                           \
        ##__VA_ARGS__,                                                                             \
    }

/* The type itself, for .is_a and for functions that take one. */
#define rdl_type(event) ((const struct rdl_event_type *)&rdl_event_##event)

#define RDL__EVENT_TYPE(Type)                                                                      \
    const char *name;                                                                              \
    size_t size;                                                                                   \
    bool varies; /* events may be larger than size */                                              \
    void (*clear)(void *it);                                                                       \
    const struct rdl_event_type *is_a;                                                             \
    const void *operation; /* of a spec, of which it is a call */                                  \
    bool (*same)(__typeof__(Type) const *a, __typeof__(Type) const *b);                            \
    void (*show)(FILE * out, __typeof__(Type) const *it)

struct rdl_event_type {
    RDL__EVENT_TYPE(void);
} __attribute__((may_alias));

/* Bytes as they come from a file or a socket (raddle/streams.h). */
__extension__ struct rdl_frame {
    uint32_t size;
    char bytes[];
};
typedef struct rdl_frame rdl_data_frame;
RDL__API_VAR const struct rdl_event_type rdl_event_frame;

/* The component came to a sudden end: see rdl_faults. */
struct rdl_fault {
    int kind;
    int number; /* of the signal, or the exit status */
};
enum {
    RDL_FAULT_EXIT = 1,
    RDL_FAULT_SIGNAL = 2, /* a failed assertion is SIGABRT */
};
typedef struct rdl_fault rdl_data_fault;
RDL__API_VAR const struct rdl_event_type rdl_event_fault;

/* Nothing more comes over a connection: `closed` if it was ended in order, `broken` if not,
 * `ended` for either.  It comes from the side that ended it. */
enum rdl_ending {
    RDL_CLOSED,       /* after a whole frame */
    RDL_CUT_SHORT,    /* closed in the middle of a frame */
    RDL_RESET,        /* as sockets are when somebody goes without having read everything */
    RDL_MALFORMED,    /* the framing, or what decodes, cannot make anything of it */
    RDL_TOO_LARGE,    /* a frame that is larger than the framing allows */
    RDL_UNREADABLE,   /* the descriptor cannot be read: the test has closed it, say */
    RDL_UNREACHABLE,  /* nobody is there who reads, or accepts a connection */
    RDL_ONE_TOO_MANY, /* more clients have come than there are ports */
};
struct rdl_ended {
    enum rdl_ending how;
    uint32_t bytes; /* of a frame that was not whole, as many as there were */
};
typedef struct rdl_ended rdl_data_ended, rdl_data_closed, rdl_data_broken;
RDL__API_VAR const struct rdl_event_type rdl_event_ended, rdl_event_closed, rdl_event_broken;

/* ---- Which events ------------------------------------------------------------------------ */

enum rdl_direction {
    RDL_IN = 1,  /* to the component */
    RDL_OUT = 2, /* from it */
};

/* Where events pass; raddle/streams.h has what one can be connected with. */
struct rdl_port {
    const char *name;
    struct rdl__port *link RDL__UNSET; /* ours */
};

/* Where crashes, failed assertions and exits of the component come out, if a spec mentions
 * them:
 *
 *     rdl_expect(rdl_out(&rdl_faults, rdl_is(fault, RDL_FAULT_SIGNAL, SIGABRT)))
 *
 * The thread that it happened in ends there.  Other specs do not hide them: the case fails.
 * (Threads of a test, in an RDL_EXPLORE; processes are in raddle/streams.h.)  If it may happen
 * before rdl_stream is called, connect it: rdl_connect(t, &rdl_faults). */
RDL__API_VAR struct rdl_port rdl_faults;

struct rdl_event {
    struct rdl_port *port;
    enum rdl_direction direction;
    const struct rdl_event_type *type;
    const void *data;
    size_t size;
};

/* A value that is bound by an event, and that later ones are compared with:
 *
 *     RDL_SLOT(uint32_t, the_id);
 *
 * Functions of the spec find it by rdl_slot(the_id). */
#define RDL_SLOT(Type, slot)                                                                       \
    RDL__MADE_OF_BYTES(Type)                                                                       \
    typedef Type rdl_slot_type_##slot;                                                             \
    __attribute__((unused)) static const struct rdl_slot rdl_slot_##slot = {#slot, sizeof(Type)}

#define rdl_slot(slot) (*(const rdl_slot_type_##slot *)rdl__slot(&rdl_slot_##slot))

struct rdl_slot {
    const char *name;
    size_t size;
};
RDL_API const void *rdl__slot(const struct rdl_slot *slot);

enum rdl__condition_kind {
    RDL__COND_NONE,
    RDL__COND_ANY,
    RDL__COND_IS,
    RDL__COND_IF,
    RDL__COND_FIELD,
    RDL__COND_TEXT,
    RDL__COND_BIND,
    RDL__COND_BOUND,
    RDL__COND_ASKS,    /* an answer can be made of it, which is kept; in recorded streams */
    RDL__COND_ANSWERS, /* it is that answer */
    RDL__COND_HOLDS,   /* a predicate of ours, which is asked with `value` */
};

struct rdl__predicate;

struct rdl_condition {
    enum rdl__condition_kind kind;
    const struct rdl_event_type *type;
    const void *value; /* IS, FIELD, TEXT, HOLDS */
    bool (*holds)(const void *data);
    const struct rdl__predicate *predicate;
    const char *name; /* of the function, or of the field */
    size_t offset, size;
    const struct rdl_slot *slot;
    const struct rdl_step *answer; /* ASKS, ANSWERS */
};

/* Any event of the type, and of those that are one, too. */
#define rdl_any(event) RDL__COND(RDL__COND_ANY, rdl_type(event), .value = NULL)

/* This very value: rdl_is(ping, .id = 3); fields that are not named are 0. */
#define rdl_is(event, ...)                                                                         \
    RDL__COND(RDL__COND_IS, rdl_type(event), .value = RDL__KEPT(rdl_data_##event, __VA_ARGS__))

/* Those for which a function says so:  bool is_late(const struct ping *it). */
#define rdl_if(event, function)                                                                    \
    RDL__COND(                                                                                     \
        RDL__COND_IF, rdl_type(event),                                                             \
        .holds = (bool (*)(const void *))(0 ? (bool (*)(const rdl_data_##event *))0 : (function)), \
        .name = #function)

/* Those with this in one of the fields: rdl_field(ping, id, 3). */
#define rdl_field(event, field, ...)                                                               \
    RDL__COND(RDL__COND_FIELD, rdl_type(event),                                                    \
              .value = RDL__KEPT(__typeof__(((rdl_data_##event *)0)->field), __VA_ARGS__),         \
              .name = #field, .offset = offsetof(rdl_data_##event, field),                         \
              .size = sizeof(((rdl_data_##event *)0)->field))

/* Frames of this text, in which * stands for anything, and \ for the character after it:
 * rdl_text("+OK\r\n"). */
#define rdl_text(pattern) RDL__COND(RDL__COND_TEXT, &rdl_event_frame, .value = (pattern))

/* Keep what is in the field; compare the field with what was kept. */
#define rdl_bind(event, field, the_slot)  RDL__SLOTTED(RDL__COND_BIND, event, field, the_slot)
#define rdl_bound(event, field, the_slot) RDL__SLOTTED(RDL__COND_BOUND, event, field, the_slot)
#define RDL__SLOTTED(kind_, event, field, the_slot)                                                \
    RDL__COND(kind_, rdl_type(event), .name = #field, .offset = offsetof(rdl_data_##event, field), \
              .size = sizeof(((rdl_data_##event *)0)->field), .slot = &rdl_slot_##the_slot)

/* Keep the whole event. */
#define rdl_bind_all(event, the_slot)                                                              \
    RDL__COND(RDL__COND_BIND, rdl_type(event), .size = sizeof(rdl_data_##event),                   \
              .slot = &rdl_slot_##the_slot)

/* Events of a port, of which all these conditions hold:
 * rdl_out(&net, rdl_any(ping), rdl_field(ping, id, 3)). */
struct rdl_pattern {
    struct rdl_port *port;
    enum rdl_direction direction;
    const struct rdl_condition *conditions; /* the last has kind 0 */
};
#define rdl_in(port, ...)  RDL__PATTERN(port, RDL_IN, __VA_ARGS__)
#define rdl_out(port, ...) RDL__PATTERN(port, RDL_OUT, __VA_ARGS__)
#ifdef __cplusplus
#define RDL__COND(kind_, type_, ...)                                                               \
    rdl_condition                                                                                  \
    {                                                                                              \
        .kind = (kind_), .type = (type_), __VA_ARGS__                                              \
    }
#define RDL__PATTERN(port_, direction_, ...)                                                       \
    rdl__kept(rdl_pattern{(port_), (direction_),                                                   \
                          rdl__kept_all<rdl_condition>({__VA_ARGS__, rdl_condition{}})})
#else
#define RDL__COND(kind_, type_, ...)                                                               \
    {                                                                                              \
        .kind = (kind_), .type = (type_), __VA_ARGS__                                              \
    }
#define RDL__PATTERN(port_, direction_, ...)                                                       \
    (&(const struct rdl_pattern){(port_), (direction_),                                            \
                                 (const struct rdl_condition[]){__VA_ARGS__, {.kind = 0}}})
#endif

/* ---- Steps ---------------------------------------------------------------------------------- */

struct rdl_step;

/* One event, which is forwarded to whom it is for. */
#define rdl_expect(pattern_) RDL__STEP(RDL__STEP_EXPECT, .pattern = (pattern_))

/* One after the other. */
#define rdl_sequence(...) RDL__BLOCK(RDL__STEP_SEQUENCE, __VA_ARGS__)

/* One of several. */
#define rdl_either(...) RDL__BLOCK(RDL__STEP_EITHER, __VA_ARGS__)

/* The same, but all that have the same tag (a text) take the same one, by number: which, the
 * first of them decides, for the whole stream:
 *
 *     rdl_sequence(rdl_either_as("mode", rdl_expect(fast), rdl_expect(slow)),
 *                  rdl_either_as("mode", rdl_expect(sent), rdl_expect(queued))) */
#define rdl_either_as(tag, ...)                                                                    \
    RDL__STEP(RDL__STEP_EITHER, .parts = RDL__PARTS(__VA_ARGS__), .name = (tag))

/* Nothing: rdl_either(rdl_no_events, rdl_expect(...)). */
#define rdl_no_events RDL__STEP(RDL__STEP_NOTHING, .parts = NULL)

/* A sequence: once or not at all; n times; at least min and at most max times (RDL_MANY: there
 * is no most); any number of times; at least once. */
#define rdl_optional(...)            RDL__LOOP(0, 1, __VA_ARGS__)
#define rdl_repeat(n, ...)           RDL__LOOP(n, n, __VA_ARGS__)
#define rdl_between(min_, max_, ...) RDL__LOOP(min_, max_, __VA_ARGS__)
#define rdl_star(...)                RDL__LOOP(0, RDL_MANY, __VA_ARGS__)
#define rdl_plus(...)                RDL__LOOP(1, RDL_MANY, __VA_ARGS__)
#define RDL_MANY                     UINT32_MAX

/* Events (rdl_expect, rdl_answer), each once, in whatever order.  In the second form none of
 * them is forwarded or answered before the last of them has come. */
#define rdl_unordered(...)        RDL__BLOCK(RDL__STEP_UNORDERED, __VA_ARGS__)
#define rdl_unordered_at_end(...) RDL__BLOCK(RDL__STEP_UNORDERED_AT_END, __VA_ARGS__)

/* Each of these steps is gone through once, and their events are mixed in any way.  They can be
 * of all kinds, but the test does nothing in them (rdl_trigger, ...) other than to answer.  A rule
 * in one of them is about events that it could take as its own: what one forbids, another may
 * allow. */
#define rdl_interleaved(...) RDL__BLOCK(RDL__STEP_INTERLEAVED, __VA_ARGS__)

/* Any number of copies of a sequence, none too, interleaved.  Of those that have begun and not come
 * to their end there can be 8 at a time; a stream with more can not be judged.  What is bound in it
 * (rdl_bind) is bound for all copies.  There is no rdl_within in it. */
#define rdl_replicated(...) RDL__BLOCK(RDL__STEP_REPLICATED, __VA_ARGS__)

/* A sequence that takes no longer than so many milliseconds from when its turn comes. */
#define rdl_within(ms, ...)                                                                        \
    RDL__STEP(RDL__STEP_WITHIN, .parts = RDL__PARTS(__VA_ARGS__), .deadline_ms = (double)(ms))

/* ---- Rules --------------------------------------------------------------------------------- */

/* They stand at the beginning of a sequence or of a step that is one (rdl_repeat, ...), and hold
 * until its last step is taken (those of the whole spec, until the stream ends), also in what it
 * is made of, unless that has a rule of its own for the same event.  Of two rules in the same
 * place, the last counts.  Where a stream can be understood in several ways, each is asked for
 * itself: rules are for events that no step waits for in this way:
 *
 *   rdl_allow     it is forwarded, whenever it comes, and however often
 *   rdl_drop      it is swallowed
 *   rdl_disallow  the stream is wrong
 *
 * Not a rule but more steps, which may come at any place of the sequence:
 *
 *   rdl_require   one such event, each time that the sequence is gone through */
#define rdl_allow(pattern_)    RDL__STEP(RDL__STEP_ALLOW, .pattern = (pattern_))
#define rdl_drop(pattern_)     RDL__STEP(RDL__STEP_DROP, .pattern = (pattern_))
#define rdl_disallow(pattern_) RDL__STEP(RDL__STEP_DISALLOW, .pattern = (pattern_))
#define rdl_require(pattern_)  RDL__STEP(RDL__STEP_REQUIRE, .pattern = (pattern_))

/* What becomes of events of a type for which there is neither step nor rule, on whatever port:
 *
 *     enum rdl_fate forgive(const struct ping *it);
 *     rdl_otherwise(ping, forgive)
 *
 * It stands at the beginning of the whole spec.  If there are several for an event, that of
 * the narrowest type counts. */
enum rdl_fate {
    RDL_FORWARD,
    RDL_SWALLOW,
    RDL_REFUSE,
};
#define rdl_otherwise(event, function)                                                             \
    RDL__STEP(RDL__STEP_OTHERWISE, .type = rdl_type(event), .name = #function,                     \
              .decide = (enum rdl_fate(*)(const void *))(                                          \
                  0 ? (enum rdl_fate(*)(const rdl_data_##event *))0 : (function)))

/* ---- What the test does ---------------------------------------------------------------- */

/* Each is done as soon as it is certain that its turn has come.  Where an event could come instead
 * (a branch or a loop that begins with an action) nothing in the stream decides: it is done when
 * nobody does anything any more, or when an event comes that has a place only afterwards.  A
 * warning tells of such places. */

/* Send an event into the component; one that a function makes, which is called once. */
#define rdl_trigger(port_, event, ...)                                                             \
    RDL__STEP(RDL__STEP_TRIGGER, .port = (port_), .type = rdl_type(event),                         \
              .value = RDL__KEPT(rdl_data_##event, __VA_ARGS__))
#define rdl_trigger_by(port_, event, function)                                                     \
    RDL__STEP(RDL__STEP_TRIGGER, .port = (port_), .type = rdl_type(event), .name = #function,      \
              .make = (void (*)(void *))(0 ? (void (*)(rdl_data_##event *))0 : (function)))

/* Send these bytes, a literal, as a frame: rdl_trigger_text(&net, "PING\r\n"). */
#define rdl_trigger_text(port_, text)                                                              \
    RDL__STEP(RDL__STEP_TRIGGER, .port = (port_), .type = &rdl_event_frame,                        \
              .value = RDL__FRAME("" text))

/* Call a function:  void step(void). */
#define rdl_do(function) RDL__STEP(RDL__STEP_DO, .name = #function, .act = (function))

/* Look at the component when all that has happened so far has been dealt with:
 * bool is_idle(const struct pinger *it). */
#define rdl_inspect(function, object_)                                                             \
    RDL__STEP(RDL__STEP_INSPECT, .object = (object_), .name = #function,                           \
              .holds = (bool (*)(const void *))(0 ? (bool (*)(__typeof__(*(object_)) const *))0    \
                                                  : (function)))

/* An event that is not forwarded, but answered by another, into the component:
 *
 *     bool echo(const struct request *request, struct response *out);
 *     rdl_answer(rdl_out(&net, rdl_any(request)), request, echo, &net, response)
 *
 * If the function returns false, it is not such an event.  Where the stream leaves it open which of
 * two functions answers, the spec is refused, whatever they return: say in the patterns which
 * requests are whose (rdl_if). */
#define rdl_answer(pattern_, request, function, port_, response)                                   \
    RDL__STEP(                                                                                     \
        RDL__STEP_ANSWER, .pattern = (pattern_), .port = (port_), .type = rdl_type(response),      \
        .name = #function,                                                                         \
        .reply = (bool (*)(const void *, void *))(                                                 \
            0 ? (bool (*)(const rdl_data_##request *, rdl_data_##response *))0 : (function)))

/* Several answers in a row, which are sent, in this order, after the last request. */
#define rdl_answers(...) RDL__BLOCK(RDL__STEP_ANSWERS, __VA_ARGS__)

/* ---- Recorded streams ------------------------------------------------------------------------ */

/* RDL_STREAM_SPEC(name, step);   outside of functions: a spec that `raddle match` finds in the
 * library that it is in, and checks logs against.  In a log there is nobody to act:
 *
 *   rdl_trigger  is such an event, into the component
 *   rdl_answer   is the request, and then the answer, somewhere in the rest of the sequence
 *   rdl_drop     is rdl_allow
 *   rdl_do, rdl_inspect  are passed over */
#define RDL_STREAM_SPEC(spec, step_)                                                               \
    static const struct rdl_stream_spec rdl_stream_spec_##spec = {                                 \
        .name = #spec, .file = __FILE__, .line = __LINE__, .step = (step_)};                       \
    RDL__BEFORE_MAIN(rdl_register_stream_spec_##spec)                                              \
    {                                                                                              \
        rdl__register_stream_spec(&rdl_stream_spec_##spec);                                        \
    }                                                                                              \
    RDL__END_OF_MACRO

struct rdl_stream_spec {
    const char *name;
    const char *file;
    int line;
    const struct rdl_step *step;
};
RDL_API void rdl__register_stream_spec(const struct rdl_stream_spec *spec);

/* ---- How they are kept -------------------------------------------------------------------- */

enum rdl__step_kind {
    RDL__STEP_EXPECT = 1,
    RDL__STEP_ANSWER,
    RDL__STEP_CALL, /* of an operation (raddle/callouts.h) */
    RDL__STEP_SEQUENCE,
    RDL__STEP_EITHER,
    RDL__STEP_REPEAT,
    RDL__STEP_UNORDERED,
    RDL__STEP_UNORDERED_AT_END,
    RDL__STEP_ANSWERS,
    RDL__STEP_INTERLEAVED,
    RDL__STEP_REPLICATED,
    RDL__STEP_NOTHING,
    RDL__STEP_WITHIN,
    RDL__STEP_ALLOW,
    RDL__STEP_DROP,
    RDL__STEP_DISALLOW,
    RDL__STEP_REQUIRE,
    RDL__STEP_OTHERWISE,
    RDL__STEP_TRIGGER,
    RDL__STEP_DO,
    RDL__STEP_INSPECT,
    RDL__STEP_RELEASE,  /* of a call that waits (raddle/callouts.h) */
    RDL__STEP_CALLS_OF, /* what another operation calls (raddle/callouts.h) */
};

struct rdl_step {
    enum rdl__step_kind kind;
    const char *file;
    int line;
    const struct rdl_pattern *pattern;
    const struct rdl_step *const *parts; /* NULL ends them */
    uint32_t min, max;
    double deadline_ms;
    struct rdl_port *port;
    const struct rdl_event_type *type;
    const void *value;
    size_t value_size;     /* CALL, RELEASE: of the answer, which is `value`; NULL: none is said */
    bool blocks;           /* CALL: it waits until it is released */
    const void *operation; /* CALL: which; of no concern here */
    const void *object;
    const char *name; /* the tag of an EITHER; or of the function: */
    void (*make)(void *out);
    void (*act)(void);
    bool (*holds)(const void *object);
    bool (*reply)(const void *request, void *out);
    enum rdl_fate (*decide)(const void *data);
};

#define RDL__BLOCK(kind_, ...) RDL__STEP(kind_, .parts = RDL__PARTS(__VA_ARGS__))
#define RDL__LOOP(min_, max_, ...)                                                                 \
    RDL__STEP(RDL__STEP_REPEAT, .parts = RDL__PARTS(__VA_ARGS__), .min = (uint32_t)(min_),         \
              .max = (uint32_t)(max_))
#ifdef __cplusplus
#define RDL__STEP(kind_, ...)                                                                      \
    ((const rdl_step *)rdl__kept(                                                                  \
        rdl_step{.kind = (kind_), .file = __FILE__, .line = __LINE__, __VA_ARGS__}))
#define RDL__PARTS(...)  (rdl__kept_all<const rdl_step *>({__VA_ARGS__, nullptr}))
#define RDL__FRAME(text) (rdl__kept(rdl__text_frame<sizeof(text)>(text)))

extern "C++" {
template <size_t n> struct rdl__frame_of {
    uint32_t size;
    char bytes[n];
};

template <size_t n> rdl__frame_of<n> rdl__text_frame(const char (&text)[n])
{
    rdl__frame_of<n> frame = {n - 1, {}};

    __builtin_memcpy(frame.bytes, text, n);
    return frame;
}
}
#else
#define RDL__STEP(kind_, ...)                                                                      \
    (&(const struct rdl_step){.kind = (kind_), .file = __FILE__, .line = __LINE__, __VA_ARGS__})
#define RDL__PARTS(...)                                                                            \
    (const struct rdl_step *const[])                                                               \
    {                                                                                              \
        __VA_ARGS__, NULL                                                                          \
    }
#define RDL__FRAME(text)                                                                           \
    &(const struct {                                                                               \
        uint32_t size;                                                                             \
        char bytes[sizeof(text)];                                                                  \
    })                                                                                             \
    {                                                                                              \
        sizeof(text) - 1, text                                                                     \
    }
#endif

#endif
