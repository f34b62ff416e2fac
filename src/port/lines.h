/* lines.h -- file and line of places in the code, and names of variables.
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
#include "port/modules.h"

/* Instead of a return address, a function that made a call with a jump, when it was
 * done itself: the address of the function with this bit. */
#define RDL__TAIL_OF (UINT64_C(1) << 63)

struct rdl__place {
    uintptr_t pc;       /* a return address: what counts is the call before it */
    int line;           /* 0: not known; then there is no file either */
    char function[128]; /* of inlined ones the innermost; "": not known */
    char file[256];     /* as it is shown */
    char path[512];     /* where it was when it was compiled */
    char module[128];   /* program or library */
    bool is_stale;      /* the file has changed since then */
};

/* Something in memory, by its name: "accounts[1].balance". */
struct rdl__datum {
    uintptr_t address;
    char name[128]; /* "": in no variable that is known */
};

struct rdl__lines {
    struct rdl__place *places; /* sorted, once they are found */
    size_t count, room;
    struct rdl__datum *data; /* likewise */
    size_t datum_count, datum_room;
    struct rdl__modules modules; /* that are not in this process */

    /* How the program itself calls one of its files (__FILE__), and code in it.  What
     * its path has before that is left out of other paths, too. */
    uintptr_t known_pc;
    const char *known_file;
    char root[512]; /* what was found to be left out; "": nothing */
};

void rdl__lines_want(struct rdl__lines *lines, uintptr_t pc);
void rdl__lines_want_name(struct rdl__lines *lines, uintptr_t address);

/* Addresses may lie in these as well. */
void rdl__lines_add_modules(struct rdl__lines *lines, const struct rdl__modules *modules);

/* The address that a pc as above is about. */
uintptr_t rdl__place_code(uintptr_t pc);

/* Find all that are wanted.  At once, because what it takes to know is loaded for it
 * into a process of its own: code that reads other people's files, at length, and
 * stops when memory is short, has no business in this one. */
void rdl__lines_find(struct rdl__lines *lines);

/* NULL: was not wanted. */
const struct rdl__place *rdl__lines_at(const struct rdl__lines *lines, uintptr_t pc);
void rdl__lines_release(struct rdl__lines *lines);

/* Add the name of what lies there; as the symbol table has it, if nothing else does.
 * False: in no variable that is known. */
bool rdl__lines_add_name(struct rdl__text *out, const struct rdl__lines *lines, uintptr_t address);

/* "/a/./b/../c" becomes /a/c, which it is unless b is a link; what is shown need not care. */
void rdl__path_simplify(char *path);

/* The name of the file without its folders, unless another one has the same. */
const char *rdl__file_briefly(const struct rdl__lines *lines, const char *file);

/* "src/bank.c:31"; else what rdl__symbol_describe says. */
void rdl__place_describe(struct rdl__text *out, const struct rdl__lines *lines, uintptr_t pc);

/* "bank.c:31" */
void rdl__place_describe_briefly(struct rdl__text *out, const struct rdl__lines *lines,
                                 uintptr_t pc);

/* "transfer at src/bank.c:31"; else as above. */
void rdl__place_describe_function(struct rdl__text *out, const struct rdl__lines *lines,
                                  uintptr_t pc);

#endif
