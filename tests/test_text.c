/* test_text.c -- texts: what is made visible in them, and how names are shortened. */
#include "harness.h"

#include "base/text.h"

TEST(what_a_terminal_would_obey_becomes_visible)
{
    struct rdl__text text = {0};

    rdl__text_add(&text, "\x1b[1mbold\x1b[0m \x1b]0;title\x07 \x1b[2J \xe2\x80\xae");
    rdl__text_tame(&text, true);
    EXPECT_STR(text.bytes, "\x1b[1mbold\x1b[0m \\x1b]0;title\\x07 \\x1b[2J \\xe2\\x80\\xae");
    rdl__text_clear(&text);
    rdl__text_add_quoted(&text, "a\xe2\x80\xae\xc3\xbc", 6);
    EXPECT_STR(text.bytes, "\"a\\xe2\\x80\\xae\xc3\xbc\"");
    rdl__text_release(&text);
}

TEST(names_that_are_too_long_keep_both_ends)
{
    struct rdl__text text = {0};

    EXPECT(rdl__text_add_elided(&text, "a worker of the pool 17", 12) == 12);
    EXPECT(rdl__text_add_elided(&text, "worker 17", 12) == 9);
    EXPECT_STR(text.bytes, "a wor..ol 17worker 17");
    rdl__text_release(&text);
}
