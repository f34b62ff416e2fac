/* usage.cc -- what of Raddle is there for C++, from C++17 on. */
#include <raddle.h>

#include <algorithm>
#include <string>
#include <vector>

enum colour { RED, GREEN };

static std::vector<int64_t> numbers(struct rdl_case *t)
{
    std::vector<int64_t> drawn((size_t)rdl_int(t, 0, 20));

    for (int64_t &number : drawn)
        number = rdl_int(t, -100, 100);
    return drawn;
}

RDL_PROPERTY(reversing_twice_changes_nothing)
{
    std::vector<int64_t> drawn = numbers(t), twice = drawn;

    std::reverse(twice.begin(), twice.end());
    std::reverse(twice.begin(), twice.end());
    rdl_check(drawn == twice);
    rdl_check(drawn == twice, "%zu numbers", drawn.size());
    rdl_check_eq(drawn.size(), twice.size());
}

RDL_PROPERTY(values_of_all_types_are_compared)
{
    const char *text = rdl_string(t);
    int n = (int)rdl_int(t, 1, 5);
    std::string copy(text);

    rdl_check_str(copy.c_str(), text);
    rdl_check_mem(copy.data(), text, copy.size());
    rdl_check_lt(-1, 1u);
    rdl_check_ge(n, 1L);
    rdl_check_ne(1.5, 2.5f);
    rdl_check_eq(true, !false);
    rdl_check_eq('a', 'a');
    rdl_check_eq(RED, RED);
    rdl_check_eq(&n, &n);
    rdl_label(t, n > 1 ? "several" : "one");
    rdl_note("%d", n);
}

RDL_PROPERTY(fails_where_it_should)
{
    rdl_check_le(rdl_int(t, 0, 1000), 99u);
}

static int counted;

static void count(void *)
{
    counted++;
}

RDL_EXPLORE(threads_are_there)
{
    struct rdl_thread *one = rdl_spawn(t, "one", count, NULL);

    counted = 0;
    rdl_join(one);
    rdl_check_le(counted, 1);
}

#if __cplusplus >= 202002L
RDL_PROPERTY(options_stand_in_their_order, .cases = 10, .expect_failure = true)
{
    rdl_check(!rdl_bool(t));
}
#endif

RDL_MAIN
