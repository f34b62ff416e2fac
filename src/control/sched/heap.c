/* heap.c -- memory that changes hands by way of the allocator.
 *
 * A block that one thread has freed, and another gets, is not shared between them,
 * though nothing that we see orders their accesses.  So a new block is one that
 * nobody has accessed.  (What it means to free one is in wrapped.c.)
 *
 * What the C library allocates for us in a program that is explored is not for the
 * program's heap: see base/apart.h.
 *
 * These functions are in a file of their own: where a sanitizer brings its own
 * allocator, the linker leaves this one out. */
#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "base/apart.h"
#include "control/sched/inner.h"
#include "control/sched/next.h"
#include "control/sched/track.h"

static void *fresh(void *memory, size_t size)
{
    if (memory && rdl__instrumented && !rdl__alone && rdl__self())
        rdl__race_fresh((uintptr_t)memory, size);
    return memory;
}

/* Of a block more is freed than was asked for: all that the allocator has given. */
static size_t given(void *memory, size_t size)
{
    size_t whole = memory && rdl__instrumented ? rdl__block_size(memory) : 0;

    return whole > size ? whole : size;
}

static void *fresh_block(void *memory, size_t size)
{
    return fresh(memory, given(memory, size));
}

RDL__INTERPOSE void *malloc(size_t size)
{
    if (rdl__for_us)
        return rdl__apart_get(size);
    return fresh_block(RDL__NEXT(malloc)(size), size);
}

RDL__INTERPOSE void *calloc(size_t count, size_t size)
{
    size_t whole;

    if (rdl__for_us && !__builtin_mul_overflow(count, size, &whole))
        return rdl__apart_get(whole);
    return fresh_block(RDL__NEXT(calloc)(count, size), count * size);
}

static void *resize(void *block, size_t size)
{
    uintptr_t old = (uintptr_t)block;
    size_t old_size;
    void *memory;

    if (rdl__apart_owns(block))
        return rdl__apart_resize(block, size ? size : 1);
    if (!block && rdl__for_us)
        return rdl__apart_get(size);
    old_size = block ? malloc_usable_size(block) : 0;
    memory = RDL__NEXT(realloc)(block, size);
    if ((uintptr_t)memory != old)
        return fresh_block(memory, size);
    if (memory && size > old_size)
        fresh((char *)memory + old_size, given(memory, size) - old_size);
    return memory;
}

RDL__INTERPOSE void *realloc(void *block, size_t size)
{
    return resize(block, size);
}

RDL__INTERPOSE void *reallocarray(void *block, size_t count, size_t size)
{
    size_t whole;

    if (__builtin_mul_overflow(count, size, &whole)) {
        errno = ENOMEM;
        return NULL;
    }
    return resize(block, whole);
}

/* While the next one is looked for, the loader may free the text of an old error; then
 * that stays where it is. */
RDL__INTERPOSE void free(void *block)
{
    static void (*real)(void *block);
    static bool looking;

    if (rdl__apart_owns(block)) {
        rdl__apart_put(block);
        return;
    }
    if (!real && !looking) {
        looking = true;
        real = RDL__NEXT(free);
    }
    if (real)
        real(block);
}

RDL__INTERPOSE int posix_memalign(void **out, size_t alignment, size_t size)
{
    int why = RDL__NEXT(posix_memalign)(out, alignment, size);

    if (why == 0)
        fresh_block(*out, size);
    return why;
}

RDL__INTERPOSE void *aligned_alloc(size_t alignment, size_t size)
{
    return fresh_block(RDL__NEXT(aligned_alloc)(alignment, size), size);
}

RDL__INTERPOSE void *memalign(size_t alignment, size_t size)
{
    return fresh_block(RDL__NEXT(memalign)(alignment, size), size);
}

RDL__INTERPOSE void *valloc(size_t size)
{
    return fresh_block(RDL__NEXT(valloc)(size), size);
}

RDL__INTERPOSE void *mmap(void *address, size_t size, int protection, int flags, int file,
                          off_t offset)
{
    void *memory = RDL__NEXT(mmap)(address, size, protection, flags, file, offset);

    return memory == MAP_FAILED ? memory : fresh(memory, size);
}

RDL__INTERPOSE void *mmap64(void *address, size_t size, int protection, int flags, int file,
                            off64_t offset)
{
    void *memory = RDL__NEXT(mmap64)(address, size, protection, flags, file, offset);

    return memory == MAP_FAILED ? memory : fresh(memory, size);
}
