/* stack.h -- a stack of numbers that grows. */
#ifndef STACK_H
#define STACK_H

#include <stddef.h>

struct stack {
    int *items;
    size_t count, room;
};

void stack_push(struct stack *stack, int item);
int stack_pop(struct stack *stack); /* there must be one */
void stack_release(struct stack *stack);

#endif
