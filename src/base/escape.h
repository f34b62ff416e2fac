/* escape.h -- any bytes as text of a certain kind.  What is not UTF-8 becomes U+FFFD. */
#ifndef RDL__ESCAPE_H
#define RDL__ESCAPE_H

#include "base/text.h"

/* Add text, except for the characters which `special` has added in its own way;
 * it tells by returning true. */
void rdl__add_escaped(struct rdl__text *out, const char *text,
                      bool (*special)(struct rdl__text *out, uint32_t code));

/* Text for terminals: lines and tabs stay, what else a terminal would obey is shown: \x1b. */
void rdl__add_harmless(struct rdl__text *out, const char *text);

/* A string of JSON, and of YAML too, with its quotes. */
void rdl__add_json_string(struct rdl__text *out, const char *text);

#endif
