/* apart.c -- memory of ours in somebody else's program.
 *
 * In the heap, blocks have sizes that are powers of two, with a header in each, and
 * those that were given back are kept in a list for each size.  The addresses of
 * mappings are not used again.  From low addresses to high ones the range has
 *
 *     a half for more of the heap | our mappings -> ... <- those for the program | the heap
 *
 * so that what nearly every program needs lies close to its libraries, which are next:
 * each execution is in a copy of the process, which has to have tables for all of it.
 *
 * Invariant: the heap is accessible up to heap_open, in use up to heap_next, and all
 *            zeroes from there on. */
#include "base/apart.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

enum {
    LEAST_BITS = 5,
    LARGE_BITS = 17, /* of so large a block the memory is given back to the kernel */
    MOST_BITS = 40,
    PAGE = 4096,
    STEP = 1 << 20, /* by which the heap grows */
    HEADER = 16,
    SHARED_MAX = 256,
};

#define HALF_MOST  ((size_t)1 << 33)
#define HALF_LEAST ((size_t)1 << 29)
#define NEAR       ((size_t)1 << 27)

struct header {
    size_t bits; /* the block with its header has 1 << bits bytes */
    struct header *next;
};

_Static_assert(sizeof(struct header) == HEADER, "blocks are to be aligned to 16");

bool rdl__is_apart;
_Thread_local bool rdl__for_us __attribute__((tls_model("initial-exec")));
static char *range, *range_end;
static char *heap_next, *heap_open, *heap_end;
static char *maps_start, *maps_next, *maps_end;
static struct header *given_back[MOST_BITS + 1];

/* A program may have an allocator in it, which then comes before any in a library, and
 * would not know our blocks. */
static bool are_asked_first(void)
{
    void *volatile block;
    bool ours;

    rdl__for_us = true;
    block = malloc(1);
    ours = rdl__apart_owns(block);
    free(block);
    rdl__for_us = false;
    return ours;
}

void rdl__apart_begin(void)
{
    struct rlimit limit = {0};
    size_t half = HALF_MOST;

    /* There may be a limit for the whole process, most of which is the program's. */
    getrlimit(RLIMIT_AS, &limit);
    while (half >= HALF_LEAST && limit.rlim_cur / 8 < half)
        half /= 2;
    if (half < HALF_LEAST)
        return;
    range = mmap(NULL, 2 * half, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (range == MAP_FAILED)
        return;
    madvise(range, 2 * half, MADV_NOHUGEPAGE); /* copies of the process are to be cheap */
    maps_start = maps_next = range + half;
    heap_end = range_end = range + 2 * half;
    maps_end = heap_next = heap_open = range_end - NEAR;
    rdl__is_apart = true;
    if (!are_asked_first()) {
        rdl__is_apart = false;
        munmap(range, 2 * half);
    }
}

/* ---- The heap ------------------------------------------------------------------------------ */

bool rdl__apart_owns(const void *memory)
{
    const char *at = memory;

    return rdl__is_apart &&
           ((at >= range_end - NEAR && at < range_end) || (at >= range && at < maps_start));
}

static struct header *header_of(void *memory)
{
    return (struct header *)memory - 1;
}

/* Both parts of the heap are multiples of the step. */
static bool open_up_to(size_t size)
{
    size_t more = (size - (size_t)(heap_open - heap_next) + STEP - 1) & ~(size_t)(STEP - 1);

    if (mprotect(heap_open, more, PROT_READ | PROT_WRITE) != 0)
        return false;
    heap_open += more;
    return true;
}

static struct header *carve(size_t bits)
{
    size_t size = (size_t)1 << bits;
    struct header *block;

    if (size > (size_t)(heap_end - heap_next) && heap_end == range_end) {
        heap_next = heap_open = range;
        heap_end = maps_start;
    }
    if (size > (size_t)(heap_end - heap_next) ||
        (size > (size_t)(heap_open - heap_next) && !open_up_to(size)))
        return NULL;
    block = (struct header *)heap_next;
    heap_next += size;
    block->bits = bits;
    return block;
}

void *rdl__apart_get(size_t size)
{
    size_t bits = LEAST_BITS;
    struct header *block;

    while (bits <= MOST_BITS && ((size_t)1 << bits) - HEADER < size)
        bits++;
    block = bits <= MOST_BITS ? given_back[bits] : NULL;
    if (block) {
        given_back[bits] = block->next;
        if (bits < LARGE_BITS)
            memset(block + 1, 0, size);
    } else {
        block = bits <= MOST_BITS ? carve(bits) : NULL;
    }
    if (!block)
        errno = ENOMEM;
    return block ? block + 1 : NULL;
}

void rdl__apart_put(void *memory)
{
    struct header *block = header_of(memory);
    size_t bits = block->bits;

    if (bits >= LARGE_BITS) { /* the whole pages in it, and what is left at both ends */
        char *page = (char *)(((uintptr_t)memory + PAGE - 1) & ~(uintptr_t)(PAGE - 1));
        char *end = (char *)block + ((size_t)1 << bits);
        char *last = (char *)((uintptr_t)end & ~(uintptr_t)(PAGE - 1));

        memset(memory, 0, (size_t)(page - (char *)memory));
        memset(last, 0, (size_t)(end - last));
        madvise(page, (size_t)(last - page), MADV_DONTNEED);
    }
    block->next = given_back[bits];
    given_back[bits] = block;
}

void *rdl__apart_resize(void *memory, size_t size)
{
    size_t room = ((size_t)1 << header_of(memory)->bits) - HEADER;
    void *larger;

    if (size <= room)
        return memory;
    larger = rdl__apart_get(size);
    if (larger) {
        memcpy(larger, memory, room);
        rdl__apart_put(memory);
    }
    return larger;
}

/* ---- Mappings ------------------------------------------------------------------------------- */

static bool has_room(size_t size)
{
    return rdl__is_apart && size <= (size_t)(maps_end - maps_next);
}

static size_t whole_pages(size_t size)
{
    return (size + PAGE - 1) & ~(size_t)(PAGE - 1);
}

static void *map_at(void *place, size_t size, int flags)
{
    void *memory = mmap(place, size, PROT_READ | PROT_WRITE,
                        flags | MAP_ANONYMOUS | (place ? MAP_FIXED : 0), -1, 0);

    return memory == MAP_FAILED ? NULL : memory;
}

static struct shared {
    const char *start, *end;
} shared[SHARED_MAX];

/* If there are too many, those that are left out count as the program's. */
static void note_shared(const char *start, const char *end)
{
    for (size_t i = 0; i < SHARED_MAX; i++)
        if (!shared[i].start) {
            shared[i] = (struct shared){start, end};
            return;
        }
}

static struct shared *find_shared(const char *memory)
{
    for (size_t i = 0; i < SHARED_MAX; i++)
        if (memory >= shared[i].start && memory < shared[i].end)
            return &shared[i];
    return NULL;
}

bool rdl__map_is_shared(const void *memory)
{
    return find_shared(memory);
}

void *rdl__map(size_t size, int flags)
{
    size_t whole = whole_pages(size);
    void *memory = map_at(has_room(whole) ? maps_next : NULL, size, flags);

    if (memory && memory == maps_next)
        maps_next += whole;
    if (memory && flags & MAP_SHARED)
        note_shared(memory, (char *)memory + whole);
    return memory;
}

void *rdl__map_for_program(size_t size, int flags)
{
    size_t whole = whole_pages(size);
    void *memory = has_room(whole) ? map_at(maps_end - whole, size, flags) : NULL;

    if (memory)
        maps_end -= whole;
    return memory;
}

void rdl__unmap(void *memory, size_t size)
{
    struct shared *known = find_shared(memory);
    bool inside =
        rdl__is_apart && (char *)memory >= maps_start && (char *)memory < range_end - NEAR;

    if (known)
        *known = (struct shared){0};
    /* Nobody else is to be placed there. */
    if (!inside)
        munmap(memory, size);
    else if (mmap(memory, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED,
                  -1, 0) == MAP_FAILED)
        madvise(memory, size, MADV_DONTNEED);
}
