/* statics.h -- the static variables of the code under test, put back to what they were.
 *
 * Those of all modules but ours, the C library's and other run-time libraries'.  In a program
 * that is linked with our archive, our variables lie in sections of their own (rdl_data and
 * rdl_bss: cmake/apart.cmake), which are left alone, and so are variables that a test marks by
 * RDL_KEEP (section rdl__keep), ours in its objects (rdl__kept), and the counters of compilers'
 * coverage.
 *
 * Small data is copied whole.  Of large data the pages that were written to are (dirty.h). */
#ifndef RDL__STATICS_H
#define RDL__STATICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Note what they are now.  It takes the place of what was noted before. */
void rdl__statics_save(void);

/* Variables of the functions that have called rdl_main, in frames from this address on, are put
 * back as well. */
void rdl__statics_frames(void *from);

/* An execution changes the protection of memory: what is put back there must be writable again. */
void rdl__statics_protected(void *start, size_t size);

/* Put them back to what was noted.  Executions with the same number, which is not 0, have written
 * to the same variables; so the kernel is asked about the first of them only. */
void rdl__statics_restore(uint64_t execution);

/* Does that number matter, because the kernel is asked? */
bool rdl__statics_are_watched(void);

/* Why some of them are not put back, to complete "executions do not begin alike: ";
 * NULL: all of them are. */
extern const char *rdl__statics_problem;

/* The program is a tool of ours, so its own variables are left alone. */
extern bool rdl__statics_are_ours;

#endif
