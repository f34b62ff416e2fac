/* places.c -- the texts of an outcome, with files and lines instead of addresses. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check/plan.h"
#include "port/symbols.h"

enum { DIGITS = 16 };

/* The address in the marked place that begins here; 0: there is none. */
static uintptr_t marked(const char *text)
{
    char *end;
    char digits[DIGITS + 1] = {0};
    uintptr_t pc;

    if ((text[0] != RDL__AT[0] && text[0] != RDL__AT_FUNCTION[0] &&
         text[0] != RDL__IN_FUNCTION[0]) ||
        strnlen(text, DIGITS + 2) < DIGITS + 2 || text[DIGITS + 1] != RDL__AT_END[0])
        return 0;
    memcpy(digits, text + 1, DIGITS);
    pc = strtoull(digits, &end, 16);
    return *end ? 0 : pc;
}

static void want(const char *text, struct rdl__lines *lines)
{
    for (; *text; text++)
        if (text[0] != RDL__IN_FUNCTION[0])
            rdl__lines_want(lines, marked(text));
}

void rdl__outcome_want(const struct rdl__outcome *outcome, struct rdl__lines *lines)
{
    want(outcome->check, lines);
    want(outcome->text, lines);
    if (!outcome->file[0])
        rdl__lines_want(lines, outcome->pc);
}

static void resolve(char *text, size_t room, const struct rdl__lines *lines,
                    struct rdl__objects *objects)
{
    struct rdl__text named = {0}, out = {0};

    if (objects)
        rdl__objects_rename(objects, &named, text);
    else
        rdl__text_add(&named, "%s", text);
    for (const char *at = rdl__text_string(&named); *at;) {
        uintptr_t pc = marked(at);

        if (pc && at[0] == RDL__IN_FUNCTION[0])
            rdl__symbol_describe(&out, pc - 1);
        else if (pc && at[0] == RDL__AT_FUNCTION[0])
            rdl__place_describe_function(&out, lines, pc);
        else if (pc)
            rdl__place_describe(&out, lines, pc);
        else
            rdl__text_add_bytes(&out, at, 1);
        at += pc ? DIGITS + 2 : 1;
    }
    while (out.count && out.bytes[out.count - 1] == '\n')
        out.bytes[--out.count] = '\0';
    snprintf(text, room, "%s", rdl__text_string(&out));
    rdl__text_release(&named);
    rdl__text_release(&out);
}

void rdl__outcome_resolve(struct rdl__outcome *outcome, const struct rdl__lines *lines,
                          struct rdl__objects *objects)
{
    const struct rdl__place *place = rdl__lines_at(lines, outcome->pc);

    if (outcome->cause == RDL__BY_CHECK || outcome->cause == RDL__BY_OUTPUT)
        return; /* the user's own words */
    resolve(outcome->check, sizeof outcome->check, lines, objects);
    resolve(outcome->text, sizeof outcome->text, lines, objects);
    if (!outcome->file[0] && place && place->line) {
        snprintf(outcome->file, sizeof outcome->file, "%s", place->file);
        outcome->line = place->line;
    }
}

struct rdl__lines rdl__lines_of_test(const struct rdl_test *test)
{
    return (struct rdl__lines){.known_pc = (uintptr_t)test->body + 1, .known_file = test->file};
}

void rdl__outcome_resolve_alone(struct rdl__outcome *outcome, const struct rdl_test *test)
{
    struct rdl__lines lines = rdl__lines_of_test(test);

    rdl__outcome_want(outcome, &lines);
    rdl__lines_find(&lines);
    rdl__outcome_resolve(outcome, &lines, NULL);
    rdl__lines_release(&lines);
}
