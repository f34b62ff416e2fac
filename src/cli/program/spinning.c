/* spinning.c -- executions that take too long in code that Raddle does not see. */
#include "cli/program/spinning.h"

#include <stdio.h>
#include <string.h>

#include "control/sched/loops.h"
#include "control/sched/seen.h"

const char *rdl__spinning_advice(const struct rdl__board *board)
{
    bool is_unseen = board->crash.signal && board->crash.frame_count > 0 &&
                     !rdl__is_seen(board->crash.frames[0] + 1);

    return is_unseen ? "; Raddle does not see what is done there: if it waits for another thread, "
                       "that cannot run meanwhile, so compile it with raddle cc"
                     : "";
}

void rdl__spinning_advise(struct rdl__board *board)
{
    struct rdl__outcome *outcome = &board->outcome;
    size_t length = strlen(outcome->text);

    snprintf(outcome->text + length, sizeof outcome->text - length, "%s",
             rdl__spinning_advice(board));
}

bool rdl__spinning_waits(void)
{
    struct rdl__board *board = rdl__this_board;

    if (!board->hung || !board->crash.signal ||
        !rdl__loops_learn(board->crash.frames, board->crash.frame_count))
        return false;
    board->hung = false;
    board->crash.signal = 0;
    return true;
}
