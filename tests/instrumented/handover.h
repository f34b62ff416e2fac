/* handover.h -- the code that test_handover.c runs: bodies of executions. */
#ifndef TESTS_INSTRUMENTED_HANDOVER_H
#define TESTS_INSTRUMENTED_HANDOVER_H

extern int got; /* the message, as its receiver saw it */

void by_pipe(void);
void by_end_of_pipe(void);
void by_room_in_pipe(void);
void by_poll(void);
void by_epoll(void);
void by_socket(void);
void by_event(void);
void by_stream(void);
void by_futex(void);
void by_handler(void);
void by_sigwait(void);
void by_other_pipe(void);
void by_sleeping(void);

#endif
