// model_rapidcheck.cpp -- a ring buffer against its model, by RapidCheck: `basic`, `large`,
// or `small`, which has a bug and is shrunk.
//
// RC_PARAMS in the environment says how many cases, how long, and which seed.
#include <cstdio>
#include <ctime>
#include <deque>
#include <memory>
#include <string>

#include <rapidcheck.h>
#include <rapidcheck/state.h>

#include "../model/ring.h"

struct Buffer {
    int size;
    std::deque<int> items;
};

struct Ring {
    ring *it;
};

// Every failing run is simpler than the one before: the last is the result.
static size_t cases, commands, first, first_length, last_length, in_case;
static int last_size, size_now, values_now, last_values;
static clock_t failed_at;

static void judge(bool holds)
{
    if (!holds) {
        if (!first) {
            first = cases;
            first_length = in_case;
            failed_at = clock();
        }
        last_length = in_case;
        last_size = size_now;
        last_values = values_now;
    }
    RC_ASSERT(holds);
}

using Command = rc::state::Command<Buffer, Ring>;

struct Put : Command {
    int value = *rc::gen::inRange(0, 256);

    void apply(Buffer &s) const override
    {
        if (int(s.items.size()) < s.size)
            s.items.push_back(value);
    }
    void run(const Buffer &s, Ring &r) const override
    {
        commands++;
        in_case++;
        values_now += value != 0;
        judge(ring_put(r.it, value) == (int(s.items.size()) < s.size));
    }
};

struct Get : Command {
    void apply(Buffer &s) const override
    {
        if (!s.items.empty())
            s.items.pop_front();
    }
    void run(const Buffer &s, Ring &r) const override
    {
        commands++;
        in_case++;
        judge(ring_get(r.it) == (s.items.empty() ? -1 : s.items.front()));
    }
};

using Any = std::shared_ptr<const Command>;

template <typename T> static rc::Gen<Any> command()
{
    return rc::gen::exec([] { return Any(std::make_shared<T>()); });
}

template <typename Choose> static void check(int largest, ring *(*create)(int), Choose choose)
{
    rc::check([=] {
        Buffer initial{*rc::gen::inRange(1, largest + 1), {}};
        std::unique_ptr<ring, void (*)(ring *)> owner(create(initial.size), ring_free);
        Ring r{owner.get()};

        cases++;
        in_case = 0;
        size_now = initial.size;
        values_now = 0;
        rc::state::check(initial, r, choose);
    });
}

int main(int argc, char **argv)
{
    std::string what = argc == 2 ? argv[1] : "";
    clock_t before = clock();
    auto fiveToOne = [](const Buffer &) {
        return rc::gen::weightedOneOf<Any>({{5, command<Put>()}, {1, command<Get>()}});
    };

    if (what == "basic")
        check(16, ring_new, rc::state::gen::execOneOfWithArgs<Put, Get>());
    else if (what == "large")
        check(256, ring_new, fiveToOne);
    else if (what == "small")
        check(256, ring_new_small, fiveToOne);
    else
        return 2;
    printf("cases=%zu commands=%zu cpu=%.6f\n", cases, commands,
           double(clock() - before) / CLOCKS_PER_SEC);
    if (first)
        printf("found_at=%zu first_length=%zu shrink_runs=%zu shrink_cpu=%.6f length=%zu size=%d "
               "values=%d\n",
               first, first_length, cases - first, double(clock() - failed_at) / CLOCKS_PER_SEC,
               last_length, last_size, last_values);
    return 0;
}
