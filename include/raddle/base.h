/* raddle/base.h -- what all headers of Raddle share.  Nothing to call.
 *
 * The headers are C: C11 or later, with the extensions that gcc and clang share.  Tests of C++ code
 * may be C++, from C++17 on: cases, checks, properties, threads, gates and the clock are there, and
 * generators but for those that take options as rdl_ints(t, &n, .length = {0, 9}) does.  Options of
 * tests stand in the order of struct rdl_options then, and take C++20.  Specs, models, events,
 * streams, call-outs, clusters and mocks are for C: have them in a C file of the same program. */
#ifndef RADDLE_BASE_H
#define RADDLE_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#define RDL_API          extern "C" __attribute__((visibility("default")))
#define RDL__API_VAR     RDL_API
#define RDL__C           extern "C"
#define RDL__FIELD(name) /* in their order */
#define RDL__FORM_BEGIN                                                                            \
    _Pragma("GCC diagnostic push")                                                                 \
        _Pragma("GCC diagnostic ignored \"-Wmissing-field-initializers\"")
#define RDL__FORM_END _Pragma("GCC diagnostic pop")
#else
#define RDL_API      __attribute__((visibility("default")))
#define RDL__API_VAR RDL_API extern
#define RDL__C
#define RDL__FIELD(name) .name =
#define RDL__FORM_BEGIN
#define RDL__FORM_END
#endif
#define RDL__NORETURN           __attribute__((noreturn))
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
#if defined(__STRICT_ANSI__) && !defined(RDL__LOOK_CLOSELY)
#define RDL__OF_THE_SYSTEM
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
        Type *rdl__it_ = it;                                                                       \
        RDL__CLEAR_PADDING(rdl__it_);                                                              \
    }
#else
#define RDL__CLEAR_PADDING(it) (void)(it)
#define RDL__CLEAR(function, Type)                                                                 \
    static const struct {                                                                          \
        Type *rdl__type_padded;                                                                    \
    } function##_of = {0};                                                                         \
    static struct rdl__padding function##_padding = {&function##_of, sizeof(Type), 0, 0, 0};       \
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

/* One try of a test: what it drew, noted and allocated.  It is lent to the
 * test's body for the length of the case. */
struct rdl_case;

#endif
