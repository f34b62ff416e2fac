/* mappings.c -- pages that a program has at several addresses.
 *
 * Mappings that share their pages with others are in a list, in the order in which they were
 * made.  Two of them have pages in common if they are of one file, or of one segment of shared
 * memory, and their offsets overlap. */
#include "control/sched/mappings.h"

#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/shm.h>

#include "base/memory.h"
#include "control/sched/blocks.h"
#include "control/sched/left.h"
#include "control/sched/next.h"
#include "control/sched/state.h"
#include "control/sched/track.h"
#include "port/kernel.h"
#include "port/maps.h"

RDL__ASKED_FOR(mappings);

enum { PAGE = 4096 };
#define SEGMENTS UINT64_MAX /* the device that stands for segments of shared memory */

struct mapping {
    uintptr_t start, size;
    uint64_t device, file, offset;
    bool is_private; /* its pages are the file's until they are written */
};

static struct mapping *all;
static uint32_t count, room;
bool rdl__aliased;

static bool is_same_file(const struct mapping *a, const struct mapping *b)
{
    return a->device == b->device && a->file == b->file;
}

static bool overlap(const struct mapping *a, const struct mapping *b)
{
    return is_same_file(a, b) && !a->is_private && !b->is_private &&
           a->offset < b->offset + b->size && b->offset < a->offset + a->size;
}

static void look_for_aliases(void)
{
    rdl__aliased = false;
    for (uint32_t i = 1; i < count && !rdl__aliased; i++)
        for (uint32_t j = 0; j < i && !rdl__aliased; j++)
            rdl__aliased = overlap(&all[i], &all[j]);
}

static const struct mapping *find(uintptr_t address)
{
    for (uint32_t i = 0; i < count; i++)
        if (address - all[i].start < all[i].size)
            return &all[i];
    return NULL;
}

uintptr_t rdl__canonical_slowly(uintptr_t address)
{
    const struct mapping *it = find(address);
    uint64_t offset;

    if (!it)
        return address;
    offset = it->offset + (address - it->start);
    for (const struct mapping *first = all; first < it; first++)
        if (is_same_file(first, it) && !first->is_private && !it->is_private &&
            offset - first->offset < first->size)
            return first->start + (uintptr_t)(offset - first->offset);
    return address;
}

static void add(const struct mapping *new)
{
    if (count == room) {
        room = room ? room * 2 : 16;
        all = rdl__reallocate(all, room * sizeof *all);
    }
    for (uint32_t i = 0; i < count; i++)
        if (is_same_file(&all[i], new) && all[i].is_private != new->is_private && rdl__self())
            rdl__limit(RDL__LIMIT_BOUND,
                       "a private mapping was not seen to change with a shared one of its file",
                       "");
    all[count++] = *new;
    look_for_aliases();
}

/* Whether another thread races for pages of a file that are mapped once more is known only as long
 * as both have them. */
static void note_removal(const struct mapping *it)
{
    if (it->device < SEGMENTS - 1 && !it->is_private && rdl__self() && !rdl__is_alone())
        rdl__limit(RDL__LIMIT_BOUND,
                   "data races were not looked for between mappings of a file that were there at "
                   "different times",
                   "");
}

/* Take out what of them lies there, and keep what is left on either side. */
static void unmapped(uintptr_t start, size_t size)
{
    uintptr_t end = start + (size + PAGE - 1) / PAGE * PAGE;

    for (uint32_t i = 0; i < count; i++) {
        struct mapping *it = &all[i], after = *it;

        if (it->start >= end || start >= it->start + it->size)
            continue;
        note_removal(it);
        after.size = it->start + it->size > end ? it->start + it->size - end : 0;
        after.offset += end - it->start;
        after.start = end;
        it->size = it->start < start ? start - it->start : 0;
        if (after.size)
            add(&after);
    }
    for (uint32_t i = 0; i < count;)
        if (all[i].size == 0)
            memmove(&all[i], &all[i + 1], (--count - i) * sizeof *all);
        else
            i++;
    look_for_aliases();
}

/* Executions that map a file see what earlier ones have left in it. */
static void note_use(int fd, bool is_private)
{
    if (!rdl__self())
        return;
    rdl__handles_used(fd);
    rdl__left_used(fd, !is_private);
}

void rdl__mapped(uintptr_t address, size_t size, int flags, int fd, int64_t offset)
{
    struct mapping new = {
        .start = address, .size = (size + PAGE - 1) / PAGE * PAGE, .offset = (uint64_t)offset};
    struct stat status;

    if (count > 0 && flags & MAP_FIXED)
        unmapped(address, size);
    new.is_private = !(flags & MAP_SHARED); /* or MAP_SHARED_VALIDATE, which has that bit */
    if (new.is_private && flags &MAP_ANONYMOUS)
        return;
    if (flags & MAP_ANONYMOUS) {
        new.device = SEGMENTS - 1; /* its own file, known by its address */
        new.file = address;
        new.offset = 0;
    } else if (rdl__kernel_fstat(fd, &status) == 0) {
        note_use(fd, new.is_private);
        new.device = status.st_dev;
        new.file = status.st_ino;
    } else {
        return;
    }
    add(&new);
}

bool rdl__is_mapped(const struct stat *file)
{
    for (uint32_t i = 0; i < count; i++)
        if (all[i].device == file->st_dev && all[i].file == file->st_ino)
            return true;
    return false;
}

/* ---- Interposed ------------------------------------------------------------------------------ */

static void come_as(const char *name, const void *address, uintptr_t pc)
{
    struct rdl__thread *self = rdl__self();
    uint64_t a[6] = {(uint64_t)address};

    if (self)
        rdl__come_to_call(self, rdl__call_row(name), a, pc);
}

void rdl__come_to_unmap(const void *address, uintptr_t pc)
{
    come_as("munmap", address, pc);
}

void rdl__come_to_map(const void *address, int flags, uintptr_t pc)
{
    come_as(flags & MAP_FIXED ? "munmap" : "mmap", address, pc);
}

RDL__INTERPOSE int munmap(void *address, size_t size)
{
    int result;

    rdl__come_to_unmap(address, RDL__CALLER);
    if (count > 0)
        unmapped((uintptr_t)address, size);
    result = RDL__NEXT(munmap)(address, size);
    if (result == 0 && !rdl__self())
        rdl__maps_forget(address, size);
    if (result == 0)
        rdl__block_unmapped(address, size);
    if (result == 0)
        rdl__remains_mapped(-(intptr_t)((size + PAGE - 1) / PAGE * PAGE), RDL__CALLER);
    return result;
}

RDL__INTERPOSE void *mremap(void *old, size_t old_size, size_t size, int flags, ...)
{
    const struct mapping *found = find((uintptr_t)old);
    struct mapping moved = found ? *found : (struct mapping){0};
    void *wanted = NULL, *memory;
    va_list arguments;

    va_start(arguments, flags);
    if (flags & MREMAP_FIXED)
        wanted = va_arg(arguments, void *);
    va_end(arguments);
    rdl__come_to_unmap(old, RDL__CALLER);
    memory = RDL__NEXT(mremap)(old, old_size, size, flags, wanted);
    if (memory != MAP_FAILED && !rdl__self()) {
        rdl__maps_forget(old, old_size);
        rdl__maps_note(memory, size, found ? MAP_SHARED : MAP_PRIVATE, RDL__CALLER);
    }
    if (memory == MAP_FAILED)
        return memory;
    rdl__block_unmapped(old, old_size);
    rdl__block_mapped(memory, size, RDL__CALLER);
    if (!found)
        return memory;
    moved.offset += (uintptr_t)old - moved.start;
    if (old_size > 0)
        unmapped((uintptr_t)old, old_size);
    moved.start = (uintptr_t)memory;
    moved.size = (size + PAGE - 1) / PAGE * PAGE;
    add(&moved);
    return memory;
}

RDL__INTERPOSE void *shmat(int segment, const void *address, int flags)
{
    struct shmid_ds status;
    void *memory;

    rdl__come_to_unmap(address, RDL__CALLER);
    memory = RDL__NEXT(shmat)(segment, address, flags);
    if (memory != (void *)-1 &&
        rdl__kernel(SYS_shmctl, segment, IPC_STAT, (long)&status, 0, 0, 0) == 0) {
        rdl__block_mapped(memory, status.shm_segsz, RDL__CALLER);
        add(&(struct mapping){.start = (uintptr_t)memory,
                              .size = (status.shm_segsz + PAGE - 1) / PAGE * PAGE,
                              .device = SEGMENTS,
                              .file = (uint64_t)segment});
    }
    return memory;
}

RDL__INTERPOSE int shmdt(const void *address)
{
    const struct mapping *found;

    rdl__come_to_unmap(address, RDL__CALLER);
    found = find((uintptr_t)address);
    if (found) {
        rdl__block_unmapped(address, found->size);
        unmapped(found->start, found->size);
    }
    return RDL__NEXT(shmdt)(address);
}

/* Memory that the program has got by moving the break, or has given back. */
static const uint64_t no_arguments[6];

static void break_moved(char *from, char *to, uintptr_t pc)
{
    rdl__remains_mapped(to - from, pc);
    if (rdl__self())
        return;
    if (to > from)
        rdl__maps_note(from, (size_t)(to - from), 0, pc);
    else
        rdl__maps_forget(to, (size_t)(from - to));
}

RDL__INTERPOSE void *sbrk(intptr_t by)
{
    char *from;

    rdl__come_as_row("sbrk", no_arguments, RDL__CALLER);
    from = RDL__NEXT(sbrk)(by);
    if (from != (void *)-1)
        break_moved(from, from + by, RDL__CALLER);
    return from;
}

RDL__INTERPOSE int brk(void *to)
{
    char *from;
    int result;

    rdl__come_as_row("brk", no_arguments, RDL__CALLER);
    from = RDL__NEXT(sbrk)(0);
    result = RDL__NEXT(brk)(to);
    if (result == 0)
        break_moved(from, to, RDL__CALLER);
    return result;
}
