/* plain.h -- what threads meet in, in an object that is not instrumented. */
#ifndef PLAIN_H
#define PLAIN_H

void plain_lock(void);
void plain_unlock(void);

void plain_put(void *letter); /* into a box for one letter */
void *plain_take(void);       /* waits for it */

/* The same, without letting others run meanwhile. */
void plain_spin_lock(void);
void *plain_spin_take(void);
void *plain_count_and_take(void); /* and how often it has looked */

void plain_log(const char *text); /* keeps nobody waiting */
void plain_call(void (*function)(void));

#endif
