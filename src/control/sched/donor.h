/* donor.h -- real threads that lend their stack and their thread-local variables.
 *
 * A donor is a real thread, made by the C library like any other, so that its
 * stack has a guard, its thread-local variables are in order, and debuggers and
 * sanitizers know it.  It then leaves its stack for a tiny one, and sleeps there
 * in the kernel until it is to end; meanwhile the carrier runs controlled threads
 * on the stack it left.  Donors are used again, one controlled thread after the
 * other. */
#ifndef RDL__DONOR_H
#define RDL__DONOR_H

#include <pthread.h>
#include <setjmp.h>
#include <stdint.h>

#include "port/tls.h"

struct rdl__donor {
    void *place;  /* where its stack was left */
    uintptr_t fs; /* its thread-local variables */
    uintptr_t stack_low, stack_high;
    void (*run)(void *argument); /* what to do when the carrier comes; then ended(donor) */
    void *argument;

    pthread_t thread;
    uint64_t number; /* in the order in which they are made */
    int state;       /* a futex: see donor.c */
    bool fresh;      /* nothing has run on it yet */
    bool special;    /* made with attributes of its own: not used again */
    struct rdl__tls tls;
    jmp_buf top;       /* of its stack, where nothing runs */
    void **back;       /* who had it rewound: where its stack was left, */
    uintptr_t back_fs; /* and its variables */
    struct rdl__donor *next;
};

/* A donor that runs nothing; NULL: no thread could be made, errno says why.
 * Attributes may be NULL. */
struct rdl__donor *rdl__donor_get(const pthread_attr_t *attributes);

/* Give it back; its last controlled thread has come to its end. */
void rdl__donor_put(struct rdl__donor *donor);

/* Its controlled thread will never come to its end; it is to run another.  Called on the
 * donor's own stack, by somebody who left his, at *place, for that; he goes on. */
_Noreturn void rdl__donor_rewind(struct rdl__donor *donor, void **place, uintptr_t fs);

/* Did one lend its belongings to a controlled thread of this handle, and has them back? */
bool rdl__donor_lent(pthread_t handle);

/* Have so many ready. */
void rdl__donors_prepare(uint32_t count);

/* In a process that was copied with rdl__copy_process: the donors' stacks and variables
 * are here, their kernel threads are not, which nobody will miss. */
void rdl__donors_are_copies(void);

/* In a process that was copied by fork: there are none, and the C library gives their stacks, and
 * with them their handles, to other threads. */
void rdl__donors_are_gone(void);

/* How many real threads of this process are donors, in use or not. */
extern uint32_t rdl__donor_count;

/* End those that are not in use. */
void rdl__donors_release(void);

#endif
