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
    bool is_volatile; /* and the last one: its access comes next, whatever way it goes */
};

/* Those that were made on all ways here. */
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

/* Do they tell of all these bytes? */
bool rdl__reports_cover(struct rdl__reports *reports, struct rdl__value address, int64_t size,
                        bool writes);

/* Is it the volatile access that was reported last?  Its address may have another form: where a
 * loop counts, compilers keep two. */
bool rdl__reports_are_of_next(struct rdl__reports *reports, int64_t size, bool writes);

/* Is there a report of many bytes, of which some are touched by an instruction that repeats? */
bool rdl__reports_have_range(const struct rdl__reports *reports, bool writes);

/* Another way leads to the same label: keep the reports that were made on both, under the names
 * that their addresses have `now`.  True: that is less than before. */
bool rdl__reports_join(struct rdl__reports *reports, const struct rdl__values *before,
                       const struct rdl__reports *others, const struct rdl__values *of_others,
                       const struct rdl__values *now);

#endif
