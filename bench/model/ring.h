/* ring.h -- what is tested: a ring buffer of bytes.  It knows nothing of Raddle; Raddle,
 * RapidCheck and Hypothesis all call this code. */
#ifndef BENCH_RING_H
#define BENCH_RING_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

struct ring;
struct ring *ring_new(int size);
struct ring *ring_new_small(int size);    /* with a bug: never holds more than 128 */
bool ring_put(struct ring *r, int value); /* false: it is full */
int ring_get(struct ring *r);             /* -1: it is empty */
void ring_free(struct ring *r);

#ifdef __cplusplus
}
#endif

#endif
