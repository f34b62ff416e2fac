#include <raddle.h>

struct buffer;
static struct {
    struct buffer *source;
    bool appended;
} pair;
void append_all(void *it);
void buffer_truncate(struct buffer *b, int length);

/* 1 */
