/* clocks.c -- clocks that lie with memory. */
#include "control/sched/clocks.h"

#include <string.h>
#include <sys/mman.h>

#include "base/apart.h"
#include "base/error.h"

enum { OBJECTS_FIRST = 1 << 10, ROOM_FIRST = 1 << 16 };

struct rdl__objects rdl__objects;

/* ---- Memory --------------------------------------------------------------------------------- */

static void *map(size_t size)
{
    void *memory = rdl__map(size, MAP_PRIVATE | MAP_NORESERVE);

    if (!memory)
        rdl__stop(
            "no memory is left to look for races in: fewer --jobs, or a program that uses less, "
            "need less");
    return memory;
}

/* Room for clocks of objects: chunks, each twice as large as the one before. */
static struct chunk {
    uint32_t *numbers;
    size_t room, used;
} chunks[40];
static uint32_t chunk;

static uint32_t *numbers_new(size_t count)
{
    uint32_t *numbers;

    while (chunks[chunk].numbers && chunks[chunk].room - chunks[chunk].used < count)
        chunk++;
    if (!chunks[chunk].numbers) {
        chunks[chunk].room = (size_t)ROOM_FIRST << chunk;
        chunks[chunk].numbers = map(chunks[chunk].room * sizeof *numbers);
    }
    numbers = chunks[chunk].numbers + chunks[chunk].used;
    chunks[chunk].used += count;
    return numbers;
}

static uint32_t clock_room(void)
{
    uint32_t columns = rdl__objects.columns;

    return columns <= RDL__CLOCK_FEW ? RDL__CLOCK_FEW : (columns + 31) & ~UINT32_C(31);
}

/* ---- Objects -------------------------------------------------------------------------------- */

void rdl__objects_grow(void)
{
    struct rdl__object *old = rdl__objects.all;
    size_t old_room = rdl__objects.room;

    rdl__objects.room = old_room ? old_room * 2 : OBJECTS_FIRST;
    rdl__objects.all = map(rdl__objects.room * sizeof *rdl__objects.all);
    for (size_t i = 0; i < old_room; i++)
        if (old[i].execution == rdl__objects.execution) {
            size_t at = rdl__object_place(old[i].word);

            while (rdl__objects.all[at].execution == rdl__objects.execution)
                at = (at + 1) & (rdl__objects.room - 1);
            rdl__objects.all[at] = old[i];
        }
    if (old)
        rdl__unmap(old, old_room * sizeof *old);
}

void rdl__objects_begin(void)
{
    if (!rdl__objects.all)
        rdl__objects_grow();
    rdl__objects.execution++;
    rdl__objects.used = 0;
    rdl__objects.columns = 0;
    for (; chunk > 0; chunk--) /* those after it have not been used */
        chunks[chunk].used = 0;
    chunks[0].used = 0;
}

void rdl__object_forget(struct rdl__object *object)
{
    object->count = 0;
    object->assumed = NULL;
    object->whose = object->head = RDL__NOBODY;
}

struct rdl__object *rdl__object_new(uintptr_t word, uint8_t bytes)
{
    size_t at = rdl__object_place(word);
    struct rdl__object *object;

    while ((object = rdl__object_entry(word, &at)) && object->bytes)
        at++;
    if (!object) {
        object = &rdl__objects.all[at & (rdl__objects.room - 1)];
        *object = (struct rdl__object){.word = word, .execution = rdl__objects.execution};
        rdl__objects.used++;
    }
    object->bytes = bytes;
    rdl__object_forget(object);
    return object;
}

void rdl__object_extend(struct rdl__object *object)
{
    if (object->room < rdl__objects.columns) {
        uint32_t room = clock_room();
        uint32_t *clock = numbers_new(room);

        if (object->count > 0)
            memcpy(clock, object->clock, object->count * sizeof *clock);
        object->clock = clock;
        object->room = room;
    }
    if (object->count < rdl__objects.columns)
        memset(object->clock + object->count, 0,
               (rdl__objects.columns - object->count) * sizeof *object->clock);
    object->count = rdl__objects.columns;
}

void rdl__object_assume(struct rdl__object *object)
{
    const uint32_t *from = object->assumed ? object->assumed : object->clock;
    uint32_t count = object->assumed ? object->assumed_count : object->count;

    if (!object->assumed || object->assumed_room < rdl__objects.columns) {
        uint32_t room = clock_room();
        uint32_t *clock = numbers_new(room);

        if (count > 0)
            memcpy(clock, from, count * sizeof *clock);
        object->assumed = clock;
        object->assumed_room = room;
    }
    if (count < rdl__objects.columns)
        memset(object->assumed + count, 0,
               (rdl__objects.columns - count) * sizeof *object->assumed);
    object->assumed_count = rdl__objects.columns;
}

struct rdl__object *rdl__object_of_all(uintptr_t word, uint8_t bytes)
{
    struct rdl__object *object;

    rdl__objects_reserve();
    for (size_t at = rdl__object_place(word); (object = rdl__object_from(word, bytes, &at)); at++) {
        if (object->bytes == bytes)
            return object;
        object->bytes &= (uint8_t)~bytes;
    }
    return rdl__object_new(word, bytes);
}

/* Some bytes of an object become one by themselves. */
static void split(struct rdl__object *object, uint8_t bytes)
{
    struct rdl__object *part;

    object->bytes &= (uint8_t)~bytes;
    part = rdl__object_new(object->word, bytes);
    if (object->count > 0) {
        rdl__object_extend(object);
        rdl__object_extend(part);
        memcpy(part->clock, object->clock, object->count * sizeof *part->clock);
    }
    if (object->assumed) {
        rdl__object_assume(object);
        rdl__object_assume(part);
        memcpy(part->assumed, object->assumed, object->assumed_count * sizeof *part->assumed);
    }
    part->whose = object->whose;
    part->when = object->when;
    part->head = object->head;
}

void rdl__object_cut(uintptr_t word, uint8_t bytes)
{
    uint8_t missing = bytes;
    struct rdl__object *object;

    rdl__objects_reserve();
    for (size_t at = rdl__object_place(word); (object = rdl__object_from(word, bytes, &at)); at++) {
        uint8_t common = object->bytes & bytes;

        missing &= (uint8_t)~common;
        if (common != object->bytes)
            split(object, common);
    }
    if (missing)
        rdl__object_new(word, missing);
}
