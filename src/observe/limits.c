/* limits.c -- facts that limit what a pass may claim. */
#include "observe/limits.h"

#include <stdio.h>
#include <string.h>

static bool is_same(const struct rdl__limit *a, const struct rdl__limit *b)
{
    return a->kind == b->kind && a->pc == b->pc && strcmp(a->what, b->what) == 0 &&
           strcmp(a->where, b->where) == 0;
}

static void add(struct rdl__limits *to, const struct rdl__limit *limit)
{
    for (uint32_t i = 0; i < to->count; i++)
        if (is_same(&to->all[i], limit)) {
            to->all[i].count += limit->count;
            return;
        }
    if (to->count == RDL__LIMITS_MAX)
        to->more = true;
    else
        to->all[to->count++] = *limit;
}

void rdl__limits_add(struct rdl__limits *to, enum rdl__limit_kind kind, const char *what,
                     const char *where)
{
    struct rdl__limit limit = {.kind = (uint8_t)kind, .count = 1};

    snprintf(limit.what, sizeof limit.what, "%s", what);
    snprintf(limit.where, sizeof limit.where, "%s", where ? where : "");
    add(to, &limit);
}

void rdl__limits_add_pc(struct rdl__limits *to, enum rdl__limit_kind kind, uintptr_t pc)
{
    add(to, &(struct rdl__limit){.kind = (uint8_t)kind, .count = 1, .pc = pc});
}

void rdl__limits_merge(struct rdl__limits *to, const struct rdl__limits *from)
{
    for (uint32_t i = 0; i < from->count; i++)
        add(to, &from->all[i]);
    to->more |= from->more;
}
