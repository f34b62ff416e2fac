/* loop.c -- loops in which code does nothing but look at memory, again and again.
 *
 * All instructions of a stretch of code are decoded to which a place in it can lead, without
 * returns and jumps to what a register says.  Those of them that lead back to the place, within the
 * stretch, are a loop.  Each jump back over the place is the end of such a stretch, and so of a
 * loop that lies in that of the next longer one: what the outer loop does besides is nothing to a
 * thread that goes round in the inner one. */
#include "port/loop.h"

#include <stdlib.h>

#include "base/memory.h"
#include "port/loop_step.h"
#include "port/region.h"
#include "port/site.h"
#include "port/zydis.h"

enum { STEPS_MAX = 96, STRETCH_MAX = 1024, CALLS_MAX = 2, NOWHERE = -1 };

/* What a function changes that keeps to the rules: all registers that it may. */
static const rdl__loop_values changed_by_calls = UINT64_C(0xffff0fc7);

struct step {
    struct rdl__loop_step does;
    uintptr_t at;
    int next[2]; /* numbers of steps: behind it, and where it jumps to; NOWHERE */
    bool is_reached, comes_back;
    rdl__loop_values wanted; /* values that are read from here on, before they are set */
};

struct path {
    struct rdl__region stretch;
    struct step steps[STEPS_MAX];
    int count;
    struct rdl__loop_slots slots;
};

static const struct rdl__region all_code = {0, UINTPTR_MAX};

/* ---- Paths ----------------------------------------------------------------------------------- */

/* The number of the step there, which is added if it is new; NOWHERE: there is no room. */
static int step_at(struct path *path, uintptr_t at)
{
    if (!rdl__region_has(&path->stretch, at))
        return NOWHERE;
    for (int i = 0; i < path->count; i++)
        if (path->steps[i].at == at)
            return i;
    if (path->count == STEPS_MAX)
        return NOWHERE;
    path->steps[path->count] = (struct step){.at = at, .next = {NOWHERE, NOWHERE}};
    return path->count++;
}

/* Decode it, and add the steps that it leads to. */
static void follow(struct path *path, int number)
{
    struct step *step = &path->steps[number];

    if (!rdl__loop_step_read(step->at, &path->slots, &step->does))
        return;
    if (step->does.falls)
        step->next[0] = step_at(path, step->does.behind);
    if (step->does.jumps && step->does.target)
        step->next[1] = step_at(path, step->does.target);
}

static void walk(struct path *path, uintptr_t from, struct rdl__region stretch)
{
    path->stretch = stretch;
    path->count = 0;
    path->slots = (struct rdl__loop_slots){.count = 0};
    step_at(path, from);
    for (int i = 0; i < path->count; i++)
        follow(path, i);
}

static bool jumps_back(const struct step *step)
{
    return step->does.jumps && step->does.target && step->does.target <= step->at;
}

/* ---- Functions that are called --------------------------------------------------------------- */

/* Does the function that begins there return, or go on for ever, having only looked? */
static bool call_only_looks(uintptr_t function, int depth, bool *looks)
{
    struct path *path = rdl__allocate(sizeof *path);
    bool yes = true;

    walk(path, function, all_code);
    for (int i = 0; yes && i < path->count; i++) {
        const struct rdl__loop_step *step = &path->steps[i].does;

        yes = step->only_looks && (!step->falls || path->steps[i].next[0] >= 0) &&
              (!step->jumps || path->steps[i].next[1] >= 0) &&
              (!step->calls ||
               (depth < CALLS_MAX && call_only_looks(step->target, depth + 1, looks)));
        *looks |= step->looks && !step->returns;
    }
    free(path);
    return yes;
}

/* False: it may do more. */
static bool follow_calls(struct path *path)
{
    for (int i = 0; i < path->count; i++) {
        struct rdl__loop_step *step = &path->steps[i].does;

        if (!path->steps[i].comes_back || !step->calls)
            continue;
        if (!step->target || !call_only_looks(step->target, 1, &step->looks))
            return false;
        step->moves_to_stack = true;
        step->reads = 0;
        step->writes = step->sets = changed_by_calls;
    }
    return true;
}

/* ---- Loops ----------------------------------------------------------------------------------- */

static bool leads_back(const struct path *path, int number)
{
    const struct step *step = &path->steps[number];

    for (int i = 0; i < 2; i++)
        if (step->next[i] == 0 || (step->next[i] > 0 && path->steps[step->next[i]].comes_back))
            return true;
    return false;
}

static void find_loop(struct path *path)
{
    bool found_more = true;

    while (found_more) {
        found_more = false;
        for (int i = path->count - 1; i >= 0; i--)
            if (!path->steps[i].comes_back && leads_back(path, i))
                path->steps[i].comes_back = found_more = true;
    }
}

static bool stays(const struct path *path, int next)
{
    return next >= 0 && path->steps[next].comes_back;
}

/* False: there are too many. */
static bool add_jump(const struct path *path, const struct step *step, struct rdl__loop *out)
{
    struct rdl__loop_jump jump = {
        .at = step->at,
        .condition = step->does.condition,
        .goes_back = jumps_back(step) && stays(path, step->next[1]),
        .leaves = {step->does.falls && !stays(path, step->next[0]), !stays(path, step->next[1])}};

    if (!jump.goes_back && !jump.leaves[0] && !jump.leaves[1])
        return true;
    if (out->count == RDL__LOOP_JUMPS)
        return false;
    out->jumps[out->count++] = jump;
    return true;
}

/* False: it is none that is looked for. */
static bool describe(struct path *path, struct rdl__loop *out)
{
    bool has_looked = false, has_back = false;

    *out = (struct rdl__loop){.count = 0};
    for (int i = 0; i < path->count; i++)
        if (path->steps[i].comes_back && !path->steps[i].does.only_looks)
            return false;
    if (!follow_calls(path))
        return false;
    for (int i = 0; i < path->count; i++) {
        const struct step *step = &path->steps[i];

        if (!step->comes_back)
            continue;
        out->has_locals |= step->does.moves_to_stack;
        out->has_pointer |= step->does.moves_below_rbp;
        has_looked |= step->does.looks;
        if (step->does.jumps && !add_jump(path, step, out))
            return false;
    }
    for (size_t i = 0; i < out->count; i++)
        has_back |= out->jumps[i].goes_back;
    return has_looked && has_back;
}

static bool find(struct path *path, uintptr_t from, struct rdl__region stretch,
                 struct rdl__loop *out)
{
    walk(path, from, stretch);
    find_loop(path);
    return describe(path, out);
}

/* ---- Around a place -------------------------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
    const struct rdl__region *left = a, *right = b;
    uintptr_t left_size = left->end - left->start, right_size = right->end - right->start;

    return (left_size > right_size) - (left_size < right_size);
}

/* That jumps back over the first step are the ends of; the shortest first, all code last. */
static int find_stretches(const struct path *path, struct rdl__region out[STEPS_MAX + 1])
{
    uintptr_t pc = path->steps[0].at;
    int count = 0;

    for (int i = 0; i < path->count; i++) {
        const struct step *step = &path->steps[i];

        if (jumps_back(step) && step->does.target <= pc && pc <= step->at)
            out[count++] = (struct rdl__region){step->does.target, step->does.behind};
    }
    qsort(out, (size_t)count, sizeof *out, compare);
    out[count++] = all_code;
    return count;
}

static size_t find_around(struct path *path, uintptr_t pc, struct rdl__loop *out, size_t room)
{
    struct rdl__region stretches[STEPS_MAX + 1];
    size_t found = 0;
    int count;

    walk(path, pc, all_code);
    count = find_stretches(path, stretches);
    for (int i = 0; i < count && found < room; i++)
        if (find(path, pc, stretches[i], &out[found]))
            found++;
    return found;
}

size_t rdl__loops_around(uintptr_t pc, struct rdl__loop *out, size_t room)
{
    struct rdl__error error;
    struct path *path;
    size_t found = 0;
    bool begun;

    if (!rdl__zydis_load(&error))
        return 0;
    path = rdl__allocate(sizeof *path);
    begun = rdl__sites_begin();
    found = find_around(path, pc, out, room);
    rdl__loop_steps_end();
    rdl__sites_end(begun);
    free(path);
    return found;
}

/* ---- In a module ----------------------------------------------------------------------------- */

static bool want_more(struct path *path, int number)
{
    struct step *step = &path->steps[number];
    rdl__loop_values wanted = 0;

    for (int i = 0; i < 2; i++)
        if (stays(path, step->next[i]))
            wanted |= path->steps[step->next[i]].wanted;
    wanted = step->does.reads | (wanted & ~step->does.sets);
    if (wanted == step->wanted)
        return false;
    step->wanted = wanted;
    return true;
}

/* Is anything read that was changed in a round before? */
static bool keeps_nothing(struct path *path)
{
    rdl__loop_values changed = 0;
    bool more = true;

    while (more) {
        more = false;
        for (int i = path->count - 1; i >= 0; i--)
            more |= path->steps[i].comes_back && want_more(path, i);
    }
    for (int i = 0; i < path->count; i++)
        if (path->steps[i].comes_back)
            changed |= path->steps[i].does.writes;
    for (int i = 0; i < path->count; i++)
        if (path->steps[i].comes_back && jumps_back(&path->steps[i]) &&
            stays(path, path->steps[i].next[1]) &&
            path->steps[path->steps[i].next[1]].wanted & changed)
            return false;
    return !path->slots.are_too_many;
}

struct search {
    struct path *path;
    struct rdl__loop *out;
    size_t found, room;
};

/* The loop from there to its end, which jumps back. */
static void try_stretch(struct search *search, uintptr_t start, uintptr_t end)
{
    if (find(search->path, start, (struct rdl__region){start, end}, &search->out[search->found]) &&
        keeps_nothing(search->path))
        search->found++;
}

static void search_function(const struct rdl__region *region, void *it)
{
    struct search *search = it;
    struct rdl__loop_step step;

    for (uintptr_t at = region->start; at < region->end && search->found < search->room;
         at = step.behind) {
        struct rdl__loop_slots none = {.count = 0};

        if (!rdl__loop_step_read(at, &none, &step))
            return;
        if (step.jumps && step.target && step.target <= at && step.target >= region->start &&
            at - step.target <= STRETCH_MAX)
            try_stretch(search, step.target, step.behind);
    }
}

size_t rdl__loops_that_wait(uintptr_t pc, struct rdl__loop *out, size_t room)
{
    struct search search = {.out = out, .room = room};
    struct rdl__error error;
    bool begun;

    if (!rdl__zydis_load(&error))
        return 0;
    search.path = rdl__allocate(sizeof *search.path);
    begun = rdl__sites_begin();
    rdl__regions_of(pc, search_function, &search);
    rdl__loop_steps_end();
    rdl__sites_end(begun);
    free(search.path);
    return search.found;
}

/* ---- Jumps ----------------------------------------------------------------------------------- */

bool rdl__loop_jump_is_taken(const struct rdl__loop_jump *jump, uint64_t flags)
{
    bool carry = flags & 1, parity = flags >> 2 & 1, zero = flags >> 6 & 1;
    bool sign = flags >> 7 & 1, overflow = flags >> 11 & 1, unless = jump->condition & 1;

    switch (jump->condition / 2) {
    case 0:
        return overflow != unless;
    case 1:
        return carry != unless;
    case 2:
        return zero != unless;
    case 3:
        return (carry || zero) != unless;
    case 4:
        return sign != unless;
    case 5:
        return parity != unless;
    case 6:
        return (sign != overflow) != unless;
    case 7:
        return (zero || sign != overflow) != unless;
    default:
        return true;
    }
}
