/* a/other.c -- one of two files of this name; one of three functions called same. */
#include "../box.h"

struct secret {
    int word, other;
};

static struct secret secret = {3, 4};
extern struct secret *kept;

__attribute__((noinline)) static int same(int n)
{
    return n * 5; /* in a */
}

int in_a(int n)
{
    struct box box = {0};

    add_to(&box, n);
    kept = &secret;
    return same(box.items[0].id) + box.count;
}
