/* list.c -- all strategies, by name. */
#include <stdlib.h>
#include <string.h>

#include "control/strategy/all.h"

const struct rdl__strategy *const rdl__strategies[] = {
    &rdl__strategy_portfolio,     &rdl__strategy_random,
    &rdl__strategy_pct,           &rdl__strategy_pos,
    &rdl__strategy_surw,          &rdl__strategy_dpor,
    &rdl__strategy_calls,         &rdl__strategy_dfs,
    &rdl__strategy_preemptions,   &rdl__strategy_delays,
    &rdl__strategy_random_delays, &rdl__strategy_in_order,
    &rdl__strategy_answers,       &rdl__strategy_reverse,
    &rdl__strategy_round_robin,   NULL,
};

/* A number from 1 to 999, and nothing else. */
static bool read_parameter(const char *text, unsigned least, unsigned *out)
{
    size_t length = strspn(text, "0123456789");

    if (length == 0 || length > 3 || text[length])
        return false;
    *out = (unsigned)strtoul(text, NULL, 10);
    return *out >= least;
}

const struct rdl__strategy *rdl__strategy_named(const char *name, unsigned *out_parameter)
{
    size_t length = strcspn(name, ":");

    for (int i = 0; rdl__strategies[i]; i++) {
        const struct rdl__strategy *strategy = rdl__strategies[i];

        if (strlen(strategy->name) != length || memcmp(strategy->name, name, length) != 0)
            continue;
        *out_parameter = strategy->parameter;
        if (name[length] && (!strategy->has_parameter ||
                             !read_parameter(name + length + 1, strategy->least, out_parameter)))
            return NULL;
        return strategy;
    }
    return NULL;
}
