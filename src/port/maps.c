/* maps.c -- memory that the program has mapped by itself, put back to what it was.
 *
 * Invariant:  no two of the mappings overlap; saved[0 .. saved_count - 1] have a copy each, or
 *             are shared. */
#include "port/maps.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/apart.h"
#include "port/kernel.h"
#include "port/modules.h"

enum {
    MAPS_MAX = 256,
    KEPT_MAX = 16,
    SHARED_MAX = 256,
    COPIED_MAX = 4 << 20, /* bytes; to copy more would take longer than most executions */
    PAGE = 4096,
};

struct map {
    char *start, *end;
    uintptr_t pc;
    bool is_shared;
};

struct saved {
    char *start;
    size_t size;
    char *copy;    /* NULL: it is shared */
    uint64_t hash; /* if it is */
};

const char *rdl__maps_problem;
static struct map maps[MAPS_MAX];
static uint32_t map_count;
static bool too_many;
static struct kept {
    const char *start, *end;
} kept[KEPT_MAX];
static uint32_t kept_count;
static struct saved saved[MAPS_MAX];
static uint32_t saved_count;
static char *copies;
static size_t copies_size;

/* ---- Which there are ------------------------------------------------------------------------- */

static char *whole_pages(char *start, size_t size)
{
    return start + (size + PAGE - 1) / PAGE * PAGE;
}

static void add(struct map map)
{
    if (map.start >= map.end)
        return;
    if (map_count < MAPS_MAX)
        maps[map_count++] = map;
    else
        too_many = true;
}

/* Of a mapping that lies there in part, the parts before and after it are left. */
void rdl__maps_forget(void *from, size_t size)
{
    char *start = from, *end = whole_pages(start, size);

    for (uint32_t i = map_count; i-- > 0;) {
        struct map it = maps[i], after = it;

        if (it.start >= end || start >= it.end)
            continue;
        maps[i] = maps[--map_count];
        if (after.start < end)
            after.start = end;
        it.end = start;
        add(it);
        add(after);
    }
}

void rdl__maps_note(void *start, size_t size, int flags, uintptr_t pc)
{
    rdl__maps_forget(start, size);
    add((struct map){.start = start,
                     .end = flags ? whole_pages(start, size) : (char *)start + size,
                     .pc = pc,
                     .is_shared = flags & MAP_SHARED});
}

/* If there are too many, the report says of the others what it says of all. */
void rdl__maps_keep(const char *start, size_t size)
{
    if (kept_count < KEPT_MAX)
        kept[kept_count++] = (struct kept){start, start + size};
}

static bool is_kept(const char *memory)
{
    for (uint32_t i = 0; i < kept_count; i++)
        if (memory >= kept[i].start && memory < kept[i].end)
            return true;
    return false;
}

static bool is_of_runtime(uintptr_t pc)
{
    struct dl_find_object found;

    return _dl_find_object((void *)pc, &found) == 0 &&
           rdl__module_is_runtime(found.dlfo_link_map->l_name);
}

/* ---- Copies ---------------------------------------------------------------------------------- */

/* The kernel copies, and says if the memory is not there or may not be touched. */
static bool copy_safely(long call, char *ours, char *theirs, size_t size)
{
    struct iovec local = {ours, size}, remote = {theirs, size};

    return rdl__kernel(call, getpid(), (long)&local, 1, (long)&remote, 1, 0) == (long)size;
}

/* Up to where it can be read: behind the end of its file, a mapping cannot. */
static uint64_t hash_of(char *at, size_t size)
{
    uint64_t hash = 0xcbf29ce484222325;
    char page[PAGE];

    for (char *end = at + size; at < end && copy_safely(SYS_process_vm_readv, page, at, PAGE);
         at += PAGE)
        for (size_t i = 0; i < PAGE; i++)
            hash = (hash ^ (unsigned char)page[i]) * UINT64_C(0x100000001b3);
    return hash;
}

/* Can it be written to, and so change? */
static bool is_writable(struct map *map)
{
    char byte;

    return copy_safely(SYS_process_vm_readv, &byte, map->start, 1) &&
           copy_safely(SYS_process_vm_writev, &byte, map->start, 1);
}

static void forget_copies(void)
{
    if (copies)
        rdl__unmap(copies, copies_size);
    copies = NULL;
    copies_size = saved_count = 0;
    rdl__maps_problem = NULL;
}

static void choose(bool (*is_own)(uintptr_t pc))
{
    for (uint32_t i = 0; i < map_count; i++) {
        struct map *map = &maps[i];
        size_t size = (size_t)(map->end - map->start);

        if (is_own(map->pc) || is_of_runtime(map->pc) || is_kept(map->start) || !is_writable(map))
            continue;
        saved[saved_count] = (struct saved){.start = map->start, .size = size};
        if (copies_size + size > COPIED_MAX) {
            rdl__maps_problem = "memory that the program has mapped keeps its contents, because "
                                "there is too much";
        } else if (map->is_shared) {
            saved[saved_count++].hash = hash_of(map->start, size);
        } else {
            saved[saved_count++].copy = map->start; /* for now */
            copies_size += size;
        }
    }
}

/* ---- Memory that is shared, as the kernel knows it ------------------------------------------- */

/* The address of such memory of the program that this line of /proc/self/maps is about; or NULL. */
static char *shared_of_program(const char *line)
{
    uintptr_t start = 0;

    for (; *line != '-'; line++)
        start = start * 16 + (uintptr_t)(*line <= '9' ? *line - '0' : *line - 'a' + 10);
    while (*line != ' ')
        line++;
    return line[2] == 'w' && line[4] == 's' && !rdl__map_is_shared((void *)start) &&
                   !is_kept((char *)start)
               ? (char *)start
               : NULL;
}

/* It is compared (rdl__maps_shared_has_changed). */
static bool is_saved(const char *memory)
{
    for (uint32_t i = 0; i < saved_count; i++)
        if (memory >= saved[i].start && memory < saved[i].start + saved[i].size)
            return true;
    return false;
}

/* Mappings by their addresses. */
struct list {
    const char *all[SHARED_MAX];
    uint32_t count;
    bool is_cut;
};

static bool is_in(const struct list *list, const char *memory)
{
    for (uint32_t i = 0; i < list->count; i++)
        if (list->all[i] == memory)
            return true;
    return false;
}

static void add_to(struct list *list, const char *memory)
{
    if (list->count < SHARED_MAX)
        list->all[list->count++] = memory;
    else
        list->is_cut = true;
}

/* All there are now.  Only the beginnings of lines matter: a name may be cut off. */
static void list_shared(struct list *out)
{
    enum { ROOM = 8192, LINE = 64 };
    char text[ROOM + 1];
    long fd = rdl__kernel(SYS_openat, AT_FDCWD, (long)"/proc/self/maps", O_RDONLY, 0, 0, 0);
    bool begins = true;
    size_t rest = 0;
    long got;

    out->count = 0;
    out->is_cut = fd < 0;
    while (fd >= 0 &&
           (got = rdl__kernel(SYS_read, fd, (long)text + (long)rest, ROOM - rest, 0, 0, 0)) > 0) {
        size_t size = rest + (size_t)got, at = 0;

        while (at < size) {
            char *end = memchr(text + at, '\n', size - at);
            const char *memory;

            if (begins && !end && size - at < LINE)
                break; /* the rest of it comes next */
            memory = begins ? shared_of_program(text + at) : NULL;
            if (memory)
                add_to(out, memory);
            begins = end != NULL;
            at = end ? (size_t)(end + 1 - text) : size;
        }
        rest = size - at;
        memmove(text, text + at, rest);
    }
    if (fd >= 0)
        rdl__kernel(SYS_close, fd, 0, 0, 0, 0, 0);
}

static struct list before; /* that were there when the copies were made */
static struct list left;   /* by executions of tests before; nothing refers to them any more */

void rdl__maps_leave(void)
{
    struct list now;

    list_shared(&now);
    left.count = 0;
    for (uint32_t i = 0; i < now.count; i++)
        if (!is_in(&before, now.all[i]))
            add_to(&left, now.all[i]);
}

static bool any_is_kept(void)
{
    bool any = false;

    list_shared(&before);
    for (uint32_t i = 0; i < before.count;)
        if (is_in(&left, before.all[i]))
            before.all[i] = before.all[--before.count];
        else
            any |= !is_saved(before.all[i++]);
    return any || before.is_cut;
}

void rdl__maps_save(bool (*is_own)(uintptr_t pc))
{
    size_t done = 0;

    forget_copies();
    choose(is_own);
    if (any_is_kept())
        rdl__maps_problem = "shared memory that was there before keeps its contents";
    if (too_many)
        rdl__maps_problem = "memory that the program has mapped keeps its contents, because there "
                            "are too many mappings";
    copies = copies_size ? rdl__map(copies_size, MAP_PRIVATE) : NULL;
    for (uint32_t i = 0; i < saved_count; i++) {
        if (!saved[i].copy)
            continue;
        saved[i].copy = copies ? copies + done : NULL;
        if (!copies ||
            !copy_safely(SYS_process_vm_readv, saved[i].copy, saved[i].start, saved[i].size))
            rdl__maps_problem = "memory that the program has mapped cannot be copied";
        done += saved[i].size;
    }
}

void rdl__maps_restore(void)
{
    for (uint32_t i = 0; i < saved_count; i++)
        if (saved[i].copy &&
            !copy_safely(SYS_process_vm_writev, saved[i].copy, saved[i].start, saved[i].size))
            rdl__maps_problem = "an execution removed or protected memory that was mapped before";
}

bool rdl__copies_share;

void rdl__maps_copied(void)
{
    static bool is_known;
    struct list now;

    if (is_known)
        return;
    is_known = true;
    list_shared(&now);
    rdl__copies_share = now.count > 0 || now.is_cut;
}

bool rdl__maps_shared_has_changed(void)
{
    for (uint32_t i = 0; i < saved_count; i++)
        if (!saved[i].copy && hash_of(saved[i].start, saved[i].size) != saved[i].hash)
            return true;
    return false;
}
