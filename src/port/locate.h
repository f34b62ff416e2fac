/* locate.h -- places in the code, by what a user calls them.
 *
 *     reader.c:40            where this line begins, in all copies of it
 *     reader.c:40:call 2     the second of its calls, as they lie in memory; in code compiled by
 *                            `raddle cc` an access to memory is one, too
 *     parser/reader.c:40     the same; there may be several files of that name
 *     append                 where the function begins, inlined copies too: after its prologue,
 *                            so that its parameters can be read
 *     reader.c:append        the same; there may be several functions of that name
 *     append:return          where it returns: each `ret`, and each jump to another function that
 *                            returns in its place
 *     append:entry           its very first instruction, to which calls lead; and that of each
 *                            inlined copy
 *     append:/total =/       the one line of the function in which this text is
 *     libz.so.1!crc32        any of these in that library, or program
 *
 * Without a library, the program itself is meant; if there is nothing of that name in it, not even
 * a symbol, the libraries that have debugging information (but for the C library's); and then
 * whoever has a symbol of that name.  What two files, functions or libraries may be meant by is
 * refused; but if it is the C library that has one, and another library whose comes before it, as
 * malloc of a sanitizer does, that is meant.  A static function of a header is one function,
 * however many units it was compiled into.  Code of Raddle itself is never found.
 *
 *     struct rdl__locations locations = {0};
 *
 *     rdl__locations_want(&locations, "append:return");
 *     rdl__locations_find(&locations, NULL);
 *     locations.items[0].spots ...
 *     rdl__locations_release(&locations); */
#ifndef RDL__LOCATE_H
#define RDL__LOCATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An instruction near a place. */
struct rdl__instruction {
    uintptr_t address;
    const char *text; /* as objdump writes it */
};

/* One address.  Texts are "" where nothing is known. */
struct rdl__spot {
    uintptr_t address;
    const char *function; /* the innermost, inlined or not */
    const char *around;   /* if that is an inlined copy: the function that it is part of */
    const char *clone;    /* what the compiler calls its variant of the function: ".part.0" */
    const char *file;     /* as it is shown */
    const char *path;     /* where it was when it was compiled */
    const char *module;   /* program or library */
    int line;             /* 0: not known */
    bool is_tail_call;    /* a return that is a jump to another function */
    bool is_inlined;      /* an entry that is none, but the beginning of an inlined copy */
    const struct rdl__instruction *code; /* around it, if that is wanted */
    size_t code_count, code_at;          /* how many, and which it is */
    const char *refusal;                 /* why no hook can be there; "": it can, or nobody knows */
    bool is_stale;                       /* the file has changed since it was compiled */
};

struct rdl__location {
    char *text;
    const struct rdl__spot *spots; /* in the order of addresses */
    size_t count;
    const char *error; /* why there are none; "" if there are */
    const char *note;  /* what else there is to know; "": nothing */
    bool may_come;     /* nothing has that name now, but a library may be loaded that does */
    bool may_go;       /* it is in a library, which may be unloaded */
    bool is_lost;      /* an :entry: it was made part of others, and nothing tells where */

    /* Private. */
    uint64_t library; /* what was loaded where, if it is in this process */
    bool is_sought;
};

struct rdl__code_range {
    uintptr_t start, end;
};

struct rdl__locations {
    struct rdl__location *items;
    size_t count, room;
    bool with_code;                    /* instructions are wanted */
    bool with_own;                     /* and where code of Raddle itself is, which is */
    const struct rdl__code_range *own; /* in order; NULL: not known */
    size_t own_count;
    struct rdl__block *blocks; /* memory of the answers */
};

void rdl__locations_want(struct rdl__locations *locations, const char *text);

/* Find all that have not been found yet; to be called again when a library was loaded, or was
 * unloaded and is there again, maybe elsewhere.  In this process; or in the file of a program or
 * library, which need not run: then addresses are those that the file has.  Spots stay until all
 * is released, even if the location has others by then. */
void rdl__locations_find(struct rdl__locations *locations, const char *program);
void rdl__locations_release(struct rdl__locations *locations);

/* How often a library was loaded or unloaded in this process. */
uint64_t rdl__libraries_changed(void);

#endif
