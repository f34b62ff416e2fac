/* switch.h -- from one stack, and one set of thread-local variables, to another. */
#ifndef RDL__SWITCH_H
#define RDL__SWITCH_H

#include <stdbool.h>
#include <stdint.h>

/* Where the thread-local variables of the calling thread are (the FS base). */
static inline uintptr_t rdl__thread_pointer(void)
{
    uintptr_t here;

    __asm__("mov %%fs:0, %0" : "=r"(here));
    return here;
}

/* Find out how this CPU and kernel let us set it.  Once, before the first switch. */
void rdl__switch_prepare(void);

/* Leave this stack, keeping its place in *save, for the one kept in `to`; from
 * then on thread-local variables are those at fs.  Returns when somebody switches
 * back. */
void rdl__switch(void **save, void *to, uintptr_t fs);

/* Leave this stack, keeping its place in *save, and call function(argument) on
 * another one, whose upper end, a multiple of 16, is given.  It must not return. */
void rdl__call_on(void **save, void *stack_end, void (*function)(void *argument), void *argument);

#endif
