/* frame.c -- what is known of the variables at an address: asked for in a process made for it. */
#include "port/frame.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/apart.h"
#include "base/memory.h"
#include "port/book.h"
#include "port/dwarf.h"
#include "port/frame_read.h"
#include "port/helper.h"

enum { ROOM = 64 << 20 }; /* none is used before it is needed */

struct errand {
    struct rdl__stack_frame *items; /* shared */
    size_t count;
    const char *program;
    struct rdl__room room;
    bool has_ended;
};

static void run_errand(void *it)
{
    struct errand *errand = it;
    struct rdl__objects objects = {0};
    Dwfl *dwfl = rdl__dwarf_open_file(errand->program);

    if (!dwfl)
        return;
    rdl__objects_list(&objects, dwfl, !errand->program);
    rdl__stack_frames_read(errand->items, errand->count, &errand->room, &objects, dwfl);
    errand->has_ended = true;
}

void rdl__stack_frames_want(struct rdl__stack_frames *frames, uintptr_t address,
                            const char *function)
{
    if (frames->count == frames->room) {
        frames->room = frames->room ? 2 * frames->room : 8;
        frames->items = rdl__reallocate(frames->items, frames->room * sizeof *frames->items);
    }
    frames->items[frames->count++] =
        (struct rdl__stack_frame){.address = address, .function = function};
}

/* The errand lies in the room as well, so that it is known how much of that has been used. */
static bool search(struct rdl__stack_frames *frames, const char *program, struct rdl__room *room)
{
    size_t size = frames->count * sizeof *frames->items;
    struct errand *errand = rdl__room_get(room, sizeof *errand);
    struct rdl__stack_frame *items = rdl__room_get(room, size);

    if (!errand || !items)
        return false;
    memcpy(items, frames->items, size);
    *errand = (struct errand){items, frames->count, program, *room, false};
    if (rdl__work_apart(run_errand, errand))
        memcpy(frames->items, items, size);
    *room = errand->room;
    if (!errand->has_ended)
        room->next = room->end; /* nobody knows how much of it was used */
    return true;
}

/* ---- In the book ---------------------------------------------------------------------------- */

struct find {
    const struct find *next;
    const char *function; /* "": the innermost */
    struct rdl__stack_frame is;
};

static const char *meant(const struct rdl__stack_frame *frame)
{
    return frame->function ? frame->function : "";
}

static const struct find *find_of(const struct rdl__stack_frame *frame)
{
    const struct find *find = *rdl__book_chapter(RDL__BOOK_FRAMES);

    while (find &&
           (find->is.address != frame->address || strcmp(find->function, meant(frame)) != 0))
        find = find->next;
    return find;
}

static bool are_known(struct rdl__stack_frames *frames)
{
    for (size_t i = 0; i < frames->count; i++)
        if (!find_of(&frames->items[i]))
            return false;
    for (size_t i = 0; i < frames->count; i++) {
        const char *function = frames->items[i].function;

        frames->items[i] = find_of(&frames->items[i])->is;
        frames->items[i].function = function;
    }
    return true;
}

static void write_down(const struct rdl__stack_frames *frames, struct rdl__room *room)
{
    void **first = rdl__book_chapter(RDL__BOOK_FRAMES);

    for (size_t i = 0; i < frames->count; i++) {
        const struct rdl__stack_frame *frame = &frames->items[i];
        struct find *find;

        if (!frame->is_known || !rdl__book_knows(frame->address) ||
            !(find = rdl__room_get(room, sizeof *find)))
            continue;
        *find = (struct find){*first, rdl__room_keep(room, meant(frame)), *frame};
        *first = find;
    }
}

static bool find_by_book(struct rdl__stack_frames *frames)
{
    struct rdl__room room;
    bool is_done;

    if (!rdl__book_lock(&room))
        return false;
    is_done = are_known(frames);
    if (!is_done && rdl__book_has_room(&room) && (is_done = search(frames, NULL, &room)))
        write_down(frames, &room);
    rdl__book_unlock(&room);
    return is_done;
}

void rdl__stack_frames_find(struct rdl__stack_frames *frames, const char *program)
{
    struct rdl__room room;

    if (frames->count == 0 || (!program && find_by_book(frames)))
        return;
    frames->memory = room.next = rdl__map(ROOM, MAP_SHARED);
    if (!room.next)
        return;
    room.end = room.next + ROOM;
    search(frames, program, &room);
}

void rdl__stack_frames_release(struct rdl__stack_frames *frames)
{
    if (frames->memory)
        rdl__unmap(frames->memory, ROOM);
    free(frames->items);
    *frames = (struct rdl__stack_frames){0};
}

static const struct rdl__variable *find(const struct rdl__variables *among, const char *name)
{
    for (size_t i = 0; i < among->count; i++)
        if (strcmp(among->items[i].name, name) == 0)
            return &among->items[i];
    return NULL;
}

const struct rdl__variable *rdl__stack_frame_variable(const struct rdl__stack_frame *frame,
                                                      const char *name)
{
    const struct rdl__variable *own = find(&frame->own, name);

    return own ? own : find(&frame->other, name);
}
