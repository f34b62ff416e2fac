/* at.c -- places in the code, and what threads do that come there.
 *
 * What a place means is found once in a process, since it takes long; hooks are placed for a case,
 * and taken away at its end. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "control/gate/gate.h"
#include "control/gate/script.h"
#include "port/frame.h"
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
    const struct rdl__stack_frame *frame; /* NULL: nobody wants to know */
};

static struct place *places;
static struct rdl__locations locations; /* those that were ever asked for */

/* What is known of variables there, of those that were ever asked for; one at a time, as they must
 * not move. */
struct known {
    struct rdl__stack_frames frames;
    struct known *next;
};
static struct known *known;

/* ---- Coming there --------------------------------------------------------------------------- */

static void come(struct rdl__registers *registers, void *it)
{
    const struct post *post = it;
    struct rdl_hit hit = {.t = post->place->t,
                          .pc = post->spot->address + 1, /* as if it had been called from there */
                          .spot = post->spot,
                          .frame = post->frame,
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

static const struct rdl__stack_frame *frame_at(const struct rdl__spot *spot)
{
    struct known *one;

    for (one = known; one; one = one->next)
        if (one->frames.items[0].address == spot->address &&
            one->frames.items[0].function == spot->function)
            return &one->frames.items[0];
    one = rdl__allocate(sizeof *one);
    rdl__stack_frames_want(&one->frames, spot->address, spot->function);
    rdl__stack_frames_find(&one->frames, NULL);
    one->next = known;
    known = one;
    return &one->frames.items[0];
}

static bool place_all(struct place *place, const struct rdl__location *location,
                      bool with_variables, struct rdl__error *error)
{
    struct rdl__hook **hooks = rdl__allocate(location->count * sizeof(struct rdl__hook *));
    bool placed;

    place->posts = rdl__allocate(location->count * sizeof *place->posts);
    place->count = location->count;
    for (size_t i = 0; i < location->count; i++) {
        struct post *post = &place->posts[i];

        *post = (struct post){.place = place,
                              .spot = &location->spots[i],
                              .frame = with_variables ? frame_at(&location->spots[i]) : NULL};
        post->hook =
            (struct rdl__hook){.address = location->spots[i].address, .call = come, .it = post};
        hooks[i] = &post->hook;
    }
    placed = rdl__hooks_place(hooks, location->count, error);
    free(hooks);
    return placed;
}

bool rdl__at_each_hit_if(struct rdl_case *t, const char *text,
                         void (*come_there)(struct rdl_hit *hit, void *it), void *it,
                         bool with_variables, struct rdl__error *error)
{
    const struct rdl__location *location;
    struct rdl__error why;
    struct place *place;

    rdl__meet_begin(t);
    location = find(text);
    if (location->count == 0)
        return rdl__fail(error, "%s", location->error);
    place = rdl__allocate(sizeof *place);
    *place = (struct place){.t = t, .come = come_there, .it = it, .next = places};
    places = place;
    return place_all(place, location, with_variables, &why) ||
           rdl__fail(error, "there can be no gate at %s: %s", text, why.text);
}

void rdl__at_each_hit(struct rdl_case *t, const char *text,
                      void (*come_there)(struct rdl_hit *hit, void *it), void *it,
                      bool with_variables, const char *file, int line)
{
    struct rdl__error error;

    if (!rdl__at_each_hit_if(t, text, come_there, it, with_variables, &error))
        rdl__misuse(t, "%s:%d: %s", file, line, error.text);
}

size_t rdl__places_find(const char *const *texts, size_t count)
{
    size_t before = locations.count, found = 0;

    for (size_t i = 0; i < count; i++)
        rdl__locations_want(&locations, texts[i]);
    rdl__locations_find(&locations, NULL);
    for (size_t i = before; i < locations.count; i++)
        found += locations.items[i].count > 0;
    return found;
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
    rdl__at_each_hit(t, place, do_there, at, what->when || what->call, file, line);
}

struct rdl_gate *rdl__gate_at(struct rdl_case *t, const char *place, const struct rdl_at *what,
                              const char *file, int line)
{
    struct rdl_at with_gate = *what;

    if (what->wait)
        rdl__misuse(t, "%s:%d: rdl_gate_at makes a gate of its own: .wait is for rdl_at", file,
                    line);
    with_gate.wait = rdl__gate_new(t, rdl_format(t, "%s%s%s", what->thread ? what->thread : "",
                                                 what->thread ? ":" : "", place));
    rdl__at_place(t, place, &with_gate, file, line);
    return with_gate.wait;
}

/* ---- Each line of a function ---------------------------------------------------------------- */

enum { LINES_MAX = 300 };

/* Its lines are those that are found in its file from where it begins, and belong to it. */
static uint32_t lines_of(struct rdl_case *t, const struct rdl__spot *first, const char **out)
{
    uint32_t count = 0;
    size_t before = locations.count;

    for (int line = first->line; line < first->line + LINES_MAX; line++) {
        const char *text = rdl_format(t, "%s:%d", first->file, line);

        rdl__locations_want(&locations, text);
    }
    rdl__locations_find(&locations, NULL);
    for (size_t i = before; i < locations.count; i++)
        if (locations.items[i].count > 0 &&
            strcmp(locations.items[i].spots[0].function, first->function) == 0)
            out[count++] = locations.items[i].text;
    return count;
}

struct rdl_gate *rdl__gate_at_each_line(struct rdl_case *t, const char *function,
                                        const struct rdl_at *what, const char *file, int line)
{
    const struct rdl__location *location = find(function);
    const char *lines[LINES_MAX];
    struct rdl__spot first;
    uint32_t count;

    if (location->count == 0)
        rdl__misuse(t, "%s:%d: %s", file, line, location->error);
    first = location->spots[0]; /* finding others may move it */
    count = lines_of(t, &first, lines);
    if (count == 0)
        rdl__misuse(t, "%s:%d: no lines of %s are known", file, line, function);
    return rdl__gate_at(t, lines[rdl__meet_pick(t, count - 1)], what, file, line);
}

/* ---- Nobody else meanwhile ------------------------------------------------------------------ */

struct alone {
    char thread[RDL__MEET_NAME]; /* who is between the two places; "": nobody */
    const char *from, *to;
};

struct coming {
    struct alone *alone;
    const char *thread;
};

static bool is_free(void *what)
{
    const struct coming *coming = what;

    return !coming->alone->thread[0] || strcmp(coming->alone->thread, coming->thread) == 0;
}

static void describe_alone(const void *what, char *out, size_t room)
{
    const struct alone *alone = what;

    snprintf(out, room, "%s, which is on its way from %s to %s,", alone->thread, alone->from,
             alone->to);
}

static void go_in(struct rdl_hit *hit, void *it)
{
    struct alone *alone = it;
    struct coming coming = {alone, hit->thread};
    struct rdl__waiter waiter = {.pc = hit->pc, .describe = describe_alone, .what = alone};

    memcpy(waiter.thread, hit->thread, sizeof waiter.thread);
    rdl__meet_lock();
    rdl__gate_await(hit->t, &waiter, is_free, &coming);
    memcpy(alone->thread, hit->thread, sizeof alone->thread);
    rdl__meet_unlock();
}

static void go_out(struct rdl_hit *hit, void *it)
{
    struct alone *alone = it;

    rdl__meet_lock();
    if (strcmp(alone->thread, hit->thread) == 0) {
        alone->thread[0] = '\0';
        rdl__gates_changed();
    }
    rdl__meet_unlock();
}

void rdl__one_at_a_time(struct rdl_case *t, const char *from, const char *to, const char *file,
                        int line)
{
    struct alone *alone = rdl_alloc(t, sizeof *alone);

    alone->from = rdl_format(t, "%s", from);
    alone->to = rdl_format(t, "%s", to);
    rdl__at_each_hit(t, to, go_out, alone, false, file, line);
    rdl__at_each_hit(t, from, go_in, alone, false, file, line);
}

/* ---- Who is there, and what ----------------------------------------------------------------- */

struct rdl_case *rdl_hit_case(const struct rdl_hit *hit)
{
    return hit->t;
}

const char *rdl_hit_thread(const struct rdl_hit *hit)
{
    return hit->thread;
}

const char *rdl_hit_function(const struct rdl_hit *hit)
{
    return hit->spot->function;
}

int rdl_hit_line(const struct rdl_hit *hit)
{
    return hit->spot->line;
}

static bool find_part(const struct rdl_hit *hit, const char *path, size_t size,
                      struct rdl__part *out, struct rdl__error *error)
{
    if (!hit->frame)
        return rdl__fail(error, "nothing is known of variables here");
    if (!rdl__part_find(hit->frame, hit->registers, path, out, error))
        return false;
    if (out->type && out->type->size != size && out->bits == 0)
        return rdl__fail(error, "%s has %u bytes, not %zu", path, out->type->size, size);
    return true;
}

bool rdl_hit_read(struct rdl_hit *hit, const char *path, void *out, size_t size)
{
    struct rdl__error error;
    struct rdl__part part;

    return find_part(hit, path, size, &part, &error) &&
           rdl__part_read(&part, hit->registers, out, size, &error);
}

bool rdl_hit_write(struct rdl_hit *hit, const char *path, const void *value, size_t size)
{
    struct rdl__error error;
    struct rdl__part part;

    return find_part(hit, path, size, &part, &error) &&
           rdl__part_write(&part, hit->registers, value, size, &error);
}

void *rdl__hit_value(struct rdl_hit *hit, const char *path, void *out, size_t size,
                     const char *file, int line)
{
    struct rdl__error error;
    struct rdl__part part;

    if (!find_part(hit, path, size, &part, &error) ||
        !rdl__part_read(&part, hit->registers, out, size, &error))
        rdl__misuse(hit->t, "%s:%d: cannot read %s in %s: %s", file, line, path,
                    hit->spot->function, error.text);
    return out;
}
