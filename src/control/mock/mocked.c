/* mocked.c -- functions that are mocked: where they are, what they take and return.
 *
 * What is found stays, and so do the detours until another test has mocks: in a case without any
 * for it, a function is called by way of us and is itself. */
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "control/mock/mock.h"
#include "control/sched/next.h"
#include "spec/values.h"

static struct rdl__mocked *first;
static struct rdl__locations locations = {.with_own = true};
static const struct rdl__code_range *own; /* code of Raddle */
static size_t own_count;
static const struct rdl_test *test; /* whose mocks are placed */
struct rdl__libc rdl__libc;

struct rdl__mocked *rdl__mocked_first(void)
{
    return first;
}

bool rdl__is_own_code(uintptr_t address)
{
    for (size_t i = 0; i < own_count; i++)
        if (address >= own[i].start && address < own[i].end)
            return true;
    return false;
}

/* ---- Where it is -------- */

/* "driver.c:flash_write" and "libz.so.1!crc32" are called flash_write and crc32. */
static const char *name_in(const char *place)
{
    const char *bang = strchr(place, '!'), *colon;

    place = bang ? bang + 1 : place;
    colon = strchr(place, ':');
    return colon ? colon + 1 : place;
}

/* As it was asked for; NULL: it was not.  It is good until another one is asked for. */
static const struct rdl__location *asked_for(const char *place)
{
    size_t length = strlen(place);

    for (size_t i = 0; i < locations.count; i++) {
        const char *text = locations.items[i].text;

        if (strncmp(text, place, length) == 0 && strcmp(text + length, ":entry") == 0)
            return &locations.items[i];
    }
    return NULL;
}

static void ask_for(const char *place)
{
    struct rdl__text text = {0};

    if (asked_for(place))
        return;
    rdl__text_add(&text, "%s:entry", place);
    rdl__locations_want(&locations, text.bytes);
    rdl__text_release(&text);
}

static const struct rdl__location *locate(const char *place)
{
    ask_for(place);
    rdl__locations_find(&locations, NULL);
    return asked_for(place);
}

/* Variants that the compiler made: they do not take or return what the function does.  What it only
 * gave another name is the function. */
static bool is_variant(const struct rdl__spot *spot)
{
    return spot->clone[0] && !strstr(spot->clone, ".lto_priv") &&
           !strstr(spot->clone, ".localalias");
}

static bool can_be_entered(const struct rdl__spot *spot)
{
    return !spot->is_inlined && !is_variant(spot);
}

/* "inlined into f at a.c:10, ..." */
static void add_unreached(struct rdl__text *out, const struct rdl__location *location)
{
    enum { SHOWN = 4 };
    size_t count = 0;

    for (size_t i = 0; i < location->count; i++) {
        const struct rdl__spot *spot = &location->spots[i];

        if (can_be_entered(spot) || count++ >= SHOWN)
            continue;
        rdl__text_add(out, "%s%s", count > 1 ? ", " : "", spot->is_inlined ? "in " : "as ");
        if (spot->is_inlined)
            rdl__text_add(out, "%s", spot->around[0] ? spot->around : "another function");
        else
            rdl__text_add(out, "%s%s", spot->function, spot->clone);
        if (spot->line)
            rdl__text_add(out, " (%s:%d)", spot->file, spot->line);
    }
    if (count > SHOWN)
        rdl__text_add(out, ", and %zu more", count - SHOWN);
}

/* What prevents it: calls of variants lead to those, inlined or not. */
static const char *remedy(const struct rdl__mocked *function)
{
    return function->has_variants ? "compile with -fno-inline -fno-ipa-cp -fno-ipa-sra, or declare "
                                    "it noipa"
                                  : "compile with -fno-inline, or declare it noinline";
}

static bool check_reach(const struct rdl__mocked *function, bool partly, struct rdl__error *error)
{
    if (function->entry_count == 0)
        return rdl__fail(
            error, "%s cannot be mocked, as no call leads to it: %s: %s; %s", function->place,
            function->has_variants ? "the compiler has made others of it" : "it is part of others",
            function->unreached, remedy(function));
    return !function->unreached[0] || partly ||
           rdl__fail(error, "%s has copies that calls do not reach: %s; %s; or say rdl_partly",
                     function->place, function->unreached, remedy(function));
}

static struct rdl__mock_entry *add_entry(struct rdl__mocked *function, uintptr_t address)
{
    struct rdl__mock_entry *entry = &function->entries[function->entry_count++];

    *entry = (struct rdl__mock_entry){.function = function, .detour = {.address = address}};
    return entry;
}

/* Functions of ours come before some of the C library's; who calls those calls ours. */
static void add_interposed(struct rdl__mocked *function)
{
    void *global = strchr(function->place, ':') ? NULL : dlsym(RTLD_DEFAULT, function->name);

    if (global && rdl__is_own_code((uintptr_t)global) && strncmp(function->name, "rdl_", 4) != 0)
        function->has_interposed = add_entry(function, (uintptr_t)global)->is_interposed = true;
}

/* Where calls of this name lead to, but for ours; 0: nowhere. */
static uintptr_t called_as(const char *name)
{
    uintptr_t called = (uintptr_t)dlsym(RTLD_DEFAULT, name);

    return rdl__is_own_code(called) ? (uintptr_t)dlsym(RTLD_NEXT, name) : called;
}

/* Another's that comes before the C library's, a sanitizer's malloc say, is in its place: the C
 * library calls it, too. */
static bool is_in_libc(const char *name, const struct rdl__spot *spot)
{
    return strncmp(spot->module, "libc.so", 7) == 0 ||
           (spot->address == called_as(name) && rdl__of_libc(name));
}

/* While nothing is mocked yet that would be called for it. */
static void look_for_libc(void)
{
    if (rdl__libc.start)
        return;
    rdl__libc.start = rdl__library_of((uintptr_t)dlsym(RTLD_DEFAULT, "gnu_get_libc_version"));
    rdl__libc.allocator = rdl__library_of(called_as("malloc"));
}

static void note_unreached(struct rdl__mocked *function, const struct rdl__location *location)
{
    struct rdl__text unreached = {0};

    add_unreached(&unreached, location);
    for (size_t i = 0; i < location->count; i++)
        function->has_variants |= is_variant(&location->spots[i]);
    if (unreached.count == 0 && location->is_lost)
        rdl__text_add(
            &unreached,
            "in others, though nothing tells in which, or its code is that of another function "
            "(-fno-ipa-icf)");
    function->unreached = rdl__duplicate(rdl__text_string(&unreached));
    rdl__text_release(&unreached);
}

static bool find_entries(struct rdl__mocked *function, const struct rdl__location *location,
                         bool partly, struct rdl__error *error)
{
    if (location->count == 0)
        return rdl__fail(error, "%s cannot be mocked: %s", function->place, location->error);
    function->entries = rdl__allocate((location->count + 1) * sizeof *function->entries);
    for (size_t i = 0; i < location->count; i++)
        if (can_be_entered(&location->spots[i]))
            add_entry(function, location->spots[i].address)->is_in_libc =
                is_in_libc(function->name, &location->spots[i]);
    note_unreached(function, location);
    if (!check_reach(function, partly, error))
        return false;
    add_interposed(function);
    return true;
}

static bool is_at(const struct rdl__location *location, uintptr_t address)
{
    for (size_t i = 0; i < location->count; i++)
        if (location->spots[i].address == address)
            return true;
    return false;
}

/* The name may be an alias, which only the linker knows: copies go by the other one.  (The C
 * library is full of them, and is not made for us.) */
static bool check_alias(struct rdl__mocked *function, bool partly, struct rdl__error *error)
{
    const char *other = function->is_known ? function->prototype.name : "";
    const struct rdl__location *location;

    if (function->unreached[0] || function->entries[0].is_in_libc || !*other ||
        strcmp(other, function->name) == 0)
        return true;
    location = locate(other);
    if (is_at(location, function->entries[0].detour.address))
        note_unreached(function, location);
    return check_reach(function, partly, error);
}

/* ---- What it takes -------- */

/* Names that were declared: "block, data, length". */
static char *declared_name(const struct rdl__declared *declared, uint32_t i)
{
    const char *at = declared ? declared->parameters : "";
    size_t length;

    for (; i > 0 && *at; i--) {
        at += strcspn(at, ",");
        at += *at == ',';
    }
    at += strspn(at, " ");
    length = strcspn(at, ", ");
    return length ? rdl__duplicate_part(at, length) : NULL;
}

static const unsigned char *make_mask(const struct rdl__parameter *of)
{
    unsigned char *mask;

    if (!of->type || of->type->size != of->size)
        return NULL;
    mask = rdl__allocate(of->size + 1);
    rdl__value_mask(of->type, mask);
    for (uint32_t i = 0; i < of->size; i++)
        if (mask[i] != 0xff)
            return mask;
    free(mask);
    return NULL;
}

void rdl__mock_clear_padding(const struct rdl__mock_value *of, void *value)
{
    unsigned char *bytes = value;

    for (uint32_t i = 0; of->mask && i < of->size; i++)
        bytes[i] &= of->mask[i];
}

static uint32_t take_room(struct rdl__mocked *function, uint32_t size)
{
    uint32_t at = (function->values_size + 15) / 16 * 16;

    function->values_size = at + size;
    return at;
}

static void lay_out(struct rdl__mocked *function, const struct rdl__declared *declared)
{
    const struct rdl__prototype *p = &function->prototype;

    function->parameters = rdl__allocate((p->count + 1) * sizeof *function->parameters);
    for (uint32_t i = 0; i < p->count; i++) {
        const struct rdl__parameter *from = &p->parameters[i];
        const char *name = declared_name(declared, i); /* what the test says is best */
        char number[12];

        snprintf(number, sizeof number, "%u", i + 1);
        if (!name)
            name = from->name[0] ? from->name : rdl__duplicate(number);
        function->parameters[i] = (struct rdl__mock_value){.name = name,
                                                           .type_name = from->type_name,
                                                           .type = from->type,
                                                           .mask = make_mask(from),
                                                           .size = from->size,
                                                           .at = take_room(function, from->size)};
    }
    function->result = (struct rdl__mock_value){
        .name = "", .type_name = p->returns_name, .type = p->returns, .size = p->returns_size};
    function->result.at = take_room(function, function->result.size);
}

/* Nothing is known of it: it takes whatever it takes, and returns a register. */
static void lay_out_unknown(struct rdl__mocked *function)
{
    function->result =
        (struct rdl__mock_value){.name = "", .type_name = "unknown", .size = sizeof(uint64_t)};
    function->result.at = take_room(function, function->result.size);
}

enum { PROTOTYPES = 3 }; /* of a function: its own, as declared, and as the test says */

static size_t want_prototypes(struct rdl__prototype_wanted *out, const char *name,
                              const struct rdl__location *location, const void *typed)
{
    const struct rdl__declared *declared = rdl__declared_as(name);
    size_t count = 1;

    out[0] = (struct rdl__prototype_wanted){.entry = location->spots[0].address};
    for (size_t i = 0; i < location->count; i++)
        if (can_be_entered(&location->spots[i]))
            out[0].entry = location->spots[i].address;
    if ((declared || typed) && is_in_libc(name, &location->spots[0]))
        count = 0; /* to read what that says of it takes long */
    if (declared)
        out[count++] = (struct rdl__prototype_wanted){.variable = declared->variable, .name = name};
    if (typed)
        out[count++] = (struct rdl__prototype_wanted){.variable = typed, .name = name};
    return count;
}

/* What was found ahead: see rdl__mocked_look_up. */
static struct rdl__prototype_wanted *ahead;
static size_t ahead_count;

static bool was_found_ahead(struct rdl__prototype_wanted *wanted)
{
    for (size_t i = 0; i < ahead_count; i++)
        if (ahead[i].entry == wanted->entry && ahead[i].variable == wanted->variable) {
            wanted->prototype = ahead[i].prototype;
            return true;
        }
    return false;
}

static void get_prototypes(struct rdl__prototype_wanted *wanted, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!was_found_ahead(&wanted[i])) {
            rdl__prototypes_find(wanted, count);
            return;
        }
}

/* Nothing else tells of those of the C library. */
static bool ends_the_process(const char *name)
{
    static const char *const names[] = {
        "abort",         "exit",     "_exit",           "_Exit",        "quick_exit",
        "longjmp",       "_longjmp", "siglongjmp",      "pthread_exit", "thrd_exit",
        "__assert_fail", "__assert", "__stack_chk_fail"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

static bool find_prototype(struct rdl__mocked *function, const struct rdl__location *location,
                           const void *typed, struct rdl__error *error)
{
    const struct rdl__declared *declared = rdl__declared_as(function->name);
    struct rdl__prototype_wanted wanted[PROTOTYPES];
    size_t count = want_prototypes(wanted, function->name, location, typed), chosen = 0;

    get_prototypes(wanted, count);
    while (chosen + 1 < count && wanted[chosen].prototype.refusal[0])
        chosen++;
    function->prototype = wanted[chosen].prototype;
    function->is_known = !function->prototype.refusal[0];
    function->never_returns = function->prototype.never_returns || ends_the_process(function->name);
    if (function->is_known)
        lay_out(function, declared);
    else if (location->spots[0].line == 0 && count == 1)
        lay_out_unknown(function);
    else
        return rdl__fail(error, "%s cannot be mocked: %s", function->place,
                         function->prototype.refusal);
    return true;
}

const struct rdl__mock_value *rdl__mocked_parameter(const struct rdl__mocked *function,
                                                    const char *name)
{
    char *end;
    unsigned long number = strtoul(name, &end, 10);

    for (uint32_t i = 0; function->is_known && i < function->prototype.count; i++)
        if (strcmp(function->parameters[i].name, name) == 0 || (!*end && number == i + 1))
            return &function->parameters[i];
    return NULL;
}

/* ---- Detours -------- */

static bool place(struct rdl__mocked *function, struct rdl__error *error)
{
    struct rdl__detour **detours = rdl__allocate(function->entry_count * sizeof *detours);
    struct rdl__error why;

    for (size_t i = 0; i < function->entry_count; i++) {
        struct rdl__mock_entry *entry = &function->entries[i];

        if (!entry->detour.target)
            entry->detour.target = rdl__thunk_new(rdl__mock_come, entry);
        detours[i] = &entry->detour;
    }
    function->is_placed = rdl__detours_place(detours, function->entry_count, &why);
    free(detours);
    return function->is_placed ||
           rdl__fail(error, "%s cannot be mocked: %s", function->place, why.text);
}

static void take_away(struct rdl__mocked *function)
{
    struct rdl__detour **detours = rdl__allocate(function->entry_count * sizeof *detours);

    for (size_t i = 0; i < function->entry_count; i++)
        detours[i] = &function->entries[i].detour;
    rdl__detours_remove(detours, function->entry_count);
    free(detours);
    function->is_placed = false;
}

static void begin_test(const struct rdl_test *next)
{
    for (struct rdl__mocked *function = first; function && test != next; function = function->next)
        if (function->is_placed)
            take_away(function);
    test = next;
}

void rdl__mocked_end(void)
{
    for (struct rdl__mocked *function = first; function; function = function->next) {
        function->mocks = NULL;
        function->is_expected = false;
        function->handler = function->answered = NULL;
    }
}

void rdl__mocked_run(const struct rdl__mocked *function, uintptr_t code,
                     struct rdl__arguments *arguments)
{
    if (function->is_known)
        rdl__prototype_call(&function->prototype, code, arguments);
    else
        rdl__thunk_call(code, arguments, RDL__OPEN_STACK_BYTES);
}

/* ---- All of it -------- */

static struct rdl__mocked *known_as(const char *text)
{
    for (struct rdl__mocked *function = first; function; function = function->next)
        if (strcmp(function->place, text) == 0)
            return function;
    return NULL;
}

/* The same function may be called by several names. */
static struct rdl__mocked *known_at(uintptr_t address)
{
    for (struct rdl__mocked *function = first; function; function = function->next)
        for (size_t i = 0; i < function->entry_count; i++)
            if (function->entries[i].detour.address == address)
                return function;
    return NULL;
}

static struct rdl__mocked *find(const char *text, const void *typed, bool partly,
                                struct rdl__error *error)
{
    struct rdl__mocked *function = rdl__allocate(sizeof *function), *other = NULL;
    const struct rdl__location *location = locate(text);

    own = locations.own;
    own_count = locations.own_count;
    function->place = rdl__duplicate(text);
    function->name = name_in(function->place);
    for (size_t i = 0; i < location->count && !other; i++)
        other = known_at(location->spots[i].address);
    if (other)
        return other;
    if (!find_entries(function, location, partly, error) ||
        !find_prototype(function, location, typed, error) || !check_alias(function, partly, error))
        return NULL;
    rdl__book_write(function, own, own_count);
    return function;
}

/* In the book, or in the code. */
static struct rdl__mocked *get(const char *text, const void *typed, bool partly,
                               struct rdl__error *error)
{
    struct rdl__mocked *function = rdl__book_read(text), *other;

    if (function) {
        own = rdl__book_own_code(&own_count);
        other = known_at(function->entries[0].detour.address);
        function = other ? other : function;
    }
    if (!function)
        function = find(text, typed, partly, error);
    if (!function || function->type.name)
        return function;
    function->name = name_in(function->place);
    function->type = (struct rdl_event_type){.name = function->name, .size = function->values_size};
    function->next = first;
    first = function;
    return function;
}

static const struct link_map *library_of(const void *code)
{
    struct dl_find_object found;

    return code && _dl_find_object((void *)(uintptr_t)code, &found) == 0 ? found.dlfo_link_map
                                                                         : NULL;
}

/* A function that was named as one is that which calls of the test lead to, or would without our
 * stand-in for it: others of the name, static ones of other files, are not meant. */
static const char *place_of(struct rdl_case *t, const char *text, const void *typed)
{
    const struct link_map *library = typed ? library_of(*(void *const *)typed) : NULL;
    const char *slash;

    if (library && library == library_of((void *)(uintptr_t)place_of) && library->l_name[0])
        library = library_of(dlsym(RTLD_NEXT, text));
    if (!library || !library->l_name[0] || strstr(library->l_name, "vdso")) /* the kernel's code */
        return text;
    slash = strrchr(library->l_name, '/');
    return rdl_format(t, "%s!%s", slash ? slash + 1 : library->l_name, text);
}

static bool is_still_there(const struct rdl__mocked *function)
{
    for (size_t i = 0; i < function->entry_count; i++)
        if (!rdl__detour_is_there(&function->entries[i].detour))
            return false;
    return true;
}

/* Another library may have come that has such a function, too.  What this case has said of it stays
 * as it was meant. */
static bool may_mean_another(const struct rdl__mocked *function)
{
    const struct rdl__location *location = asked_for(function->place);
    bool is_used = function->mocks || function->is_expected || function->handler;

    return !is_used && location && location->may_go && !strchr(function->place, '!') &&
           !function->entries[0].is_in_libc;
}

static void look_again(const char *place)
{
    for (size_t i = 0; i < locations.count; i++)
        if (&locations.items[i] == asked_for(place)) {
            locations.items[i].count = 0;
            locations.items[i].error = "";
        }
}

/* What a library had that was unloaded is looked for again: the library may be back, without what
 * we have written into it, or another one with such a function.  Who has kept it, has it still. */
static void forget_unloaded(void)
{
    static uint64_t changes;
    uint64_t now = rdl__libraries_changed();
    struct rdl__mocked **at = changes == now ? NULL : &first, *function;

    changes = now;
    while (at && (function = *at)) {
        if (function->is_placed && (!is_still_there(function) || may_mean_another(function))) {
            take_away(function);
            look_again(function->place);
            *at = function->next;
        } else {
            at = &function->next;
        }
    }
}

struct rdl__mocked *rdl__mocked_get(struct rdl_case *t, const char *text, const void *typed,
                                    bool partly, struct rdl__error *error)
{
    struct rdl__mocked *function;

    forget_unloaded();
    begin_test(t->test);
    text = place_of(t, text, typed);
    function = known_as(text);
    if (!function)
        function = get(text, typed, partly, error);
    if (!function || !check_reach(function, partly, error))
        return NULL;
    look_for_libc();
    return function->is_placed || place(function, error) ? function : NULL;
}

static bool is_new(const char *text)
{
    return !known_as(text) && !rdl__book_has(text);
}

/* The debugging information is read twice for all of them, and not twice for each. */
void rdl__mocked_look_up(const char *const *places, size_t count)
{
    struct rdl__prototype_wanted *wanted = rdl__allocate((PROTOTYPES * count + 1) * sizeof *wanted);
    size_t wanted_count = 0;

    for (size_t i = 0; i < count; i++)
        if (is_new(places[i]))
            ask_for(places[i]);
    rdl__locations_find(&locations, NULL);
    for (size_t i = 0; i < count; i++) {
        const struct rdl__location *location = asked_for(places[i]);

        if (location && location->count > 0 && is_new(places[i]))
            wanted_count +=
                want_prototypes(&wanted[wanted_count], name_in(places[i]), location, NULL);
    }
    if (wanted_count > 0)
        rdl__prototypes_find(wanted, wanted_count);
    free(ahead);
    ahead = wanted;
    ahead_count = wanted_count;
}

void (*rdl__real(void (*code)(void), const char *name))(void)
{
    struct rdl__mocked *function = known_at((uintptr_t)code);

    for (struct rdl__mocked *one = first; one && !function; one = one->next)
        if (strcmp(one->name, name) == 0)
            function = one;
    for (size_t i = 0; function && i < function->entry_count; i++)
        if (function->entries[i].detour.address == (uintptr_t)code ||
            i + 1 == function->entry_count)
            return (void (*)(void))(function->entries[i].detour.site
                                        ? rdl__detour_real(&function->entries[i].detour)
                                        : (uintptr_t)code);
    return code;
}
