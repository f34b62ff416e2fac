/* short_of_memory.c -- malloc fails, where a sanitizer or the C library has it: for the code under
 * test, and for what the C library does for that, but not for Raddle. */
#include <errno.h>
#include <raddle.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__attribute__((noinline)) static char *copy_of(const char *text)
{
    char *copy = malloc(strlen(text) + 1);

    return copy ? strcpy(copy, text) : NULL;
}

RDL_PROPERTY(nothing_is_copied)
{
    struct rdl_mock *mock = rdl_mock(t, malloc, rdl_returns(NULL), rdl_sets_errno(ENOMEM));

    rdl_check(!copy_of("abc"));
    rdl_check_eq(errno, ENOMEM);
    rdl_note("%200d", 3);
    rdl_check_eq(rdl_int(t, 3, 3), 3);
    rdl_check_eq(rdl_mock_calls(mock), 1);
}

RDL_PROPERTY(no_file_is_opened)
{
    struct rdl_mock *mock = rdl_mock(t, malloc, rdl_returns(NULL), rdl_sets_errno(ENOMEM));
    FILE *volatile file = fopen("/dev/null", "r");

    rdl_check(!file);
    rdl_check_eq(rdl_mock_calls(mock), 1);
}

RDL_PROPERTY(all_is_copied, .expect_failure = true)
{
    bool is_copied = true;

    rdl_inject(t, malloc, rdl_returns(NULL), rdl_percent(20));
    for (int i = 0; i < 4; i++) {
        char *copy = copy_of("abc");

        is_copied &= copy != NULL;
        free(copy);
    }
    rdl_check(is_copied);
}

/* What Raddle does meanwhile, it does as a controlled thread, too. */
static void count_one(struct rdl_hit *hit, void *it)
{
    (void)hit;
    ++*(int *)it;
}

RDL_SCHEDULE(what_is_allocated_is_counted)
{
    int count = 0;

    rdl_at(t, "malloc", .call = count_one, .it = &count);
    free(copy_of("abc"));
    rdl_check_eq(count, 1);
}

RDL_MAIN
