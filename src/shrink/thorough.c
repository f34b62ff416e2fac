/* thorough.c -- passes that try much for little: where a run costs next to nothing, and a
 * case is short, they make it likely that there is no simpler one.
 *
 * What they have in common: the first choice that changes becomes smaller, and later ones
 * may have to become larger for that. */
#include <stdlib.h>

#include "base/memory.h"
#include "case/case.h"
#include "shrink/shrink.h"

/* ---- One lower, others higher ---------------------------------------------------------- */

static bool are_of_a_kind(const struct rdl__choice *a, const struct rdl__choice *b)
{
    return a->max == b->max && a->below == b->below && a->kind == b->kind;
}

static bool may_move(const struct rdl__choice *choice)
{
    return choice->kind == RDL__INTEGER && choice->max > 1;
}

/* Lower the choice at `first`; raise that at `second`, and all that are equal to it. */
static bool balance(struct rdl__shrinker *s, uint32_t first, uint32_t second, bool all)
{
    const struct rdl__choice *raised = &s->best.choices[second];

    if (raised->index == raised->max)
        return false;
    rdl__draft(s);
    for (uint32_t i = second; i < (all ? s->best.count : second + 1); i++)
        if (are_of_a_kind(&s->best.choices[i], raised) && s->best.choices[i].index == raised->index)
            rdl__draft_set(s, i, raised->index + 1);
    rdl__draft_set(s, first, s->best.choices[first].index - 1);
    return rdl__consider(s);
}

void rdl__pass_balance(struct rdl__shrinker *s)
{
    for (uint32_t first = 0; first < s->best.count && s->best.count <= RDL__THOROUGH_MAX; first++)
        for (uint32_t second = first + 1; second < s->best.count && !s->stopped; second++) {
            if (!may_move(&s->best.choices[first]) || s->best.choices[first].index == 0)
                break;
            if (may_move(&s->best.choices[second]) &&
                (balance(s, first, second, true) || balance(s, first, second, false)))
                second = first;
        }
}

/* ---- Other names ------------------------------------------------------------------------ */

/* What is the number `low` becomes `high`, and the other way round, from a place on. */
static bool swap_names(struct rdl__shrinker *s, uint32_t from, uint64_t low)
{
    const struct rdl__choice *like = &s->best.choices[from];
    uint64_t high = like->index;

    rdl__draft(s);
    for (uint32_t i = from; i < s->best.count; i++) {
        const struct rdl__choice *choice = &s->best.choices[i];

        if (are_of_a_kind(choice, like) && (choice->index == low || choice->index == high))
            rdl__draft_set(s, i, choice->index == low ? high : low);
    }
    return rdl__consider(s);
}

/* Where numbers are names, which of them is which may be up to us. */
void rdl__pass_rename(struct rdl__shrinker *s)
{
    enum { NAMES_MAX = 64 };

    for (uint32_t i = 0; i < s->best.count && s->best.count <= RDL__THOROUGH_MAX && !s->stopped;
         i++)
        if (s->best.choices[i].kind == RDL__INTEGER && s->best.choices[i].max < NAMES_MAX)
            for (uint64_t low = 0; i < s->best.count && low < s->best.choices[i].index; low++)
                swap_names(s, i, low);
}
