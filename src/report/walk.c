/* walk.c -- a walk through the timeline of a case: what is shown, and what commands do. */
#include "report/walk.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { AROUND = 3, POSSIBLE_SHOWN = 4, COLUMNS_LEAST = 5 };

const char rdl__walk_keys[] =
    "n next  b back  NUMBER  /TEXT  t thread  s switch  f failure  h help  "
    "q quit";
const char rdl__walk_help[] =
    "  n, Enter, space, right   the next thing that happened\n"
    "  b, p, left               the one before\n"
    "  NUMBER                   what happened at that moment\n"
    "  /TEXT                    the next that has TEXT in it; / alone: once more\n"
    "  t                        the next thing in the same column\n"
    "  s                        where another thread takes over\n"
    "  f                        what failed\n"
    "  g, G                     the beginning, the end\n"
    "  h                        this\n"
    "  q                        quit\n";

static const struct rdl__item *item_at(const struct rdl__walk *walk)
{
    return &walk->timeline->items[walk->at];
}

static bool is_going_on(const struct rdl__item *item, uint32_t moment)
{
    return item->from <= moment && (item->open || moment < item->to);
}

static const char *lane_name(const struct rdl__walk *walk, uint32_t lane)
{
    return lane < walk->timeline->lane_count ? walk->timeline->lanes[lane].name : "all";
}

/* ---- Commands -------------------------------------------------------------------------------- */

static bool has_text(const struct rdl__walk *walk, const struct rdl__item *item, const char *text)
{
    return strcasestr(item->title, text) || strcasestr(item->detail, text) ||
           strcasestr(item->source, text) || strcasestr(item->place, text) ||
           strcasestr(lane_name(walk, item->lane), text);
}

/* The next one of which `is` is true, or a remark that there is none. */
static void go_to_next(struct rdl__walk *walk,
                       bool (*is)(const struct rdl__walk *walk, const struct rdl__item *item),
                       const char *what)
{
    for (uint32_t i = walk->at + 1; i < walk->timeline->count; i++)
        if (is(walk, &walk->timeline->items[i])) {
            walk->at = i;
            return;
        }
    rdl__text_add(&walk->remark, "no %s after this", what);
}

static bool is_sought(const struct rdl__walk *walk, const struct rdl__item *item)
{
    return has_text(walk, item, rdl__text_string(&walk->sought));
}

static bool is_of_this_lane(const struct rdl__walk *walk, const struct rdl__item *item)
{
    return item->lane == item_at(walk)->lane;
}

/* A preemption, or somebody else goes on. */
static bool is_switch(const struct rdl__walk *walk, const struct rdl__item *item)
{
    return item->kind == RDL__ITEM_SWITCH ||
           (item->lane < walk->timeline->lane_count && item->lane != item_at(walk)->lane);
}

/* From the beginning again, where there is none after this. */
static void seek(struct rdl__walk *walk, const char *text)
{
    uint32_t count = walk->timeline->count;

    if (*text) {
        rdl__text_clear(&walk->sought);
        rdl__text_add(&walk->sought, "%s", text);
    }
    for (uint32_t i = 1; i <= count && walk->sought.count; i++)
        if (is_sought(walk, &walk->timeline->items[(walk->at + i) % count])) {
            if (walk->at + i >= count)
                rdl__text_add(&walk->remark, "from the beginning again");
            walk->at = (walk->at + i) % count;
            return;
        }
    rdl__text_add(&walk->remark, "nothing has '%s' in it", rdl__text_string(&walk->sought));
}

static void go_to_moment(struct rdl__walk *walk, const char *number)
{
    unsigned long moment = strtoul(number, NULL, 10);
    uint32_t i = 0;

    while (i + 1 < walk->timeline->count && walk->timeline->items[i].from < moment)
        i++;
    walk->at = i;
    if (moment >= walk->timeline->moments)
        rdl__text_add(&walk->remark, "the last moment is %u", walk->timeline->moments - 1);
}

/* What is wrong, if it is in sight, else the end. */
static void go_to_failure(struct rdl__walk *walk)
{
    for (uint32_t i = walk->timeline->count; i-- > 0;)
        if (walk->timeline->items[i].fails) {
            walk->at = i;
            return;
        }
    rdl__text_add(&walk->remark, "nothing fails");
}

static void go_by_one(struct rdl__walk *walk, bool forward)
{
    if (forward && walk->at + 1 < walk->timeline->count)
        walk->at++;
    else if (!forward && walk->at > 0)
        walk->at--;
    else
        rdl__text_add(&walk->remark, forward ? "this is the end" : "this is the beginning");
}

bool rdl__walk_command(struct rdl__walk *walk, const char *command)
{
    char key = command[0];

    rdl__text_clear(&walk->remark);
    walk->helps = false;
    if (key == '/')
        seek(walk, command + 1);
    else if (isdigit((unsigned char)key) && !command[strspn(command, "0123456789")])
        go_to_moment(walk, command);
    else if (key && command[1])
        rdl__text_add(&walk->remark, "what is '%s'?  h tells what there is", command);
    else if (strchr("n \r", key)) /* or nothing at all */
        go_by_one(walk, true);
    else if (strchr("bp", key))
        go_by_one(walk, false);
    else if (key == 't')
        go_to_next(walk, is_of_this_lane, "such thing in this column");
    else if (key == 's')
        go_to_next(walk, is_switch, "switch");
    else if (key == 'f')
        go_to_failure(walk);
    else if (key == 'g')
        walk->at = 0;
    else if (key == 'G')
        walk->at = walk->timeline->count - 1;
    else if (strchr("h?", key))
        walk->helps = true;
    else if (key != 'q')
        rdl__text_add(&walk->remark, "what is '%c'?  h tells what there is", key);
    return key != 'q';
}

void rdl__walk_release(struct rdl__walk *walk)
{
    rdl__text_release(&walk->sought);
    rdl__text_release(&walk->remark);
}

/* ---- One item -------------------------------------------------------------------------------- */

/* Each line of the text, after a heading that is as wide as others. */
static void add_field(struct rdl__text *out, const struct rdl__walk *walk, const char *heading,
                      const char *text, int width)
{
    enum { HEADING = 9 };

    while (*text) {
        size_t length = strcspn(text, "\n");
        struct rdl__text line = {0};

        rdl__text_add_bytes(&line, text, length);
        rdl__text_add(out, "%s%-*s%s", walk->paint.dim, HEADING, heading, walk->paint.plain);
        rdl__text_add_clipped(out, rdl__text_string(&line), width - HEADING);
        rdl__text_add(out, "\n");
        rdl__text_release(&line);
        heading = "";
        text += length + (text[length] == '\n');
    }
}

static void add_title(struct rdl__text *out, const struct rdl__walk *walk, int width)
{
    const struct rdl__item *item = item_at(walk);
    struct rdl__text line = {0};

    rdl__text_add(&line, "%u  %s: %s%s", item->from, lane_name(walk, item->lane),
                  item->kind == RDL__ITEM_SWITCH ? "is interrupted before it " : "", item->title);
    rdl__text_add(out, "%s", item->fails ? walk->paint.red : walk->paint.bold);
    rdl__text_add_clipped(out, line.bytes, width);
    rdl__text_add(out, "%s\n", walk->paint.plain);
    rdl__text_release(&line);
    add_field(out, walk, "", item->detail, width);
    if (item->to > item->from) {
        rdl__text_add(&line, item->open ? "to the end" : "until moment %u", item->to);
        add_field(out, walk, "lasts", line.bytes, width);
        rdl__text_release(&line);
    }
}

static void add_source(struct rdl__text *out, const struct rdl__walk *walk, int width)
{
    const struct rdl__timeline *timeline = walk->timeline;
    const struct rdl__item *item = item_at(walk);

    add_field(out, walk, "at", item->place, width);
    for (uint32_t i = 0; i < timeline->source_count && item->line; i++) {
        const struct rdl__source *source = &timeline->sources[i];
        struct rdl__text line = {0};

        if (abs(source->line - item->line) > AROUND || strcmp(source->file, item->file) != 0)
            continue;
        rdl__text_add(&line, "%s%5d  %s", source->line == item->line ? "->" : "  ", source->line,
                      source->text);
        rdl__text_add(out, "%s", source->line == item->line ? walk->paint.bold : "");
        rdl__text_add_clipped(out, line.bytes, width);
        rdl__text_add(out, "%s\n", walk->paint.plain);
        rdl__text_release(&line);
    }
}

/* What its thread is in: calls and waits, from the outermost to the innermost. */
static void add_stack(struct rdl__text *out, const struct rdl__walk *walk, int width)
{
    const struct rdl__item *now = item_at(walk);
    struct rdl__text line = {0};

    for (uint32_t i = 0; i < walk->at; i++) {
        const struct rdl__item *item = &walk->timeline->items[i];
        bool lasts = item->kind == RDL__ITEM_CALL || item->kind == RDL__ITEM_WAIT;

        if (lasts && item->lane == now->lane && is_going_on(item, now->from))
            rdl__text_add(&line, "%s%s (since %u)", line.count ? " > " : "", item->title,
                          item->from);
    }
    add_field(out, walk, "in", rdl__text_string(&line), width);
    rdl__text_release(&line);
}

static void add_blocked(struct rdl__text *out, const struct rdl__walk *walk, int width)
{
    const struct rdl__item *now = item_at(walk);
    const char *heading = "blocked";

    for (uint32_t i = 0; i <= walk->at; i++) {
        const struct rdl__item *item = &walk->timeline->items[i];
        struct rdl__text line = {0};

        if (item->kind != RDL__ITEM_WAIT || !is_going_on(item, now->from))
            continue;
        rdl__text_add(&line, "%s %s", lane_name(walk, item->lane), item->title);
        if (*item->detail)
            rdl__text_add(&line, ", %.*s", (int)strcspn(item->detail, "\n"), item->detail);
        rdl__text_add(&line, " (since %u)", item->from);
        add_field(out, walk, heading, line.bytes, width);
        heading = "";
        rdl__text_release(&line);
    }
}

/* The item itself says what the model was before and after it, or the innermost around it does. */
static const struct rdl__item *find_model(const struct rdl__walk *walk)
{
    for (uint32_t i = walk->at + 1; i-- > 0;) {
        const struct rdl__item *item = &walk->timeline->items[i];

        if ((*item->before || *item->after || *item->possible) &&
            (i == walk->at || is_going_on(item, item_at(walk)->from)))
            return item;
    }
    return NULL;
}

static void add_model(struct rdl__text *out, const struct rdl__walk *walk, int width)
{
    const struct rdl__item *item = find_model(walk);
    const char *end, *possible;

    if (!item)
        return;
    possible = end = item->possible;
    for (int i = 0; i < POSSIBLE_SHOWN && *end; i++)
        end += strcspn(end, "\n") + (end[strcspn(end, "\n")] == '\n');
    if (item != item_at(walk))
        add_field(out, walk, "within", item->title, width);
    add_field(out, walk, "before", item->before, width);
    add_field(out, walk, "after", item->after, width);
    if (strcmp(possible, item->before) != 0) {
        struct rdl__text lines = {0};

        rdl__text_add(&lines, "%.*s%s", (int)(end - possible), possible, *end ? "..." : "");
        add_field(out, walk, "possible", rdl__text_string(&lines), width);
        rdl__text_release(&lines);
    }
}

/* What it led to, and what led to it. */
static void add_arrows(struct rdl__text *out, const struct rdl__walk *walk, int width)
{
    const struct rdl__timeline *timeline = walk->timeline;

    for (uint32_t i = 0; i < timeline->arrow_count; i++) {
        const struct rdl__arrow *arrow = &timeline->arrows[i];
        bool leaves = arrow->from == walk->at, arrives = arrow->to == walk->at;
        const struct rdl__item *other = &timeline->items[leaves ? arrow->to : arrow->from];
        struct rdl__text line = {0};

        if (!leaves && !arrives)
            continue;
        if (leaves)
            rdl__text_add(&line, "%s ", rdl__arrow_kind_name(arrow->kind));
        rdl__text_add(&line, "%s: %s (%u)", lane_name(walk, other->lane), other->title,
                      other->from);
        if (arrives)
            rdl__text_add(&line, " %s this", rdl__arrow_kind_name(arrow->kind));
        add_field(out, walk, leaves ? "->" : "<-", line.bytes, width);
        rdl__text_release(&line);
    }
}

void rdl__walk_add_item(struct rdl__text *out, const struct rdl__walk *walk, int width)
{
    add_title(out, walk, width);
    add_source(out, walk, width);
    add_stack(out, walk, width);
    add_blocked(out, walk, width);
    add_model(out, walk, width);
    add_arrows(out, walk, width);
}

/* ---- A screen -------------------------------------------------------------------------------- */

static int count_lines(const char *text)
{
    int count = 0;

    for (; *text; text++)
        count += *text == '\n';
    return count;
}

/* So many lines of a text; those that are lacking are empty. */
static void add_lines(struct rdl__text *out, const char *text, int lines)
{
    for (; lines > 0; lines--) {
        size_t length = strcspn(text, "\n");

        rdl__text_add(out, "%.*s\n", (int)length, text);
        text += length + (text[length] == '\n');
    }
}

static int digits_of(uint32_t number)
{
    int digits = 1;

    for (; number >= 10; number /= 10)
        digits++;
    return digits;
}

/* So many rows of columns, this item in the midst of them; one is for the names. */
static void add_columns(struct rdl__text *out, const struct rdl__walk *walk, int rows, int width)
{
    uint32_t count = walk->timeline->count, items = rows > 1 ? (uint32_t)rows - 1 : 1;
    uint32_t first = walk->at > items / 2 ? walk->at - items / 2 : 0;
    struct rdl__excerpt excerpt = {.marked = walk->at,
                                   .digits = digits_of(walk->timeline->moments)};
    struct rdl__text lines = {0};

    if (first + items > count)
        first = count > items ? count - items : 0;
    excerpt.first = first;
    excerpt.end = first + items < count ? first + items : count;
    rdl__add_timeline(&lines, walk->timeline, &excerpt, width, &walk->paint);
    add_lines(out, lines.bytes, rows);
    rdl__text_release(&lines);
}

static void add_help(struct rdl__text *out, int width)
{
    const char *text = rdl__walk_help;

    while (*text) {
        size_t length = strcspn(text, "\n");
        struct rdl__text line = {0};

        rdl__text_add_bytes(&line, text, length);
        rdl__text_add_clipped(out, line.bytes, width);
        rdl__text_add(out, "\n");
        rdl__text_release(&line);
        text += length + 1;
    }
}

void rdl__walk_add_screen(struct rdl__text *out, const struct rdl__walk *walk, int rows, int width)
{
    const struct rdl__timeline *timeline = walk->timeline;
    struct rdl__text item = {0}, head = {0};
    int free = rows - 3, shown;

    if (walk->helps)
        add_help(&item, width);
    else
        rdl__walk_add_item(&item, walk, width);
    shown = count_lines(item.bytes);
    if (shown > free - COLUMNS_LEAST)
        shown = free > 2 * COLUMNS_LEAST ? free - COLUMNS_LEAST : free / 2;
    rdl__text_add(&head, "%u of %u, moment %u of %u  %s", walk->at + 1, timeline->count,
                  item_at(walk)->from, timeline->moments - 1, walk->name);
    rdl__text_add(out, "%s", walk->paint.bold);
    rdl__text_add_clipped(out, head.bytes, width);
    rdl__text_add(out, "%s\n", walk->paint.plain);
    add_columns(out, walk, free - shown, width);
    rdl__text_add(
        out, "%s%.*s%s\n", walk->paint.dim, width,
        "--------------------------------------------------------------------------------",
        walk->paint.plain);
    add_lines(out, item.bytes, shown);
    rdl__text_add(out, "%s", walk->remark.count ? walk->paint.yellow : walk->paint.dim);
    rdl__text_add_clipped(out, walk->remark.count ? walk->remark.bytes : rdl__walk_keys, width);
    rdl__text_add(out, "%s\n", walk->paint.plain);
    rdl__text_release(&item);
    rdl__text_release(&head);
}
