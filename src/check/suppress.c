/* suppress.c -- findings that are known and put up with. */
#include "check/suppress.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "choice/regress.h"
#include "port/symbols.h"

enum { NAME_ROOM = 256 };

enum type { RACE, RACE_TOP, CALLED_FROM_LIB, DEADLOCK, THREAD, MUTEX, SIGNAL, TYPES };

static const char *const types[TYPES] = {"race",   "race_top", "called_from_lib", "deadlock",
                                         "thread", "mutex",    "signal"};

const char *rdl__suppression_type(const struct rdl__suppression *it)
{
    return types[it->type];
}

/* ---- Reading --------------------------------------------------------------------------------- */

static int type_named(const char *name, size_t length)
{
    int type = 0;

    while (type < TYPES &&
           (strlen(types[type]) != length || strncmp(types[type], name, length) != 0))
        type++;
    return type;
}

static bool add_line(struct rdl__suppressions *to, const char *path, int number, const char *line,
                     size_t length, struct rdl__error *error)
{
    const char *colon;
    int type;

    while (length > 0 && isspace((unsigned char)line[length - 1]))
        length--;
    while (length > 0 && isspace((unsigned char)*line)) {
        line++;
        length--;
    }
    if (length == 0 || *line == '#')
        return true;
    colon = memchr(line, ':', length);
    if (!colon)
        return rdl__fail(error,
                         "%s:%d: '%.*s' is no suppression: a line is TYPE:PATTERN, such as "
                         "race:count_up",
                         path, number, (int)length, line);
    type = type_named(line, (size_t)(colon - line));
    if (type == TYPES)
        return rdl__fail(error,
                         "%s:%d: there is no type '%.*s' of suppressions: race, race_top, "
                         "called_from_lib, deadlock, thread, mutex and signal are",
                         path, number, (int)(colon - line), line);
    length -= (size_t)(colon + 1 - line);
    if (length == 0)
        return rdl__fail(error, "%s:%d: no pattern stands behind '%s:'", path, number, types[type]);
    to->items = rdl__reallocate(to->items, (to->count + 1) * sizeof *to->items);
    to->items[to->count] =
        (struct rdl__suppression){.type = type, .file = rdl__duplicate(path), .line = number};
    to->items[to->count].pattern = rdl__allocate(length + 1);
    memcpy(to->items[to->count++].pattern, colon + 1, length);
    return true;
}

bool rdl__suppressions_read(struct rdl__suppressions *to, const char *path,
                            struct rdl__error *error)
{
    struct rdl__text text = {0};
    bool ok = rdl__read_file(&text, path, error);
    int number = 1;

    for (const char *line = rdl__text_string(&text); ok && *line; number++) {
        size_t length = strcspn(line, "\n");

        ok = add_line(to, path, number, line, length, error);
        line += length + (line[length] == '\n');
    }
    rdl__text_release(&text);
    return ok;
}

void rdl__suppressions_release(struct rdl__suppressions *suppressions)
{
    for (size_t i = 0; i < suppressions->count; i++) {
        free(suppressions->items[i].pattern);
        free(suppressions->items[i].file);
    }
    free(suppressions->items);
    *suppressions = (struct rdl__suppressions){0};
}

/* ---- Matching -------------------------------------------------------------------------------- */

/* Does the name begin like this part of a pattern, up to a * or the end?  *length becomes how
 * much of the name that is. */
static bool has_part(const char *name, const char *part, size_t length, bool at_end)
{
    return strncmp(name, part, length) == 0 && (!at_end || name[length] == '\0');
}

static bool matches(const char *pattern, const char *name)
{
    bool anchored = *pattern == '^';

    for (pattern += anchored; *pattern; anchored = false) {
        size_t length = strcspn(pattern, "*$");
        bool at_end = pattern[length] == '$' && pattern[length + 1] == '\0';

        while (!has_part(name, pattern, length, at_end)) {
            if (anchored || *name == '\0')
                return false;
            name++;
        }
        name += length;
        pattern += length;
        if (at_end)
            return true;
        pattern += *pattern != '\0';
    }
    return true;
}

static bool place_matches(const char *pattern, const struct rdl__place *place, uintptr_t pc)
{
    char function[NAME_ROOM], module[NAME_ROOM];

    if (place && place->line)
        return matches(pattern, place->function) || matches(pattern, place->path) ||
               matches(pattern, place->file) || matches(pattern, place->module);
    rdl__symbol_find(rdl__place_code(pc), function, sizeof function, module, sizeof module);
    return matches(pattern, function) || matches(pattern, module);
}

static bool frame_matches(const char *pattern, const struct rdl__finding *finding, uintptr_t pc)
{
    return place_matches(pattern, rdl__lines_at(finding->lines, pc), pc);
}

/* How the memory was allocated excuses no access of it: ThreadSanitizer does not ask, either.
 * In any of the other stacks, the innermost place or, unless only that is asked for, a caller. */
static bool stack_matches(const char *pattern, const struct rdl__finding *finding, bool top_only)
{
    const struct rdl__steps *steps = finding->steps;

    for (uint32_t i = 0; i < steps->stack_count && i < RDL__STACKS_MAX; i++) {
        const struct rdl__call_stack *stack = &steps->stacks[i];

        if (stack->is_origin)
            continue;
        if (frame_matches(pattern, finding, stack->pc))
            return true;
        for (uint32_t at = 0; !top_only && at < stack->callers.count && at < RDL__CALLERS_MAX; at++)
            if (frame_matches(pattern, finding, stack->callers.pcs[at]))
                return true;
    }
    return false;
}

static bool module_matches(const char *pattern, const struct rdl__finding *finding)
{
    char function[NAME_ROOM], module[NAME_ROOM];

    for (uint32_t i = 0; i < finding->steps->stack_count && i < RDL__STACKS_MAX; i++) {
        const struct rdl__call_stack *stack = &finding->steps->stacks[i];

        if (stack->is_origin)
            continue;
        rdl__symbol_find(rdl__place_code(stack->pc), function, sizeof function, module,
                         sizeof module);
        if (matches(pattern, module))
            return true;
    }
    return false;
}

static bool suppresses(const struct rdl__suppression *it, const struct rdl__finding *finding)
{
    switch (it->type) {
    case RACE:
        return finding->cause == RDL__BY_RACE &&
               (stack_matches(it->pattern, finding, false) ||
                (finding->variable[0] && matches(it->pattern, finding->variable)));
    case RACE_TOP:
        return finding->cause == RDL__BY_RACE && stack_matches(it->pattern, finding, true);
    case CALLED_FROM_LIB:
        return finding->cause == RDL__BY_RACE && module_matches(it->pattern, finding);
    case DEADLOCK:
        return finding->cause == RDL__BY_DEADLOCK && stack_matches(it->pattern, finding, false);
    case THREAD:
        return finding->cause == RDL__BY_LEAK && stack_matches(it->pattern, finding, false);
    case MUTEX:
        return finding->cause == RDL__BY_MISUSE && stack_matches(it->pattern, finding, false);
    default:
        return false; /* Raddle has no findings of this type */
    }
}

struct rdl__suppression *rdl__suppression_of(const struct rdl__suppressions *suppressions,
                                             const struct rdl__finding *finding)
{
    for (size_t i = 0; i < suppressions->count; i++)
        if (suppresses(&suppressions->items[i], finding))
            return &suppressions->items[i];
    return NULL;
}
