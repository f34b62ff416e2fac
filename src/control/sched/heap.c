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
#include "base/memory.h"
#include "control/sched/allowed.h"
#include "control/sched/blocks.h"
#include "control/sched/inner.h"
#include "control/sched/left.h"
#include "control/sched/mappings.h"
#include "control/sched/memory.h"
#include "control/sched/next.h"
#include "control/sched/seen.h"
#include "control/sched/state.h"
#include "control/sched/track.h"
#include "control/sched/world.h"
#include "port/addresses.h"
#include "port/bind.h"
#include "port/heap.h"
#include "port/maps.h"

enum { PAGE = 4096 };

static void *fresh(void *memory, size_t size)
{
    if (memory && rdl__instrumented && rdl__self()) {
        if (rdl__allowed_count > 0)
            rdl__race_disallow((uintptr_t)memory, size);
        if (!rdl__alone)
            rdl__race_fresh((uintptr_t)memory, size);
    }
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

/* The code under test has a heap of its own, in tests (port/heap.h).  Once that is in use, ours
 * and the C library's own blocks come from the C library's heap. */
static bool is_for_tests(uintptr_t pc)
{
    static bool asked, is_set;

    if (!asked) {
        asked = true;
        rdl__bind_all();
        if (rdl__is_started_anew())
            rdl__heap_begin();
    }
    if (__builtin_expect(rdl__heap_takes_us && !is_set, 0)) {
        is_set = true;
        rdl__own_malloc = RDL__NEXT(malloc);
        rdl__own_calloc = RDL__NEXT(calloc);
        rdl__own_realloc = RDL__NEXT(realloc);
    }
    return rdl__heap_is_for(pc);
}

RDL__INTERPOSE void *malloc(size_t size)
{
    uintptr_t pc = rdl__memory_caller(RDL__CALLER);

    if (rdl__for_us)
        return rdl__apart_get(size);
    if (is_for_tests(pc))
        return fresh_block(rdl__memory_get(size, 1, false, pc), size);
    return fresh_block(RDL__NEXT(malloc)(size), size);
}

RDL__INTERPOSE void *calloc(size_t count, size_t size)
{
    uintptr_t pc = rdl__memory_caller(RDL__CALLER);
    size_t whole;

    if (rdl__for_us && !__builtin_mul_overflow(count, size, &whole))
        return rdl__apart_get(whole);
    if (is_for_tests(pc) && !__builtin_mul_overflow(count, size, &whole))
        return fresh_block(rdl__memory_get(whole, 1, true, pc), whole);
    return fresh_block(RDL__NEXT(calloc)(count, size), count * size);
}

static void *resize_in_place_or_not(void *block, size_t size, uintptr_t pc)
{
    if (!rdl__heap_owns(block))
        return RDL__NEXT(realloc)(block, size);
    if (size > 0)
        return rdl__memory_resize(block, size, pc);
    rdl__memory_put(block, pc); /* as the C library does it */
    return NULL;
}

static void *resize(void *block, size_t size, uintptr_t pc)
{
    uintptr_t old = (uintptr_t)block;
    size_t old_size;
    void *memory;

    if (rdl__apart_owns(block))
        return rdl__apart_resize(block, size ? size : 1);
    if (!block && rdl__for_us)
        return rdl__apart_get(size);
    if (!block && is_for_tests(pc))
        return fresh_block(rdl__memory_get(size, 1, false, pc), size);
    old_size = block ? malloc_usable_size(block) : 0;
    memory = resize_in_place_or_not(block, size, pc);
    if ((uintptr_t)memory != old)
        return fresh_block(memory, size);
    if (memory && size > old_size)
        fresh((char *)memory + old_size, given(memory, size) - old_size);
    return memory;
}

RDL__INTERPOSE void *realloc(void *block, size_t size)
{
    return resize(block, size, rdl__memory_caller(RDL__CALLER));
}

RDL__INTERPOSE void *reallocarray(void *block, size_t count, size_t size)
{
    size_t whole;

    if (__builtin_mul_overflow(count, size, &whole)) {
        errno = ENOMEM;
        return NULL;
    }
    return resize(block, whole, rdl__memory_caller(RDL__CALLER));
}

/* While the next one is looked for, the loader may free the text of an old error; then
 * that stays where it is. */
RDL__INTERPOSE void free(void *block)
{
    static void (*real)(void *block);
    static bool looking;

    if (rdl__heap_owns(block)) {
        rdl__memory_put(block, rdl__memory_caller(RDL__CALLER));
        return;
    }
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

RDL__INTERPOSE size_t malloc_usable_size(void *block)
{
    return rdl__heap_owns(block) ? rdl__heap_size(block) : RDL__NEXT(malloc_usable_size)(block);
}

static bool is_power_of_two(size_t number)
{
    return number > 0 && (number & (number - 1)) == 0;
}

RDL__INTERPOSE int posix_memalign(void **out, size_t alignment, size_t size)
{
    void *memory;
    int why;

    if (is_power_of_two(alignment) && alignment % sizeof(void *) == 0 &&
        is_for_tests(RDL__CALLER)) {
        why = errno;
        memory = fresh_block(rdl__memory_get(size, alignment, false, RDL__CALLER), size);
        errno = why;
        if (!memory)
            return ENOMEM;
        *out = memory;
        return 0;
    }
    why = RDL__NEXT(posix_memalign)(out, alignment, size);
    if (why == 0)
        fresh_block(*out, size);
    return why;
}

RDL__INTERPOSE void *aligned_alloc(size_t alignment, size_t size)
{
    if (is_power_of_two(alignment) && is_for_tests(RDL__CALLER))
        return fresh_block(rdl__memory_get(size, alignment, false, RDL__CALLER), size);
    return fresh_block(RDL__NEXT(aligned_alloc)(alignment, size), size);
}

RDL__INTERPOSE void *memalign(size_t alignment, size_t size)
{
    if (is_power_of_two(alignment) && is_for_tests(RDL__CALLER))
        return fresh_block(rdl__memory_get(size, alignment, false, RDL__CALLER), size);
    return fresh_block(RDL__NEXT(memalign)(alignment, size), size);
}

RDL__INTERPOSE void *valloc(size_t size)
{
    if (is_for_tests(RDL__CALLER))
        return fresh_block(rdl__memory_get(size, PAGE, false, RDL__CALLER), size);
    return fresh_block(RDL__NEXT(valloc)(size), size);
}

/* The program's blocks and the C library's. */
RDL__INTERPOSE struct mallinfo2 mallinfo2(void)
{
    struct rdl__heap_use use;
    struct mallinfo2 all;

    rdl__come_as_row("mallinfo2", NULL, RDL__CALLER);
    all = RDL__NEXT(mallinfo2)();
    use = rdl__heap_use();
    all.uordblks += use.bytes - use.mapped_bytes;
    all.hblks += use.mapped_blocks;
    all.hblkhd += use.mapped_bytes;
    return all;
}

static void *note_mapping(void *memory, size_t size, int flags, int file, off64_t offset,
                          uintptr_t pc)
{
    if (memory == MAP_FAILED)
        return memory;
    if (!rdl__self())
        rdl__maps_note(memory, size, flags, pc);
    if (!(flags & MAP_FIXED))
        rdl__remains_mapped((intptr_t)((size + PAGE - 1) / PAGE * PAGE), pc);
    if (flags & (MAP_SHARED | MAP_FIXED) || !(flags & MAP_ANONYMOUS))
        rdl__mapped((uintptr_t)memory, size, flags, file, offset);
    rdl__block_mapped(memory, size, pc);
    return fresh(memory, size);
}

/* The descriptor may be closed by another thread. */
static void come_to_mapped_file(int file, int flags, uintptr_t pc)
{
    struct rdl__thread *self = rdl__self();
    struct rdl__file it;
    struct rdl__op op;

    if (!self || flags & MAP_ANONYMOUS || rdl__is_alone() || rdl__is_own(pc))
        return;
    rdl__file_look(file, &it);
    op = rdl__file_op(&it, pc);
    op.touch = RDL__READS;
    rdl__point(self, &op);
}

RDL__INTERPOSE void *mmap(void *address, size_t size, int protection, int flags, int file,
                          off_t offset)
{
    void *memory;

    come_to_mapped_file(file, flags, RDL__CALLER);
    rdl__come_to_map(address, flags, RDL__CALLER);
    memory = RDL__NEXT(mmap)(address, size, protection, flags, file, offset);
    return note_mapping(memory, size, flags, file, offset, RDL__CALLER);
}

RDL__INTERPOSE void *mmap64(void *address, size_t size, int protection, int flags, int file,
                            off64_t offset)
{
    void *memory;

    come_to_mapped_file(file, flags, RDL__CALLER);
    rdl__come_to_map(address, flags, RDL__CALLER);
    memory = RDL__NEXT(mmap64)(address, size, protection, flags, file, offset);
    return note_mapping(memory, size, flags, file, offset, RDL__CALLER);
}
