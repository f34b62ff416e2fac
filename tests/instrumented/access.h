/* access.h -- the code that test_access.c runs: bodies of executions. */
#ifndef TESTS_INSTRUMENTED_ACCESS_H
#define TESTS_INSTRUMENTED_ACCESS_H

extern int seen[4]; /* what the threads of a body saw */

void plain_counter(void);
void locked_counter(void);
void atomic_counter(void);
void message_relaxed(void);
void message_released(void);
void message_fenced(void);
void message_half_fenced(void);
void message_volatile(void);
void message_annotated(void);
void message_benign(void);
void atomic_and_plain(void);
void compared_and_read_plainly(void);
void neighbours(void);
void bit_fields(void);
void stack_of_main(void);
void stacks_used_again(void);
void freed_while_read(void);
void freed_and_allocated(void);
void reallocated_while_read(void);
void detached_writer(void);
void joined_writer(void);
void copies_of_structs(void);
void reads_side_by_side(void);
void store_buffering(void);
void load_then_store(void);
void ping_pong(void);
void calls_and_jumps(void);
void release_sequence(void);
void broken_release_sequence(void);

#endif
