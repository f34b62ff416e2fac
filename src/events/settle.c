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
    if (fork->tag)
        c->words[m->p->tags[fork->tag - 1].word] = i + 1;
    c->place = m->p->targets[fork->first + i];
}

static void fork_to(struct rdl__matcher *m, struct rdl__config *c, const struct rdl__place *fork)
{
    uint64_t decided = fork->tag ? c->words[m->p->tags[fork->tag - 1].word] : 0;

    if (decided) {
        take_branch(m, fork, c, (uint32_t)decided - 1);
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

enum rest {
    WAITS,
    GOES_ON, /* at c->place */
    IS_GONE,
};

static struct rdl__config *top(const struct rdl__matcher *m)
{
    return rdl__set_at(&m->scratch, m->scratch.count - 1);
}

/* Have all joined? */
static bool are_over(const struct rdl__matcher *m, const struct rdl__config *c, uint32_t at)
{
    for (uint32_t i = 0; i < m->p->places[at].count; i++)
        if (m->p->places[rdl__part_at(m->p, c->words, at, i)].kind != RDL__PLACE_JOIN)
            return false;
    return true;
}

/* Those that have not begun yet come first; when all are over it goes on behind them. */
static enum rest rest_part(const struct rdl__matcher *m, struct rdl__config *c, uint32_t at,
                           uint32_t part)
{
    const struct rdl__place *parts = &m->p->places[at];
    uint64_t *places = c->words + parts->word;

    if (part + 1 < parts->count && !places[part + 1]) {
        c->place = m->p->targets[parts->first + part + 1];
        return GOES_ON;
    }
    if (!are_over(m, c, at)) {
        c->place = at;
        return WAITS;
    }
    memset(places, 0, parts->count * sizeof *places);
    c->place = parts->next;
    return GOES_ON;
}

/* ---- Copies --------------------------------------------------------------------------------- */

static uint64_t *busy_of(const struct rdl__matcher *m, struct rdl__config *c, uint32_t at)
{
    return &c->words[m->p->places[at].word + m->p->places[at].count];
}

static uint64_t *words_of(const struct rdl__copies *copies, struct rdl__config *c, uint32_t i)
{
    return c->words + copies->word + (size_t)i * copies->words;
}

static void swap_words(uint64_t *one, uint64_t *two, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint64_t word = one[i];

        one[i] = two[i];
        two[i] = word;
    }
}

static void swap_copies(const struct rdl__program *p, struct rdl__config *c, uint32_t at,
                        uint32_t i, uint32_t k)
{
    const struct rdl__copies *copies = &p->copies[p->places[at].copies];
    uint64_t *places = c->words + p->places[at].word;

    swap_words(&places[i], &places[k], 1);
    swap_words(words_of(copies, c, i), words_of(copies, c, k), copies->words);
}

static bool is_before(const struct rdl__program *p, struct rdl__config *c, uint32_t at, uint32_t i,
                      uint32_t k)
{
    const struct rdl__copies *copies = &p->copies[p->places[at].copies];
    const uint64_t *places = c->words + p->places[at].word;

    if (places[i] != places[k])
        return places[i] < places[k];
    return memcmp(words_of(copies, c, i), words_of(copies, c, k),
                  copies->words * sizeof *c->words) < 0;
}

/* Which of the copies is which makes no difference: they are in an order. */
static void sort_copies(const struct rdl__program *p, struct rdl__config *c, uint32_t at,
                        uint32_t count)
{
    for (uint32_t i = 1; i < count; i++)
        for (uint32_t k = i; k > 0 && is_before(p, c, at, k, k - 1); k--)
            swap_copies(p, c, at, k, k - 1);
}

/* None is under way: it can go on behind them, as if the next one had never been. */
static void pass_by(struct rdl__matcher *m, uint32_t at)
{
    const struct rdl__place *parts = &m->p->places[at];
    const struct rdl__copies *copies = &m->p->copies[parts->copies];
    struct rdl__config *c = rdl__set_double(&m->scratch);

    c->words[parts->word] = 0;
    *busy_of(m, c, at) = 0;
    memset(words_of(copies, c, 0), 0, copies->words * sizeof *c->words);
    c->place = parts->next;
    settle(m, c);
    m->scratch.count--;
}

/* There is always one that waits for its first event. */
static enum rest wait_for_next(struct rdl__matcher *m, uint32_t at)
{
    const struct rdl__place *parts = &m->p->places[at];
    uint32_t busy = (uint32_t)*busy_of(m, top(m), at);
    struct rdl__config *c;

    if (busy == 0)
        pass_by(m, at);
    c = top(m);
    if (busy == parts->count) {
        m->too_many = true;
        return IS_GONE;
    }
    if (c->words[parts->word + busy]) {
        c->place = at;
        return WAITS;
    }
    *busy_of(m, c, at) |= RDL__BEGINNING;
    c->place = m->p->targets[parts->first + busy];
    return GOES_ON;
}

/* A copy that has come to its end makes way for those after it.  One that comes there before
 * anything has happened is none. */
static enum rest rest_copy(struct rdl__matcher *m, struct rdl__config *c, uint32_t at,
                           uint32_t copy)
{
    bool is_over = m->p->places[c->place].kind == RDL__PLACE_JOIN;
    uint64_t *busy = busy_of(m, c, at), *places = c->words + m->p->places[at].word;

    if (*busy & RDL__BEGINNING) {
        *busy &= ~RDL__BEGINNING;
        c->place = at;
        return is_over ? IS_GONE : WAITS;
    }
    *busy += copy == *busy;
    if (is_over) {
        places[copy] = 0;
        for (uint32_t i = copy; i + 1 < m->p->places[at].count && places[i + 1]; i++)
            swap_copies(m->p, c, at, i, i + 1);
        --*busy;
    }
    sort_copies(m->p, c, at, (uint32_t)*busy);
    return wait_for_next(m, at);
}

/* It waits; or one of its parts does.  False: it is not at rest yet.  What has happened in a loop
 * so far does not matter any more then: nothing goes round it but by what happens in it. */
static bool rest(struct rdl__matcher *m)
{
    struct rdl__config *c;

    while (m->p->places[(c = top(m))->place].inside != RDL__NOWHERE) {
        const struct rdl__place *part = &m->p->places[c->place];
        uint32_t at = part->inside;
        enum rest now;

        c->words[m->p->places[at].word + part->part] =
            c->place - rdl__base_of(m->p, at, part->part);
        now = m->p->places[at].kind == RDL__PLACE_COPIES ? rest_copy(m, c, at, part->part)
                                                         : rest_part(m, c, at, part->part);
        if (now != WAITS)
            return now == IS_GONE;
    }
    c->words[RDL__WORD_LOOPS] = 0;
    rdl__keep_next(m, c);
    return true;
}

/* False: there are too many copies. */
static bool split(struct rdl__matcher *m, struct rdl__config *c, const struct rdl__place *place)
{
    if (m->p->places[place->next].kind == RDL__PLACE_COPIES)
        return wait_for_next(m, place->next) != IS_GONE;
    c->place = m->p->targets[place->first];
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
            if (rest(m))
                return;
            break;
        case RDL__PLACE_END:
            if (!rdl__has_bits(c->words + scope->word, scope->required_count))
                c->place = place->next;
            else if (rest(m))
                return;
            break;
        case RDL__PLACE_EVENT:
        case RDL__PLACE_ACTION:
        case RDL__PLACE_PARTS:
        case RDL__PLACE_COPIES:
        case RDL__PLACE_JOIN:
        case RDL__PLACE_STOP:
            if (rest(m))
                return;
            break;
        case RDL__PLACE_SPLIT:
            if (!split(m, c, place))
                return;
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
        c = top(m);
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
    if (!rest(m))
        settle(m, top(m));
    m->scratch.count = 0;
}

void rdl__step_on(struct rdl__matcher *m)
{
    struct rdl__set old = m->live;

    m->live = m->next;
    m->next = old;
    rdl__set_clear(&m->next);
}
