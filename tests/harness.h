/* harness.h -- the harness Raddle is tested with; it is not tested by itself.
 *
 *     TEST(reversing_twice_changes_nothing)
 *     {
 *         EXPECT_EQ(reverse(reverse(12)), 12);
 *     }
 *
 * A test is a claim, and needs no registration beyond this.  An expectation that
 * fails says where and what was seen, and ends its test, even from within a
 * function the test called; the other tests go on.  The program runs all tests,
 * or those whose name contains its argument. */
#ifndef TESTS_HARNESS_H
#define TESTS_HARNESS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

struct test {
    const char *name;
    void (*body)(void);
    struct test *next;
};

#define TEST(claim)                                                                                \
    static void claim_##claim(void);                                                               \
    __attribute__((constructor)) static void register_##claim(void)                                \
    {                                                                                              \
        static struct test self = {.name = #claim, .body = claim_##claim};                         \
        test_add(&self);                                                                           \
    }                                                                                              \
    static void claim_##claim(void)

#define EXPECT(condition)                                                                          \
    do {                                                                                           \
        if (!(condition))                                                                          \
            test_fail(__FILE__, __LINE__, "this does not hold: %s", #condition);                   \
    } while (0)

/* For integers, and what converts to them. */
#define EXPECT_EQ(seen, wanted)                                                                    \
    expect_equal(__FILE__, __LINE__, #seen, (intmax_t)(seen), (intmax_t)(wanted))
#define EXPECT_STR(seen, wanted)    expect_same_text(__FILE__, __LINE__, #seen, seen, wanted)
#define EXPECT_CONTAINS(text, part) expect_part(__FILE__, __LINE__, #text, text, part, true)
#define EXPECT_LACKS(text, part)    expect_part(__FILE__, __LINE__, #text, text, part, false)

/* Run a shell command and return all it wrote, to stdout and stderr alike.  The
 * shell knows $BUILD and $SOURCE.  *out_status (if not NULL) becomes its exit
 * status, or 128 plus the signal that ended it.  The text may be freed or kept. */
char *run(int *out_status, const char *command_format, ...) __attribute__((format(printf, 2, 3)));

/* Text that may be kept, and need not be freed. */
char *test_keep(char *text);

/* Are we asked for longer runs with fresh seeds (make soak)? */
bool soak(void);

/* The seed to start from: always 1, except in a soak. */
uint64_t test_seed(void);

/* What the macros above call. */
void test_add(struct test *test);
_Noreturn void test_fail(const char *file, int line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void expect_equal(const char *file, int line, const char *what, intmax_t seen, intmax_t wanted);
void expect_same_text(const char *file, int line, const char *what, const char *seen,
                      const char *wanted);
void expect_part(const char *file, int line, const char *what, const char *text, const char *part,
                 bool wanted);

#endif
