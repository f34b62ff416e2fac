/* objects.h -- code under test: small things that threads share, right and wrong. */
#ifndef OBJECTS_H
#define OBJECTS_H

#include <stdbool.h>

struct counter;
struct counter *counter_new(bool broken);
void counter_free(struct counter *c);
int counter_next(struct counter *c); /* 0, 1, 2 ... */

struct stack;
struct stack *stack_new(bool broken);
void stack_free(struct stack *s);
void stack_push(struct stack *s, int value);
int stack_pop(struct stack *s); /* -1: it is empty */

enum { REGISTERS = 3 };
struct registers;
struct registers *registers_new(bool broken);
void registers_free(struct registers *r);
void registers_write(struct registers *r, int key, int value); /* 0 to 99 */
int registers_read(struct registers *r, int key);

struct queue;
struct queue *queue_new(bool broken);
void queue_free(struct queue *q);
void queue_put(struct queue *q, int value); /* waits until there is room, for two */
int queue_get(struct queue *q);             /* waits until there is one */

#endif
