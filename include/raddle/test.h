/* raddle/test.h -- declaring tests, and the program that runs them.
 *
 *     RDL_PROPERTY(popping_gives_what_was_pushed, .cases = 5000, .tags = "queue") { ... }
 *     RDL_MAIN
 *
 * A property is tried on many made-up cases.  A case fails when a check fails,
 * when it crashes, exits, or does not end; the smallest failing case found is
 * reported, with a line that replays it.  `./tests --help` tells the options. */
#ifndef RADDLE_TEST_H
#define RADDLE_TEST_H

#include <raddle/base.h>

#ifdef RDL__OF_THE_SYSTEM
#pragma GCC system_header
#endif

struct rdl_spec; /* raddle/spec.h */
struct rdl_row;
struct rdl_cluster; /* raddle/cluster.h */

/* What each case of a test needs around it. */
struct rdl_fixture {
    void *(*setup)(struct rdl_case *t) /* before each case; the body finds it by rdl_fixture(t) */
        RDL__UNSET;
    void (*teardown)(void *it) RDL__UNSET;  /* after each case, also after a failed one */
    void (*setup_once)(void) RDL__UNSET;    /* once in each process that runs cases */
    void (*teardown_once)(void) RDL__UNSET; /* when such a process ends in good order */
} RDL__FORM;

/* Cases of tests whose threads are controlled (RDL_EXPLORE, RDL_TEST_RESOURCE and so on) begin
 * alike: before each, Raddle puts the static variables of the program and its libraries back to
 * what they were after setup_once.  This keeps one as it is, from case to case in a process:
 *
 *     static int executions RDL_KEEP;
 *
 * Not for variables in inline functions and templates of C++. */
#define RDL_KEEP __attribute__((section("rdl__keep")))

/* Fill in what you need: zero means the default. */
struct rdl_options {
    uint64_t cases;       /* how many cases to try; 1000 (--cases goes before it) */
    unsigned timeout_ms;  /* the longest a single case may take; 10,000 */
    unsigned choices_max; /* a case that makes more choices is discarded; 1,048,576 */
    const char *tags;     /* words, separated by spaces, for --filter '#word' */
    const char *skip;     /* why this test is not run */
    bool expect_failure;  /* the test passes if a failure is found, and fails if none is */
    bool exhaustive;      /* try all cases in order, simplest first, instead of random ones */
    bool more_bugs;       /* go on after a failure, to look for different ones (--more-bugs) */
    const struct rdl_fixture *fixture;

    /* Tests whose threads are controlled (RDL_EXPLORE): */
    bool explore;
    const char *strategy;       /* how schedules are made; see raddle explore --help */
    unsigned faults;            /* what may go wrong by itself: RDL_SPURIOUS_WAKEUPS | ... */
    unsigned volatile_accesses; /* what they order: RDL_VOLATILE_ACQ_REL, ... */
    uint64_t points_max; /* a schedule with more places to switch at is a livelock; 200,000, or
                            200 times as many as others had; the first one may take its time */

    /* Tests of a spec (raddle/spec.h says what they mean to which): */
    struct {
        unsigned min, max;
    } calls;                     /* how many a case has, or a client makes */
    unsigned clients;            /* who call */
    unsigned concurrent;         /* at most so many at once */
    unsigned phases;             /* at most so many */
    unsigned rounds;             /* 1, 2 or 3: only that one; 0: all */
    const struct rdl_row *table; /* RDL_TEST_TABLE: what it has in rows, and how many */
    size_t table_count;
    bool free_threads; /* clients are threads like any other */
    bool reference;    /* test the monitor that the spec itself makes, not the real thing */
    bool may_block;    /* RDL_TEST_SPEC: all clients may come to wait for ever */
    bool may_starve;   /* and one may be overtaken for ever */
    const char *const *stand_ins; /* RDL_TEST_MODEL, _RESOURCE: RDL_SPECS that play */
    const char *const *mocked; /* whose functions are mocked: all others', or besides a cluster's */
    const struct rdl_cluster *cluster;
    const char *real;      /* RDL_TEST_CLUSTER: whose code is tested; nobody's */
    const char *deviation; /* that is in force; none */
    const struct rdl_spec *spec;
    bool phased, alone, scheduled; /* for the macros themselves */
} RDL__FORM;

struct rdl_test {
    const char *name;
    const char *file;
    int line;
    void (*body)(struct rdl_case *t);
    struct rdl_options options;
    struct rdl_test *next;
    bool seen; /* for the macro itself: accesses to memory of its file are */
};

/* RDL_PROPERTY(name, .option = value, ...) { body, with the case as t } */
#define RDL_PROPERTY(test_name, ...) RDL__PROPERTY(test_name, (void)it, __VA_ARGS__)
#define RDL__PROPERTY(test_name, settings, ...)                                                    \
    static void rdl_property_##test_name(struct rdl_case *t);                                      \
    RDL__TEST(test_name, rdl_property_##test_name, settings, __VA_ARGS__)                          \
    static void rdl_property_##test_name(struct rdl_case *t __attribute__((unused)))

/* Settings are an expression over the options, `it`, of what the user does not say. */
#define RDL__TEST(test_name, function, settings, ...)                                              \
    __extension__ static struct rdl_test rdl_test_##test_name RDL__KEPT_SECTION = {                \
        .name = #test_name,                                                                        \
        .file = __FILE__,                                                                          \
        .line = __LINE__,                                                                          \
        .body = function,                                                                          \
        .options = {__VA_ARGS__},                                                                  \
        .next = NULL,                                                                              \
        .seen = RDL__SEEN};                                                                        \
    RDL__BEFORE_MAIN(rdl_register_##test_name)                                                     \
    {                                                                                              \
        struct rdl_options *it = &rdl_test_##test_name.options;                                    \
                                                                                                   \
        settings;                                                                                  \
        rdl_register(&rdl_test_##test_name);                                                       \
    }

/* Tests made by hand, in a loop say, register here before rdl_main; the struct
 * stays yours and must live on. */
RDL_API void rdl_register(struct rdl_test *test);

/* Run the registered tests as the arguments say, and return the exit status:
 * 0 all passed, 1 a failure was found, 2 wrong usage or set-up, 77 all skipped. */
RDL_API int rdl_main(int argc, char **argv);

/* One case made from bytes, for libFuzzer and AFL++: see docs/fuzzing.md.
 * The test is the one that RADDLE_FUZZ names, or the only one there is; the
 * other function, called before, stops the program if there is no such test. */
RDL_API int rdl_fuzz_one(const uint8_t *bytes, size_t count);
RDL_API int rdl_fuzz_init(void);

/* main(), and the entry points that fuzzers look for: the same source, compiled
 * for a fuzzer, becomes one.  A fuzzer brings a main of its own.  Clang's goes
 * before ours, which is weak; for AFL++ and others, whose compilers define
 * FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION, we leave ours out.  And where the
 * program is compiled with -fsanitize=undefined, what that finds ends the case,
 * as with any other sanitizer; UBSAN_OPTIONS=halt_on_error=0 says otherwise. */
#define RDL_MAIN                                                                                   \
    int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)                                 \
    {                                                                                              \
        return rdl_fuzz_one(bytes, count);                                                         \
    }                                                                                              \
    __attribute__((weak)) int LLVMFuzzerInitialize(int *argc, char ***argv)                        \
    {                                                                                              \
        (void)argc, (void)argv;                                                                    \
        return rdl_fuzz_init();                                                                    \
    }                                                                                              \
    const char *__ubsan_default_options(void)                                                      \
    {                                                                                              \
        return "halt_on_error=1";                                                                  \
    }                                                                                              \
    RDL__MAIN

RDL__C int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);
RDL__C int LLVMFuzzerInitialize(int *argc, char ***argv);
RDL_API const char *__ubsan_default_options(void);

#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
#define RDL__MAIN
#else
#define RDL__MAIN                                                                                  \
    __attribute__((weak)) int main(int argc, char **argv)                                          \
    {                                                                                              \
        return rdl_main(argc, argv);                                                               \
    }
#endif

#endif
