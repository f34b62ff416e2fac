/* box.h -- two places, last in first out, for any number of threads. */
#ifndef BOX_H
#define BOX_H

#include <stdbool.h>

struct box;

struct box *box_new(void);
bool box_put(struct box *b, int value); /* false: it is full */
int box_take(struct box *b);            /* waits while it is empty */
void box_free(struct box *b);

#endif
