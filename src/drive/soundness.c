/* soundness.c -- the spec itself is tested: RDL_TEST_SPEC.
 *
 * All that the spec and some clients can come to is looked at (space.h), and what is found
 * wrong is told with the shortest run that leads there, all in one failure. */
#include "drive/space.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "raddle/check.h"

enum { CLIENTS = 2, HEADLINE_ROOM = 200 };

struct findings {
    struct rdl__space *space;
    char headline[HEADLINE_ROOM]; /* of the first one; empty: there is none */
};

/* The first finding gives the failure its name, others come after it in the text. */
__attribute__((format(printf, 2, 3))) static void begin_finding(struct findings *f,
                                                                const char *format, ...)
{
    struct rdl__text *out = &f->space->text;
    char headline[HEADLINE_ROOM];
    va_list args;

    va_start(args, format);
    vsnprintf(headline, sizeof headline, format, args);
    va_end(args);
    if (f->headline[0])
        rdl__text_add(out, "\nalso: %s\n", headline);
    else
        snprintf(f->headline, sizeof f->headline, "%s", headline);
}

/* ---- What can be wrong ---------------------------------------------------------------------- */

static void look_for_broken_invariant(struct findings *f)
{
    struct rdl__space *space = f->space;

    if (space->broken == RDL__NONE)
        return;
    begin_finding(f, "the invariant of spec %s does not hold in every state", space->spec->name);
    rdl__tell_run(space, &space->text, space->broken);
    rdl__text_add(&space->text, "the invariant does not hold now\n");
}

static bool is_stuck(const struct rdl__node *node)
{
    return node->expanded && !node->partial && node->count == 0 && node->pending;
}

static void look_for_stuck_clients(struct findings *f)
{
    struct rdl__space *space = f->space;
    struct rdl__text *out = &space->text;
    uint32_t i = 0;

    while (i < space->count && !is_stuck(&space->nodes[i]))
        i++;
    if (i == space->count)
        return;
    begin_finding(f, "all clients of spec %s can be blocked for ever", space->spec->name);
    rdl__tell_run(space, out, i);
    rdl__tell_waiting(space, out, i);
    if (space->nodes[i].pending + 1u != 1u << space->clients)
        rdl__text_add(out, "and the others may call nothing\n");
    rdl__text_add(out, "(if that is as it should be: .may_block = true)\n");
}

static void look_for_dead_operations(struct findings *f)
{
    struct rdl__space *space = f->space;

    if (space->cut || space->partial || space->broken != RDL__NONE)
        return; /* who knows what would come */
    for (size_t i = 0; i < space->spec->operation_count; i++) {
        const struct rdl_operation *op = rdl__operation(space->spec, i);

        if (space->executed[i])
            continue;
        begin_finding(f, "operation %s of spec %s can never run", op->name, space->spec->name);
        if (space->called[i])
            rdl__text_add(&space->text,
                          "%s is called, but its cpre and the policy (%s) never let it go on\n",
                          op->name, rdl__who_decides(space, op));
        else
            rdl__text_add(&space->text,
                          "%s is never called: may, weigh or pre do not allow it in any state\n",
                          op->name);
    }
}

static void tell_why_overtaken(struct rdl__space *space, const struct rdl__cycle *cycle)
{
    struct rdl__text *out = &space->text;
    const char *policy;

    rdl__moves_load(space, cycle->from);
    policy =
        rdl__who_decides(space, space->calls[rdl__place_of_client(space, cycle->client)].operation);
    rdl__text_add(out, "client %u waits all the time: ", cycle->client);
    switch (cycle->why) {
    case RDL__BY_POLICY:
        rdl__text_add(out,
                      "the cpre of its call holds again and again, but the policy (%s) does not "
                      "let it go on then\n",
                      policy);
        break;
    case RDL__BY_CHANCE:
        rdl__text_add(out,
                      "its call could go on again and again, but the policy (%s) lets others go "
                      "first\n",
                      policy);
        break;
    case RDL__BY_STATE:
        rdl__text_add(out, "the cpre of its call never holds\n");
        break;
    }
    rdl__text_add(out, "(if that is as it should be: .may_starve = true)\n");
}

static bool look_for_overtaken_call(struct findings *f, enum rdl__why_overtaken why)
{
    struct rdl__space *space = f->space;
    struct rdl__cycle cycle;

    if (!rdl__find_cycle(space, why, &cycle))
        return false;
    begin_finding(f, "a call of spec %s can %s", space->spec->name,
                  why == RDL__BY_STATE ? "wait for ever while others go on"
                                       : "be overtaken for ever");
    rdl__tell_cycle(space, &space->text, &cycle);
    free(cycle.steps);
    tell_why_overtaken(space, &cycle);
    return true;
}

/* Where the policy is to blame, that others may be lucky is no news. */
static void look_for_overtaken_calls(struct findings *f)
{
    if (!look_for_overtaken_call(f, RDL__BY_POLICY))
        look_for_overtaken_call(f, RDL__BY_CHANCE);
    look_for_overtaken_call(f, RDL__BY_STATE);
}

/* ---- The test ------------------------------------------------------------------------------- */

/* How far all this goes. */
static const char *extent_of(const struct rdl__space *space)
{
    struct rdl__text text = {0};
    const char *extent;

    if (space->cut)
        rdl__text_add(&text, "the first ");
    rdl__text_add_many(&text, space->count, "state");
    if (space->cut)
        rdl__text_add(&text, " of more, with ");
    else if (space->broken != RDL__NONE)
        rdl__text_add(&text, ", up to where the invariant is broken, with ");
    else
        rdl__text_add(&text, ", all that can be reached with ");
    rdl__text_add_many(&text, space->clients, "client");
    extent = rdl_copy(space->t, text.bytes, text.count + 1);
    rdl__text_release(&text);
    return extent;
}

/* There may be more to tell than an outcome has room for. */
_Noreturn static void fail(const struct findings *f)
{
    const struct rdl__space *space = f->space;
    const char *end = rdl_format(space->t, "\nseen in %s", extent_of(space)), *cut = "";
    size_t room = sizeof space->t->outcome->text - 1 - strlen(end);
    size_t shown = space->text.count;

    if (shown > room) {
        cut = "...\n";
        for (shown = room - strlen(cut); shown > 0 && space->text.bytes[shown - 1] != '\n';)
            shown--;
    }
    rdl__failed(space->spec->file, space->spec->line, f->headline, "%.*s%s%s", (int)shown,
                space->text.bytes, cut, end);
}

static void say_what_was_covered(const struct rdl__space *space)
{
    rdl_label(space->t, "%s", extent_of(space));
    if (space->partial)
        rdl_label(space->t, "not all arguments were tried, only simple ones");
}

static void expect_testable(struct rdl_case *t, const struct rdl_spec *spec, unsigned clients)
{
    if (spec->operation_count > RDL__OPERATIONS_MAX)
        rdl__misuse(t, "%s:%d: spec %s has more than %d operations", spec->file, spec->line,
                    spec->name, RDL__OPERATIONS_MAX);
    if (clients > RDL__CLIENTS_MAX)
        rdl__misuse(t, "RDL_TEST_SPEC(%s): .clients = %u, where at most %d are possible",
                    t->test->name, clients, RDL__CLIENTS_MAX);
    for (size_t i = 0; i < spec->operation_count; i++)
        if (rdl__operation(spec, i)->judge)
            rdl__misuse(t,
                        "%s:%d: spec %s: operation %s has judge, which does not say what happens: "
                        "RDL_TEST_SPEC needs post or post_any",
                        spec->file, spec->line, spec->name, rdl__operation(spec, i)->name);
}

void rdl__test_spec(struct rdl_case *t)
{
    const struct rdl_options *options = &t->test->options;
    unsigned clients = options->clients ? options->clients : CLIENTS;
    struct findings f = {0};
    struct rdl__space *space;

    expect_testable(t, options->spec, clients);
    space = f.space = rdl__space_new(t, options->spec, clients);
    rdl__space_explore(space);
    look_for_broken_invariant(&f);
    if (!options->may_block)
        look_for_stuck_clients(&f);
    look_for_dead_operations(&f);
    if (!options->may_starve)
        look_for_overtaken_calls(&f);
    if (f.headline[0])
        fail(&f);
    say_what_was_covered(space);
}
