/* explain.c -- what a matcher expected, and how far each way had come. */
#include <stdlib.h>
#include <string.h>

#include "events/match.h"

static void add_line(struct rdl__text *out, const struct rdl_step *step, const char *note)
{
    struct rdl__text pattern = {0};
    size_t before = out->count;

    rdl__pattern_show(&pattern, step->pattern);
    rdl__text_add(out, "  %s", rdl__text_string(&pattern));
    if (note[0])
        rdl__text_add(out, " (%s)", note);
    rdl__text_add(out, "  [%s:%d]\n", step->file, step->line);
    if (before > 0) { /* each once */
        char *line = out->bytes + before, *found = strstr(out->bytes, line);

        if (found < line) {
            out->count = before;
            out->bytes[before] = '\0';
        }
    }
    rdl__text_release(&pattern);
}

static const char *name_of(const struct rdl_step *step)
{
    switch (step->kind) {
    case RDL__STEP_TRIGGER:
        return "rdl_trigger";
    case RDL__STEP_DO:
        return "rdl_do";
    case RDL__STEP_INSPECT:
        return "rdl_inspect";
    case RDL__STEP_RELEASE:
        return "rdl_releases";
    default:
        return "the release of what is held";
    }
}

static void add_wanted(void *it, const struct rdl__config *c, const struct rdl__wanted *wanted,
                       const char *note)
{
    (void)c;
    add_line(it, wanted->step, note);
}

static bool is_about_calls(const struct rdl__program *p)
{
    for (uint32_t i = 0; i < p->wanted_count; i++)
        if (p->wanted[i].step->kind == RDL__STEP_CALL)
            return true;
    for (uint32_t i = 0; i < p->place_count; i++)
        if (p->places[i].step && p->places[i].step->kind == RDL__STEP_RELEASE)
            return true;
    return false;
}

/* What is complete is a stream, or what one function calls. */
static const char *nothing_more(const struct rdl__program *p)
{
    return is_about_calls(p) ? "nothing: all calls have been made"
                             : "nothing: the stream is complete";
}

static void add_expected(const struct rdl__matcher *m, const struct rdl__config *c,
                         struct rdl__text *out)
{
    const struct rdl__place *place = &m->p->places[c->place];

    if (place->kind == RDL__PLACE_ACTION)
        rdl__text_add(out, "  nothing before %s  [%s:%d]\n", name_of(place->step),
                      place->step->file, place->step->line);
    if (place->kind == RDL__PLACE_STOP)
        rdl__text_add(out, "  %s\n", nothing_more(m->p));
    rdl__waited_for(m, c, add_wanted, out);
}

/* Of several ways to understand the stream, that in which most events had a place. */
static void add_furthest(const struct rdl__matcher *m, struct rdl__text *out)
{
    const struct rdl__config *furthest = rdl__set_at(&m->live, 0), *least = furthest;

    for (uint32_t i = 1; i < m->live.count; i++) {
        const struct rdl__config *c = rdl__set_at(&m->live, i);

        furthest = c->taken > furthest->taken ? c : furthest;
        least = c->taken < least->taken ? c : least;
    }
    if (furthest->taken > least->taken)
        rdl__text_add(out, "furthest, with %u events in their place, had come %s:%d\n",
                      furthest->taken, m->p->places[furthest->place].step->file,
                      m->p->places[furthest->place].step->line);
}

void rdl__matcher_expected(const struct rdl__matcher *m, struct rdl__text *out)
{
    for (uint32_t i = 0; i < m->live.count; i++)
        add_expected(m, rdl__set_at(&m->live, i), out);
    if (m->live.count > 1)
        add_furthest(m, out);
    if (m->expired)
        rdl__text_add(out, "the time of rdl_within(%g, ...) was over  [%s:%d]\n",
                      m->expired->deadline_ms, m->expired->file, m->expired->line);
}

void rdl__matcher_explain(const struct rdl__matcher *m, struct rdl__text *out)
{
    if (m->forbidden)
        rdl__text_add(out, "it is forbidden there by the rule at %s:%d\n", m->forbidden->file,
                      m->forbidden->line);
    if (m->conflict)
        rdl__text_add(out,
                      "what is to be done with it depends on what comes later: %s:%d and %s:%d "
                      "want different things\n",
                      m->effect.step->file, m->effect.step->line, m->conflict->file,
                      m->conflict->line);
}
