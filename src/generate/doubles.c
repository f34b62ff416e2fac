/* doubles.c -- drawing floating-point numbers.
 *
 * Two choices: the magnitude, by the order of doubles.h, and the sign.  A range
 * that excludes 0 has another simplest number: that one then takes index 0, and
 * magnitudes out of range stand for it. */
#include "generate/doubles.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "generate/numbers.h"
#include "raddle/generate.h"

#define FRACTION_OR_HUGE (UINT64_C(1) << 63)
enum { MANTISSA_BITS = 52, FRACTION_BITS_MAX = 1074 };

static uint64_t bits_of(double x)
{
    uint64_t bits;

    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static double of_bits(uint64_t bits)
{
    double x;

    memcpy(&x, &bits, sizeof x);
    return x;
}

uint64_t rdl__double_code(double x)
{
    uint64_t bits = bits_of(x), m = bits & ((UINT64_C(1) << MANTISSA_BITS) - 1);
    int exponent = (int)(bits >> MANTISSA_BITS), k;

    if (isnan(x))
        return FRACTION_OR_HUGE | bits_of(NAN);
    if (x >= 0x1p63)
        return FRACTION_OR_HUGE | bits_of(x);
    if ((double)(int64_t)x == x)
        return (uint64_t)x;
    if (exponent)
        m |= UINT64_C(1) << MANTISSA_BITS;
    k = FRACTION_BITS_MAX + !!exponent - exponent; /* x = m * 2^-k */
    k -= __builtin_ctzll(m);
    m >>= __builtin_ctzll(m);
    return FRACTION_OR_HUGE | (uint64_t)(k - 1) << MANTISSA_BITS | m >> 1;
}

double rdl__double_of(uint64_t code)
{
    uint64_t rest = code & ~FRACTION_OR_HUGE;
    int k = (int)(rest >> MANTISSA_BITS) + 1;
    uint64_t m = (rest & ((UINT64_C(1) << MANTISSA_BITS) - 1)) << 1 | 1;

    if (!(code & FRACTION_OR_HUGE))
        return (double)code;
    if (k > FRACTION_BITS_MAX)
        return fabs(of_bits(rest));
    return ldexp((double)m, -k);
}

/* What may be drawn. */
struct domain {
    double min, max;
    bool infinity_above, infinity_below, nan;
    int precision; /* 24 for floats */
    double simplest;
};

static double rounded(const struct domain *domain, double x)
{
    return domain->precision < 53 ? (double)(float)x : x;
}

static bool allows(const struct domain *domain, double x)
{
    if (isnan(x))
        return domain->nan;
    if (isinf(x))
        return x > 0 ? domain->infinity_above : domain->infinity_below;
    if (x == 0 && signbit(x))
        return domain->min < 0 && domain->max >= 0;
    return x >= domain->min && x <= domain->max && rounded(domain, x) == x;
}

/* The number with the smallest code in a range of positive numbers. */
static double simplest_between(const struct domain *domain, double min, double max)
{
    for (int k = 0; k <= FRACTION_BITS_MAX; k++) {
        double x = ldexp(ceil(ldexp(min, k)), -k);

        if (isfinite(x) && x <= max && x >= min && rounded(domain, x) == x)
            return x;
    }
    return min;
}

static struct domain domain_of(struct rdl_case *t, const char *file, int line, const char *what,
                               int precision, const struct rdl_double *form)
{
    bool open = form->range.min == 0 && form->range.max == 0;
    double largest = precision < 53 ? (double)FLT_MAX : DBL_MAX;
    struct domain domain = {
        .min = open ? -largest : fmax(form->range.min, -largest),
        .max = open ? largest : fmin(form->range.max, largest),
        .infinity_above = form->infinity && (open || isinf(form->range.max)),
        .infinity_below = form->infinity && (open || isinf(form->range.min)),
        .nan = form->nan,
        .precision = precision,
    };

    if (!(form->range.min <= form->range.max))
        rdl__misuse(t, "%s:%d: %s: no number lies between %g and %g", file, line, what,
                    form->range.min, form->range.max);
    if (domain.min > 0)
        domain.simplest = simplest_between(&domain, domain.min, domain.max);
    else if (domain.max < 0)
        domain.simplest = -simplest_between(&domain, -domain.max, -domain.min);
    if (!allows(&domain, domain.simplest))
        rdl__misuse(t, "%s:%d: %s: no number of this type lies between %g and %g", file, line, what,
                    form->range.min, form->range.max);
    return domain;
}

/* A number with any exponent that the range has. */
static double any_exponent(struct rdl__random *random, const struct domain *domain)
{
    double reach = fmax(fabs(domain->min), fabs(domain->max));
    double x = of_bits(rdl__random_upto(random, bits_of(reach)));

    return rdl__random_next(random) & 1 ? -x : x;
}

static double special(struct rdl__random *random, const struct domain *domain)
{
    const double specials[] = {
        domain->min, domain->max, DBL_MIN, 0x1p-1074,    DBL_EPSILON, 1 + DBL_EPSILON,
        FLT_MAX,     0.1,         0x1p53,  0x1p53 + 2.0, -0.0,        INFINITY,
        -INFINITY,   NAN,         1e300,   0.5,
    };

    uint64_t word = rdl__random_next(random);

    if (word & 1)
        return specials[word >> 1 & 1]; /* the ends break most */
    return specials[(word >> 2) % (sizeof specials / sizeof *specials)];
}

static double by_chance(struct rdl__random *random, const struct domain *domain, uint32_t size)
{
    uint64_t word = rdl__random_next(random);
    double unit = (double)(rdl__random_next(random) >> 11) * 0x1p-53;
    int bits = 1 + (int)size / 4;
    double whole = (double)rdl__short_index(random, UINT64_MAX, bits);
    double sign = word & 16 ? -1 : 1;

    switch (word & 15) {
    case 0:
    case 1:
        return special(random, domain);
    case 2:
        return any_exponent(random, domain);
    case 3:
    case 4:
        return sign * ldexp(whole, -(int)(word >> 5 & 7));
    case 5:
    case 6:
    case 7:
        return sign * whole;
    default:
        if (domain->max - domain->min > 1e12) /* evenly would be nothing but huge numbers */
            return sign * whole * unit;
        return domain->min + unit * (domain->max - domain->min);
    }
}

static void show(struct rdl_case *t, const char *file, int line, const char *what, uint32_t from,
                 double value, int precision)
{
    struct rdl__text text = {0};

    rdl__text_add_double(&text, value, precision < 53);
    rdl__show(t, file, line, what, from, &text);
    rdl__text_release(&text);
}

/* The magnitude that an index stands for, made canonical on the way. */
static double magnitude_of(const struct domain *domain, uint64_t *index)
{
    double x = fabs(rounded(domain, rdl__double_of(*index)));

    if (*index == 0 || !(allows(domain, x) || allows(domain, -x)) || x == fabs(domain->simplest)) {
        *index = 0;
        return fabs(domain->simplest);
    }
    *index = rdl__double_code(x);
    return x;
}

double rdl__double(struct rdl_case *t, const char *file, int line, const char *what, int precision,
                   struct rdl_double form)
{
    struct domain domain = domain_of(t, file, line, what, precision, &form);
    struct rdl__tape *tape = t->tape;
    uint32_t from = tape->count;
    bool negative = false, may_be_negative, must_be_negative;
    uint64_t index;
    double x;

    rdl__span_begin(tape, RDL__LABEL_DOUBLE);
    if (tape->fresh) {
        x = rounded(&domain, by_chance(&tape->random, &domain, t->settings.size));
        if (!allows(&domain, x))
            x = allows(&domain, -x) ? -x : domain.simplest;
        negative = signbit(x);
        x = fabs(x); /* allowed, with one sign or the other: nothing to make canonical */
        index = x == fabs(domain.simplest) ? 0 : rdl__double_code(x);
    } else {
        index = rdl__tape_given(tape, RDL__DOUBLE, UINT64_MAX, 0);
        x = magnitude_of(&domain, &index);
    }
    rdl__record(tape, RDL__DOUBLE, index, UINT64_MAX, 0);

    may_be_negative = allows(&domain, -x) && !isnan(x);
    must_be_negative = may_be_negative && !allows(&domain, x);
    if (may_be_negative && !must_be_negative) {
        if (!tape->fresh)
            negative = rdl__tape_given(tape, RDL__BOOLEAN, 1, 0);
        rdl__record(tape, RDL__BOOLEAN, negative, 1, 0);
    } else {
        rdl__choose(tape, RDL__BOOLEAN, 0);
        negative = must_be_negative;
    }
    rdl__span_end(tape);
    if (negative)
        x = -x;
    if (rdl__showing(t))
        show(t, file, line, what, from, x, precision);
    return x;
}
