/* locate_parts.h -- between the files that find locations.  All of it happens in a process made
 * for it: memory is not given back, and libdw may end it. */
#ifndef RDL__LOCATE_PARTS_H
#define RDL__LOCATE_PARTS_H

#include "base/text.h"
#include "port/libdw.h"
#include "port/likes.h"
#include "port/locate.h"
#include "port/room.h"

/* ---- A location, taken apart (locate_read.c) -------- */

struct rdl__query {
    char *module, *file, *function, *text; /* NULL: not said */
    int line;                              /* 0: not said */
    int call;                              /* of the line; 0: not said */
    bool at_return, at_entry;
};

/* NULL, or what is wrong with it. */
const char *rdl__query_read(struct rdl__query *out, const char *text);

/* ---- What debugging information has (locate_index.c) -------- */

struct rdl__row { /* of the table of lines */
    Dwarf_Addr at;
    const char *path; /* the same pointer for the same file of a unit */
    int line;
    bool begins, ends, prologue_ends;
};

struct rdl__inlined { /* a copy, and the function that it is of */
    const void *origin;
    Dwarf_Die die;
};

struct rdl__inlined_list {
    struct rdl__inlined *items;
    size_t count, room;
};

struct rdl__unit {
    Dwarf_Die die;
    struct rdl__row *rows; /* in the order of addresses */
    size_t row_count;
    struct rdl__inlined_list inlined;
    bool has_rows, has_inlined; /* they have been read */
    bool is_ours;               /* code of Raddle */
};

/* A function that has code, or may have copies that are inlined. */
struct rdl__function {
    const char *name;
    Dwarf_Die die;
    struct rdl__unit *unit;
    bool has_code;
};

struct rdl__range {
    Dwarf_Addr start, end;
    const struct rdl__function *function;
};

struct rdl__object { /* a program or library */
    Dwfl_Module *module;
    const char *path;
    const char *name, *alias;   /* the last part of the path; of how it was asked for */
    Dwarf_Addr bias;            /* to be added to what debugging information has */
    Dwarf_Addr file_bias;       /* and to addresses of the file, which may be another */
    const unsigned char *bytes; /* of the file */
    size_t size;
    const void *start; /* where it begins in this process, if it is there */
    bool is_program, is_indexed;
    bool is_running;         /* it is of this process */
    bool is_ours, is_linker; /* Raddle; the dynamic linker: nobody means what is in these */
    struct rdl__unit *units;
    size_t unit_count;
    struct rdl__object *ours;        /* if they were asked for */
    struct rdl__function *functions; /* but for ours */
    size_t function_count;
    struct rdl__range *ranges; /* of the functions, in order */
    size_t range_count;
    bool has_ranges;
};

struct rdl__objects {
    struct rdl__object *items;
    size_t count;
    bool is_running; /* they are those of this process */
};

/* Of this process, or of a file that is not running. */
void rdl__objects_list(struct rdl__objects *out, Dwfl *dwfl, bool is_running);

/* Read which units and functions there are, if that has not been done. */
void rdl__object_index(struct rdl__object *object);

/* The same with nothing but functions of Raddle, where it is part of the program. */
struct rdl__object *rdl__object_of_ours(struct rdl__object *object);

/* The folder that the sources of Raddle were in, if it is part of this module and that is known;
 * else NULL.  Which units are of Raddle, then. */
char *rdl__own_sources(Dwfl_Module *module);
bool rdl__unit_is_own(Dwarf_Die *unit, const char *own_sources);

/* How many rows, having read them. */
size_t rdl__unit_rows(struct rdl__unit *unit);

/* The first that is not before this address. */
size_t rdl__unit_row_from(struct rdl__unit *unit, Dwarf_Addr at);

/* All of a path that may be relative to where the compiler ran, as it is compared. */
char *rdl__unit_path(struct rdl__unit *unit, const char *path);

/* Does the path end with this, from a slash on? */
bool rdl__path_ends(const char *path, const char *end);

/* ---- Copies of a function (locate_copies.c) -------- */

struct rdl__copy {
    Dwarf_Die die;
    struct rdl__unit *unit;
    bool is_inlined;
};

struct rdl__copies {
    struct rdl__copy *items;
    size_t count, room;
};

/* All that have code, of a function that may be one of several of the name. */
void rdl__copies_find(struct rdl__copies *out, struct rdl__object *object,
                      const struct rdl__function *function);
bool rdl__copy_has(const struct rdl__copy *copy, Dwarf_Addr at);

/* Its first instruction; false: nobody knows. */
bool rdl__copy_first(const struct rdl__copy *copy, Dwarf_Addr *out);

/* Where it begins, and its parameters can be read; false: nobody knows. */
bool rdl__copy_entry(const struct rdl__copy *copy, struct rdl__object *object, Dwarf_Addr *out);

/* ---- Around an address (locate_scopes.c) -------- */

enum { RDL__SCOPES_MAX = 64 };

/* The function whose code it is; NULL: none that is known. */
const struct rdl__function *rdl__function_at(struct rdl__object *object, Dwarf_Addr at);

/* It, and the inlined copies and blocks around the address, from the outside; how many.  If a
 * function is named, those within it are left out. */
int rdl__scopes_at(struct rdl__object *object, Dwarf_Addr at, const char *name,
                   Dwarf_Die out[RDL__SCOPES_MAX]);

/* The innermost function, and the one that is no inlined copy.  Where a line begins with the first
 * instruction of an inlined copy that it calls, we are not in that yet; 0: in no such line. */
bool rdl__functions_at(struct rdl__object *object, Dwarf_Addr at, int line, Dwarf_Die *out_inner,
                       Dwarf_Die *out_outer);

/* ---- Machine code (locate_code.c) -------- */

/* The bytes of the file at an address, and how many follow; NULL: none. */
const unsigned char *rdl__object_code(struct rdl__object *object, Dwarf_Addr at, size_t *out_count);

/* What the linker left out still has debugging information, with addresses that are none. */
bool rdl__object_has_code(struct rdl__object *object, Dwarf_Addr at);

/* Is this where an indirect branch may land?  Then how long it is; else 0. */
size_t rdl__landing_length(struct rdl__object *object, Dwarf_Addr at);

/* Some code, and the function that it is of, if that is known. */
struct rdl__extent {
    Dwarf_Addr start, end;
    const struct rdl__copy *copy;
    const char *name;
};

struct rdl__answer;

/* The instructions around a place (locate_listing.c). */
void rdl__listing_add(struct rdl__spot *spot, struct rdl__room *room, struct rdl__object *object,
                      Dwarf_Addr at);

/* Add each place at which this code returns, or jumps to where another function does.  How many
 * there are; or -1: machine code cannot be read. */
int rdl__returns_add(struct rdl__answer *answer, struct rdl__object *object,
                     const struct rdl__extent *extent);

/* How many calls are there in this code?  And where is the one of this number, from 1 on, if it is
 * among them? */
int rdl__calls_in(struct rdl__object *object, Dwarf_Addr start, Dwarf_Addr end, int number,
                  Dwarf_Addr *out_at);

/* ---- Answers (locate_answer.c) -------- */

struct rdl__answer {
    struct rdl__room *room;
    bool with_code;
    struct rdl__location *location;
    struct rdl__spot *spots;
    size_t count, room_count;
};

/* An address, once.  What is not known is NULL: the unit, if there is none; the row; and the
 * function, if it is any that is there. */
struct rdl__found {
    struct rdl__object *object;
    struct rdl__unit *unit;
    const struct rdl__row *row;
    const char *function;
    Dwarf_Addr at;
    bool is_tail_call, is_inlined;
};

void rdl__answer_add(struct rdl__answer *answer, const struct rdl__found *found);

/* All has been found: keep it. */
void rdl__answer_end(struct rdl__answer *answer);

/* Nothing was found.  Always false. */
bool rdl__answer_fail(struct rdl__answer *answer, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void rdl__answer_note(struct rdl__answer *answer, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* ---- Files and lines (locate_lines.c) -------- */

struct rdl__paths {
    char **items;
    size_t count;
};

/* The files that have code, and whose paths end like this; each once. */
void rdl__paths_find(struct rdl__paths *out, struct rdl__object *object, const char *end);
void rdl__paths_consider(struct rdl__likes *likes, struct rdl__object *object);

/* Is a row of a unit of this file?  Which files are it is asked once for each. */
struct rdl__file_match {
    const char *path;
    const char *last; /* what was asked last, and the answer */
    bool was;
};

bool rdl__file_is(struct rdl__file_match *match, struct rdl__unit *unit,
                  const struct rdl__row *row);

struct rdl__line_wanted {
    const char *path; /* all of it */
    int line;
    const struct rdl__copies *within; /* NULL: anywhere */
    int call;                         /* not where it begins, but this call of the line */
};

/* Add all places where it begins, or its call is; how many there are. */
size_t rdl__line_add(struct rdl__answer *answer, struct rdl__object *object,
                     const struct rdl__line_wanted *wanted);

/* Why there is none, and what is near. */
void rdl__line_explain(struct rdl__text *out, struct rdl__object *object,
                       const struct rdl__line_wanted *wanted);

/* ---- Functions (locate_functions.c) -------- */

bool rdl__object_has_function(struct rdl__object *object, const struct rdl__query *query);
bool rdl__function_add(struct rdl__answer *answer, struct rdl__object *object,
                       const struct rdl__query *query);
void rdl__functions_consider(struct rdl__likes *likes, struct rdl__object *object);

/* The same without debugging information, by the table of symbols (locate_symbols.c). */
bool rdl__object_has_names(struct rdl__object *object); /* of any functions */
bool rdl__object_is_split(struct rdl__object *object);  /* what is known is in files beside it */
bool rdl__object_has_symbol(struct rdl__object *object, const struct rdl__query *query);
bool rdl__symbol_add(struct rdl__answer *answer, struct rdl__object *object,
                     const struct rdl__query *query);
void rdl__symbols_consider(struct rdl__likes *likes, struct rdl__object *object);

/* ---- Raddle itself (locate_own.c) -------- */

/* Where its code is, in this process. */
const struct rdl__code_range *rdl__own_code(struct rdl__room *room, struct rdl__objects *objects,
                                            size_t *out_count);

#endif
