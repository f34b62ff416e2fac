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

/* Bytes of a struct that belong to no field must not make two values different. */
#if defined(__has_builtin)
#if __has_builtin(__builtin_clear_padding)
#define RDL__CLEAR_PADDING(it) __builtin_clear_padding(it)
#endif
#endif
#ifndef RDL__CLEAR_PADDING
#define RDL__CLEAR_PADDING(it) (void)(it)
#endif

/* One try of a test: what it drew, noted and allocated.  It is lent to the
 * test's body for the length of the case. */
struct rdl_case;

#endif
