/* json.c -- reading JSON into a tree: a function for each rule of its grammar.
 *
 * Each reads what the scan has reached and leaves it behind; false or NULL: it is not there,
 * and the scan tells. */
#include "base/json.h"

#include <string.h>

#include "base/json_scan.h"

struct reader {
    struct rdl__json_scan scan; /* of a copy, in which strings take their places */
    struct rdl__arena *arena;
    int depth;
};

/* ---- Values ------------------------------------------------------------------------------- */

static struct rdl__json *read_value(struct reader *reader);

/* "key": value */
static struct rdl__json *read_member(struct reader *reader)
{
    size_t length;
    struct rdl__json *value;
    const char *key;

    if (!rdl__scan_key(&reader->scan, &key, &length))
        return NULL;
    value = read_value(reader);
    if (value)
        value->key = key;
    return value;
}

/* What is between brackets, which is read by `read_item`. */
static bool read_items(struct reader *reader, struct rdl__json *out, char close,
                       struct rdl__json *(*read_item)(struct reader *))
{
    const struct rdl__json **end = &out->first;

    if (++reader->depth > RDL__JSON_DEPTH)
        return rdl__scan_refuse(&reader->scan, "it is nested too deep");
    reader->scan.at++;
    if (!rdl__scan_accept(&reader->scan, close)) {
        do {
            struct rdl__json *item = read_item(reader);

            if (!item)
                return false;
            *end = item;
            end = &item->next;
        } while (rdl__scan_accept(&reader->scan, ','));
        if (!rdl__scan_accept(&reader->scan, close))
            return rdl__scan_refuse(&reader->scan, close == '}' ? "here should be , or }"
                                                                : "here should be , or ]");
    }
    reader->depth--;
    return true;
}

static bool read_number(struct reader *reader, struct rdl__json *out)
{
    const char *number;
    size_t length;

    if (!rdl__scan_number(&reader->scan, &number, &length))
        return false;
    out->kind = RDL__JSON_NUMBER;
    out->number = rdl__scan_value(number);
    return true;
}

static bool read_into(struct reader *reader, struct rdl__json *out)
{
    switch (rdl__scan_peek(&reader->scan)) {
    case 'n':
        return rdl__scan_word(&reader->scan, "null");
    case 'f':
        out->kind = RDL__JSON_FALSE;
        return rdl__scan_word(&reader->scan, "false");
    case 't':
        out->kind = RDL__JSON_TRUE;
        return rdl__scan_word(&reader->scan, "true");
    case '"':
        out->kind = RDL__JSON_STRING;
        return rdl__scan_string(&reader->scan, &out->string, &out->length);
    case '[':
        out->kind = RDL__JSON_ARRAY;
        return read_items(reader, out, ']', read_value);
    case '{':
        out->kind = RDL__JSON_OBJECT;
        return read_items(reader, out, '}', read_member);
    default:
        return read_number(reader, out);
    }
}

static struct rdl__json *read_value(struct reader *reader)
{
    struct rdl__json *value = rdl__arena_alloc(reader->arena, sizeof *value);

    *value = (struct rdl__json){.kind = RDL__JSON_NULL};
    return read_into(reader, value) ? value : NULL;
}

/* In which line of the text as it was given. */
static void tell(const struct rdl__json_scan *scan, const char *given, struct rdl__error *error)
{
    int line = 1;

    for (ptrdiff_t i = 0; i < scan->at - scan->text; i++)
        line += given[i] == '\n';
    rdl__fail(error, "line %d: %s", line, scan->wrong);
}

const struct rdl__json *rdl__json_read(struct rdl__arena *arena, const char *text, size_t count,
                                       struct rdl__error *error)
{
    char *copy = rdl__arena_alloc(arena, count + 1);
    struct reader reader = {.scan = {.text = copy, .at = copy, .end = copy + count},
                            .arena = arena};
    const struct rdl__json *value;

    memcpy(copy, text, count);
    copy[count] = '\0';
    value = read_value(&reader);
    if (value && rdl__scan_is_over(&reader.scan))
        return value;
    if (value)
        rdl__scan_refuse(&reader.scan, "something follows");
    tell(&reader.scan, text, error);
    return NULL;
}

/* ---- Lookups ------------------------------------------------------------------------------ */

const struct rdl__json *rdl__json_get(const struct rdl__json *object, const char *key)
{
    if (!object || object->kind != RDL__JSON_OBJECT)
        return NULL;
    for (const struct rdl__json *item = object->first; item; item = item->next)
        if (strcmp(item->key, key) == 0)
            return item;
    return NULL;
}

const char *rdl__json_string(const struct rdl__json *object, const char *key)
{
    const struct rdl__json *value = rdl__json_get(object, key);

    return value && value->kind == RDL__JSON_STRING ? value->string : NULL;
}

double rdl__json_number(const struct rdl__json *object, const char *key, double otherwise)
{
    const struct rdl__json *value = rdl__json_get(object, key);

    return value && value->kind == RDL__JSON_NUMBER ? value->number : otherwise;
}
