/* pattern.c -- events and patterns: does one fit the other, and how are they shown? */
#include <stdlib.h>
#include <string.h>

#include "events/events.h"

static bool same_frames(const void *a, const void *b)
{
    const struct rdl_frame *one = a, *two = b;

    return one->size == two->size && memcmp(one->bytes, two->bytes, one->size) == 0;
}

const struct rdl_event_type rdl_event_frame = {
    .name = "frame", .size = sizeof(struct rdl_frame), .varies = true, .same = same_frames};

static void show_fault(FILE *out, const void *it)
{
    const struct rdl_fault *fault = it;

    if (fault->kind == RDL_FAULT_EXIT)
        fprintf(out, "exit %d", fault->number);
    else
        fprintf(out, "SIG%s", sigabbrev_np(fault->number));
}

const struct rdl_event_type rdl_event_fault = {
    .name = "fault", .size = sizeof(struct rdl_fault), .show = show_fault};

struct rdl_port rdl_faults = {.name = "faults"};

/* ---- Types ---------------------------------------------------------------------------------- */

/* The same type may have been declared in several files, by a header. */
static bool are_one(const struct rdl_event_type *a, const struct rdl_event_type *b)
{
    return a == b || (a->size == b->size && strcmp(a->name, b->name) == 0);
}

bool rdl__is_a(const struct rdl_event_type *type, const struct rdl_event_type *that)
{
    while (type && !are_one(type, that))
        type = type->is_a;
    return type != NULL;
}

const struct rdl_event_type *rdl__pattern_type(const struct rdl_pattern *pattern)
{
    const struct rdl_event_type *type = pattern->conditions[0].type;

    for (const struct rdl_condition *c = pattern->conditions; c->kind; c++)
        if (rdl__is_a(c->type, type))
            type = c->type;
    return type;
}

static bool are_same(const struct rdl_event_type *type, const void *a, const void *b)
{
    return type->same ? type->same(a, b) : memcmp(a, b, type->size) == 0;
}

/* ---- Conditions ----------------------------------------------------------------------------- */

/* `*` is anything, `\` makes the next character an ordinary one.  Where a star was tried for
 * too little, it takes one more. */
static bool fits_text(const char *pattern, const char *text, size_t size)
{
    const char *star = NULL, *end = text + size, *star_text = text;

    while (text < end) {
        bool literal = *pattern == '\\' && pattern[1];

        if (*pattern == '*') {
            star = ++pattern;
            star_text = text;
        } else if (*pattern && pattern[literal] == *text) {
            pattern += 1 + literal;
            text++;
        } else if (star) {
            pattern = star;
            text = ++star_text;
        } else {
            return false;
        }
    }
    while (*pattern == '*')
        pattern++;
    return !*pattern;
}

static const void *field_of(const struct rdl_condition *c, const void *data)
{
    return (const char *)data + c->offset;
}

static bool holds(const struct rdl_condition *c, const void *data)
{
    const struct rdl_frame *frame = data;

    switch (c->kind) {
    case RDL__COND_IS:
        return are_same(c->type, c->value, data);
    case RDL__COND_IF:
        return c->holds(data);
    case RDL__COND_FIELD:
        return memcmp(field_of(c, data), c->value, c->size) == 0;
    case RDL__COND_TEXT:
        return fits_text(c->value, frame->bytes, frame->size);
    case RDL__COND_HOLDS:
        return c->predicate->holds(c->value, data);
    default:
        return true;
    }
}

bool rdl__condition_holds(const struct rdl_condition *c, const struct rdl_event *event)
{
    return (c->type == event->type || rdl__is_a(event->type, c->type)) && holds(c, event->data);
}

bool rdl__pattern_holds(const struct rdl_pattern *pattern, const struct rdl_event *event)
{
    if (pattern->port != event->port || pattern->direction != event->direction)
        return false;
    for (const struct rdl_condition *c = pattern->conditions; c->kind; c++)
        if (!rdl__condition_holds(c, event))
            return false;
    return true;
}

/* ---- Patterns with each other --------------------------------------------------------------- */

static bool are_equal(const struct rdl_condition *a, const struct rdl_condition *b)
{
    if (a->kind != b->kind || !are_one(a->type, b->type))
        return false;
    switch (a->kind) {
    case RDL__COND_IS:
        return are_same(a->type, a->value, b->value);
    case RDL__COND_IF:
        return a->holds == b->holds;
    case RDL__COND_FIELD:
        return a->offset == b->offset && a->size == b->size &&
               memcmp(a->value, b->value, a->size) == 0;
    case RDL__COND_TEXT:
        return strcmp(a->value, b->value) == 0;
    case RDL__COND_HOLDS:
        return a->predicate == b->predicate && a->value == b->value;
    case RDL__COND_BIND:
    case RDL__COND_BOUND:
    case RDL__COND_ASKS:
    case RDL__COND_ANSWERS:
        return a->offset == b->offset && a->size == b->size && a->slot == b->slot;
    default:
        return true;
    }
}

static bool has_equal(const struct rdl_pattern *pattern, const struct rdl_condition *one)
{
    for (const struct rdl_condition *c = pattern->conditions; c->kind; c++)
        if (are_equal(c, one))
            return true;
    return false;
}

static bool is_about_same_place(const struct rdl_pattern *a, const struct rdl_pattern *b)
{
    return a->port == b->port && a->direction == b->direction;
}

bool rdl__patterns_are_equal(const struct rdl_pattern *a, const struct rdl_pattern *b)
{
    if (!is_about_same_place(a, b))
        return false;
    for (const struct rdl_condition *c = a->conditions; c->kind; c++)
        if (!has_equal(b, c))
            return false;
    for (const struct rdl_condition *c = b->conditions; c->kind; c++)
        if (!has_equal(a, c))
            return false;
    return true;
}

/* The value that all events of a pattern have; NULL: there may be several. */
static const struct rdl_condition *only_value(const struct rdl_pattern *pattern)
{
    for (const struct rdl_condition *c = pattern->conditions; c->kind; c++)
        if (c->kind == RDL__COND_IS && c->type == rdl__pattern_type(pattern))
            return c;
    return NULL;
}

static bool implies(const struct rdl_pattern *a, const struct rdl_condition *condition)
{
    const struct rdl_condition *value = only_value(a);

    if (!rdl__is_a(rdl__pattern_type(a), condition->type))
        return false;
    if (condition->kind == RDL__COND_ANY || condition->kind == RDL__COND_BIND)
        return true;
    if (condition->slot || condition->kind == RDL__COND_HOLDS) /* it may be what is bound */
        return has_equal(a, condition);
    return has_equal(a, condition) || (value && holds(condition, value->value));
}

bool rdl__pattern_implies(const struct rdl_pattern *a, const struct rdl_pattern *b)
{
    if (!is_about_same_place(a, b))
        return false;
    for (const struct rdl_condition *c = b->conditions; c->kind; c++)
        if (!implies(a, c))
            return false;
    return true;
}

/* ---- In words ------------------------------------------------------------------------------- */

static void show_place(struct rdl__text *out, const struct rdl_port *port,
                       enum rdl_direction direction)
{
    if (port && port->name && !*port->name)
        return;
    rdl__text_add(out, "%s %s ", direction == RDL_IN ? "in" : "out",
                  port && port->name ? port->name : "?");
}

void rdl__event_show(struct rdl__text *out, const struct rdl_event *event)
{
    show_place(out, event->port, event->direction);
    rdl__data_show(out, event->type, event->data, event->size);
}

static void show_condition(struct rdl__text *out, const struct rdl_condition *c)
{
    switch (c->kind) {
    case RDL__COND_ANY:
        rdl__text_add(out, "any %s", c->type->name);
        break;
    case RDL__COND_IS:
        rdl__data_show(out, c->type, c->value, c->type->size);
        break;
    case RDL__COND_IF:
        rdl__text_add(out, "%s with %s", c->type->name, c->name);
        break;
    case RDL__COND_FIELD:
        rdl__text_add(out, "%s with %s = ", c->type->name, c->name);
        rdl__field_show(out, c->type, c->name, c->value, c->size);
        break;
    case RDL__COND_TEXT:
        rdl__text_add_quoted(out, c->value, strlen(c->value));
        break;
    case RDL__COND_BIND:
        rdl__text_add(out, "%s, %s kept as %s", c->type->name, c->name ? c->name : "all",
                      c->slot->name);
        break;
    case RDL__COND_BOUND:
        rdl__text_add(out, "%s whose %s is %s", c->type->name, c->name, c->slot->name);
        break;
    case RDL__COND_ASKS:
        rdl__text_add(out, "%s that %s can answer", c->type->name, c->answer->name);
        break;
    case RDL__COND_ANSWERS:
        rdl__text_add(out, "%s, the answer of %s", c->type->name, c->answer->name);
        break;
    case RDL__COND_HOLDS:
        rdl__text_add(out, "%s", c->type->name);
        c->predicate->show(out, c->value);
        break;
    case RDL__COND_NONE:
        break;
    }
}

void rdl__pattern_show(struct rdl__text *out, const struct rdl_pattern *pattern)
{
    show_place(out, pattern->port, pattern->direction);
    for (const struct rdl_condition *c = pattern->conditions; c->kind; c++) {
        if (c > pattern->conditions)
            rdl__text_add(out, ", ");
        show_condition(out, c);
        if (c->kind == RDL__COND_HOLDS) /* which tells of slots, too */
            break;
    }
}
