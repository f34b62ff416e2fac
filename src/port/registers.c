/* registers.c -- vector registers, as FXSAVE has written them. */
#include "port/hook.h"

/* Weak: who writes them knows better. */
__attribute__((weak)) uint8_t *rdl__registers_xmm(struct rdl__registers *registers, unsigned number)
{
    enum { XMM_AT = 160, XMM_SIZE = 16 };

    return registers->vectors + XMM_AT + (size_t)number * XMM_SIZE;
}
