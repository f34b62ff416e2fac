/* order.c -- what is to come before what: events in the code, put in order by a text.
 *
 *     order = chain { "," chain }
 *     chain = term "->" term { "->" term }
 *     term  = event { "&&" event }  |  event { "||" event }
 *     event = [ thread ":" ] place [ "#" number ]  |  "[" thread ( "blocked" | "ended" ) "]"
 *           | "[" thread ( "at" | "blocked after" ) place [ "#" number ] "]"
 *           | "[" thread [ "blocked after" ] "woken" [ "#" number ] "]"
 *
 * An event is that a thread comes to a place, for the first time or for that of the number.  It
 * waits there until what is to come before has happened; that it stands there, whether it has to
 * wait or not, is an event too.  That it is woken is that it goes on from waiting for a condition:
 * it comes to that as to a place, and does not have the mutex yet. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "control/gate/gate.h"
#include "control/gate/script.h"
#include "raddle/case.h"
#include "raddle/check.h"
#include "raddle/generate.h"

enum { TERM_MAX = 8, BEFORE_MAX = 8 };

enum kind { AT_PLACE, IS_BLOCKED, HAS_ENDED, STANDS_THERE, IS_WOKEN };

struct term {
    struct event *events[TERM_MAX];
    unsigned count;
    bool any; /* of them is enough */
};

struct event {
    char *text;
    enum kind kind;
    char thread[RDL__MEET_NAME]; /* "": any */
    char *place;
    const struct event *there;   /* the first event of that place; it has the hook */
    const struct event *passing; /* STANDS_THERE, "blocked after": that it goes on from there */
    uint64_t number, times;
    const struct term *before[BEFORE_MAX]; /* all of these come before it */
    unsigned before_count;
    bool by_choice; /* it waits to be chosen, when all wait */
    bool stands;    /* a thread waits there */
    bool is_chosen;
    bool has_happened;
    struct event *next;
};

static struct event *events; /* in the order in which they were named */
bool rdl__wakes_ordered;

void rdl__orders_end(void)
{
    events = NULL;
    rdl__wakes_ordered = false;
}

static void append(struct event *event)
{
    struct event **at = &events;

    while (*at)
        at = &(*at)->next;
    *at = event;
}

/* ---- Before and after ----------------------------------------------------------------------- */

static bool is_past(const struct event *event)
{
    if (event->kind == STANDS_THERE)
        return event->passing->stands || event->passing->has_happened;
    return event->has_happened;
}

static bool has_come(const struct term *term)
{
    unsigned happened = 0;

    for (unsigned i = 0; i < term->count; i++)
        happened += is_past(term->events[i]);
    return term->any ? happened > 0 : happened == term->count;
}

static bool may_happen(void *what)
{
    const struct event *event = what;

    for (unsigned i = 0; i < event->before_count; i++)
        if (!has_come(event->before[i]))
            return false;
    return !event->by_choice || event->is_chosen;
}

/* The first that is missing. */
static const struct event *missing(const struct event *event)
{
    for (unsigned i = 0; i < event->before_count; i++)
        for (unsigned k = 0; k < event->before[i]->count && !has_come(event->before[i]); k++)
            if (!is_past(event->before[i]->events[k]))
                return event->before[i]->events[k];
    return NULL;
}

/* "never came there", "came there once", "was woken 3 times". */
static const char *describe_times(const struct event *event, char out[48])
{
    unsigned long long times = __atomic_load_n(&event->times, __ATOMIC_SEQ_CST);
    bool is_wake = event->kind == IS_WOKEN;
    const char *did = is_wake ? "was woken" : "came there";

    if (times == 0)
        snprintf(out, 48, is_wake ? "was never woken" : "never came there");
    else if (times == 1)
        snprintf(out, 48, "%s once", did);
    else
        snprintf(out, 48, "%s %llu times", did, times);
    return out;
}

/* Is it something that a thread comes to, and waits at if it is too early? */
static bool is_come_to(const struct event *event)
{
    return event->kind == AT_PLACE || event->kind == IS_WOKEN;
}

/* Why it will not happen, if that is known. */
static const char *describe_reason(const struct event *event, char out[128])
{
    enum rdl__meet_state state =
        event->thread[0] ? rdl__meet_state(event->thread) : RDL__MEET_WAITS;
    const struct event *coming = event->kind == STANDS_THERE ? event->passing : event;
    char times[48];

    out[0] = '\0';
    if (state == RDL__MEET_NOBODY)
        snprintf(out, 128, " (there is no thread %s)", event->thread);
    else if (state == RDL__MEET_ENDED && is_come_to(coming))
        snprintf(out, 128, " (%s has ended, and %s)", event->thread, describe_times(coming, times));
    else if (state == RDL__MEET_ENDED)
        snprintf(out, 128, " (%s has ended)", event->thread);
    return out;
}

static void describe(const void *what, char *out, size_t room)
{
    const struct event *event = what, *before = missing(event);
    char reason[128];

    if (before)
        snprintf(out, room, "\"%s\"%s, which is to come before \"%s\"", before->text,
                 describe_reason(before, reason), event->text);
    else
        snprintf(out, room, "\"%s\" to be its turn", event->text);
}

const char *rdl__order_blocker(const char *thread)
{
    const struct rdl__waiter *waiter = rdl__gate_waiter(thread);
    const struct event *before;

    if (!waiter || waiter->describe != describe)
        return NULL;
    before = missing(waiter->what);
    return before && before->thread[0] ? before->thread : NULL;
}

static void come_for(struct rdl_hit *hit, struct event *event)
{
    struct rdl__waiter waiter = {.pc = hit->pc, .describe = describe, .what = event};

    if (event->thread[0] && strcmp(event->thread, hit->thread) != 0)
        return;
    if (__atomic_add_fetch(&event->times, 1, __ATOMIC_SEQ_CST) != event->number)
        return;
    memcpy(waiter.thread, hit->thread, sizeof waiter.thread);
    rdl__meet_lock();
    event->stands = true;
    rdl__gates_changed();
    rdl__gate_await(hit->t, &waiter, may_happen, event);
    event->stands = false;
    event->has_happened = true;
    rdl__gates_changed();
    rdl__meet_unlock();
}

static void come(struct rdl_hit *hit, void *it)
{
    for (struct event *event = it; event; event = event->next)
        if (event->there == it)
            come_for(hit, event);
}

/* ---- Conditions ----------------------------------------------------------------------------- */

void rdl__wake_pass(uintptr_t pc)
{
    struct rdl_hit hit = {.t = rdl__current, .pc = pc};

    rdl__probe_wake();
    if (!rdl__wakes_ordered)
        return;
    rdl__meet_name(hit.thread);
    for (struct event *event = events; event; event = event->next)
        if (event->kind == IS_WOKEN)
            come_for(&hit, event);
}

/* The earlier it is named, the sooner it is woken. */
unsigned rdl__wake_rank(const char *thread)
{
    unsigned rank = 0;

    for (const struct event *event = events; event; event = event->next, rank++)
        if (event->kind == IS_WOKEN && strcmp(event->thread, thread) == 0 &&
            __atomic_load_n(&event->times, __ATOMIC_SEQ_CST) + 1 == event->number)
            return rank;
    return RDL__WAKE_UNNAMED;
}

/* ---- When all wait -------------------------------------------------------------------------- */

static bool has_happened_by_now(const struct event *event)
{
    switch (event->kind) {
    case IS_BLOCKED:
        return (!event->passing || event->passing->has_happened) &&
               rdl__meet_state(event->thread) == RDL__MEET_WAITS &&
               !rdl__gate_waiter(event->thread);
    case HAS_ENDED:
        return rdl__meet_state(event->thread) == RDL__MEET_ENDED;
    default:
        return false;
    }
}

static bool notice(void)
{
    bool changed = false;

    for (struct event *event = events; event; event = event->next)
        if (!event->has_happened && may_happen(event) && has_happened_by_now(event))
            event->has_happened = changed = true;
    return changed;
}

static bool could_be_chosen(const struct event *event)
{
    return event->by_choice && event->stands && !event->is_chosen;
}

/* Of those that wait elsewhere, for a lock, say, nobody knows whether they could have come first:
 * then other orders of calls have to be tried. */
static bool somebody_is_kept_out(void)
{
    for (uint32_t id = 0; id < rdl__sched.view.threads; id++) {
        const struct rdl__op *op = &rdl__sched.view.ops[id];

        if (rdl__sched.threads[id]->state == RDL__ALIVE && op->kind != RDL__OP_JOIN &&
            (op->kind != RDL__OP_GATE || op->also))
            return true;
    }
    return false;
}

static bool choose(struct rdl_case *t)
{
    uint32_t count = 0, which;

    for (const struct event *event = events; event; event = event->next)
        count += could_be_chosen(event);
    if (count == 0)
        return false;
    if (rdl__running && somebody_is_kept_out())
        rdl__sched.summary->kept_out = true;
    which = rdl__meet_pick(t, count - 1);
    for (struct event *event = events; event; event = event->next)
        if (could_be_chosen(event) && which-- == 0) {
            event->is_chosen = true;
            rdl__meet_picked(t, "goes on", event->text);
            break;
        }
    return true;
}

bool rdl__orders_go_on(struct rdl_case *t)
{
    if (!notice() && !choose(t))
        return false;
    rdl__gates_changed();
    return true;
}

/* ---- Reading -------------------------------------------------------------------------------- */

struct reader {
    struct rdl_case *t;
    const char *text, *at;
    struct rdl__error *error;
};

static bool wrong(struct reader *r, const char *what)
{
    return r->at[0]
               ? rdl__fail(r->error, "in the order \"%s\": %s at \"%.20s\"", r->text, what, r->at)
               : rdl__fail(r->error, "in the order \"%s\": %s at its end", r->text, what);
}

static void skip_blanks(struct reader *r)
{
    while (isspace((unsigned char)*r->at))
        r->at++;
}

static bool eat(struct reader *r, const char *token)
{
    size_t length = strlen(token);

    skip_blanks(r);
    if (strncmp(r->at, token, length) != 0)
        return false;
    r->at += length;
    return true;
}

/* How long a place is: texts between slashes may have anything in them, but have to end. */
static size_t length_of_event(const char *from, bool *out_in_text)
{
    bool in_text = false;
    size_t i = 0;

    for (; from[i]; i++) {
        if (from[i] == '/' && (in_text || (i > 0 && from[i - 1] == ':')))
            in_text = !in_text;
        if (!in_text && (strchr(",()", from[i]) || strncmp(from + i, "->", 2) == 0 ||
                         strncmp(from + i, "&&", 2) == 0 || strncmp(from + i, "||", 2) == 0))
            break;
    }
    while (i > 0 && isspace((unsigned char)from[i - 1]))
        i--;
    *out_in_text = in_text;
    return i;
}

/* Where the place begins: what is before the first colon is a thread, unless it is a file, a
 * library, or the function whose return or text is meant. */
static size_t length_of_thread(const char *text)
{
    size_t colon = strcspn(text, ":/!");
    const char *rest = text + colon + 1;

    if (text[colon] != ':' || memchr(text, '.', colon) || rest[0] == '/' ||
        strcmp(rest, "return") == 0)
        return 0;
    return colon;
}

static bool read_number(struct reader *r, char *text, uint64_t *out)
{
    char *hash = strrchr(text, '#'), *end;

    *out = 1;
    if (!hash || strchr(hash, '/'))
        return true;
    *out = isdigit((unsigned char)hash[1]) ? strtoul(hash + 1, &end, 10) : 0;
    if (*out == 0 || *out > UINT32_MAX || *end)
        return wrong(r, "after # there is a number from 1 on, which time is meant,");
    while (hash > text && isspace((unsigned char)hash[-1]))
        hash--;
    *hash = '\0';
    return true;
}

static bool read_place(struct reader *r, struct event *event)
{
    char *copy = rdl_format(r->t, "%s", event->text);
    size_t length;

    if (!read_number(r, copy, &event->number))
        return false;
    length = length_of_thread(copy);
    event->place = copy + length + (length > 0);
    while (isspace((unsigned char)event->place[0]))
        event->place++;
    while (length > 0 && isspace((unsigned char)copy[length - 1]))
        length--;
    snprintf(event->thread, sizeof event->thread, "%.*s", (int)length, copy);
    return event->place[0] || wrong(r, "there is no place");
}

static struct event *named(const char *text, size_t length)
{
    struct event *event = events;

    while (event && (strncmp(event->text, text, length) != 0 || event->text[length]))
        event = event->next;
    return event;
}

static bool read_state(struct reader *r, struct event *event);

static struct event *event_of(struct reader *r, const char *text, size_t length)
{
    struct event *event = named(text, length);

    if (event)
        return event;
    event = rdl_alloc(r->t, sizeof *event);
    event->text = rdl_format(r->t, "%.*s", (int)length, text);
    if (!(event->text[0] == '[' ? read_state(r, event) : read_place(r, event)))
        return NULL;
    append(event);
    return event;
}

/* "[thread at place]" and "[thread blocked after place]": what is between the brackets is another
 * event. */
static bool read_passing(struct reader *r, struct event *event, const char *place, enum kind kind)
{
    bool is_wake = kind == IS_BLOCKED && strncmp(place, "woken", strcspn(place, "#]")) == 0;
    char *passing = rdl_format(r->t, is_wake ? "[%s %.*s]" : "%s:%.*s", event->thread,
                               (int)strlen(place) - 1, place);

    event->kind = kind;
    return (event->passing = event_of(r, passing, strlen(passing)));
}

static bool ends_in(const char *text, const char *end)
{
    size_t length = strlen(text), end_length = strlen(end);

    return length > end_length && strcmp(text + length - end_length, end) == 0;
}

/* "[thread woken]" and "[thread woken#2]" */
static bool read_wake(struct reader *r, struct event *event, const char *end)
{
    char *copy = rdl_format(r->t, "%.*s", (int)strlen(end + 1) - 1, end + 1);

    if (!read_number(r, copy, &event->number))
        return false;
    if (!ends_in(end, "]") || strcmp(copy, "woken") != 0)
        return wrong(r, "there is [thread woken] and [thread woken#2], and nothing else,");
    event->kind = IS_WOKEN;
    rdl__wakes_ordered = true;
    return true;
}

static bool read_state(struct reader *r, struct event *event)
{
    static const char standing[] = " at ", blocked[] = " blocked after ";
    const char *text = event->text, *after = strstr(text, blocked),
               *at = after ? after : strstr(text, standing), *end = strrchr(text, ' ');

    if (end)
        snprintf(event->thread, sizeof event->thread, "%.*s", (int)((at ? at : end) - text - 1),
                 text + 1);
    if (at && ends_in(text, "]"))
        return after ? read_passing(r, event, after + strlen(blocked), IS_BLOCKED)
                     : read_passing(r, event, at + strlen(standing), STANDS_THERE);
    if (strpbrk(event->thread, "[]"))
        end = NULL;
    if (end && strncmp(end, " woken", strlen(" woken")) == 0)
        return read_wake(r, event, end);
    if (end && strcmp(end, " blocked]") == 0)
        event->kind = IS_BLOCKED;
    else if (end && strcmp(end, " ended]") == 0)
        event->kind = HAS_ENDED;
    else
        return wrong(r, "there is [thread blocked], [thread ended], [thread woken] and [thread at "
                        "place], and nothing else,");
    return true;
}

static struct event *read_event(struct reader *r)
{
    struct event *event;
    bool in_text;
    size_t length;

    skip_blanks(r);
    length = length_of_event(r->at, &in_text);
    if (length == 0 || in_text) {
        wrong(r, in_text ? "the text between slashes has no end," : "an event is missing");
        return NULL;
    }
    event = event_of(r, r->at, length);
    if (event)
        r->at += length;
    return event;
}

static bool read_term(struct reader *r, struct term *term)
{
    const char *joint = NULL;

    do {
        if (term->count == TERM_MAX)
            return wrong(r, "there are too many events side by side");
        if (!(term->events[term->count] = read_event(r)))
            return false;
        term->count++;
        if (!joint)
            joint = eat(r, "||") ? "||" : "&&";
        else if (!eat(r, joint))
            return true;
        else
            continue;
        if (strcmp(joint, "&&") == 0 && !eat(r, "&&"))
            return true;
        term->any = joint[0] == '|';
    } while (true);
}

static bool put_before(struct reader *r, const struct term *before, const struct term *after)
{
    for (unsigned i = 0; i < after->count; i++) {
        struct event *event = after->events[i];

        if (event->kind == STANDS_THERE)
            return wrong(r, "nothing comes before [thread at place]: it is held there,");
        if (event->before_count == BEFORE_MAX)
            return wrong(r, "too much is to come before an event");
        event->before[event->before_count++] = before;
    }
    return true;
}

static bool read_chain(struct reader *r)
{
    struct term *before = rdl_alloc(r->t, sizeof *before), *after;

    if (!read_term(r, before))
        return false;
    if (!eat(r, "->"))
        return wrong(r, eat(r, "||") || eat(r, "&&") ? "in one place there is && or ||, not both,"
                                                     : "-> is missing");
    do {
        after = rdl_alloc(r->t, sizeof *after);
        if (!read_term(r, after) || !put_before(r, before, after))
            return false;
        before = after;
    } while (eat(r, "->"));
    return true;
}

/* Is an event to come before itself? */
static bool is_before(const struct event *one, const struct event *other, int depth)
{
    for (unsigned i = 0; i < other->before_count && depth > 0; i++)
        for (unsigned k = 0; k < other->before[i]->count; k++)
            if (other->before[i]->events[k] == one ||
                is_before(one, other->before[i]->events[k], depth - 1))
                return true;
    return false;
}

static bool read_order(struct reader *r)
{
    enum { DEPTH = 64 };

    do {
        if (!read_chain(r))
            return false;
    } while (eat(r, ","));
    skip_blanks(r);
    if (*r->at)
        return wrong(r, "there is something else");
    for (const struct event *event = events; event; event = event->next)
        if (is_before(event, event, DEPTH))
            return rdl__fail(r->error, "in the order \"%s\": \"%s\" is to come before itself",
                             r->text, event->text);
    return true;
}

/* ---- Orders --------------------------------------------------------------------------------- */

/* A test that does not keep to the order it is about says nothing. */
static void check_all_happened(void *unused)
{
    const struct rdl_case *t = rdl__current;
    char times[48];

    (void)unused;
    if (t->outcome->verdict != RDL__PASSED)
        return;
    for (const struct event *event = events; event; event = event->next)
        if (is_come_to(event) && !event->by_choice && !event->has_happened)
            rdl__failed(t->test->file, t->test->line, "the order was not kept",
                        "\"%s\" has not happened: %s %s", event->text,
                        event->thread[0] ? event->thread : "threads", describe_times(event, times));
}

/* What is in any order need not happen in each of them, but in one. */
static void note_what_happened(void *it)
{
    struct rdl_case *t = it;
    char name[RDL__NAME_ROOM];

    if (t->outcome->verdict != RDL__PASSED)
        return;
    for (const struct event *event = events; event; event = event->next) {
        if (!event->by_choice)
            continue;
        if (rdl__running && !event->has_happened)
            rdl__sched.summary->kept_out = true;
        snprintf(name, sizeof name, "the event %s", event->text);
        rdl__happens_in_one(t, name, event->has_happened);
    }
}

static struct event *first_at(const char *place)
{
    struct event *event = events;

    while (event->kind != AT_PLACE || strcmp(event->place, place) != 0)
        event = event->next;
    return event;
}

/* To look for a place takes long, and for several not much longer. */
static void find_places(const struct event *from)
{
    enum { MANY = 64 };
    const char *texts[MANY];
    size_t count = 0;

    for (const struct event *event = from; event && count < MANY; event = event->next)
        if (event->kind == AT_PLACE)
            texts[count++] = event->place;
    rdl__places_find(texts, count);
}

static void place_events(struct rdl_case *t, const struct event *placed_before, const char *file,
                         int line)
{
    struct event *event = placed_before ? placed_before->next : events;

    find_places(event);
    for (; event; event = event->next) {
        if (event->kind != AT_PLACE)
            continue;
        event->there = first_at(event->place);
        if (event->there == event)
            rdl__at_each_hit(t, event->place, come, event, false, file, line);
    }
}

static struct event *last_event(void)
{
    struct event *event = events;

    while (event && event->next)
        event = event->next;
    return event;
}

void rdl__order(struct rdl_case *t, const char *text, const char *file, int line)
{
    struct rdl__error error;
    struct reader r = {t, text, text, &error};
    const struct event *last = last_event();

    rdl__meet_begin(t);
    if (!read_order(&r))
        rdl__misuse(t, "%s:%d: %s", file, line, error.text);
    if (!last)
        rdl_defer(t, check_all_happened, NULL);
    place_events(t, last, file, line);
}

void rdl__any_order(struct rdl_case *t, const char *const *texts, const char *file, int line)
{
    struct event *last = last_event();
    struct rdl__error error;

    rdl__meet_begin(t);
    for (; *texts; texts++) {
        struct reader r = {t, *texts, *texts, &error};
        struct event *event = read_event(&r);

        if (!event)
            rdl__misuse(t, "%s:%d: %s", file, line, error.text);
        if (*r.at || event->kind != AT_PLACE)
            rdl__misuse(t, "%s:%d: in \"%s\": each is one place, with its thread and number", file,
                        line, *texts);
        event->by_choice = true;
    }
    rdl_defer(t, note_what_happened, t);
    place_events(t, last, file, line);
}
