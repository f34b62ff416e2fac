/* numbers.c -- integers and doubles, where they end and where they round.
 *
 * Bugs in arithmetic sit at the ends of ranges.  Raddle draws those ends, and
 * their neighbours, far more often than chance would; what is left to the test
 * is a second, slower way to the same answer. */
#include <limits.h>
#include <math.h>
#include <raddle.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Adding without overflow --------------------------------------------------- */

static int32_t add_saturating(int32_t a, int32_t b)
{
    int32_t sum;

    if (__builtin_add_overflow(a, b, &sum))
        return a < 0 ? INT32_MIN : INT32_MAX;
    return sum;
}

/* The wider type is the second way. */
RDL_PROPERTY(a_sum_stops_at_the_ends)
{
    int32_t a = rdl_i32(t);
    int32_t b = rdl_i32(t);
    int64_t sum = (int64_t)a + b;

    rdl_classify(t, sum > INT32_MAX, "too large");
    rdl_classify(t, sum < INT32_MIN, "too small");
    rdl_check_eq(add_saturating(a, b), sum > INT32_MAX   ? INT32_MAX
                                       : sum < INT32_MIN ? INT32_MIN
                                                         : sum);
}

/* One would not think so, but a sum that stopped has forgotten how it came
 * there: (MAX + 1) - 1 is not MAX + (1 - 1). */
RDL_PROPERTY(saturating_sums_are_associative, .expect_failure = true)
{
    int32_t a = rdl_i32(t);
    int32_t b = rdl_i32(t);
    int32_t c = rdl_i32(t);

    rdl_check_eq(add_saturating(add_saturating(a, b), c), add_saturating(a, add_saturating(b, c)));
}

/* ---- Reading numbers ------------------------------------------------------------- */

/* False if the text is no int: another character in it, or too large a number. */
static bool read_int(const char *text, int *out_number)
{
    bool negative = *text == '-';
    int number = 0;

    text += negative;
    if (!*text)
        return false;
    for (; *text; text++) {
        if (*text < '0' || *text > '9')
            return false;
        /* Downwards, since there is one more number on that side. */
        if (__builtin_mul_overflow(number, 10, &number) ||
            __builtin_sub_overflow(number, *text - '0', &number))
            return false;
    }
    if (!negative && number == INT_MIN)
        return false;
    *out_number = negative ? number : -number;
    return true;
}

/* The same from a time when it seemed enough to look before the last digit. */
static bool read_int_broken(const char *text, int *out_number)
{
    bool negative = *text == '-';
    unsigned number = 0;

    text += negative;
    if (!*text)
        return false;
    for (; *text; text++) {
        if (*text < '0' || *text > '9' || number > INT_MAX / 10)
            return false;
        number = number * 10 + (unsigned)(*text - '0');
    }
    *out_number = (int)(negative ? -number : number);
    return true;
}

typedef bool read_function(const char *text, int *out_number);

RDL_PROPERTY(an_int_is_read_as_it_was_printed)
{
    int number = rdl_i32(t);
    int read = ~number;

    rdl_check(read_int(rdl_format(t, "%d", number), &read));
    rdl_check_eq(read, number);
}

/* All that fits an int is read, and nothing else is.  Numbers near the ends are
 * drawn on both sides of them. */
static void reads_ints_only(struct rdl_case *t, read_function *read)
{
    bool upper = rdl_bool(t);
    int64_t beyond = rdl_int(t, -20, 20);
    int64_t number = upper ? INT_MAX + beyond : INT_MIN - beyond;
    bool fits = number >= INT_MIN && number <= INT_MAX;
    int out = 0;

    rdl_note("read %lld", (long long)number);
    rdl_check_eq(read(rdl_format(t, "%lld", (long long)number), &out), fits);
    if (fits)
        rdl_check_eq(out, number);
}

RDL_PROPERTY(only_ints_are_read, .exhaustive = true)
{
    reads_ints_only(t, read_int);
}

RDL_PROPERTY(only_ints_are_read_broken, .expect_failure = true)
{
    reads_ints_only(t, read_int_broken);
}

RDL_PROPERTY(other_text_is_no_int)
{
    char *text = rdl_string(t, .of = "0123456789-+ x", .length = {0, 12});
    size_t digits = strspn(text + (*text == '-'), "0123456789");
    bool is_number = digits > 0 && text[(*text == '-') + digits] == '\0';
    int out;

    rdl_cover(t, 10, is_number, "a number");
    rdl_assume(t, !is_number || digits < 10); /* shorter ones always fit */
    rdl_check_eq(read_int(text, &out), is_number);
}

/* ---- Doubles ------------------------------------------------------------------------ */

/* Of two numbers with the same sign the difference is a number that exists, of
 * others the sum. */
static double middle(double a, double b)
{
    return (a < 0) == (b < 0) ? a + (b - a) / 2 : (a + b) / 2;
}

static double middle_broken(double a, double b)
{
    return (a + b) / 2;
}

typedef double middle_function(double a, double b);

static void lies_between(struct rdl_case *t, middle_function *middle_of)
{
    double a = rdl_double(t);
    double b = rdl_double(t);
    double m = middle_of(a, b);

    rdl_check_ge(m, fmin(a, b));
    rdl_check_le(m, fmax(a, b));
}

RDL_PROPERTY(the_middle_lies_between)
{
    lies_between(t, middle);
}

/* It takes two numbers so large that their sum is infinite: rare, hence the many
 * cases. */
RDL_PROPERTY(the_middle_broken_lies_between, .cases = 100000, .expect_failure = true)
{
    lies_between(t, middle_broken);
}

static double through_text(struct rdl_case *t, double x, int digits)
{
    return strtod(rdl_format(t, "%.*g", digits, x), NULL);
}

RDL_PROPERTY(seventeen_digits_are_enough)
{
    double x = rdl_double(t, .infinity = true);
    double again = through_text(t, x, 17);

    rdl_check_mem(&again, &x, sizeof x); /* -0.0 == 0.0, but it is another double */
}

RDL_PROPERTY(fifteen_digits_are_enough, .expect_failure = true)
{
    double x = rdl_double(t, .range = {0.0, 1.0});

    rdl_check_eq(through_text(t, x, 15), x);
}

RDL_MAIN
