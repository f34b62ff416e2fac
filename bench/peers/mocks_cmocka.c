/* mocks_cmocka.c -- calls of a function mocked by cmocka and, with `plain`, by hand: linked with
 * -Wl,--wrap=flash_write. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "../mocks/flash.h"

enum { CALLS = 20000 };

static int by_hand;
static struct {
    int block;
    const char *data;
    size_t length;
} history[CALLS];
static long count;

int __wrap_flash_write(int block, const char *data, size_t length);
int __wrap_flash_write(int block, const char *data, size_t length)
{
    if (by_hand) {
        history[count].block = block;
        history[count].data = data;
        history[count++].length = length;
        return 0;
    }
    check_expected(block);
    check_expected_ptr(data);
    check_expected(length);
    return mock_type(int);
}

static void expect(long calls)
{
    expect_value_count(__wrap_flash_write, block, 3, (int)calls);
    expect_value_count(__wrap_flash_write, data, flash_text, (int)calls);
    expect_value_count(__wrap_flash_write, length, 4, (int)calls);
    will_return_count(__wrap_flash_write, 0, (int)calls);
}

static void forget(long calls)
{
    (void)calls;
    count = 0;
}

static void check(long calls)
{
    for (long i = 0; i < calls; i++)
        if (history[i].block != 3 || history[i].data != flash_text || history[i].length != 4)
            printf("wrong\n");
}

/* Called by its wrapped name: the linker sees to it. */
static int write_once(int block, const char *data, size_t length)
{
    return flash_write(block, data, length);
}

static void measure(void **state)
{
    (void)state;
    printf("ns=%.6f\n", flash_ns(write_once, CALLS, expect, NULL));
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(measure)};

    if (argc > 1 && strcmp(argv[1], "hand") == 0) {
        by_hand = 1;
        printf("ns=%.6f\n", flash_ns(write_once, CALLS, forget, check));
        return 0;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
