/* marks.h -- what gcc is made to include first, by `raddle cc`: so that it writes down empty
 * statements of inline assembly, which it leaves out otherwise (barriers.c).
 *
 * Their text becomes a tab.  Only who writes __volatile__ does so: behind volatile, a bracket may
 * begin something else. */
#ifndef RDL__MARKS_H
#define RDL__MARKS_H

#pragma GCC system_header

#define __volatile__(...) volatile("\t" __VA_ARGS__)
#define __volatile(...) volatile("\t" __VA_ARGS__)

#endif
