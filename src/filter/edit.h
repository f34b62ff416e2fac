/* edit.h -- a text with insertions, made from front to back. */
#ifndef RDL__EDIT_H
#define RDL__EDIT_H

#include "base/text.h"
#include "filter/statement.h"

struct rdl__edit {
    struct rdl__span text;
    size_t done; /* so much of it is in out */
    struct rdl__text out;
};

/* Insert this before `at`, which lies behind all earlier ones. */
void rdl__edit_insert(struct rdl__edit *edit, const char *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Put this in the place of the text from `at` to `end`. */
void rdl__edit_replace(struct rdl__edit *edit, const char *at, const char *end, const char *format,
                       ...) __attribute__((format(printf, 4, 5)));

/* The rest of the text as it is, and this at its end. */
void rdl__edit_finish(struct rdl__edit *edit);

#endif
