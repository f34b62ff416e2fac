/* process.h -- copies of this process. */
#ifndef RDL__PROCESS_H
#define RDL__PROCESS_H

/* As fork, but without what the C library does around it: handlers are not called,
 * and it goes on believing in threads that are parked here.  Returns the copy's
 * number, 0 in the copy, -1 and errno if there is none. */
int rdl__copy_process(void);

/* End all processes that descend from this one, which is the parent of those whose parents have
 * ended (PR_SET_CHILD_SUBREAPER). */
void rdl__end_descendants(void);

#endif
