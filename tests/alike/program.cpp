/* program.cpp -- variables that C++ makes when they are first used, and before main. */
#include <mutex>

#include <raddle.h>

static int made;

struct thing {
    int value;

    thing() : value(0)
    {
        made++;
        rdl_yield();
        value = 7;
    }
};

static const thing &the_thing()
{
    static thing it; // the compiler's guard sees to it that it is made once

    return it;
}

static void use(void *)
{
    rdl_check_eq(the_thing().value, 7);
}

RDL_EXPLORE(a_guard_is_put_back)
{
    rdl_thread *one = rdl_spawn(t, "one", use, t), *two = rdl_spawn(t, "two", use, t);

    rdl_bool(t);
    rdl_join(one);
    rdl_join(two);
    rdl_check_eq(made, 1);
}

static std::mutex lock;
static bool started;
static const thing *published;

// Wrong: a thread that comes second may find nothing there.
static void use_wrongly(void *)
{
    bool first;

    {
        std::lock_guard<std::mutex> held(lock);

        first = !started;
        started = true;
    }
    if (first) {
        std::lock_guard<std::mutex> held(lock);

        published = &the_thing();
    }
    std::lock_guard<std::mutex> held(lock);
    rdl_check(published != nullptr);
}

RDL_EXPLORE(wrong_first_use)
{
    rdl_thread *one = rdl_spawn(t, "one", use_wrongly, t),
               *two = rdl_spawn(t, "two", use_wrongly, t);

    rdl_join(one);
    rdl_join(two);
}

RDL_MAIN
