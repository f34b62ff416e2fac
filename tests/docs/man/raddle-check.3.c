#include <raddle.h>

struct queue;
struct model {
    size_t count;
};
bool is_sorted(const int *xs, size_t n);
size_t queue_count(struct queue *q);
char *encode(const char *text), *decode(const char *text);

void checks(const int *xs, const int *heap, size_t n, size_t i, struct queue *q,
            struct model *model, const char *text);
void checks(const int *xs, const int *heap, size_t n, size_t i, struct queue *q,
            struct model *model, const char *text)
{
    /* 1 */
}
