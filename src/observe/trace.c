/* trace.c -- what happened in a case, in order. */
#include "observe/trace.h"

#include <sched.h>
#include <string.h>

#include "base/hash.h"

enum { TEXT_MAX = 1 << 14, WORD_MAX = 255 };

/* What precedes the texts of an event: file, what, text, each with a NUL. */
struct header {
    uint32_t kind;
    int32_t line;
    uint32_t from, to;
    uint16_t file_length, what_length;
    uint32_t text_length;
    uint32_t thread;
    uint32_t id, lane, other;
    uint64_t step;
};

void rdl__trace_start(struct rdl__trace *trace, bool on)
{
    trace->on = on;
    trace->lock = 0;
    trace->used = 0;
    trace->lost = 0;
    trace->last_id = trace->lane_count = 0;
    rdl__steps_clear(&trace->steps);
}

void rdl__trace_copy(struct rdl__trace *to, const struct rdl__trace *from)
{
    uint32_t used = from->used < RDL__TRACE_ROOM ? from->used : RDL__TRACE_ROOM;

    memcpy(to, from, offsetof(struct rdl__trace, steps));
    rdl__steps_copy(&to->steps, &from->steps);
    memcpy(to->bytes, from->bytes, used);
}

/* Not a pthread mutex: those will be what a scheduler watches. */
static void lock(struct rdl__trace *trace)
{
    while (__atomic_exchange_n(&trace->lock, 1, __ATOMIC_ACQUIRE))
        sched_yield();
}

static void unlock(struct rdl__trace *trace)
{
    __atomic_store_n(&trace->lock, 0, __ATOMIC_RELEASE);
}

static size_t at_most(size_t length, size_t most)
{
    return length < most ? length : most;
}

static uint32_t size_of(const struct header *header)
{
    return (uint32_t)(sizeof *header + header->file_length + header->what_length +
                      header->text_length + 3);
}

static char *put(char *to, const char *bytes, size_t length)
{
    if (length)
        memcpy(to, bytes, length);
    to[length] = '\0';
    return to + length + 1;
}

void rdl__trace_add(struct rdl__trace *trace, const struct rdl__event *event)
{
    struct header header = {
        .kind = event->kind,
        .line = event->line,
        .from = event->from,
        .to = event->to,
        .file_length = (uint16_t)at_most(strlen(event->file), WORD_MAX),
        .what_length = (uint16_t)at_most(strlen(event->what), WORD_MAX),
        .text_length = (uint32_t)at_most(event->text_length, TEXT_MAX),
        .thread = trace->steps.running,
        .id = event->id,
        .lane = event->lane,
        .other = event->other,
        .step = trace->steps.count,
    };

    lock(trace);
    if (trace->used + size_of(&header) > RDL__TRACE_ROOM) {
        trace->lost++;
    } else {
        char *to = trace->bytes + trace->used;

        memcpy(to, &header, sizeof header);
        to = put(to + sizeof header, event->file, header.file_length);
        to = put(to, event->what, header.what_length);
        put(to, event->text, header.text_length);
        trace->used += size_of(&header);
    }
    unlock(trace);
}

/* ---- What can be drawn ---------------------------------------------------------------- */

static uint32_t new_id(struct rdl__trace *trace)
{
    return __atomic_add_fetch(&trace->last_id, 1, __ATOMIC_RELAXED);
}

/* `file` is of no use to these, and has the detail of a point. */
static void draw(struct rdl__trace *trace, struct rdl__event event, const char *text)
{
    event.file = event.file ? event.file : "";
    event.what = event.what ? event.what : "";
    event.text = text ? text : "";
    event.text_length = strlen(event.text);
    rdl__trace_add(trace, &event);
}

void rdl__trace_note(struct rdl__trace *trace, const char *what, const char *text)
{
    if (trace->on)
        draw(trace, (struct rdl__event){.kind = RDL__EVENT_NOTE, .what = what}, text);
}

/* True: it has not been told of yet.  One too many is told of again each time. */
static bool is_new_lane(struct rdl__trace *trace, uint32_t lane)
{
    bool is_new = true;

    lock(trace);
    for (uint32_t i = 0; i < trace->lane_count; i++)
        is_new &= trace->lanes[i] != lane;
    if (is_new && trace->lane_count < RDL__TRACE_LANES)
        trace->lanes[trace->lane_count++] = lane;
    unlock(trace);
    return is_new;
}

uint32_t rdl__trace_lane(struct rdl__trace *trace, const char *kind, const char *name)
{
    uint32_t lane;

    if (!trace->on)
        return 0;
    lane = (uint32_t)rdl__combine(rdl__hash_text(kind), rdl__hash_text(name)) | 1;
    if (is_new_lane(trace, lane))
        draw(trace, (struct rdl__event){.kind = RDL__EVENT_LANE, .id = lane, .what = kind}, name);
    return lane;
}

uint32_t rdl__trace_since(struct rdl__trace *trace, const char *kind, uint32_t lane,
                          const char *title)
{
    uint32_t id;

    if (!trace->on)
        return 0;
    id = new_id(trace);
    draw(trace, (struct rdl__event){.kind = RDL__EVENT_SINCE, .id = id, .what = kind, .lane = lane},
         title);
    return id;
}

uint32_t rdl__trace_call_between(struct rdl__trace *trace, uint32_t from, uint32_t to,
                                 const char *title)
{
    uint32_t id;

    if (!trace->on)
        return 0;
    id = new_id(trace);
    draw(trace,
         (struct rdl__event){
             .kind = RDL__EVENT_SINCE, .id = id, .what = "call", .lane = to, .other = from},
         title);
    return id;
}

void rdl__trace_until(struct rdl__trace *trace, uint32_t id, const char *how)
{
    if (id)
        draw(trace, (struct rdl__event){.kind = RDL__EVENT_UNTIL, .id = id}, how);
}

uint32_t rdl__trace_point(struct rdl__trace *trace, const char *kind, uint32_t lane, uint32_t other,
                          const char *title, const char *detail)
{
    uint32_t id;

    if (!trace->on)
        return 0;
    id = new_id(trace);
    draw(trace,
         (struct rdl__event){.kind = RDL__EVENT_POINT,
                             .id = id,
                             .what = kind,
                             .lane = lane,
                             .other = other,
                             .file = detail},
         title);
    return id;
}

void rdl__trace_state(struct rdl__trace *trace, uint32_t id, const char *which, const char *state)
{
    if (id)
        draw(trace, (struct rdl__event){.kind = RDL__EVENT_STATE, .id = id, .what = which}, state);
}

bool rdl__trace_next(const struct rdl__trace *trace, uint32_t *position, struct rdl__event *out)
{
    struct header header;
    const char *texts = trace->bytes + *position + sizeof header;
    uint32_t used = trace->used < RDL__TRACE_ROOM ? trace->used : RDL__TRACE_ROOM;

    if (*position > used || used - *position < sizeof header)
        return false;
    memcpy(&header, trace->bytes + *position, sizeof header);
    if (header.text_length > TEXT_MAX || size_of(&header) > used - *position ||
        texts[header.file_length] || texts[header.file_length + 1 + header.what_length])
        return false;
    *out = (struct rdl__event){
        .kind = header.kind,
        .line = header.line,
        .from = header.from,
        .to = header.to,
        .file = texts,
        .what = texts + header.file_length + 1,
        .text = texts + header.file_length + header.what_length + 2,
        .text_length = header.text_length,
        .step = header.step,
        .thread = header.thread,
        .id = header.id,
        .lane = header.lane,
        .other = header.other,
    };
    *position += size_of(&header);
    return true;
}
