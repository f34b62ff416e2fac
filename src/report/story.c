/* story.c -- what a case did, line by line.  In a long story, what comes again and again is told
 * once.  The smallest case that fills something up is long; what counts is its end.  So if it is
 * too long even so, its middle is left out, but for what was made to go wrong. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "report/report.h"

enum { LONG = 30, BLOCK_MAX = 12, TIMES_MIN = 4 };

/* Lines from here on that come so many times in a row. */
struct block {
    size_t lines, times;
};

/* Calls have numbers: "#3 = put(0)". */
static const char *without_number(const char *text)
{
    const char *at = text;

    if (*at++ != '#')
        return text;
    while (isdigit((unsigned char)*at))
        at++;
    return at;
}

static bool is_same(const struct rdl__line *a, const struct rdl__line *b)
{
    return a->kind == b->kind && a->depth == b->depth && !a->remark[0] && !b->remark[0] &&
           strcmp(a->name, b->name) == 0 &&
           strcmp(without_number(a->value), without_number(b->value)) == 0;
}

static size_t count_times(const struct rdl__story *story, size_t at, size_t lines)
{
    size_t same = 0;

    while (at + lines + same < story->count &&
           is_same(&story->lines[at + same], &story->lines[at + lines + same]))
        same++;
    return 1 + same / lines;
}

static struct block block_at(const struct rdl__story *story, size_t at)
{
    for (size_t lines = 1; story->count > LONG && lines <= BLOCK_MAX; lines++) {
        size_t times = count_times(story, at, lines);

        if (times >= TIMES_MIN)
            return (struct block){lines, times};
    }
    return (struct block){1, 1};
}

/* All of it. */
struct blocks {
    struct block *items;
    size_t count, lines;
};

static void find_blocks(struct blocks *out, const struct rdl__story *story)
{
    size_t room = 0;

    for (size_t at = 0; at < story->count;) {
        struct block block = block_at(story, at);

        if (out->count == room) {
            room = room ? 2 * room : 64;
            out->items = rdl__reallocate(out->items, room * sizeof *out->items);
        }
        out->items[out->count++] = block;
        out->lines += block.lines;
        at += block.lines * block.times;
    }
}

static bool went_wrong(const struct rdl__story *story, size_t at, const struct block *block)
{
    for (size_t i = 0; i < block->lines; i++)
        if (strstr(story->lines[at + i].value, ", injected") ||
            strstr(story->lines[at + i].value, " (deviates)"))
            return true;
    return false;
}

static void add_block(struct rdl__text *out, const struct rdl__story *story,
                      const struct rdl__story_looks *looks, size_t at, const struct block *block)
{
    for (size_t i = 0; i < block->lines; i++) {
        const struct rdl__line *line = &story->lines[at + i];

        rdl__text_add(out, "%s%*s", looks->margin, 2 * line->depth, "");
        rdl__add_line(out, line);
        if (line->remark[0])
            rdl__text_add(out, "   %s%s%s", looks->dim, line->remark, looks->plain);
        rdl__text_add(out, "\n");
    }
    if (block->times > 1)
        rdl__text_add(out, "%s... and the same %zu times more\n", looks->margin, block->times - 1);
}

static void add_gap(struct rdl__text *out, const struct rdl__story_looks *looks, size_t *lines)
{
    if (*lines)
        rdl__text_add(out, "%s... and %zu more\n", looks->margin, *lines);
    *lines = 0;
}

void rdl__add_story(struct rdl__text *out, const struct rdl__story *story,
                    const struct rdl__story_looks *looks)
{
    struct blocks blocks = {0};
    size_t half, behind, before = 0, at = 0, left_out = 0, wrong = 0;

    find_blocks(&blocks, story);
    half = blocks.lines <= looks->lines_max ? blocks.lines : looks->lines_max / 2;
    behind = blocks.lines;
    for (size_t i = 0; i < blocks.count; i++) {
        const struct block *block = &blocks.items[i];
        bool is_shown = before < half || behind <= half;

        if (!is_shown && wrong < looks->lines_max && went_wrong(story, at, block)) {
            is_shown = true;
            wrong++;
        }
        if (is_shown) {
            add_gap(out, looks, &left_out);
            add_block(out, story, looks, at, block);
        } else {
            left_out += block->lines * block->times;
        }
        before += block->lines;
        behind -= block->lines;
        at += block->lines * block->times;
    }
    left_out += story->lost;
    add_gap(out, looks, &left_out);
    free(blocks.items);
}
