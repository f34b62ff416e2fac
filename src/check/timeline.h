/* timeline.h -- a case as it can be drawn: lanes, and what happened in them, over logical time.
 *
 * It is made of the trace: the steps of controlled threads, and what drivers tell of calls,
 * answers, states, messages, gates and ticks.  Time is the order of things: whatever happens
 * has a moment of its own, from 0 on, and what lasts does so from one moment to another.
 *
 * The page for browsers, the picture in a terminal, `--trace` and `replay --step` show the same
 * timeline; JSON reports have it as it is:
 *
 *     {"moments": 12, "lost": 0,
 *      "lanes": [{"name": "client 0", "kind": "client"}, ...],
 *      "items": [{"kind": "call", "lane": 0, "from": 1, "to": 4, "title": "take(2)",
 *                 "detail": "returns", "place": "pool.c:31", "file": "docs/specs/pool.c",
 *                 "line": 31, "source": "pthread_mutex_lock(&p->lock);",
 *                 "before": "{free = 3}", "after": "{free = 1}", "possible": ["{free = 3}"],
 *                 "open": true, "matters": true, "fails": true}, ...],
 *      "arrows": [{"from": 3, "to": 7, "kind": "wakes", "text": ""}, ...],
 *      "sources": [{"file": "docs/specs/pool.c", "line": 30, "text": "{"}, ...]}
 *
 * kind, lane (null: it concerns all of them), from, to and title are always there, the others
 * if there is something to say.  Items are in order of `from`.  Arrows lead from item to item, by
 * number: `calls` to where the called item begins, `wakes` to where the wait ends, the others from
 * beginning to beginning.  A message is two items, at the same moment: where it comes from, and
 * where it goes.  `sources` has the lines around all that items name. */
#ifndef RDL__TIMELINE_H
#define RDL__TIMELINE_H

#include "base/memory.h"
#include "check/objects.h"
#include "check/words.h"
#include "observe/trace.h"
#include "run/board.h"

enum rdl__lane_kind {
    RDL__LANE_THREAD,
    RDL__LANE_CLIENT,    /* of a test of a spec; it may be a controlled thread */
    RDL__LANE_COMPONENT, /* or a function that is mocked */
    RDL__LANE_PORT,      /* of a stream of events */
    RDL__LANE_TEST,      /* who decides: the body of a test, a clock */
};
const char *rdl__lane_kind_name(enum rdl__lane_kind kind); /* "thread", ... */

struct rdl__lane {
    const char *name;
    enum rdl__lane_kind kind;
};

enum rdl__item_kind {
    RDL__ITEM_PHASE,   /* over all lanes: calls are given, and all run until it is quiet */
    RDL__ITEM_CALL,    /* lasts from its beginning to its return */
    RDL__ITEM_WAIT,    /* a thread is blocked; detail says what for */
    RDL__ITEM_STEP,    /* an operation of a controlled thread */
    RDL__ITEM_SWITCH,  /* a thread is preempted before this */
    RDL__ITEM_MESSAGE, /* an event of a stream; detail: what became of it */
    RDL__ITEM_GATE,    /* a thread comes to a gate, or passes it, or one is opened */
    RDL__ITEM_TICK,    /* of the test clock */
    RDL__ITEM_NOTE,    /* of the user's */
    RDL__ITEM_FAILURE, /* the end: title is what failed, detail why */
};
const char *rdl__item_kind_name(enum rdl__item_kind kind); /* "phase", ... */

enum { RDL__NO_LANE = UINT32_MAX };

/* Texts are never NULL; "" if there is nothing to say.  They may have lines. */
struct rdl__item {
    enum rdl__item_kind kind;
    uint32_t lane; /* or RDL__NO_LANE: it concerns all of them */
    uint32_t from, to;
    const char *title;  /* "enter(n = 0, weight = 100)", "locks mutex m" */
    const char *detail; /* "returns 3", "for mutex m, which client 1 holds since queue.c:88" */
    const char *place;  /* "bank.c:31", or a function */
    const char *file;   /* that line, as it was compiled, if it is known */
    int line;
    const char *source;   /* its text, if it is there to be read */
    const char *before;   /* the model's state, */
    const char *after;    /* and afterwards */
    const char *possible; /* all states that explained what was seen before it, a line each */
    bool open;            /* it has not come to its end */
    bool matters;         /* it is among the few that the report in words shows */
    bool fails;           /* it is what is wrong */
};

enum rdl__arrow_kind {
    RDL__ARROW_CALLS,    /* a call-out: from the caller to the callee */
    RDL__ARROW_SENDS,    /* a message, from port to port */
    RDL__ARROW_WAKES,    /* what ended a wait */
    RDL__ARROW_SWITCHES, /* a preemption: to who ran instead */
    RDL__ARROW_CREATES,  /* a thread */
};
const char *rdl__arrow_kind_name(enum rdl__arrow_kind kind); /* "calls", ... */

struct rdl__arrow {
    enum rdl__arrow_kind kind;
    uint32_t from, to; /* items, by number */
    const char *text;
};

struct rdl__source {
    const char *file;
    int line;
    const char *text; /* the line as it is in the file, without its end */
};

struct rdl__timeline {
    uint32_t moments;
    uint64_t lost; /* steps and events that there was no room for */
    struct rdl__lane *lanes;
    uint32_t lane_count;
    struct rdl__item *items;
    uint32_t count;
    struct rdl__arrow *arrows;
    uint32_t arrow_count;
    struct rdl__source *sources; /* sorted by file and line */
    uint32_t source_count;
    struct rdl__arena memory; /* of all texts */
};

struct rdl__schedule;

/* What there is to see in a case; nothing (count is 0) if it has neither threads nor calls.  The
 * schedule, of the same trace, says which steps matter. */
void rdl__timeline_read(struct rdl__timeline *out, const struct rdl__trace *trace,
                        const struct rdl__outcome *outcome, const struct rdl__step_words *words,
                        const struct rdl__schedule *schedule);
void rdl__timeline_release(struct rdl__timeline *timeline);

/* timeline_parts.c: the lines around all that items name. */
void rdl__timeline_read_sources(struct rdl__timeline *out, const struct rdl__lines *lines);

#endif
