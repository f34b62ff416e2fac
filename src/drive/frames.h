/* frames.h -- bytes come in whatever pieces; frames are cut out of them.
 *
 * The bytes that have come and are in no frame yet are kept here.  Errors stay: after
 * RDL__BAD_FRAME nothing more can be cut. */
#ifndef RDL__FRAMES_H
#define RDL__FRAMES_H

#include "raddle/streams.h"

struct rdl__frames {
    struct rdl_framing framing;
    char *bytes;
    size_t begin, end, room;
    size_t searched; /* no line ends in so many bytes after begin */
};

enum rdl__framed { RDL__WHOLE_FRAME, RDL__PART_OF_FRAME, RDL__BAD_FRAME, RDL__LARGE_FRAME };

/* What is wrong with it, in words; NULL: nothing.  Then: what was left 0 is filled in. */
const char *rdl__framing_flaw(const struct rdl_framing *framing);
void rdl__frames_init(struct rdl__frames *frames, const struct rdl_framing *framing);
void rdl__frames_release(struct rdl__frames *frames);

/* Where to put more, *out_room bytes at most; how many have been put there. */
char *rdl__frames_space(struct rdl__frames *frames, size_t *out_room);
void rdl__frames_add(struct rdl__frames *frames, size_t count);

/* Cut off the next one; what it has is lent until space is asked for again. */
enum rdl__framed rdl__frames_next(struct rdl__frames *frames, const char **out, size_t *out_size);

/* Bytes that are in no frame. */
size_t rdl__frames_rest(const struct rdl__frames *frames);

/* What stands before a frame of this size: as many bytes as are returned; -1: it cannot be
 * that large. */
enum { RDL__PREFIX_MAX = 8 };
int rdl__frame_prefix(const struct rdl_framing *framing, size_t size, unsigned char *out);

#endif
