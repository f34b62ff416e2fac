/* openmp.h -- OpenMP: what the threads of libgomp tell each other, which it does not show.
 *
 * It synchronises by atomics in its own code.  So what it is asked to do is a place to
 * switch threads at; what was done before such a call, or by code that libgomp called, is
 * known to whoever returns from one later, or is called by it. */
#ifndef RDL__OPENMP_H
#define RDL__OPENMP_H

#include "control/sched/sched.h"

/* Where libgomp's code is; size 0: it is not there. */
extern uintptr_t rdl__openmp_start, rdl__openmp_size;

/* Look for it, if it was not there before. */
void rdl__openmp_look(void);

static inline bool rdl__is_openmp(uintptr_t pc)
{
    return __builtin_expect(pc - rdl__openmp_start < rdl__openmp_size, 0);
}

/* It calls a function of the program, and that returns. */
void rdl__openmp_calls(struct rdl__thread *self);
void rdl__openmp_is_back(struct rdl__thread *self);

#endif
