/* memory.c -- wrong uses of the heap: what they are, in words. */
#include "control/sched/memory.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "control/sched/blocks.h"
#include "control/sched/callers.h"
#include "control/sched/inner.h"
#include "control/sched/next.h"
#include "control/sched/seen.h"
#include "control/sched/track.h"
#include "port/heap.h"

bool rdl__memory_fails = true;
_Thread_local volatile uintptr_t rdl__memory_at __attribute__((tls_model("initial-exec")));

/* ---- Whether to look ------------------------------------------------------------------------- */

static bool is_allowed;

/* A program with an allocator of its own keeps that. */
static bool is_of_libc(void)
{
    return rdl__find_next("malloc") == rdl__of_libc("malloc");
}

static void begin(void)
{
    if (!rdl__instrumented)
        return;
    if (is_allowed && !rdl__heap_is_on && is_of_libc())
        rdl__heap_begin();
    rdl__heap_is_guarded = true;
}

void rdl__memory_allow(void)
{
    is_allowed = true;
    begin();
}

void rdl__memory_begin(void)
{
    begin();
}

/* An execution that has failed is over, but for the ends of its threads. */
static bool is_checked(const struct rdl__thread *self)
{
    return self && rdl__heap_is_guarded && !rdl__sched.failing;
}

/* ---- In words -------------------------------------------------------------------------------- */

static const char *ending(size_t count)
{
    return count == 1 ? "" : "s";
}

/* Of whatever the heap has there, the kind and the story. */
static void add_block(struct rdl__text *out, const struct rdl__heap_block *found, const char *kind)
{
    struct rdl__block block = rdl__block_of(found);

    rdl__text_add(out, " a %s", kind);
    rdl__block_add_words(out, &block);
    rdl__text_add(out, "\n");
    rdl__block_add_story(out, &block);
}

/* "main reads 4 bytes at list.c:31"; size 0: nobody knows how many. */
static void add_access(struct rdl__text *out, const struct rdl__thread *self, uintptr_t size,
                       unsigned how, uintptr_t pc)
{
    rdl__text_add(out, "%s %s ", rdl__thread_name(self), how & RDL__HOW_WRITE ? "writes" : "reads");
    if (size == 0)
        rdl__text_add(out, "bytes");
    else
        rdl__text_add(out, "%zu byte%s", (size_t)size, ending(size));
    rdl__text_add(out, "%s at %s",
                  (how & (RDL__HOW_ATOMIC | RDL__HOW_VOLATILE)) == RDL__HOW_ATOMIC ? " atomically"
                                                                                   : "",
                  rdl__at_stack(pc, &self->callers, NULL));
}

static void add_part(struct rdl__text *out, const char *which, uintptr_t count, const char *where)
{
    if (count == 1)
        rdl__text_add(out, ", the %s of them %s", which, where);
    else
        rdl__text_add(out, ", the %s %zu of them %s", which, (size_t)count, where);
}

/* Where it is, as seen from the block; it is not all in there. */
static void add_distance(struct rdl__text *out, uintptr_t address, uintptr_t size,
                         const struct rdl__heap_block *block)
{
    uintptr_t end = block->start + block->size;

    if (address >= end)
        rdl__text_add(out, ", %zu byte%s after the end of", (size_t)(address - end + 1),
                      ending(address - end + 1));
    else if (address >= block->start)
        add_part(out, "last", address + size - end, "after the end of");
    else if (address + size <= block->start)
        rdl__text_add(out, ", %zu byte%s before", (size_t)(block->start - address),
                      ending(block->start - address));
    else
        add_part(out, "first", block->start - address, "before");
}

_Noreturn static void fail(struct rdl__thread *self, uintptr_t pc, struct rdl__text *text)
{
    char copy[2048];

    snprintf(copy, sizeof copy, "%s", rdl__text_string(text));
    rdl__text_release(text);
    (void)self;
    rdl__memory_at = 0;
    rdl__execution_fails(RDL__BY_MEMORY, pc, "%s", copy);
}

/* Is this one to be a failure?  Then it is known how the thread came here. */
static bool counts(struct rdl__thread *self, uintptr_t pc)
{
    if (!rdl__memory_fails) {
        rdl__limit(RDL__LIMIT_BOUND, "memory errors were met that do not count as failures", "");
        return false;
    }
    rdl__callers_of(self, rdl__blamed(self, pc), &self->callers);
    return true;
}

/* ---- Accesses -------------------------------------------------------------------------------- */

void rdl__memory_look(struct rdl__thread *self, uintptr_t address, uintptr_t size, unsigned how,
                      uintptr_t pc)
{
    uintptr_t bad = rdl__shadow_find(address, size ? size : 1);
    struct rdl__heap_block block;
    struct rdl__text text = {0};
    bool is_freed;

    if (!bad || !is_checked(self) || !rdl__heap_find(bad, &block))
        return;
    is_freed = block.is_freed && bad - block.start < block.size;
    if ((size == 0 && !is_freed) || !counts(self, pc))
        return;
    pc = rdl__blamed(self, pc);
    rdl__text_add(&text, "%s: ",
                  is_freed                          ? "use after free"
                  : bad >= block.start + block.size ? "heap overflow"
                                                    : "heap underflow");
    add_access(&text, self, size, how, pc);
    if (is_freed)
        rdl__text_add(&text, " of");
    else
        add_distance(&text, address, size, &block);
    add_block(&text, &block, block.is_freed && !is_freed ? "freed " : "");
    fail(self, pc, &text);
}

void rdl__memory_filled(struct rdl__thread *self, const void *at, intptr_t size, uintptr_t pc)
{
    if (size > 0 && rdl__is_instrumented(pc))
        rdl__memory_look(self, (uintptr_t)at, (uintptr_t)size, RDL__HOW_WRITE, pc);
}

/* ---- Freeing --------------------------------------------------------------------------------- */

static void refuse(struct rdl__thread *self, const void *at, uintptr_t pc)
{
    struct rdl__text text = {0};
    struct rdl__heap_block block;
    bool is_twice = rdl__heap_kind(at) == RDL__HEAP_FREED;
    bool has_block = rdl__heap_find((uintptr_t)at, &block);

    if (!counts(self, pc))
        return;
    pc = rdl__blamed(self, pc);
    rdl__text_add(&text, "%s: %s frees at %s", is_twice ? "double free" : "invalid free",
                  rdl__thread_name(self), rdl__at_stack(pc, &self->callers, NULL));
    if (!has_block) {
        rdl__text_add(&text, " %s\n",
                      rdl__stack_owner((uintptr_t)at) ? "a variable on a stack"
                                                      : "a static variable");
        fail(self, pc, &text);
    }
    if (!is_twice && (uintptr_t)at > block.start)
        rdl__text_add(&text, " what is %zu byte%s behind the start of",
                      (size_t)((uintptr_t)at - block.start), ending((uintptr_t)at - block.start));
    else if (!is_twice)
        rdl__text_add(&text, " what is %zu byte%s before", (size_t)(block.start - (uintptr_t)at),
                      ending(block.start - (uintptr_t)at));
    add_block(&text, &block, block.is_freed && !is_twice ? "freed " : "");
    fail(self, pc, &text);
}

static bool is_variable(const void *at)
{
    struct dl_find_object found;

    return rdl__stack_owner((uintptr_t)at) || _dl_find_object((void *)(uintptr_t)at, &found) == 0;
}

void rdl__memory_check_free(struct rdl__thread *self, const void *block, uintptr_t pc)
{
    if (!is_checked(self) || !rdl__heap_is_on)
        return;
    if (rdl__heap_owns(block) ? rdl__heap_kind(block) != RDL__HEAP_LIVE : is_variable(block))
        refuse(self, block, pc);
}

/* ---- The allocator --------------------------------------------------------------------------- */

void *rdl__memory_get(size_t size, size_t alignment, bool zeroed, uintptr_t pc)
{
    void *block = rdl__heap_get(size, alignment, zeroed, rdl__block_note(pc));

    rdl__block_record(block, pc, false);
    return block;
}

void rdl__memory_put(void *block, uintptr_t pc)
{
    rdl__memory_check_free(rdl__self(), block, pc);
    rdl__block_record(block, pc, true);
    rdl__heap_put(block, rdl__block_note(pc));
}

void *rdl__memory_resize(void *block, size_t size, uintptr_t pc)
{
    void *other;

    rdl__memory_check_free(rdl__self(), block, pc);
    other = rdl__heap_resize(block, size, rdl__block_note(pc));
    if (other && other != block) {
        rdl__block_record(block, pc, true);
        rdl__block_record(other, pc, false);
    }
    return other;
}
