/* orders.h -- code with mistakes that show under some schedules only. */
#ifndef ORDERS_H
#define ORDERS_H

extern _Atomic int counter;

void count_in_one_line(void *unused);
void count_in_two_lines(void *unused);

#endif
