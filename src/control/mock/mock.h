/* mock.h -- mocked functions; between the files of this folder.
 *
 * declared.c  functions that were declared to us, stubs
 * share.c     what is known of functions, for all processes of a run
 * mocked.c    a function that is mocked: where it is, its prototype, the detours
 * values.c    what a test gives, as the type of a parameter
 * parts.c     rdl_arg, rdl_returns and the like: which calls, and what happens
 * call.c      a call has come: who answers it
 * mock.c      what a test says, and asks
 * copies.c    what arguments point to
 * show.c      calls in words
 * expect.c    calls as a language
 *
 * All that calls change is changed under one lock, of free threads; of controlled ones, one runs
 * at a time. */
#ifndef RDL__MOCK_H
#define RDL__MOCK_H

#include <stdint.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "case/case.h"
#include "port/detour.h"
#include "port/locate.h"
#include "port/prototype.h"
#include "raddle/mock.h"

/* ---- What was declared: declared.c -------- */

/* NULL: nothing of that name. */
const struct rdl__declared *rdl__declared_as(const char *name);

/* ---- A function: mocked.c -------- */

/* Where it begins; there may be several copies, and one of ours that comes before it. */
struct rdl__mock_entry {
    struct rdl__mocked *function;
    struct rdl__detour detour;
    bool is_in_libc, is_interposed; /* it is the C library's, or in its place; it is ours */
};

/* Of a parameter, or the result. */
struct rdl__mock_value {
    const char *name; /* "1" if nothing else is known */
    const char *type_name;
    const struct rdl__type *type; /* NULL: not known */
    const unsigned char *mask;    /* bits that are not padding; NULL: all */
    uint32_t size;
    uint32_t at; /* in the values of a call */
};

struct rdl__mock_call;
typedef void rdl__mock_handler(struct rdl__mock_call *call, void *it);

struct rdl__mocked {
    char *place;           /* as the test says it */
    const char *name;      /* the function's */
    bool is_known;         /* its prototype */
    const char *unreached; /* copies of it that calls do not reach; "": none */
    bool has_variants;     /* among these: made by the compiler for some calls */
    bool has_interposed;
    bool never_returns;
    struct rdl__prototype prototype;
    struct rdl__mock_value *parameters; /* as many as the prototype has */
    struct rdl__mock_value result;
    uint32_t values_size; /* all values of a call */
    struct rdl__mock_entry *entries;
    size_t entry_count;
    bool is_placed;
    struct rdl_mock *mocks;      /* of this case, the last first */
    bool is_expected;            /* rdl_expect_calls names it */
    rdl__mock_handler *handler;  /* of this case: whom all calls go to; NULL: nobody */
    rdl__mock_handler *answered; /* the same, once others have answered */
    void *handled_by;
    struct rdl_event_type type;
    struct rdl__mocked *next;
};

/* The function that is meant, which leads to us from now on.  NULL: error says why not. */
struct rdl__mocked *rdl__mocked_get(struct rdl_case *t, const char *place, const void *typed,
                                    bool partly, struct rdl__error *error);

/* Several are meant soon: look up together what is not known of them, which takes no longer than
 * one of them. */
void rdl__mocked_look_up(const char *const *places, size_t count);

/* No function is mocked any more; but they still lead to us. */
void rdl__mocked_end(void);

/* All that were ever mocked, by next. */
struct rdl__mocked *rdl__mocked_first(void);

/* Its parameter; NULL: there is none of that name. */
const struct rdl__mock_value *rdl__mocked_parameter(const struct rdl__mocked *function,
                                                    const char *name);

/* What lies between the members of a struct is zero from now on, so that bytes can be compared. */
void rdl__mock_clear_padding(const struct rdl__mock_value *of, void *value);

/* Call the function itself, or another of the same type. */
void rdl__mocked_run(const struct rdl__mocked *function, uintptr_t code,
                     struct rdl__arguments *arguments);

/* Is this code of Raddle? */
bool rdl__is_own_code(uintptr_t address);

/* Where the C library begins, and the library that malloc is in: itself, or a sanitizer's. */
extern struct rdl__libc {
    uintptr_t start, allocator;
} rdl__libc;

/* Where the library begins that this lies in; 0: it is the program, or nowhere. */
uintptr_t rdl__library_of(uintptr_t address);

/* ---- What other processes have found: share.c -------- */

/* A function as it was found, before it is placed. */
void rdl__book_write(const struct rdl__mocked *function, const struct rdl__code_range *own,
                     size_t own_count);

/* NULL: nobody has found it. */
struct rdl__mocked *rdl__book_read(const char *place);
bool rdl__book_has(const char *place);
const struct rdl__code_range *rdl__book_own_code(size_t *out_count);

/* ---- Values: values.c -------- */

/* What was given, as a value of this type.  False: it is none. */
bool rdl__mock_convert(const struct rdl_part *given, const struct rdl__type *type,
                       const char *type_name, uint32_t size, void *out, struct rdl__error *error);

/* ---- Parts: parts.c -------- */

/* One, checked and copied. */
struct rdl__mock_part {
    enum rdl__part_kind kind;
    const struct rdl__mock_value *parameter; /* NULL: it is about none */
    const char *name;
    void (*code)(void);
    const void *value; /* of the type of the parameter, or what that points to, or the result */
    size_t size;
    long number;
    const struct rdl_slot *slot;
};

struct rdl__mock_parts {
    const struct rdl__mock_part *items;
    uint32_t count;
    bool says_what;      /* happens */
    bool says_arguments; /* not all calls are meant */
};

/* A call, while it is made. */
struct rdl__mock_call {
    const struct rdl__mock_entry *entry;
    struct rdl__mocked *function;
    struct rdl__arguments *arguments;
    unsigned char *values;
    const struct rdl__mock_parts *answer; /* NULL: nothing is said */
    const struct rdl__mock_part *failure; /* rdl_or_fails, if that was drawn */
    struct rdl_mock *mock;                /* it is for; NULL: none */
    struct rdl__kept_call *kept;
    uintptr_t code; /* to be run; 0: none */
    bool is_injected;
    bool is_answered; /* by what was said: a handler only looks at it */
};

bool rdl__mock_parts_read(struct rdl__mock_parts *out, struct rdl__arena *arena,
                          const struct rdl__mocked *function, const struct rdl_part *parts,
                          bool with_slots, struct rdl__error *error);
const struct rdl__mock_part *rdl__mock_part_of(const struct rdl__mock_parts *parts,
                                               enum rdl__part_kind kind);

/* Do the values of a call fit? */
bool rdl__mock_parts_fit(const struct rdl__mock_parts *parts, const unsigned char *values);

/* Write the result, and what else is set. */
void rdl__mock_answer(struct rdl__mock_call *call);

/* ---- A call: call.c -------- */

/* Somebody has called, which is what thunks are made with. */
void rdl__mock_come(struct rdl__arguments *arguments, void *entry);

/* What is kept is looked at, and changed, between these. */
void rdl__mock_lock(void);
void rdl__mock_unlock(void);

/* No thread calls any more; but one may have left in the midst of something. */
void rdl__mock_forget_work(void);

/* The case fails by this call; we are in the lock. */
_Noreturn void rdl__mock_fail(const struct rdl__mock_call *call, const char *what,
                              struct rdl__text *text);

/* Draw whether it happens. */
bool rdl__mock_draw(double probability);

/* ---- What is kept: mock.c, copies.c -------- */

struct rdl__mock_copy {
    const void *bytes; /* NULL: it was NULL, or could not be read */
    size_t size;
};

struct rdl__kept_call {
    struct rdl__kept_call *next;
    struct rdl__mock_copy *copies; /* as many as the mock wants */
    unsigned char values[];
};

struct rdl__copying; /* what rdl_copies said */

struct rdl_mock {
    struct rdl_case *t;
    struct rdl__mocked *function;
    enum rdl__mock_kind kind;
    struct rdl__mock_parts parts;
    uint64_t seen; /* calls that its arguments fit */
    size_t count;  /* calls that it was for */
    struct rdl__kept_call *first, *last;
    struct rdl__kept_call *found; /* by rdl_mock_arg, last */
    size_t found_at;
    struct rdl__copying *copyings;
    uint32_t copying_count;
    struct rdl_mock *next; /* said before this one */
};

/* What is kept of calls, until the case ends. */
struct rdl__arena *rdl__mock_arena(void);
void rdl__mock_keep(struct rdl__mock_call *call);

/* The i-th call; NULL: there were not so many. */
const struct rdl__kept_call *rdl__mock_kept(struct rdl_mock *mock, size_t i);

/* Copies are made of what a call's arguments point to. */
void rdl__mock_copy_all(struct rdl__mock_call *call);

/* The copy that a mock has of what this parameter points to; NULL: it has none. */
const struct rdl__mock_copy *rdl__mock_copy_of(const struct rdl__mock_call *call,
                                               const struct rdl__mock_value *parameter);

/* From the first mock of a case on, its end is waited for. */
void rdl__mock_begin(struct rdl_case *t);

/* ---- In words: show.c -------- */

/* flash_write(block = 3, data = "ab") */
void rdl__mock_show_call(struct rdl__text *out, const struct rdl__mock_call *call);
void rdl__mock_show_value(struct rdl__text *out, const struct rdl__mock_value *of,
                          const void *value, const struct rdl__mock_copy *copy);

/* block = 3, data that is_short, ...: which calls are meant. */
void rdl__mock_show_parts(struct rdl__text *out, const struct rdl__mock_parts *parts);

/* A line of the story, when the call is over. */
void rdl__mock_tell(const struct rdl__mock_call *call);

/* ---- Expected calls: expect.c -------- */

/* What an expectation says to the call, or the case fails. */
void rdl__mock_expected(struct rdl__mock_call *call);

/* The case is over. */
void rdl__mock_expect_end(struct rdl_case *t);

#endif
