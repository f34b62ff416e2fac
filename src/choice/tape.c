/* tape.c -- where choices come from. */
#include "choice/tape.h"

#include "base/error.h"

void rdl__tape_start(struct rdl__tape *tape)
{
    tape->count = 0;
    tape->span_count = 0;
    tape->open = RDL__NONE;
    tape->depth = tape->low = 0;
    tape->fresh = tape->fresh_turns = false;
    tape->bytes = NULL;
}

void rdl__tape_from_random(struct rdl__tape *tape, uint64_t seed)
{
    rdl__tape_start(tape);
    tape->fresh = tape->fresh_turns = true;
    rdl__random_seed(&tape->random, seed);
}

void rdl__tape_from_feed(struct rdl__tape *tape, const struct rdl__feed *feed, uint64_t seed)
{
    rdl__tape_start(tape);
    tape->cursor = (struct rdl__cursor){.feed = *feed};
    rdl__random_seed(&tape->random, seed);
}

void rdl__tape_from_data(struct rdl__tape *tape, const struct rdl__feed *feed, uint64_t seed)
{
    rdl__tape_from_feed(tape, feed, seed);
    tape->fresh_turns = true;
}

void rdl__tape_from_bytes(struct rdl__tape *tape, const uint8_t *bytes, size_t count)
{
    rdl__tape_start(tape);
    tape->bytes = bytes;
    tape->byte_count = count;
    tape->byte_next = 0;
    tape->more_next = SIZE_MAX;
}

void rdl__tape_finish(struct rdl__tape *tape)
{
    while (tape->depth > 0)
        rdl__span_end(tape);
}

void rdl__tape_cut(struct rdl__tape *tape, uint32_t count)
{
    rdl__bug_if(count > tape->count);
    tape->count = count;
    while (tape->span_count > 0 && tape->spans[tape->span_count - 1].start >= count)
        tape->span_count--;
    while (tape->open != RDL__NONE && tape->open >= tape->span_count)
        tape->open = tape->spans[tape->open].parent;
    for (uint32_t i = 0; i < tape->span_count; i++)
        if (tape->spans[i].end != RDL__NONE && tape->spans[i].end > count)
            tape->spans[i].end = count;
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

/* ---- Bytes ------------------------------------------------------------------------
 *
 * Made for fuzzers, which find values that the code under test compares with and
 * put them into the bytes as they stand: a number is its value, lowest byte
 * first, and the elements of a list lie next to each other, so that a property
 * of rdl_bytes takes a file for what it is.  When the bytes have run out, every
 * choice is the simplest. */

enum { LIST_END = '\\' };

static uint8_t take_byte(struct rdl__tape *tape)
{
    return tape->byte_next < tape->byte_count ? tape->bytes[tape->byte_next++] : 0;
}

static uint64_t take_word(struct rdl__tape *tape, uint64_t max)
{
    uint64_t word = 0;

    for (int shift = 0; shift < 64 && max >> shift; shift += 8)
        word |= (uint64_t)take_byte(tape) << shift;
    return max == UINT64_MAX ? word : word % (max + 1);
}

bool rdl__tape_byte(struct rdl__tape *tape, uint8_t *out_byte)
{
    if (!tape->bytes)
        return false;
    *out_byte = take_byte(tape);
    return true;
}

static bool list_end_is_next(const struct rdl__tape *tape)
{
    return tape->byte_next < tape->byte_count && tape->bytes[tape->byte_next] == LIST_END;
}

/* A list goes on until a backslash, and any other byte after it, say that it does
 * not; two backslashes stand for one (the way of LLVM's FuzzedDataProvider).  A
 * list whose elements take no bytes must not go on for ever: it takes one itself. */
static uint64_t take_more(struct rdl__tape *tape)
{
    bool stuck = tape->byte_next == tape->more_next && tape->depth <= tape->more_depth;
    bool more = tape->byte_next < tape->byte_count;

    if (more && stuck) {
        more = take_byte(tape) & 1;
    } else if (list_end_is_next(tape)) {
        tape->byte_next++;
        more = list_end_is_next(tape);
        if (!more)
            take_byte(tape);
    }
    if (more) {
        tape->more_next = tape->byte_next;
        tape->more_depth = tape->depth;
    }
    return more;
}

/* The word counts up from the simplest value, and on past the largest one from
 * the smallest: two's complement, where a choice is that wide. */
static uint64_t take_integer(struct rdl__tape *tape, uint64_t max, uint64_t below)
{
    uint64_t word = take_word(tape, max), above = max - below;
    struct rdl__offset offset = {word, false};

    if (word > above)
        offset = (struct rdl__offset){max - word + 1, true};
    return rdl__index_of(offset, max, below);
}

static uint64_t from_bytes(struct rdl__tape *tape, enum rdl__choice_kind kind, uint64_t max,
                           uint64_t below)
{
    if (kind == RDL__MORE && max)
        return take_more(tape);
    if (kind == RDL__INTEGER)
        return take_integer(tape, max, below);
    return take_word(tape, max);
}

/* Threads that go on where they once failed have nothing to stop for. */
static uint64_t after_feed(struct rdl__tape *tape, enum rdl__choice_kind kind, uint64_t max)
{
    if (rdl__is_turn(kind) && tape->cursor.feed.then == RDL__THEN_STOP)
        return 0;
    switch (tape->cursor.feed.then) {
    case RDL__THEN_RANDOM:
        tape->fresh = tape->fresh_turns = true;
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
        return from_bytes(tape, kind, max, below);
    if (cursor->feed.shapes && cursor->next < cursor->feed.count &&
        (cursor->feed.shapes[cursor->next] != rdl__shape(kind, max, below) ||
         cursor->feed.indexes[cursor->next] > max))
        tape->stop(tape->stop_context, RDL__STALE);
    if (rdl__cursor_next(cursor, (uint16_t)tape->depth, (uint16_t)tape->low, max, &index))
        return index;
    return after_feed(tape, kind, max);
}
