/* volatile.h -- the code that test_volatile.c runs: bodies of executions. */
#ifndef TESTS_INSTRUMENTED_VOLATILE_H
#define TESTS_INSTRUMENTED_VOLATILE_H

extern int seen[4]; /* what the threads of a body saw */

/* Right on every machine. */
void message(void);
void message_in_parts(void);
void message_beside_atomics(void);
void flag_alone(void);
void message_between_barriers(void);
void barrier_on_one_side(void);
void counted_between_barriers(void);
void message_by_assembly(void);
void answer_by_assembly(void);
void waits_on_its_stack(void);
void lock_of_assembly(void);
void tickets_of_assembly(void);
void pair_of_assembly(void);
void fence_of_assembly(void);

/* Wrong. */
void no_flag(void);
void flag_too_early(void);
void checked_twice(void);
void flag_read_plainly(void);
void flag_written_plainly(void);
void counted(void);
void counted_by_assembly(void);
void unaligned(void);
void wide(void);
void unaligned_assembly(void);

#endif
