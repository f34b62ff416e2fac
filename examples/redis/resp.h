/* resp.h -- what Redis and its clients say to each other. */
#ifndef RESP_H
#define RESP_H

#include <stddef.h>

/* How long is the first of these?  0: that cannot be said yet; -1: it is none. */
long resp_length(const char *bytes, size_t size);

/* One of them as words, as much as there is room for: "PUBLISH news hello", "QUEUED", "[1 2]",
 * "nil".  Of arrays, those in arrays and those of numbers are in brackets. */
struct resp {
    char words[100];
};
void resp_read(const char *bytes, size_t size, struct resp *out);

#endif
