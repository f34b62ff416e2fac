/* near.c -- how far two texts are from each other, after Levenshtein and Damerau. */
#include "base/near.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* From the first i letters of a to the first k of b, by the entries that are there already. */
static size_t entry(const size_t *table, size_t width, const char *a, size_t i, const char *b,
                    size_t k)
{
    const size_t *at = table + i * width + k;
    size_t result;

    if (i == 0 || k == 0)
        return i + k;
    result = least(at[-(ptrdiff_t)width], at[-1]) + 1;
    result = least(result, at[-(ptrdiff_t)width - 1] + (a[i - 1] != b[k - 1]));
    if (i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1])
        result = least(result, at[-2 * (ptrdiff_t)width - 2] + 1);
    return result;
}

size_t rdl__distance(const char *a, size_t a_length, const char *b)
{
    size_t width = strlen(b) + 1, distance;
    size_t *table = rdl__allocate((a_length + 1) * width * sizeof *table);

    for (size_t i = 0; i <= a_length; i++)
        for (size_t k = 0; k < width; k++)
            table[i * width + k] = entry(table, width, a, i, b, k);
    distance = table[a_length * width + width - 1];
    free(table);
    return distance;
}

enum { NEAR_ENOUGH = 2 };

void rdl__nearest_try(struct rdl__nearest *nearest, const char *word)
{
    size_t distance = rdl__distance(nearest->given, nearest->length, word);

    if (distance < nearest->length && /* else nothing is left of it */
        distance < (nearest->word ? nearest->distance : NEAR_ENOUGH + 1)) {
        nearest->word = word;
        nearest->distance = distance;
    }
}
