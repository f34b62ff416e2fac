/* hook_functions.h -- where the functions of a loaded library begin and end, by its tables for
 * unwinding: stripped libraries have them, too. */
#ifndef TESTS_HOOK_FUNCTIONS_H
#define TESTS_HOOK_FUNCTIONS_H

#include <dlfcn.h>
#include <link.h>
#include <stdlib.h>

#include "harness.h"

struct function {
    uintptr_t start, end;
};

struct functions {
    struct function *items;
    size_t count;
};

struct search {
    uintptr_t base;
    const uint8_t *table; /* .eh_frame_hdr */
};

static inline int find_table(struct dl_phdr_info *info, size_t size, void *it)
{
    struct search *search = it;

    (void)size;
    if (info->dlpi_addr != search->base)
        return 0;
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_GNU_EH_FRAME)
            search->table = (const uint8_t *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
    return 1;
}

static inline int32_t number_at(const void *at)
{
    int32_t number;

    memcpy(&number, at, sizeof number);
    return number;
}

/* Of the library that this symbol lies in.  Its table says, of each function, where it
 * begins and where its entry in .eh_frame is: there, the fourth number is its size. */
static inline struct functions functions_of(const void *symbol)
{
    enum { POINTER_AND_COUNT_4_TABLE_RELATIVE_4 = 0x3b031b01 };
    struct functions out = {0};
    struct link_map *map;
    struct search search;
    Dl_info info;

    EXPECT(symbol && dladdr1(symbol, &info, (void **)&map, RTLD_DL_LINKMAP));
    search = (struct search){.base = map->l_addr};
    dl_iterate_phdr(find_table, &search);
    EXPECT(search.table);
    EXPECT_EQ(number_at(search.table), POINTER_AND_COUNT_4_TABLE_RELATIVE_4);
    out.count = (size_t)number_at(search.table + 8);
    out.items = calloc(out.count, sizeof *out.items);
    for (size_t i = 0; i < out.count; i++) {
        const uint8_t *entry = search.table + 12 + 8 * i;

        out.items[i].start = (uintptr_t)(search.table + number_at(entry));
        out.items[i].end =
            out.items[i].start + (uint32_t)number_at(search.table + number_at(entry + 4) + 12);
    }
    return out;
}

#endif
