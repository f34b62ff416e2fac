/* shadow.c -- which bytes of the code under test's heap may be accessed. */
#include "port/shadow.h"

#include <string.h>
#include <sys/mman.h>

#include "base/apart.h"
#include "base/error.h"

enum {
    CELL = 8, /* bytes that have one byte of shadow */
    PAGE = 4096,
    AHEAD = 64 << 10, /* so much behind the last block is forbidden: overflows are short */
    MANY = 4 << 20,   /* so much shadow is given back to the kernel rather than filled */
};

uintptr_t rdl__shadow_span;

/* Invariant: from here on, nothing was ever forbidden. */
static uint8_t *untouched;

/* Of the blocks that are put back before each execution: up to saved_end, and what has changed. */
static uint8_t *saved, *saved_end, *changed, *changed_end;
static size_t saved_room;

bool rdl__shadow_begin(size_t size)
{
    void *place = (void *)RDL__SHADOW_PLACE;
    void *at = mmap(place, size / CELL + PAGE, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);

    if (at == MAP_FAILED)
        return false;
    if (at != place) { /* a kernel that does not know the flag */
        munmap(at, size / CELL + PAGE);
        return false;
    }
    madvise(at, size / CELL + PAGE, MADV_NOHUGEPAGE);
    untouched = saved_end = at;
    return true;
}

static uint8_t *cell_of(const void *address)
{
    return rdl__shadow_of((uintptr_t)address);
}

static void note_change(uint8_t *from, uint8_t *to)
{
    if (from >= saved_end)
        return;
    if (changed == changed_end || from < changed)
        changed = from;
    if (to > changed_end)
        changed_end = to;
}

static void fill(uint8_t *from, uint8_t *to, int value)
{
    if (value == 0 && to > untouched)
        to = untouched;
    if (from >= to)
        return;
    note_change(from, to);
    memset(from, value, (size_t)(to - from));
    if (to > untouched)
        untouched = to;
}

void rdl__shadow_allow(const void *start, size_t size)
{
    uint8_t *cell = cell_of(start);

    fill(cell, cell + size / CELL, 0);
    if (size % CELL)
        fill(cell + size / CELL, cell + size / CELL + 1, (int)(size % CELL));
}

void rdl__shadow_forbid(const void *start, const void *end, int value)
{
    fill(cell_of(start), cell_of(end), value);
}

void rdl__shadow_forbid_behind(const void *end)
{
    uint8_t *from = cell_of(end);

    if (from + AHEAD / CELL > untouched)
        fill(from > untouched ? from : untouched, from + 2 * AHEAD / CELL, RDL__SHADOW_NONE);
}

/* ---- Before each execution ------------------------------------------------------------------- */

void rdl__shadow_save(const void *next)
{
    uint8_t *start = (uint8_t *)RDL__SHADOW_PLACE;
    size_t size = (size_t)(cell_of(next) - start);

    if (size > saved_room) {
        if (saved)
            rdl__unmap(saved, saved_room);
        saved_room = size + PAGE;
        saved = rdl__map(saved_room, MAP_PRIVATE | MAP_NORESERVE);
        if (!saved)
            rdl__stop("no memory is left to note which blocks may be accessed");
    }
    if (size)
        memcpy(saved, start, size);
    saved_end = start + size;
    changed = changed_end = NULL;
}

static void forget(uint8_t *from, uint8_t *to)
{
    uint8_t *page = (uint8_t *)(((uintptr_t)from + PAGE - 1) & ~(uintptr_t)(PAGE - 1));

    if (to - from < MANY) {
        memset(from, RDL__SHADOW_NONE, (size_t)(to - from));
        return;
    }
    memset(from, RDL__SHADOW_NONE, (size_t)(page - from));
    madvise(page, (size_t)(untouched - page), MADV_DONTNEED);
    untouched = page;
}

void rdl__shadow_restore(const void *end)
{
    uint8_t *start = (uint8_t *)RDL__SHADOW_PLACE;

    if (changed < changed_end) {
        if (changed_end > saved_end)
            changed_end = saved_end;
        memcpy(changed, saved + (changed - start), (size_t)(changed_end - changed));
    }
    changed = changed_end = NULL;
    if (cell_of(end) > saved_end)
        forget(saved_end, cell_of(end));
    rdl__shadow_forbid_behind((void *)(RDL__HEAP_PLACE + (uintptr_t)(saved_end - start) * CELL));
}

/* ---- Looking --------------------------------------------------------------------------------- */

uintptr_t rdl__shadow_find(uintptr_t address, uintptr_t size)
{
    uintptr_t end = address + size;

    if (address - RDL__HEAP_PLACE >= rdl__shadow_span)
        return 0;
    if (end - RDL__HEAP_PLACE > rdl__shadow_span || end < address)
        end = RDL__HEAP_PLACE + rdl__shadow_span;
    while (address < end) {
        uintptr_t next = (address | (CELL - 1)) + 1, last = next < end ? next : end;
        uint8_t allowed = *rdl__shadow_of(address);

        if (allowed >= CELL)
            return address;
        if (allowed && last - (next - CELL) > allowed)
            return (address & (CELL - 1)) >= allowed ? address : next - CELL + allowed;
        address = last;
    }
    return 0;
}
