/* tests.c -- a journal without its flash chip. */
#include <errno.h>
#include <raddle.h>
#include <stdlib.h>
#include <string.h>

#include "flash.h"
#include "journal.h"

RDL_STUB(flash_erase, block);
RDL_STUB(flash_write, block, data, length, written);

/* ---- Mocks -------- */

RDL_PROPERTY(a_text_is_written, .cases = 1)
{
    struct rdl_mock *erase = rdl_mock(t, flash_erase);
    struct rdl_mock *write = rdl_mock(t, flash_write, rdl_returns(0), rdl_sets("written", 3));

    rdl_copies(write, "data", "length");
    rdl_check(journal_store(2, "abc"));
    rdl_check_eq(rdl_mock_calls(erase), 1);
    rdl_check_eq(rdl_mock_calls(write), 1);
    rdl_check_eq(rdl_mock_arg(write, 0, "block", int), 2);
    rdl_check_mem(rdl_mock_copy(write, 0, "data", NULL), "abc", 3);
}

RDL_PROPERTY(a_chip_that_fails_is_told, .cases = 1)
{
    struct rdl_mock *write = rdl_mock(t, flash_write, rdl_returns(-1));

    rdl_mock(t, flash_erase, rdl_arg(3), rdl_returns(-1));
    rdl_mock(t, flash_erase, rdl_arg(2), rdl_returns(0));
    rdl_check(!journal_store(3, "abc"));
    rdl_check_eq(rdl_mock_calls(write), 0);
    rdl_check(!journal_store(2, "abc"));
    rdl_check_eq(rdl_mock_calls(write), 1);
}

RDL_PROPERTY(the_rest_is_written, .cases = 1)
{
    struct rdl_mock *write;

    rdl_mock(t, flash_erase);
    write = rdl_mock(t, flash_write, rdl_sets("written", 2));
    rdl_copies(write, "data", "length");
    rdl_check(journal_store(2, "abcd"));
    rdl_check_eq(rdl_mock_calls(write), 2);
    rdl_check_mem(rdl_mock_copy(write, 1, "data", NULL), "cd", 2);
}

/* ---- Spies -------- */

RDL_PROPERTY(blocks_are_looked_at, .cases = 1)
{
    struct rdl_mock *is_block = rdl_spy(t, "journal.c:is_block");

    rdl_check(!journal_store(7, "abc"));
    rdl_check_eq(rdl_mock_calls(is_block), 1);
    rdl_check_eq(rdl_mock_arg(is_block, 0, "number", int), 7);
    rdl_check_eq(rdl_mock_arg(is_block, 0, "", bool), false);
}

/* ---- Replacements -------- */

static struct {
    struct rdl_case *test;
    char bytes[64];
    size_t count;
} chip;

static int erase_memory(int block)
{
    (void)block;
    chip.count = 0;
    return 0;
}

/* As much as it likes. */
static int write_memory(int block, const char *data, size_t length, size_t *written)
{
    (void)block;
    *written = (size_t)rdl_int(chip.test, 1, (int64_t)length);
    memcpy(chip.bytes + chip.count, data, *written);
    chip.count += *written;
    return 0;
}

RDL_PROPERTY(what_is_stored_is_there)
{
    const char *text = rdl_string(t, .of = "abc", .length = {0, 20});

    chip.test = t;
    rdl_replace(t, flash_erase, erase_memory);
    rdl_replace(t, flash_write, write_memory);
    rdl_check(journal_store(2, text));
    rdl_check_mem(chip.bytes, text, strlen(text));
}

/* ---- Calls as a language -------- */

RDL_SLOT(int, the_block);

RDL_PROPERTY(first_erased_then_written, .cases = 1)
{
    rdl_expect_calls(t,
                     rdl_sequence(rdl_call_to(flash_erase, rdl_keeps(the_block)),
                                  rdl_plus(rdl_call_to(flash_write, rdl_same_as(the_block),
                                                       rdl_str("abc"), rdl_sets("written", 3)))));
    rdl_check(journal_store(2, "abc"));
    rdl_calls_done(t);
}

RDL_PROPERTY(each_part_once, .cases = 1)
{
    rdl_expect_calls(t, rdl_sequence(rdl_call_to(flash_erase, rdl_arg(2)),
                                     rdl_call_to(flash_write, rdl_arg(2), rdl_str("abcd"),
                                                 rdl_arg(4), rdl_sets("written", 2)),
                                     rdl_call_to(flash_write, rdl_arg(2), rdl_str("cd"), rdl_arg(2),
                                                 rdl_sets("written", 2))));
    rdl_check(journal_store(2, "abcd"));
}

RDL_PROPERTY(not_without_erasing, .cases = 1)
{
    rdl_expect_calls(t, rdl_sequence(rdl_call_to(flash_erase), rdl_call_to(flash_write)));
    rdl_check(!journal_store(7, "abc"));
}

/* ---- Faults -------- */

RDL_PROTOTYPE(malloc, size);

RDL_PROPERTY(a_line_or_nothing)
{
    char *line;

    rdl_inject(t, malloc, rdl_returns(NULL), rdl_sets_errno(ENOMEM));
    line = journal_line("ann", "hello");
    rdl_check(!line || strcmp(line, "ann: hello") == 0);
    free(line);
}

RDL_PROPERTY(no_memory_for_the_name, .cases = 1)
{
    rdl_inject(t, malloc, rdl_returns(NULL), rdl_at_call(1));
    rdl_check(!journal_line("ann", "hello"));
}

RDL_MAIN
