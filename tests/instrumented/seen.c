/* seen.c -- functions that tell of their accesses to memory, and some that are kept from it. */
#include "seen.h"

int seen_value;
static const int constants[] = {3, 1, 4, 1, 5, 9, 2, 6};

int reads_memory(void)
{
    return seen_value;
}

int calls_others(int (*function)(int))
{
    return function(1) + function(2);
}

int reads_constants(unsigned index)
{
    return constants[index % 8];
}

/* An array that nobody else can know of. */
int sorts_its_own(int seed)
{
    int items[8];

    for (int i = 0; i < 8; i++)
        items[i] = seed = (seed * 5 + 3) % 64;
    for (int i = 0; i < 8; i++)
        for (int k = i + 1; k < 8; k++)
            if (items[k] < items[i]) {
                int item = items[i];

                items[i] = items[k];
                items[k] = item;
            }
    return items[seed & 7];
}

/* By a table of jumps. */
int chooses(int which)
{
    switch (which) {
    case 0:
        return seen_value;
    case 1:
        return which * 17;
    case 2:
        return which - 4;
    case 3:
        return seen_value + 1;
    case 4:
        return which << 3;
    case 5:
        return ~which;
    default:
        return 0;
    }
}

int computes(int which, int a, int b)
{
    switch (which) {
    case 0:
        return a + b;
    case 1:
        return a - b;
    case 2:
        return a * b;
    case 3:
        return a | b;
    case 4:
        return a & b;
    case 5:
        return a ^ b;
    case 6:
        return a << (b & 7);
    default:
        return 0;
    }
}

struct five returns_five(long first, int direction)
{
    struct five five = {{first, first + direction, first + 2 * direction}};

    five.numbers[3] = direction ? first : 0;
    return five;
}

__attribute__((no_sanitize("thread"))) void is_kept_out_and_writes(int *to, int value)
{
    *to = value;
}

__attribute__((no_sanitize("thread"))) int is_kept_out(void)
{
    return seen_value;
}

__attribute__((no_sanitize("thread"))) int is_kept_out_and_calls(int (*function)(int))
{
    return function(seen_value) + seen_value;
}
