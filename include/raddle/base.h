/* raddle/base.h -- what all headers of Raddle share.  Nothing to call.
 *
 * The headers are for C, C11 or later, with the extensions that gcc and clang share, and for C++,
 * C++17 or later.  In C++ all is written in the same way, with the rules that it has itself:
 *
 *   - Forms are filled in by designated initialisers, .field = value, in the order in which their
 *     fields are declared here.  (C++20 has these; before, they are an extension that g++ and
 *     clang++ know.)
 *   - Numbers in braces must fit without being converted: rdl_is(ping, .id = (uint32_t)n).
 *   - States and arguments of specs, and what events carry, are trivially copyable.
 *   - What is a compound literal in C, (struct item){7}, is item{7}.
 *   - Steps, patterns and the like (rdl_sequence, rdl_out, ...) live as long as the case in which
 *     they are made, and for ever if that is before main: not as static variables of functions.
 *   - A failing check leaves the case by a jump, as in C, so destructors are not called. */
#ifndef RADDLE_BASE_H
#define RADDLE_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#include <initializer_list>
#include <type_traits>

#define RDL_API          extern "C" __attribute__((visibility("default")))
#define RDL__API_VAR     RDL_API
#define RDL__C           extern "C"
#define RDL__GLOBAL      extern        /* of constants, which would be their file's own */
#define RDL__FIELD(name)               /* in their order */
#define RDL__NO_BYTES    char none[0]; /* so that it is as large as in C */
#define RDL__UNSET       = {}          /* of fields that users leave out without naming others */
#else
#define RDL_API      __attribute__((visibility("default")))
#define RDL__API_VAR RDL_API extern
#define RDL__C
#define RDL__GLOBAL
#define RDL__FIELD(name) .name =
#define RDL__NO_BYTES
#define RDL__UNSET
#endif
#define RDL__NORETURN           __attribute__((noreturn))
#define RDL__KEPT_SECTION       __attribute__((section("rdl__kept")))
#define RDL__PRINTF(text, rest) __attribute__((__format__(__printf__, text, rest)))

/* Forms are filled in with designated initialisers only, so that fields can be
 * added; gcc can warn of the other kind. */
#if defined(__GNUC__) && !defined(__clang__)
#define RDL__FORM __attribute__((designated_init))
#else
#define RDL__FORM
#endif

/* Options may be left out, RDL_PROPERTY(name), which the standards do not know before C23: of that
 * clang can be told; gcc, which minds it in -std=c11 and the like, not in gnu11, leaves only
 * headers of the system alone.  Other extensions are marked where they are used, but for blocks
 * with a value: marked, clang would want the value to be used. */
#ifdef __clang__
#pragma clang diagnostic ignored "-Wgnu-zero-variadic-macro-arguments"
#pragma clang diagnostic ignored "-Wgnu-statement-expression"
#define RDL__EXTENSION
#else
#define RDL__EXTENSION __extension__
#endif
#if !defined(RDL__LOOK_CLOSELY) &&                                                                 \
    (defined(__cplusplus) || (defined(__STRICT_ANSI__) && !defined(__clang__)))
#define RDL__OF_THE_SYSTEM
#pragma GCC system_header
#endif

/* In C++, fields that are left out would be warned of, and designators before C++20. */
#if defined(__cplusplus) && __cplusplus < 202002L
#ifdef __clang__
#pragma clang diagnostic ignored "-Wc++20-designator"
#elif __GNUC__ >= 12
#pragma GCC diagnostic ignored "-Wc++20-extensions"
#endif
#endif

/* Is this file compiled by `raddle cc`?  A program that is made of it has to be, too. */
#ifdef __has_feature
#define RDL__SEEN (__has_feature(thread_sanitizer))
#elif defined(__SANITIZE_THREAD__)
#define RDL__SEEN true
#else
#define RDL__SEEN false
#endif

#define RDL__HERE        __FILE__, __LINE__
#define RDL__JOIN(a, b)  RDL__JOIN2(a, b)
#define RDL__JOIN2(a, b) a##b

/* How many arguments: 1 to 16. */
#define RDL__COUNT(...)                                                                            \
    RDL__COUNT2(__VA_ARGS__, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)
#define RDL__COUNT2(a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, n, ...) n

/* Bytes of a struct that belong to no field must not make two values different.  RDL__CLEAR makes a
 * function that clears them.  A compiler that cannot tell where they are leaves that to the
 * library, which has it from debugging information. */
#if defined(__has_builtin)
#if __has_builtin(__builtin_clear_padding)
#define RDL__CLEAR_PADDING(it) __builtin_clear_padding(it)
#endif
#endif

#ifdef RDL__CLEAR_PADDING
#define RDL__CLEAR(function, Type)                                                                 \
    static void function(void *it)                                                                 \
    {                                                                                              \
        Type *rdl__it_ = (Type *)it;                                                               \
        RDL__CLEAR_PADDING(rdl__it_);                                                              \
    }
#else
#define RDL__CLEAR_PADDING(it) (void)(it)
#define RDL__CLEAR(function, Type)                                                                 \
    static const struct {                                                                          \
        Type *rdl__type_padded;                                                                    \
    } function##_of = {0};                                                                         \
    static struct rdl__padding function##_padding RDL__KEPT_SECTION = {&function##_of,             \
                                                                       sizeof(Type), 0, 0, 0};     \
    static void function(void *it)                                                                 \
    {                                                                                              \
        rdl__clear_padding(&function##_padding, it);                                               \
    }                                                                                              \
    __attribute__((constructor)) static void function##_known(void)                                \
    {                                                                                              \
        rdl__padding_known(&function##_padding);                                                   \
    }
#endif

struct rdl__padding {
    const void *of; /* a variable that leads to the type */
    size_t size;
    unsigned char
        *values; /* the bits that are none; NULL: there are no others, or it is not known */
    bool is_looked_up;
    struct rdl__padding *next;
};
RDL_API void rdl__padding_known(struct rdl__padding *padding);
RDL_API void rdl__clear_padding(struct rdl__padding *padding, void *it);

/* What the semicolon after a macro ends; and what is said of types that are copied byte by byte. */
#ifdef __cplusplus
#define RDL__END_OF_MACRO static_assert(true, "")
#define RDL__MADE_OF_BYTES(Type)                                                                   \
    static_assert(std::is_trivially_copyable<Type>::value,                                         \
                  "Raddle copies this type byte by byte: it has to be trivially copyable");
#else
#define RDL__END_OF_MACRO _Static_assert(1, "")
#define RDL__MADE_OF_BYTES(Type)
#endif

/* Values that are given in the middle of an expression: RDL__LENT for the length of a call,
 * RDL__KEPT for as long as compound literals live in C, or longer; RDL__FILLED is the value itself.
 * Of the first two, those with _ONE are initialised as the only element of an array: {7}.  And
 * what is done before main: in C++ after the variables above it are there. */
#ifdef __cplusplus
#define RDL__LENT(Type, ...)     rdl__lent(rdl__same<Type>{__VA_ARGS__})
#define RDL__LENT_ONE(Type, ...) rdl__lent(rdl__same<rdl__same<Type>[1]> { __VA_ARGS__ })
#define RDL__KEPT(Type, ...)     rdl__kept(rdl__same<Type>{__VA_ARGS__})
#define RDL__KEPT_ONE(Type, ...) rdl__kept(rdl__same<rdl__same<Type>[1]> { __VA_ARGS__ })
#define RDL__FILLED(Type, ...)   (rdl__same<Type>{__VA_ARGS__})
#define RDL__ROOM_FOR(Type)      rdl__kept(rdl__same<Type>())
#define RDL__BEFORE_MAIN(function)                                                                 \
    static void function(void);                                                                    \
    [[maybe_unused]] static const bool RDL__JOIN(function, _is_done) = (function(), true);         \
    static void function(void)

RDL_API void *rdl__keep_value(const void *bytes, size_t size);

extern "C++" {
template <class T> using rdl__same = T;

template <class T> const T *rdl__lent(const T &it)
{
    return &it;
}

template <class T> T *rdl__kept(const T &it)
{
    RDL__MADE_OF_BYTES(T)
    return static_cast<T *>(rdl__keep_value(&it, sizeof it));
}

template <class T> const T *rdl__kept_all(std::initializer_list<T> items)
{
    return static_cast<const T *>(rdl__keep_value(items.begin(), items.size() * sizeof(T)));
}
}
#else
#define RDL__LENT(Type, ...)       (__extension__(&(Type const){__VA_ARGS__}))
#define RDL__LENT_ONE(Type, ...)   (__extension__((Type const[1]){__VA_ARGS__}))
#define RDL__KEPT(Type, ...)       RDL__LENT(Type, __VA_ARGS__)
#define RDL__KEPT_ONE(Type, ...)   RDL__LENT_ONE(Type, __VA_ARGS__)
#define RDL__FILLED(Type, ...)     (__extension__(Type){__VA_ARGS__})
#define RDL__ROOM_FOR(Type)        (&(Type){0})
#define RDL__BEFORE_MAIN(function) __attribute__((constructor)) static void function(void)
#endif

/* One try of a test: what it drew, noted and allocated.  It is lent to the
 * test's body for the length of the case. */
struct rdl_case;

#endif
