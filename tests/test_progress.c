/* test_progress.c -- the line of progress: what it says, and what it leaves out. */
#include "harness.h"

#include "report/progress.h"

static const char *work_in(const struct rdl__work *work, int width)
{
    static struct rdl__text line;

    rdl__text_clear(&line);
    rdl__add_work(&line, work, width);
    return line.bytes;
}

TEST(progress_tells_how_far_it_is_and_how_long_it_takes_yet)
{
    struct rdl__work work = {.who = "bank",
                             .doing = "searching",
                             .noun = "case",
                             .count = 1500,
                             .goal = 10000,
                             .seconds = 3};

    EXPECT_STR(work_in(&work, 200),
               "bank: searching, 1,500 of 10,000 cases, 500/s, about 17 s left");
    work.left = 10;
    EXPECT_STR(work_in(&work, 200), "bank: searching, 1,500 of 10,000 cases, 500/s, 10 s left");
    work.left = 0;
    work.seconds = 1500;
    EXPECT_STR(work_in(&work, 200),
               "bank: searching, 1,500 of 10,000 cases, 1.0/s, about 2:21 h left");
    work = (struct rdl__work){.who = "bank",
                              .doing = "shrinking",
                              .noun = "run",
                              .count = 1,
                              .more = "3 of 31 choices left",
                              .seconds = 0.5,
                              .left = 125,
                              .at_most = true};
    EXPECT_STR(work_in(&work, 200),
               "bank: shrinking, 1 run, 2.0/s, 3 of 31 choices left, at most 2:05 min left");
    EXPECT_STR(work_in(&(struct rdl__work){.doing = "grading"}, 200), "grading");
}

TEST(progress_leaves_out_what_there_is_no_room_for)
{
    const struct rdl__work work = {.who = "a_bank_with_quite_a_long_n\xc3\xa4me",
                                   .doing = "searching",
                                   .noun = "case",
                                   .count = 1500,
                                   .goal = 10000,
                                   .more = "3 choices left",
                                   .seconds = 3};

    EXPECT_STR(work_in(&work, 110),
               "a_bank_with_quite_a_long_n\xc3\xa4me: searching, 1,500 of 10,000 cases, 500/s, "
               "3 choices left, about 17 s left");
    EXPECT_STR(work_in(&work, 90),
               "a_bank_with_quite_a_long_n\xc3\xa4me: searching, 1,500 of 10,000 cases, about 17 s "
               "left");
    EXPECT_STR(work_in(&work, 78),
               "a_bank_with_quite_a_long_..: searching, 1,500 of 10,000 cases, about 17 s left");
    EXPECT_STR(work_in(&work, 50), "a_bank_with_quite_a_..: searching, about 17 s left");
    EXPECT_STR(work_in(&work, 30), "searching, about 17 s left");
    EXPECT_STR(work_in(&work, 12), "searching,..");
    for (int width = 0; width < 120; width++)
        EXPECT(rdl__text_width(work_in(&work, width)) <= width);
}
