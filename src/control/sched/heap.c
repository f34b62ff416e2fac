/* heap.c -- memory that changes hands by way of the allocator.
 *
 * A block that one thread has freed, and another gets, is not shared between them,
 * though nothing that we see orders their accesses.  So a new block is one that
 * nobody has accessed; and to free one is to write all of it: whoever still uses it
 * without synchronisation has a race.
 *
 * These functions are in a file of their own: where a sanitizer brings its own
 * allocator, the linker leaves this one out. */
#include <errno.h>
#include <link.h>
#include <malloc.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "control/sched/inner.h"
#include "control/sched/next.h"
#include "control/sched/watch.h"

/* The caller, if any of this matters to it: a thread that shares memory with others,
 * in a program whose accesses we see. */
static struct rdl__thread *concerned(void)
{
    struct rdl__thread *self = rdl__self();

    return self && rdl__instrumented && !rdl__alone ? self : NULL;
}

static void *fresh(void *memory, size_t size)
{
    if (memory && concerned())
        rdl__race_fresh((uintptr_t)memory, size);
    return memory;
}

struct module {
    uintptr_t inside, low, high;
};

static int find_module(struct dl_phdr_info *info, size_t size, void *context)
{
    struct module *module = context;

    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        uintptr_t low = info->dlpi_addr + part->p_vaddr;

        if (part->p_type == PT_LOAD && module->inside - low < part->p_memsz) {
            module->low = low;
            module->high = low + part->p_memsz;
            return 1;
        }
    }
    return 0;
}

/* The C library may hold a lock of its own when it calls: no switching there. */
static bool is_of_libc(uintptr_t pc)
{
    static struct module libc;

    if (!libc.inside) {
        libc.inside = (uintptr_t)fclose;
        dl_iterate_phdr(find_module, &libc);
    }
    return pc >= libc.low && pc < libc.high;
}

/* The block is about to go, or to move. */
static void given_back(void *block, uintptr_t pc)
{
    if (block && concerned() && !is_of_libc(pc))
        rdl__access((uintptr_t)block, malloc_usable_size(block), RDL__HOW_WRITE | RDL__HOW_FREE,
                    pc);
}

RDL__INTERPOSE void *malloc(size_t size)
{
    return fresh(RDL__NEXT(malloc)(size), size);
}

RDL__INTERPOSE void *calloc(size_t count, size_t size)
{
    return fresh(RDL__NEXT(calloc)(count, size), count * size);
}

RDL__INTERPOSE void free(void *block)
{
    given_back(block, RDL__CALLER);
    RDL__NEXT(free)(block);
}

static void *resize(void *block, size_t size, uintptr_t pc)
{
    uintptr_t old = (uintptr_t)block;
    size_t old_size = block ? malloc_usable_size(block) : 0;
    void *memory;

    given_back(block, pc);
    memory = RDL__NEXT(realloc)(block, size);
    if ((uintptr_t)memory != old)
        return fresh(memory, size);
    if (memory && size > old_size)
        fresh((char *)memory + old_size, size - old_size);
    return memory;
}

RDL__INTERPOSE void *realloc(void *block, size_t size)
{
    return resize(block, size, RDL__CALLER);
}

RDL__INTERPOSE void *reallocarray(void *block, size_t count, size_t size)
{
    size_t whole;

    if (__builtin_mul_overflow(count, size, &whole)) {
        errno = ENOMEM;
        return NULL;
    }
    return resize(block, whole, RDL__CALLER);
}

RDL__INTERPOSE int posix_memalign(void **out, size_t alignment, size_t size)
{
    int why = RDL__NEXT(posix_memalign)(out, alignment, size);

    if (why == 0)
        fresh(*out, size);
    return why;
}

RDL__INTERPOSE void *aligned_alloc(size_t alignment, size_t size)
{
    return fresh(RDL__NEXT(aligned_alloc)(alignment, size), size);
}

RDL__INTERPOSE void *memalign(size_t alignment, size_t size)
{
    return fresh(RDL__NEXT(memalign)(alignment, size), size);
}

RDL__INTERPOSE void *valloc(size_t size)
{
    return fresh(RDL__NEXT(valloc)(size), size);
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
