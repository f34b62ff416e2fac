/* at.c -- places in the code, and what threads do that come there.
 *
 * What a place means is found once in a process, since it takes long; hooks are placed for a case,
 * and taken away at its end. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "control/gate/gate.h"
#include "port/hook.h"
#include "port/locate.h"

/* What is called at a place, for all addresses that this is. */
struct place {
    struct rdl_case *t;
    void (*come)(struct rdl_hit *hit, void *it);
    void *it;
    bool is_over; /* with its case */
    struct post *posts;
    size_t count;
    struct place *next;
};

/* One of these. */
struct post {
    struct rdl__hook hook;
    struct place *place;
    const struct rdl__spot *spot;
};

static struct place *places;
static struct rdl__locations locations; /* those that were ever asked for */

/* ---- Coming there --------------------------------------------------------------------------- */

static void come(struct rdl__registers *registers, void *it)
{
    const struct post *post = it;
    struct rdl_hit hit = {.t = post->place->t,
                          .pc = post->spot->address + 1, /* as if it had been called from there */
                          .spot = post->spot,
                          .registers = registers};

    if (post->place->is_over || (rdl__running && !rdl__self()))
        return;
    rdl__meet_name(hit.thread);
    post->place->come(&hit, post->place->it);
}

/* ---- Placing -------------------------------------------------------------------------------- */

static const struct rdl__location *find(const char *text)
{
    for (size_t i = 0; i < locations.count; i++)
        if (strcmp(locations.items[i].text, text) == 0)
            return &locations.items[i];
    rdl__locations_want(&locations, text);
    rdl__locations_find(&locations, NULL);
    return &locations.items[locations.count - 1];
}

static void place_all(struct place *place, const struct rdl__location *location, const char *file,
                      int line)
{
    struct rdl__hook **hooks = rdl__allocate(location->count * sizeof(struct rdl__hook *));
    struct rdl__error error;
    bool placed;

    place->posts = rdl__allocate(location->count * sizeof *place->posts);
    place->count = location->count;
    for (size_t i = 0; i < location->count; i++) {
        struct post *post = &place->posts[i];

        *post = (struct post){.place = place, .spot = &location->spots[i]};
        post->hook =
            (struct rdl__hook){.address = location->spots[i].address, .call = come, .it = post};
        hooks[i] = &post->hook;
    }
    placed = rdl__hooks_place(hooks, location->count, &error);
    free(hooks);
    if (!placed)
        rdl__misuse(place->t, "%s:%d: there can be no gate at %s: %s", file, line, location->text,
                    error.text);
}

void rdl__at_each_hit(struct rdl_case *t, const char *text,
                      void (*come_there)(struct rdl_hit *hit, void *it), void *it, const char *file,
                      int line)
{
    const struct rdl__location *location;
    struct place *place;

    rdl__meet_begin(t);
    location = find(text);
    if (location->count == 0)
        rdl__misuse(t, "%s:%d: %s", file, line, location->error);
    place = rdl__allocate(sizeof *place);
    *place = (struct place){.t = t, .come = come_there, .it = it, .next = places};
    places = place;
    place_all(place, location, file, line);
}

/* A thread that is still in one, be it that it was dropped there, may look at it. */
static bool is_quiet(const struct place *place)
{
    for (size_t i = 0; i < place->count; i++)
        if (!rdl__hook_is_quiet(&place->posts[i].hook))
            return false;
    return true;
}

void rdl__places_end(void)
{
    rdl__hook_leave(); /* this thread may have come out of one by failing */
    while (places) {
        struct place *place = places;

        places = place->next;
        place->is_over = true;
        for (size_t i = 0; i < place->count; i++)
            rdl__hook_remove(&place->posts[i].hook);
        if (!is_quiet(place))
            continue;
        free(place->posts);
        free(place);
    }
}

/* ---- What users say of it ------------------------------------------------------------------- */

struct at {
    struct rdl_at what;
    char thread[RDL__MEET_NAME];
    uint64_t times;
};

static bool is_for(struct at *at, struct rdl_hit *hit)
{
    uint64_t time;

    if (at->thread[0] && strcmp(at->thread, hit->thread) != 0)
        return false;
    if (at->what.when && !at->what.when(hit, at->what.it))
        return false;
    time = __atomic_add_fetch(&at->times, 1, __ATOMIC_SEQ_CST);
    return time >= at->what.hit && (!at->what.hits || time < at->what.hit + at->what.hits);
}

static void do_there(struct rdl_hit *hit, void *it)
{
    struct at *at = it;

    if (!is_for(at, hit))
        return;
    if (at->what.call)
        at->what.call(hit, at->what.it);
    if (at->what.open)
        rdl_gate_open(at->what.open);
    if (at->what.wait)
        rdl__gate_pass(at->what.wait, hit->pc);
}

void rdl__at_place(struct rdl_case *t, const char *place, const struct rdl_at *what,
                   const char *file, int line)
{
    struct at *at = rdl_alloc(t, sizeof *at);

    at->what = *what;
    if (!at->what.hit)
        at->what.hit = 1;
    if (what->thread)
        snprintf(at->thread, sizeof at->thread, "%s", what->thread);
    rdl__at_each_hit(t, place, do_there, at, file, line);
}

struct rdl_gate *rdl__gate_at(struct rdl_case *t, const char *place, const struct rdl_at *what,
                              const char *file, int line)
{
    struct rdl_at with_gate = *what;

    if (what->wait)
        rdl__misuse(t, "%s:%d: rdl_gate_at makes a gate of its own: .wait is for rdl_at", file,
                    line);
    with_gate.wait = rdl_gate(t, rdl_format(t, "%s%s%s", what->thread ? what->thread : "",
                                            what->thread ? ":" : "", place));
    rdl__at_place(t, place, &with_gate, file, line);
    return with_gate.wait;
}

struct rdl_case *rdl_hit_case(const struct rdl_hit *hit)
{
    return hit->t;
}

const char *rdl_hit_thread(const struct rdl_hit *hit)
{
    return hit->thread;
}
