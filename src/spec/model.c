/* model.c -- the containers of models: what is sorted, and what is wrong. */
#include "raddle/model.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "case/case.h"

/* ---- What is wrong ------------------------------------------------------------------- */

#define complain(box, format, ...)                                                                 \
    rdl__misuse_at((box)->file, (box)->line, "%s: " format, (box)->what, __VA_ARGS__)

void rdl__box_is_full(struct rdl__box box)
{
    complain(&box, "it is full, with a capacity of %" PRIu32, box.capacity);
}

void rdl__box_lacks(struct rdl__box box, int64_t index)
{
    if (*box.count == 0)
        complain(&box, "it is empty (capacity %" PRIu32 ")", box.capacity);
    complain(&box,
             "index %" PRId64 " is out of range: it has %" PRIu32 " items (capacity %" PRIu32 ")",
             index, *box.count, box.capacity);
}

/* ---- Order ------------------------------------------------------------------------------ */

static uint64_t load_unsigned(const void *at, size_t size)
{
    uint64_t number = 0;

    memcpy(&number, at, size);
    return number;
}

static int64_t load_signed(const void *at, size_t size)
{
    unsigned unused = 64 - 8 * (unsigned)size;

    return (int64_t)(load_unsigned(at, size) << unused) >> unused;
}

/* The bits of a floating-point number, as a number in the same order; also for NaN. */
static int64_t load_real(const void *at, size_t size)
{
    int64_t bits = load_signed(at, size);

    return bits < 0 ? bits ^ INT64_MAX : bits;
}

static int compare(const struct rdl__box *box, const void *a, const void *b)
{
    size_t size = box->key_size;

    if (box->order == RDL__BYTES)
        return memcmp(a, b, size);
    if (box->order == RDL__UNSIGNED) {
        uint64_t one = load_unsigned(a, size), two = load_unsigned(b, size);

        return (one > two) - (one < two);
    }
    int64_t (*load)(const void *, size_t) = box->order == RDL__REAL ? load_real : load_signed;
    int64_t one = load(a, size), two = load(b, size);

    return (one > two) - (one < two);
}

static char *item_at(const struct rdl__box *box, uint32_t index)
{
    return box->items + (size_t)box->size * index;
}

/* The first item that is not less than the key. */
static uint32_t find(const struct rdl__box *box, const void *key)
{
    uint32_t low = 0, high = *box->count;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (compare(box, item_at(box, middle), key) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool is_at(const struct rdl__box *box, uint32_t index, const void *key)
{
    return index < *box->count && compare(box, item_at(box, index), key) == 0;
}

/* ---- Changes ----------------------------------------------------------------------------- */

void *rdl__insert(struct rdl__box box, int64_t index)
{
    char *gap;

    if (*box.count >= box.capacity)
        rdl__box_is_full(box);
    if (index < 0 || index > *box.count)
        rdl__box_lacks(box, index);
    gap = item_at(&box, (uint32_t)index);
    memmove(gap + box.size, gap, (size_t)box.size * (*box.count - (uint32_t)index));
    ++*box.count;
    return gap;
}

void rdl__sort_in(struct rdl__box box, const void *item)
{
    memcpy(rdl__insert(box, find(&box, item)), item, box.size);
}

bool rdl__sort_in_new(struct rdl__box box, const void *item)
{
    uint32_t index = find(&box, item);

    if (is_at(&box, index, item))
        return false;
    memcpy(rdl__insert(box, index), item, box.size);
    return true;
}

bool rdl__drop(struct rdl__box box, const void *key, size_t unused)
{
    uint32_t index = find(&box, key);

    (void)unused;
    if (!is_at(&box, index, key))
        return false;
    rdl__close_gap(box, item_at(&box, index));
    return true;
}

uint32_t rdl__how_many(struct rdl__box box, const void *key)
{
    uint32_t first = find(&box, key), end = first;

    while (is_at(&box, end, key))
        end++;
    return end - first;
}

void rdl__map_put(struct rdl__box box, const void *item)
{
    uint32_t index = find(&box, item);

    memcpy(is_at(&box, index, item) ? item_at(&box, index) : rdl__insert(box, index), item,
           box.size);
}

void *rdl__map_get(struct rdl__box box, const void *key, size_t offset)
{
    uint32_t index = find(&box, key);

    return is_at(&box, index, key) ? item_at(&box, index) + offset : NULL;
}
