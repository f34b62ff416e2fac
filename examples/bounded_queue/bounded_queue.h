/* examples/bounded_queue/bounded_queue.h -- a queue of at most `capacity` values.
 *
 * put waits while the queue is full, get while it is empty.  The others never wait:
 * try_put and try_get say false where put and get would have to. */
#include <stdbool.h>

typedef struct queue queue;
queue *queue_create(int capacity);
void queue_put(queue *q, int value);
int queue_get(queue *q);
bool queue_try_put(queue *q, int value);
bool queue_try_get(queue *q, int *out_value);
int queue_size(queue *q);
void queue_destroy(queue *q);
