/* queue.h -- a bounded queue of ints, for threads. */
struct queue;

struct queue *queue_new(int capacity);
void queue_free(struct queue *q);
void queue_put(struct queue *q, int item); /* waits while it is full */
int queue_take(struct queue *q);           /* waits while it is empty */
