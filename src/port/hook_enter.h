/* hook_enter.h -- from an instruction that has a hook to a function in C, and back. */
#ifndef RDL__HOOK_ENTER_H
#define RDL__HOOK_ENTER_H

#include "port/hook.h"

enum { RDL__RED_ZONE = 128 };

/* To be called by code that has moved the stack pointer down by the red zone, and moves it
 * back when this has returned.  Keeps all registers, calls rdl__hook_dispatch, and brings
 * them back; then returns, or goes to registers->rip if that returned true. */
void rdl__hook_enter(void);

/* Where rdl__hook_dispatch returns to; the address lies below registers->vectors. */
extern const char rdl__hook_enter_behind[];

/* Find out how this CPU keeps its vector registers.  Before the first hook. */
void rdl__hook_enter_prepare(void);

/* Written in C: whom to call.  `behind` is the return address of the call to
 * rdl__hook_enter. */
bool rdl__hook_dispatch(struct rdl__registers *registers, uintptr_t behind);

#endif
