/* frames.c -- frames are cut out of bytes: lines, lengths and what follows them, ... */
#include "drive/frames.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { MAX = 1 << 20, SPACE = 1 << 16 };

const char *rdl__framing_flaw(const struct rdl_framing *framing)
{
    uint32_t width = framing->width;

    if (framing->kind < RDL_LINES || framing->kind > RDL_MESSAGES)
        return "it has no .framing";
    if (framing->kind == RDL_PREFIXED && width != 0 && width != 1 && width != 2 && width != 4 &&
        width != 8)
        return "the .width of a length is 1, 2, 4 or 8 bytes";
    if (framing->kind == RDL_FIXED && framing->size == 0)
        return "frames of fixed size need a .size";
    if (framing->kind == RDL_FIXED && framing->size > (framing->max ? framing->max : MAX))
        return "frames have a larger .size than .max allows";
    if (framing->kind == RDL_CUSTOM && !framing->length)
        return "a framing of one's own needs a function .length";
    return NULL;
}

void rdl__frames_init(struct rdl__frames *frames, const struct rdl_framing *framing)
{
    *frames = (struct rdl__frames){.framing = *framing};
    if (!framing->max)
        frames->framing.max = MAX;
    if (!framing->width)
        frames->framing.width = 4;
}

void rdl__frames_release(struct rdl__frames *frames)
{
    free(frames->bytes);
    *frames = (struct rdl__frames){0};
}

size_t rdl__frames_rest(const struct rdl__frames *frames)
{
    return frames->end - frames->begin;
}

/* A message has to fit as a whole, and one that does not has to be told from one that just
 * does. */
char *rdl__frames_space(struct rdl__frames *frames, size_t *out_room)
{
    size_t wanted = frames->framing.kind == RDL_MESSAGES ? (size_t)frames->framing.max + 1 : SPACE;
    size_t rest = rdl__frames_rest(frames);

    if (rest > 0 && frames->begin > 0)
        memmove(frames->bytes, frames->bytes + frames->begin, rest);
    frames->begin = 0;
    frames->end = rest;
    if (frames->room < rest + wanted) {
        frames->room = 2 * rest + wanted;
        frames->bytes = rdl__reallocate(frames->bytes, frames->room);
    }
    *out_room = wanted;
    return frames->bytes + rest;
}

void rdl__frames_add(struct rdl__frames *frames, size_t count)
{
    frames->end += count;
}

/* ---- How long is the first one? ------------------------------------------------------------- */

/* Of the first frame: all of it, and how much of that stands before what counts. */
struct cut {
    uint64_t size;
    size_t skipped;
};

static enum rdl__framed measure_line(struct rdl__frames *frames, const char *bytes, size_t rest,
                                     struct cut *out)
{
    const char *end = rest ? memchr(bytes + frames->searched, '\n', rest - frames->searched) : NULL;

    frames->searched = end ? 0 : rest;
    if (!end)
        return rest >= frames->framing.max ? RDL__LARGE_FRAME : RDL__PART_OF_FRAME;
    out->size = (size_t)(end - bytes) + 1;
    return RDL__WHOLE_FRAME;
}

static uint64_t read_number(const struct rdl_framing *framing, const char *bytes)
{
    uint64_t number = 0;

    for (uint32_t i = 0; i < framing->width; i++)
        number =
            number << 8 | (unsigned char)bytes[framing->little_endian ? framing->width - 1 - i : i];
    return number;
}

static enum rdl__framed measure_prefixed(const struct rdl_framing *framing, const char *bytes,
                                         size_t rest, struct cut *out)
{
    uint64_t number;

    out->skipped = framing->width;
    if (rest < framing->width)
        return RDL__PART_OF_FRAME;
    number = read_number(framing, bytes);
    if (framing->counts_itself && number < framing->width)
        return RDL__BAD_FRAME;
    if (framing->counts_itself)
        number -= framing->width;
    if (number > framing->max)
        return RDL__LARGE_FRAME;
    out->size = framing->width + number;
    return RDL__WHOLE_FRAME;
}

static enum rdl__framed measure_custom(const struct rdl_framing *framing, const char *bytes,
                                       size_t rest, struct cut *out)
{
    long length = rest ? framing->length(bytes, rest) : 0;

    if (length < 0)
        return RDL__BAD_FRAME;
    if (length == 0)
        return rest >= framing->max ? RDL__LARGE_FRAME : RDL__PART_OF_FRAME;
    out->size = (uint64_t)length;
    return RDL__WHOLE_FRAME;
}

static enum rdl__framed measure(struct rdl__frames *frames, const char *bytes, size_t rest,
                                struct cut *out)
{
    const struct rdl_framing *framing = &frames->framing;

    switch (framing->kind) {
    case RDL_LINES:
        return measure_line(frames, bytes, rest, out);
    case RDL_PREFIXED:
        return measure_prefixed(framing, bytes, rest, out);
    case RDL_CUSTOM:
        return measure_custom(framing, bytes, rest, out);
    case RDL_MESSAGES:
        out->size = rest;
        return RDL__WHOLE_FRAME;
    default:
        out->size = framing->size;
        return RDL__WHOLE_FRAME;
    }
}

enum rdl__framed rdl__frames_next(struct rdl__frames *frames, const char **out, size_t *out_size)
{
    const char *bytes = frames->bytes + frames->begin;
    size_t rest = rdl__frames_rest(frames);
    struct cut cut = {0};
    enum rdl__framed framed = measure(frames, bytes, rest, &cut);

    if (framed != RDL__WHOLE_FRAME)
        return framed;
    if (cut.size - cut.skipped > frames->framing.max)
        return RDL__LARGE_FRAME;
    if (cut.size > rest)
        return RDL__PART_OF_FRAME;
    frames->begin += cut.size;
    *out = bytes + cut.skipped;
    *out_size = cut.size - cut.skipped;
    return RDL__WHOLE_FRAME;
}

/* ---- And back ------------------------------------------------------------------------------- */

int rdl__frame_prefix(const struct rdl_framing *framing, size_t size, unsigned char *out)
{
    uint32_t width = framing->width;
    uint64_t number = size + (framing->counts_itself ? width : 0);

    if (framing->kind != RDL_PREFIXED)
        return 0;
    if (width < sizeof number && number >> (8 * width) != 0)
        return -1;
    for (uint32_t i = 0; i < width; i++)
        out[framing->little_endian ? i : width - 1 - i] = (unsigned char)(number >> (8 * i));
    return (int)width;
}
