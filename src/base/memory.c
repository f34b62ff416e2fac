/* memory.c -- memory that is there or the process stops; arenas.
 *
 * Invariant: every chunk before arena->current is full, every one after it is
 *            empty; next and end lie in the current one (or are NULL). */
#include "base/memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/apart.h"
#include "base/error.h"

enum {
    ALIGNMENT = 16,
    CHUNK_SIZE = 64 * 1024,
};

static void *first_malloc(size_t size);
static void *first_calloc(size_t count, size_t size);
static void *first_realloc(void *block, size_t size);

void *(*rdl__own_malloc)(size_t size) = first_malloc;
void *(*rdl__own_calloc)(size_t count, size_t size) = first_calloc;
void *(*rdl__own_realloc)(void *block, size_t size) = first_realloc;

/* The first call of malloc() may decide that it is for the code under test from now on, and set
 * these: so it has to come before the first block of ours. */
static void settle(void)
{
    void *volatile block = malloc(1);

    free(block);
    if (rdl__own_malloc != first_malloc)
        return;
    rdl__own_malloc = malloc;
    rdl__own_calloc = calloc;
    rdl__own_realloc = realloc;
}

static void *first_malloc(size_t size)
{
    settle();
    return rdl__own_malloc(size);
}

static void *first_calloc(size_t count, size_t size)
{
    settle();
    return rdl__own_calloc(count, size);
}

static void *first_realloc(void *block, size_t size)
{
    settle();
    return rdl__own_realloc(block, size);
}

struct rdl__chunk {
    struct rdl__chunk *next;
    size_t size;
    _Alignas(ALIGNMENT) char bytes[];
};

/* Present only when the program is linked with AddressSanitizer, whether or
 * not we were compiled with it. */
extern void __asan_poison_memory_region(const volatile void *, size_t) __attribute__((weak));
extern void __asan_unpoison_memory_region(const volatile void *, size_t) __attribute__((weak));

static void poison(const void *from, size_t size)
{
    if (__asan_poison_memory_region)
        __asan_poison_memory_region(from, size);
}

static void unpoison(const void *from, size_t size)
{
    if (__asan_unpoison_memory_region)
        __asan_unpoison_memory_region(from, size);
}

static void *must(void *memory, size_t size)
{
    if (!memory)
        rdl__stop(
            "out of memory: %zu more bytes are needed; fewer --jobs, or smaller cases, need less",
            size);
    return memory;
}

static void *get(size_t size)
{
    return must(rdl__is_apart ? rdl__apart_get(size) : rdl__own_malloc(size), size);
}

void *rdl__allocate(size_t size)
{
    return must(rdl__is_apart ? rdl__apart_get(size) : rdl__own_calloc(1, size ? size : 1), size);
}

void *rdl__reallocate(void *old, size_t size)
{
    if (!old)
        return get(size ? size : 1);
    return must(rdl__own_realloc(old, size ? size : 1), size);
}

char *rdl__duplicate(const char *text)
{
    size_t size = strlen(text) + 1;

    return memcpy(get(size), text, size);
}

char *rdl__duplicate_part(const char *text, size_t length)
{
    char *copy = memcpy(get(length + 1), text, length);

    copy[length] = '\0';
    return copy;
}

static void enter_chunk(struct rdl__arena *arena, struct rdl__chunk *chunk)
{
    arena->current = chunk;
    arena->next = chunk->bytes;
    arena->end = chunk->bytes + chunk->size;
}

/* Make a chunk with room for size current: the next kept one if it is large
 * enough, else a new one put before it. */
static void next_chunk(struct rdl__arena *arena, size_t size)
{
    struct rdl__chunk **after = arena->current ? &arena->current->next : &arena->first;

    if (!*after || (*after)->size < size) {
        size_t room = size > CHUNK_SIZE ? size : CHUNK_SIZE;
        struct rdl__chunk *chunk = get(sizeof *chunk + room);

        chunk->size = room;
        chunk->next = *after;
        *after = chunk;
        poison(chunk->bytes, room);
    }
    enter_chunk(arena, *after);
}

/* How far an object of this size moves the arena on. */
static size_t step_for(size_t size)
{
    size_t gap = __asan_poison_memory_region ? ALIGNMENT : 0;

    return ((size ? size : 1) + gap + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
}

void *rdl__arena_alloc(struct rdl__arena *arena, size_t size)
{
    size_t step;
    char *memory;

    if (size > SIZE_MAX / 2)
        rdl__stop(
            "out of memory: %zu more bytes are needed; fewer --jobs, or smaller cases, need less",
            size);
    step = step_for(size);
    if ((size_t)(arena->end - arena->next) < step)
        next_chunk(arena, step);
    memory = arena->next;
    arena->next += step;
    unpoison(memory, size);
    return memory;
}

void rdl__arena_trim(struct rdl__arena *arena, void *memory, size_t size, size_t keep)
{
    rdl__bug_if(keep > size || arena->next != (char *)memory + step_for(size));
    poison((char *)memory + keep, step_for(size) - keep);
    arena->next = (char *)memory + step_for(keep);
}

void rdl__arena_reset(struct rdl__arena *arena)
{
    if (!arena->first)
        return;
    if (__asan_poison_memory_region)
        for (struct rdl__chunk *chunk = arena->first; chunk; chunk = chunk->next)
            poison(chunk->bytes, chunk->size);
    enter_chunk(arena, arena->first);
}

void rdl__arena_release(struct rdl__arena *arena)
{
    struct rdl__chunk *chunk = arena->first;

    while (chunk) {
        struct rdl__chunk *next = chunk->next;

        unpoison(chunk->bytes, chunk->size);
        free(chunk);
        chunk = next;
    }
    *arena = (struct rdl__arena){0};
}
