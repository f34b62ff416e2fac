/* json.h -- values of JSON, one after the other, with the commas between them. */
#ifndef RDL__REPORT_JSON_H
#define RDL__REPORT_JSON_H

#include <inttypes.h>
#include <string.h>

#include "report/report.h"

/* A comma, unless this is the first thing in its object or array.  (No string
 * ends in a bracket: it has its quotes.) */
static inline void add_comma(struct rdl__text *out)
{
    if (out->count && !strchr("{[", out->bytes[out->count - 1]))
        rdl__text_add(out, ",");
}

static inline void add_key(struct rdl__text *out, const char *key)
{
    add_comma(out);
    rdl__text_add(out, "\"%s\":", key);
}

static inline void add_string(struct rdl__text *out, const char *key, const char *value)
{
    add_key(out, key);
    rdl__add_json_string(out, value);
}

static inline void add_optional(struct rdl__text *out, const char *key, const char *value)
{
    add_key(out, key);
    if (value && *value)
        rdl__add_json_string(out, value);
    else
        rdl__text_add(out, "null");
}

static inline void add_count(struct rdl__text *out, const char *key, uint64_t count)
{
    add_key(out, key);
    rdl__text_add(out, "%" PRIu64, count);
}

static inline void add_number(struct rdl__text *out, const char *key, double value, int decimals)
{
    add_key(out, key);
    rdl__add_number(out, value, decimals);
}

static inline void add_line_number(struct rdl__text *out, int line)
{
    add_key(out, "line");
    rdl__text_add(out, line > 0 ? "%d" : "null", line);
}

static inline void add_bool(struct rdl__text *out, const char *key, bool value)
{
    add_key(out, key);
    rdl__text_add(out, value ? "true" : "false");
}

static inline void open_array(struct rdl__text *out, const char *key)
{
    add_key(out, key);
    rdl__text_add(out, "[");
}

static inline void open_element(struct rdl__text *out)
{
    add_comma(out);
    rdl__text_add(out, "{");
}

/* "timeline": as src/check/timeline.h says; null if there is nothing to be drawn. */
void rdl__json_timeline(struct rdl__text *out, const struct rdl__timeline *timeline);

#endif
