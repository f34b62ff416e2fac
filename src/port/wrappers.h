/* wrappers.h -- code around a lock, a wait or an atomic variable, which is not what a report is
 * about: whoever reads of a deadlock wants the line that took the lock, not the inside of a
 * function that is there to take locks. */
#ifndef RDL__WRAPPERS_H
#define RDL__WRAPPERS_H

#include <stdbool.h>

/* Files that count as wrappers besides: patterns as a shell has them, with commas between, of
 * names or paths.  The text must stay.  NULL: none. */
void rdl__wrappers_set(const char *patterns);

/* Is all of this file wrappers?  So it is if it came with the system, or is named by patterns. */
bool rdl__has_only_wrappers(const char *path);

/* Is this function of this file a wrapper?  It may be by its name as well, if both names speak of
 * synchronisation: `my_mutex_lock` in os_mutex.c. */
bool rdl__is_wrapper(const char *path, const char *function);

#endif
