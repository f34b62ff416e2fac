/* json_timeline.c -- the picture of a case as JSON; its form is told in check/timeline.h. */
#include "report/json.h"

static void add_lanes(struct rdl__text *out, const struct rdl__timeline *timeline)
{
    open_array(out, "lanes");
    for (uint32_t i = 0; i < timeline->lane_count; i++) {
        open_element(out);
        add_string(out, "name", timeline->lanes[i].name);
        add_string(out, "kind", rdl__lane_kind_name(timeline->lanes[i].kind));
        rdl__text_add(out, "}");
    }
    rdl__text_add(out, "]");
}

static void add_if_any(struct rdl__text *out, const char *key, const char *value)
{
    if (*value)
        add_string(out, key, value);
}

static void add_if_so(struct rdl__text *out, const char *key, bool value)
{
    if (value)
        add_bool(out, key, value);
}

/* Lines of a text as an array of strings. */
static void add_lines(struct rdl__text *out, const char *key, const char *text)
{
    if (!*text)
        return;
    open_array(out, key);
    while (*text) {
        size_t length = strcspn(text, "\n");
        struct rdl__text line = {0};

        rdl__text_add_bytes(&line, text, length);
        add_comma(out);
        rdl__add_json_string(out, rdl__text_string(&line));
        rdl__text_release(&line);
        text += length + (text[length] == '\n');
    }
    rdl__text_add(out, "]");
}

static void add_item(struct rdl__text *out, const struct rdl__item *item)
{
    open_element(out);
    add_string(out, "kind", rdl__item_kind_name(item->kind));
    add_key(out, "lane");
    rdl__text_add(out, item->lane == RDL__NO_LANE ? "null" : "%" PRIu32, item->lane);
    add_count(out, "from", item->from);
    add_count(out, "to", item->to);
    add_string(out, "title", item->title);
    add_if_any(out, "detail", item->detail);
    add_if_any(out, "place", item->place);
    add_if_any(out, "file", item->file);
    if (item->line)
        add_line_number(out, item->line);
    add_if_any(out, "source", item->source);
    add_if_any(out, "before", item->before);
    add_if_any(out, "after", item->after);
    add_lines(out, "possible", item->possible);
    add_if_so(out, "open", item->open);
    add_if_so(out, "matters", item->matters);
    add_if_so(out, "fails", item->fails);
    rdl__text_add(out, "}");
}

static void add_arrows(struct rdl__text *out, const struct rdl__timeline *timeline)
{
    open_array(out, "arrows");
    for (uint32_t i = 0; i < timeline->arrow_count; i++) {
        open_element(out);
        add_string(out, "kind", rdl__arrow_kind_name(timeline->arrows[i].kind));
        add_count(out, "from", timeline->arrows[i].from);
        add_count(out, "to", timeline->arrows[i].to);
        add_string(out, "text", timeline->arrows[i].text);
        rdl__text_add(out, "}");
    }
    rdl__text_add(out, "]");
}

static void add_sources(struct rdl__text *out, const struct rdl__timeline *timeline)
{
    open_array(out, "sources");
    for (uint32_t i = 0; i < timeline->source_count; i++) {
        open_element(out);
        add_string(out, "file", timeline->sources[i].file);
        add_line_number(out, timeline->sources[i].line);
        add_string(out, "text", timeline->sources[i].text);
        rdl__text_add(out, "}");
    }
    rdl__text_add(out, "]");
}

void rdl__json_timeline(struct rdl__text *out, const struct rdl__timeline *timeline)
{
    add_key(out, "timeline");
    if (timeline->count == 0) {
        rdl__text_add(out, "null");
        return;
    }
    rdl__text_add(out, "{");
    add_count(out, "moments", timeline->moments);
    add_count(out, "lost", timeline->lost);
    add_lanes(out, timeline);
    open_array(out, "items");
    for (uint32_t i = 0; i < timeline->count; i++)
        add_item(out, &timeline->items[i]);
    rdl__text_add(out, "]");
    add_arrows(out, timeline);
    add_sources(out, timeline);
    rdl__text_add(out, "}");
}
