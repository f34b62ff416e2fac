/* floating.h -- how the processor rounds, and which exceptions of floating point it has seen. */
#ifndef RDL__FLOATING_H
#define RDL__FLOATING_H

#include <stdint.h>

struct rdl__floating {
    uint32_t mxcsr;
    uint16_t control; /* of the x87 */
};

static inline struct rdl__floating rdl__floating_get(void)
{
    struct rdl__floating now;

    __asm__ volatile("stmxcsr %0\n\tfnstcw %1" : "=m"(now.mxcsr), "=m"(now.control));
    return now;
}

static inline void rdl__floating_set(struct rdl__floating wanted)
{
    __asm__ volatile("ldmxcsr %0\n\tfldcw %1" : : "m"(wanted.mxcsr), "m"(wanted.control));
}

#endif
