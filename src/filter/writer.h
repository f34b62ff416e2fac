/* writer.h -- between the files that write the new text. */
#ifndef RDL__WRITER_H
#define RDL__WRITER_H

#include "filter/edit.h"
#include "filter/mnemonics.h"
#include "filter/unit.h"
#include "filter/untold.h"

/* An entry of the table of calls. */
struct rdl__callee {
    struct rdl__span name; /* empty: of indirect calls */
    uint32_t section;      /* of the callers */
};

/* An access of inline assembly, or one that the compiler does not report. */
struct rdl__writing {
    uint8_t kind; /* RDL__ACCESS_READ and the like: tables.h */
    int8_t other;
    uint8_t bit;
    uint8_t surplus;
    uint32_t size;
    int32_t function;
};

struct rdl__writer {
    struct rdl__unit unit;
    struct rdl__edit edit;
    uint32_t labels;
    struct rdl__callee *callees;
    size_t callee_count, callee_room;
    uint32_t *callee_slots; /* a hash table of numbers, from 1 on */
    size_t slot_room;
    struct rdl__writing *accesses;
    size_t access_count, access_room;
    struct rdl__untolds untold;
    size_t untold_done;
};

/* Go to a table, to the part of it that is about this section. */
void rdl__writer_enter(struct rdl__writer *writer, const char *table, const char *flags,
                       const struct rdl__section *section);

/* calls.c: what comes before this statement, if it is a call that leaves the unit; and the
 * table of all such calls. */
void rdl__write_call(struct rdl__writer *writer, size_t statement);
void rdl__write_callees(struct rdl__writer *writer);

/* assembly.c: what comes before and in a statement of inline assembly that begins here; returns
 * the first statement behind it.  And the table of accesses. */
size_t rdl__write_assembly(struct rdl__writer *writer, size_t statement);

/* assembly.c: what comes before this statement, if the compiler does not report its access. */
void rdl__write_untold(struct rdl__writer *writer, size_t statement);
void rdl__write_accesses(struct rdl__writer *writer);

/* barriers.c: does this statement report an access between two compiler barriers?  Then it says
 * so. */
void rdl__write_barriers(struct rdl__writer *writer, size_t statement);

#endif
