/* script.h -- from a schedule to an order: which lines threads come to, and orders as files.
 *
 *     # deposits_add_up fails: balance == 20
 *     case rdl1.deposits_add_up.AQEBAA
 *     [one at bank.c:40] -> two:bank.c:31
 *     [two ended] -> one:bank.c:40
 *
 * The case is a token without a schedule: the name of the test, and its data. */
#ifndef RDL__SCRIPT_FILE_H
#define RDL__SCRIPT_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "case/case.h"

/* A controlled thread came to a place. */
struct rdl__probe_hit {
    uint64_t step; /* after this one of the trace */
    uint32_t thread, place;
};

enum {
    RDL__PROBE_THREADS = 64,
    RDL__PROBE_WOKEN = UINT32_MAX, /* no place: it goes on from waiting for a condition */
};

/* Memory that is shared with the process of the case. */
struct rdl__probe {
    struct {
        uintptr_t entry; /* where it begins; 0: there is none, or nobody knows */
        char name[48];
    } threads[RDL__PROBE_THREADS];
    const char *const *places;
    size_t place_count, line_count; /* lines come first, then calls in some of them */
    struct rdl__probe_hit *hits;
    uint32_t count, room; /* count may be larger: there was no room for them */
};

/* Note who comes to these places in this case.  Those where no gate can be are left out. */
void rdl__probe_place(struct rdl_case *t, struct rdl__probe *probe);

/* The thread that calls has been woken. */
void rdl__probe_wake(void);

/* The case is over. */
void rdl__probe_end(void);

/* What these places are is found now, for all processes to come; how many there are. */
size_t rdl__places_find(const char *const *texts, size_t count);

/* ---- Files ---------------------------------------------------------------------------------- */

struct rdl__order_file {
    char *token; /* NULL: it has none */
    char *order; /* as rdl_order takes it; "": nothing is to be in order */
};

bool rdl__order_file_read(struct rdl__order_file *out, const char *path, struct rdl__error *error);
void rdl__order_file_release(struct rdl__order_file *file);

#endif
