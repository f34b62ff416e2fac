/* json.h -- reading JSON.
 *
 *     const struct rdl__json *result = rdl__json_read(&arena, text, count, &error);
 *     const char *verdict = rdl__json_string(result, "verdict");
 *
 * What a text holds becomes a tree in an arena and lives as long as that.  Whoever wrote the
 * text is not trusted: what is not JSON to the letter (RFC 8259) is refused, and so is what
 * is nested more than RDL__JSON_DEPTH deep. */
#ifndef RDL__JSON_H
#define RDL__JSON_H

#include <stddef.h>

#include "base/error.h"
#include "base/memory.h"

enum { RDL__JSON_DEPTH = 64 };

struct rdl__json {
    enum {
        RDL__JSON_NULL,
        RDL__JSON_FALSE,
        RDL__JSON_TRUE,
        RDL__JSON_NUMBER,
        RDL__JSON_STRING,
        RDL__JSON_ARRAY,
        RDL__JSON_OBJECT,
    } kind;
    double number;
    const char *string;           /* UTF-8; ends in a NUL, and may have others in it */
    size_t length;                /* of the string */
    const char *key;              /* if it is in an object; else NULL */
    const struct rdl__json *next; /* in the same array or object */
    const struct rdl__json *first;
};

/* NULL: this is not JSON, or there is more than one value; error says where. */
const struct rdl__json *rdl__json_read(struct rdl__arena *arena, const char *text, size_t count,
                                       struct rdl__error *error);

/* What an object has under a key; the first, if there are several.  NULL if it has nothing,
 * or there is no object, so that lookups can follow each other. */
const struct rdl__json *rdl__json_get(const struct rdl__json *object, const char *key);

/* The same, if it is a string; else NULL.  If it is a number; else `otherwise`. */
const char *rdl__json_string(const struct rdl__json *object, const char *key);
double rdl__json_number(const struct rdl__json *object, const char *key, double otherwise);

#endif
