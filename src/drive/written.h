/* written.h -- calls that are written in C, and calls that are written down as C.
 *
 * A driver of a spec (model.c, resource.c, linear.c) makes up calls.  A reproducer
 * (raddle/reproduce.h) has them written: then the driver lets the user's function make them.  And
 * while a failing case is exported, a driver tells here which calls it makes, and which choices
 * they were made up by, so that all that is left for the reproducer to decide is the rest.
 *
 * Memory: what is written down lies where the parent process sees it. */
#ifndef RDL__WRITTEN_H
#define RDL__WRITTEN_H

#include "case/case.h"
#include "spec/spec.h"

/* ---- Calls that are written ------------------------------------------------------------------ */

/* The user's function; NULL: calls are made up. */
extern void (*rdl__written_calls)(struct rdl_case *t);

/* How the driver does what is written. */
struct rdl__performer {
    void *driver;
    void (*call)(void *driver, uint32_t client, const struct rdl_operation *op, const void *args);
    void (*run)(void *driver); /* NULL: calls are made one by one */
    uint32_t clients;

    /* Of a resource, for who wants to look: */
    struct rdl__clients *all;
    struct rdl__viable *viable;
};

/* While it is performed. */
const struct rdl__performer *rdl__performing(void);

void rdl__perform_written(struct rdl_case *t, const struct rdl__performer *performer);

/* ---- Calls that are written down ------------------------------------------------------------- */

enum { RDL__TAKEN_BYTES = 1 << 20, RDL__TAKEN_DRAWS = 1 << 14 };

struct rdl__taken_down {
    bool is_short; /* there was no room for all, or no way to write it */
    uint32_t count;
    char bytes[RDL__TAKEN_BYTES]; /* statements of C; invariant: bytes[count] is 0 */
    uint32_t draw_count;
    struct {
        uint32_t from, to;
    } draws[RDL__TAKEN_DRAWS]; /* choices that made them up */
};

extern struct rdl__taken_down *rdl__taking_down; /* NULL: nobody wants to know */

/* The choices from here to where the tape is now have made up calls. */
void rdl__take_down_draws(const struct rdl_case *t, uint32_t from);

void rdl__take_down_call(uint32_t client, const struct rdl_operation *op, const void *args);

/* Clients are run; what has come of it is told when it is known. */
void rdl__take_down_run(void);
void rdl__take_down_remark(const char *text);

/* If set: told of calls, and of when they are run, whoever makes them. */
extern void (*rdl__on_taken_call)(uint32_t client, const struct rdl_operation *op,
                                  const void *args);
extern void (*rdl__on_taken_run)(void);

/* What a comment cannot hold ends it no more. */
void rdl__add_comment_text(struct rdl__text *out, const char *text);

#endif
