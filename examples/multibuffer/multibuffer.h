/* examples/multibuffer/multibuffer.h -- a buffer that is filled and emptied by the batch.
 *
 * put waits until there is room for all n items, get until there are n; then all are
 * put or taken at once, first in, first out.  n is from 1 to half the capacity: were it
 * more, a put and a get could wait for each other. */
typedef struct multibuffer multibuffer;
multibuffer *multibuffer_create(int capacity);
void multibuffer_put(multibuffer *m, const int *items, int n);
void multibuffer_get(multibuffer *m, int *items, int n);
void multibuffer_destroy(multibuffer *m);
