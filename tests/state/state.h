/* state.h -- what the programs of run_state.sh share: pairs of bodies, one wrong, one right.
 *
 *     ./programs CASE wrong|right
 *
 * Both threads run the body of the case; in the right program they do so with a lock held. */
#ifndef TESTS_STATE_H
#define TESTS_STATE_H

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct pair {
    const char *name;
    void (*before)(void);       /* in main, before threads are started; may be NULL */
    void (*body)(int me);       /* in both threads, which are 0 and 1 */
    void (*after)(void);        /* in main, when they have ended; may be NULL */
    void (*right_body)(int me); /* of the right program, without a lock; NULL: body, locked */
    bool instrumented;          /* only `raddle cc` can see it */
};

/* Go to a folder that nobody else has; main removes it. */
void own_folder(void);

/* The number in a file or a text, 0 if there is none; and back. */
int number_in(const char *text);

extern const struct pair memory_pairs[], file_pairs[], call_pairs[], lock_pairs[];

#endif
