/* json_scan.h -- the words of JSON, one after the other, for those who know what comes.
 *
 *     struct rdl__json_scan scan = {.text = line, .at = line, .end = line + length};
 *     if (rdl__scan_accept(&scan, '[') && rdl__scan_number(&scan, &from, &length)) ...
 *
 * The text is ours to write in: a string takes the place of what stood for it.  A NUL must
 * follow the text.  What is not JSON to the letter is refused; `wrong` then says why, and `at`
 * where. */
#ifndef RDL__JSON_SCAN_H
#define RDL__JSON_SCAN_H

#include <stdbool.h>
#include <stddef.h>

struct rdl__json_scan {
    char *text;
    char *at, *end;
    const char *wrong; /* NULL: nothing so far */
};

/* The next byte that is no space; 0: there is none. */
static inline char rdl__scan_peek(struct rdl__json_scan *scan)
{
    while (*scan->at == ' ' || *scan->at == '\t' || *scan->at == '\r' || *scan->at == '\n')
        scan->at++;
    return *scan->at;
}

/* Take it, if it is what comes. */
static inline bool rdl__scan_accept(struct rdl__json_scan *scan, char c)
{
    if (rdl__scan_peek(scan) != c)
        return false;
    scan->at++;
    return true;
}

/* Is all of it read? */
static inline bool rdl__scan_is_over(struct rdl__json_scan *scan)
{
    return rdl__scan_peek(scan) == '\0' && scan->at == scan->end;
}

static inline bool rdl__scan_refuse(struct rdl__json_scan *scan, const char *wrong)
{
    scan->wrong = wrong;
    return false;
}

/* One of null, true and false. */
bool rdl__scan_word(struct rdl__json_scan *scan, const char *word);

/* Where a number is written, and its value.  Its digits may be more than a double has. */
bool rdl__scan_number(struct rdl__json_scan *scan, const char **out, size_t *out_length);
double rdl__scan_value(const char *number);

/* UTF-8; ends in a NUL, and may have others in it. */
bool rdl__scan_string(struct rdl__json_scan *scan, const char **out, size_t *out_length);

/* "key": */
bool rdl__scan_key(struct rdl__json_scan *scan, const char **out, size_t *out_length);

/* Go past a value, which remains as it is, to be read later: only then will it be clear
 * whether it is one. */
bool rdl__scan_skip(struct rdl__json_scan *scan);

#endif
