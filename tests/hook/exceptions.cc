// exceptions.cc -- an exception that is thrown in the function of a hook, through C and C++.
#include <cstdio>
#include <stdexcept>
#include <string>

#define _Noreturn [[noreturn]]
extern "C" {
#include "port/hook.h"
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
    return x * 3 + 1;
}

__attribute__((noinline)) static int guarded(int x)
{
    guard one;
    return in_c(plain, x) + 1;
}

static void throw_it(rdl__registers *registers, void *)
{
    throw std::runtime_error("thrown in a hook at " + std::to_string(registers->rdi));
}

int main()
{
    rdl__hook hook = {};
    rdl__error error;
    int caught = 0;

    hook.address = (uintptr_t)plain;
    hook.call = throw_it;
    for (int round = 0; round < 6; round++) {
        hook.never_jump = round % 2;
        if (!rdl__hook_place(&hook, &error)) {
            printf("%s\n", error.text);
            return 2;
        }
        try {
            guarded(round);
        } catch (const std::runtime_error &seen) {
            caught += std::string(seen.what()) == "thrown in a hook at " + std::to_string(round);
        }
        rdl__hook_remove(&hook);
    }
    printf("caught %d, destroyed %d, passed %d, quiet %d\n", caught, destroyed, (int)hook.passed,
           (int)rdl__hook_is_quiet(&hook));
    return caught == 6 && destroyed == 6 && hook.passed == 0 && rdl__hook_is_quiet(&hook) ? 0 : 1;
}
