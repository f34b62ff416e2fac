/* mq_notify.h -- between the files that are about queues of messages. */
#ifndef RDL__MQ_NOTIFY_H
#define RDL__MQ_NOTIFY_H

#include <mqueue.h>
#include <stdbool.h>
#include <stdint.h>

/* ipc.c: the queue as an object of operations, and how many threads wait to receive from it. */
uintptr_t rdl__queue_object(mqd_t queue);
uint32_t rdl__queue_receivers(uintptr_t queue);

/* A message is about to be sent, and was sent or not.  In between, nobody else runs. */
struct rdl__news {
    mqd_t queue;
    struct rdl__registration *withheld; /* NULL: none */
    bool overdue;                       /* the kernel would not tell of this message */
};
struct rdl__news rdl__news_before(mqd_t queue, uintptr_t object);
void rdl__news_after(const struct rdl__news *news, bool sent);

/* An execution begins, or has ended. */
void rdl__news_forget(void);

#endif
