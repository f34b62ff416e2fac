/* outcomes.h -- the outcomes that the executions of a random program had, in a file they share. */
enum { OUTCOMES = 1 << 15 };

struct outcomes {
    unsigned began, ended; /* executions; others met a deadlock */
    unsigned char reached[OUTCOMES];
};
