/* board.c -- the memory that a worker process shares with its parent. */
#include "run/board.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "base/apart.h"

static size_t room_for(size_t *total, size_t count, size_t size)
{
    size_t at = *total;

    *total += (count * size + 63) & ~(size_t)63;
    return at;
}

struct rdl__board *rdl__board_new(uint32_t choices_room, struct rdl__error *error)
{
    size_t total = 0, room = (size_t)choices_room + 1;
    size_t board_at = room_for(&total, 1, sizeof(struct rdl__board));
    size_t choices_at = room_for(&total, room, sizeof(struct rdl__choice));
    size_t spans_at = room_for(&total, room, sizeof(struct rdl__span));
    size_t indexes_at = room_for(&total, room, sizeof(uint64_t));
    size_t next_at = room_for(&total, room, sizeof(uint64_t));
    size_t shapes_at = room_for(&total, room, 1);
    size_t bytes_at = room_for(&total, room, 8);
    char *memory = rdl__map(total, MAP_SHARED | MAP_NORESERVE);
    struct rdl__board *board = (struct rdl__board *)(memory + board_at);

    if (!memory) {
        rdl__fail(error, "cannot map %zu bytes shared with a worker: %s", total, strerror(errno));
        return NULL;
    }
    board->size = total;
    board->choices_room = choices_room;
    board->tape.choices = (struct rdl__choice *)(memory + choices_at);
    board->tape.spans = (struct rdl__span *)(memory + spans_at);
    board->tape.span_limit = choices_room;
    board->feed_indexes = (uint64_t *)(memory + indexes_at);
    board->next_feed = (uint64_t *)(memory + next_at);
    board->feed_shapes = (uint8_t *)(memory + shapes_at);
    board->bytes = (uint8_t *)(memory + bytes_at);
    return board;
}

void rdl__board_free(struct rdl__board *board)
{
    if (board)
        rdl__unmap(board, board->size);
}

void rdl__board_put_feed(struct rdl__board *board, const struct rdl__feed *feed)
{
    rdl__bug_if(feed->count > board->choices_room);
    if (feed->count > 0)
        memcpy(board->feed_indexes, feed->indexes, feed->count * sizeof *feed->indexes);
    if (feed->shapes)
        memcpy(board->feed_shapes, feed->shapes, feed->count);
    board->task.feed = *feed;
    board->task.feed.indexes = board->feed_indexes;
    board->task.feed.shapes = feed->shapes ? board->feed_shapes : NULL;
}

void rdl__board_repair(struct rdl__board *board)
{
    struct rdl__tape *tape = &board->tape;

    if (tape->count > board->choices_room)
        tape->count = 0;
    if (tape->span_count > tape->span_limit || tape->span_limit > board->choices_room)
        tape->span_count = 0;
    for (uint32_t i = 0; i < tape->count; i++)
        if (tape->choices[i].index > tape->choices[i].max)
            tape->choices[i].index = tape->choices[i].max;
    for (uint32_t i = 0; i < tape->span_count; i++) {
        struct rdl__span *span = &tape->spans[i];

        if (span->end > tape->count) /* still open at the end */
            span->end = tape->count;
        if (span->start > span->end || (span->parent != RDL__NONE && span->parent >= i)) {
            tape->span_count = i;
            break;
        }
    }
    board->outcome.file[sizeof board->outcome.file - 1] = '\0';
    board->outcome.check[sizeof board->outcome.check - 1] = '\0';
    board->outcome.text[sizeof board->outcome.text - 1] = '\0';
}
