/* blocks.c -- blocks and mappings: who made them, in words.
 *
 * A block of the heap has notes of who allocated it and who freed it (port/heap.h).  Mappings stand
 * in a table here, the newest of them; those of earlier executions have no story, since another
 * thread may have its number now.
 *
 * Invariant: no two mappings of the table overlap. */
#include "control/sched/blocks.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "base/apart.h"
#include "control/sched/callers.h"
#include "control/sched/clocks.h"
#include "control/sched/inner.h"
#include "control/sched/seen.h"
#include "port/shadow.h"

enum {
    PC_BITS = 48,
    NOBODY = 0xffff,   /* instead of the number of a thread */
    STORIES = 1 << 12, /* blocks whose story is kept */
    MAPPINGS = 256,    /* that are known */
    PAGE = 4096,
};

/* ---- Who did it ------------------------------------------------------------------------------ */

uint64_t rdl__block_note(uintptr_t pc)
{
    const struct rdl__thread *self = rdl__self();

    return (pc & ((UINT64_C(1) << PC_BITS) - 1)) | (uint64_t)(self ? self->number : NOBODY)
                                                       << PC_BITS;
}

static uintptr_t pc_of(uint64_t note)
{
    return note & ((UINT64_C(1) << PC_BITS) - 1);
}

/* It may have ended. */
static const char *name_of(uint64_t note)
{
    uint32_t number = (uint32_t)(note >> PC_BITS);

    for (uint32_t id = 0; id < rdl__sched.view.threads; id++)
        if (rdl__sched.threads[id]->number == number)
            return rdl__thread_name(rdl__sched.threads[id]);
    return number == NOBODY ? "the program" : "a thread that has ended";
}

/* While steps are recorded, the calls by which blocks were made and freed. */
struct story {
    uintptr_t block;
    struct rdl__call_stack made, freed;
};
static struct story *stories; /* NULL: they are not kept */

static struct story *story_of(uintptr_t block)
{
    return &stories[block / 16 % STORIES];
}

static bool is_recorded(void)
{
    return rdl__self() && rdl__sched.t->trace->on;
}

/* operator new calls malloc() for the program. */
static void read_calls(uintptr_t pc, struct rdl__call_stack *out)
{
    struct rdl__callers *callers = &out->callers;

    out->pc = pc;
    if (rdl__is_instrumented(pc)) {
        rdl__callers_of(rdl__self(), pc, callers);
        return;
    }
    rdl__callers_by_stack(pc, callers);
    for (uint32_t i = 0; i < callers->count; i++)
        if (rdl__is_instrumented(callers->pcs[i])) {
            out->pc = callers->pcs[i];
            callers->count -= i + 1;
            memmove(callers->pcs, callers->pcs + i + 1, callers->count * sizeof *callers->pcs);
            return;
        }
}

void rdl__block_record(const void *block, uintptr_t pc, bool frees)
{
    struct story *story;

    if (!is_recorded() || !block)
        return;
    if (!stories)
        stories = rdl__map(STORIES * sizeof *stories, MAP_PRIVATE | MAP_NORESERVE);
    if (!stories)
        return;
    story = story_of((uintptr_t)block);
    if (!frees || story->block != (uintptr_t)block)
        *story = (struct story){.block = (uintptr_t)block};
    read_calls(pc, frees ? &story->freed : &story->made);
}

static void tell(struct rdl__block_act *act, uint64_t note, const struct rdl__call_stack *calls)
{
    snprintf(act->thread, sizeof act->thread, "%s", name_of(note));
    if (calls && calls->pc)
        act->from = *calls;
    else
        act->from.pc = pc_of(note);
    act->from.is_origin = true;
}

/* ---- Mappings -------------------------------------------------------------------------------- */

static struct mapping {
    uintptr_t start, size; /* 0: none */
    uint64_t execution;    /* in which it was made */
    uint64_t note;
} mappings[MAPPINGS];
static uint32_t next_mapping; /* to be replaced, when the table is full */

/* Of one that loses its middle, the beginning stays known. */
void rdl__block_unmapped(const void *start, size_t size)
{
    uintptr_t from = (uintptr_t)start, end = from + (size + PAGE - 1) / PAGE * PAGE;

    for (struct mapping *it = mappings; it < mappings + MAPPINGS; it++) {
        uintptr_t it_end = it->start + it->size;

        if (it->start >= end || it_end <= from)
            continue;
        if (it->start < from) {
            it->size = from - it->start;
        } else {
            it->size = it_end > end ? it_end - end : 0;
            it->start = end;
        }
    }
}

void rdl__block_mapped(const void *start, size_t size, uintptr_t pc)
{
    struct mapping *it = mappings;

    if (!rdl__self() || rdl__is_own(pc))
        return;
    rdl__block_unmapped(start, size);
    while (it < mappings + MAPPINGS && it->size > 0)
        it++;
    if (it == mappings + MAPPINGS)
        it = &mappings[next_mapping++ % MAPPINGS];
    *it = (struct mapping){(uintptr_t)start, size, rdl__objects.execution, rdl__block_note(pc)};
    rdl__block_record(start, pc, false);
}

static struct rdl__block block_of_mapping(const struct mapping *it)
{
    struct rdl__block block = {.kind = RDL__MAPPING, .start = it->start, .size = it->size};

    if (it->execution == rdl__objects.execution)
        tell(&block.made, it->note,
             stories && story_of(it->start)->block == it->start ? &story_of(it->start)->made
                                                                : NULL);
    return block;
}

/* ---- Looking --------------------------------------------------------------------------------- */

struct rdl__block rdl__block_of(const struct rdl__heap_block *found)
{
    const struct story *story =
        stories && story_of(found->start)->block == found->start ? story_of(found->start) : NULL;
    struct rdl__block block = {.kind = RDL__HEAP_BLOCK,
                               .is_freed = found->is_freed,
                               .start = found->start,
                               .size = found->size};

    tell(&block.made, found->allocated, story ? &story->made : NULL);
    if (found->is_freed)
        tell(&block.freed, found->freed, story ? &story->freed : NULL);
    return block;
}

struct rdl__block rdl__block_at(uintptr_t address)
{
    struct rdl__heap_block found;

    if (rdl__heap_is_guarded && rdl__shadow_span && rdl__heap_find(address, &found) &&
        address - found.start < found.size)
        return rdl__block_of(&found);
    for (const struct mapping *it = mappings; it < mappings + MAPPINGS; it++)
        if (address - it->start < it->size)
            return block_of_mapping(it);
    return (struct rdl__block){.kind = RDL__NO_BLOCK};
}

/* ---- In words -------------------------------------------------------------------------------- */

void rdl__block_add_words(struct rdl__text *out, const struct rdl__block *block)
{
    rdl__text_add(out, "%s of %zu byte%s", block->kind == RDL__MAPPING ? "mapping" : "block",
                  (size_t)block->size, block->size == 1 ? "" : "s");
}

static void add_act(struct rdl__text *out, const struct rdl__block_act *act, const char *did)
{
    rdl__text_add(out, "%s %s at %s", act->thread, did, rdl__at_calls(&act->from, NULL));
}

void rdl__block_add_story(struct rdl__text *out, const struct rdl__block *block)
{
    if (!block->made.thread[0])
        return;
    add_act(out, &block->made, block->kind == RDL__MAPPING ? "mapped it" : "allocated it");
    if (block->is_freed) {
        rdl__text_add(out, ", ");
        add_act(out, &block->freed, "freed it");
    }
    rdl__text_add(out, "\n");
}
