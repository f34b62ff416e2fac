/* text.h -- a text that grows.
 *
 * Start with a zeroed struct; bytes is NULL until something was added and ends
 * in a NUL from then on.  rdl__text_release frees it. */
#ifndef RDL__TEXT_H
#define RDL__TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rdl__text {
    char *bytes;
    size_t count;
    size_t room;
};

void rdl__text_add(struct rdl__text *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void rdl__text_addv(struct rdl__text *text, const char *format, va_list args)
    __attribute__((format(printf, 2, 0)));
void rdl__text_add_bytes(struct rdl__text *text, const void *bytes, size_t count);
void rdl__text_clear(struct rdl__text *text);
void rdl__text_release(struct rdl__text *text);
const char *rdl__text_string(const struct rdl__text *text); /* "" when empty */

/* The character that begins at *at, which moves on past it.  Where none of UTF-8
 * does, RDL__NO_CHARACTER, and *at moves on by a byte.  Forms longer than
 * needed, surrogates and what lies beyond Unicode are none. */
#define RDL__NO_CHARACTER UINT32_C(0xfffd)
uint32_t rdl__utf8_next(const char **at);

/* Values as a C programmer would write them. */
void rdl__text_add_character(struct rdl__text *text, uint32_t code); /* 'a', '\n', '\x7f' */
void rdl__text_add_quoted(struct rdl__text *text, const char *bytes,
                          size_t count); /* a NUL must follow */
void rdl__text_add_double(struct rdl__text *text, double value, bool is_float); /* shortest exact */
void rdl__text_add_hex(struct rdl__text *text, const unsigned char *bytes, size_t count);

/* Characters of UTF-8; and at most so many of a text, the last two of them dots if there are more.
 * Returns how many were added. */
int rdl__text_width(const char *text);
int rdl__text_add_clipped(struct rdl__text *text, const char *more, int most);

/* The same of a name, of which both ends are kept, that tell it from others. */
int rdl__text_add_elided(struct rdl__text *text, const char *name, int most);

/* What a terminal would obey instead of showing it, and what cannot be seen or turns the order of
 * others round, becomes visible: "\x1b".  Colours may stay. */
void rdl__text_tame(struct rdl__text *text, bool painted);

/* "1,234,567"; "1 case", "2,000 cases" */
void rdl__text_add_count(struct rdl__text *text, uint64_t count);
void rdl__text_add_many(struct rdl__text *text, uint64_t count, const char *noun);

#endif
