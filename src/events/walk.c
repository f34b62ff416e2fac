/* walk.c -- one stream that a spec allows, by choices.
 *
 * A step becomes a list of the events in it, in an order.  What is interleaved is a list for each
 * part, of which one after the other is then taken, as it is chosen. */
#include <string.h>

#include "events/events.h"

/* Events in their order. */
struct list {
    const struct rdl_step **steps;
    uint32_t count, room;
};

struct decided {
    const char *tag;
    uint32_t branch;
    struct decided *before;
};

struct walk {
    struct rdl__arena *arena;
    rdl__walk_choose *choose;
    void *it;
    struct decided *decided;
};

static void append(struct walk *w, struct list *out, const struct rdl_step *step)
{
    if (out->count == out->room) {
        const struct rdl_step **old = out->steps;

        out->room = out->room ? 2 * out->room : 4;
        out->steps = rdl__arena_alloc(w->arena, out->room * sizeof(struct rdl_step *));
        if (old)
            memcpy(out->steps, old, out->count * sizeof(struct rdl_step *));
    }
    out->steps[out->count++] = step;
}

/* ---- One of several ------------------------------------------------------------------------- */

static uint32_t choose_branch(struct walk *w, const struct rdl_step *step)
{
    struct decided *decided = step->name ? w->decided : NULL;

    while (decided && strcmp(decided->tag, step->name) != 0)
        decided = decided->before;
    if (decided)
        return decided->branch;
    decided = rdl__arena_alloc(w->arena, sizeof *decided);
    *decided = (struct decided){
        step->name, w->choose(w->it, RDL__WALK_BRANCH, rdl__step_count_parts(step)), w->decided};
    if (step->name)
        w->decided = decided;
    return decided->branch;
}

/* ---- Several at once ------------------------------------------------------------------------ */

/* The next event that is not yet taken of the nth list that has one. */
static const struct rdl_step *take_from(const struct list *lists, uint32_t *taken, uint32_t nth)
{
    uint32_t i = 0;

    while (taken[i] == lists[i].count || nth-- > 0)
        i++;
    return lists[i].steps[taken[i]++];
}

static void merge(struct walk *w, const struct list *lists, uint32_t count, struct list *out)
{
    uint32_t *taken = rdl__arena_alloc(w->arena, (count + 1) * sizeof *taken), left;

    memset(taken, 0, count * sizeof *taken);
    do {
        left = 0;
        for (uint32_t i = 0; i < count; i++)
            left += taken[i] < lists[i].count;
        if (left > 0)
            append(w, out,
                   take_from(lists, taken, left > 1 ? w->choose(w->it, RDL__WALK_PART, left) : 0));
    } while (left > 0);
}

static void walk(struct walk *w, const struct rdl_step *step, struct list *out);

static struct list *new_lists(struct walk *w, uint32_t count)
{
    struct list *lists = rdl__arena_alloc(w->arena, (count + 1) * sizeof *lists);

    memset(lists, 0, (count + 1) * sizeof *lists);
    return lists;
}

static void walk_parts(struct walk *w, const struct rdl_step *step, struct list *out)
{
    uint32_t count = rdl__step_count_parts(step);
    struct list *lists = new_lists(w, count);

    for (uint32_t i = 0; i < count; i++)
        walk(w, step->parts[i], &lists[i]);
    merge(w, lists, count, out);
}

/* ---- One after the other -------------------------------------------------------------------- */

/* What it requires comes anywhere among its steps. */
static void walk_body(struct walk *w, const struct rdl_step *step, struct list *out)
{
    uint32_t count = 1;
    struct list *lists = new_lists(w, rdl__step_count_parts(step));

    for (const struct rdl_step *const *part = step->parts; *part; part++)
        if ((*part)->kind == RDL__STEP_REQUIRE)
            append(w, &lists[count++], *part);
        else
            walk(w, *part, count > 1 ? &lists[0] : out);
    if (count > 1)
        merge(w, lists, count, out);
}

static void walk_loop(struct walk *w, const struct rdl_step *step, struct list *out)
{
    for (uint32_t i = 0; i < step->max; i++) {
        if (i >= step->min && w->choose(w->it, RDL__WALK_AGAIN, 2) == 0)
            return;
        walk_body(w, step, out);
    }
}

/* As many as a matcher follows, then as many again. */
static void walk_copies(struct walk *w, const struct rdl_step *step, struct list *out)
{
    enum { MOST = 8 };
    struct list lists[MOST] = {0};
    uint32_t count = 0;

    while (count < MOST && w->choose(w->it, RDL__WALK_AGAIN, 2) == 1)
        walk_body(w, step, &lists[count++]);
    merge(w, lists, count, out);
    if (count == MOST)
        walk_copies(w, step, out);
}

static void walk(struct walk *w, const struct rdl_step *step, struct list *out)
{
    switch (step->kind) {
    case RDL__STEP_EXPECT:
    case RDL__STEP_ANSWER:
    case RDL__STEP_CALL:
    case RDL__STEP_RELEASE:
        append(w, out, step);
        return;
    case RDL__STEP_EITHER:
        walk(w, step->parts[choose_branch(w, step)], out);
        return;
    case RDL__STEP_REPEAT:
        walk_loop(w, step, out);
        return;
    case RDL__STEP_REPLICATED:
        walk_copies(w, step, out);
        return;
    case RDL__STEP_INTERLEAVED:
    case RDL__STEP_UNORDERED:
    case RDL__STEP_UNORDERED_AT_END:
        walk_parts(w, step, out);
        return;
    case RDL__STEP_SEQUENCE:
    case RDL__STEP_ANSWERS:
    case RDL__STEP_WITHIN:
        walk_body(w, step, out);
        return;
    default: /* rules, and what the test does */
        return;
    }
}

const struct rdl_step *const *rdl__step_walk(struct rdl__arena *arena, const struct rdl_step *spec,
                                             rdl__walk_choose *choose, void *it,
                                             uint32_t *out_count)
{
    struct walk w = {.arena = arena, .choose = choose, .it = it};
    struct list events = {0};

    walk(&w, spec, &events);
    *out_count = events.count;
    return events.steps;
}
