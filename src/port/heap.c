/* heap.c -- the heap of the code under test, in programs with tests of controlled threads.
 *
 * Blocks have sizes of classes: the multiples of 16 up to 1 KiB, then four to each doubling.  A
 * block that is freed is the next of its class to be given, so addresses repeat as they do with
 * the C library's.  Blocks are never joined. */
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

enum {
    PAGE = 4096,
    UNIT = 16,
    SMALL = 1024,
    CLASSES = SMALL / UNIT + 4 * 38,
    LARGE = 32 << 20, /* so much memory is given back to the kernel; faults cost more for less */
    MODULES_MAX = 64,
};

#define PLACE       ((char *)0x200000000000) /* where no kernel puts anything by itself */
#define RANGE_MOST  ((size_t)1 << 36)
#define RANGE_LEAST ((size_t)1 << 30)

enum { LIVE = 0x6c697665, FREED = 0x66726565, ALIGNED = 0x616c676e };

struct header {
    uint32_t state;
    uint32_t class;
    union {
        struct header *next; /* FREED */
        size_t offset;       /* ALIGNED: from the block that it lies in */
        size_t size;         /* LIVE: as asked for */
    };
};

_Static_assert(sizeof(struct header) == UNIT, "blocks are aligned");

static struct state {
    char *next;
    struct header *freed[CLASSES];
} heap, saved;

/* What only the sanitizer itself has. */
extern void __asan_init(void) __attribute__((weak));
extern void __hwasan_init(void) __attribute__((weak));
extern void __msan_init(void) __attribute__((weak));
extern void __tsan_locate_address(void) __attribute__((weak));

bool rdl__heap_is_on;
static char *range, *range_end; /* stacks are taken from the end */
static bool is_used;            /* since its state was noted */
static bool is_reserved;

/* ---- Whose -------------------------------------------------------------------------------- */

static struct {
    uintptr_t start, end;
    bool is_theirs;
} modules[MODULES_MAX];
static uint32_t module_count;

/* Seldom: once for each module. */
static bool look_up(uintptr_t pc)
{
    struct dl_find_object found;
    uint32_t at;
    bool is_theirs;

    if (_dl_find_object((void *)pc, &found) != 0)
        return true; /* code that was made while the program runs */
    is_theirs = !rdl__module_is_runtime(found.dlfo_link_map->l_name);
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
    return rdl__heap_is_on && is_theirs(pc);
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
        madvise(at, size, MADV_NOHUGEPAGE);
        range = heap.next = at;
        range_end = at + size;
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
    rdl__heap_is_on = true;
    block = allocate(1);
    rdl__heap_is_on = rdl__heap_owns(block);
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

static struct header *carve(uint32_t class)
{
    size_t bytes = bytes_of(class);
    struct header *block = (struct header *)heap.next;

    if (bytes > (size_t)(range_end - heap.next))
        return NULL;
    heap.next += bytes;
    return block;
}

static void *get(size_t size, bool zeroed)
{
    uint32_t class = class_of(size + UNIT);
    struct header *block = class < CLASSES ? heap.freed[class] : NULL;
    bool is_clean = false;

    if (block) {
        heap.freed[class] = block->next;
    } else if (class < CLASSES) {
        block = carve(class);
        is_clean = true;
    }
    if (!block)
        return NULL;
    *block = (struct header){.state = LIVE, .class = class, .size = size};
    if (zeroed && !is_clean)
        memset(block + 1, 0, size);
    return block + 1;
}

/* In front of the aligned address there is a header as well, which leads to the real one. */
static void *get_aligned(size_t size, size_t alignment, bool zeroed)
{
    char *block = get(size + alignment, zeroed), *aligned;

    if (!block || (uintptr_t)block % alignment == 0)
        return block;
    aligned = (char *)(((uintptr_t)block + alignment - 1) & ~(uintptr_t)(alignment - 1));
    *header_of(aligned) = (struct header){.state = ALIGNED, .offset = (size_t)(aligned - block)};
    return aligned;
}

void *rdl__heap_get(size_t size, size_t alignment, bool zeroed)
{
    void *block = NULL;

    if (size < RANGE_MOST && alignment < RANGE_MOST) {
        get_lock();
        is_used = true;
        block = alignment <= UNIT ? get(size, zeroed) : get_aligned(size, alignment, zeroed);
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

static void *real_block(const void *block)
{
    const struct header *header = header_of(block);

    if ((uintptr_t)block % UNIT != 0 || (const char *)block >= heap.next)
        complain("free(): invalid pointer\n");
    return (char *)(uintptr_t)block - (header->state == ALIGNED ? header->offset : 0);
}

size_t rdl__heap_size(const void *block)
{
    const char *real = real_block(block);

    return bytes_of(header_of(real)->class) - UNIT - (size_t)((const char *)block - real);
}

/* Pages that are to be put back must stay as they are: dirty.h would not see that they go. */
static void give_back_pages(struct header *block, size_t bytes)
{
    char *start = (char *)(((uintptr_t)(block + 1) + PAGE - 1) & ~(uintptr_t)(PAGE - 1));
    char *end = (char *)((uintptr_t)((char *)block + bytes) & ~(uintptr_t)(PAGE - 1));

    if ((char *)block >= saved.next && start < end)
        madvise(start, (size_t)(end - start), MADV_DONTNEED);
}

void rdl__heap_put(void *block)
{
    struct header *header = header_of(real_block(block));

    if (header->state == FREED)
        complain("free(): double free detected\n");
    if (header->state != LIVE || header->class >= CLASSES)
        complain("free(): invalid pointer\n");
    get_lock();
    is_used = true;
    if (bytes_of(header->class) >= LARGE)
        give_back_pages(header, bytes_of(header->class));
    header->state = FREED;
    header->next = heap.freed[header->class];
    heap.freed[header->class] = header;
    put_lock();
}

void *rdl__heap_resize(void *block, size_t size)
{
    size_t room = rdl__heap_size(block);
    void *other;

    if (size <= room && size >= room / 2) {
        header_of(real_block(block))->size = size;
        return block;
    }
    other = rdl__heap_get(size, UNIT, false);
    if (other) {
        memcpy(other, block, size < room ? size : room);
        rdl__heap_put(block);
    }
    return other;
}

/* ---- Before each execution ------------------------------------------------------------------- */

void rdl__heap_save(char **out_start, char **out_end)
{
    saved = heap;
    is_used = false;
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
    if ((size_t)(to - from) >= LARGE) {
        madvise(page, (size_t)(to - page), MADV_DONTNEED);
        to = page;
    }
    memset(from, 0, (size_t)(to - from));
    heap = saved;
    is_used = false;
}
