/* credit.h -- the code that test_credit.c runs. */
#ifndef TESTS_INSTRUMENTED_CREDIT_H
#define TESTS_INSTRUMENTED_CREDIT_H

enum { NOTES = 256 };

/* What its threads noted, in the order in which they did: who, and at what time. */
extern long notes[NOTES];
extern int note_count;

/* Threads that compute, lock, sleep, read the clock, offer their turn, wait in loops. */
void busy_threads(void *unused);

/* Two threads that compute for long, and nothing else. */
void two_compute(void *unused);

/* One computes on after it has let another go. */
void one_lets_go(void *unused);

#endif
