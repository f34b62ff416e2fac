/* planner.c -- the shortest sequence of calls that tries every precondition.
 *
 * A search, breadth first, through pairs of a quiet node and the preconditions that have been
 * tried on the way there.  A pair is of no use if the node was reached before with these and
 * perhaps more; so what is found first is shortest.  Where there are too many pairs, the nearest
 * precondition is tried next, again and again.
 *
 * What cannot be tried in one sequence, since there is no way back, is tried in another. */
#include <stdlib.h>
#include <string.h>

#include "drive/routes.h"

enum {
    CLIENTS = 2,
    LOOKS_MAX = 200 * 1000 * 1000, /* at pairs of the same node */
};

uint32_t rdl__plan_pairs_max = 1 << 20;

struct pair {
    uint32_t node;
    uint32_t parent, route; /* RDL__NONE at the beginning */
    uint32_t next;          /* of the same node, which was found before */
    uint32_t calls;         /* on the way there */
    uint64_t met;
};

struct planner {
    struct rdl__script *script;
    struct rdl__space *space;
    struct rdl__routes routes;
    struct pair *pairs;
    uint32_t count, room;
    uint32_t *latest; /* pair of a node; RDL__NONE: it was not reached */
    uint32_t at;      /* where the last sequence has led to */
    bool surely;      /* only by calls of which it is certain what comes of them */
    uint64_t looks;
    uint64_t possible; /* all that can be tried by somebody */
    uint32_t horizon;  /* all sequences of so many calls are known */
};

/* After a call of which it is not certain what comes of it. */
static bool is_nowhere(const struct planner *p, uint32_t node)
{
    return node == p->space->count;
}

/* ---- Pairs ----------------------------------------------------------------------------------- */

static void forget_pairs(struct planner *p)
{
    p->count = 0;
    for (uint32_t i = 0; i <= p->space->count; i++)
        p->latest[i] = RDL__NONE;
}

static bool is_of_no_use(struct planner *p, uint32_t node, uint64_t met)
{
    for (uint32_t i = p->latest[node]; i != RDL__NONE; i = p->pairs[i].next) {
        p->looks++;
        if ((met & ~p->pairs[i].met) == 0)
            return true;
    }
    return false;
}

static void add_pair(struct planner *p, uint32_t node, uint64_t met, uint32_t parent,
                     uint32_t route)
{
    if (is_of_no_use(p, node, met))
        return;
    if (p->count == p->room) {
        p->room = p->room ? 2 * p->room : 1024;
        p->pairs = rdl__reallocate(p->pairs, p->room * sizeof *p->pairs);
    }
    p->pairs[p->count] = (struct pair){
        .node = node,
        .parent = parent,
        .route = route,
        .next = p->latest[node],
        .calls = route == RDL__NONE ? 0 : p->pairs[parent].calls + 1,
        .met = met,
    };
    p->latest[node] = p->count++;
}

static void add_beginnings(struct planner *p, uint64_t met)
{
    for (uint32_t i = 0; i < p->space->count; i++)
        if (p->space->nodes[i].parent == RDL__NONE)
            add_pair(p, i, met, RDL__NONE, RDL__NONE);
}

static bool is_too_much(const struct planner *p)
{
    return p->count >= rdl__plan_pairs_max || p->looks >= LOOKS_MAX;
}

/* All steps from a pair.  `blindly`: what is tried does not tell pairs apart. */
static void expand(struct planner *p, uint32_t i, bool blindly)
{
    uint32_t node = p->pairs[i].node;
    uint64_t met = p->pairs[i].met;

    for (uint32_t k = p->routes.first[node]; k < p->routes.first[node + 1]; k++) {
        const struct rdl__route *route = &p->routes.items[k];

        add_pair(p, route->to, blindly ? met : met | route->met, i, k);
    }
}

static void find_what_is_possible(struct planner *p)
{
    forget_pairs(p);
    add_beginnings(p, 0);
    p->horizon = UINT32_MAX;
    for (uint32_t i = 0; i < p->count; i++) {
        uint32_t node = p->pairs[i].node;

        if (p->routes.open[node] && p->pairs[i].calls < p->horizon)
            p->horizon = p->pairs[i].calls;
        expand(p, i, true);
        for (uint32_t k = p->routes.first[node]; k < p->routes.first[node + 1]; k++)
            p->possible |= p->routes.items[k].met;
    }
    p->possible |= p->script->met;
}

/* ---- Ways ------------------------------------------------------------------------------------ */

static void begin_at(struct planner *p, uint32_t node)
{
    const struct rdl_spec *spec = p->space->spec;
    struct rdl__text clients = {0};

    p->at = node;
    rdl__moves_load(p->space, node);
    for (unsigned i = 0; i < p->space->clients; i++)
        rdl__text_add_bytes(&clients, rdl__client_in(p->space, p->space->now, i),
                            spec->client_size);
    rdl__script_add(p->script, rdl__state_in(p->space, p->space->now), rdl__text_string(&clients));
    rdl__text_release(&clients);
}

static void take(struct planner *p, const struct rdl__route *route)
{
    rdl__routes_follow(&p->routes, route->from, p->space->steps[route->step].to, NULL,
                       &p->script->sequences[p->script->count - 1]);
    p->script->met |= route->met;
    p->script->calls++;
    p->at = route->to;
}

/* Go to this pair: from a beginning, if its way comes from there, else from where the last
 * sequence ends. */
static void go_to(struct planner *p, uint32_t pair)
{
    uint32_t count = 0, i = pair;
    uint32_t *ways;

    for (; p->pairs[i].route != RDL__NONE; i = p->pairs[i].parent)
        count++;
    if (p->pairs[i].parent == RDL__NONE)
        begin_at(p, p->pairs[i].node);
    ways = rdl__allocate((count + 1) * sizeof *ways);
    for (uint32_t k = count; k > 0; k--, pair = p->pairs[pair].parent)
        ways[k - 1] = p->pairs[pair].route;
    for (uint32_t k = 0; k < count; k++)
        take(p, &p->routes.items[ways[k]]);
    free(ways);
}

/* The sequence has come to its end.  For who needs all threads to end: some more calls, if
 * there are any, after which nobody waits.  They are no part of the plan. */
static void lead_home(struct planner *p)
{
    struct rdl__script *script = p->script;
    struct rdl__sequence *last = &script->sequences[script->count - 1];
    void *after = last->after;
    uint32_t steps = last->count, calls = script->calls;
    uint64_t met = script->met;

    if (is_nowhere(p, p->at))
        return;
    forget_pairs(p);
    add_pair(p, p->at, 0, 0, RDL__NONE);
    for (uint32_t i = 0; i < p->count; i++) {
        uint32_t node = p->pairs[i].node;

        if (!is_nowhere(p, node) && !p->space->nodes[node].pending) {
            go_to(p, i);
            break;
        }
        expand(p, i, true);
    }
    last->homeward = last->count - steps;
    last->count = steps;
    last->after = after;
    script->calls = calls;
    script->met = met;
}

/* Does a pair try more than another or, in as many calls, the same with a certain end? */
static bool is_better(const struct planner *p, uint32_t one, uint32_t other)
{
    const struct pair *a = &p->pairs[one], *b = &p->pairs[other];
    int more = __builtin_popcountll(a->met) - __builtin_popcountll(b->met);

    if (more != 0)
        return more > 0;
    return a->calls == b->calls && is_nowhere(p, b->node) && !is_nowhere(p, a->node);
}

/* A shortest sequence that tries all that can be tried, or failing that, most of it.  False:
 * there are too many pairs. */
static bool go_the_shortest_way(struct planner *p)
{
    uint32_t best = 0;

    forget_pairs(p);
    p->looks = 0;
    add_beginnings(p, p->script->met);
    for (uint32_t i = 0; i < p->count; i++) {
        if (is_better(p, i, best))
            best = i;
        if (p->pairs[best].met == p->possible &&
            (!is_nowhere(p, p->pairs[best].node) || p->pairs[i].calls > p->pairs[best].calls))
            break;
        if (is_too_much(p))
            return false;
        rdl__doing(p->space->t, "planning", "way", p->count);
        expand(p, i, false);
    }
    go_to(p, best);
    lead_home(p);
    return true;
}

/* Where a route begins that tries something new, as near as there is one: a pair, and the route. */
static bool find_something_new(const struct planner *p, uint32_t pair, uint32_t *out_route)
{
    uint32_t node = p->pairs[pair].node;

    for (uint32_t k = p->routes.first[node]; k < p->routes.first[node + 1]; k++)
        if ((p->routes.items[k].met & ~p->script->met) &&
            !(p->surely && is_nowhere(p, p->routes.items[k].to))) {
            *out_route = k;
            return true;
        }
    return false;
}

/* From a node (RDL__NONE: from the beginning) to the next that tries something new, and there.
 * Where that has led to; RDL__NONE: there is nothing new from here. */
static uint32_t go_on(struct planner *p, uint32_t from)
{
    uint32_t route;

    forget_pairs(p);
    if (from == RDL__NONE)
        add_beginnings(p, 0);
    else
        add_pair(p, from, 0, 0, RDL__NONE);
    for (uint32_t i = 0; i < p->count; i++) {
        if (!find_something_new(p, i, &route)) {
            expand(p, i, true);
            continue;
        }
        if (p->count == p->room)
            p->pairs = rdl__reallocate(p->pairs, ++p->room * sizeof *p->pairs);
        p->pairs[p->count] =
            (struct pair){.node = p->routes.items[route].to, .parent = i, .route = route};
        go_to(p, p->count);
        return p->routes.items[route].to;
    }
    return RDL__NONE;
}

static void go_as_far_as_possible(struct planner *p)
{
    uint32_t node = RDL__NONE, next;

    while ((next = go_on(p, node)) != RDL__NONE || node != RDL__NONE) {
        if (next == RDL__NONE)
            lead_home(p);
        node = next;
    }
}

/* What can only be tried in the last call of a sequence comes last. */
static void go_to_the_nearest(struct planner *p)
{
    p->surely = true;
    go_as_far_as_possible(p);
    p->surely = false;
    go_as_far_as_possible(p);
}

static void plan(struct planner *p)
{
    find_what_is_possible(p);
    p->script->shortest = true;
    while (p->script->met != p->possible)
        if (p->script->shortest && go_the_shortest_way(p)) {
            p->script->shortest = p->script->met == p->possible && p->script->count == 1;
        } else {
            p->script->shortest = false;
            go_to_the_nearest(p);
        }
}

/* ---- With how many arguments ----------------------------------------------------------------- */

static uint32_t count_bits(uint64_t set)
{
    return (uint32_t)__builtin_popcountll(set);
}

static bool tries_all(const struct rdl__script *script)
{
    return count_bits(script->met) == rdl__precondition_count(script->spec);
}

/* If not all states were seen, a plan is as short as can be all the same if it has all there is
 * to try, and all shorter sequences were seen. */
static bool is_shortest(const struct planner *p)
{
    return p->script->shortest &&
           (p->script->proven || (tries_all(p->script) && p->script->calls - 1 <= p->horizon));
}

static void begin_planning(struct planner *p, struct rdl__script *script, struct rdl__space *space)
{
    *p = (struct planner){.script = script, .space = space};
    rdl__routes_init(&p->routes, space);
    p->latest = rdl__allocate((space->count + 1) * sizeof *p->latest);
}

static void end_planning(struct planner *p)
{
    rdl__routes_release(&p->routes);
    free(p->pairs);
    free(p->latest);
}

static struct rdl__script plan_in(struct rdl__space *space, const struct rdl__script *like)
{
    struct rdl__script script = *like;
    struct planner p;

    script.memory = rdl__allocate(sizeof *script.memory);
    begin_planning(&p, &script, space);
    plan(&p);
    script.by_luck = p.routes.by_luck;
    script.proven = !space->cut && !space->partial && space->broken == RDL__NONE;
    script.shortest = is_shortest(&p);
    end_planning(&p);
    return script;
}

/* What is left to try, in further sequences. */
static void add_what_is_possible_in(struct rdl__space *space, struct rdl__script *script)
{
    struct planner p;

    begin_planning(&p, script, space);
    find_what_is_possible(&p);
    script->shortest &= script->met == p.possible;
    if (script->met != p.possible)
        go_to_the_nearest(&p);
    end_planning(&p);
}

static void expect_plannable(struct rdl_case *t, const struct rdl_spec *spec, unsigned clients)
{
    if (clients > RDL__CLIENTS_MAX)
        rdl__misuse(t, "RDL_TEST_PLAN(%s): .clients = %u, where at most %d are possible",
                    t->test->name, clients, RDL__CLIENTS_MAX);
    if (rdl__precondition_count(spec) == 0)
        rdl__misuse(
            t,
            "%s:%d: spec %s has no .preconditions to plan a sequence for: its operations have them",
            spec->file, spec->line, spec->name);
    for (size_t i = 0; i < spec->operation_count; i++)
        if (rdl__operation(spec, i)->judge)
            rdl__misuse(t,
                        "%s:%d: spec %s: operation %s has judge, which does not say what happens: "
                        "RDL_TEST_PLAN needs post or post_any",
                        spec->file, spec->line, spec->name, rdl__operation(spec, i)->name);
}

/* Which arguments are tried: of each choice that `args` makes, the simplest up to `cap`; or of
 * those that make no difference to preconditions, the simplest. */
static const struct {
    uint64_t cap;
    bool by_kind;
} some[] = {{UINT64_MAX, false}, {UINT64_MAX, true}, {3, false}, {1, false}, {0, false}};
enum { SOME = sizeof some / sizeof *some };

static void explore_with(struct rdl__space *space, size_t i)
{
    for (size_t k = 0; k <= RDL__OPERATIONS_MAX; k++)
        space->caps[k] = some[i].cap;
    space->by_kind = some[i].by_kind;
    rdl__space_explore(space);
}

static bool tries_more(const struct rdl__script *one, const struct rdl__script *other)
{
    if (one->met != other->met)
        return count_bits(one->met) > count_bits(other->met);
    return one->count < other->count || (one->count == other->count && one->calls < other->calls);
}

/* Without, all ways to choose are the same. */
static bool chooses_anything(const struct rdl_spec *spec)
{
    bool chooses = spec->initial || spec->client;

    for (size_t i = 0; i < spec->operation_count; i++)
        chooses |= rdl__operation(spec, i)->args || rdl__operation(spec, i)->client_args;
    return chooses;
}

/* If there are too many states to see them all, fewer arguments may lead farther; the best of
 * these plans is the beginning, and what it does not try the others may. */
static void plan_with_some_arguments(struct rdl__space *space, struct rdl__script *out)
{
    const struct rdl__script like = *out;
    size_t best = 0;

    for (size_t i = 0; i < SOME; i++) {
        struct rdl__script script;

        explore_with(space, i);
        script = plan_in(space, &like);
        if (i == 0 || tries_more(&script, out)) {
            rdl__script_release(out);
            *out = script;
            best = i;
        } else {
            rdl__script_release(&script);
        }
        if ((i == 0 && (!space->cut || !chooses_anything(out->spec))) ||
            (tries_all(out) && out->count == 1))
            return;
    }
    for (size_t i = 0; i < SOME && !tries_all(out); i++)
        if (i != best) {
            explore_with(space, i);
            add_what_is_possible_in(space, out);
        }
}

void rdl__plan_script(struct rdl_case *t, struct rdl__script *out)
{
    unsigned clients = t->test->options.clients ? t->test->options.clients : CLIENTS;
    struct rdl__space *space;

    expect_plannable(t, out->spec, clients);
    out->clients = clients;
    space = rdl__space_new(t, out->spec, clients);
    space->manner = RDL__WHEN_QUIET;
    plan_with_some_arguments(space, out);
    rdl__doing(t, NULL, NULL, 0);
    t->trace->on = space->traced;
}
