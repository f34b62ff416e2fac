/* stats.h -- what the cases of a run were like: labels, measures, targets.
 *
 * Fixed in size, so that they can lie in memory shared with a worker and cost
 * the same after ten million cases as after ten. */
#ifndef RDL__STATS_H
#define RDL__STATS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"
#include "observe/ids.h"

enum {
    RDL__NAME_ROOM = 64,
    RDL__LABELS_MAX = 256,
    RDL__MEASURES_MAX = 32,
    RDL__BUCKETS = 24,
    RDL__TRIED_MAX = 64,
    RDL__CALLED_MAX = 64,
    RDL__STATES_MAX = 32,
    RDL__ADVICE_ROOM = 2048,
};

struct rdl__label {
    char name[RDL__NAME_ROOM];
    uint64_t cases;     /* that carry it */
    uint64_t last_case; /* the last one that did: a case counts once */
    double required;    /* percent; 0 for a mere label */
};

struct rdl__measure {
    char name[RDL__NAME_ROOM];
    uint64_t count;
    double min, max, sum;
    uint64_t buckets[RDL__BUCKETS]; /* 0: below 1; k: from 2^(k-1) up to 2^k; the last: beyond */
};

/* Calls of an operation of a spec. */
struct rdl__called {
    char name[RDL__NAME_ROOM];
    uint64_t calls;
    uint64_t waited; /* of them, that did not return at once */
};

/* A state that has a name. */
struct rdl__visited {
    char name[RDL__NAME_ROOM];
    uint64_t cases; /* that came to it */
    uint64_t calls; /* that led to it, or left it so */

    /* How often it was entered from each of the others, by number; the last: from none. */
    uint64_t from[RDL__STATES_MAX + 1];
};

enum rdl__untried {
    RDL__TRIED,
    RDL__IMPOSSIBLE,     /* it never holds */
    RDL__LEFT_TO_CHANCE, /* nor after calls of which is certain what happens */
    RDL__NOT_FOUND,
};

/* Calls under a precondition of a spec. */
struct rdl__tried {
    char operation[RDL__NAME_ROOM], name[RDL__NAME_ROOM];
    char text[RDL__NAME_ROOM]; /* what it means */
    uint64_t calls;
    enum rdl__untried untried; /* why a plan of so many clients leaves it out */
    unsigned clients;
};

struct rdl__stats {
    uint64_t cases;    /* that counted */
    uint64_t discards; /* that did not */
    uint64_t too_long; /* discards because of the limit on choices */
    uint64_t deviated; /* cases in which a deviation took effect */
    uint64_t current;  /* number of the case at hand; the first is 1 */
    uint32_t label_count, measure_count, called_count, tried_count, visited_count;
    uint32_t lost;                             /* labels and measures that found no room */
    uint64_t exercised[RDL__REQUIREMENTS_MAX]; /* by how many cases, by number */
    struct rdl__label labels[RDL__LABELS_MAX];
    struct rdl__measure measures[RDL__MEASURES_MAX];
    struct rdl__measure lengths; /* of cases that counted or did not: how many choices each made */
    struct rdl__tried tried[RDL__TRIED_MAX];
    struct rdl__called called[RDL__CALLED_MAX];
    uint64_t followed[RDL__CALLED_MAX][RDL__CALLED_MAX]; /* the first by the second */
    struct rdl__visited visited[RDL__STATES_MAX];
    char advice[RDL__ADVICE_ROOM]; /* lines that users should know of; "": none */
};

/* Makes the label known, and counts the current case if it carries it. */
void rdl__stats_label(struct rdl__stats *stats, const char *name, bool carried, double required);
void rdl__stats_measure(struct rdl__stats *stats, const char *name, double value);
void rdl__stats_length(struct rdl__stats *stats, uint64_t choices); /* of a case */
void rdl__stats_visited(struct rdl__stats *stats, uint32_t number, const struct rdl__visited *more);

/* Which of stats->called it is now; RDL__CALLED_MAX: there is no room. */
uint32_t rdl__stats_calls(struct rdl__stats *stats, const char *name, uint64_t calls,
                          uint64_t waited);
void rdl__stats_tried(struct rdl__stats *stats, const struct rdl__tried *more);
void rdl__stats_exercised(struct rdl__stats *stats, const struct rdl__ids *requirements);

/* "there is no state that 2 clients can reach in which it holds" */
void rdl__add_why_untried(struct rdl__text *out, enum rdl__untried why, unsigned clients);
void rdl__stats_clear(struct rdl__stats *stats);

/* Add what another process counted. */
void rdl__stats_merge(struct rdl__stats *into, const struct rdl__stats *from);

/* What is required of a label that must come at least once, in percent. */
#define RDL__ONCE 1e-9

/* The same; if it did there is nothing to tell. */
#define RDL__ONCE_UNSAID 1e-10

/* Nothing is required, but if no case carries it, that is worth telling. */
#define RDL__WISHED -1.0

enum rdl__coverage { RDL__COVERED, RDL__BARELY_COVERED, RDL__NOT_COVERED };

/* Is a share as small as this one surely below what is required?  `Surely` is
 * the upper end of Wilson's interval with z = 3.29: one honest run in two
 * thousand would be blamed.  A label that no case carries is never covered. */
enum rdl__coverage rdl__stats_coverage(const struct rdl__label *label, uint64_t cases);

#endif
