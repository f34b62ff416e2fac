/* raddle/mock.h -- other answers than those of the functions that the code under test calls.
 *
 *     RDL_PROPERTY(a_failed_write_is_tried_again)
 *     {
 *         struct rdl_mock *write = rdl_mock(t, flash_write, rdl_at_call(1), rdl_returns(-1));
 *
 *         rdl_spy(t, "journal.c:append");
 *         journal_store(&journal, "abc");
 *         rdl_check_eq(rdl_mock_calls(write), 1);
 *         rdl_check_eq(rdl_mock_arg(write, 0, "block", int), 3);
 *     }
 *
 * Any function of the process can be mocked, be it static, in the same file as its caller or in
 * a library; neither code nor link is changed for it.  It is named as it is called in C, if it is
 * declared here, or by its place, a text (raddle/gates.h):
 *
 *     rdl_mock(t, flash_write)                the function that is declared here
 *     rdl_mock(t, "flash_write")              the same
 *     rdl_mock(t, "driver.c:flash_write")     if there are several of that name
 *     rdl_mock(t, "libz.so.1!crc32")          the one of a library
 *
 * What its parameters and result are is read from the program's debugging information (-g).  All
 * that is said here lasts as long as the case.  The last that was said is asked first: if it is
 * not for the call (rdl_arg, rdl_at_call, ...), the one before is, and then the function itself,
 * unless the function was to be mocked with arguments that this call does not have: that fails.
 *
 * Threads may call at the same time, controlled or not.  What Raddle itself calls is never mocked,
 * so malloc, read and pthread_mutex_lock can be.  If the function has copies that calls of it do
 * not reach, since the compiler has made them part of other functions, that is an error which says
 * where: compile with -fno-inline, declare it noinline, or say rdl_partly.  (Of two functions that
 * do the same, gcc makes one from -O2 on, unless it is told -fno-ipa-icf.  Where the compiler
 * has worked out a result beforehand, with -flto or within a file from -O2 on (clang: -O1), there
 * is no call and no trace of one; nor is there always one of a small copy that clang, or gcc with
 * -flto, has made part of a caller; nor need an argument be passed that the function does not look
 * at.  gcc's noipa and clang's optnone prevent all that.)
 *
 * In a library that is unloaded and loaded again, functions are to be mocked again.
 *
 * Of a function with any number of arguments (...) the parameters that have names are known, and
 * all are handed on.  Of some functions of the C library, such as memcpy and time, one of several
 * is chosen when it is loaded; that one is mocked.  Where a sanitizer has functions in place of the
 * C library's, such as malloc, these are mocked, which is what calls lead to.  (They need not call
 * each other: strdup of AddressSanitizer calls no malloc.)
 *
 * A function that never returns, such as exit(), cannot be mocked by one that does: there is no
 * code behind such a call, so the case fails when it is made.  Replace it by one that leaves, too,
 * by longjmp() for instance.
 *
 * In the story of a failing case each call is a line: flash_write(block = 3, data = "ab") -> -1. */
#ifndef RADDLE_MOCK_H
#define RADDLE_MOCK_H

#include <raddle/base.h>
#include <raddle/events.h>

#ifdef RDL__OF_THE_SYSTEM
#pragma GCC system_header
#endif

/* ---- Mocks -------- */

/* What was said of a function, and the calls that it was for. */
struct rdl_mock;

/* The function is not called.  What is to happen instead, and for which calls, are the parts that
 * follow; without any, all calls return 0, and set nothing:
 *
 *     rdl_mock(t, sensor_read, rdl_returns(true), rdl_sets("celsius", 21.5)); */
#define rdl_mock(t, function, ...)                                                                 \
    RDL__MOCK(t, function, RDL__MOCK_ANSWER, RDL__MOCK_PARTS(0, ##__VA_ARGS__))

/* The function is called, and its calls are kept. */
#define rdl_spy(t, function, ...)                                                                  \
    RDL__MOCK(t, function, RDL__MOCK_SPY, RDL__MOCK_PARTS(0, ##__VA_ARGS__))

/* A function of yours is called instead, of the same type: the compiler says so if it is not, and
 * the function is declared.  Functions that it calls may be mocked; and
 * rdl_real(flash_write)(3, "ab") is the one that it stands in for. */
#define rdl_replace(t, function, replacement, ...)                                                 \
    RDL__MOCK(t, function, RDL__MOCK_REPLACE,                                                      \
              RDL__MOCK_PARTS(                                                                     \
                  0, RDL__PART(RDL__PART_CALLS, .code = RDL__REPLACING(function, replacement)),    \
                  ##__VA_ARGS__))
#define rdl_real(function)                                                                         \
    ((__typeof__(&(function)))rdl__real((void (*)(void))(function), #function))

/* ---- Faults -------- */

/* Some calls go wrong, and the others are made.  Which do is drawn, so that a case which fails
 * shrinks to the faults that it needs; the story says which calls those were:
 *
 *     rdl_inject(t, malloc, rdl_returns(NULL), rdl_sets_errno(ENOMEM), rdl_percent(5));
 *
 * Calls that do not go wrong are made, or are for what was said before of the function: a spy, say.
 *
 * Without rdl_percent, one call in ten does.  rdl_at_call(3) is about the third call only, and
 * rdl_when about those for which a function says so; without rdl_percent such calls surely fail.
 *
 * In tests of a spec (raddle/spec.h) it is said in .create.  Functions that specs play there
 * (raddle/callouts.h) can be injected faults into, or be mocked, too: such a call still has to be
 * in order, but its effect in the neighbour's spec does not take place.  What it was answered, the
 * spec of the caller learns by rdl_answered. */
#define rdl_inject(t, function, ...)                                                               \
    RDL__MOCK(t, function, RDL__MOCK_INJECT, RDL__MOCK_PARTS(0, ##__VA_ARGS__))

/* ---- What happens -------- */

/* The result.  Numbers are converted to its type, and must fit. */
#define rdl_returns(value_) RDL__PART(RDL__PART_RETURNS, RDL__PART_VALUE(value_))

/* What this parameter points to becomes this; so many bytes; errno.  If it is NULL, there is
 * nothing to set. */
#define rdl_sets(parameter, value_)                                                                \
    RDL__PART(RDL__PART_SETS, .name = (parameter), RDL__PART_VALUE(value_))
#define rdl_sets_bytes(parameter, bytes_, size_)                                                   \
    RDL__PART(RDL__PART_SETS_BYTES, .name = (parameter), .value = (bytes_), .size = (size_))
#define rdl_sets_errno(number_) RDL__PART(RDL__PART_ERRNO, .number = (number_))

/* The function itself is called, after all.  (Out-parameters that are said are set then.) */
#define rdl_runs RDL__PART(RDL__PART_RUNS, .number = 0)

/* Or it returns this: which of the two is drawn. */
#define rdl_or_fails(value_) RDL__PART(RDL__PART_OR_FAILS, RDL__PART_VALUE(value_))

/* ---- Which calls -------- */

/* Each stands for a parameter, the first for the first; those that are left over may be anything.
 *
 *   rdl_arg(3)               this value
 *   RDL_ANYTHING             any
 *   rdl_that(is_even)        one for which  bool is_even(int)  says so: it takes what the parameter
 *                            takes; a struct by its address
 *   rdl_str("ab")            it points to this text
 *   rdl_points_to(pointer, 16)   it points to such bytes
 *   rdl_keeps(slot)          any, which is kept: see RDL_SLOT in raddle/events.h; and
 *   rdl_same_as(slot)        the one that was kept.  Both in rdl_call_to only
 *
 * or for the one that it names, among the others:
 *
 *   rdl_where("block", 3) */
#define rdl_arg(value_)              RDL__PART(RDL__PART_ARG, RDL__PART_VALUE(value_))
#define RDL_ANYTHING                 RDL__PART(RDL__PART_ANYTHING, .number = 0)
#define rdl_that(function)           RDL__PART(RDL__PART_THAT, RDL__CODE(function))
#define rdl_str(text)                RDL__PART(RDL__PART_STR, .value = (text))
#define rdl_points_to(bytes_, size_) RDL__PART(RDL__PART_BYTES, .value = (bytes_), .size = (size_))
#define rdl_keeps(the_slot)          RDL__PART(RDL__PART_KEEPS, .slot = &rdl_slot_##the_slot)
#define rdl_same_as(the_slot)        RDL__PART(RDL__PART_SAME_AS, .slot = &rdl_slot_##the_slot)
#define rdl_where(parameter, value_)                                                               \
    RDL__PART(RDL__PART_WHERE, .name = (parameter), RDL__PART_VALUE(value_))

/* The n-th call only, from 1; with a probability, in percent, which is drawn; if a function says
 * so:  bool when(void). */
#define rdl_at_call(n)       RDL__PART(RDL__PART_AT_CALL, .number = (n))
#define rdl_percent(percent) RDL__PART(RDL__PART_CHANCE, .number = (percent))
#define rdl_when(function)   RDL__PART(RDL__PART_WHEN, RDL__CODE(function))

/* Copies of the function that are not reached are left as they are. */
#define rdl_partly RDL__PART(RDL__PART_PARTLY, .number = 0)

/* ---- Calls that were made -------- */

/* How many it was for. */
RDL_API size_t rdl_mock_calls(struct rdl_mock *mock);

/* An argument of the i-th of them, from 0:  rdl_mock_arg(write, 0, "block", int).  Parameters whose
 * names are not known are called "1", "2", ...; and "" is the result. */
#define rdl_mock_arg(mock, i, parameter, type)                                                     \
    (*(type *)rdl__mock_arg((mock), (i), (parameter), RDL__ROOM_FOR(type), sizeof(type), RDL__HERE))

/* From now on, keep a copy of what a parameter points to: so many bytes, or elements if it is known
 * how large they are.  That is a number; or a text, an expression of C over the parameters; or, if
 * nothing is said, one element, and of a char * all to its end:
 *
 *     rdl_copies(write, "data", "length");
 *     rdl_copies(push, "item", "buffer->item_size");
 *     rdl_copies(read, "2", "3");       of a function whose parameters have no names
 *
 * A story and failures show these bytes, too.  NULL is what a NULL pointer pointed to. */
#define rdl_copies(mock, ...)                                                                      \
    RDL__JOIN(RDL__COPIES_, RDL__COUNT(mock, __VA_ARGS__))(mock, __VA_ARGS__)
RDL_API const void *rdl_mock_copy(struct rdl_mock *mock, size_t i, const char *parameter,
                                  size_t *out_size);

/* ---- Calls as a language -------- */

/* Which calls are to be made, in which order, and what they return:
 *
 *     rdl_expect_calls(t, rdl_sequence(
 *         rdl_call_to(flash_erase, rdl_keeps(the_block), rdl_returns(0)),
 *         rdl_plus(rdl_call_to(flash_write, rdl_same_as(the_block), rdl_returns(0))),
 *         rdl_optional(rdl_call_to(flash_sync))));
 *     journal_store(&journal, "abc");
 *     rdl_calls_done(t);
 *
 * The steps are those of raddle/events.h.  From now on, a call to one of these functions that has
 * no place in it fails, with what was allowed instead; and so does rdl_calls_done, or the end of
 * the case, if some are missing.  If a step does not say what happens (rdl_returns, rdl_sets,
 * rdl_runs, ...) that is as rdl_mock and the others have said of the function, or 0. */
#define rdl_expect_calls(t, step) rdl__expect_calls((t), (step), RDL__HERE)
#define rdl_calls_done(t)         rdl__calls_done((t), RDL__HERE)
#define rdl_call_to(function, ...)                                                                 \
    RDL__STEP(RDL__STEP_CALL, .value = RDL__MOCK_PARTS(0, ##__VA_ARGS__),                          \
              .value_size = RDL__PARTS_SIZE(0, ##__VA_ARGS__),                                     \
              .operation = &rdl__call_to_function, .name = RDL__FUNCTION_NAME(function))

/* ---- Functions that are missing -------- */

/* RDL_STUB(flash_write);   outside of functions: a function that is declared, but that no file of
 * the program has.  If one has it after all, that is called.  A stub that is called, and is not
 * mocked, ends the case in error.  `raddle stubs HEADER` writes these lines for all functions of a
 * header.
 *
 * Neither debugging information nor this macro knows the names of its parameters, which may
 * follow:  RDL_STUB(flash_write, block, data, length); */
#define RDL_STUB(function, ...) RDL__STUB(function, ##__VA_ARGS__)

/* RDL_PROTOTYPE(crc32, crc, bytes, count);   the same for a function that is there, but was
 * compiled without -g, so that nothing is known of it: for rdl_mock(t, "libz.so.1!crc32").  Where
 * it is named as a function, rdl_mock(t, crc32), that is only needed for the names. */
#define RDL_PROTOTYPE(function, ...) RDL__PROTOTYPE(function, "" #__VA_ARGS__)

/* ---- Behind the macros -------- */

enum rdl__mock_kind {
    RDL__MOCK_ANSWER,
    RDL__MOCK_SPY,
    RDL__MOCK_REPLACE,
    RDL__MOCK_INJECT,
};

enum rdl__part_kind {
    RDL__PART_END,
    RDL__PART_BEGIN,
    RDL__PART_CALLS,
    RDL__PART_RETURNS,
    RDL__PART_SETS,
    RDL__PART_SETS_BYTES,
    RDL__PART_ERRNO,
    RDL__PART_RUNS,
    RDL__PART_OR_FAILS,
    RDL__PART_ARG,
    RDL__PART_ANYTHING,
    RDL__PART_THAT,
    RDL__PART_STR,
    RDL__PART_BYTES,
    RDL__PART_KEEPS,
    RDL__PART_SAME_AS,
    RDL__PART_WHERE,
    RDL__PART_AT_CALL,
    RDL__PART_CHANCE,
    RDL__PART_WHEN,
    RDL__PART_PARTLY,
};

struct rdl_part {
    enum rdl__part_kind kind;
    const char *name; /* of a parameter, or of the function: */
    void (*code)(void);
    const void *value;
    size_t size;
    int value_class; /* of a value: what __builtin_classify_type says */
    bool is_unsigned;
    long number;
    const struct rdl_slot *slot;
};

/* A function that is named as one has a type, which debugging information finds by a variable. */
#define RDL__MOCK(t, function, kind, parts)                                                        \
    (__extension__({                                                                               \
        static RDL__DECAYED(function) rdl__typed_ __attribute__((used));                           \
        rdl__typed_ = RDL__UNLESS_TEXT(function, function);                                        \
        rdl__mock((t), RDL__FUNCTION_NAME(function), RDL__UNLESS_TEXT(function, &rdl__typed_),     \
                  (kind), (parts), RDL__HERE);                                                     \
    }))
#define RDL__CODE(function) .name = #function, .code = (void (*)(void))(function)

/* Of a value, arrays become pointers, and what is smaller than an int becomes one. */
#ifdef __cplusplus
#define RDL__PART(kind_, ...)                                                                      \
    rdl_part                                                                                       \
    {                                                                                              \
        .kind = (kind_), __VA_ARGS__                                                               \
    }
#define RDL__PART_VALUE(x)                                                                         \
    .value = rdl__kept(rdl__promoted(x)), .size = sizeof(rdl__promoted(x)),                        \
    .value_class = rdl__class_of<decltype(rdl__promoted(x))>(),                                    \
    .is_unsigned = std::is_unsigned<decltype(rdl__promoted(x))>::value
#define RDL__MOCK_PARTS(unused, ...)                                                               \
    (rdl__kept_all<rdl_part>(                                                                      \
        {rdl_part{.kind = RDL__PART_BEGIN}, ##__VA_ARGS__, rdl_part{.kind = RDL__PART_END}}))
#define RDL__PARTS_SIZE(...)                  sizeof(rdl__as_many(__VA_ARGS__))
#define RDL__DECAYED(function)                rdl__same<std::decay<decltype(function)>::type>
#define RDL__FUNCTION_NAME(function)          rdl__function_name((function), #function)
#define RDL__UNLESS_TEXT(function, it)        rdl__unless_text((function), (it))
#define RDL__REPLACING(function, replacement) rdl__replacing((function), (replacement))

extern "C++" {
template <class... T> rdl_part (&rdl__as_many(const T &...))[sizeof...(T) + 1];

template <class T> constexpr auto rdl__promoted(T x)
{
    if constexpr (std::is_enum<T>::value)
        return +static_cast<typename std::underlying_type<T>::type>(x);
    else if constexpr (std::is_same<T, decltype(nullptr)>::value)
        return static_cast<const void *>(nullptr);
    else if constexpr (std::is_integral<T>::value)
        return +x;
    else
        return x;
}

/* As __builtin_classify_type has it. */
template <class T> constexpr int rdl__class_of(void)
{
    return std::is_integral<T>::value         ? 1
           : std::is_pointer<T>::value        ? 5
           : std::is_floating_point<T>::value ? 8
                                              : __builtin_classify_type(T());
}

inline const char *rdl__function_name(const char *text, const char *)
{
    return text;
}

template <class F> const char *rdl__function_name(F *, const char *name)
{
    const char *last = name;

    for (const char *at = name; *at; at++)
        if (*at == ':')
            last = at + 1;
    return last;
}

template <class T> T *rdl__unless_text(const char *, T *)
{
    return NULL;
}

template <class F, class T> T *rdl__unless_text(F *, T *it)
{
    return it;
}

template <class F> struct rdl__exactly {
    using type = F;
};

template <class F>
auto rdl__replacing(F *, typename rdl__exactly<F>::type *replacement) -> void (*)(void)
{
    return reinterpret_cast<void (*)(void)>(replacement);
}

template <class F> auto rdl__replacing(const char *, F *replacement) -> void (*)(void)
{
    return reinterpret_cast<void (*)(void)>(replacement);
}
}
#else
#define RDL__PART(kind_, ...)                                                                      \
    {                                                                                              \
        .kind = (kind_), __VA_ARGS__                                                               \
    }
#define RDL__PROMOTED(x) 1 ? (x) : (x)
#define RDL__DECAYED(x)  __typeof__(RDL__PROMOTED(x))
#define RDL__PART_VALUE(x)                                                                         \
    .value = (const RDL__DECAYED(x)[1]){x}, .size = sizeof(RDL__DECAYED(x)),                       \
    .value_class = __builtin_classify_type(RDL__PROMOTED(x)),                                      \
    .is_unsigned = _Generic((RDL__PROMOTED(x)), unsigned : 1, unsigned long : 1,                   \
                            unsigned long long : 1, default : 0)
#define RDL__MOCK_PARTS(unused, ...)                                                               \
    (const struct rdl_part[])                                                                      \
    {                                                                                              \
        {.kind = RDL__PART_BEGIN}, ##__VA_ARGS__,                                                  \
        {                                                                                          \
            .kind = RDL__PART_END                                                                  \
        }                                                                                          \
    }
#define RDL__PARTS_SIZE(...) sizeof(RDL__MOCK_PARTS(__VA_ARGS__))
#define RDL__FUNCTION_NAME(function)                                                               \
    _Generic((function), char * : (function), const char * : (function), default : #function)
#define RDL__UNLESS_TEXT(function, it)                                                             \
    _Generic((function), char * : NULL, const char * : NULL, default : (it))
#define RDL__REPLACING(function, replacement)                                                      \
    (void (*)(void))(1 ? (replacement)                                                             \
                       : _Generic((function), char * : (replacement), const char * : (replacement),\
                                  default : (function)))
#endif

RDL_API struct rdl_mock *rdl__mock(struct rdl_case *t, const char *function, const void *typed,
                                   enum rdl__mock_kind kind, const struct rdl_part *parts,
                                   const char *file, int line);
RDL_API void (*rdl__real(void (*function)(void), const char *name))(void);
RDL_API void *rdl__mock_arg(struct rdl_mock *mock, size_t i, const char *parameter, void *out,
                            size_t size, const char *file, int line);
RDL_API void rdl__expect_calls(struct rdl_case *t, const struct rdl_step *step, const char *file,
                               int line);
RDL_API void rdl__calls_done(struct rdl_case *t, const char *file, int line);
RDL__API_VAR const char rdl__call_to_function;

#define RDL__NOT_SAID (-__LONG_MAX__ - 1)
#define RDL__COPIES_2(mock, parameter)                                                             \
    rdl__copies((mock), (parameter), RDL__NOT_SAID, NULL, RDL__HERE)
RDL_API void rdl__copies(struct rdl_mock *mock, const char *parameter, long count,
                         const char *expression, const char *file, int line);
#ifdef __cplusplus
#define RDL__COPIES_3(mock, parameter, how_many)                                                   \
    rdl__copies_of((mock), (parameter), (how_many), RDL__HERE)

extern "C++" {
template <class T>
void rdl__copies_of(struct rdl_mock *mock, const char *parameter, T how_many, const char *file,
                    int line)
{
    if constexpr (std::is_convertible<T, const char *>::value)
        rdl__copies(mock, parameter, RDL__NOT_SAID, how_many, file, line);
    else
        rdl__copies(mock, parameter, (long)how_many, NULL, file, line);
}
}
#else
#define RDL__COPIES_3(mock, parameter, how_many)                                                   \
    rdl__copies((mock), (parameter), _Generic((how_many), char * : RDL__NOT_SAID, const char *     \
                                              : RDL__NOT_SAID, default                             \
                                              : (how_many)),                                       \
                _Generic((how_many), char * : (how_many), const char * : (how_many), default       \
                         : NULL),                                                                  \
                RDL__HERE)
#endif

struct rdl__declared {
    const char *name;
    const void *variable;   /* a pointer to such a function, for its type */
    const char *parameters; /* "block, data, length"; "": their names are not known */
    struct rdl__declared *next;
};
RDL_API void rdl__declare(struct rdl__declared *function);
RDL_API RDL__NORETURN void rdl__stub_called(const char *name);

/* What a header calls by another name is called so here, too. */
#define RDL__PROTOTYPE(function, names)                                                            \
    __attribute__((used)) static __typeof__(function) *rdl_type_of_##function;                     \
    __attribute__((constructor)) static void rdl_declare_##function(void)                          \
    {                                                                                              \
        static struct rdl__declared self RDL__KEPT_SECTION = {#function, &rdl_type_of_##function,  \
                                                              names, NULL};                        \
        rdl__declare(&self);                                                                       \
    }                                                                                              \
    RDL__END_OF_MACRO

/* The first instruction has room for a jump.  The caller's return address stays where it is. */
#define RDL__STUB(function, ...)                                                                   \
    __asm__(".pushsection .text.rdl_stub." #function ",\"ax\",@progbits\n"                         \
            ".weak " #function "\n"                                                                \
            ".type " #function ", @function\n"                                                     \
            ".p2align 4\n" #function ":\n"                                                         \
            ".cfi_startproc\n"                                                                     \
            "nopl 8(%rax,%rax,1)\n"                                                                \
            "leaq 1f(%rip), %rdi\n"                                                                \
            "jmp rdl__stub_called@PLT\n"                                                           \
            ".cfi_endproc\n"                                                                       \
            ".size " #function ", . - " #function "\n"                                             \
            ".popsection\n"                                                                        \
            ".pushsection .rodata.rdl_stub, \"a\", @progbits\n"                                    \
            "1: .asciz \"" #function "\"\n"                                                        \
            ".popsection\n");                                                                      \
    RDL__PROTOTYPE(function, "" #__VA_ARGS__)

#endif
