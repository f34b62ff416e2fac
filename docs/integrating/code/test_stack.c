/* test_stack.c -- what must hold of the stack. */
#include <raddle.h>

#include "stack.h"

RDL_PROPERTY(what_is_pushed_last_is_popped_first)
{
    struct stack stack = {0};
    int items[100];
    int count = (int)rdl_int(t, 0, 100);

    for (int i = 0; i < count; i++) {
        items[i] = (int)rdl_int(t, -1000, 1000);
        stack_push(&stack, items[i]);
    }
    for (int i = count - 1; i >= 0; i--)
        rdl_check_eq(stack_pop(&stack), items[i]);
    stack_release(&stack);
}

RDL_PROPERTY(a_stack_counts_what_is_in_it)
{
    struct stack stack = {0};
    int count = (int)rdl_int(t, 0, 20);

    for (int i = 0; i < count; i++)
        stack_push(&stack, i);
    rdl_check_eq(stack.count, count);
    stack_release(&stack);
}

RDL_MAIN
