/* draws.c -- what a draw costs, by kind.
 *
 * Each case of a property makes DRAWS draws, so that the case itself hardly
 * counts; `nothing` is a case that draws nothing. */
#include "usage.h"

enum { DRAWS = 1000, LIST = 100 };

static volatile uint64_t sink; /* keeps the compiler from leaving draws out */

#define DRAW(kind, draw)                                                                           \
    RDL_PROPERTY(kind)                                                                             \
    {                                                                                              \
        for (int i = 0; i < DRAWS; i++)                                                            \
            sink = (uint64_t)(draw);                                                               \
    }

DRAW(int_large, rdl_int(t, INT32_MIN, INT32_MAX))
DRAW(int_small, rdl_int(t, 0, 9))
DRAW(boolean, rdl_bool(t))
DRAW(double, rdl_double(t, .range = {0.0, 1.0}) * 2)
DRAW(double_any, rdl_double(t) > 0)
DRAW(pick, rdl_pick(t, 7))

RDL_PROPERTY(nothing) {}

RDL_PROPERTY(ints_element)
{
    for (int i = 0; i < DRAWS / LIST; i++) {
        size_t n;

        sink = (uint64_t)rdl_ints(t, &n, .length = {LIST, LIST})[0];
    }
}

RDL_PROPERTY(list_element)
{
    for (int i = 0; i < DRAWS / LIST; i++) {
        struct rdl_list list = rdl_list(t, .length = {LIST, LIST});

        while (rdl_more(&list))
            sink = (uint64_t)rdl_int(t, INT32_MIN, INT32_MAX);
    }
}

RDL_PROPERTY(string_char)
{
    for (int i = 0; i < DRAWS / LIST; i++)
        sink = (uint64_t)rdl_string(t, .length = {LIST, LIST})[0];
}
