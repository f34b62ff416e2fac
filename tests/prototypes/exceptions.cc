// exceptions.cc -- an exception that is thrown in what a thunk calls, and in the function itself
// when a thunk calls it.
#include <cstdio>
#include <stdexcept>

#define _Noreturn [[noreturn]]
extern "C" {
#include "port/detour.h"
#include "port/thunk.h"
int in_c(int (*function)(int), int argument);
}

static int destroyed;

struct guard {
    ~guard()
    {
        destroyed++;
    }
};

__attribute__((noinline)) static int plain(int x)
{
    if (x < 0)
        throw std::runtime_error("by itself");
    return x * 3 + 1;
}

__attribute__((noinline)) static int guarded(int x)
{
    guard one;
    return in_c(plain, x) + 1;
}

static void throw_it(rdl__arguments *arguments, void *it)
{
    guard one;

    if ((int)arguments->integers[0] >= 0)
        throw std::runtime_error("in its place");
    rdl__thunk_call(*(uintptr_t *)it, arguments, 0);
}

int main()
{
    uintptr_t real;
    rdl__detour detour = {};
    rdl__detour *list = &detour;
    rdl__error error;
    int caught = 0;

    detour.address = (uintptr_t)plain;
    detour.target = rdl__thunk_new(throw_it, &real);
    if (!rdl__detours_place(&list, 1, &error)) {
        printf("%s\n", error.text);
        return 2;
    }
    real = rdl__detour_real(&detour);
    for (int round = 0; round < 6; round++)
        try {
            guarded(round % 2 ? 5 : -5);
        } catch (const std::runtime_error &seen) {
            caught += seen.what()[0] == (round % 2 ? 'i' : 'b');
        }
    rdl__detours_remove(&list, 1);
    printf("caught %d, destroyed %d, ", caught, destroyed);
    printf("afterwards %d\n", guarded(1));
    return 0;
}
