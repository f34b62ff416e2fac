/* counter.h -- what counter.c counts with. */
#ifndef TESTS_CC_COUNTER_H
#define TESTS_CC_COUNTER_H

void count(void);
int counted(void);

#endif
