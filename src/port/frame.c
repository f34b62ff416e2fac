/* frame.c -- what is known of the variables at an address: asked for in a process made for it. */
#include "port/frame.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/apart.h"
#include "base/memory.h"
#include "port/dwarf.h"
#include "port/frame_read.h"
#include "port/helper.h"

enum { ROOM = 64 << 20 }; /* none is used before it is needed */

struct errand {
    struct rdl__stack_frame *items; /* shared */
    size_t count;
    const char *program;
    struct rdl__room room;
};

static void run_errand(void *it)
{
    struct errand *errand = it;
    struct rdl__objects objects = {0};
    Dwfl *dwfl = rdl__dwarf_open_file(errand->program);

    if (!dwfl)
        return;
    rdl__objects_list(&objects, dwfl, !errand->program);
    rdl__stack_frames_read(errand->items, errand->count, errand->room, &objects, dwfl);
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

void rdl__stack_frames_find(struct rdl__stack_frames *frames, const char *program)
{
    size_t size = frames->count * sizeof *frames->items;
    char *shared = size < ROOM / 2 ? rdl__map(ROOM, MAP_SHARED) : NULL;
    struct errand errand = {.count = frames->count, .program = program};

    if (!shared || frames->count == 0)
        return;
    frames->memory = shared;
    errand.room = (struct rdl__room){shared, shared + ROOM};
    errand.items = rdl__room_get(&errand.room, size);
    memcpy(errand.items, frames->items, size);
    if (rdl__work_apart(run_errand, &errand))
        memcpy(frames->items, errand.items, size);
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
