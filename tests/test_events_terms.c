/* test_events_terms.c -- the matcher of events against what is left of a spec.
 *
 * Made-up specs over four events are read in the slowest way there is: a tree of what is still to
 * come, and after each event all trees that it can have become.  There are no places and no words:
 * a copy is a copy.  This knows what regular expressions do not: steps that are interleaved or
 * replicated, with rules and requirements in them, and branches that belong together.  Streams are
 * walks through the spec, as they are or nearly. */
#include "harness.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/random.h"
#include "events/events.h"

enum { LETTERS = 4, STREAM_MAX = 12, WAYS_MAX = 400, TAGS = 2, PARTS_MAX = 8 };

static struct rdl__arena specs, streams, *arena = &specs; /* where all is made now */
static struct rdl__random random_numbers;
static struct rdl_port port = {.name = "p"};
RDL_EVENT(letter, char);

static unsigned draw(unsigned count)
{
    return (unsigned)rdl__random_upto(&random_numbers, count - 1);
}

static void *keep(const void *it, size_t size)
{
    return memcpy(rdl__arena_alloc(arena, size), it, size);
}

/* ---- Specs ---------------------------------------------------------------------------------- */

static struct rdl_step *step(enum rdl__step_kind kind)
{
    struct rdl_step it = {.kind = kind, .file = "made_up.c", .line = 1};

    return keep(&it, sizeof it);
}

static const struct rdl_step *event_step(enum rdl__step_kind kind)
{
    char letter = (char)('a' + draw(LETTERS));
    struct rdl_condition conditions[] = {
        {.kind = RDL__COND_IS, .type = rdl_type(letter), .value = keep(&letter, 1)}, {0}};
    struct rdl_pattern it = {&port, RDL_OUT, keep(conditions, sizeof conditions)};
    struct rdl_step *made = step(kind);

    made->pattern = keep(&it, sizeof it);
    return made;
}

static unsigned letter_of(const struct rdl_step *it)
{
    return (unsigned)(*(const char *)it->pattern->conditions[0].value - 'a');
}

static const struct rdl_step *make_up(int depth);

static void fill(struct rdl_step *block, int depth, bool headers, unsigned steps)
{
    const struct rdl_step *parts[PARTS_MAX];
    unsigned count = 0;

    while (headers && draw(5) < 2 && count < 2)
        parts[count++] = event_step(draw(2) ? RDL__STEP_ALLOW : RDL__STEP_DISALLOW);
    if (headers && draw(6) == 0)
        parts[count++] = event_step(RDL__STEP_REQUIRE);
    for (unsigned i = 0; i < steps; i++)
        parts[count++] =
            block->kind == RDL__STEP_UNORDERED ? event_step(RDL__STEP_EXPECT) : make_up(depth - 1);
    parts[count++] = NULL;
    block->parts = keep(parts, count * sizeof *parts);
}

static const struct rdl_step *make_up(int depth)
{
    static const enum rdl__step_kind kinds[] = {
        RDL__STEP_EXPECT,     RDL__STEP_EXPECT, RDL__STEP_SEQUENCE,    RDL__STEP_EITHER,
        RDL__STEP_EITHER,     RDL__STEP_REPEAT, RDL__STEP_INTERLEAVED, RDL__STEP_INTERLEAVED,
        RDL__STEP_REPLICATED, RDL__STEP_EXPECT, RDL__STEP_UNORDERED,   RDL__STEP_NOTHING};
    enum rdl__step_kind kind = kinds[draw(sizeof kinds / sizeof *kinds)];
    bool headers =
        kind == RDL__STEP_SEQUENCE || kind == RDL__STEP_REPEAT || kind == RDL__STEP_REPLICATED;
    struct rdl_step *it;

    if (depth == 0 || kind == RDL__STEP_EXPECT)
        return event_step(RDL__STEP_EXPECT);
    it = step(kind);
    if (kind == RDL__STEP_NOTHING)
        return it;
    if (kind == RDL__STEP_REPEAT) {
        it->min = draw(3);
        it->max = draw(2) ? RDL_MANY : it->min + draw(3);
    }
    if (kind == RDL__STEP_EITHER && draw(2))
        it->name = draw(2) ? "one" : "two";
    fill(it, depth, headers, it->name ? 2 : 1 + draw(3));
    return it;
}

/* ---- What is left of them ------------------------------------------------------------------- */

/* OVER is nothing.  A BLOCK and a LOOP have one child, which is at the step `at`, or in the round
 * of that number; COPIES has one for each copy that has begun, and then the next. */
struct term {
    enum { OVER, EVENT, EVENTS, BLOCK, LOOP, PARTS, COPIES } kind;
    const struct rdl_step *step;
    unsigned counts[LETTERS]; /* that are still to come: of EVENTS, or required */
    uint32_t at;
    unsigned count;
    const struct term *children[PARTS_MAX + 1];
};

/* A whole way to read the stream; and of which alternatives one was taken. */
struct way {
    const struct term *term;
    unsigned char tags[TAGS];
};

struct ways {
    struct way *all;
    unsigned count, room;
};

static bool too_many; /* nothing can be said */
static const struct term over = {.kind = OVER};

static struct ways *no_ways(void)
{
    struct ways *ways = rdl__arena_alloc(arena, sizeof *ways);

    *ways = (struct ways){0};
    return ways;
}

static void add(struct ways *ways, const struct way *like, const struct term *term)
{
    if (ways->count == WAYS_MAX) {
        too_many = true;
        return;
    }
    if (ways->count == ways->room) {
        struct way *old = ways->all;

        ways->room = ways->room ? 2 * ways->room : 4;
        ways->all = rdl__arena_alloc(arena, ways->room * sizeof *ways->all);
        if (old)
            memcpy(ways->all, old, ways->count * sizeof *ways->all);
    }
    ways->all[ways->count] = *like;
    ways->all[ways->count++].term = term;
}

static const struct term *with_child(const struct term *term, unsigned i, const struct term *child)
{
    struct term *copy = keep(term, sizeof *term);

    copy->children[i] = child;
    return copy;
}

static bool has_any(const unsigned *counts)
{
    return counts[0] || counts[1] || counts[2] || counts[3];
}

/* ---- Beginning ------------------------------------------------------------------------------ */

/* All ways to begin this, in this way of reading the rest: `from` lends its tags. */
static struct ways *begin(const struct rdl_step *it, const struct way *from);

/* A block whose steps before `at` are over. */
static void go_through(struct ways *out, const struct term *block, uint32_t at,
                       const struct way *from)
{
    struct term *copy = keep(block, sizeof *block);
    struct ways *ways;

    while (block->step->parts[at] && block->step->parts[at]->kind >= RDL__STEP_ALLOW)
        at++;
    copy->at = at;
    copy->children[0] = &over;
    if (!block->step->parts[at]) {
        add(out, from, has_any(block->counts) ? copy : &over);
        return;
    }
    ways = begin(block->step->parts[at], from);
    for (unsigned i = 0; i < ways->count; i++)
        if (ways->all[i].term == &over)
            go_through(out, block, at + 1, &ways->all[i]);
        else
            add(out, &ways->all[i], with_child(copy, 0, ways->all[i].term));
}

static struct ways *begin_block(const struct rdl_step *it, const struct way *from)
{
    struct ways *out = no_ways();
    struct term block = {.kind = BLOCK, .step = it, .count = 1, .children = {&over}};

    for (int i = 0; it->parts[i]; i++)
        if (it->parts[i]->kind == RDL__STEP_REQUIRE)
            block.counts[letter_of(it->parts[i])]++;
    go_through(out, &block, 0, from);
    return out;
}

/* After so many rounds.  If one can be nothing, so can all that are missing. */
static void go_round(struct ways *out, const struct rdl_step *it, uint32_t rounds,
                     const struct way *from)
{
    struct ways *ways;

    if (rounds >= it->min)
        add(out, from, &over);
    if (rounds >= it->max)
        return;
    ways = begin_block(it, from);
    for (unsigned i = 0; i < ways->count; i++) {
        struct term loop = {.kind = LOOP,
                            .step = it,
                            .at = it->max == RDL_MANY && rounds == it->min ? rounds : rounds + 1,
                            .count = 1,
                            .children = {ways->all[i].term}};

        if (ways->all[i].term != &over)
            add(out, &ways->all[i], keep(&loop, sizeof loop));
        else if (rounds < it->min)
            add(out, &ways->all[i], &over);
    }
}

static struct ways *begin_either(const struct rdl_step *it, const struct way *from)
{
    struct ways *out = no_ways(), *ways;
    int tag = it->name ? it->name[0] == 't' : -1;

    for (unsigned i = 0; it->parts[i]; i++) {
        struct way way = *from;

        if (tag >= 0 && from->tags[tag] && from->tags[tag] != i + 1)
            continue;
        if (tag >= 0)
            way.tags[tag] = (unsigned char)(i + 1);
        ways = begin(it->parts[i], &way);
        for (unsigned k = 0; k < ways->count; k++)
            add(out, &ways->all[k], ways->all[k].term);
    }
    return out;
}

static void begin_parts(struct ways *out, const struct term *parts, unsigned part,
                        const struct way *from)
{
    bool all_over = true;
    struct ways *ways;

    if (part < parts->count) {
        ways = begin(parts->step->parts[part], from);
        for (unsigned i = 0; i < ways->count; i++)
            begin_parts(out, with_child(parts, part, ways->all[i].term), part + 1, &ways->all[i]);
        return;
    }
    for (unsigned i = 0; i < parts->count; i++)
        all_over &= parts->children[i] == &over;
    add(out, from, all_over ? &over : parts);
}

/* Those that have begun are children; the next one is added.  If none has, it can be over. */
static void await_copy(struct ways *out, const struct term *copies, const struct way *from)
{
    struct ways *ways = begin_block(copies->step, from);

    if (copies->count == 0)
        add(out, from, &over);
    if (copies->count == PARTS_MAX) {
        too_many = true;
        return;
    }
    for (unsigned i = 0; i < ways->count; i++)
        if (ways->all[i].term != &over)
            add(out, &ways->all[i], with_child(copies, copies->count, ways->all[i].term));
}

static struct ways *begin(const struct rdl_step *it, const struct way *from)
{
    struct ways *out = no_ways();
    struct term term = {.step = it};

    switch (it->kind) {
    case RDL__STEP_NOTHING:
        add(out, from, &over);
        return out;
    case RDL__STEP_EXPECT:
        term.kind = EVENT;
        add(out, from, keep(&term, sizeof term));
        return out;
    case RDL__STEP_UNORDERED:
        term.kind = EVENTS;
        for (int i = 0; it->parts[i]; i++)
            term.counts[letter_of(it->parts[i])]++;
        add(out, from, keep(&term, sizeof term));
        return out;
    case RDL__STEP_EITHER:
        return begin_either(it, from);
    case RDL__STEP_REPEAT:
        go_round(out, it, 0, from);
        return out;
    case RDL__STEP_INTERLEAVED:
        term.kind = PARTS;
        term.count = rdl__step_count_parts(it);
        begin_parts(out, &term, 0, from);
        return out;
    case RDL__STEP_REPLICATED:
        term.kind = COPIES;
        await_copy(out, &term, from);
        return out;
    default:
        return begin_block(it, from);
    }
}

/* ---- An event ------------------------------------------------------------------------------- */

static void take(struct ways *out, const struct way *way, unsigned letter);

/* One of the children has become something else, or is over. */
static void take_part(struct ways *out, const struct way *way, unsigned i, const struct way *child)
{
    const struct term *parts = with_child(way->term, i, child->term);
    bool all_over = true;

    for (unsigned k = 0; k < parts->count; k++)
        all_over &= parts->children[k] == &over;
    add(out, child, all_over ? &over : parts);
}

static void take_copy(struct ways *out, const struct way *way, unsigned i, const struct way *child)
{
    struct term *copies = keep(way->term, sizeof *copies);
    const struct term *next = way->term->children[way->term->count];

    copies->children[i] = child->term;
    if (i == copies->count)
        copies->count++, next = NULL;
    if (child->term == &over) {
        copies->count--;
        for (unsigned k = i; k < copies->count; k++)
            copies->children[k] = copies->children[k + 1];
    }
    if (!next) {
        await_copy(out, copies, child);
        return;
    }
    copies->children[copies->count] = next;
    add(out, child, copies);
    if (copies->count == 0)
        add(out, child, &over);
}

static void take_children(struct ways *out, const struct way *way, unsigned letter)
{
    const struct term *term = way->term;

    for (unsigned i = 0; i < term->count + (term->kind == COPIES); i++) {
        struct way inner = *way;
        struct ways *ways = no_ways();

        inner.term = term->children[i];
        take(ways, &inner, letter);
        for (unsigned k = 0; k < ways->count; k++) {
            const struct way *child = &ways->all[k];

            if (term->kind == PARTS)
                take_part(out, way, i, child);
            else if (term->kind == COPIES)
                take_copy(out, way, i, child);
            else if (child->term != &over)
                add(out, child, with_child(term, 0, child->term));
            else if (term->kind == LOOP)
                go_round(out, term->step, term->at, child);
            else
                go_through(out, term, term->at + 1, child);
        }
    }
}

/* All that it can become by an event that is waited for. */
static void take(struct ways *out, const struct way *way, unsigned letter)
{
    const struct term *term = way->term;
    struct term *less;

    if (term->kind == EVENT && letter_of(term->step) == letter)
        add(out, way, &over);
    if ((term->kind == EVENTS || term->kind == BLOCK) && term->counts[letter] > 0) {
        less = keep(term, sizeof *term);
        less->counts[letter]--;
        if (has_any(less->counts) || (term->kind == BLOCK && term->children[0] != &over))
            add(out, way, less);
        else
            add(out, way, &over);
    }
    take_children(out, way, letter);
}

enum ruling { NO_RULE, PASSES, FORBIDDEN };

static enum ruling rule_of(const struct rdl_step *block, unsigned letter)
{
    enum ruling last = NO_RULE;

    for (int i = 0; block->parts[i]; i++) {
        bool allows = block->parts[i]->kind == RDL__STEP_ALLOW;

        if ((allows || block->parts[i]->kind == RDL__STEP_DISALLOW) &&
            letter_of(block->parts[i]) == letter)
            last = allows ? PASSES : FORBIDDEN;
    }
    return last;
}

/* Of those that go on, one that lets it pass is enough, and all have to forbid it. */
static enum ruling ask(const struct term *term, unsigned letter)
{
    unsigned passes = 0, forbidden = 0, going_on = 0;

    for (unsigned i = 0; i < term->count; i++) {
        enum ruling one;

        if (term->children[i] == &over)
            continue;
        one = ask(term->children[i], letter);
        going_on++;
        passes += one == PASSES;
        forbidden += one == FORBIDDEN;
    }
    if (passes > 0)
        return PASSES;
    if (going_on > 0 && forbidden == going_on)
        return FORBIDDEN;
    return term->kind == BLOCK ? rule_of(term->step, letter) : NO_RULE;
}

/* ---- Streams -------------------------------------------------------------------------------- */

static bool are_same(const struct term *a, const struct term *b)
{
    if (a == b)
        return true;
    if (a->kind != b->kind || a->step != b->step || a->at != b->at || a->count != b->count ||
        memcmp(a->counts, b->counts, sizeof a->counts) != 0)
        return false;
    for (unsigned i = 0; i < a->count + (a->kind == COPIES); i++)
        if (!are_same(a->children[i], b->children[i]))
            return false;
    return true;
}

/* Each once. */
static struct ways *sift(const struct ways *ways)
{
    struct ways *out = no_ways();

    for (unsigned i = 0; i < ways->count; i++) {
        const struct way *way = &ways->all[i];
        bool found = false;

        for (unsigned k = 0; k < out->count && !found; k++)
            found = memcmp(out->all[k].tags, way->tags, TAGS) == 0 &&
                    are_same(out->all[k].term, way->term);
        if (!found)
            add(out, way, way->term);
    }
    return out;
}

static struct ways *after(const struct rdl_step *spec, const struct ways *before, unsigned letter)
{
    struct ways *out = no_ways();

    for (unsigned i = 0; i < before->count; i++) {
        const struct way *way = &before->all[i];
        unsigned count = out->count;

        take(out, way, letter);
        if (out->count == count &&
            (way->term == &over ? rule_of(spec, letter) : ask(way->term, letter)) == PASSES)
            add(out, way, way->term);
    }
    return sift(out);
}

static bool is_right(const struct rdl_step *spec, const char *stream)
{
    struct ways *ways = sift(begin(spec, &(struct way){0}));

    for (; *stream && ways->count > 0; stream++)
        ways = after(spec, ways, (unsigned)(*stream - 'a'));
    for (unsigned i = 0; i < ways->count; i++)
        if (ways->all[i].term == &over)
            return true;
    return false;
}

/* ---- Both ----------------------------------------------------------------------------------- */

static bool matches(const struct rdl__program *program, const char *stream)
{
    struct rdl__matcher *m = rdl__matcher_new(program, 0, 0);
    enum rdl__taken taken = RDL__TAKEN;
    struct rdl__effect effect;
    bool good;

    for (; taken == RDL__TAKEN && *stream; stream++)
        taken = rdl__matcher_event(
            m, &(struct rdl_event){&port, RDL_OUT, rdl_type(letter), stream, 1}, &effect);
    good = taken == RDL__TAKEN && rdl__matcher_is_complete(m);
    too_many |= taken == RDL__TOO_MANY;
    rdl__matcher_free(m);
    return good;
}

static uint32_t choose(void *it, enum rdl__walk_choice what, uint32_t count)
{
    (void)it;
    return what == RDL__WALK_AGAIN ? draw(5) < 2 : draw(count);
}

/* False: it is too long. */
static bool walk(const struct rdl_step *spec, char *out)
{
    uint32_t count;
    const struct rdl_step *const *steps = rdl__step_walk(arena, spec, choose, NULL, &count);

    for (uint32_t i = 0; i < count && i < STREAM_MAX; i++)
        out[i] = (char)('a' + letter_of(steps[i]));
    out[count < STREAM_MAX ? count : STREAM_MAX] = '\0';
    return count <= STREAM_MAX;
}

static void change(char *stream)
{
    unsigned count = (unsigned)strlen(stream);

    for (unsigned changes = 1 + draw(2); changes > 0 && count > 0; changes--) {
        unsigned at = draw(count), other = draw(count);
        char letter = stream[at];

        switch (draw(5)) {
        case 3: /* maybe it is allowed there */
        case 4:
            if (count == STREAM_MAX)
                break;
            memmove(stream + at + 1, stream + at, count + 1 - at);
            stream[at] = (char)('a' + draw(LETTERS));
            count++;
            break;
        case 0:
            stream[at] = (char)('a' + draw(LETTERS));
            break;
        case 1:
            stream[at] = stream[other];
            stream[other] = letter;
            break;
        default:
            memmove(stream + at, stream + at + 1, count - at);
            count--;
        }
    }
}

struct tally {
    uint64_t streams, walks, accepted, specs, refused, large;
};

static bool try_stream(const struct rdl_step *spec, const struct rdl__program *program,
                       struct tally *tally)
{
    char stream[STREAM_MAX + 1];
    bool is_walk = walk(spec, stream), ours, theirs;

    if (draw(3) > 0) {
        change(stream);
        is_walk = false;
    }
    too_many = false;
    ours = matches(program, stream);
    theirs = is_right(spec, stream);
    if (too_many) {
        tally->large++;
        return true;
    }
    tally->streams++;
    tally->walks += is_walk;
    tally->accepted += theirs;
    if (ours == theirs && (theirs || !is_walk))
        return true;
    fprintf(stderr, "%s: the matcher says %d, the tree says %d%s\n", stream, ours, theirs,
            is_walk ? "; it is a walk" : "");
    return false;
}

static bool try_spec(struct tally *tally)
{
    struct rdl_step *spec = step(RDL__STEP_SEQUENCE);
    struct rdl__program *program;
    struct rdl__error error;
    bool agree = true;

    fill(spec, 3, true, 1 + draw(3));
    program = rdl__program_new_unchecked(spec, &error);
    if (!program) {
        tally->refused++;
        return true;
    }
    tally->specs++;
    arena = &streams;
    for (int i = 0; i < 20 && agree; i++) {
        rdl__arena_reset(&streams);
        agree = try_stream(spec, program, tally);
    }
    arena = &specs;
    rdl__program_free(program);
    return agree;
}

TEST(the_matcher_agrees_with_what_is_left_of_the_spec)
{
    const char *seed = getenv("EVENTS_SEED"), *wanted = getenv("EVENTS_STREAMS");
    uint64_t count = wanted ? strtoull(wanted, NULL, 10) : 40000,
             at = seed ? strtoull(seed, NULL, 10) : test_seed();
    struct tally tally = {0};

    for (; tally.streams < count; at++) {
        rdl__random_seed(&random_numbers, at);
        rdl__arena_reset(&specs);
        if (!try_spec(&tally)) {
            fprintf(stderr, "seed %llu\n", (unsigned long long)at);
            EXPECT(false);
        }
    }
    printf("%llu streams (%llu walks) of %llu specs, %llu accepted; %llu specs refused, %llu "
           "streams too large\n",
           (unsigned long long)tally.streams, (unsigned long long)tally.walks,
           (unsigned long long)tally.specs, (unsigned long long)tally.accepted,
           (unsigned long long)tally.refused, (unsigned long long)tally.large);
    EXPECT(tally.accepted > tally.streams / 5);
    EXPECT(tally.accepted < tally.streams * 4 / 5);
    rdl__arena_release(&specs);
    rdl__arena_release(&streams);
}
