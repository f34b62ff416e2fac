/* near.c -- how far two texts are from each other, after Levenshtein. */
#include "base/near.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* The row of the table that begins with `row[0]`, from the one above it. */
static void next_row(size_t *row, char letter, const char *b, size_t b_length)
{
    size_t diagonal = row[0]++;

    for (size_t k = 1; k <= b_length; k++) {
        size_t change = diagonal + (letter != b[k - 1]);

        diagonal = row[k];
        row[k] = least(change, least(row[k - 1], row[k]) + 1);
    }
}

size_t rdl__distance(const char *a, size_t a_length, const char *b)
{
    size_t b_length = strlen(b), distance;
    size_t *row = rdl__allocate((b_length + 1) * sizeof *row);

    for (size_t k = 0; k <= b_length; k++)
        row[k] = k;
    for (size_t i = 0; i < a_length; i++)
        next_row(row, a[i], b, b_length);
    distance = row[b_length];
    free(row);
    return distance;
}

enum { NEAR_ENOUGH = 2 };

void rdl__nearest_try(struct rdl__nearest *nearest, const char *word)
{
    size_t distance = rdl__distance(nearest->given, nearest->length, word);

    if (distance < (nearest->word ? nearest->distance : NEAR_ENOUGH + 1)) {
        nearest->word = word;
        nearest->distance = distance;
    }
}
