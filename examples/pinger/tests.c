/* tests.c -- the failure detector, by the events at its ports: pings and pongs on the net, what
 * it thinks of its peer on the other. */
#include <raddle.h>

#include <signal.h>

#include "pinger.h"

/* ---- Ports ------------------------------------------------------------------------------- */

struct message {
    int id;
};

RDL_EVENT(ping, struct message);
RDL_EVENT(pong, struct message);
RDL_EVENT(suspect, char);
RDL_EVENT(restore, char);

static struct rdl_port net = {.name = "net"}, opinion = {.name = "opinion"};

static void emit_ping(int id)
{
    rdl_emit(&net, ping, id);
}

static void emit_suspect(void)
{
    rdl_emit(&opinion, suspect, 0);
}

static void emit_restore(void)
{
    rdl_emit(&opinion, restore, 0);
}

static const struct pinger_hooks hooks = {emit_ping, emit_suspect, emit_restore};

static void give_pong(void *it, const struct rdl_event *event)
{
    const struct message *pong = event->data;

    pinger_on_pong(it, pong->id);
}

/* A peer, for tests that have a real one: it answers at once. */
static void answer_ping(void *it, const struct rdl_event *event)
{
    const struct message *ping = event->data;

    (void)it;
    rdl_send(&net, pong, ping->id);
}

static struct pinger *start(struct rdl_case *t)
{
    struct pinger *p = pinger_new(&hooks, 1000);

    rdl_connect(t, &net, .in = give_pong, .it = p);
    rdl_connect(t, &opinion);
    pinger_start(p);
    return p;
}

#define PING       rdl_expect(rdl_out(&net, rdl_any(ping)))
#define SUSPECT    rdl_expect(rdl_out(&opinion, rdl_any(suspect)))
#define RESTORE    rdl_expect(rdl_out(&opinion, rdl_any(restore)))
#define NO_OPINION rdl_disallow(rdl_out(&opinion, rdl_any(suspect)))
#define MORE_PINGS rdl_allow(rdl_out(&net, rdl_any(ping)))

/* ---- From outside ------------------------------------------------------------------------- */

static bool echo(const struct message *ping, struct message *pong)
{
    pong->id = ping->id;
    return true;
}

RDL_EXPLORE(who_answers_is_not_suspected)
{
    struct pinger *p = start(t);

    rdl_stream(t, rdl_sequence(NO_OPINION, rdl_repeat(10, rdl_answer(rdl_out(&net, rdl_any(ping)),
                                                                     ping, echo, &net, pong))));
    pinger_stop(p);
}

RDL_EXPLORE(who_does_not_answer_is_suspected_in_time)
{
    struct pinger *p = start(t);

    rdl_stream(
        t, rdl_sequence(MORE_PINGS, rdl_within(3100, rdl_repeat(PINGER_MISSES, PING), SUSPECT)));
    pinger_stop(p);
}

RDL_SLOT(int, the_id);

static void make_pong(struct message *out)
{
    out->id = rdl_slot(the_id);
}

/* The last ping that came before is answered: which one that is, is known only then. */
RDL_EXPLORE(who_answers_late_is_restored)
{
    struct pinger *p = start(t);

    rdl_stream(t, rdl_sequence(rdl_repeat(PINGER_MISSES,
                                          rdl_expect(rdl_out(&net, rdl_bind(ping, id, the_id)))),
                               SUSPECT, rdl_trigger_by(&net, pong, make_pong),
                               rdl_sequence(MORE_PINGS, RESTORE)));
    pinger_stop(p);
}

/* A real peer, and a net that loses every second pong: that is never enough to be suspected. */
RDL_EXPLORE(a_lost_pong_is_no_reason)
{
    struct pinger *p = start(t);

    rdl_connect(t, &net, .in = give_pong, .out = answer_ping, .it = p);
    rdl_stream(t, rdl_sequence(NO_OPINION, rdl_drop(rdl_in(&net, rdl_any(pong))),
                               rdl_repeat(4, PING, rdl_expect(rdl_in(&net, rdl_any(pong))), PING)));
    pinger_stop(p);
}

/* ---- From inside --------------------------------------------------------------------------- */

static bool is_patient(const struct pinger *p)
{
    return pinger_interval_ms(p) == 2000;
}

RDL_EXPLORE(a_restored_peer_gets_more_time)
{
    struct pinger *p = start(t);

    rdl_stream(t, rdl_sequence(MORE_PINGS, SUSPECT, rdl_trigger(&net, pong, 1), RESTORE,
                               rdl_inspect(is_patient, p)));
    pinger_stop(p);
}

/* ---- What must not be ------------------------------------------------------------------------ */

RDL_EXPLORE(a_pong_without_a_number_is_a_bug_of_whoever_sent_it)
{
    struct pinger *p = start(t);

    rdl_stream(t, rdl_sequence(
                      PING, rdl_trigger(&net, pong, 0),
                      rdl_expect(rdl_out(&rdl_faults, rdl_is(fault, RDL_FAULT_SIGNAL, SIGABRT)))));
    pinger_stop(p);
}

RDL_EXPLORE(two_misses_are_not_enough, .expect_failure = true)
{
    struct pinger *p = start(t);

    rdl_stream(t, rdl_sequence(rdl_repeat(2, PING), SUSPECT));
    pinger_stop(p);
}

RDL_MAIN
