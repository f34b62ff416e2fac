/* story.c -- what a case did, line by line.  In a long story, what comes again and again is told
 * once.  The smallest case that fills something up is long; what counts is its end. */
#include <ctype.h>
#include <string.h>

#include "base/escape.h"
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

void rdl__add_story(struct rdl__text *out, const struct rdl__story *story,
                    const struct rdl__story_looks *looks)
{
    struct rdl__text told = {0};
    struct block block;
    size_t shown = 0, at = 0;

    for (; at < story->count && shown < looks->lines_max; at += block.lines * block.times) {
        block = block_at(story, at);
        for (size_t i = 0; i < block.lines; i++) {
            const struct rdl__line *line = &story->lines[at + i];

            rdl__text_add(out, "%s%*s", looks->margin, 2 * line->depth, "");
            rdl__add_line(&told, line);
            rdl__add_harmless(out, rdl__text_string(&told));
            rdl__text_clear(&told);
            if (line->remark[0])
                rdl__text_add(out, "   %s%s%s", looks->dim, line->remark, looks->plain);
            rdl__text_add(out, "\n");
        }
        if (block.times > 1)
            rdl__text_add(out, "%s... and the same %zu times more\n", looks->margin,
                          block.times - 1);
        shown += block.lines;
    }
    if (story->count - at + story->lost > 0)
        rdl__text_add(out, "%s... and %zu more\n", looks->margin, story->count - at + story->lost);
    rdl__text_release(&told);
}
