/* place.c -- hooks at places in the code, for the length of a case.
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
#include "raddle/case.h"

/* What is called at a place, for all addresses that this is. */
struct place {
    struct rdl_case *t;
    void (*come)(struct rdl_hit *hit, void *it);
    void *it;
    bool is_over; /* with its case */
    const char *text;
    bool with_variables;
    struct post *posts;
    size_t count; /* 0: what it is in is yet to be loaded */
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

static const struct rdl__location *known_as(const char *text)
{
    for (size_t i = 0; i < locations.count; i++)
        if (strcmp(locations.items[i].text, text) == 0)
            return &locations.items[i];
    return NULL;
}

static bool names_library(const char *place)
{
    return strchr(place, '!');
}

/* Libraries come and go: what is in them is asked again, when one has. */
static const struct rdl__location *find(const char *text)
{
    static uint64_t loads;
    const struct rdl__location *location = known_as(text);

    if (!location)
        rdl__locations_want(&locations, text);
    if (!location || (names_library(text) && loads != rdl__libraries_changed())) {
        rdl__locations_find(&locations, NULL);
        loads = rdl__libraries_changed();
    }
    return known_as(text);
}

/* At once, since it takes long; and once in a process. */
static void find_all(const char *const *texts, size_t count)
{
    size_t before = locations.count;

    for (size_t i = 0; i < count; i++)
        if (!known_as(texts[i]))
            rdl__locations_want(&locations, texts[i]);
    if (locations.count > before)
        rdl__locations_find(&locations, NULL);
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
                      rdl__hook_function *call, struct rdl__error *error)
{
    struct rdl__hook **hooks = rdl__allocate(location->count * sizeof(struct rdl__hook *));
    bool placed;

    place->posts = rdl__allocate(location->count * sizeof *place->posts);
    place->count = location->count;
    for (size_t i = 0; i < location->count; i++) {
        struct post *post = &place->posts[i];

        *post =
            (struct post){.place = place,
                          .spot = &location->spots[i],
                          .frame = place->with_variables ? frame_at(&location->spots[i]) : NULL};
        post->hook =
            (struct rdl__hook){.address = location->spots[i].address, .call = call, .it = post};
        hooks[i] = &post->hook;
    }
    placed = rdl__hooks_place(hooks, location->count, error);
    free(hooks);
    return placed;
}

/* ---- Libraries that are loaded later -------------------------------------------------------- */

/* When dlopen() is about to return, nobody has called anything in the library yet but its
 * constructors.  (dlopen() itself is left alone: where it looks depends on who calls it.) */
static struct place *loading;

static void look_again(struct rdl__registers *registers, void *it)
{
    struct rdl__error error;

    (void)registers;
    (void)it;
    for (struct place *place = places; place; place = place->next) {
        const struct rdl__location *location;

        if (place->count > 0)
            continue;
        location = find(place->text);
        if (location->count > 0 && !place_all(place, location, come, &error))
            rdl__misuse(place->t, "there can be no gate at %s: %s", place->text, error.text);
    }
}

static bool watch_loading(struct rdl__error *error)
{
    const struct rdl__location *location;

    if (loading)
        return true;
    location = find("libc.so.6!dlopen:return");
    if (location->count == 0)
        return rdl__fail(error,
                         "it is in no library that is loaded, and it cannot be seen when "
                         "others are: %s",
                         location->error);
    loading = rdl__allocate(sizeof *loading);
    return place_all(loading, location, look_again, error);
}

/* ---- From now on ---------------------------------------------------------------------------- */

bool rdl__at_each_hit_if(struct rdl_case *t, const char *text,
                         void (*come_there)(struct rdl_hit *hit, void *it), void *it,
                         bool with_variables, struct rdl__error *error)
{
    const struct rdl__location *location;
    struct rdl__error why;
    struct place *place;

    rdl__meet_begin(t);
    location = find(text);
    if (location->count == 0 && !(location->may_come && names_library(text)))
        return rdl__fail(error, "%s: %s", text, location->error);
    place = rdl__allocate(sizeof *place);
    *place = (struct place){.t = t,
                            .come = come_there,
                            .it = it,
                            .text = location->text,
                            .with_variables = with_variables,
                            .next = places};
    places = place;
    return (location->count == 0 ? watch_loading(&why) : place_all(place, location, come, &why)) ||
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
    size_t found = 0;

    find_all(texts, count);
    for (size_t i = 0; i < count; i++)
        found += known_as(texts[i])->count > 0;
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

static void remove_hooks(struct place *place)
{
    place->is_over = true;
    for (size_t i = 0; i < place->count; i++)
        rdl__hook_remove(&place->posts[i].hook);
    if (!is_quiet(place))
        return;
    free(place->posts);
    free(place);
}

void rdl__places_end(void)
{
    rdl__hook_leave(); /* this thread may have come out of one by failing */
    if (loading)
        remove_hooks(loading);
    loading = NULL;
    while (places) {
        struct place *place = places;

        places = place->next;
        remove_hooks(place);
    }
}

/* ---- Each line of a function ---------------------------------------------------------------- */

/* Its lines are those that are found in its file from where it begins, and belong to it.  All are
 * looked for at once. */
uint32_t rdl__lines_of(struct rdl_case *t, const char *function, const char *lines[RDL__LINES_MAX],
                       const char *file, int line)
{
    enum { MARGIN = 50 }; /* so many lines without code at its end, and it is at an end */
    const struct rdl__location *location = find(function);
    struct rdl__spot first;
    uint32_t count = 0;
    int last = 0;

    if (location->count == 0)
        rdl__misuse(t, "%s:%d: %s: %s", file, line, function, location->error);
    first = location->spots[0]; /* others will come, and this may move */
    for (int i = 0; i < RDL__LINES_MAX; i++)
        lines[i] = rdl_format(t, "%s:%d", first.file, first.line + i);
    find_all(lines, RDL__LINES_MAX);
    for (int i = 0; i < RDL__LINES_MAX; i++) {
        location = known_as(lines[i]);
        if (location->count == 0 || strcmp(location->spots[0].function, first.function) != 0)
            continue;
        lines[count++] = lines[i];
        last = i;
    }
    if (last >= RDL__LINES_MAX - MARGIN)
        rdl__misuse(t, "%s:%d: %s has more than %d lines: name some of them instead", file, line,
                    function, RDL__LINES_MAX - MARGIN);
    if (count == 0)
        rdl__misuse(t, "%s:%d: the lines of %s are not known (was it compiled with -g?)", file,
                    line, function);
    return count;
}
