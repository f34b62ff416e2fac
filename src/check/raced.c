/* raced.c -- the name of the variable that a race is on.
 *
 * Of a local, the execution has noted where the frame of its function ends, and how far the
 * function had come; of its registers, nothing is known any more.  So its variables are looked for
 * with all registers 0 but the one that the end of the frame is counted from: by that, compilers
 * find variables in memory, too. */
#include "check/raced.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "port/frame.h"
#include "port/hook.h"
#include "port/lines.h"
#include "port/symbols.h"

enum { RBP = 6, RSP = 7 };

/* Where the frame of a function ends, with these registers; 0: not to be had of them. */
static uint64_t end_with(const struct rdl__stack_frame *frame, struct rdl__registers *registers)
{
    const struct rdl__variable end = {.name = "", .size = 1, .where = frame->cfa};
    struct rdl__holding held;
    struct rdl__error error;

    return rdl__variable_hold(frame, &end, registers, &held, &error) && held.count == 1 &&
                   held.pieces[0].kind == RDL__IN_MEMORY
               ? held.pieces[0].at
               : 0;
}

/* Set the register that the end of the frame is counted from. */
static bool set_register(const struct rdl__stack_frame *frame, uint64_t end,
                         struct rdl__registers *registers)
{
    for (int i = RBP; i <= RSP; i++) {
        uint64_t distance;

        *registers = (struct rdl__registers){.dwarf = {0}};
        distance = end_with(frame, registers);
        registers->dwarf[i] = end - distance;
        if (end_with(frame, registers) == end)
            return true;
    }
    return false;
}

/* How far into the variable the address is; UINT32_MAX: it is elsewhere. */
static uint32_t offset_in(const struct rdl__stack_frame *frame,
                          const struct rdl__variable *variable, struct rdl__registers *registers,
                          uintptr_t address)
{
    struct rdl__holding held;
    struct rdl__error error;

    if (!rdl__variable_hold(frame, variable, registers, &held, &error) || held.count != 1 ||
        held.pieces[0].kind != RDL__IN_MEMORY || address - held.pieces[0].at >= variable->size)
        return UINT32_MAX;
    return (uint32_t)(address - held.pieces[0].at);
}

static bool add_name(struct rdl__text *out, const struct rdl__stack_frame *frame,
                     const struct rdl__race *race)
{
    struct rdl__registers registers;

    if (!frame->is_known || !set_register(frame, race->frame, &registers))
        return false;
    for (size_t i = 0; i < frame->own.count; i++) {
        uint32_t offset = offset_in(frame, &frame->own.items[i], &registers, race->address);

        if (offset == UINT32_MAX)
            continue;
        rdl__text_add(out, "%s", frame->own.items[i].name);
        if (offset > 0)
            rdl__text_add(out, "+%u", offset);
        return true;
    }
    return false;
}

/* "best", "table+8"; false: the debugging information does not tell. */
static bool add_local(struct rdl__text *out, const struct rdl__race *race)
{
    struct rdl__stack_frames frames = {0};
    char function[NAME_MAX], module[NAME_MAX];
    uintptr_t code = rdl__place_code(race->frame_pc);
    bool is_found = false;

    if (!race->frame || !race->frame_pc)
        return false;
    rdl__symbol_find(code, function, sizeof function, module, sizeof module);
    rdl__stack_frames_want(&frames, code, NULL);
    rdl__stack_frames_want(&frames, code, function); /* around one that is inlined there */
    rdl__stack_frames_find(&frames, NULL);
    for (size_t i = 0; i < frames.count && !is_found; i++)
        is_found = add_name(out, &frames.items[i], race);
    rdl__stack_frames_release(&frames);
    return is_found;
}

void rdl__raced_name(struct rdl__outcome *outcome, const struct rdl__race *race,
                     struct rdl__objects *objects)
{
    char room[40];
    const char *owner =
        race->owner ? rdl__steps_thread(objects->steps, race->owner - 1, room) : NULL;
    const char *name = rdl__object_called(objects, race->address, "object", owner);
    size_t used = strlen(outcome->check);
    struct rdl__text local = {0};

    if (race->block.kind != RDL__NO_BLOCK || strncmp(name, "object ", 7) == 0)
        return;
    if (owner && add_local(&local, race))
        rdl__text_add(&local, ", ");
    snprintf(outcome->check + used, sizeof outcome->check - used, " on %s%s",
             rdl__text_string(&local), name);
    rdl__text_release(&local);
}
