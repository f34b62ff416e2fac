/* outcomes.h -- the outcomes that the executions of a random program had, in a file they share. */
enum { OUTCOMES = 1 << 15 };

struct outcomes {
    unsigned others;       /* the first executions, which are not for exploring; not counted */
    unsigned began, ended; /* executions; the rest of them met a deadlock */
    unsigned char reached[OUTCOMES];
};
