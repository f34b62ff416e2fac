/* clients.c -- the threads that call the code under test, and wait in it. */
#include "drive/clients.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/resource.h>

#include "base/memory.h"
#include "control/meet.h"
#include "control/sched/debug.h"
#include "control/sched/inner.h"
#include "control/sched/seen.h"
#include "control/sched/words.h"
#include "drive/drive.h"
#include "drive/monitor.h"
#include "drive/stage.h"
#include "port/kernel.h"

/* So many cases may leave something behind: memory, at least.  Of free threads one that
 * waits is enough, since nobody can end it. */
enum { LEFT_OVER_MAX = 2000 };

struct rdl__clients *rdl__clients_new(struct rdl_case *t, uint32_t count, const void *states)
{
    const struct rdl_spec *spec = t->test->options.spec;
    bool free_threads = t->test->options.free_threads;
    /* Free threads that wait for ever keep theirs for ever. */
    struct rdl__clients *clients =
        free_threads ? rdl__allocate(sizeof *clients) : rdl_alloc(t, sizeof *clients);

    clients->t = t;
    clients->spec = spec;
    clients->free_threads = free_threads;
    clients->count = count;
    rdl__answers = (struct rdl__answers){rdl__clients_answer, clients};
    for (uint32_t i = 0; i < count; i++) {
        struct rdl__client *client = &clients->clients[i];

        client->number = i;
        client->all = clients;
        client->me = rdl_alloc(t, spec->client_size + 1);
        if (states && spec->client_size)
            memcpy(client->me, (const char *)states + i * spec->client_size, spec->client_size);
        else if (!states && spec->client)
            spec->client(t, (int)i, client->me);
        spec->clear_client(client->me);
    }
    if (clients->free_threads) {
        pthread_mutex_init(&clients->lock, NULL);
        pthread_cond_init(&clients->changed, NULL);
    }
    return clients;
}

/* The thread, if it is controlled, begins to run what is not the code under test; or ends. */
static void set_aside(bool on)
{
    struct rdl__thread *self = rdl__self();

    if (self)
        self->aside += on ? 1 : UINT_MAX;
}

void rdl__clients_create(struct rdl__clients *clients, const void *state)
{
    if (clients->t->test->options.reference)
        clients->reference = rdl_resource_new(clients->spec, state);
    else
        clients->object = clients->spec->create(clients->t, state);
    set_aside(true);
}

/* ---- The log -------------------------------------------------------------------------------- */

/* A larger array in the case's memory. */
static void *grown(struct rdl_case *t, const void *old, uint32_t *room, size_t size)
{
    void *larger;
    uint32_t before = *room;

    *room = before ? 2 * before : 32;
    larger = rdl__arena_alloc(&t->arena, *room * size);
    if (before)
        memcpy(larger, old, before * size);
    return larger;
}

static void log_event(struct rdl__clients *clients, struct rdl__given *given, bool returns)
{
    if (clients->log_count == clients->log_room)
        clients->log = grown(clients->t, clients->log, &clients->log_room, sizeof *clients->log);
    clients->log[clients->log_count++] = (struct rdl__logged){given, returns};
    given->returned |= returns;
    if (!clients->free_threads)
        rdl__got_on();
}

/* ---- For those who look at the case --------------------------------------------------------- */

static uint32_t lane_of(struct rdl__client *client)
{
    char name[32];

    snprintf(name, sizeof name, "client %u", client->number);
    return rdl__trace_lane(client->all->t->trace, "client", name);
}

static void show_begin(struct rdl__client *client)
{
    struct rdl__given *given = client->job;
    struct rdl__clients *clients = client->all;
    struct rdl__text text = {0}, call = {0};

    if (!clients->t->trace->on)
        return;
    rdl__show_call(&call, given->call.operation, given->args);
    given->drawn =
        rdl__trace_since(clients->t->trace, "call", lane_of(client), rdl__text_string(&call));
    rdl__text_add(&text, "calls %s", call.bytes);
    if (!clients->free_threads)
        rdl__trace_note(clients->t->trace, "call", text.bytes);
    rdl__text_release(&call);
    rdl__text_release(&text);
}

static void show_return(struct rdl__client *client)
{
    struct rdl__given *given = client->job;
    struct rdl__clients *clients = client->all;
    struct rdl__text text = {0}, answer = {0};

    if (!clients->t->trace->on)
        return;
    rdl__text_add(&text, "returns from ");
    rdl__show_call(&text, given->call.operation, given->args);
    rdl__text_add(&answer, "returns");
    if (given->call.operation->answer_size) {
        rdl__text_add(&answer, " ");
        rdl__show_answer(&answer, given->call.operation, given->answer);
        rdl__text_add(&text, ": %s", answer.bytes + strlen("returns "));
    }
    if (!clients->free_threads)
        rdl__trace_note(clients->t->trace, "call", text.bytes);
    rdl__trace_until(clients->t->trace, given->drawn_wait, "");
    rdl__trace_until(clients->t->trace, given->drawn, answer.bytes);
    given->drawn_wait = 0;
    rdl__text_release(&answer);
    rdl__text_release(&text);
}

/* Of controlled threads, their steps show it. */
static void show_waits(struct rdl__clients *clients)
{
    for (uint32_t i = 0; i < clients->count && clients->free_threads; i++) {
        struct rdl__client *client = &clients->clients[i];

        if (client->job && !client->job->drawn_wait)
            client->job->drawn_wait =
                rdl__trace_since(clients->t->trace, "wait", lane_of(client), "waits");
    }
}

/* Where it does the last thing of a call that it has returned from, or where it waits. */
static void blame(struct rdl__clients *clients, const struct rdl__given *given)
{
    struct rdl__thread *thread = clients->clients[given->call.client].controlled;

    if (rdl__debugged && thread && (!given->returned || given->ended > given->began))
        rdl__debug_blame(thread, given->returned ? given->ended : 0);
}

void rdl__clients_point_at_suspects(struct rdl__clients *clients, struct rdl__viable *viable,
                                    const char *why)
{
    bool any = false;

    for (uint32_t i = 1; i <= clients->calls; i++) {
        struct rdl__text reason = {0};

        if (!rdl__viable_is_suspect(viable, i))
            continue;
        if (why)
            rdl__text_add(&reason, "%s", why);
        else
            rdl__viable_why(viable, i, &reason);
        rdl__trace_state(clients->t->trace, clients->given[i]->drawn, "fails",
                         rdl__text_string(&reason));
        rdl__text_release(&reason);
        if (!any)
            blame(clients, clients->given[i]);
        any = true;
    }
}

/* ---- In the thread of a client -------------------------------------------------------------- */

static void make_call(struct rdl__clients *clients, const struct rdl__given *given)
{
    const struct rdl_operation *op = given->call.operation;

    if (clients->reference) {
        rdl__resource_call_as(clients->reference, &given->call, given->answer);
        return;
    }
    if (clients->stage)
        rdl__stage_enter_as(clients->stage, clients->self, &given->call, given->unsure);
    set_aside(false);
    op->call(clients->object, given->args, given->answer);
    set_aside(true);
    if (clients->stage)
        rdl__stage_leave_as(clients->stage);
}

static bool has_something_to_do(void *what)
{
    const struct rdl__client *client = what;

    return client->job || client->to_end;
}

/* What a client calls may be code that does not tell of its accesses; which of the operations
 * it will be is not known yet. */
static struct rdl__op next_call_of(const struct rdl__client *client)
{
    struct rdl__op op = {.kind = RDL__OP_CALL, .object = (uintptr_t)client};
    const struct rdl_spec *spec = client->all->spec;

    for (size_t i = 0; i < spec->operation_count; i++)
        rdl__op_enters(&op, (uintptr_t)rdl__operation(spec, i)->call);
    return op;
}

RDL__ENTRY static void *live_under_control(void *argument)
{
    struct rdl__client *client = argument;
    struct rdl__clients *clients = client->all;

    set_aside(true);
    for (;;) {
        struct rdl__op op = next_call_of(client);

        rdl__await(rdl__self(), &op, has_something_to_do, client, RDL__FOREVER);
        if (client->to_end)
            return NULL;
        rdl__hb_acquire(rdl__self(), (uintptr_t)clients);
        log_event(clients, client->job, false);
        show_begin(client);
        client->job->began = rdl__debug_now();
        make_call(clients, client->job);
        rdl__catch_up();
        client->job->ended = rdl__debug_now();
        show_return(client);
        log_event(clients, client->job, true);
        rdl__hb_release(rdl__self(), (uintptr_t)&clients->log);
        client->job = clients->next_call ? clients->next_call(client) : NULL;
    }
}

static void *live_freely(void *argument)
{
    struct rdl__client *client = argument;
    struct rdl__clients *clients = client->all;

    rdl__blocked_begin(&client->watched);
    pthread_mutex_lock(&clients->lock);
    for (;;) {
        while (!has_something_to_do(client))
            pthread_cond_wait(&clients->changed, &clients->lock);
        if (client->to_end)
            break;
        log_event(clients, client->job, false);
        show_begin(client);
        pthread_mutex_unlock(&clients->lock);
        make_call(clients, client->job);
        pthread_mutex_lock(&clients->lock);
        show_return(client);
        log_event(clients, client->job, true);
        client->job = clients->next_call ? clients->next_call(client) : NULL;
    }
    pthread_mutex_unlock(&clients->lock);
    rdl__blocked_end(&client->watched);
    return NULL;
}

/* ---- From outside --------------------------------------------------------------------------- */

static void lock(struct rdl__clients *clients)
{
    if (clients->free_threads)
        pthread_mutex_lock(&clients->lock);
}

static void unlock(struct rdl__clients *clients)
{
    if (!clients->free_threads)
        return;
    pthread_cond_broadcast(&clients->changed);
    pthread_mutex_unlock(&clients->lock);
}

static void start(struct rdl__client *client)
{
    struct rdl_case *t = client->all->t;
    struct rdl__thread *self = rdl__self();
    char name[32];
    int why;

    snprintf(name, sizeof name, "client %u", client->number);
    client->started = true;
    if (self) {
        why = rdl__thread_new(self, NULL, live_under_control, client, name, RDL__CALLER,
                              &client->controlled);
    } else {
        rdl__defer(t, rdl__blocked_forget, &client->watched);
        rdl__meet_spawn(t);
        why = rdl__blocked_start(&client->real, &client->watched, t, live_freely, client);
    }
    if (why)
        rdl__misuse(t, "cannot start a thread for client %u: %s", client->number, strerror(why));
    if (self)
        rdl__starts_with(client->controlled, (uintptr_t)live_under_control);
}

struct rdl__given *rdl__clients_make(struct rdl__clients *clients, uint32_t client,
                                     const struct rdl_operation *op, const void *args)
{
    struct rdl__given *given = rdl_alloc(clients->t, sizeof *given);

    given->args = rdl_copy(clients->t, args, op->args_size + !op->args_size);
    given->answer = rdl_alloc(clients->t, op->answer_size + 1);
    given->call = (struct rdl_call){op, given->args, ++clients->calls, client};
    if (clients->calls >= clients->given_room)
        clients->given =
            grown(clients->t, clients->given, &clients->given_room, sizeof *clients->given);
    clients->given[clients->calls] = given;
    rdl__call_made(op);
    return given;
}

static void hand_over(struct rdl__client *client, struct rdl__given *given)
{
    if (client->all->free_threads) { /* it would run at once */
        client->to_begin = given;
        return;
    }
    client->job = given;
    if (!client->started)
        start(client);
    else
        rdl__changed((uintptr_t)client);
}

/* With the lock held, so that none runs, and uses the case's memory, while we do. */
static void begin_freely(struct rdl__clients *clients)
{
    lock(clients);
    for (uint32_t i = 0; i < clients->count; i++) {
        struct rdl__client *client = &clients->clients[i];

        if (!client->to_begin)
            continue;
        client->job = client->to_begin;
        client->to_begin = NULL;
        if (!client->started)
            start(client);
    }
    unlock(clients);
}

struct rdl__given *rdl__clients_give(struct rdl__clients *clients, uint32_t client,
                                     const struct rdl_operation *op, const void *args)
{
    struct rdl__given *given = rdl__clients_make(clients, client, op, args);

    hand_over(&clients->clients[client], given);
    return given;
}

void rdl__clients_start_all(struct rdl__clients *clients)
{
    struct rdl__given *first[RDL__CLIENTS_MOST];

    for (uint32_t i = 0; i < clients->count; i++)
        first[i] = clients->next_call(&clients->clients[i]);
    for (uint32_t i = 0; i < clients->count; i++)
        if (first[i])
            hand_over(&clients->clients[i], first[i]);
}

const struct rdl_operation *rdl__clients_answer(void *context, rdl_ref ref, const void **out_answer)
{
    const struct rdl__clients *clients = context;
    const struct rdl__given *given;

    if (ref == 0 || ref > clients->calls)
        return NULL;
    given = clients->given[ref];
    *out_answer = given->returned ? given->answer : NULL;
    return given->call.operation;
}

static void run_under_control(struct rdl__clients *clients, struct rdl__thread *self)
{
    /* Each phase has as many points as a whole execution may have elsewhere. */
    rdl__sched.points_max = rdl__sched.view.points + clients->t->settings.points_max;
    rdl__hb_release(self, (uintptr_t)clients);
    rdl__await_quiet(self, true, 0);
    rdl__trace_quiet();
    rdl__hb_acquire(self, (uintptr_t)&clients->log);
}

/* Has each begun what it was given? */
static bool all_have_begun(struct rdl__clients *clients)
{
    uint32_t begun = 0;

    lock(clients);
    for (uint32_t i = 0; i < clients->log_count; i++)
        begun += !clients->log[i].returns;
    unlock(clients);
    return begun == clients->calls;
}

void rdl__clients_run(struct rdl__clients *clients)
{
    struct rdl__thread *self = rdl__self();

    if (self) {
        run_under_control(clients, self);
        return;
    }
    begin_freely(clients);
    do
        rdl__blocked_until_quiet(clients->t);
    while (!all_have_begun(clients));
    show_waits(clients);
}

/* ---- Who waits, and for what ---------------------------------------------------------------- */

uint32_t rdl__clients_waiting(const struct rdl__clients *clients, uint32_t first,
                              const struct rdl_call *out[RDL__CLIENTS_MOST])
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < clients->count; i++) {
        const struct rdl__given *given = clients->clients[i].job;
        uint32_t at = count;

        if (!given || given->call.number >= first)
            continue;
        for (; at > 0 && out[at - 1]->number > given->call.number; at--)
            out[at] = out[at - 1];
        out[at] = &given->call;
        count++;
    }
    return count;
}

/* Is it waiting for a lock, of all things?  (Not known of free threads.) */
static bool is_locked_out(const struct rdl__client *client)
{
    const struct rdl__op *op;

    if (!client->controlled || !client->job)
        return false;
    op = &rdl__sched.view.ops[client->controlled->id];
    return op->kind == RDL__OP_LOCK || op->kind == RDL__OP_READ_LOCK ||
           op->kind == RDL__OP_WRITE_LOCK;
}

/* Does it go round and round until something changes?  (Not known of free threads.) */
static bool spins(const struct rdl__client *client)
{
    return client->controlled && client->job && rdl__spinning(client->controlled);
}

static bool is_so_of_any(const struct rdl__clients *clients,
                         bool (*is_so)(const struct rdl__client *client))
{
    for (uint32_t i = 0; i < clients->count; i++)
        if (is_so(&clients->clients[i]))
            return true;
    return false;
}

const char *rdl__clients_stuck(const struct rdl__clients *clients)
{
    if (!is_so_of_any(clients, is_locked_out))
        return NULL;
    return is_so_of_any(clients, spins) ? "livelock" : "deadlock";
}

/* ---- What has happened ---------------------------------------------------------------------- */

void rdl__clients_take_in(struct rdl__clients *clients, struct rdl__viable *viable,
                          uint32_t *judged)
{
    for (; *judged < clients->log_count; ++*judged) {
        const struct rdl__logged *logged = &clients->log[*judged];
        struct rdl__given *given = logged->given;
        const struct rdl_operation *op = given->call.operation;
        struct rdl__client *client = &clients->clients[given->call.client];

        if (!logged->returns) {
            rdl__viable_begin(viable, &given->call);
            continue;
        }
        if (op->answer_size)
            op->clear_answer(given->answer);
        rdl__viable_return(viable, given->call.number, given->answer);
        if (op->returned)
            op->returned(client->me, given->args, given->answer);
        clients->spec->clear_client(client->me);
    }
}

/* ---- The end -------------------------------------------------------------------------------- */

/* Who still waits in the code under test is forgotten.  True: nobody does. */
static bool forget_those_who_wait(struct rdl__clients *clients)
{
    bool all_returned = true;

    for (uint32_t i = 0; i < clients->count; i++) {
        struct rdl__client *client = &clients->clients[i];

        if (!client->job)
            continue;
        all_returned = false;
        client->started = false;
        if (client->controlled)
            rdl__thread_discard(rdl__self(), client->controlled);
    }
    return all_returned;
}

static void end_the_others(struct rdl__clients *clients)
{
    lock(clients);
    for (uint32_t i = 0; i < clients->count; i++) {
        struct rdl__client *client = &clients->clients[i];

        client->to_end = client->started;
        if (client->to_end && client->controlled)
            rdl__changed((uintptr_t)client);
    }
    unlock(clients);
    for (uint32_t i = 0; i < clients->count; i++) {
        struct rdl__client *client = &clients->clients[i];

        if (client->started && client->controlled)
            rdl__thread_join(rdl__self(), client->controlled, NULL, RDL__FOREVER, 0);
        else if (client->started)
            pthread_join(client->real, NULL);
    }
}

/* Threads of the code under test itself, which it would have ended when it was destroyed. */
static void forget_its_threads(void)
{
    for (uint32_t id = 1; rdl__self() && id < rdl__sched.view.threads; id++)
        if (rdl__sched.threads[id]->state == RDL__ALIVE && rdl__sched.threads[id]->donor)
            rdl__thread_discard(rdl__self(), rdl__sched.threads[id]);
}

/* What is forgotten may have files open; are so many of them in use that soon there may be no
 * more? */
static bool files_run_low(void)
{
    struct rlimit limit;
    long lowest = rdl__kernel(SYS_eventfd2, 0, EFD_CLOEXEC, 0, 0, 0, 0);

    if (lowest < 0)
        return true;
    rdl__kernel(SYS_close, lowest, 0, 0, 0, 0, 0);
    return getrlimit(RLIMIT_NOFILE, &limit) == 0 && (rlim_t)lowest > limit.rlim_cur / 2;
}

/* Something is left behind. */
static void wear_out(const struct rdl__clients *clients, bool all_returned)
{
    static unsigned left_over;

    forget_its_threads();
    if (++left_over >= (clients->free_threads && !all_returned ? 1 : LEFT_OVER_MAX) ||
        files_run_low())
        rdl__worn_out = true;
}

void rdl__clients_abandon(struct rdl__clients **sets, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        forget_those_who_wait(sets[i]);
    for (uint32_t i = 0; i < count; i++)
        end_the_others(sets[i]);
    if (count > 0)
        wear_out(sets[0], false);
}

void rdl__clients_finish(struct rdl__clients *clients, bool destroy)
{
    bool all_returned = forget_those_who_wait(clients);

    end_the_others(clients);
    set_aside(false);
    if (all_returned && clients->reference) {
        rdl_resource_free(clients->reference);
    } else if (all_returned && destroy) {
        if (clients->spec->destroy)
            clients->spec->destroy(clients->object);
    } else {
        wear_out(clients, all_returned);
    }
}
