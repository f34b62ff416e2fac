/* every.c -- all that a function can draw, simplest first.
 *
 * It is run again and again.  Each time the last choice that can be raised is, and those
 * after it begin anew: what was drawn says how many there are, and how far each goes. */
#include "drive/every.h"

#include <stdlib.h>
#include <string.h>

enum { CHOICES_MAX = 1024, SPANS_MAX = 256, SIZE = 100 };

/* Too many choices to be one of the simplest. */
static void give_up(void *context, enum rdl__tape_stop why)
{
    struct rdl__every *every = context;

    (void)why;
    every->all = false;
    every->t->outcome->verdict = RDL__DISCARDED;
    rdl__case_leave(every->t);
}

void rdl__every_init(struct rdl__every *every, struct rdl_case *t)
{
    *every = (struct rdl__every){
        .t = t,
        .tape = {.choices = rdl__allocate(CHOICES_MAX * sizeof(struct rdl__choice)),
                 .limit = CHOICES_MAX,
                 .spans = rdl__allocate(SPANS_MAX * sizeof(struct rdl__span)),
                 .span_limit = SPANS_MAX,
                 .stop = give_up,
                 .stop_context = every},
        .feed = rdl__allocate(CHOICES_MAX * sizeof(uint64_t)),
        .over = true,
    };
}

void rdl__every_release(struct rdl__every *every)
{
    free(every->tape.choices);
    free(every->tape.spans);
    free(every->feed);
}

void rdl__every_start(struct rdl__every *every, uint64_t cap)
{
    every->feed_count = 0;
    every->cap = cap;
    every->over = false;
    every->all = true;
}

static void borrow(struct rdl__every *every)
{
    struct rdl__feed feed = {
        .indexes = every->feed, .count = every->feed_count, .fill_at = RDL__NONE};
    struct rdl_case *t = every->t;

    rdl__tape_from_feed(&every->tape, &feed, 0);
    t->tape = &every->tape;
    t->nodes_left = SIZE;
    t->growth = 0;
    t->share_count = 0;
}

/* False: it was discarded.  Whatever else ends the case does end it. */
static bool draw_once(struct rdl__every *every, void (*draw)(struct rdl_case *t, void *context),
                      void *context)
{
    struct rdl_case *t = every->t;
    struct rdl__tape *tape = t->tape;
    struct rdl__arena arena = t->arena;
    const struct rdl__deferred *deferred = t->deferred;
    void (*leave)(struct rdl_case *) = t->leave; /* what is discarded comes back here */
    jmp_buf escape;
    bool ended;

    memcpy(&escape, &t->escape, sizeof escape);
    t->leave = NULL;
    borrow(every);
    ended = _setjmp(t->escape) != 0;
    if (!ended)
        draw(t, context);
    t->tape = tape;
    t->leave = leave;
    memcpy(&t->escape, &escape, sizeof escape);
    if (t->deferred == deferred)
        t->arena = arena; /* there will be millions of draws; values hold no pointers */
    if (ended && t->outcome->verdict != RDL__DISCARDED)
        rdl__case_leave(t);
    t->outcome->verdict = RDL__PASSED;
    return !ended;
}

static bool to_the_next(struct rdl__every *every)
{
    const struct rdl__choice *choices = every->tape.choices;
    uint32_t i = every->tape.count;

    for (uint32_t k = 0; k < i; k++)
        every->all &= choices[k].max <= every->cap;
    while (i > 0 &&
           (choices[i - 1].index == choices[i - 1].max || choices[i - 1].index >= every->cap))
        i--;
    if (i == 0)
        return false;
    for (uint32_t k = 0; k < i; k++)
        every->feed[k] = choices[k].index;
    every->feed[i - 1]++;
    every->feed_count = i;
    return true;
}

bool rdl__every_next(struct rdl__every *every, void (*draw)(struct rdl_case *t, void *context),
                     void *context)
{
    bool drawn = false;

    while (!drawn && !every->over) {
        drawn = draw_once(every, draw, context);
        every->over = !to_the_next(every);
    }
    return drawn;
}
