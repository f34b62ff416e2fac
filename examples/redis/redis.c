/* redis.c -- a Redis server between its clients: what it promises, as streams of events.
 *
 * Each case starts a server of its own, on a Unix socket of its own, and two clients, which
 * believe to talk to it: we are in between, and see what both of them say and hear. */
#include <hiredis/hiredis.h>
#include <raddle.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "resp.h"

static struct rdl_port server = {.name = "server"};
static struct rdl_port clients[2] = {{.name = "alice"}, {.name = "bob"}};
#define alice (&clients[0])
#define bob   (&clients[1])

static void show_resp(FILE *out, const struct resp *it)
{
    fprintf(out, "%s", it->words);
}
RDL_EVENT(resp, struct resp, .show = show_resp);

static bool decode(const struct rdl_frame *frame, struct rdl_decoded *out)
{
    resp_read(frame->bytes, frame->size, rdl_decoded(out, resp));
    return true;
}

/* alice says, hears, ... */
#define says(who, text)  rdl_expect(rdl_in(who, rdl_is(resp, text)))
#define hears(who, text) rdl_expect(rdl_out(who, rdl_is(resp, text)))

/* ---- A server and two clients --------------------------------------------------------------- */

struct client {
    redisContext *redis;
    struct rdl_thread *thread;
};

struct setting {
    struct rdl_process *process;
    struct client one, two;
    sem_t alice_is_ready, bob_is_ready;
};

static struct setting *setting; /* of the case at hand */

static void end_client(struct client *client)
{
    if (client->thread)
        rdl_join(client->thread);
    if (client->redis)
        redisFree(client->redis);
}

/* However the case ends: connections have been closed by then, so nobody waits any more,
 * unless for each other. */
static void end_clients(void *it)
{
    struct setting *s = it;

    sem_post(&s->alice_is_ready);
    sem_post(&s->bob_is_ready);
    end_client(&s->one);
    end_client(&s->two);
}

static void begin(struct rdl_case *t)
{
    const char *path = rdl_format(t, "%s/redis", rdl_folder(t));
    const char *const command[] = {"redis-server", "--port", "0", "--unixsocket",
                                   path,           "--save", "",  "--appendonly",
                                   "no",           "--dir",  "/", NULL};
    struct rdl_address address;

    setting = rdl_new(t, struct setting);
    sem_init(&setting->alice_is_ready, 0, 0);
    sem_init(&setting->bob_is_ready, 0, 0);
    setting->process = rdl_process(t, command, .port = &server);
    rdl_await_server(t, setting->process, (struct rdl_address){.path = path}, 10000);
    rdl_defer(t, end_clients, setting);
    address = rdl_listen(t, clients, .count = 2, .server = {.path = path},
                         .framing = {.kind = RDL_CUSTOM, .length = resp_length, .decode = decode});
    setting->one.redis = redisConnectUnix(address.path);
    setting->two.redis = redisConnectUnix(address.path);
}

static void start(struct rdl_case *t, void (*as_alice)(void *it), void (*as_bob)(void *it))
{
    setting->one.thread = rdl_spawn(t, "alice", as_alice, &setting->one);
    setting->two.thread = rdl_spawn(t, "bob", as_bob, &setting->two);
}

/* Say something, and wait for the answer; what it was does not matter here: it went through
 * our hands. */
static void say(struct client *client, const char *text)
{
    redisReply *reply = redisCommand(client->redis, text);

    if (reply)
        freeReplyObject(reply);
}

static void hear(struct client *client)
{
    redisReply *reply = NULL;

    if (redisGetReply(client->redis, (void **)&reply) == REDIS_OK)
        freeReplyObject(reply);
}

/* ---- Publish and subscribe ------------------------------------------------------------------ */

static void subscribe_and_hear_two(void *it)
{
    say(it, "SUBSCRIBE news");
    sem_post(&setting->alice_is_ready);
    hear(it);
    hear(it);
    say(it, "UNSUBSCRIBE news");
}

static void publish_two(void *it)
{
    sem_wait(&setting->alice_is_ready);
    say(it, "PUBLISH news one");
    say(it, "PUBLISH news two");
}

/* Bob is told that he was heard when Alice has heard him. */
RDL_PROPERTY(who_has_subscribed_gets_messages_in_order, .cases = 20)
{
    begin(t);
    start(t, subscribe_and_hear_two, publish_two);
    rdl_stream(t,
               rdl_sequence(says(alice, "SUBSCRIBE news"), hears(alice, "subscribe news 1"),
                            says(bob, "PUBLISH news one"),
                            rdl_unordered_at_end(hears(alice, "message news one"), hears(bob, "1")),
                            says(bob, "PUBLISH news two"),
                            rdl_unordered_at_end(hears(alice, "message news two"), hears(bob, "1")),
                            says(alice, "UNSUBSCRIBE news"), hears(alice, "unsubscribe news 0")));
}

static void subscribe(void *it)
{
    say(it, "SUBSCRIBE news");
}

static void publish(void *it)
{
    say(it, "PUBLISH news hello");
}

/* Nobody knows who is first; but Bob knows how many will hear him. */
RDL_PROPERTY(a_message_is_heard_by_as_many_as_was_said, .cases = 50)
{
    begin(t);
    start(t, subscribe, publish);
    rdl_stream(t, rdl_sequence(rdl_require(rdl_in(alice, rdl_is(resp, "SUBSCRIBE news"))),
                               rdl_require(rdl_in(bob, rdl_is(resp, "PUBLISH news hello"))),
                               rdl_require(rdl_out(alice, rdl_is(resp, "subscribe news 1"))),
                               rdl_either(hears(bob, "0"),
                                          rdl_unordered(hears(bob, "1"),
                                                        hears(alice, "message news hello")))));
}

static void subscribe_late(void *it)
{
    sem_wait(&setting->bob_is_ready);
    say(it, "SUBSCRIBE news");
    hear(it);
}

static void publish_early(void *it)
{
    say(it, "PUBLISH news hello");
    sem_post(&setting->bob_is_ready);
}

/* This is not what Redis does: messages are not kept for those who come later. */
RDL_PROPERTY(messages_are_kept, .expect_failure = true)
{
    begin(t);
    start(t, subscribe_late, publish_early);
    rdl_stream(t,
               rdl_sequence(says(bob, "PUBLISH news hello"), hears(bob, "0"),
                            says(alice, "SUBSCRIBE news"), hears(alice, "subscribe news 1"),
                            hears(alice, "message news hello")),
               .deadline_ms = 300);
}

/* ---- Transactions --------------------------------------------------------------------------- */

static void add_two_at_once(void *it)
{
    say(it, "MULTI");
    say(it, "INCR x");
    say(it, "INCR x");
    say(it, "EXEC");
}

static void look(void *it)
{
    say(it, "GET x");
}

static bool is_all_or_nothing(const struct resp *it)
{
    return strcmp(it->words, "nil") == 0 || strcmp(it->words, "2") == 0;
}

RDL_PROPERTY(a_transaction_is_seen_as_a_whole, .cases = 50)
{
    begin(t);
    start(t, add_two_at_once, look);
    rdl_stream(t, rdl_sequence(rdl_require(rdl_in(bob, rdl_is(resp, "GET x"))),
                               rdl_require(rdl_out(bob, rdl_if(resp, is_all_or_nothing))),
                               says(alice, "MULTI"), hears(alice, "OK"),
                               rdl_repeat(2, says(alice, "INCR x"), hears(alice, "QUEUED")),
                               says(alice, "EXEC"), hears(alice, "[1 2]")));
}

static void change_what_is_watched(void *it)
{
    say(it, "WATCH x");
    sem_post(&setting->alice_is_ready);
    sem_wait(&setting->bob_is_ready);
    say(it, "MULTI");
    say(it, "SET x mine");
    say(it, "EXEC");
}

static void interfere(void *it)
{
    sem_wait(&setting->alice_is_ready);
    say(it, "SET x yours");
    sem_post(&setting->bob_is_ready);
}

RDL_PROPERTY(a_transaction_is_given_up_if_what_it_watches_changes, .cases = 20)
{
    begin(t);
    start(t, change_what_is_watched, interfere);
    rdl_stream(t, rdl_sequence(says(alice, "WATCH x"), hears(alice, "OK"), says(bob, "SET x yours"),
                               hears(bob, "OK"), says(alice, "MULTI"), hears(alice, "OK"),
                               says(alice, "SET x mine"), hears(alice, "QUEUED"),
                               says(alice, "EXEC"), hears(alice, "nil")));
}

/* Nor is this: in a transaction nothing is done before its end. */
RDL_PROPERTY(transactions_answer_at_once, .expect_failure = true)
{
    begin(t);
    start(t, add_two_at_once, look);
    rdl_stream(t, rdl_sequence(rdl_allow(rdl_in(bob, rdl_any(resp))),
                               rdl_allow(rdl_out(bob, rdl_any(resp))), says(alice, "MULTI"),
                               hears(alice, "OK"), says(alice, "INCR x"), hears(alice, "1")));
}

/* ---- The end -------------------------------------------------------------------------------- */

static void kill_server(void)
{
    kill(rdl_process_id(setting->process), SIGKILL);
}

RDL_PROPERTY(when_the_server_dies_both_clients_know, .cases = 10)
{
    begin(t);
    start(t, subscribe, look);
    rdl_stream(t, rdl_sequence(
                      rdl_unordered(says(alice, "SUBSCRIBE news"), says(bob, "GET x"),
                                    hears(alice, "subscribe news 1"), hears(bob, "nil")),
                      rdl_do(kill_server),
                      rdl_unordered(
                          rdl_expect(rdl_out(alice, rdl_any(closed))),
                          rdl_expect(rdl_out(bob, rdl_any(closed))),
                          rdl_expect(rdl_out(&server, rdl_is(fault, RDL_FAULT_SIGNAL, SIGKILL))))));
}

RDL_MAIN
