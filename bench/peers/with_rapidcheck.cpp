// with_rapidcheck.cpp -- the same for RapidCheck: `throughput`, or a problem to shrink.
//
// RC_PARAMS in the environment says how many cases, and which seed.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <string>
#include <vector>

#include <rapidcheck.h>

using Ints = std::vector<int>;
using Clock = std::chrono::steady_clock;

static size_t cases, ints;

static void throughput()
{
    clock_t before = clock();

    rc::check([](const Ints &xs) {
        Ints ys = xs;

        cases++;
        ints += xs.size();
        std::reverse(ys.begin(), ys.end());
        std::reverse(ys.begin(), ys.end());
        RC_ASSERT(ys == xs);
    });
    printf("cases=%zu ints=%zu cpu=%.6f\n", cases, ints,
           double(clock() - before) / CLOCKS_PER_SEC);
}

// Every failing run is simpler than the one before: the last is the result.
static size_t runs, first, first_length;
static Clock::time_point failed_at;
static std::string result;

static std::string text_of(int x)
{
    return std::to_string(x);
}

template <typename T> static std::string text_of(const std::vector<T> &xs)
{
    std::string text;

    for (const T &x : xs)
        text += (text.empty() ? "" : ",") + text_of(x);
    return "[" + text + "]";
}

template <typename T> static void judge(bool holds, size_t length, const T &xs)
{
    runs++;
    if (!holds) {
        if (!first) {
            first = runs;
            first_length = length;
            failed_at = Clock::now();
        }
        result = text_of(xs);
    }
    RC_ASSERT(holds);
}

static Ints ints_upto(int max)
{
    return *rc::gen::container<Ints>(rc::gen::inRange(0, max + 1));
}

static bool has_pair(const Ints &xs)
{
    for (size_t i = 0; i < xs.size(); i++)
        for (size_t k = 0; k < i; k++)
            if (xs[i] == xs[k] && xs[i] > 7)
                return true;
    return false;
}

static void shrink(const std::string &problem)
{
    if (problem == "reverse")
        rc::check([](const Ints &xs) {
            judge(std::equal(xs.begin(), xs.end(), xs.rbegin()), xs.size(), xs);
        });
    else if (problem == "large")
        rc::check([] {
            Ints xs = ints_upto(1000000);

            judge(std::all_of(xs.begin(), xs.end(), [](int x) { return x < 900; }), xs.size(), xs);
        });
    else if (problem == "length")
        rc::check([](const Ints &xs) { judge(xs.size() < 10, xs.size(), xs); });
    else if (problem == "pair")
        rc::check([] {
            Ints xs = ints_upto(200);

            judge(!has_pair(xs), xs.size(), xs);
        });
    else if (problem == "sum")
        rc::check([] {
            Ints xs = ints_upto(400);
            int sum = 0;

            for (int x : xs)
                sum += x;
            judge(sum < 1000, xs.size(), xs);
        });
    else if (problem == "nested")
        rc::check([](const std::vector<Ints> &xss) {
            size_t total = 0;

            for (const Ints &xs : xss)
                total += xs.size();
            judge(total <= 10, total, xss);
        });
    printf("shrink_runs=%zu shrink_wall=%.6f first_length=%zu result=%s\n", runs - first,
           std::chrono::duration<double>(Clock::now() - failed_at).count(), first_length,
           result.c_str());
}

int main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
    if (strcmp(argv[1], "throughput") == 0)
        throughput();
    else
        shrink(argv[1]);
    return 0;
}
