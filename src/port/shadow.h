/* shadow.h -- which bytes of the code under test's heap may be accessed.
 *
 * Every eight bytes of the heap (port/heap.h) have a byte here, their shadow: 0 if all of them
 * may be accessed, 1 to 7 if only so many from the first on may, and more if none may.  Both lie
 * at fixed addresses, so that to look one up is a shift and an addition. */
#ifndef RDL__SHADOW_H
#define RDL__SHADOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RDL__HEAP_PLACE   UINT64_C(0x200000000000) /* where no kernel puts anything by itself */
#define RDL__SHADOW_PLACE UINT64_C(0x1f0000000000)

enum { RDL__HEAP_BITS = 36 }; /* the heap is no larger, and begins at a multiple of that size */

enum {
    RDL__SHADOW_MARK = 0xfa,  /* the eight bytes before a block begins, in use or freed */
    RDL__SHADOW_FREED = 0xfd, /* part of a block that was freed */
    RDL__SHADOW_NONE = 0xff,  /* part of no block */
};

/* The bytes of the heap that have a shadow; 0: there is no such heap. */
extern uintptr_t rdl__shadow_span;

/* Reserve the shadow of so many bytes.  Until it is used, everything may be accessed. */
bool rdl__shadow_begin(size_t size);

/* From here on, which is a multiple of 8, so many bytes may be accessed. */
void rdl__shadow_allow(const void *start, size_t size);

/* From the one address to the other, both multiples of 8, none may. */
void rdl__shadow_forbid(const void *start, const void *end, int value);

/* Blocks end here, so nothing that is close behind may be accessed. */
void rdl__shadow_forbid_behind(const void *end);

/* Note the shadow of all blocks up to here; put it back, and forget all from there to `end`. */
void rdl__shadow_save(const void *next);
void rdl__shadow_restore(const void *end);

static inline uint8_t *rdl__shadow_of(uintptr_t address)
{
    return (uint8_t *)(RDL__SHADOW_PLACE + ((address - RDL__HEAP_PLACE) >> 3));
}

/* May all of these bytes be accessed?  There are at most 16: between blocks there are more, so
 * both ends tell.  False: perhaps not. */
__attribute__((always_inline)) static inline bool rdl__shadow_is_clear(uintptr_t address,
                                                                       uintptr_t size)
{
    if (__builtin_expect(address >> RDL__HEAP_BITS != RDL__HEAP_PLACE >> RDL__HEAP_BITS, 1))
        return true;
    if (address - RDL__HEAP_PLACE >= rdl__shadow_span)
        return true;
    return (*rdl__shadow_of(address) | *rdl__shadow_of(address + size - 1)) == 0;
}

/* The first of these bytes that may not be accessed; 0: all may be. */
uintptr_t rdl__shadow_find(uintptr_t address, uintptr_t size);

#endif
