/* timeline_parts.c -- of the picture of a case: the source lines around what is in it; names. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "check/timeline.h"

enum { AROUND = 3 };

/* ---- Source lines ---------------------------------------------------------------------------- */

static const char *kept_text(struct rdl__timeline *out, const char *text)
{
    size_t size = strlen(text) + 1;

    return memcpy(rdl__arena_alloc(&out->memory, size), text, size);
}

static int compare_sources(const void *a, const void *b)
{
    const struct rdl__source *one = a, *two = b;
    int files = strcmp(one->file, two->file);

    return files ? files : (one->line > two->line) - (one->line < two->line);
}

static const struct rdl__source *find_source(const struct rdl__timeline *timeline, const char *file,
                                             int line)
{
    struct rdl__source wanted = {.file = file, .line = line};

    if (timeline->source_count == 0)
        return NULL;
    return bsearch(&wanted, timeline->sources, timeline->source_count, sizeof wanted,
                   compare_sources);
}

/* The lines around those that items name, sorted, each once. */
static void want_sources(struct rdl__timeline *out)
{
    uint32_t count = 0, kept = 0;

    out->sources = rdl__allocate((size_t)out->count * (2 * AROUND + 1) * sizeof *out->sources + 1);
    for (uint32_t i = 0; i < out->count; i++)
        for (int line = out->items[i].line - AROUND;
             out->items[i].line && line <= out->items[i].line + AROUND; line++)
            if (line > 0)
                out->sources[count++] = (struct rdl__source){out->items[i].file, line, NULL};
    qsort(out->sources, count, sizeof *out->sources, compare_sources);
    for (uint32_t i = 0; i < count; i++)
        if (kept == 0 || compare_sources(&out->sources[kept - 1], &out->sources[i]) != 0)
            out->sources[kept++] = out->sources[i];
    out->source_count = kept;
}

/* Each file is read once. */
void rdl__timeline_read_sources(struct rdl__timeline *out, const struct rdl__lines *lines)
{
    uint32_t kept = 0;
    FILE *file = NULL;
    char *text = NULL;
    size_t room = 0;
    int line = 0;

    want_sources(out);
    for (uint32_t i = 0; i < out->source_count; i++) {
        struct rdl__source *source = &out->sources[i];
        bool more = true;

        if (i == 0 || strcmp(source->file, source[-1].file) != 0) {
            if (file)
                fclose(file);
            file = rdl__words_open(lines, source->file);
            line = 0;
        }
        while (file && line < source->line && (more = getline(&text, &room, file) > 0))
            line++;
        if (!file || !more || line != source->line)
            continue;
        text[strcspn(text, "\r\n")] = '\0';
        out->sources[kept++] =
            (struct rdl__source){source->file, source->line, kept_text(out, text)};
    }
    if (file)
        fclose(file);
    free(text);
    out->source_count = kept;
    for (uint32_t i = 0; i < out->count; i++) {
        const struct rdl__source *source = find_source(out, out->items[i].file, out->items[i].line);

        if (source)
            out->items[i].source = source->text + strspn(source->text, " \t");
    }
}

/* ---- Words ----------------------------------------------------------------------------------- */

const char *rdl__lane_kind_name(enum rdl__lane_kind kind)
{
    static const char *const names[] = {[RDL__LANE_THREAD] = "thread",
                                        [RDL__LANE_CLIENT] = "client",
                                        [RDL__LANE_COMPONENT] = "component",
                                        [RDL__LANE_PORT] = "port",
                                        [RDL__LANE_TEST] = "test"};

    return names[kind];
}

const char *rdl__item_kind_name(enum rdl__item_kind kind)
{
    static const char *const names[] = {
        [RDL__ITEM_PHASE] = "phase",   [RDL__ITEM_CALL] = "call",
        [RDL__ITEM_WAIT] = "wait",     [RDL__ITEM_STEP] = "step",
        [RDL__ITEM_SWITCH] = "switch", [RDL__ITEM_MESSAGE] = "message",
        [RDL__ITEM_GATE] = "gate",     [RDL__ITEM_TICK] = "tick",
        [RDL__ITEM_NOTE] = "note",     [RDL__ITEM_FAILURE] = "failure"};

    return names[kind];
}

const char *rdl__arrow_kind_name(enum rdl__arrow_kind kind)
{
    static const char *const names[] = {[RDL__ARROW_CALLS] = "calls",
                                        [RDL__ARROW_SENDS] = "sends",
                                        [RDL__ARROW_WAKES] = "wakes",
                                        [RDL__ARROW_SWITCHES] = "switches",
                                        [RDL__ARROW_CREATES] = "creates"};

    return names[kind];
}
