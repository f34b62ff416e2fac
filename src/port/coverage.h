/* coverage.h -- what gcov counts in processes that end in other ways than by exit.
 *
 * Code compiled with --coverage counts in memory; the counts are written to files when a process
 * calls exit.  Workers do not: they end by _exit, or crash.  So what they have counted is added up
 * in memory that all share, and the process that they are forks of makes it its own.  (One that
 * does call exit writes its counts itself.) */
#ifndef RDL__COVERAGE_H
#define RDL__COVERAGE_H

#include <stddef.h>

/* In the parent, before the first fork: are there counts, and where?  Once is enough. */
void rdl__coverage_prepare(void);

/* The places that hold counts, as far as they are known. */
void rdl__coverage_each(void (*each)(void *start, size_t size));

/* In a process that was just forked: what was counted before is the parent's. */
void rdl__coverage_begin(void);

/* It is about to end.  May be called in a signal handler; does nothing in other processes than
 * those that have begun. */
void rdl__coverage_end(void);

/* In the parent: take over what others have counted. */
void rdl__coverage_collect(void);

#endif
