/* journal.h -- texts that are kept in a flash chip. */
#ifndef JOURNAL_H
#define JOURNAL_H

#include <stdbool.h>

/* The text, in that block of the chip, with nothing else. */
bool journal_store(int block, const char *text);

/* "who: what".  It is to be freed; NULL: there is no memory. */
char *journal_line(const char *who, const char *what);

#endif
