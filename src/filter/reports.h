/* reports.h -- the calls by which a compiler reports accesses to memory, as a function makes them.
 *
 * A call of __tsan_read4 and the like reports the address that is in rdi; it covers the accesses to
 * this address up to the first call behind one of them. */
#ifndef RDL__REPORTS_H
#define RDL__REPORTS_H

#include "filter/values.h"

enum { RDL__REPORTS_MAX = 32 };

struct rdl__report {
    struct rdl__value address;
    int64_t size;
    bool writes, used;
};

/* Those that may cover an access here. */
struct rdl__reports {
    struct rdl__report all[RDL__REPORTS_MAX];
    size_t count;
};

/* False: this callee reports no access. */
bool rdl__report_read(struct rdl__report *out, const struct rdl__values *values,
                      struct rdl__span callee);

void rdl__reports_add(struct rdl__reports *reports, const struct rdl__report *report);

/* Here is a call: forget the reports of accesses that were made. */
void rdl__reports_drop_used(struct rdl__reports *reports);

bool rdl__reports_cover(struct rdl__reports *reports, struct rdl__value address, int64_t size,
                        bool writes);

/* Is there a report of many bytes, of which some are touched by an instruction that repeats? */
bool rdl__reports_have_range(const struct rdl__reports *reports, bool writes);

/* The reports of another way hold as well, under the names that their addresses have now, while
 * they had `before` on that way.  True: there is a new one. */
bool rdl__reports_join(struct rdl__reports *reports, const struct rdl__values *now,
                       const struct rdl__reports *others, const struct rdl__values *before);

#endif
