/* events.h -- the event language inside: a spec becomes a program, a matcher follows it.
 *
 * The program is an automaton whose configurations carry their own counters, sets of what is
 * still to come, deadlines and bound values.  A matcher keeps all configurations that what has
 * been seen can have led to; those that are equal are one.  To match is pure: what is to be
 * done (forward, answer, trigger, ...) is told to whoever feeds the events, once it is clear
 * that all configurations agree.
 *
 * Nothing here knows what a message is, or where it comes from. */
#ifndef RDL__EVENTS_H
#define RDL__EVENTS_H

#include "base/error.h"
#include "base/json_scan.h"
#include "base/memory.h"
#include "base/text.h"
#include "raddle/events.h"

/* ---- Patterns ------------------------------------------------------------------------------- */

struct rdl__program;

/* A condition that is made at run time, by others: RDL__COND_HOLDS.  `it` is the condition's value.
 * Two are the same if they have the same predicate and the very same value. */
struct rdl__predicate {
    bool (*holds)(const void *it, const void *data);

    /* After the name of the type: " with ...". */
    void (*show)(struct rdl__text *out, const void *it);

    /* For rdl__step_copy; NULL: it lives long enough. */
    const void *(*copy)(struct rdl__arena *arena, const void *it);
};

/* Is an event of this type one of that type? */
bool rdl__is_a(const struct rdl_event_type *type, const struct rdl_event_type *that);

/* Do all conditions hold, other than those about slots? */
bool rdl__pattern_holds(const struct rdl_pattern *pattern, const struct rdl_event *event);

/* Does this one? */
bool rdl__condition_holds(const struct rdl_condition *condition, const struct rdl_event *event);

/* The narrowest of the types that a pattern names. */
const struct rdl_event_type *rdl__pattern_type(const struct rdl_pattern *pattern);

/* Do they say the same? */
bool rdl__patterns_are_equal(const struct rdl_pattern *a, const struct rdl_pattern *b);

/* Is every event of a surely one of b? */
bool rdl__pattern_implies(const struct rdl_pattern *a, const struct rdl_pattern *b);

void rdl__pattern_show(struct rdl__text *out, const struct rdl_pattern *pattern);
void rdl__event_show(struct rdl__text *out, const struct rdl_event *event);

/* ---- What events carry: data.c --------------------------------------------------------------- */

/* Find what these types are made of, all at once, since it takes long.  Otherwise each is looked
 * up when it is first needed. */
void rdl__events_learn(const struct rdl_event_type *const *types, size_t count);

void rdl__data_show(struct rdl__text *out, const struct rdl_event_type *type, const void *data,
                    size_t size);

/* What one of the fields is: by the field's type, or as a number or bytes. */
void rdl__field_show(struct rdl__text *out, const struct rdl_event_type *type, const char *field,
                     const void *value, size_t size);

/* From JSON.  There is room for all that it may be: a frame is no longer than the text.  False:
 * error says what is wrong. */
bool rdl__data_read(const struct rdl_event_type *type, struct rdl__json_scan *scan, void *out,
                    struct rdl__error *error);

static inline size_t rdl__data_size(const struct rdl_event_type *type, const void *data)
{
    const struct rdl_frame *frame = data;

    return type == &rdl_event_frame ? sizeof *frame + frame->size : type->size;
}

/* ---- Steps ---------------------------------------------------------------------------------- */

uint32_t rdl__step_count_parts(const struct rdl_step *step);

/* A copy of all that a spec is made of, but for names, slots, ports and types: for specs that are
 * expressions of a block that is about to end. */
const struct rdl_step *rdl__step_copy(struct rdl__arena *arena, const struct rdl_step *step);

/* Do they surely say the same? */
bool rdl__steps_are_equal(const struct rdl_step *a, const struct rdl_step *b);

enum rdl__walk_choice {
    RDL__WALK_BRANCH, /* which of so many alternatives? */
    RDL__WALK_AGAIN,  /* a loop: 1, once more; 0, on */
    RDL__WALK_PART,   /* which of so many parts that are mixed with each other goes on? */
};
typedef uint32_t rdl__walk_choose(void *it, enum rdl__walk_choice what, uint32_t count);

/* Go through a spec forwards, by choices (less than count): the steps of one stream that it allows,
 * in their order, each of which waits for an event (EXPECT, CALL, ANSWER, REQUIRE), or releases who
 * waits.  Rules do not matter, nor does what else the test does. */
const struct rdl_step *const *rdl__step_walk(struct rdl__arena *arena, const struct rdl_step *spec,
                                             rdl__walk_choose *choose, void *it,
                                             uint32_t *out_count);

/* ---- Programs ------------------------------------------------------------------------------- */

/* Compile a spec, whose steps must live as long as the program.  NULL: error says what is wrong
 * with it, and where. */
struct rdl__program *rdl__program_new(const struct rdl_step *spec, struct rdl__error *error);

/* The same for specs that live for but a few events: that what they make the test do is ambiguous
 * is found when it happens (RDL__CONFUSED), and there are no warnings.  The second makes another
 * program of one, in the same memory; if it fails, nothing can be done with it other than that. */
struct rdl__program *rdl__program_new_unchecked(const struct rdl_step *spec,
                                                struct rdl__error *error);
bool rdl__program_reset(struct rdl__program *program, const struct rdl_step *spec,
                        struct rdl__error *error);

void rdl__program_free(struct rdl__program *program);

/* What may be wrong with it; "" if nothing. */
const char *rdl__program_warnings(const struct rdl__program *program);

/* ---- Recorded streams ------------------------------------------------------------------------ */

/* All that RDL_STREAM_SPEC has made. */
const struct rdl_stream_spec *const *rdl__stream_specs(size_t *out_count);

/* A spec for what has been recorded, in which nobody acts; with the names that it knows. */
struct rdl__recorded {
    const struct rdl_step *spec;
    struct rdl_port **ports;
    size_t port_count;
    const struct rdl_event_type **types;
    size_t type_count;
    uint32_t passed_over; /* steps: rdl_do, rdl_inspect */
    bool has_deadlines;
    struct rdl__arena arena; /* what the spec is made of */
};

/* False: error says what cannot be told apart in a log. */
bool rdl__recorded_init(struct rdl__recorded *out, const struct rdl_step *spec,
                        struct rdl__error *error);
void rdl__recorded_release(struct rdl__recorded *recorded);

/* ---- Matchers -------------------------------------------------------------------------------- */

struct rdl__matcher;

/* `now` counts nanoseconds.  live_max: so many configurations are too many; 0: 10,000. */
struct rdl__matcher *rdl__matcher_new(const struct rdl__program *program, uint64_t now,
                                      uint32_t live_max);
void rdl__matcher_free(struct rdl__matcher *m);

/* The same again, from the beginning, or for another program. */
void rdl__matcher_reset(struct rdl__matcher *m, const struct rdl__program *program, uint64_t now);

enum rdl__taken {
    RDL__TAKEN,     /* see effect */
    RDL__ACT_FIRST, /* not before what rdl__matcher_act names has been done: offer it again then */
    RDL__REFUSED,   /* no stream goes on like this */
    RDL__CONFUSED,  /* what is to be done with it depends on what comes later */
    RDL__TOO_MANY,  /* configurations */
};

enum rdl__effect_kind {
    RDL__FORWARD,
    RDL__SWALLOW,
    RDL__REPLY,      /* by what step->reply made of it */
    RDL__HOLD,       /* forward it when held events are released */
    RDL__HOLD_REPLY, /* reply then */
};

struct rdl__effect {
    enum rdl__effect_kind kind;
    const struct rdl_step *step; /* that wants it so; NULL: rdl_otherwise */
    const void *reply;           /* lent until the next event */
};

/* An event has come. */
enum rdl__taken rdl__matcher_event(struct rdl__matcher *m, const struct rdl_event *event,
                                   struct rdl__effect *out);

enum rdl__when {
    RDL__ALL_AGREE, /* all configurations stand before it */
    RDL__IS_QUIET,  /* or what others wait for does not come, and the stream is not complete */
    RDL__IS_NEEDED, /* or there is an event that only those can take that have done it */
};

/* What the test has to do now; NULL: nothing, or it is not known what.  A step of kind
 * RDL__STEP_UNORDERED_AT_END or RDL__STEP_ANSWERS: release what is held. */
const struct rdl_step *rdl__matcher_act(const struct rdl__matcher *m, enum rdl__when when);

/* Is something to be done, but do not all want the same?  Then nothing ever will be. */
bool rdl__matcher_is_torn(const struct rdl__matcher *m, enum rdl__when when);

/* It is done, or about to be. */
void rdl__matcher_acted(struct rdl__matcher *m);

/* May the stream end here? */
bool rdl__matcher_is_complete(const struct rdl__matcher *m);

/* When the first deadline is over; UINT64_MAX: there is none.  Time has come to this; false:
 * it has run out. */
uint64_t rdl__matcher_deadline(const struct rdl__matcher *m);
bool rdl__matcher_time(struct rdl__matcher *m, uint64_t now);

/* What was expected: one pattern, or what else is waited for, a line. */
void rdl__matcher_expected(const struct rdl__matcher *m, struct rdl__text *out);

/* How it could come to this: for reports, after a refusal. */
void rdl__matcher_explain(const struct rdl__matcher *m, struct rdl__text *out);

/* Why was an event refused?  The first of these that is true, where steps that take all events of
 * a type count less: */
enum rdl__why_kind {
    RDL__WHY_FORBIDDEN,  /* by a rule: closest */
    RDL__WHY_EARLY,      /* a step waits for such an event that it is not the turn of, and that has
                            not taken one before: closest */
    RDL__WHY_OTHER_DATA, /* one of its type is expected now, but it must be another: closest */
    RDL__WHY_AGAIN,      /* a step waits for such an event, but not now, and it has had one */
    RDL__WHY_NOT_NOW, /* one of its type has a place somewhere, but it must be another: closest */
    RDL__WHY_UNKNOWN, /* none of its type has any place, there */
};

struct rdl__why {
    enum rdl__why_kind kind;
    const struct rdl_step *closest;     /* of several, that which it differs least from */
    const struct rdl_condition *failed; /* OTHER_DATA, NOT_NOW: the first that does not hold */
};

/* After a refusal of this event. */
struct rdl__why rdl__matcher_why(const struct rdl__matcher *m, const struct rdl_event *event);

/* How many events have been taken; how many configurations there are. */
uint64_t rdl__matcher_events(const struct rdl__matcher *m);
uint32_t rdl__matcher_live(const struct rdl__matcher *m);

#endif
