/* ports.c -- events come and go at the ports of a case. */
#include "drive/ports.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "control/meet.h"
#include "events/events.h"
#include "port/blocked.h"
#include "port/clock.h"

/* ---- Locking -------------------------------------------------------------------------------- */

static void lock(struct rdl__ports *ports)
{
    if (!rdl__self())
        pthread_mutex_lock(&ports->lock);
}

static void unlock(struct rdl__ports *ports)
{
    if (!rdl__self())
        pthread_mutex_unlock(&ports->lock);
}

/* Something waits now that did not before. */
static void wake(struct rdl__ports *ports, const void *object)
{
    if (rdl__self())
        rdl__changed((uintptr_t)object);
    else
        pthread_cond_broadcast(&ports->came);
}

/* ---- Ports of a case ------------------------------------------------------------------------ */

static struct rdl__ports *current;

static void disconnect(void *it)
{
    struct rdl__ports *ports = it;
    struct rdl__queued *queued;

    while ((queued = rdl__ports_take(ports)))
        free(queued);
    while (ports->first) {
        struct rdl__port *link = ports->first;

        ports->first = link->next;
        link->port->link = NULL;
        free(link);
    }
    rdl__faults_ask(NULL);
    pthread_cond_destroy(&ports->came);
    pthread_mutex_destroy(&ports->lock);
    free(ports);
    current = NULL;
}

static void use_monotonic_clock(pthread_cond_t *cond)
{
    pthread_condattr_t attributes;

    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(cond, &attributes);
    pthread_condattr_destroy(&attributes);
}

struct rdl__ports *rdl__ports_of(struct rdl_case *t)
{
    if (current && current->t == t)
        return current;
    current = rdl__allocate(sizeof *current);
    current->t = t;
    pthread_mutex_init(&current->lock, NULL);
    use_monotonic_clock(&current->came);
    rdl__defer(t, disconnect, current);
    if (!rdl__self())
        rdl__meet_begin(t); /* threads that the component makes are waited for, too */
    return current;
}

void rdl__port_connect(struct rdl_case *t, struct rdl_port *port, struct rdl_ends ends)
{
    struct rdl__ports *ports = rdl__ports_of(t);
    struct rdl__port *link = port->link;

    if (!link) {
        link = rdl__allocate(sizeof *link);
        link->ports = ports;
        link->port = port;
        link->next = ports->first;
        ports->first = link;
        port->link = link;
    }
    link->ends = ends;
    if (port == &rdl_faults && rdl__self())
        rdl__faults_ask(ports);
}

static struct rdl__port *link_of(const struct rdl_port *port, const char *who)
{
    if (!port || !port->link)
        rdl__misuse(rdl__current, "%s: the port %s is not connected (rdl_connect)", who,
                    !port        ? "NULL"
                    : port->name ? port->name
                                 : "without a name");
    return port->link;
}

/* ---- The queue ------------------------------------------------------------------------------ */

enum { ALIGNED = _Alignof(struct rdl_frame), QUEUED_MAX = 1000, QUEUED_BYTES_MAX = 1 << 24 };

static size_t size_of_frame(const struct rdl_frame *frame)
{
    return frame ? sizeof *frame + frame->size : 0;
}

/* A NUL follows, for frames. */
struct rdl__queued *rdl__queued_framed(const struct rdl_event *event, const struct rdl_frame *frame)
{
    size_t size = event->size / ALIGNED * ALIGNED + ALIGNED, frame_size = size_of_frame(frame);
    struct rdl__queued *queued = rdl__reallocate(NULL, sizeof *queued + size + frame_size + 1);

    *queued = (struct rdl__queued){.event = *event};
    queued->event.data = memcpy(queued->bytes, event->data, event->size);
    queued->bytes[event->size] = '\0';
    if (event->type->clear)
        event->type->clear(queued->bytes);
    if (frame) {
        queued->frame = memcpy(queued->bytes + size, frame, frame_size);
        queued->bytes[size + frame_size] = '\0';
    }
    return queued;
}

struct rdl__queued *rdl__queued_new(const struct rdl_event *event)
{
    return rdl__queued_framed(event, NULL);
}

static size_t size_of_queued(const struct rdl__queued *queued)
{
    return sizeof *queued + queued->event.size + size_of_frame(queued->frame);
}

static bool has_room(void *it)
{
    const struct rdl__ports *ports = it;

    return ports->no_more || (ports->queued < QUEUED_MAX && ports->queued_bytes < QUEUED_BYTES_MAX);
}

static void append(struct rdl__ports *ports, struct rdl__queued *queued)
{
    if (ports->tail)
        ports->tail->next = queued;
    else
        ports->head = queued;
    ports->tail = queued;
    ports->queued++;
    ports->queued_bytes += size_of_queued(queued);
}

/* It is to be taken away.  Who waits for room is told when there is. */
static void count_off(struct rdl__ports *ports, const struct rdl__queued *queued)
{
    bool had_room = has_room(ports);

    ports->queued--;
    ports->queued_bytes -= size_of_queued(queued);
    if (!had_room && has_room(ports))
        wake(ports, &ports->queued);
}

/* From the thread that emits it, while it does; a judge comes later. */
static void draw(const struct rdl__ports *ports, struct rdl__queued *queued)
{
    struct rdl__trace *trace = ports->t->trace;
    struct rdl__text title = {0};

    if (!trace->on || queued->event.direction != RDL_OUT)
        return;
    rdl__event_show(&title, &queued->event);
    queued->drawn = rdl__trace_point(trace, "message", 0,
                                     rdl__trace_lane(trace, "port", queued->event.port->name),
                                     rdl__text_string(&title), "");
    rdl__text_release(&title);
}

void rdl__ports_post(struct rdl__ports *ports, struct rdl__queued *queued, uintptr_t pc)
{
    struct rdl__thread *self = rdl__self();

    if (self)
        rdl__point(self, &(struct rdl__op){.kind = RDL__OP_EMIT,
                                           .touch = RDL__WRITES,
                                           .size = 1,
                                           .object = (uintptr_t)ports,
                                           .pc = pc});
    if (self)
        draw(ports, queued);
    lock(ports);
    append(ports, queued);
    if (ports->head == queued) /* else nobody waits */
        wake(ports, ports);
    unlock(ports);
}

void rdl_post(struct rdl_port *port, enum rdl_direction direction,
              const struct rdl_event_type *type, const void *data, size_t size)
{
    const char *who = direction == RDL_OUT ? "rdl_emit" : "rdl_send";
    struct rdl__ports *ports = link_of(port, who)->ports;
    struct rdl_event event = {port, direction, type, data, size};

    if (direction != RDL_IN && direction != RDL_OUT)
        rdl__misuse(ports->t, "rdl_post: %d is no direction: RDL_IN and RDL_OUT are",
                    (int)direction);
    if (size < type->size || (size > 0 && !data))
        rdl__misuse(ports->t, "%s: %s has %zu bytes, and %zu are given", who, type->name,
                    type->size, data ? size : 0);

    rdl__ports_post(ports, rdl__queued_new(&event), RDL__CALLER);
}

struct rdl__queued *rdl__ports_take(struct rdl__ports *ports)
{
    struct rdl__queued *queued;

    lock(ports);
    queued = ports->head;
    if (queued && !(ports->head = queued->next))
        ports->tail = NULL;
    if (queued)
        count_off(ports, queued);
    unlock(ports);
    if (queued)
        queued->next = NULL;
    return queued;
}

void rdl__ports_put_after(struct rdl__ports *ports, struct rdl__queued *other,
                          struct rdl__queued *queued)
{
    struct rdl__queued **place = other ? &other->next : &ports->head;

    lock(ports);
    queued->next = *place;
    *place = queued;
    if (ports->tail == other)
        ports->tail = queued;
    ports->queued++;
    ports->queued_bytes += size_of_queued(queued);
    unlock(ports);
}

void rdl__ports_put_back(struct rdl__ports *ports, struct rdl__queued *queued)
{
    rdl__ports_put_after(ports, NULL, queued);
}

bool rdl__ports_have(void *it)
{
    const struct rdl__ports *ports = it;

    return ports->head != NULL;
}

/* ---- Waiting -------------------------------------------------------------------------------- */

uint64_t rdl__ports_now(void)
{
    return rdl__self() ? rdl__sched.now : rdl__now_ns();
}

bool rdl__ports_are_hopeful(void)
{
    return !rdl__self() || rdl__time_will_tell();
}

static enum rdl__came wait_controlled(struct rdl__thread *self, struct rdl__ports *ports,
                                      bool or_quiet, uint64_t until)
{
    struct rdl__op op = {.kind = RDL__OP_EVENT, .object = (uintptr_t)ports, .pc = ports->pc};

    if (or_quiet)
        return rdl__await_or_quiet(self, (uintptr_t)ports, rdl__ports_have, ports, op.pc)
                   ? RDL__CAME
                   : RDL__QUIET;
    return rdl__await(self, &op, rdl__ports_have, ports, until) == RDL__READY ? RDL__CAME
                                                                              : RDL__LATE;
}

struct patience {
    struct rdl__ports *ports;
    uint64_t until;
};

static bool have_or_is_late(void *it)
{
    const struct patience *patience = it;

    return __atomic_load_n(&patience->ports->head, __ATOMIC_ACQUIRE) != NULL ||
           rdl__now_ns() > patience->until;
}

static enum rdl__came wait_freely(struct rdl__ports *ports, bool or_quiet, uint64_t until)
{
    struct timespec time = {(time_t)(until / 1000000000), (long)(until % 1000000000)};
    int why = 0;

    if (or_quiet &&
        !rdl__meet_until(ports->t, have_or_is_late, &(struct patience){ports, until}, false))
        return RDL__QUIET;
    if (or_quiet)
        return rdl__ports_have(ports) ? RDL__CAME : RDL__LATE;
    __atomic_store_n(&rdl__blocked_idle, gettid(), __ATOMIC_SEQ_CST);
    pthread_mutex_lock(&ports->lock);
    while (!ports->head && why != ETIMEDOUT)
        why = pthread_cond_timedwait(&ports->came, &ports->lock, &time);
    pthread_mutex_unlock(&ports->lock);
    __atomic_store_n(&rdl__blocked_idle, 0, __ATOMIC_SEQ_CST);
    return ports->head ? RDL__CAME : RDL__LATE;
}

enum rdl__came rdl__ports_wait(struct rdl__ports *ports, bool or_quiet, uint64_t until)
{
    struct rdl__thread *self = rdl__self();

    return self ? wait_controlled(self, ports, or_quiet, until)
                : wait_freely(ports, or_quiet, until);
}

bool rdl__ports_await_room(struct rdl__ports *ports)
{
    struct rdl__thread *self = rdl__self();

    if (self && !has_room(ports))
        rdl__await(self,
                   &(struct rdl__op){.kind = RDL__OP_EVENT,
                                     .object = (uintptr_t)&ports->queued,
                                     .pc = RDL__CALLER},
                   has_room, ports, RDL__FOREVER);
    lock(ports);
    while (!self && !has_room(ports))
        pthread_cond_wait(&ports->came, &ports->lock);
    unlock(ports);
    return !ports->no_more;
}

void rdl__ports_want_no_more(struct rdl__ports *ports, bool no_more)
{
    lock(ports);
    ports->no_more = no_more;
    wake(ports, &ports->queued);
    unlock(ports);
}

/* ---- Delivery ------------------------------------------------------------------------------- */

/* His request goes out: he waits for whatever comes in that can be an answer. */
static void enlist(struct rdl__ports *ports, struct rdl__port *link, struct rdl__asker *asker)
{
    struct rdl__asker **at;

    lock(ports);
    for (at = &link->askers; *at;)
        at = &(*at)->next;
    __atomic_store_n(at, asker, __ATOMIC_RELEASE);
    unlock(ports);
}

static bool answer(struct rdl__ports *ports, struct rdl__asker *asker,
                   const struct rdl_event *event)
{
    if (!asker || !rdl__is_a(event->type, asker->type))
        return false;
    memcpy(asker->out, event->data, asker->type->size);
    asker->answered = true;
    wake(ports, asker);
    return true;
}

/* The first who waits for such an answer.  Mostly nobody does. */
static bool answer_first(struct rdl__ports *ports, struct rdl__port *link,
                         const struct rdl_event *event)
{
    struct rdl__asker **at, *asker;

    if (!__atomic_load_n(&link->askers, __ATOMIC_ACQUIRE))
        return false;
    lock(ports);
    for (at = &link->askers; *at && !rdl__is_a(event->type, (*at)->type);)
        at = &(*at)->next;
    asker = *at;
    if (asker)
        *at = asker->next;
    answer(ports, asker, event);
    unlock(ports);
    return asker;
}

/* The answer of a request goes to who made it. */
static bool is_answer(struct rdl__ports *ports, struct rdl__port *link,
                      const struct rdl__queued *queued)
{
    bool answered;

    lock(ports);
    answered = answer(ports, queued->asker, &queued->event);
    unlock(ports);
    return answered || answer_first(ports, link, &queued->event);
}

void rdl__ports_deliver(struct rdl__ports *ports, const struct rdl__queued *queued)
{
    const struct rdl_event *event = &queued->event;
    struct rdl__port *link;

    if (event->port == &rdl_faults)
        return;
    link = link_of(event->port, "rdl_stream");
    if (event->direction == RDL_OUT) {
        if (queued->asker)
            enlist(ports, link, queued->asker);
        if (link->ends.out)
            link->ends.out(link->ends.it, event);
        return;
    }
    if (is_answer(ports, link, queued))
        return;
    if (!link->ends.in)
        rdl__misuse(ports->t,
                    "rdl_stream: %s goes into the component at the port %s, but nothing takes it "
                    "there: rdl_connect has no .in, and nobody waits for it (rdl_ask)",
                    event->type->name, event->port->name);
    link->ends.in(link->ends.it, event);
}

static bool is_answered(void *it)
{
    const struct rdl__asker *asker = it;

    return asker->answered;
}

static void wait_for_answer(struct rdl__ports *ports, struct rdl__asker *asker)
{
    struct rdl__thread *self = rdl__self();

    if (ports->stream && rdl__stream_is_mine(ports->stream)) {
        while (!asker->answered && !rdl__stream_is_over(ports->stream))
            rdl__stream_go_on(ports->stream);
        if (!asker->answered)
            rdl__stream_unanswered(ports->stream);
    } else if (self) {
        rdl__await(
            self,
            &(struct rdl__op){.kind = RDL__OP_EVENT, .object = (uintptr_t)asker, .pc = RDL__CALLER},
            is_answered, asker, RDL__FOREVER);
    } else {
        pthread_mutex_lock(&ports->lock);
        while (!asker->answered)
            pthread_cond_wait(&ports->came, &ports->lock);
        pthread_mutex_unlock(&ports->lock);
    }
}

void rdl__ask(struct rdl_port *port, const struct rdl_event_type *response, void *out,
              const struct rdl_event_type *request, const void *data, size_t size)
{
    struct rdl__port *link = link_of(port, "rdl_ask");
    struct rdl__asker asker = {.type = response, .out = out};
    struct rdl_event event = {port, RDL_OUT, request, data, size};
    struct rdl__queued *queued = rdl__queued_new(&event);

    queued->asker = &asker;
    rdl__ports_post(link->ports, queued, RDL__CALLER);
    wait_for_answer(link->ports, &asker);
}
