/* deviation.c -- how components that are played may differ from their specs. */
#include <string.h>

#include "base/near.h"
#include "drive/stage.h"
#include "raddle/cluster.h"

static struct rdl_deviation *deviations; /* in the order of their registration */

void rdl__register_deviation(struct rdl_deviation *deviation)
{
    struct rdl_deviation **end = &deviations;

    while (*end)
        end = &(*end)->next;
    *end = deviation;
}

const struct rdl_deviation *rdl__deviations(void)
{
    return deviations;
}

const char *rdl__deviation_in_force;

static const char *in_force(const struct rdl_test *test)
{
    return rdl__deviation_in_force ? rdl__deviation_in_force : test->options.deviation;
}

const struct rdl_deviation *rdl__deviation(const struct rdl_operation *op, const void *state,
                                           const void *args)
{
    const char *text = in_force(rdl__current->test);

    for (const struct rdl_deviation *it = deviations; text && it; it = it->next)
        if (it->operation == op && strcmp(it->text, text) == 0 && it->holds(state, args))
            return it;
    return NULL;
}

void rdl__deviated(struct rdl_case *t)
{
    if (t->outcome->deviations++ == 0 && t->counted)
        t->stats->deviated++;
}

const char rdl__deviation_advice[] =
    "let its condition come true more often, by weights (.weigh), longer sequences (.calls), other "
    "sizes (.args) or more cases (--cases)";

/* ---- By their texts -------------------------------------------------------------------------- */

const char *rdl__deviation_spec(const struct rdl_deviation *deviation)
{
    return ((const struct rdl_operation *)deviation->operation)->of;
}

const struct rdl_deviation *rdl__deviation_named(const char *text)
{
    const struct rdl_deviation *it = deviations;

    while (it && strcmp(it->text, text) != 0)
        it = it->next;
    return it;
}

bool rdl__deviation_plays(const char *text, const struct rdl_test *test)
{
    for (const struct rdl_deviation *it = deviations; it; it = it->next)
        if (strcmp(it->text, text) == 0 && rdl__plays(&test->options, rdl__deviation_spec(it)))
            return true;
    return false;
}

const char *rdl__deviation_of(const struct rdl_test *test)
{
    const char *text = in_force(test);

    return text && rdl__deviation_plays(text, test) ? text : NULL;
}

/* The one that was meant, if it is much like this one, or has it in it. */
static const char *nearest(const char *text)
{
    size_t length = strlen(text), least = length / 3 + 2;
    const char *found = NULL;

    for (const struct rdl_deviation *it = deviations; it; it = it->next) {
        size_t distance =
            length && strcasestr(it->text, text) ? 0 : rdl__distance(text, length, it->text);

        if (distance < least) {
            least = distance;
            found = it->text;
        }
    }
    return found;
}

bool rdl__deviation_check(const char *text, struct rdl__error *error)
{
    struct rdl__text all = {0};
    const char *meant = nearest(text);

    if (rdl__deviation_named(text))
        return true;
    if (!deviations)
        return rdl__fail(error,
                         "there is no deviation '%s', nor any other in this program: RDL_DEVIATION "
                         "(raddle/cluster.h) makes one",
                         text);
    for (const struct rdl_deviation *it = deviations; it; it = it->next)
        if (it == rdl__deviation_named(it->text))
            rdl__text_add(&all, "\n  %s", it->text);
    rdl__fail(error, "there is no deviation '%s'%s%s%s There are:%s", text,
              meant ? "; did you mean '" : "", meant ? meant : "", meant ? "'?" : ".", all.bytes);
    rdl__text_release(&all);
    return false;
}
