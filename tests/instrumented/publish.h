/* publish.h -- the code that test_publish.c runs: ways to tell another thread that a message is
 * there. */
#ifndef TESTS_INSTRUMENTED_PUBLISH_H
#define TESTS_INSTRUMENTED_PUBLISH_H

#include <stdbool.h>

/* There are two objects of each kind, 0 and 1. */
struct channel {
    const char *name;
    void (*begin)(void);     /* may be NULL, as may `end` */
    void (*publish)(int of); /* in the writer */
    bool (*hear)(int of);    /* in the reader: has it been published? */
    void (*end)(void);
    bool is_one; /* who hears of one of them has heard of the other */
};

extern const struct channel channels[];
extern const int channel_count;
extern const struct channel no_channels[]; /* these order nothing */
extern const int no_channel_count;
extern const struct channel *channel;

void written_before(void); /* it is published */
void written_after(void);  /* it has been published */
void heard_of_another(void);
void written_before_among_many(void);
void written_after_among_many(void);

#endif
