/* child.h -- other programs, as children of this process.
 *
 * A child leads a process group of its own, and dies when the thread that started it does.  It
 * gets none of our descriptors but those it is given as its first three. */
#ifndef RDL__CHILD_H
#define RDL__CHILD_H

#include <stdbool.h>

#include "base/error.h"

struct rdl__child {
    int pid;
    int fd; /* can be read (as poll has it) once it has ended */
};

/* Start it, with these for descriptors 0 to 2. */
bool rdl__child_start(struct rdl__child *out, const char *const *command, const int *three,
                      struct rdl__error *error);

/* It has ended: how?  True: by a signal; *out_number is that, or the exit status. */
bool rdl__child_ended(const struct rdl__child *child, int *out_number);

/* Kill it and its group, wait for it, and forget it. */
void rdl__child_end(struct rdl__child *child);

/* Does all of it sleep?  Then a number that changes when it runs, and never 0.  One that has
 * ended sleeps. */
unsigned long rdl__child_asleep(int pid);

#endif
