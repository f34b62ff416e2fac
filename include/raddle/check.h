/* raddle/check.h -- saying what must hold, and leaving notes.
 *
 * Callable from any thread, without the case at hand.  A check that fails ends
 * the case: on the thread that runs the test's body by jumping out of it (use
 * rdl_defer or a fixture for what must be undone); on another thread together
 * with the process that runs the case, which is replaced.  Both sides are
 * evaluated once.  Outside a case a failing check prints what it has to say and
 * aborts. */
#ifndef RADDLE_CHECK_H
#define RADDLE_CHECK_H

#include <raddle/base.h>

#ifdef RDL__OF_THE_SYSTEM
#pragma GCC system_header
#endif

/* The condition must hold.  A printf format and its arguments may follow. */
#define rdl_check(...)                                                                             \
    RDL__JOIN(RDL__CHECK_, RDL__ONE_OR_MORE(__VA_ARGS__))(#__VA_ARGS__, __VA_ARGS__)

/* The case fails here. */
#define rdl_fail(...) rdl__failed(RDL__HERE, "rdl_fail", __VA_ARGS__)

/* Numbers, booleans, characters and pointers, both shown if it fails.  (A
 * bit-field needs a plus sign before it.) */
#define rdl_check_eq(left, right)                                                                  \
    RDL__COMPARE("rdl_check_eq(" #left ", " #right ")", left, ==, right)
#define rdl_check_ne(left, right)                                                                  \
    RDL__COMPARE("rdl_check_ne(" #left ", " #right ")", left, !=, right)
#define rdl_check_lt(left, right)                                                                  \
    RDL__COMPARE("rdl_check_lt(" #left ", " #right ")", left, <, right)
#define rdl_check_le(left, right)                                                                  \
    RDL__COMPARE("rdl_check_le(" #left ", " #right ")", left, <=, right)
#define rdl_check_gt(left, right)                                                                  \
    RDL__COMPARE("rdl_check_gt(" #left ", " #right ")", left, >, right)
#define rdl_check_ge(left, right)                                                                  \
    RDL__COMPARE("rdl_check_ge(" #left ", " #right ")", left, >=, right)

/* Strings (either may be NULL), and memory; a difference is pointed at. */
#define rdl_check_str(left, right)                                                                 \
    rdl__check_str(RDL__HERE, "rdl_check_str(" #left ", " #right ")", (left), (right))
#define rdl_check_mem(left, right, size)                                                           \
    rdl__check_mem(RDL__HERE, "rdl_check_mem(" #left ", " #right ", " #size ")", (left), (right),  \
                   (size))

/* A line for the report of a failing case, in its place among the draws.  Costs
 * next to nothing while no report is being made: nothing is formatted. */
RDL_API void rdl_note(const char *format, ...) RDL__PRINTF(1, 2);

/* ---- Behind the macros ------------------------------------------------------ */

enum rdl__value_type {
    RDL__VALUE_SIGNED,
    RDL__VALUE_UNSIGNED,
    RDL__VALUE_FLOAT,
    RDL__VALUE_DOUBLE,
    RDL__VALUE_BOOL,
    RDL__VALUE_CHAR,
    RDL__VALUE_POINTER
};

struct rdl_value {
    enum rdl__value_type type;
    union {
        int64_t s;
        uint64_t u;
        double d;
        const volatile void *p;
    };
};

RDL_API RDL__NORETURN void rdl__failed(const char *file, int line, const char *check,
                                       const char *format, ...) RDL__PRINTF(4, 5);
RDL_API RDL__NORETURN void rdl__compared(const char *file, int line, const char *check,
                                         struct rdl_value left, struct rdl_value right);
RDL_API void rdl__check_str(const char *file, int line, const char *check, const char *left,
                            const char *right);
RDL_API void rdl__check_mem(const char *file, int line, const char *check, const void *left,
                            const void *right, size_t size);

#define RDL__ONE_OR_MORE(...)                                                                      \
    RDL__COUNT2(__VA_ARGS__, MORE, MORE, MORE, MORE, MORE, MORE, MORE, MORE, MORE, MORE, MORE,     \
                MORE, MORE, MORE, MORE, ONE, 0)
#define RDL__CHECK_ONE(text, condition)                                                            \
    do {                                                                                           \
        if (__builtin_expect(!(condition), 0))                                                     \
            rdl__failed(RDL__HERE, "rdl_check(" text ")", "%s", "");                               \
    } while (0)
#define RDL__CHECK_MORE(text, condition, ...)                                                      \
    do {                                                                                           \
        if (__builtin_expect(!(condition), 0))                                                     \
            rdl__failed(RDL__HERE, "rdl_check(" text ")", __VA_ARGS__);                            \
    } while (0)

/* Integers are compared as the numbers they are, whatever their types. */
#define RDL__COMPARE(check, left, is, right)                                                       \
    do {                                                                                           \
        RDL__AUTO rdl__left = (left);                                                              \
        RDL__AUTO rdl__right = (right);                                                            \
        bool rdl__holds;                                                                           \
                                                                                                   \
        _Pragma("GCC diagnostic push");                                                            \
        _Pragma("GCC diagnostic ignored \"-Wsign-compare\"");                                      \
        if (RDL__IS_INTEGER(rdl__left) && RDL__IS_INTEGER(rdl__right))                             \
            rdl__holds = RDL__ORDER(rdl__left, rdl__right) is 0;                                   \
        else                                                                                       \
            rdl__holds = rdl__left is rdl__right;                                                  \
        _Pragma("GCC diagnostic pop");                                                             \
        if (__builtin_expect(!rdl__holds, 0))                                                      \
            rdl__compared(RDL__HERE, check, RDL__VALUE(rdl__left), RDL__VALUE(rdl__right));        \
    } while (0)
#define RDL__ORDER(left, right) rdl__integer_order(RDL__VALUE(left), RDL__VALUE(right))

#ifdef __cplusplus
#define RDL__AUTO          auto
#define RDL__VALUE(x)      rdl__value(x)
#define RDL__IS_INTEGER(x) rdl__is_integer(rdl__value(x))
#else
#define RDL__AUTO __extension__ __auto_type
#define RDL__IS_INTEGER(x)                                                                         \
    _Generic((x), bool : 1, char : 1, signed char : 1, short : 1, int : 1, long : 1,               \
             long long : 1, unsigned char : 1, unsigned short : 1, unsigned int : 1,               \
             unsigned long : 1, unsigned long long : 1, default : 0)

/* Which of these functions is called decides how a value is shown. */
#define RDL__VALUE(x)                                                                              \
    _Generic((x), bool                                                                             \
             : rdl__value_bool, char                                                               \
             : rdl__value_char, signed char                                                        \
             : rdl__value_signed, short                                                            \
             : rdl__value_signed, int                                                              \
             : rdl__value_signed, long                                                             \
             : rdl__value_signed, long long                                                        \
             : rdl__value_signed, unsigned char                                                    \
             : rdl__value_unsigned, unsigned short                                                 \
             : rdl__value_unsigned, unsigned int                                                   \
             : rdl__value_unsigned, unsigned long                                                  \
             : rdl__value_unsigned, unsigned long long                                             \
             : rdl__value_unsigned, float                                                          \
             : rdl__value_float, double                                                            \
             : rdl__value_double, long double                                                      \
             : rdl__value_double, default                                                          \
             : rdl__value_pointer)(x)
#endif

static inline struct rdl_value rdl__value_signed(int64_t x)
{
    struct rdl_value value;

    value.type = RDL__VALUE_SIGNED;
    value.s = x;
    return value;
}
static inline struct rdl_value rdl__value_unsigned(uint64_t x)
{
    struct rdl_value value;

    value.type = RDL__VALUE_UNSIGNED;
    value.u = x;
    return value;
}
static inline struct rdl_value rdl__value_bool(bool x)
{
    struct rdl_value value;

    value.type = RDL__VALUE_BOOL;
    value.u = x;
    return value;
}
static inline struct rdl_value rdl__value_char(char x)
{
    struct rdl_value value;

    value.type = RDL__VALUE_CHAR;
    value.u = (unsigned char)x;
    return value;
}
static inline struct rdl_value rdl__value_float(float x)
{
    struct rdl_value value;

    value.type = RDL__VALUE_FLOAT;
    value.d = x;
    return value;
}
static inline struct rdl_value rdl__value_double(double x)
{
    struct rdl_value value;

    value.type = RDL__VALUE_DOUBLE;
    value.d = x;
    return value;
}
static inline struct rdl_value rdl__value_pointer(const volatile void *x)
{
    struct rdl_value value;

    value.type = RDL__VALUE_POINTER;
    value.p = x;
    return value;
}

#ifdef __cplusplus
extern "C++" {
#define RDL__VALUE_OF(type, how)                                                                   \
    static inline rdl_value rdl__value(type x)                                                     \
    {                                                                                              \
        return rdl__value_##how(x);                                                                \
    }
RDL__VALUE_OF(bool, bool)
RDL__VALUE_OF(char, char)
RDL__VALUE_OF(signed char, signed)
RDL__VALUE_OF(short, signed)
RDL__VALUE_OF(int, signed)
RDL__VALUE_OF(long, signed)
RDL__VALUE_OF(long long, signed)
RDL__VALUE_OF(unsigned char, unsigned)
RDL__VALUE_OF(unsigned short, unsigned)
RDL__VALUE_OF(unsigned, unsigned)
RDL__VALUE_OF(unsigned long, unsigned)
RDL__VALUE_OF(unsigned long long, unsigned)
RDL__VALUE_OF(float, float)
RDL__VALUE_OF(double, double)
RDL__VALUE_OF(const volatile void *, pointer)

static inline rdl_value rdl__value(long double x)
{
    return rdl__value_double(static_cast<double>(x));
}

/* What would become a bool, or is not to become a number by itself. */
template <class F>
static inline typename std::enable_if<std::is_function<F>::value, rdl_value>::type rdl__value(F *x)
{
    return rdl__value_pointer(reinterpret_cast<const void *>(x));
}

template <class T, class C> static inline rdl_value rdl__value(T C::*x)
{
    uintptr_t bits;

    static_assert(sizeof x >= sizeof bits, "");
    __builtin_memcpy(&bits, &x, sizeof bits);
    return rdl__value_pointer(reinterpret_cast<const void *>(bits));
}

template <class E>
static inline typename std::enable_if<std::is_enum<E>::value && !std::is_convertible<E, int>::value,
                                      rdl_value>::type
rdl__value(E x)
{
    return rdl__value(static_cast<typename std::underlying_type<E>::type>(x));
}

static inline bool rdl__is_integer(rdl_value value)
{
    return value.type != RDL__VALUE_FLOAT && value.type != RDL__VALUE_DOUBLE &&
           value.type != RDL__VALUE_POINTER;
}
}
#endif

/* Less than, equal to or greater than 0, as left is to right. */
static inline int rdl__integer_order(struct rdl_value left, struct rdl_value right)
{
    bool left_negative, right_negative;

    if (left.type == RDL__VALUE_CHAR)
        left = rdl__value_signed((char)left.u);
    if (right.type == RDL__VALUE_CHAR)
        right = rdl__value_signed((char)right.u);
    left_negative = left.type == RDL__VALUE_SIGNED && left.s < 0;
    right_negative = right.type == RDL__VALUE_SIGNED && right.s < 0;
    if (left_negative != right_negative)
        return left_negative ? -1 : 1;
    return left_negative ? (left.s > right.s) - (left.s < right.s)
                         : (left.u > right.u) - (left.u < right.u);
}

#endif
