// objects.cpp -- two instrumented threads that add one each, by functions of a class that are not.
//
// ./objects WAY: "virtual" and "thrown" lose an update in some schedule.
#include "objects.h"

#include <cstdio>
#include <cstring>
#include <thread>

static number *shared;

static void add()
{
    int value = shared->get();

    shared->set(value + 1);
}

// What is thrown by code that is not instrumented comes through calls that the filter has changed.
static void add_and_catch()
{
    int value = 0;

    try {
        value = shared->get();
        shared->refuse();
    } catch (int) {
        shared->set(value + 1);
    }
}

int main(int argc, char **argv)
{
    bool thrown = argc > 1 && std::strcmp(argv[1], "thrown") == 0;

    shared = make_number();
    std::thread one(thrown ? add_and_catch : add), two(thrown ? add_and_catch : add);
    one.join();
    two.join();
    if (shared->get() != 2)
        std::printf("%d of 2\n", shared->get());
    return shared->get() == 2 ? 0 : 1;
}
