/* test_events_oracle.c -- the matcher of events against ordinary regular expressions.
 *
 * Made-up specs over four events are written as regular expressions in which every order of
 * what is unordered or required stands by itself, and every allowed event wherever it may come.
 * Those are matched in the simplest way there is: where can it end, if it begins here?
 *
 * Where there are neither rules nor requirements, what is interleaved is that, too: can the events
 * be dealt out so that each part has its own?  Branches with a tag are one expression for each
 * way to take them.
 * ctest: long */
#include "harness.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/random.h"
#include "events/events.h"

enum { LETTERS = 4, STREAM_MAX = 10, NODES_MAX = 60000, BITS_MAX = 4, TAGS = 2 };

/* ---- Regular expressions -------------------------------------------------------------------- */

struct regex {
    enum { NOTHING, EMPTY, LETTER, SEQ, ALT, STAR, SHUFFLE } kind;
    unsigned letters; /* any of these */
    const struct regex *a, *b;
};

static struct rdl__arena arena;
static uint32_t nodes;
static const struct regex nothing = {.kind = NOTHING}, empty = {.kind = EMPTY};

static const struct regex *node(struct regex it)
{
    struct regex *copy = rdl__arena_alloc(&arena, sizeof *copy);

    nodes++;
    *copy = it;
    return copy;
}

static const struct regex *letters(unsigned mask)
{
    return mask ? node((struct regex){.kind = LETTER, .letters = mask}) : &nothing;
}

static const struct regex *seq(const struct regex *a, const struct regex *b)
{
    if (a->kind == NOTHING || b->kind == NOTHING)
        return &nothing;
    if (a->kind == EMPTY)
        return b;
    return b->kind == EMPTY ? a : node((struct regex){.kind = SEQ, .a = a, .b = b});
}

static const struct regex *alt(const struct regex *a, const struct regex *b)
{
    if (a->kind == NOTHING)
        return b;
    return b->kind == NOTHING ? a : node((struct regex){.kind = ALT, .a = a, .b = b});
}

static const struct regex *star(const struct regex *a)
{
    if (a->kind == NOTHING || a->kind == EMPTY)
        return &empty;
    return node((struct regex){.kind = STAR, .a = a});
}

static const struct regex *shuffle(const struct regex *a, const struct regex *b)
{
    if (a->kind == NOTHING || b->kind == NOTHING)
        return &nothing;
    if (a->kind == EMPTY)
        return b;
    return b->kind == EMPTY ? a : node((struct regex){.kind = SHUFFLE, .a = a, .b = b});
}

static unsigned ends(const struct regex *r, const char *text, unsigned starts);

static bool is_all(const struct regex *r, const char *text)
{
    return ends(r, text, 1) >> strlen(text) & 1;
}

/* Can the first events of the text be dealt out to both? */
static bool is_shuffled(const struct regex *r, const char *text, unsigned count)
{
    bool is = false;

    for (unsigned deal = 0; deal < 1u << count && !is; deal++) {
        char texts[2][STREAM_MAX + 1] = {0};
        unsigned counts[2] = {0};

        for (unsigned i = 0; i < count; i++)
            texts[deal >> i & 1][counts[deal >> i & 1]++] = text[i];
        is = is_all(r->a, texts[0]) && is_all(r->b, texts[1]);
    }
    return is;
}

/* Where can it end, if it begins at one of these places? */
static unsigned ends(const struct regex *r, const char *text, unsigned starts)
{
    unsigned out = 0, all = starts;

    switch (r->kind) {
    case NOTHING:
        return 0;
    case EMPTY:
        return starts;
    case LETTER:
        for (unsigned i = 0; text[i]; i++)
            if (starts >> i & 1 && r->letters >> (text[i] - 'a') & 1)
                out |= 2u << i;
        return out;
    case SEQ:
        starts = ends(r->a, text, starts);
        return starts ? ends(r->b, text, starts) : 0;
    case ALT:
        return ends(r->a, text, starts) | ends(r->b, text, starts);
    case STAR:
        while (starts) {
            starts = ends(r->a, text, starts) & ~all;
            all |= starts;
        }
        return all;
    case SHUFFLE:
        for (unsigned i = 0; i <= strlen(text); i++)
            for (unsigned k = 0; starts >> i & 1 && i + k <= strlen(text); k++)
                out |= (unsigned)is_shuffled(r, text + i, k) << (i + k);
        return out;
    }
    return 0;
}

/* ---- Specs ---------------------------------------------------------------------------------- */

static struct rdl_port port = {.name = "p"};
RDL_EVENT(letter, char);

static struct rdl__random random_numbers;

static unsigned draw(unsigned count)
{
    return (unsigned)rdl__random_upto(&random_numbers, count - 1);
}

static void *keep(const void *it, size_t size)
{
    return memcpy(rdl__arena_alloc(&arena, size), it, size);
}

static const struct rdl_pattern *pattern(char letter)
{
    struct rdl_condition conditions[] = {
        {.kind = RDL__COND_IS, .type = rdl_type(letter), .value = keep(&letter, 1)}, {0}};
    struct rdl_pattern it = {&port, RDL_OUT, keep(conditions, sizeof conditions)};

    return keep(&it, sizeof it);
}

static struct rdl_step *step(enum rdl__step_kind kind)
{
    struct rdl_step it = {.kind = kind, .file = "made_up.c", .line = 1};

    return keep(&it, sizeof it);
}

static struct rdl_step *event_step(enum rdl__step_kind kind)
{
    struct rdl_step *it = step(kind);

    it->pattern = pattern((char)('a' + draw(LETTERS)));
    return it;
}

static unsigned bits;       /* events that are required somewhere */
static unsigned ways[TAGS]; /* to take what has a tag */
static bool plain;          /* there are no rules */
static bool interleaves;    /* and this is made up inside of what is interleaved */

static const struct rdl_step *make_up(int depth);

static void fill(struct rdl_step *block, int depth, bool headers, bool events_only)
{
    const struct rdl_step *parts[10];
    unsigned count = 0, steps = block->name ? 2 : 1 + draw(3);

    headers = headers && !plain;
    while (headers && draw(4) == 0 && count < 3)
        parts[count++] = event_step(
            (enum rdl__step_kind[]){RDL__STEP_ALLOW, RDL__STEP_DISALLOW, RDL__STEP_DROP}[draw(3)]);
    if (headers && draw(5) == 0 && bits < BITS_MAX) {
        parts[count++] = event_step(RDL__STEP_REQUIRE);
        bits++;
    }
    for (unsigned i = 0; i < steps; i++)
        parts[count++] = events_only ? event_step(RDL__STEP_EXPECT) : make_up(depth - 1);
    parts[count++] = NULL;
    block->parts = keep(parts, count * sizeof *parts);
}

static const struct rdl_step *make_up_interleaved(int depth)
{
    struct rdl_step *it = step(RDL__STEP_INTERLEAVED);

    interleaves = true;
    fill(it, depth, false, false);
    interleaves = false;
    return it;
}

static const struct rdl_step *make_up(int depth)
{
    struct rdl_step *it;

    switch (depth > 0 ? draw(11) : 0) {
    case 8:
        return step(RDL__STEP_NOTHING);
    case 9:
        it = step(RDL__STEP_EITHER);
        it->name = draw(2) ? "one" : "two";
        ways[it->name[0] == 't'] = 2;
        fill(it, depth, false, false);
        return it;
    case 10:
        if (plain && !interleaves)
            return make_up_interleaved(depth);
        return event_step(RDL__STEP_EXPECT);
    case 3:
        it = step(RDL__STEP_SEQUENCE);
        fill(it, depth, true, false);
        return it;
    case 4:
        it = step(RDL__STEP_EITHER);
        fill(it, depth, false, false);
        return it;
    case 5:
        it = step(RDL__STEP_UNORDERED);
        fill(it, depth, false, true);
        return it;
    case 6:
    case 7:
        it = step(RDL__STEP_REPEAT);
        it->min = draw(3);
        it->max = draw(2) ? RDL_MANY : it->min + draw(3);
        fill(it, depth, true, false);
        return it;
    default:
        return event_step(RDL__STEP_EXPECT);
    }
}

/* ---- Specs as regular expressions ----------------------------------------------------------- */

/* Requirements that are still to be met are a set of bits; what a step does is a table: from
 * one set to another, which regular expression? */
enum { SETS = 1 << BITS_MAX };

struct table {
    const struct regex *r[SETS][SETS];
};

struct scope {
    unsigned allowed;                 /* letters that rules let pass */
    unsigned char required[BITS_MAX]; /* the letter of each bit */
    unsigned used;                    /* bits */
};

static unsigned letter_of(const struct rdl_step *it)
{
    return (unsigned)(*(const char *)it->pattern->conditions[0].value - 'a');
}

static struct table *new_table(void)
{
    struct table *t = rdl__arena_alloc(&arena, sizeof *t);

    for (int i = 0; i < SETS; i++)
        for (int k = 0; k < SETS; k++)
            t->r[i][k] = &nothing;
    return t;
}

static struct table *skip(void)
{
    struct table *t = new_table();

    for (int i = 0; i < SETS; i++)
        t->r[i][i] = &empty;
    return t;
}

static struct table *then(const struct table *a, const struct table *b)
{
    struct table *t = new_table();

    for (int i = 0; i < SETS; i++)
        for (int k = 0; k < SETS; k++)
            for (int via = 0; via < SETS; via++)
                t->r[i][k] = alt(t->r[i][k], seq(a->r[i][via], b->r[via][k]));
    return t;
}

static struct table * or (const struct table *a, const struct table *b)
{
    struct table *t = new_table();

    for (int i = 0; i < SETS; i++)
        for (int k = 0; k < SETS; k++)
            t->r[i][k] = alt(a->r[i][k], b->r[i][k]);
    return t;
}

/* Sets only become smaller: from i, round and round at i, then to a smaller one. */
static struct table *many(const struct table *a)
{
    struct table *t = new_table();

    for (int i = 0; i < SETS; i++)
        for (int k = 0; k < SETS; k++) {
            const struct regex *rest = i == k ? &empty : &nothing;

            for (int via = 0; via < i; via++)
                if ((via & ~i) == 0)
                    rest = alt(rest, seq(a->r[i][via], t->r[via][k]));
            t->r[i][k] = seq(star(a->r[i][i]), rest);
        }
    return t;
}

static unsigned letters_of(const struct scope *scope, int set)
{
    unsigned mask = 0;

    for (int i = 0; i < BITS_MAX; i++)
        if (set >> i & 1)
            mask |= 1u << scope->required[i];
    return mask;
}

/* Waiting for some of these letters, `after` says what then: from a set of requirements to
 * another.  In between come what is required, and what is allowed and nothing else. */
static const struct regex *
wait_for(const struct scope *scope, unsigned wanted, int from, int to,
         const struct regex *(*after)(void *it, int letter, int from, int to), void *it)
{
    const struct regex *next = &nothing;

    for (int letter = 0; letter < LETTERS; letter++)
        if (wanted >> letter & 1)
            next = alt(next, seq(letters(1u << letter), after(it, letter, from, to)));
    for (int i = 0; i < BITS_MAX; i++)
        if (from >> i & 1)
            next = alt(next, seq(letters(1u << scope->required[i]),
                                 wait_for(scope, wanted, from & ~(1 << i), to, after, it)));
    return seq(star(letters(scope->allowed & ~wanted & ~letters_of(scope, from))), next);
}

static const struct regex *done(void *it, int letter, int from, int to)
{
    (void)it, (void)letter;
    return from == to ? &empty : &nothing;
}

struct rest {
    const struct scope *scope;
    unsigned counts[LETTERS];
};

static unsigned wanted_of(const struct rest *rest)
{
    unsigned mask = 0;

    for (int i = 0; i < LETTERS; i++)
        mask |= (rest->counts[i] > 0) << i;
    return mask;
}

static const struct regex *after_one(void *it, int letter, int from, int to)
{
    struct rest rest = *(struct rest *)it;

    rest.counts[letter]--;
    if (!wanted_of(&rest))
        return done(NULL, letter, from, to);
    return wait_for(rest.scope, wanted_of(&rest), from, to, after_one, &rest);
}

static struct table *of_step(const struct scope *scope, const struct rdl_step *it);

static struct table *of_unordered(const struct scope *scope, const struct rdl_step *it)
{
    struct table *t = new_table();
    struct rest rest = {.scope = scope};

    for (int i = 0; it->parts[i]; i++)
        rest.counts[letter_of(it->parts[i])]++;
    for (int i = 0; i < SETS; i++)
        for (int k = 0; k <= i; k++)
            t->r[i][k] = wait_for(scope, wanted_of(&rest), i, k, after_one, &rest);
    return t;
}

/* The end of a block: what it requires must have come. */
static struct table *of_end(const struct scope *scope, int own)
{
    struct table *t = new_table();

    for (int i = 0; i < SETS; i++) {
        if (!(i & own)) {
            t->r[i][i] = &empty;
            continue;
        }
        for (int k = 0; k < i; k++)
            for (int bit = 0; bit < BITS_MAX; bit++)
                if (i >> bit & 1)
                    t->r[i][k] = alt(
                        t->r[i][k],
                        seq(star(letters(scope->allowed & ~letters_of(scope, i))),
                            seq(letters(1u << scope->required[bit]), t->r[i & ~(1 << bit)][k])));
    }
    return t;
}

static struct table *of_body(const struct scope *outer, const struct rdl_step *it)
{
    struct scope scope = *outer;
    struct table *t, *begin = new_table();
    int own = 0;

    for (int i = 0; it->parts[i]; i++) {
        const struct rdl_step *part = it->parts[i];

        if (part->kind == RDL__STEP_ALLOW || part->kind == RDL__STEP_DROP)
            scope.allowed |= 1u << letter_of(part);
        else if (part->kind == RDL__STEP_DISALLOW)
            scope.allowed &= ~(1u << letter_of(part));
        else if (part->kind == RDL__STEP_REQUIRE) {
            scope.required[scope.used] = (unsigned char)letter_of(part);
            own |= 1 << scope.used++;
        }
    }
    for (int i = 0; i < SETS; i++)
        if (!(i & own))
            begin->r[i][i | own] = &empty;
    t = begin;
    for (int i = 0; it->parts[i] && nodes < NODES_MAX; i++)
        if (it->parts[i]->kind < RDL__STEP_ALLOW)
            t = then(t, of_step(&scope, it->parts[i]));
    return then(t, of_end(&scope, own));
}

static struct table *of_repeat(const struct scope *scope, const struct rdl_step *it)
{
    struct table *body, *t = skip();

    if (it->max == 0)
        return t;
    body = of_body(scope, it);
    for (uint32_t i = 0; i < it->min && nodes < NODES_MAX; i++)
        t = then(t, body);
    if (it->max == RDL_MANY)
        return then(t, many(body));
    for (uint32_t i = it->min; i < it->max && nodes < NODES_MAX; i++)
        t = then(t, or (skip(), body));
    return t;
}

static unsigned taken[TAGS]; /* alternatives */

static struct table *of_either(const struct scope *scope, const struct rdl_step *it)
{
    struct table *t = new_table();

    if (it->name)
        return of_step(scope, it->parts[taken[it->name[0] == 't']]);
    for (int i = 0; it->parts[i]; i++)
        t = or (t, of_step(scope, it->parts[i]));
    return t;
}

static struct table *of_interleaved(const struct scope *scope, const struct rdl_step *it)
{
    struct table *t = skip();

    for (int i = 0; it->parts[i]; i++)
        t->r[0][0] = shuffle(t->r[0][0], of_step(scope, it->parts[i])->r[0][0]);
    return t;
}

static struct table *of_step(const struct scope *scope, const struct rdl_step *it)
{
    struct table *t = new_table();

    if (nodes > NODES_MAX)
        return t;
    switch (it->kind) {
    case RDL__STEP_EXPECT:
        for (int i = 0; i < SETS; i++)
            for (int k = 0; k <= i; k++)
                t->r[i][k] = wait_for(scope, 1u << letter_of(it), i, k, done, NULL);
        return t;
    case RDL__STEP_UNORDERED:
        return of_unordered(scope, it);
    case RDL__STEP_EITHER:
        return of_either(scope, it);
    case RDL__STEP_INTERLEAVED:
        return of_interleaved(scope, it);
    case RDL__STEP_NOTHING:
        return skip();
    case RDL__STEP_REPEAT:
        return of_repeat(scope, it);
    default:
        return of_body(scope, it);
    }
}

/* After the end, the outermost rules still hold. */
static const struct regex *of_spec(const struct rdl_step *it)
{
    struct scope scope = {0};
    const struct regex *r = &nothing;

    for (taken[0] = 0; taken[0] < ways[0]; taken[0]++)
        for (taken[1] = 0; taken[1] < ways[1] && nodes < NODES_MAX; taken[1]++)
            r = alt(r, of_body(&scope, it)->r[0][0]);
    for (int i = 0; it->parts[i]; i++) {
        if (it->parts[i]->kind == RDL__STEP_ALLOW || it->parts[i]->kind == RDL__STEP_DROP)
            scope.allowed |= 1u << letter_of(it->parts[i]);
        if (it->parts[i]->kind == RDL__STEP_DISALLOW)
            scope.allowed &= ~(1u << letter_of(it->parts[i]));
    }
    return seq(r, star(letters(scope.allowed)));
}

/* ---- Both ----------------------------------------------------------------------------------- */

static bool matches(const struct rdl__program *program, const char *text)
{
    struct rdl__matcher *m = rdl__matcher_new(program, 0, 0);
    struct rdl__effect effect;
    bool good = true;

    for (; good && *text; text++)
        good = rdl__matcher_event(m, &(struct rdl_event){&port, RDL_OUT, rdl_type(letter), text, 1},
                                  &effect) == RDL__TAKEN;
    good = good && rdl__matcher_is_complete(m);
    rdl__matcher_free(m);
    return good;
}

static void sample_both(const struct regex *r, char *out, unsigned *count);

/* A stream of the language, or nearly: go through the expression by chance. */
static void sample(const struct regex *r, char *out, unsigned *count)
{
    if (*count >= STREAM_MAX)
        return;
    switch (r->kind) {
    case LETTER: {
        unsigned letter = draw(LETTERS);

        while (!(r->letters >> letter & 1))
            letter = (letter + 1) % LETTERS;
        out[(*count)++] = (char)('a' + letter);
        return;
    }
    case SEQ:
        sample(r->a, out, count);
        sample(r->b, out, count);
        return;
    case ALT:
        sample(draw(2) ? r->a : r->b, out, count);
        return;
    case STAR:
        while (draw(3) == 0)
            sample(r->a, out, count);
        return;
    case SHUFFLE:
        sample_both(r, out, count);
        return;
    default:
        return;
    }
}

static void sample_both(const struct regex *r, char *out, unsigned *count)
{
    char texts[2][STREAM_MAX];
    unsigned counts[2] = {0}, done[2] = {0};

    sample(r->a, texts[0], &counts[0]);
    sample(r->b, texts[1], &counts[1]);
    while (done[0] + done[1] < counts[0] + counts[1] && *count < STREAM_MAX) {
        unsigned from = draw(2);

        from = done[from] < counts[from] ? from : !from;
        out[(*count)++] = texts[from][done[from]++];
    }
}

static void make_stream(const struct regex *r, char *out)
{
    unsigned count = 0;

    if (draw(4))
        sample(r, out, &count);
    else
        while (draw(5) && count < STREAM_MAX)
            out[count++] = (char)('a' + draw(LETTERS));
    if (count > 0 && draw(3) == 0)
        out[draw(count)] = (char)('a' + draw(LETTERS));
    out[count] = '\0';
}

struct tally {
    uint64_t streams, accepted, specs, refused, large;
};

static bool try_spec(struct tally *tally)
{
    struct rdl_step *spec = step(RDL__STEP_SEQUENCE);
    struct rdl__error error;
    struct rdl__program *program;
    const struct regex *regex;
    bool agree = true;

    bits = nodes = 0;
    ways[0] = ways[1] = 1;
    plain = draw(3) == 0;
    fill(spec, 3, true, false);
    program = rdl__program_new(spec, &error);
    if (!program) {
        tally->refused++;
        return true;
    }
    regex = of_spec(spec);
    if (nodes > NODES_MAX) {
        tally->large++;
        rdl__program_free(program);
        return true;
    }
    tally->specs++;
    for (int i = 0; i < 40 && agree; i++) {
        char text[STREAM_MAX + 1];
        bool ours, theirs;

        make_stream(regex, text);
        ours = matches(program, text);
        theirs = is_all(regex, text);
        tally->streams++;
        tally->accepted += theirs;
        agree = ours == theirs;
        if (!agree)
            fprintf(stderr, "%s: we say %d, the regular expression says %d\n", text, ours, theirs);
    }
    rdl__program_free(program);
    return agree;
}

TEST(the_matcher_agrees_with_regular_expressions)
{
    const char *seed = getenv("EVENTS_SEED"), *wanted = getenv("EVENTS_STREAMS");
    uint64_t streams = wanted ? strtoull(wanted, NULL, 10) : 200000, at;
    struct tally tally = {0};

    for (at = seed ? strtoull(seed, NULL, 10) : 1; tally.streams < streams; at++) {
        rdl__random_seed(&random_numbers, at);
        rdl__arena_reset(&arena);
        if (!try_spec(&tally)) {
            fprintf(stderr, "seed %llu\n", (unsigned long long)at);
            EXPECT(false);
            return;
        }
    }
    printf("%llu streams of %llu specs, %llu accepted; %llu specs refused, %llu too large\n",
           (unsigned long long)tally.streams, (unsigned long long)tally.specs,
           (unsigned long long)tally.accepted, (unsigned long long)tally.refused,
           (unsigned long long)tally.large);
    EXPECT(tally.accepted > tally.streams / 5);
    EXPECT(tally.accepted < tally.streams * 4 / 5);
    rdl__arena_release(&arena);
}
