/* allowed.h -- data races that the code under test declares benign: by an annotation, for bytes
 * (RDL_BENIGN_RACE, AnnotateBenignRaceSized) or for a time (AnnotateEnableRaceDetection); or
 * because its user does not count races as failures.
 *
 * An annotation holds for the execution that makes it, and ends when the allocator gives the bytes
 * to somebody anew.  One that is made outside of executions, by set-up code, holds for all. */
#ifndef RDL__SCHED_ALLOWED_H
#define RDL__SCHED_ALLOWED_H

#include <stdbool.h>
#include <stdint.h>

extern bool rdl__races_fail; /* false: no race is a failure, in no execution of this process */

void rdl__allowed_begin(void); /* an execution */

void rdl__race_allow(uintptr_t address, uintptr_t size, bool for_all_executions);
void rdl__race_enable(bool on); /* in this execution, from now on */

/* Is a race for any of these bytes no failure? */
bool rdl__race_is_allowed(uintptr_t address, uintptr_t size);

/* The bytes have a new owner. */
extern uint32_t rdl__allowed_count;
void rdl__race_disallow(uintptr_t address, uintptr_t size);

#endif
