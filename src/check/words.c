/* words.c -- steps of controlled threads in words: what was done, to what, and where. */
#include "check/words.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "control/sched/words.h"
#include "port/symbols.h"
#include "port/wrappers.h"

struct rdl__op rdl__step_op(const struct rdl__step *step)
{
    return (struct rdl__op){.kind = step->op,
                            .touch = step->touch,
                            .size = step->size,
                            .object = step->object,
                            .also = step->also,
                            .pc = step->pc};
}

uintptr_t rdl__step_shown(const struct rdl__step *step, const struct rdl__lines *lines)
{
    uintptr_t pc = step->pc;

    for (int next = 0;; pc = step->callers[next++]) {
        const struct rdl__place *place = rdl__lines_at(lines, pc);

        if (!place || !(place->line || rdl__has_only_wrappers(place->module)))
            return step->pc;
        if (place->line && !rdl__has_only_wrappers(place->path))
            return pc;
        if (next == RDL__STEP_CALLERS || !step->callers[next])
            return step->pc;
    }
}

/* What it is done to; a thread, or something else. */
const char *rdl__step_object(const struct rdl__step_words *words, const struct rdl__step *step,
                             char room[40])
{
    const char *kind = rdl__thing_name(step->thing);
    bool is_thread = step->op == RDL__OP_JOIN || step->op == RDL__OP_LOOK ||
                     (step->op == RDL__OP_SIGNAL && step->other);

    if (step->op == RDL__OP_UNSEEN && step->object) {
        char module[NAME_MAX];

        rdl__symbol_find(step->object, room, 40, module, sizeof module);
        return room;
    }
    if (step->other)
        rdl__steps_thread(words->steps, step->other - 1u, room);
    if (is_thread)
        return step->other ? room : "all other threads";
    return step->object
               ? rdl__object_called(words->objects, step->object, kind, step->other ? room : NULL)
               : kind;
}

void rdl__step_add_words(struct rdl__text *out, const struct rdl__step_words *words,
                         const struct rdl__step *step)
{
    struct rdl__op op = rdl__step_op(step);
    char room[40];
    const char *object = rdl__step_object(words, step, room);

    if (step->how == RDL__STEP_WAITS)
        rdl__op_describe_wait(out, &op, object);
    else
        rdl__op_describe(out, &op, object);
}

/* A line without what surrounds it, and with single spaces; "" if it says nothing. */
static char *trimmed(char *line)
{
    size_t to = 0;
    int letters = 0;

    for (size_t at = 0; line && line[at]; at++) {
        bool space = isspace((unsigned char)line[at]);

        letters += isalnum((unsigned char)line[at]) != 0;
        if (!space)
            line[to++] = line[at];
        else if (to > 0 && line[to - 1] != ' ')
            line[to++] = ' ';
    }
    while (to > 0 && line[to - 1] == ' ')
        to--;
    if (!line || letters < 2) {
        free(line);
        return rdl__duplicate("");
    }
    line[to] = '\0';
    return line;
}

/* A place in this file, which knows where it was when it was compiled; NULL: there is none. */
static const struct rdl__place *place_in(const struct rdl__lines *lines, const char *file)
{
    const struct rdl__place *found = NULL;

    for (size_t i = 0; i < lines->count; i++)
        if (lines->places[i].line && strcmp(lines->places[i].file, file) == 0 &&
            (!found || lines->places[i].is_stale))
            found = &lines->places[i];
    return found;
}

FILE *rdl__words_open(const struct rdl__lines *lines, const char *file)
{
    const struct rdl__place *place = place_in(lines, file);
    struct rdl__text rooted = {0};
    FILE *source = NULL;

    if (!*file || (place && place->is_stale))
        return NULL; /* its lines say something else now */
    if (place && place->path[0])
        source = fopen(place->path, "re");
    if (!source && lines->root[0] && file[0] != '/') {
        rdl__text_add(&rooted, "%s%s", lines->root, file);
        source = fopen(rooted.bytes, "re");
        rdl__text_release(&rooted);
    }
    return source ? source : fopen(file, "re");
}

char *rdl__words_source(const struct rdl__lines *lines, const char *file, int line)
{
    FILE *source = rdl__words_open(lines, file);
    char *text = NULL;
    size_t room = 0;

    for (int i = 0; source && i < line; i++)
        if (getline(&text, &room, source) < 0) {
            free(text);
            text = NULL;
            break;
        }
    if (source)
        fclose(source);
    return trimmed(text);
}

void rdl__add_place(struct rdl__text *out, const struct rdl__lines *lines, uintptr_t pc)
{
    struct rdl__text text = {0};
    char *module;

    if (!pc)
        return;
    rdl__place_describe_briefly(&text, lines, pc);
    module = strstr(text.bytes, " (");
    if (module)
        *module = '\0';
    rdl__text_add(out, "%s", text.bytes);
    rdl__text_release(&text);
}
