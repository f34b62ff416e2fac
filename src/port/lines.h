/* lines.h -- file and line of places in the code.
 *
 *     struct rdl__lines lines = {0};
 *
 *     rdl__lines_want(&lines, pc);
 *     rdl__lines_find(&lines);
 *     rdl__place_describe(&text, &lines, pc);      "bank.c:31"
 *     rdl__lines_release(&lines);
 *
 * They come from the debugging information of the modules of this process, by
 * libdw (elfutils), which is loaded when it is needed and may be missing: then, or
 * without such information, a place is known by the name of its function. */
#ifndef RDL__LINES_H
#define RDL__LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

struct rdl__place {
    uintptr_t pc;       /* a return address: what counts is the call before it */
    int line;           /* 0: not known; then there is no file either */
    char function[128]; /* of inlined ones the innermost; "": not known */
    char file[256];     /* as it is shown */
    char path[512];     /* where it was when it was compiled */
};

struct rdl__lines {
    struct rdl__place *places; /* sorted, once they are found */
    size_t count, room;
    int process; /* whose modules: a copy of this process, alive; 0: this one */

    /* How the program itself calls one of its files (__FILE__), and code in it.  What
     * its path has before that is left out of other paths, too. */
    uintptr_t known_pc;
    const char *known_file;
    char root[512]; /* what was found to be left out; "": nothing */
};

void rdl__lines_want(struct rdl__lines *lines, uintptr_t pc);

/* Find all that are wanted.  At once, because what it takes to know is loaded for it
 * into a process of its own: code that reads other people's files, at length, and
 * stops when memory is short, has no business in this one. */
void rdl__lines_find(struct rdl__lines *lines);

/* NULL: was not wanted. */
const struct rdl__place *rdl__lines_at(const struct rdl__lines *lines, uintptr_t pc);
void rdl__lines_release(struct rdl__lines *lines);

/* "bank.c:31"; else what rdl__symbol_describe says. */
void rdl__place_describe(struct rdl__text *out, const struct rdl__lines *lines, uintptr_t pc);

/* "transfer at bank.c:31"; else as above. */
void rdl__place_describe_function(struct rdl__text *out, const struct rdl__lines *lines,
                                  uintptr_t pc);

#endif
