/* placed.c -- a library with places in it, for test_lines.c.
 *
 * Each function stores the line of a call that it makes, and returns what the call
 * returns: where that was. */
#include <stdint.h>

uintptr_t placed_exported(uintptr_t (*here)(void), int *out_line);
uintptr_t placed_static(uintptr_t (*here)(void), int *out_line);
uintptr_t placed_last(uintptr_t (*here)(void), int *out_line);

uintptr_t placed_exported(uintptr_t (*here)(void), int *out_line)
{
    volatile uintptr_t at = here();

    *out_line = __LINE__ - 2;
    return at;
}

__attribute__((noinline)) static uintptr_t hidden(uintptr_t (*here)(void), int *out_line)
{
    volatile uintptr_t at = here();

    *out_line = __LINE__ - 2;
    return at;
}

uintptr_t placed_static(uintptr_t (*here)(void), int *out_line)
{
    volatile uintptr_t at = hidden(here, out_line);

    return at;
}

/* With optimisation the last call is a jump, and what it returns to is in placed_last. */
__attribute__((noinline)) static uintptr_t end_with_a_call(uintptr_t (*here)(void), int *out_line)
{
    *out_line = __LINE__ + 1;
    return here();
}

uintptr_t placed_last(uintptr_t (*here)(void), int *out_line)
{
    volatile uintptr_t at = end_with_a_call(here, out_line);

    return at;
}
