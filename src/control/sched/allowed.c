/* allowed.c -- data races that the code under test declares benign. */
#include "control/sched/allowed.h"

#include "base/memory.h"

struct range {
    uintptr_t address, size;
};

/* The first `lasting` ranges hold for all executions. */
static struct range *ranges;
static uint32_t room, lasting;
static bool none_wanted;

uint32_t rdl__allowed_count;
bool rdl__races_fail = true;

void rdl__allowed_begin(void)
{
    rdl__allowed_count = lasting;
    rdl__race_enable(true);
}

void rdl__race_enable(bool on)
{
    none_wanted = !on || !rdl__races_fail;
}

static bool overlaps(const struct range *range, uintptr_t address, uintptr_t size)
{
    return address < range->address + range->size && range->address < address + size;
}

void rdl__race_allow(uintptr_t address, uintptr_t size, bool for_all_executions)
{
    for (uint32_t i = 0; i < rdl__allowed_count; i++)
        if (ranges[i].address == address && ranges[i].size >= size)
            return;
    if (rdl__allowed_count == room) {
        room = room ? room * 2 : 16;
        ranges = rdl__reallocate(ranges, room * sizeof *ranges);
    }
    ranges[rdl__allowed_count++] = (struct range){address, size};
    if (for_all_executions)
        lasting = rdl__allowed_count;
}

bool rdl__race_is_allowed(uintptr_t address, uintptr_t size)
{
    for (uint32_t i = 0; i < rdl__allowed_count; i++)
        if (overlaps(&ranges[i], address, size))
            return true;
    return none_wanted;
}

void rdl__race_disallow(uintptr_t address, uintptr_t size)
{
    for (uint32_t i = rdl__allowed_count; i-- > lasting;)
        if (overlaps(&ranges[i], address, size))
            ranges[i] = ranges[--rdl__allowed_count];
}
