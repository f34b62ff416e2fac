/* test_checks.c -- a check fails if and only if what it claims does not hold; what it says of the
 * two sides; and that the first failure is the one that counts. */
#include "raddle/check.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "case/case.h"
#include "harness.h"
#include "run/execute.h"

static struct rdl_case the_case;
static jmp_buf left_case;

static void leave(struct rdl_case *t)
{
    (void)t;
    longjmp(left_case, 1);
}

static void begin(void)
{
    struct rdl__error error;

    if (!the_case.outcome)
        rdl__case_init(&the_case, rdl__board_new(1 << 10, &error), NULL);
    the_case.leave = leave;
    the_case.outcome->verdict = RDL__PASSED;
    the_case.outcome->claimed = 0;
    the_case.outcome->text[0] = the_case.outcome->check[0] = '\0';
    rdl__current = &the_case;
}

/* Does this fail?  Then the_case.outcome says how. */
#define FAILS(check)                                                                               \
    (begin(), setjmp(left_case) == 0 ? (void)({ check; }) : (void)0, rdl__current = NULL,          \
     the_case.outcome->verdict == RDL__FAILED)

/* ---- Numbers ------------------------------------------------------------------------------- */

#define EXPECT_ORDER(a, b)                                                                         \
    do {                                                                                           \
        __int128 left_ = (a), right_ = (b);                                                        \
                                                                                                   \
        EXPECT_EQ(FAILS(rdl_check_eq(a, b)), !(left_ == right_));                                  \
        EXPECT_EQ(FAILS(rdl_check_ne(a, b)), !(left_ != right_));                                  \
        EXPECT_EQ(FAILS(rdl_check_lt(a, b)), !(left_ < right_));                                   \
        EXPECT_EQ(FAILS(rdl_check_le(a, b)), !(left_ <= right_));                                  \
        EXPECT_EQ(FAILS(rdl_check_gt(a, b)), !(left_ > right_));                                   \
        EXPECT_EQ(FAILS(rdl_check_ge(a, b)), !(left_ >= right_));                                  \
    } while (0)

TEST(integers_are_compared_as_the_numbers_they_are)
{
    static const int64_t numbers[] = {INT64_MIN, INT32_MIN, -2,  -1,        0,          1,        2,
                                      127,       128,       255, INT32_MAX, UINT32_MAX, INT64_MAX};
    enum { COUNT = sizeof numbers / sizeof *numbers };

    for (int i = 0; i < COUNT; i++)
        for (int j = 0; j < COUNT; j++) {
            int64_t a = numbers[i], b = numbers[j];
            uint64_t ua = (uint64_t)a, ub = (uint64_t)b;

            EXPECT_ORDER(a, b);
            EXPECT_ORDER(a, ub);
            EXPECT_ORDER(ua, b);
            EXPECT_ORDER(ua, ub);
            EXPECT_ORDER((int)a, (unsigned)ub);
            EXPECT_ORDER((signed char)a, (unsigned char)ub);
            EXPECT_ORDER((short)a, ub);
        }
}

TEST(values_are_shown_by_their_types)
{
    EXPECT(FAILS(rdl_check_eq(-1, 1u)));
    EXPECT_STR(the_case.outcome->text, "left:  -1\nright: 1");
    EXPECT(FAILS(rdl_check_eq(9u, 10u)));
    EXPECT_STR(the_case.outcome->text, "left:  9\nright: 10 (0xa)");
    EXPECT(FAILS(rdl_check_eq((bool)true, (bool)false)));
    EXPECT_STR(the_case.outcome->text, "left:  true\nright: false");
    EXPECT(FAILS(rdl_check_eq((char)'a', (char)'\n')));
    EXPECT_STR(the_case.outcome->text, "left:  'a' (97)\nright: '\\n' (10)");
    EXPECT(FAILS(rdl_check_eq(0.5, 0.25f)));
    EXPECT_STR(the_case.outcome->text, "left:  0.5\nright: 0.25");
    EXPECT(FAILS(rdl_check_eq((void *)&the_case, NULL)));
    EXPECT_STR(the_case.outcome->text, "left:  a pointer\nright: NULL");
    EXPECT(FAILS(rdl_check_ne((void *)&the_case, (void *)&the_case)));
    EXPECT_STR(the_case.outcome->text, "left:  a pointer\nright: a pointer\n(the same one)");
    EXPECT(FAILS(rdl_check_eq((void *)&the_case, (void *)&left_case)));
    EXPECT_STR(the_case.outcome->text, "left:  a pointer\nright: a pointer\n(not the same one)");
}

/* ---- Texts and memory ------------------------------------------------------------------------ */

TEST(texts_differ_where_they_differ)
{
    static const char *const texts[] = {NULL, "", "a", "ab", "abc", "abd", "b"};
    enum { COUNT = sizeof texts / sizeof *texts };

    for (int i = 0; i < COUNT; i++)
        for (int j = 0; j < COUNT; j++) {
            const char *a = texts[i], *b = texts[j];
            volatile size_t at = 0;
            char wanted[200];

            EXPECT_EQ(FAILS(rdl_check_str(a, b)), i != j);
            while (a && b && a[at] && a[at] == b[at])
                at++;
            if (i == j || !a || !b)
                continue;
            snprintf(wanted, sizeof wanted,
                     "left:  \"%s\"\nright: \"%s\"\nthey differ from character %zu on (lengths %zu "
                     "and %zu)",
                     a, b, at, strlen(a), strlen(b));
            EXPECT_STR(the_case.outcome->text, wanted);
        }
}

/* Eight bytes before the difference are shown, and 24 in all. */
static void add_bytes(char *to, const char *side, const unsigned char *bytes, size_t from,
                      size_t end, size_t size)
{
    sprintf(to + strlen(to), "%s%s", side, from ? "... " : "");
    for (size_t i = from; i < end; i++)
        sprintf(to + strlen(to), "%s%02x", i > from ? " " : "", bytes[i]);
    sprintf(to + strlen(to), "%s\n", end < size ? " ..." : "");
}

TEST(memory_differs_where_it_differs)
{
    unsigned char a[70], b[70];
    char wanted[1000];

    for (size_t i = 0; i < sizeof a; i++)
        a[i] = b[i] = (unsigned char)(i * 37);
    for (volatile size_t size = 0; size <= sizeof a; size += 1 + size / 8) {
        EXPECT(!FAILS(rdl_check_mem(a, b, size)));
        for (volatile size_t at = 0; at < size; at++) {
            volatile size_t from = at < 8 ? 0 : at - 8, end = size - from < 24 ? size : from + 24;

            b[at] ^= 1;
            b[size - 1] ^= 2;
            EXPECT(FAILS(rdl_check_mem(a, b, size)));
            wanted[0] = '\0';
            add_bytes(wanted, "left:  ", a, from, end, size);
            add_bytes(wanted, "right: ", b, from, end, size);
            sprintf(wanted + strlen(wanted), "       %*s^^ byte %zu of %zu",
                    (int)(3 * (at - from) + (from ? 4 : 0)), "", at, size);
            EXPECT_STR(the_case.outcome->text, wanted);
            b[size - 1] ^= 2;
            b[at] ^= 1;
        }
    }
}

/* ---- Failures -------------------------------------------------------------------------------- */

static void check_here(int n)
{
    rdl_check(n < 3, "n is %d", n);
}

TEST(failures_of_one_check_are_one_bug_and_those_of_others_are_others)
{
    uint64_t origin;

    EXPECT(!FAILS(check_here(2)));
    EXPECT(FAILS(check_here(3)));
    EXPECT_STR(the_case.outcome->check, "rdl_check(n < 3, \"n is %d\", n)");
    EXPECT_STR(the_case.outcome->text, "n is 3");
    EXPECT_EQ(the_case.outcome->cause, RDL__BY_CHECK);
    origin = the_case.outcome->origin;
    EXPECT(FAILS(check_here(4)));
    EXPECT(the_case.outcome->origin == origin);
    EXPECT(FAILS(rdl_check(false)));
    EXPECT(the_case.outcome->origin != origin);
}

TEST(the_first_failure_of_a_case_says_why)
{
    begin();
    if (setjmp(left_case) == 0)
        check_here(5);
    if (setjmp(left_case) == 0)
        check_here(6);
    EXPECT_STR(the_case.outcome->text, "n is 5");
    rdl__current = NULL;
}
