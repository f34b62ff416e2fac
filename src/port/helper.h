/* helper.h -- work that is done in a process made for it. */
#ifndef RDL__HELPER_H
#define RDL__HELPER_H

#include <stdbool.h>

/* Call `work` in a copy of this process, and wait for its end, but not for ever.  What it
 * finds it puts into memory that both share, so that all it had found before something
 * happened to it is there.  Threads of this process may be controlled: they do not notice,
 * and nothing is controlled in the copy.  False: there can be no copy. */
bool rdl__work_apart(void (*work)(void *it), void *it);

/* Where it is counted how much such work is going on, for those who watch how long this process
 * takes: it is none of its own.  NULL: nobody does. */
extern int *rdl__works_apart;

#endif
