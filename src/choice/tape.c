/* tape.c -- where choices come from. */
#include "choice/tape.h"

#include "base/error.h"

void rdl__tape_start(struct rdl__tape *tape)
{
    tape->count = 0;
    tape->span_count = 0;
    tape->open = RDL__NONE;
    tape->depth = tape->low = 0;
    tape->fresh = false;
    tape->bytes = NULL;
}

void rdl__tape_from_random(struct rdl__tape *tape, uint64_t seed)
{
    rdl__tape_start(tape);
    tape->fresh = true;
    rdl__random_seed(&tape->random, seed);
}

void rdl__tape_from_feed(struct rdl__tape *tape, const struct rdl__feed *feed, uint64_t seed)
{
    rdl__tape_start(tape);
    tape->cursor = (struct rdl__cursor){.feed = *feed};
    rdl__random_seed(&tape->random, seed);
}

void rdl__tape_from_bytes(struct rdl__tape *tape, const uint8_t *bytes, size_t count)
{
    rdl__tape_start(tape);
    tape->bytes = bytes;
    tape->byte_count = count;
    tape->byte_next = 0;
}

void rdl__tape_finish(struct rdl__tape *tape)
{
    while (tape->depth > 0)
        rdl__span_end(tape);
}

void rdl__tape_full(struct rdl__tape *tape)
{
    tape->stop(tape->stop_context, RDL__TOO_LONG);
    rdl__bug_if(true); /* stop does not return */
}

/* Is the choice at this depth still inside the span that is being filled? */
static bool still_filling(const struct rdl__cursor *cursor, uint16_t depth, uint16_t low)
{
    return low >= cursor->feed.fill_depth && depth >= cursor->feed.fill_depth;
}

bool rdl__cursor_next(struct rdl__cursor *cursor, uint16_t depth, uint16_t low, uint64_t max,
                      uint64_t *out_index)
{
    const struct rdl__feed *feed = &cursor->feed;

    *out_index = 0;
    if (cursor->filling) {
        if (still_filling(cursor, depth, low))
            return true;
        cursor->filling = false;
    } else if (cursor->next == feed->fill_at) {
        cursor->feed.fill_at = RDL__NONE;
        if (feed->fill_whole || still_filling(cursor, depth, low)) {
            cursor->filling = true;
            return true;
        }
    }
    if (cursor->next >= feed->count)
        return false;
    *out_index = feed->indexes[cursor->next++];
    if (*out_index > max)
        *out_index = max;
    return true;
}

/* As few bytes as can name every index, lowest first; when they have run out,
 * the simplest choice. */
static uint64_t from_bytes(struct rdl__tape *tape, uint64_t max)
{
    uint64_t word = 0;

    for (int shift = 0; shift < 64 && max >> shift; shift += 8)
        if (tape->byte_next < tape->byte_count)
            word |= (uint64_t)tape->bytes[tape->byte_next++] << shift;
    return max == UINT64_MAX ? word : word % (max + 1);
}

static uint64_t after_feed(struct rdl__tape *tape, uint64_t max)
{
    switch (tape->cursor.feed.then) {
    case RDL__THEN_RANDOM:
        tape->fresh = true;
        return rdl__random_upto(&tape->random, max);
    case RDL__THEN_STOP:
        tape->stop(tape->stop_context, RDL__STALE);
        break;
    case RDL__THEN_ZERO:
        break;
    }
    return 0;
}

uint64_t rdl__tape_given(struct rdl__tape *tape, enum rdl__choice_kind kind, uint64_t max,
                         uint64_t below)
{
    struct rdl__cursor *cursor = &tape->cursor;
    uint64_t index;

    if (tape->bytes)
        return from_bytes(tape, max);
    if (cursor->feed.shapes && cursor->next < cursor->feed.count &&
        (cursor->feed.shapes[cursor->next] != rdl__shape(kind, max, below) ||
         cursor->feed.indexes[cursor->next] > max))
        tape->stop(tape->stop_context, RDL__STALE);
    if (rdl__cursor_next(cursor, tape->depth, tape->low, max, &index))
        return index;
    return after_feed(tape, max);
}
