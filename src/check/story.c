/* story.c -- what a failing case did, in the user's own words.
 *
 * The trace knows where a value was drawn; the variable it went to is read off
 * the source line itself, if the source is there: `int n = rdl_int(t, 0, 9);`
 * makes `n`.  A line with several draws gives no name, since C does not say in
 * which order they happen. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "check/plan.h"

char *rdl__source_line(const char *file, int number)
{
    FILE *source = *file ? fopen(file, "re") : NULL;
    char *line = NULL;
    size_t room = 0;
    ssize_t length = -1;

    if (!source)
        return NULL;
    for (int i = 0; i < number; i++)
        if ((length = getline(&line, &room, source)) < 0)
            break;
    fclose(source);
    if (length < 0) {
        free(line);
        return NULL;
    }
    return line;
}

static int draws_in(const char *line)
{
    int count = 0;

    for (const char *at = line; (at = strstr(at, "rdl_")); at += 4)
        count += strncmp(at, "rdl_check", 9) != 0 && strncmp(at, "rdl_note", 8) != 0;
    return count;
}

static bool is_lvalue_part(char c)
{
    return isalnum((unsigned char)c) || strchr("_.[]", c) || c == '>' || c == '-';
}

/* Is the call that begins here all there is up to the end of the statement? */
static bool is_whole_statement(const char *call)
{
    int depth = 0;

    for (; *call; call++) {
        depth += *call == '(' || *call == '{';
        depth -= *call == ')' || *call == '}';
        if (depth == 0 && (*call == ')'))
            break;
    }
    if (depth > 0)
        return true; /* it goes on in the next line */
    call += *call != '\0';
    return strchr(";,}\n", call[strspn(call, " \t")]) != NULL;
}

static const char *skip_back(const char *at, const char *line)
{
    while (at > line && isspace((unsigned char)at[-1]))
        at--;
    return at;
}

/* What stands before the `=` before the draw; a cast may stand between. */
static char *assigned_name(const char *line)
{
    const char *draw = strstr(line, "rdl_"), *end = skip_back(draw, line), *start;

    if (end > line && end[-1] == ')') {
        while (end > line && end[-1] != '(')
            end--;
        end = skip_back(end - (end > line), line);
    }
    if (end - line < 2 || end[-1] != '=' || strchr("-+*/%&|^<>=!", end[-2]) ||
        !is_whole_statement(draw))
        return NULL; /* nothing is assigned, or something is changed by it */
    end = skip_back(end - 1, line);
    for (start = end; start > line && is_lvalue_part(start[-1]); start--)
        continue;
    if (start == end || !isalpha((unsigned char)start[*start == '_' || *start == '.']))
        return NULL;
    return rdl__duplicate_part(start, (size_t)(end - start));
}

static char *name_of(const struct rdl__event *event)
{
    char *line = rdl__source_line(event->file, event->line), *name = NULL;

    if (line && strstr(line, "rdl_") && draws_in(line) == 1)
        name = assigned_name(line);
    free(line);
    return name ? name : rdl__duplicate(event->what);
}

static void add_line(struct rdl__story *story, const struct rdl__event *event, int depth)
{
    struct rdl__line *line;
    char *value = rdl__allocate(event->text_length + 1);

    memcpy(value, event->text, event->text_length);
    story->lines = rdl__reallocate(story->lines, (story->count + 1) * sizeof *story->lines);
    line = &story->lines[story->count++];
    *line = (struct rdl__line){
        .kind = event->kind,
        .depth = depth,
        .name = event->kind == RDL__EVENT_DRAW ? name_of(event) : rdl__duplicate(""),
        .value = value,
        .remark = rdl__duplicate(""),
    };
}

static struct rdl__line *last_call(const struct rdl__story *story)
{
    for (size_t i = story->count; i-- > 0;)
        if (story->lines[i].kind == RDL__EVENT_CALL)
            return &story->lines[i];
    return NULL;
}

static void go_on(struct rdl__line *line, const struct rdl__event *event)
{
    size_t before = line ? strlen(line->value) : 0;

    if (!line)
        return;
    line->value = rdl__reallocate(line->value, before + event->text_length + 1);
    memcpy(line->value + before, event->text, event->text_length);
    line->value[before + event->text_length] = '\0';
}

void rdl__story_read(struct rdl__story *out, const struct rdl__trace *trace)
{
    struct rdl__event event;
    uint32_t position = 0;
    int depth = 0;

    *out = (struct rdl__story){.lost = trace->lost};
    while (rdl__trace_next(trace, &position, &event)) {
        if (event.kind >= RDL__EVENT_LANE)
            continue; /* that is drawn, not told */
        if (event.kind == RDL__EVENT_END) {
            depth -= depth > 0;
            continue;
        }
        if (event.kind == RDL__EVENT_MORE)
            go_on(last_call(out), &event);
        else
            add_line(out, &event, depth);
        if (event.kind == RDL__EVENT_BEGIN)
            depth++;
    }
}

static void release_line(struct rdl__line *line)
{
    free(line->name);
    free(line->value);
    free(line->remark);
}

void rdl__story_forget_notes(struct rdl__story *story)
{
    size_t kept = 0;

    for (size_t i = 0; i < story->count; i++)
        if (story->lines[i].kind == RDL__EVENT_NOTE)
            release_line(&story->lines[i]);
        else
            story->lines[kept++] = story->lines[i];
    story->count = kept;
}

void rdl__story_release(struct rdl__story *story)
{
    for (size_t i = 0; i < story->count; i++)
        release_line(&story->lines[i]);
    free(story->lines);
    *story = (struct rdl__story){0};
}
