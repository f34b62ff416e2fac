/* stack.c -- a stack of numbers that grows. */
#include "stack.h"

#include <stdlib.h>

void stack_push(struct stack *stack, int item)
{
    if (stack->count == stack->room) {
        stack->room = stack->room ? stack->room * 2 : 4;
        stack->items = realloc(stack->items, stack->room * sizeof *stack->items);
        if (!stack->items)
            abort();
    }
    stack->items[stack->count++] = item;
}

int stack_pop(struct stack *stack)
{
    return stack->items[--stack->count];
}

void stack_release(struct stack *stack)
{
    free(stack->items);
    *stack = (struct stack){0};
}
