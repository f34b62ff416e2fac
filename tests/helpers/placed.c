/* placed.c -- a library with places in it, for test_lines.c.
 *
 * Each function stores the line of a call that it makes, and returns what the call
 * returns: where that was. */
#include <stdint.h>

uintptr_t placed_exported(uintptr_t (*here)(void), int *out_line);
uintptr_t placed_static(uintptr_t (*here)(void), int *out_line);

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
