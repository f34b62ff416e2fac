/* seen.h -- functions of the code that test_seen.c asks about. */
#ifndef TESTS_INSTRUMENTED_SEEN_H
#define TESTS_INSTRUMENTED_SEEN_H

extern int seen_value;

int reads_memory(void);
int calls_others(int (*function)(int));
int reads_constants(unsigned index);
int sorts_its_own(int seed);
int chooses(int which);
int computes(int which, int a, int b);
struct five {
    long numbers[5];
};
struct five returns_five(long first, int direction);
int is_kept_out(void);
void is_kept_out_and_writes(int *to, int value);
int is_kept_out_and_calls(int (*function)(int));

#endif
