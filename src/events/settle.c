/* settle.c -- from place to place: where does a configuration come to rest?
 *
 * In an interleaving, one of the parts moves: its place is kept in a word, and the configuration
 * itself stands at the PARTS.  Parts can be interleavings again. */
#include <string.h>

#include "events/match.h"

void rdl__keep_next(struct rdl__matcher *m, const struct rdl__config *config)
{
    if (!rdl__set_merge(&m->next, config, m->live_max))
        m->too_many = true;
}

static void set_bits(uint64_t *words, uint32_t count)
{
    for (uint32_t i = 0; i < count; i += 64)
        words[i / 64] = count - i >= 64 ? UINT64_MAX : (UINT64_C(1) << (count - i)) - 1;
}

static void enter(const struct rdl__matcher *m, struct rdl__config *c,
                  const struct rdl__scope *scope)
{
    set_bits(c->words + scope->word, scope->required_count);
    if (scope->deadline != RDL__NOWHERE)
        c->words[scope->deadline] = m->now + scope->deadline_ns + 1; /* 0: not in use */
}

static void leave(struct rdl__config *c, const struct rdl__scope *scope)
{
    if (scope->deadline != RDL__NOWHERE)
        c->words[scope->deadline] = 0;
}

static void settle(struct rdl__matcher *m, struct rdl__config *c);

/* ---- Ways to go ----------------------------------------------------------------------------- */

/* Once round a loop.  If nothing has happened, nothing would happen the next time: those that
 * are still to come can be thought to have been like that. */
static void go_round(struct rdl__matcher *m, struct rdl__config *c, const struct rdl__loop *loop)
{
    uint64_t *count = &c->words[loop->word];
    bool again = !loop->bit || (c->words[RDL__WORD_LOOPS] & loop->bit), enough;

    ++*count;
    enough = *count >= loop->min;
    if (loop->max == RDL_MANY && *count > loop->min)
        *count = loop->min; /* more does not matter */
    again = again && (loop->max == RDL_MANY || *count < loop->max);
    c->words[RDL__WORD_LOOPS] &= ~loop->bit;
    if (again && enough) {
        struct rdl__config *more = rdl__set_double(&m->scratch);

        more->place = loop->body;
        settle(m, more);
        m->scratch.count--;
        c = rdl__set_at(&m->scratch, m->scratch.count - 1);
    }
    if (again && !enough) {
        c->place = loop->body;
    } else {
        c->words[loop->word] = 0;
        c->place = loop->exit;
    }
}

/* Take this branch of a fork, for good if it has a tag. */
static void take_branch(const struct rdl__matcher *m, const struct rdl__place *fork,
                        struct rdl__config *c, uint32_t i)
{
    if (fork->word)
        c->words[fork->word] = i + 1;
    c->place = m->p->targets[fork->first + i];
}

static void fork_to(struct rdl__matcher *m, struct rdl__config *c, const struct rdl__place *fork)
{
    if (fork->word && c->words[fork->word]) {
        take_branch(m, fork, c, (uint32_t)c->words[fork->word] - 1);
        return;
    }
    for (uint32_t i = 0; i + 1 < fork->count; i++) {
        struct rdl__config *branch = rdl__set_double(&m->scratch);

        take_branch(m, fork, branch, i);
        settle(m, branch);
        m->scratch.count--;
    }
    take_branch(m, fork, rdl__set_at(&m->scratch, m->scratch.count - 1), fork->count - 1);
}

/* ---- Parts of an interleaving --------------------------------------------------------------- */

/* Have all joined? */
static bool are_over(const struct rdl__matcher *m, const struct rdl__config *c,
                     const struct rdl__place *parts)
{
    for (uint32_t i = 0; i < parts->count; i++)
        if (m->p->places[c->words[parts->word + i]].kind != RDL__PLACE_JOIN)
            return false;
    return true;
}

/* It waits; or one of its parts does, and those that have not begun yet come first, and when all
 * are over it goes on behind them.  False: it is not at rest yet. */
static bool rest(struct rdl__matcher *m, struct rdl__config *c)
{
    while (m->p->places[c->place].inside != RDL__NOWHERE) {
        const struct rdl__place *part = &m->p->places[c->place],
                                *parts = &m->p->places[part->inside];
        uint64_t *places = c->words + parts->word;

        places[part->part] = c->place;
        if (part->part + 1 < parts->count && !places[part->part + 1]) {
            c->place = m->p->targets[parts->first + part->part + 1];
            return false;
        }
        c->place = part->inside;
        if (are_over(m, c, parts)) {
            memset(places, 0, parts->count * sizeof *places);
            c->place = parts->next;
            return false;
        }
    }
    rdl__keep_next(m, c);
    return true;
}

/* Follow a configuration to all places where it waits.  It is the last of m->scratch, whose
 * memory may move. */
static void settle(struct rdl__matcher *m, struct rdl__config *c)
{
    for (;;) {
        const struct rdl__place *place = &m->p->places[c->place];
        const struct rdl__scope *scope = &m->p->scopes[place->scope];

        switch (place->kind) {
        case RDL__PLACE_EVENTS:
            set_bits(c->words + place->word, place->count);
            if (rest(m, c))
                return;
            break;
        case RDL__PLACE_END:
            if (!rdl__has_bits(c->words + scope->word, scope->required_count))
                c->place = place->next;
            else if (rest(m, c))
                return;
            break;
        case RDL__PLACE_EVENT:
        case RDL__PLACE_ACTION:
        case RDL__PLACE_PARTS:
        case RDL__PLACE_JOIN:
        case RDL__PLACE_STOP:
            if (rest(m, c))
                return;
            break;
        case RDL__PLACE_SPLIT:
            c->place = m->p->targets[place->first];
            break;
        case RDL__PLACE_ENTER:
            enter(m, c, scope);
            c->place = place->next;
            break;
        case RDL__PLACE_LEAVE:
            leave(c, scope);
            c->place = place->next;
            break;
        case RDL__PLACE_LOOP:
            c->words[m->p->loops[place->loop].word] = 0;
            c->words[RDL__WORD_LOOPS] &= ~m->p->loops[place->loop].bit;
            c->place = place->next;
            break;
        case RDL__PLACE_AGAIN:
            go_round(m, c, &m->p->loops[place->loop]);
            break;
        case RDL__PLACE_FORK:
            fork_to(m, c, place);
            break;
        }
        c = rdl__set_at(&m->scratch, m->scratch.count - 1);
    }
}

struct rdl__config *rdl__settle_begin(struct rdl__matcher *m, const struct rdl__config *from)
{
    m->scratch.count = 0;
    return rdl__set_add(&m->scratch, from);
}

void rdl__settle_at(struct rdl__matcher *m, struct rdl__config *c, uint32_t place)
{
    c->place = place;
    settle(m, c);
    m->scratch.count = 0;
}

void rdl__settle_here(struct rdl__matcher *m, struct rdl__config *c, uint32_t place)
{
    c->place = place;
    rdl__bug_if(!rest(m, c));
    m->scratch.count = 0;
}

void rdl__step_on(struct rdl__matcher *m)
{
    struct rdl__set old = m->live;

    m->live = m->next;
    m->next = old;
    rdl__set_clear(&m->next);
}
