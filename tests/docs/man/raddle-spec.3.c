#include <raddle.h>

struct queue;
struct items;
struct item;
struct queue *create(struct rdl_case *t, const struct items *s);
void queue_free(struct queue *q);
void put_call(struct queue *q, const struct item *a);
void get_call(struct queue *q, const struct rdl_nothing *a, int *r);

/* 1 */

RDL_PROPERTY(itself)
{
    /* 2 */
}
