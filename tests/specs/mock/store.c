/* store.c -- code under test: it calls what tests mock. */
#include "store.h"

#include <stdlib.h>
#include <string.h>

int store_save(const char *text)
{
    size_t written = 0;

    if (flash_erase(3) != 0)
        return -2;
    if (flash_write(3, text, strlen(text), &written) != 0)
        return -1;
    return (int)written;
}

int store_save_twice(const char *text)
{
    int first = store_save(text);

    return first < 0 ? store_save(text) : first;
}

int store_poll(int unit)
{
    return device_status((unsigned char)unit);
}

__attribute__((noinline)) static int check(int unit)
{
    return device_status((unsigned char)unit) > 3;
}

int store_checked(int unit)
{
    return check(unit) ? 100 : 200;
}

__attribute__((always_inline)) static inline int always_inlined(int unit)
{
    return device_status((unsigned char)unit) * 2;
}

int store_inlined(int unit)
{
    return always_inlined(unit);
}

__attribute__((always_inline)) inline int store_half(int unit)
{
    return device_status((unsigned char)unit) * 3;
}

int store_other_half(int unit) __attribute__((alias("store_half")));

int store_calls_half(int unit)
{
    return store_half(unit) + 1;
}

char *store_copy(const char *text)
{
    char *copy = malloc(strlen(text) + 1);

    return copy ? strcpy(copy, text) : NULL;
}

void store_stop(int code)
{
    device_stop(code);
}
