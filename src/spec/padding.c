/* padding.c -- bytes that belong to no field are cleared, for compilers that cannot do it.
 *
 * Where they are is looked up for all types at once, since it takes long; best before processes are
 * made that are copies of this one. */
#include <stdlib.h>

#include "base/memory.h"
#include "spec/spec.h"
#include "spec/values.h"

static struct rdl__padding *first;

void rdl__padding_known(struct rdl__padding *padding)
{
    padding->is_looked_up = padding->size <= 1;
    padding->next = first;
    first = padding;
}

static struct rdl__typed typed(const struct rdl__padding *padding)
{
    return (struct rdl__typed){padding->of, "rdl__type_padded", padding->size};
}

static bool has_gaps(const unsigned char *values, size_t size)
{
    while (size > 0 && values[size - 1] == 0xff)
        size--;
    return size > 0;
}

static void look_up(struct rdl__padding *padding)
{
    const struct rdl__typed item = typed(padding);
    const struct rdl__type *type = rdl__type_of(&item);
    unsigned char *values = rdl__allocate(padding->size);

    if (type)
        rdl__value_mask(type, values);
    if (type && has_gaps(values, padding->size))
        padding->values = values;
    else
        free(values);
    padding->is_looked_up = true;
}

void rdl__padding_prepare(void)
{
    struct rdl__typed *items;
    size_t count = 0;

    for (struct rdl__padding *padding = first; padding; padding = padding->next)
        count += !padding->is_looked_up;
    if (count == 0)
        return;
    items = rdl__allocate(count * sizeof *items);
    count = 0;
    for (struct rdl__padding *padding = first; padding; padding = padding->next)
        if (!padding->is_looked_up)
            items[count++] = typed(padding);
    rdl__types_learn(items, count);
    free(items);
    for (struct rdl__padding *padding = first; padding; padding = padding->next)
        if (!padding->is_looked_up)
            look_up(padding);
}

void rdl__clear_padding(struct rdl__padding *padding, void *it)
{
    unsigned char *bytes = it;

    if (!padding->is_looked_up)
        rdl__padding_prepare();
    for (size_t i = 0; padding->values && i < padding->size; i++)
        bytes[i] &= padding->values[i];
}
