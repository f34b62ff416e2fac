/* target.c -- cases that look for more of something (rdl_maximise).
 *
 * Hill climbing on the tape: a copy of the best case with one to three changes.
 * A change redraws a choice, moves it a little, or copies or leaves out a run
 * of choices; whatever then is missing at the end is made by chance. */
#include "run/target.h"

#include <stdio.h>
#include <string.h>

static struct rdl__target *target_named(struct rdl__board *board, const char *name)
{
    struct rdl__target *target;

    for (uint32_t i = 0; i < board->target_count; i++)
        if (strcmp(board->targets[i].name, name) == 0)
            return &board->targets[i];
    if (board->target_count == RDL__SCORES_MAX)
        return NULL;
    target = &board->targets[board->target_count++];
    snprintf(target->name, sizeof target->name, "%s", name);
    target->value = -__builtin_inf();
    target->count = 0;
    return target;
}

void rdl__target_note(struct rdl__board *board, const struct rdl_case *t)
{
    const struct rdl__tape *tape = &board->tape;

    if (board->outcome.verdict != RDL__PASSED || tape->count > RDL__TARGET_ROOM)
        return;
    board->targeting = true;
    for (uint32_t i = 0; i < t->score_count; i++) {
        struct rdl__target *target = target_named(board, t->scores[i].name);

        if (!target || t->scores[i].value < target->value)
            continue;
        target->value = t->scores[i].value;
        target->count = tape->count;
        memcpy(target->choices, tape->choices, tape->count * sizeof *tape->choices);
    }
}

/* One choice: anywhere, one step up or down, or an end. */
static uint64_t changed(struct rdl__random *random, const struct rdl__choice *choice)
{
    switch (rdl__random_next(random) & 3) {
    case 0:
        return choice->index < choice->max ? choice->index + 1 : choice->max;
    case 1:
        return choice->index > 0 ? choice->index - 1 : 0;
    case 2:
        return choice->max;
    default:
        return rdl__random_upto(random, choice->max);
    }
}

/* Copy or leave out a short run of choices; the new count. */
static uint32_t edit_run(struct rdl__random *random, uint64_t *indexes, uint32_t count)
{
    uint32_t at = (uint32_t)rdl__random_upto(random, count - 1);
    uint32_t length = 1 + (uint32_t)rdl__random_upto(random, 7);

    if (length > count - at)
        length = count - at;
    if ((rdl__random_next(random) & 1) && count + length <= RDL__TARGET_ROOM) {
        memmove(indexes + at + length, indexes + at, (count - at) * sizeof *indexes);
        return count + length;
    }
    memmove(indexes + at, indexes + at + length, (count - at - length) * sizeof *indexes);
    return count - length;
}

bool rdl__target_aim(struct rdl__board *board, uint64_t seed)
{
    struct rdl__feed feed = {
        .indexes = board->feed_indexes, .fill_at = RDL__NONE, .then = RDL__THEN_RANDOM};
    struct rdl__random random;
    const struct rdl__target *target;
    uint64_t changes;

    rdl__random_seed(&random, ~seed);
    if (rdl__random_next(&random) & 1)
        return false;
    target = &board->targets[rdl__random_upto(&random, board->target_count - 1)];
    if (target->count == 0 || target->count > board->choices_room / 2)
        return false;
    for (uint32_t i = 0; i < target->count; i++)
        board->feed_indexes[i] = target->choices[i].index;
    changes = 1 + rdl__random_upto(&random, 2);
    for (uint64_t i = 0; i < changes; i++) {
        uint32_t at = (uint32_t)rdl__random_upto(&random, target->count - 1);

        board->feed_indexes[at] = changed(&random, &target->choices[at]);
    }
    feed.count = target->count;
    if ((rdl__random_next(&random) & 3) == 0)
        feed.count = edit_run(&random, board->feed_indexes, feed.count);
    rdl__tape_from_feed(&board->tape, &feed, seed);
    return true;
}
