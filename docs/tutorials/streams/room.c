/* room.c -- a room with a lamp that is to be on while there is anybody in it. */
#include <pthread.h>

#include <raddle.h>

struct room {
    pthread_mutex_t lock;
    int people;
    void (*lamp)(bool on);
};

static void enter(struct room *room)
{
    bool first;

    pthread_mutex_lock(&room->lock);
    first = room->people++ == 0;
    pthread_mutex_unlock(&room->lock);
    if (first)
        room->lamp(true);
}

static void leave(struct room *room)
{
    bool last;

    pthread_mutex_lock(&room->lock);
    last = --room->people == 0;
    pthread_mutex_unlock(&room->lock);
    if (last)
        room->lamp(false);
}

/* ---- The test ---- */

struct lamp {
    bool on;
};

RDL_EVENT(lamp, struct lamp);
static struct rdl_port wire = {.name = "wire"};

static void switch_lamp(bool on)
{
    rdl_emit(&wire, lamp, .on = on);
}

static void visit(void *it)
{
    enter(it);
    leave(it);
}

RDL_EXPLORE(the_lamp_goes_on_and_off_in_turn)
{
    struct room room = {PTHREAD_MUTEX_INITIALIZER, 0, switch_lamp};
    struct rdl_thread *ann, *bob;

    rdl_connect(t, &wire);
    ann = rdl_spawn(t, "ann", visit, &room);
    bob = rdl_spawn(t, "bob", visit, &room);
    rdl_stream(t, rdl_plus(rdl_expect(rdl_out(&wire, rdl_is(lamp, .on = true))),
                           rdl_expect(rdl_out(&wire, rdl_is(lamp, .on = false)))));
    rdl_join(ann);
    rdl_join(bob);
}

RDL_MAIN
