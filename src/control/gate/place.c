/* place.c -- hooks at places in the code, for the length of a case.
 *
 * What a place means is found once in a process, since it takes long; hooks are placed for a case,
 * and taken away at its end. */
#include <dlfcn.h>
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
    bool was_there; /* what it is in has been loaded */
    bool is_over;   /* with its case */
    bool is_in_use; /* for ever, perhaps: a thread may be there */
    const char *text;
    const char *file; /* where the test says it; NULL: it is no test that does */
    int line;
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
    bool is_at_stand_in;                  /* where our function begins, instead of the spot */
    bool may_be_called_by_us;             /* it is where a function of another library begins */
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

/* ---- What controlled threads do not come to -------------------------------------------------- */

static const char *function_in(const char *text)
{
    const char *behind = strchr(text, '!');

    return behind ? behind + 1 : text;
}

/* Is the function that a place names in a family of which Raddle has its own, all through? */
static bool names_primitive(const char *text)
{
    static const char *const families[] = {"pthread_", "sem_", "mtx_", "cnd_", "thrd_"};
    const char *name = function_in(text);

    for (size_t i = 0; i < sizeof families / sizeof *families; i++)
        if (strncmp(name, families[i], strlen(families[i])) == 0)
            return true;
    return false;
}

static const void *module_of(uintptr_t address)
{
    struct dl_find_object found;

    return _dl_find_object((void *)address, &found) == 0 ? found.dlfo_map_start : NULL;
}

enum { NAME_ROOM = 64 };

static void name_function(const char *text, char out_name[NAME_ROOM])
{
    snprintf(out_name, NAME_ROOM, "%.*s", (int)strcspn(function_in(text), ":"), function_in(text));
}

/* Where the function of ours begins that controlled threads call by this name; 0: there is none. */
static uintptr_t our_function(const char *text)
{
    char name[NAME_ROOM];
    uintptr_t called;

    if (!rdl__running)
        return 0;
    name_function(text, name);
    called = (uintptr_t)dlsym(RTLD_DEFAULT, name);
    return called && module_of(called) == module_of((uintptr_t)our_function) ? called : 0;
}

/* Where the function of this name begins in another library than the C library: that may be in
 * place of the C library's, and of ours, as a sanitizer's malloc is.  0: there is none. */
static uintptr_t function_of_others(const char *text)
{
    char name[NAME_ROOM];
    uintptr_t called, libc = (uintptr_t)dlsym(RTLD_DEFAULT, "gnu_get_libc_version");

    if (!rdl__running || our_function(text))
        return 0;
    name_function(text, name);
    called = (uintptr_t)dlsym(RTLD_DEFAULT, name);
    return called && module_of(called) != module_of(libc) ? called : 0;
}

/* The first instruction, or that behind one where an indirect branch may land. */
static bool is_beginning(uintptr_t address, uintptr_t function)
{
    static const unsigned char landing[] = {0xf3, 0x0f, 0x1e, 0xfa};

    return function &&
           (address == function || (address == function + sizeof landing &&
                                    memcmp((const void *)function, landing, sizeof landing) == 0));
}

/* The same, if this is in another function of that name, such as the C library's. */
static uintptr_t stand_in_for(const char *text, uintptr_t address)
{
    return module_of(address) != module_of((uintptr_t)our_function) ? our_function(text) : 0;
}

/* Is it not where the function begins? */
static bool is_within(const char *text)
{
    return strchr(function_in(text), ':');
}

/* Ours may do without that of the C library: whoever means that means ours, where it begins. */
static uintptr_t where_threads_come(const char *text, uintptr_t address)
{
    uintptr_t called = is_within(text) ? 0 : stand_in_for(text, address);

    return called ? called : address;
}

/* ---- Coming there --------------------------------------------------------------------------- */

static bool is_own_code(uintptr_t address)
{
    for (size_t i = 0; i < locations.own_count; i++)
        if (address >= locations.own[i].start && address < locations.own[i].end)
            return true;
    return false;
}

/* Raddle itself calls functions of which it has its own, too, or would have but for a sanitizer's;
 * and of several versions that the C library has of one, it is the same. */
static bool is_meant(const struct post *post, const struct rdl__registers *registers)
{
    if (post->is_at_stand_in && post != post->place->posts)
        return false;
    return !(post->is_at_stand_in || post->may_be_called_by_us) ||
           !is_own_code(*(const uintptr_t *)registers->rsp);
}

static void come(struct rdl__registers *registers, void *it)
{
    const struct post *post = it;
    struct rdl_hit hit = {.t = post->place->t,
                          .pc = post->spot->address + 1, /* as if it had been called from there */
                          .spot = post->spot,
                          .frame = post->frame,
                          .registers = registers};

    if (post->place->is_over || (rdl__running && !rdl__self()) || !is_meant(post, registers))
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

/* FUNCTION:/!text/ does not. */
static bool names_library(const char *place)
{
    const char *sign = strchr(place, '!'), *source = strstr(place, ":/");

    return sign && (!source || sign < source);
}

/* What is called by us has to be told from what others call. */
static void want(const char *text)
{
    locations.with_own |= our_function(text) || function_of_others(text);
    rdl__locations_want(&locations, text);
}

/* Libraries come and go: what is in them is asked again, when one has. */
static const struct rdl__location *find(const char *text)
{
    static uint64_t loads;
    const struct rdl__location *location = known_as(text);

    if (!location)
        want(text);
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
            want(texts[i]);
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
            (struct rdl__hook){.address = where_threads_come(place->text, post->spot->address),
                               .call = call,
                               .it = post};
        post->is_at_stand_in = post->hook.address != post->spot->address;
        post->may_be_called_by_us =
            is_beginning(post->spot->address, function_of_others(place->text));
        hooks[i] = &post->hook;
    }
    placed = rdl__hooks_place(hooks, location->count, error);
    place->was_there = true;
    free(hooks);
    return placed;
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
    for (size_t i = 0; i < place->count; i++)
        rdl__hook_remove(&place->posts[i].hook);
    if (is_quiet(place))
        free(place->posts);
    else
        place->is_in_use = true;
    place->posts = NULL;
    place->count = 0;
}

/* ---- Libraries that are loaded later, or again ----------------------------------------------- */

static void misplaced(const struct place *place, const char *why)
{
    if (place->file)
        rdl__misuse(place->t, "%s:%d: %s", place->file, place->line, why);
    rdl__misuse(place->t, "%s", why);
}

/* When dlopen() is about to return, nobody has called anything in the library yet but its
 * constructors.  (dlopen() itself is left alone: where it looks depends on who calls it.) */
static struct place *loading;

/* What a library has that was unloaded, and loaded again, is without our hooks. */
static bool stands(const struct place *place, const struct rdl__location *location)
{
    for (size_t i = 0; i < place->count; i++)
        if (place->posts[i].spot != &location->spots[i] || !rdl__hook_stands(&place->posts[i].hook))
            return false;
    return place->count == location->count;
}

/* Another thread may unload it meanwhile: then it is as if it had not been there. */
static bool place_again(struct place *place, struct rdl__error *error)
{
    const struct rdl__location *location = known_as(place->text);
    struct rdl__error why;

    if (!stands(place, location))
        remove_hooks(place);
    if (location->count == 0 && !location->may_come)
        return rdl__fail(error, "%s: %s", place->text, location->error);
    if (place->count > 0 || location->count == 0 || place_all(place, location, come, &why))
        return true;
    remove_hooks(place);
    rdl__locations_find(&locations, NULL);
    return known_as(place->text)->spots != location->spots ||
           rdl__fail(error, "there can be no gate at %s: %s", place->text, why.text);
}

static void look_again(struct rdl__registers *registers, void *it)
{
    struct rdl__error error;
    struct place *place;

    (void)registers;
    (void)it;
    rdl__meet_lock();
    rdl__locations_find(&locations, NULL);
    for (place = places; place && place_again(place, &error); place = place->next)
        continue;
    rdl__meet_unlock();
    if (place)
        misplaced(place, error.text);
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
    loading->text = location->text;
    return place_all(loading, location, look_again, error);
}

/* ---- From now on ---------------------------------------------------------------------------- */

/* A name that is misspelt should not pass for a library that is late. */
static void check_all_were_there(void *unused)
{
    const struct rdl_case *t = rdl__current;

    (void)unused;
    if (t->outcome->verdict != RDL__PASSED)
        return;
    for (const struct place *place = places; place; place = place->next)
        if (!place->was_there)
            misplaced(place,
                      rdl_format(place->t, "%s: %s", place->text, known_as(place->text)->error));
}

/* In a library that may be unloaded we look again if anything is loaded; if we can. */
static bool put(struct place *place, const struct rdl__location *location, struct rdl__error *error)
{
    bool is_there = location->count > 0, may_go = location->may_go; /* it may move */
    struct rdl__error unused;

    if (!is_there)
        rdl_defer(place->t, check_all_were_there, NULL);
    if (!is_there)
        return watch_loading(error);
    if (!place_all(place, location, come, error))
        return false;
    if (may_go)
        watch_loading(&unused);
    return true;
}

/* Under the lock, as other threads may load libraries. */
static bool begin_place(const struct place *wanted, struct rdl__error *error)
{
    const struct rdl__location *location = find(wanted->text);
    struct rdl__error why;
    struct place *place;

    if (location->count == 0 && !(location->may_come && names_library(wanted->text)))
        return rdl__fail(error, "%s: %s", wanted->text, location->error);
    if (location->count > 0 && names_primitive(wanted->text) && is_within(wanted->text) &&
        stand_in_for(wanted->text, location->spots[0].address))
        return rdl__fail(error,
                         "%s: controlled threads do not come there, as Raddle has its own; name "
                         "the function alone, or a line that calls it",
                         wanted->text);
    place = rdl__allocate(sizeof *place);
    *place = *wanted;
    place->text = location->text;
    place->file = place->file ? rdl_format(place->t, "%s", place->file) : NULL;
    place->next = places;
    places = place;
    return put(place, location, &why) ||
           rdl__fail(error, "there can be no gate at %s: %s", place->text, why.text);
}

static bool begin_wanted(const struct place *wanted, struct rdl__error *error)
{
    bool begun;

    if (!wanted->text)
        return rdl__fail(
            error, "a place is missing: FILE:LINE, FUNCTION, FUNCTION:return, FUNCTION:/TEXT/");
    rdl__meet_begin(wanted->t);
    rdl__meet_lock();
    begun = begin_place(wanted, error);
    rdl__meet_unlock();
    return begun;
}

bool rdl__at_each_hit_if(struct rdl_case *t, const char *text,
                         void (*come_there)(struct rdl_hit *hit, void *it), void *it,
                         bool with_variables, struct rdl__error *error)
{
    return begin_wanted(
        &(struct place){
            .t = t, .come = come_there, .it = it, .text = text, .with_variables = with_variables},
        error);
}

void rdl__at_each_hit(struct rdl_case *t, const char *text,
                      void (*come_there)(struct rdl_hit *hit, void *it), void *it,
                      bool with_variables, const char *file, int line)
{
    const struct place wanted = {.t = t,
                                 .come = come_there,
                                 .it = it,
                                 .text = text,
                                 .file = file,
                                 .line = line,
                                 .with_variables = with_variables};
    struct rdl__error error;

    if (!begin_wanted(&wanted, &error))
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

static void end_place(struct place *place)
{
    place->is_over = true;
    remove_hooks(place);
    if (!place->is_in_use)
        free(place);
}

void rdl__places_end(void)
{
    rdl__hook_leave(); /* this thread may have come out of one by failing */
    if (loading)
        end_place(loading);
    loading = NULL;
    while (places) {
        struct place *place = places;

        places = place->next;
        end_place(place);
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
