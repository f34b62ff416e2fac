/* reader.c -- a program whose places are found: see tests/test_locate.c and test_frame.c. */
#include "box.h"

#include <stdio.h>
#include <stdlib.h>

int total;
static int hidden = 7;
struct secret *kept; /* what it is only a/other.c knows */
static _Thread_local int mine = 5;

__attribute__((noinline)) int append(struct box *box, int id)
{
    int at;

    if (box->count == 4)
        return -1;
    at = add_to(box, id);
    total = total + id;
    /* a comment: total = nothing */
    hidden++;
    return at;
}

__attribute__((noinline)) int lookup(const struct box *box, int id)
{
    for (int i = 0; i < box->count; i++) {
        int here = box->items[i].id;

        if (here == id)
            return i;
    }
    return -1;
}

__attribute__((noinline)) static int same(int n)
{
    return n * 3 + hidden; /* in reader.c */
}

__attribute__((noinline)) int worth(int kind, int n)
{
    switch (kind) {
    case 0:
        return n;
    case 1:
        return in_a(n) + 1;
    case 2:
        return in_b(n) + 2;
    case 3:
        return same(n) + 3;
    case 4:
        puts("four");
        return 4;
    default:
        abort();
    }
}

/* Optimised, it jumps. */
__attribute__((noinline)) int pass_on(int n)
{
    total += n;
    return in_a(n + 1);
}

__attribute__((noinline)) int measure(struct box *box, double scale, const char *label)
{
    struct item copy = box->items[1];
    int sum = 0;

    for (int i = 0; i < box->count; i++) {
        int sum_of_one = box->items[i].id * 2;
        int id = i;

        sum += sum_of_one + id;
    }
    copy.id += sum;
    mine += (int)scale;
    printf("%s %d %s %d\n", label, copy.id, copy.name, mine);
    return sum;
}

__attribute__((noinline)) void touch(void *it)
{
    __asm__ volatile("" : : "r"(it) : "memory");
}

__attribute__((noinline)) int shadow(int n)
{
    int x = n;

    touch(&x);
    {
        int x = 2 * n;

        touch(&x); /* the inner */
    }
    return x; /* the outer */
}

/* When it is late, both parameters have been used for the last time. */
__attribute__((noinline)) int late(struct box *box, int n)
{
    int sum = box->count + n;

    touch(&sum);
    return sum; /* it is late */
}

int call_late(struct box *box, int unused)
{
    int sum = late(box, 7) + unused;

    touch(&sum);
    return sum + box->count;
}

int main(int argc, char **argv)
{
    struct box box = {.open = 1, .colour = 5, .items = {[1] = {.id = 20, .name = "two"}}};
    int end = 0;

    box.first = &box.items[1];
    for (int i = 0; i < 3; i++)
        end += append(&box, 10 * (i + argc));
    end += add_to(&box, 99);
    end += lookup(&box, 20) + pass_on(argc) + worth(argc + 1, 2);
    end += shadow(argc) + call_late(&box, argc);
    return measure(&box, 1.5, argv[0]) + end == 0;
}
