/* dirty.h -- which pages of a stretch of memory have been written to.
 *
 * The kernel says, on Linux 6.7 and later: pages are write-protected by userfaultfd, in the mode
 * in which the kernel lifts the protection by itself, and the ioctl PAGEMAP_SCAN tells which have
 * lost it.  A page that was written once counts as written from then on, so that in the long run
 * there are no page faults. */
#ifndef RDL__DIRTY_H
#define RDL__DIRTY_H

#include <stdbool.h>
#include <stddef.h>

/* Watch these pages from now on; none of them counts as written.  False: it is not possible
 * here. */
bool rdl__dirty_watch(char *start, size_t size);

/* Call `each` for every run of written pages in there, in the order of addresses.  False: the
 * kernel did not say; all of them may have been. */
bool rdl__dirty_each(char *start, size_t size, void (*each)(void *context, char *from, char *to),
                     void *context);

/* May more pages have been written to, of any that are watched, since this was asked last?  It
 * takes a tenth of the time that rdl__dirty_each does: the first write to a page is a page fault,
 * and the kernel counts those. */
bool rdl__dirty_has_grown(void);

/* Threads that are not controlled may write to these pages, too. */
extern bool rdl__dirty_by_others;

/* None of these pages counts as written, once more. */
void rdl__dirty_forget(char *start, size_t size);

#endif
