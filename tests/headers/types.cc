/* types.cc -- types that C does not have, in specs and checks, from C++17 on. */
#include <raddle.h>

#include <cstring>
#include <exception>
#include <optional>

/* ---- Checks --------------------------------------------------------------------------------- */

static int same(int x)
{
    return x;
}

static int more(int x)
{
    return x + 1;
}

struct pair {
    int a, b;
    void swap()
    {
        int old = a;

        a = b;
        b = old;
    }
    void clear() { a = b = 0; }
};

enum class colour { red, green };

RDL_PROPERTY(values_of_cxx_are_compared, .cases = 3)
{
    rdl_check_ne(same, more);
    rdl_check_eq(&same, &same);
    rdl_check_ne(&pair::a, &pair::b);
    rdl_check_ne(&pair::swap, &pair::clear);
    rdl_check_ne(colour::red, colour::green);
    rdl_check_eq(1.5L, 1.5L);
    rdl_check_eq(nullptr, nullptr);
}

RDL_PROPERTY(fails_as_functions_are_not_the_same)
{
    int (*volatile one)(int) = same, (*volatile two)(int) = more;

    rdl_check_eq(one, two);
}

/* A jump out of a handler leaves nothing behind for the next case. */
RDL_PROPERTY(cases_that_end_in_handlers_are_over, .cases = 100)
{
    int x = (int)rdl_int(t, 0, 1000);

    rdl_check(!std::current_exception());
    rdl_check_eq(std::uncaught_exceptions(), 0);
    try {
        throw x;
    } catch (int y) {
        rdl_assume(t, y % 2 == 0);
    }
}

/* ---- Answers -------------------------------------------------------------------------------- */

struct base {
    char small;
    int large;
};

/* With a base, padding, a class, a member that is none of it, and parts of the C++ library. */
struct answer : base {
    class {
        char first;
        int second;

      public:
        void set(int value)
        {
            first = 1;
            second = value;
        }
    } hidden;
    static const int all = 3;
    colour tint;
    std::optional<int> maybe;
};

static void fill(answer *out, int value, int garbage)
{
    memset(static_cast<void *>(out), garbage, sizeof *out);
    out->small = 1;
    out->large = value;
    out->hidden.set(value);
    out->tint = colour::green;
    out->maybe = value;
}

struct counter {
    int count;
};

namespace app {
RDL_TYPES(right, counter, counter);
RDL_EXTERN_OP_RETURNS(right, next, rdl_nothing, answer);
RDL_POST_RETURNS(right, next, fill(r, ++s->count, 0));
RDL_DO_RETURNS(right, next, fill(r, ++o->count, 0x5a));
RDL_OP_RETURNS(right, next, rdl_nothing, answer, .post = right_next_post, .call = right_next_call);

static counter *create(rdl_case *t, const counter *)
{
    return rdl_new(t, counter);
}

RDL_SPEC(right, RDL_OPS(right, next), .create = create);
RDL_TEST_MODEL(padding_makes_no_difference, right, .cases = 50);

namespace {
RDL_TYPES(wrong, counter, counter);
RDL_EXTERN_OP_RETURNS(wrong, next, rdl_nothing, answer);
RDL_POST_RETURNS(wrong, next, fill(r, ++s->count, 0));
RDL_DO_RETURNS(wrong, next, fill(r, ++o->count, 0x5a); r->large += o->count == 3);
RDL_OP_RETURNS(wrong, next, rdl_nothing, answer, .post = wrong_next_post, .call = wrong_next_call);
RDL_SPEC(wrong, RDL_OPS(wrong, next), .create = create);
RDL_TEST_MODEL(fails_in_its_base, wrong, .cases = 500);
} // namespace
} // namespace app

/* ---- Gates ---------------------------------------------------------------------------------- */

__attribute__((noinline)) static int twice(int x)
{
    __asm__ volatile("" ::: "memory");
    return 2 * x;
}

static bool is_three(struct rdl_hit *hit, void *)
{
    return rdl_hit_value(hit, "x", int) == 3;
}

RDL_PROPERTY(variables_are_read_at_a_place, .cases = 3)
{
    static int seen;

    seen = 0;
    rdl_at(t, "twice", .when = is_three, .call = [](struct rdl_hit *, void *) { seen++; });
    rdl_check_eq(twice(2) + twice(3), 10);
    rdl_check_eq(seen, 1);
}

/* ---- Forms that are filled in partly --------------------------------------------------------- */

static struct rdl_port net = {.name = "net"};

static void *set_up(struct rdl_case *)
{
    return &net;
}

static const struct rdl_fixture fixture = {.setup = set_up};

RDL_PROPERTY(forms_may_be_left_open, .cases = 3, .fixture = &fixture)
{
    rdl_check_eq(rdl_fixture(t), &net);
}

RDL_MAIN
