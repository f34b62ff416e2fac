/* stream.c -- rdl_stream: events are taken one by one, and the spec says what becomes of them. */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "control/meet.h"
#include "drive/drive.h"
#include "drive/ports.h"
#include "drive/reader.h"
#include "events/match.h"
#include "port/blocked.h"
#include "raddle/threads.h"

enum {
    LAST = 20,
    DEADLINE_MS = 60000, /* of virtual time; */
    CASE_MS = 10000,     /* where time is real, most of what a case has: this is its default */
    ACTS_MAX = 100000,   /* in a row: more are without end */
};

struct rdl__stream {
    struct rdl_case *t;
    struct rdl__ports *ports;
    struct rdl__program *program;
    struct rdl__matcher *m;
    const char *file;
    int line;
    uint64_t until;
    double deadline_ms;
    struct rdl__queued *held, **held_end; /* until they are released */
    struct rdl__queued *last[LAST];       /* events, the newest at count % LAST */
    uint64_t count;
    uint64_t turns;
    uint32_t acts;                 /* since the last event */
    struct rdl__config *looked_at; /* a copy, for functions that look at slots */
    struct rdl__thread *self;
    pthread_t thread;
    bool is_over;
};

/* ---- What has been -------------------------------------------------------------------------- */

/* From the component to a port, or the other way round, unless it was drawn when it was emitted;
 * `what` became of it. */
static void draw(struct rdl__stream *s, const char *what, const struct rdl__queued *queued)
{
    const struct rdl_event *event = &queued->event;
    struct rdl__trace *trace = s->t->trace;
    bool is_in = event->direction == RDL_IN, is_refused = strcmp(what, "refused") == 0;
    struct rdl__text title = {0};
    uint32_t component, port;

    if (queued->drawn && *what)
        rdl__trace_state(trace, queued->drawn, is_refused ? "fails" : "became", what);
    if (queued->drawn)
        return;
    component = rdl__trace_lane(trace, "component", "component");
    port = rdl__trace_lane(trace, "port", event->port->name);
    rdl__event_show(&title, event);
    rdl__trace_point(trace, "message", is_in ? port : component, is_in ? component : port,
                     rdl__text_string(&title), what);
    rdl__text_release(&title);
}

static void tell(struct rdl__stream *s, const char *what, const struct rdl__queued *queued)
{
    struct rdl__text line = {0};

    if (!s->t->trace->on)
        return;
    rdl__text_add(&line, "%s%s", what, *what ? ": " : "");
    rdl__event_show(&line, &queued->event);
    rdl__tell(s->t, &line);
    draw(s, what, queued);
    rdl__text_release(&line);
}

/* An event may have led to so many others, taken before it is over, that it is old by now. */
static void remember(struct rdl__stream *s, struct rdl__queued *queued, uint64_t number)
{
    struct rdl__queued **place = &s->last[number % LAST];

    if (s->count > number + LAST) {
        free(queued);
        return;
    }
    free(*place);
    *place = queued;
}

static void add_last(const struct rdl__stream *s, struct rdl__text *out)
{
    uint64_t from = s->count > LAST ? s->count - LAST : 0;

    if (s->count > 0)
        rdl__text_add(out, from ? "the last %d events before it:\n" : "events before it:\n", LAST);
    for (uint64_t i = from; i < s->count; i++) {
        if (!s->last[i % LAST])
            continue; /* it is being delivered */
        rdl__text_add(out, "  %llu: ", (unsigned long long)i + 1);
        rdl__event_show(out, &s->last[i % LAST]->event);
        rdl__text_add(out, "\n");
    }
}

/* ---- Failures ------------------------------------------------------------------------------- */

_Noreturn static void fail(struct rdl__stream *s, const char *check, struct rdl__text *text)
{
    rdl__text_add(text, "expected:\n");
    rdl__matcher_expected(s->m, text);
    add_last(s, text);
    rdl__failed(s->file, s->line, check, "%s", rdl__text_string(text));
}

_Noreturn static void fail_event(struct rdl__stream *s, const struct rdl__queued *queued,
                                 enum rdl__taken why)
{
    const struct rdl_event *event = &queued->event;
    struct rdl__text text = {0};

    if (s->t->trace->on)
        draw(s, "refused", queued);
    rdl__text_add(&text, "event %llu: ", (unsigned long long)s->count + 1);
    rdl__event_show(&text, event);
    rdl__text_add(&text, "\n");
    rdl__matcher_explain(s->m, &text);
    if (why == RDL__TOO_MANY)
        fail(s, "there are too many ways to understand the stream", &text);
    if (why == RDL__CONFUSED)
        fail(s, "what becomes of an event cannot be known in time", &text);
    fail(s, "an event is not one that the spec has a place for", &text);
}

_Noreturn static void fail_short(struct rdl__stream *s)
{
    struct rdl__text text = {0};

    rdl__text_add(&text, "nobody does anything any more\n");
    rdl__gates_tell(&text, false);
    fail(s, "the stream ends too soon", &text);
}

/* Time passes quickly where nobody does anything: that is not what was too slow. */
_Noreturn static void fail_late(struct rdl__stream *s)
{
    struct rdl__text text = {0};

    if (rdl__ports_now() > s->until && !rdl__ports_are_hopeful())
        fail_short(s);
    if (rdl__ports_now() > s->until)
        rdl__text_add(&text, "it has taken longer than %g ms\n", s->deadline_ms);
    rdl__meet_lock(); /* of free threads, some may be on their way */
    rdl__gates_tell(&text, false);
    rdl__meet_unlock();
    if (rdl__matcher_is_complete(s->m))
        fail(s, "it has not become quiet in time", &text);
    fail(s, "an event has not come in time", &text);
}

/* Nobody will ever know which. */
_Noreturn static void fail_torn(struct rdl__stream *s)
{
    struct rdl__text text = {0};

    rdl__text_add(&text, "more than one way to understand the stream is left, and they differ\n");
    fail(s, "what is to be done cannot be known", &text);
}

uint64_t rdl__stream_until(const struct rdl__stream *s)
{
    uint64_t until = rdl__matcher_deadline(s->m);

    return until < s->until ? until : s->until;
}

void rdl__stream_stuck(struct rdl__stream *s, const struct rdl_event *event, const char *why)
{
    uint64_t now = rdl__ports_now();
    struct rdl__text text = {0};

    if (now <= s->until && rdl__matcher_time(s->m, now))
        return;
    rdl__event_show(&text, event);
    rdl__text_add(&text, "\n%s\n", why);
    fail(s, "an event cannot be forwarded in time", &text);
}

/* ---- What the test does --------------------------------------------------------------------- */

/* Functions may look at what is bound, as it is now; it may change while they run. */
static void look(struct rdl__stream *s, const struct rdl__config *config)
{
    size_t size = s->m->live.stride;

    if (!s->looked_at)
        s->looked_at = rdl__allocate(size);
    if (config)
        memcpy(s->looked_at, config, size);
    rdl__matcher_look(config ? s->m : NULL, config ? s->looked_at : NULL);
}

static size_t size_of_value(const struct rdl_step *step)
{
    const struct rdl_frame *frame = step->value;

    return step->type == &rdl_event_frame && frame ? sizeof *frame + frame->size : step->type->size;
}

static void trigger(struct rdl__stream *s, const struct rdl_step *step)
{
    struct rdl_event event = {step->port, RDL_IN, step->type, step->value, size_of_value(step)};
    struct rdl__queued *queued;
    void *made = NULL;

    if (step->make) {
        made = rdl__allocate(step->type->size + 1);
        step->make(made);
        event.data = made;
    }
    queued = rdl__queued_new(&event);
    free(made);
    tell(s, "trigger", queued);
    look(s, NULL);
    rdl__ports_deliver(s->ports, queued);
    free(queued);
}

static bool is_late(void *it)
{
    const struct rdl__stream *s = it;

    return rdl__ports_now() > s->until;
}

/* Free threads may never be, and processes neither. */
static void await_quiet(struct rdl__stream *s)
{
    if (rdl__self())
        rdl_until_quiet(s->t);
    else if (rdl__meet_until(s->t, is_late, s, true))
        fail_late(s);
}

static void inspect(struct rdl__stream *s, const struct rdl_step *step)
{
    await_quiet(s);
    if (!step->holds(step->object))
        rdl__failed(step->file, step->line, "rdl_inspect", "%s does not hold after event %llu",
                    step->name, (unsigned long long)s->count);
}

static void release_held(struct rdl__stream *s)
{
    struct rdl__queued *held = s->held;

    s->held = NULL;
    s->held_end = &s->held;
    while (held) {
        struct rdl__queued *next = held->next;

        rdl__ports_deliver(s->ports, held);
        free(held);
        held = next;
    }
}

static void act(struct rdl__stream *s, const struct rdl_step *step)
{
    if (++s->acts > ACTS_MAX)
        rdl__failed(step->file, step->line, "a step is done again and again", "%s",
                    "and no event comes that would end that");
    look(s, rdl__matcher_actor(s->m));
    rdl__matcher_acted(s->m);
    switch (step->kind) {
    case RDL__STEP_TRIGGER:
        trigger(s, step);
        break;
    case RDL__STEP_DO:
        step->act();
        break;
    case RDL__STEP_INSPECT:
        inspect(s, step);
        break;
    default:
        release_held(s);
        break;
    }
    look(s, NULL);
}

/* ---- Events --------------------------------------------------------------------------------- */

static void hold(struct rdl__stream *s, const struct rdl_event *event,
                 const struct rdl_frame *frame, struct rdl__asker *asker)
{
    *s->held_end = rdl__queued_framed(event, frame);
    (*s->held_end)->asker = asker;
    s->held_end = &(*s->held_end)->next;
}

static struct rdl_event reply_of(const struct rdl__effect *effect)
{
    return (struct rdl_event){effect->step->port, RDL_IN, effect->step->type, effect->reply,
                              effect->step->type->size};
}

/* The reply is lent until the next event, and there may be one before this is over. */
static void reply(struct rdl__stream *s, const struct rdl__effect *effect, struct rdl__asker *asker)
{
    struct rdl_event event = reply_of(effect);
    struct rdl__queued *queued = rdl__queued_new(&event);

    queued->asker = asker;
    tell(s, "answer", queued);
    rdl__ports_deliver(s->ports, queued);
    free(queued);
}

static void carry_out(struct rdl__stream *s, const struct rdl__queued *queued,
                      const struct rdl__effect *effect)
{
    struct rdl_event later;

    switch (effect->kind) {
    case RDL__FORWARD:
        rdl__ports_deliver(s->ports, queued);
        break;
    case RDL__SWALLOW:
        break;
    case RDL__REPLY:
        reply(s, effect, queued->asker);
        break;
    case RDL__HOLD:
        hold(s, &queued->event, queued->frame, queued->asker);
        break;
    case RDL__HOLD_REPLY:
        later = reply_of(effect);
        hold(s, &later, NULL, queued->asker);
        break;
    }
}

static void take(struct rdl__stream *s, struct rdl__queued *queued)
{
    const struct rdl_step *step;
    struct rdl__effect effect;
    uint64_t number;
    enum rdl__taken taken = rdl__matcher_event(s->m, &queued->event, &effect);

    if (taken == RDL__ACT_FIRST && (step = rdl__matcher_act(s->m, RDL__IS_NEEDED))) {
        rdl__ports_put_back(s->ports, queued);
        act(s, step);
        return;
    }
    if (taken != RDL__TAKEN)
        fail_event(s, queued, taken);
    tell(s, effect.kind == RDL__SWALLOW ? "dropped" : "", queued);
    s->acts = 0;
    number = s->count++;
    free(s->last[number % LAST]);
    s->last[number % LAST] = NULL;
    carry_out(s, queued, &effect);
    remember(s, queued, number);
}

/* ---- Going on ------------------------------------------------------------------------------- */

/* Whoever sleeps for a time again and again is never at rest.  But when there is no more time,
 * that is all that anybody does, and the stream is complete, it was right.  They may just be
 * awake, so that we have to look more than once. */
static bool is_right_in_the_end(const struct rdl__stream *s)
{
    enum { LOOKS = 1000 };
    bool all_sleep = false;

    if (rdl__self() || !rdl__matcher_is_complete(s->m))
        return false;
    for (int i = 0; i < LOOKS && !all_sleep && !rdl__ports_have(s->ports); i++) {
        all_sleep = rdl__blocked_all_sleep(s->t);
        if (!all_sleep)
            sched_yield();
    }
    return all_sleep && !rdl__ports_have(s->ports);
}

/* To ask what time it is takes longer than most of what is done here. */
static void keep_time(struct rdl__stream *s)
{
    enum { NOW_AND_THEN = 64 };
    uint64_t now;

    if (!s->m->has_deadlines && s->turns++ % NOW_AND_THEN != 0)
        return;
    now = rdl__ports_now();
    if (now > s->until && is_right_in_the_end(s))
        s->is_over = true;
    else if (now > s->until || !rdl__matcher_time(s->m, now))
        fail_late(s);
}

/* Nobody will do anything before time has passed. */
static void when_quiet(struct rdl__stream *s)
{
    const struct rdl_step *step = rdl__matcher_act(s->m, RDL__IS_QUIET);

    if (step)
        act(s, step);
    else if (rdl__matcher_is_torn(s->m, RDL__IS_QUIET))
        fail_torn(s);
    else if (rdl__matcher_is_complete(s->m))
        s->is_over = true;
    else if (!rdl__ports_are_hopeful())
        fail_short(s);
    else
        rdl__ports_wait(s->ports, false, rdl__stream_until(s) + 1);
}

/* Whether it is quiet matters only if the stream could end, or an action could be done. */
static bool quiet_matters(const struct rdl__stream *s)
{
    return rdl__self() || rdl__matcher_is_complete(s->m) || rdl__matcher_act(s->m, RDL__IS_QUIET);
}

void rdl__stream_go_on(struct rdl__stream *s)
{
    const struct rdl_step *step = rdl__matcher_act(s->m, RDL__ALL_AGREE);
    struct rdl__queued *queued;

    keep_time(s);
    if (s->is_over)
        return;
    if (step)
        act(s, step);
    else if (rdl__matcher_is_torn(s->m, RDL__ALL_AGREE))
        fail_torn(s);
    else if ((queued = rdl__ports_take(s->ports)))
        take(s, queued);
    else if (!quiet_matters(s))
        rdl__ports_wait(s->ports, false, rdl__stream_until(s) + 1);
    else if (rdl__ports_wait(s->ports, true, rdl__stream_until(s)) == RDL__QUIET)
        when_quiet(s);
}

bool rdl__stream_is_mine(const struct rdl__stream *s)
{
    struct rdl__thread *self = rdl__self();

    return self ? self == s->self : pthread_equal(pthread_self(), s->thread);
}

bool rdl__stream_is_over(const struct rdl__stream *s)
{
    return s->is_over;
}

_Noreturn void rdl__stream_unanswered(struct rdl__stream *s)
{
    struct rdl__text text = {0};

    rdl__text_add(&text, "the component waits for an answer (rdl_ask)\n");
    fail(s, "nobody answers", &text);
}

static void end(void *it)
{
    struct rdl__stream *s = it;

    for (int i = 0; i < LAST; i++)
        free(s->last[i]);
    while (s->held) {
        struct rdl__queued *held = s->held;

        s->held = held->next;
        free(held);
    }
    rdl__matcher_free(s->m);
    rdl__program_free(s->program);
    free(s->looked_at);
    free(s);
}

/* Which of the expected events have ever come, over all cases. */
static void tell_coverage(const struct rdl__stream *s)
{
    struct rdl__text name = {0};

    for (uint32_t i = 0; i < s->program->wanted_count && s->t->counted; i++) {
        const struct rdl_step *step = s->program->wanted[i].step;
        const char *slash = strrchr(step->file, '/');

        rdl__text_clear(&name);
        rdl__text_add(&name, "%s:%d: ", slash ? slash + 1 : step->file, step->line);
        rdl__pattern_show(&name, step->pattern);
        rdl__stats_label(s->t->stats, rdl__text_string(&name), s->m->seen[i], RDL__WISHED);
    }
    rdl__text_release(&name);
}

/* What is odd about the spec, though it can be followed. */
static void tell_oddities(const struct rdl__stream *s)
{
    struct rdl__stats *stats = s->t->stats;

    if (s->t->counted && !stats->advice[0])
        snprintf(stats->advice, sizeof stats->advice, "%s", rdl__program_warnings(s->program));
}

static double default_deadline(const struct rdl_case *t)
{
    unsigned case_ms =
        t->test && t->test->options.timeout_ms ? t->test->options.timeout_ms : CASE_MS;

    return rdl__self() ? DEADLINE_MS : case_ms * 0.8;
}

static bool mentions_faults(const struct rdl__program *program)
{
    for (uint32_t i = 0; i < program->pattern_count; i++)
        if (program->patterns[i]->port == &rdl_faults)
            return true;
    return false;
}

void rdl__stream(struct rdl_case *t, const struct rdl_step *spec, struct rdl_stream_options options,
                 const char *file, int line)
{
    struct rdl__stream *s;
    struct rdl__error error;

    if (!spec)
        rdl__misuse(t, "rdl_stream: there is no spec: it is NULL");
    if (!(options.deadline_ms >= 0))
        rdl__misuse(t, "rdl_stream: .deadline_ms is %g", options.deadline_ms);
    s = rdl__allocate(sizeof *s);
    s->t = t;
    s->file = file;
    s->line = line;
    s->ports = rdl__ports_of(t);
    s->held_end = &s->held;
    s->self = rdl__self();
    s->thread = pthread_self();
    s->deadline_ms = options.deadline_ms ? options.deadline_ms : default_deadline(t);
    s->until = rdl__ports_now() + (uint64_t)(s->deadline_ms * 1e6);
    s->program = rdl__program_new(spec, &error);
    if (!s->program) {
        free(s);
        rdl__misuse(t, "rdl_stream: %s", error.text);
    }
    tell_oddities(s);
    s->m = rdl__matcher_new(s->program, rdl__ports_now(), options.live_max);
    rdl__defer(t, end, s);
    s->ports->stream = s;
    s->ports->pc = RDL__CALLER;
    if (s->self && mentions_faults(s->program))
        rdl__faults_ask(s->ports);
    rdl__reader_start(s->ports->reader);
    _setjmp(s->ports->recover);
    while (!s->is_over)
        rdl__stream_go_on(s);
    rdl__reader_stop(s->ports->reader);
    if (!rdl_faults.link)
        rdl__faults_ask(NULL);
    s->ports->stream = NULL;
    tell_coverage(s);
}
