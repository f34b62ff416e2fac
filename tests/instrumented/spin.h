/* spin.h -- the loops that test_spin.c runs: bodies of executions. */
#ifndef TESTS_INSTRUMENTED_SPIN_H
#define TESTS_INSTRUMENTED_SPIN_H

extern int came_out; /* of a body */

/* These come to their end under every schedule. */
void lock_by_exchange(void);
void lock_by_comparing(void);
void lock_tested_first(void);
void lock_with_tickets(void);
void lock_in_a_queue(void);
void lock_of_peterson(void);
void bounded_wait(void);
void bounded_wait_on_the_stack(void);
void counting_wait(void);
void wait_by_chance(void);
void plain_wait(void);
void yielding_wait(void);
void wait_in_rounds(void);
void wait_with_backoff(void);
void sequence_lock(void);
void two_values(void);
void deep_wait(void);
void wait_on_its_own_stack(void);
void lock_once(void);

/* These do not. */
void wait_for_ever(void);
void wait_for_ever_alone(void);
void wait_for_ever_yielding(void);
void wait_for_ever_in_rounds(void);
void wait_for_ever_with_backoff(void);
void wait_for_each_other(void);
void wait_for_one_that_waits(void);
void lock_twice(void);

#endif
