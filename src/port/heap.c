/* heap.c -- the heap of the code under test, in programs with tests of controlled threads.
 *
 * Blocks have sizes of classes: the multiples of 16 up to 1 KiB, then four to each doubling.  A
 * block that is freed is the next of its class to be given, so addresses repeat as they do with
 * the C library's.  Blocks are never joined.
 *
 * If the heap is guarded, freed blocks wait until others have been freed after them, and a block
 * that is resized moves: whoever still uses the old one meets no other in its place.  The header
 * of a block is what lies between it and the one before; nobody but us may access it. */
#include "port/heap.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <linux/futex.h>
#include <malloc.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "port/calls.h"
#include "port/kernel.h"
#include "port/modules.h"
#include "port/shadow.h"

enum {
    PAGE = 4096,
    UNIT = 16,
    SMALL = 1024,
    CLASSES = SMALL / UNIT + 4 * 38,
    LARGE = 32 << 20,  /* so much memory is given back to the kernel; faults cost more for less */
    WAITING = 1 << 20, /* bytes of freed blocks that are not given again yet */
    MODULES_MAX = 64,
};

#define PLACE       ((char *)RDL__HEAP_PLACE)
#define RANGE_MOST  ((size_t)1 << RDL__HEAP_BITS)
#define RANGE_LEAST ((size_t)1 << 30)

enum { LIVE = 0x6c69, FREED = 0x6672, ALIGNED = 0x616c };

/* Of a block that is aligned, the last eight bytes of another one lie before it: it is ALIGNED. */
struct header {
    uint64_t allocated, freed; /* notes of who did so */
    size_t size;               /* as asked for */
    uint32_t link;             /* FREED: the number of the next one; ALIGNED: units to the block */
    uint16_t class;
    uint16_t state;
};

_Static_assert(sizeof(struct header) % UNIT == 0, "blocks are aligned");

static struct state {
    char *next;
    struct header *freed[CLASSES];
    struct header *oldest, *newest; /* freed blocks that wait; NULL: none do */
    size_t waiting;                 /* their bytes */
    struct rdl__heap_use use;
} heap, saved;

/* What only the sanitizer itself has. */
extern void __asan_init(void) __attribute__((weak));
extern void __hwasan_init(void) __attribute__((weak));
extern void __msan_init(void) __attribute__((weak));
extern void __tsan_locate_address(void) __attribute__((weak));

bool rdl__heap_is_on, rdl__heap_is_guarded, rdl__heap_takes_us;
static char *range, *range_end; /* stacks are taken from the end */
static bool is_used;            /* since its state was noted */
static bool is_reserved, is_tried;

/* ---- Whose -------------------------------------------------------------------------------- */

static struct {
    uintptr_t start, end;
    bool is_theirs;
} modules[MODULES_MAX];
static uint32_t module_count;

/* We may be part of the program, and then cannot be told from it by the module. */
static bool is_library_of_ours(const struct dl_find_object *module)
{
    struct dl_find_object own;

    return module->dlfo_link_map->l_name[0] != '\0' &&
           _dl_find_object((void *)is_library_of_ours, &own) == 0 &&
           own.dlfo_map_start == module->dlfo_map_start;
}

/* Seldom: once for each module. */
static bool look_up(uintptr_t pc)
{
    struct dl_find_object found;
    uint32_t at;
    bool is_theirs;

    if (_dl_find_object((void *)pc, &found) != 0)
        return true; /* code that was made while the program runs */
    is_theirs = !rdl__module_is_runtime(found.dlfo_link_map->l_name) && !is_library_of_ours(&found);
    at = __atomic_load_n(&module_count, __ATOMIC_ACQUIRE);
    if (at < MODULES_MAX) {
        modules[at].start = (uintptr_t)found.dlfo_map_start;
        modules[at].end = (uintptr_t)found.dlfo_map_end;
        modules[at].is_theirs = is_theirs;
        __atomic_store_n(&module_count, at + 1, __ATOMIC_RELEASE);
    }
    return is_theirs;
}

static bool is_theirs(uintptr_t pc)
{
    uint32_t count = __atomic_load_n(&module_count, __ATOMIC_ACQUIRE);

    for (uint32_t i = 0; i < count; i++)
        if (pc >= modules[i].start && pc < modules[i].end)
            return modules[i].is_theirs;
    return look_up(pc);
}

bool rdl__heap_is_for(uintptr_t pc)
{
    return rdl__heap_is_on && (is_tried || is_theirs(pc));
}

bool rdl__heap_owns(const void *block)
{
    return (const char *)block >= range && (const char *)block < range_end;
}

/* ---- One thread at a time ------------------------------------------------------------------ */

static int lock; /* 1: held; 2: somebody may wait for it */

static void get_lock(void)
{
    int free = 0;

    if (__atomic_compare_exchange_n(&lock, &free, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
        return;
    while (__atomic_exchange_n(&lock, 2, __ATOMIC_ACQUIRE) != 0)
        rdl__kernel(SYS_futex, (long)&lock, FUTEX_WAIT_PRIVATE, 2, 0, 0, 0);
}

static void put_lock(void)
{
    if (__atomic_exchange_n(&lock, 0, __ATOMIC_RELEASE) == 2)
        rdl__kernel(SYS_futex, (long)&lock, FUTEX_WAKE_PRIVATE, 1, 0, 0, 0);
}

/* ---- The range ------------------------------------------------------------------------------ */

static bool reserve(void)
{
    for (size_t size = RANGE_MOST; size >= RANGE_LEAST; size /= 2) {
        char *at = mmap(PLACE, size, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);

        if (at == MAP_FAILED)
            continue;
        if (!rdl__shadow_begin(size)) {
            munmap(at, size);
            continue;
        }
        madvise(at, size, MADV_NOHUGEPAGE);
        range = heap.next = at;
        range_end = at + size;
        rdl__shadow_span = size;
        return true;
    }
    return false;
}

/* Some do not even allow the address. */
static bool has_other_allocator(void)
{
    return __asan_init || __hwasan_init || __msan_init || __tsan_locate_address ||
           rdl__is_in_valgrind();
}

void rdl__heap_begin(void)
{
    void *(*volatile allocate)(size_t size) = malloc; /* compilers know what malloc() may read */
    void *block;

    if (is_reserved || has_other_allocator() || !reserve())
        return;
    is_reserved = true;
    rdl__heap_takes_us = is_theirs((uintptr_t)rdl__heap_begin);
    rdl__heap_is_on = is_tried = true;
    block = allocate(1);
    rdl__heap_is_on = rdl__heap_owns(block);
    is_tried = false;
    free(block);
    if (rdl__heap_is_on)
        pthread_atfork(get_lock, put_lock, put_lock);
}

void *rdl__heap_map(size_t size)
{
    char *stack = range_end - ((size + PAGE - 1) & ~(size_t)(PAGE - 1));

    if (!rdl__heap_is_on || stack < heap.next || stack < range)
        return NULL;
    range_end = stack;
    rdl__shadow_span = (uintptr_t)(range_end - range);
    return stack;
}

/* ---- Blocks --------------------------------------------------------------------------------- */

/* The smallest class whose blocks have so many bytes, with their headers. */
static uint32_t class_of(size_t bytes)
{
    uint32_t bits;

    if (bytes <= SMALL)
        return (uint32_t)((bytes + UNIT - 1) / UNIT) - 1;
    bits = 63 - (uint32_t)__builtin_clzl(bytes - 1); /* of the largest power of two below it */
    return SMALL / UNIT + 4 * (bits - 10) +
           (uint32_t)((bytes - 1 - ((size_t)1 << bits)) >> (bits - 2));
}

static size_t bytes_of(uint32_t class)
{
    uint32_t step = class - SMALL / UNIT;

    if (class < SMALL / UNIT)
        return (class + 1) * (size_t)UNIT;
    return ((size_t)(step % 4 + 5)) << (step / 4 + 8);
}

static struct header *header_of(const void *block)
{
    return (struct header *)(uintptr_t)block - 1;
}

/* Blocks have numbers, so that they fit into headers; 0: none. */
static uint32_t number_of(const struct header *block)
{
    return block ? (uint32_t)((size_t)((const char *)block - range) / UNIT) + 1 : 0;
}

static struct header *numbered(uint32_t number)
{
    return number ? (struct header *)(range + (size_t)(number - 1) * UNIT) : NULL;
}

static struct header *carve(uint32_t class)
{
    size_t bytes = bytes_of(class);
    struct header *block = (struct header *)heap.next;

    if (bytes > (size_t)(range_end - heap.next))
        return NULL;
    heap.next += bytes;
    rdl__shadow_forbid_behind(heap.next);
    return block;
}

/* Who reaches into the rest of a large block has gone wrong by more than a little. */
static const char *end_of_guard(const struct header *block, const char *end)
{
    enum { MOST = 64 << 10 };
    const char *whole = (const char *)block + bytes_of(block->class);

    return whole - end > MOST ? end + MOST : whole;
}

static char *rounded_up(char *address, size_t unit)
{
    return (char *)(((uintptr_t)address + unit - 1) & ~(uintptr_t)(unit - 1));
}

/* The block that begins here, in this memory, may be accessed; what is around it, may not. */
static void guard(const struct header *block, char *start)
{
    char *end = rounded_up(start + block->size, 8);

    rdl__shadow_forbid(block, start - 8, RDL__SHADOW_NONE);
    rdl__shadow_forbid(start - 8, start, RDL__SHADOW_MARK);
    rdl__shadow_allow(start, block->size);
    rdl__shadow_forbid(end, end_of_guard(block, end), RDL__SHADOW_NONE);
}

/* In front of the aligned address there is a part of a header, which leads to the real one. */
static char *align(struct header *block, size_t alignment)
{
    char *start = (char *)(block + 1), *aligned = rounded_up(start, alignment);

    if (aligned != start) {
        header_of(aligned)->state = ALIGNED;
        header_of(aligned)->link = (uint32_t)((size_t)(aligned - start) / UNIT);
    }
    return aligned;
}

/* A block comes into use, or goes out of it. */
static void count(size_t size, size_t blocks)
{
    enum { MAPPED = 128 << 10 }; /* from this size on, as mallopt(3) has it */

    heap.use.bytes += blocks * size;
    if (size >= MAPPED) {
        heap.use.mapped_blocks += blocks;
        heap.use.mapped_bytes += blocks * size;
    }
}

struct rdl__heap_use rdl__heap_use(void)
{
    return heap.use;
}

static void *get(size_t size, size_t alignment, bool zeroed, uint64_t note)
{
    uint32_t class = class_of(size + sizeof(struct header) + (alignment > UNIT ? alignment : 0));
    struct header *block = class < CLASSES ? heap.freed[class] : NULL;
    bool is_clean = false;
    char *start;

    if (block) {
        heap.freed[class] = numbered(block->link);
    } else if (class < CLASSES) {
        block = carve(class);
        is_clean = true;
    }
    if (!block)
        return NULL;
    *block =
        (struct header){.state = LIVE, .class = (uint16_t) class, .size = size, .allocated = note};
    start = align(block, alignment);
    guard(block, start);
    count(size, 1);
    if (zeroed && !is_clean)
        memset(start, 0, size);
    return start;
}

void *rdl__heap_get(size_t size, size_t alignment, bool zeroed, uint64_t note)
{
    void *block = NULL;

    if (size < RANGE_MOST && alignment < RANGE_MOST) {
        get_lock();
        is_used = true;
        block = get(size, alignment, zeroed, note);
        put_lock();
    }
    if (!block)
        errno = ENOMEM;
    return block;
}

/* As the C library does it. */
_Noreturn static void complain(const char *text)
{
    rdl__kernel(SYS_write, STDERR_FILENO, (long)text, (long)strlen(text), 0, 0, 0);
    abort();
}

static bool begins_at(const void *block)
{
    return (uintptr_t)block % UNIT == 0 && (const char *)block > range &&
           (const char *)block <= heap.next &&
           *rdl__shadow_of((uintptr_t)block - 1) == RDL__SHADOW_MARK;
}

static struct header *real_header(const void *block)
{
    struct header *header = header_of(block);

    return header_of((const char *)block -
                     (header->state == ALIGNED ? (size_t)header->link * UNIT : 0));
}

static struct header *checked_header(const void *block)
{
    struct header *header = begins_at(block) ? real_header(block) : NULL;

    if (!header || (header->state != LIVE && header->state != FREED) || header->class >= CLASSES)
        complain("free(): invalid pointer\n");
    return header;
}

enum rdl__heap_kind rdl__heap_kind(const void *block)
{
    if (!rdl__heap_owns(block) || !begins_at(block))
        return RDL__HEAP_NO_BLOCK;
    return real_header(block)->state == LIVE ? RDL__HEAP_LIVE : RDL__HEAP_FREED;
}

/* A guarded block is as large as it was asked for. */
size_t rdl__heap_size(const void *block)
{
    const struct header *header = checked_header(block);

    return rdl__heap_is_guarded
               ? header->size
               : bytes_of(header->class) - (size_t)((const char *)block - (const char *)header);
}

/* Pages that are to be put back must stay as they are: dirty.h would not see that they go. */
static void give_back_pages(struct header *block, size_t bytes)
{
    char *start = (char *)(((uintptr_t)(block + 1) + PAGE - 1) & ~(uintptr_t)(PAGE - 1));
    char *end = (char *)((uintptr_t)((char *)block + bytes) & ~(uintptr_t)(PAGE - 1));

    if ((char *)block >= saved.next && start < end)
        madvise(start, (size_t)(end - start), MADV_DONTNEED);
}

static void give_again(struct header *block)
{
    block->link = number_of(heap.freed[block->class]);
    heap.freed[block->class] = block;
}

/* The one that was freed last waits however large it is. */
static void let_wait(struct header *block)
{
    block->link = 0;
    if (heap.newest)
        heap.newest->link = number_of(block);
    else
        heap.oldest = block;
    heap.newest = block;
    heap.waiting += bytes_of(block->class);
    while (heap.waiting > WAITING && heap.oldest != heap.newest) {
        struct header *first = heap.oldest;

        heap.oldest = numbered(first->link);
        heap.waiting -= bytes_of(first->class);
        give_again(first);
    }
}

void rdl__heap_put(void *block, uint64_t note)
{
    struct header *header = checked_header(block);

    if (header->state == FREED)
        complain("free(): double free detected\n");
    get_lock();
    is_used = true;
    rdl__shadow_forbid(block, rounded_up((char *)block + header->size, 8), RDL__SHADOW_FREED);
    if (bytes_of(header->class) >= LARGE)
        give_back_pages(header, bytes_of(header->class));
    header->state = FREED;
    header->freed = note;
    count(header->size, (size_t)-1);
    if (rdl__heap_is_guarded)
        let_wait(header);
    else
        give_again(header);
    put_lock();
}

void *rdl__heap_resize(void *block, size_t size, uint64_t note)
{
    struct header *header = checked_header(block);
    size_t room = rdl__heap_size(block);
    void *other;

    if (!rdl__heap_is_guarded && size <= room && size >= room / 2) {
        get_lock();
        is_used = true;
        count(header->size, (size_t)-1);
        count(size, 1);
        header->size = size;
        guard(header, block);
        put_lock();
        return block;
    }
    other = rdl__heap_get(size, UNIT, false, note);
    if (other) {
        memcpy(other, block, size < room ? size : room);
        rdl__heap_put(block, note);
    }
    return other;
}

/* ---- Looking --------------------------------------------------------------------------------- */

static void describe(const uint8_t *mark, struct rdl__heap_block *out)
{
    uintptr_t start = RDL__HEAP_PLACE + (uintptr_t)(mark + 1 - rdl__shadow_of(RDL__HEAP_PLACE)) * 8;
    const struct header *header = real_header((void *)start);

    *out = (struct rdl__heap_block){.start = start,
                                    .size = header->size,
                                    .is_freed = header->state == FREED,
                                    .allocated = header->allocated,
                                    .freed = header->freed};
}

/* Of two blocks, the one that is closer, as overflows go further than underflows. */
bool rdl__heap_find(uintptr_t address, struct rdl__heap_block *out)
{
    const uint8_t *first = rdl__shadow_of(RDL__HEAP_PLACE),
                  *end = rdl__shadow_of((uintptr_t)heap.next);
    const uint8_t *here = rdl__shadow_of(address), *left = here, *right = here;
    struct rdl__heap_block next;
    bool found;

    if (!rdl__heap_owns((void *)address))
        return false;
    while (left > first && left[-1] != RDL__SHADOW_MARK)
        left--;
    found = left > first;
    if (found)
        describe(left - 1, out);
    if (found && address - out->start < out->size)
        return true;
    while (right < end && *right != RDL__SHADOW_MARK)
        right++;
    if (right >= end)
        return found;
    describe(right, &next);
    if (!found || next.start - address <= address - (out->start + out->size))
        *out = next;
    return true;
}

/* ---- Before each execution ------------------------------------------------------------------- */

void rdl__heap_save(char **out_start, char **out_end)
{
    saved = heap;
    is_used = false;
    if (rdl__heap_is_on)
        rdl__shadow_save(heap.next);
    *out_start = range;
    *out_end = heap.next;
}

bool rdl__heap_extent(char **out_start, char **out_end)
{
    if (!rdl__heap_is_on)
        return false;
    *out_start = range;
    *out_end = heap.next;
    return true;
}

void rdl__heap_restore(void)
{
    char *from = saved.next, *to = heap.next;
    char *page = (char *)(((uintptr_t)from + PAGE - 1) & ~(uintptr_t)(PAGE - 1));

    if (!is_used)
        return;
    rdl__shadow_restore(to);
    if ((size_t)(to - from) >= LARGE) {
        madvise(page, (size_t)(to - page), MADV_DONTNEED);
        to = page;
    }
    memset(from, 0, (size_t)(to - from));
    heap = saved;
    is_used = false;
}
