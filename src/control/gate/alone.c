/* alone.c -- one thread at a time, from one place in the code to another. */
#include <stdio.h>
#include <string.h>

#include "control/gate/gate.h"
#include "raddle/case.h"

struct alone {
    char thread[RDL__MEET_NAME]; /* who is between the two places; "": nobody */
    const char *from, *to;
    struct alone *next;
};

static struct alone *all;

void rdl__alone_end(void)
{
    all = NULL;
}

struct coming {
    struct alone *alone;
    const char *thread;
};

static bool is_free(void *what)
{
    const struct coming *coming = what;

    return !coming->alone->thread[0] || strcmp(coming->alone->thread, coming->thread) == 0;
}

static void describe_alone(const void *what, char *out, size_t room)
{
    const struct alone *alone = what;

    snprintf(out, room, "%s, which is on its way from %s to %s,", alone->thread, alone->from,
             alone->to);
}

static void go_in(struct rdl_hit *hit, void *it)
{
    struct alone *alone = it;
    struct coming coming = {alone, hit->thread};
    struct rdl__waiter waiter = {
        .pc = hit->pc, .describe = describe_alone, .what = alone, .takes = alone};

    memcpy(waiter.thread, hit->thread, sizeof waiter.thread);
    rdl__meet_lock();
    rdl__gate_await(hit->t, &waiter, is_free, &coming);
    memcpy(alone->thread, hit->thread, sizeof alone->thread);
    rdl__gates_changed();
    rdl__meet_unlock();
}

static void go_out(struct rdl_hit *hit, void *it)
{
    struct alone *alone = it;

    rdl__meet_lock();
    if (strcmp(alone->thread, hit->thread) == 0) {
        alone->thread[0] = '\0';
        rdl__gates_changed();
    }
    rdl__meet_unlock();
}

/* Who has ended is on its way no more, though it has not come to the second place: it may have left
 * by longjmp(), or an exception. */
bool rdl__alone_go_on(void)
{
    bool changed = false;

    for (struct alone *alone = all; alone; alone = alone->next)
        if (alone->thread[0] && rdl__meet_state(alone->thread) == RDL__MEET_ENDED) {
            alone->thread[0] = '\0';
            changed = true;
        }
    if (changed)
        rdl__gates_changed();
    return changed;
}

void rdl__one_at_a_time(struct rdl_case *t, const char *from, const char *to, const char *file,
                        int line)
{
    struct alone *alone = rdl_alloc(t, sizeof *alone);

    if (from && to && strcmp(from, to) == 0)
        rdl__misuse(
            t,
            "%s:%d: rdl_one_at_a_time: both places are %s, so that nobody would leave; name "
            "one behind it, such as the return of a function",
            file, line, from);
    alone->from = rdl_format(t, "%s", from);
    alone->to = rdl_format(t, "%s", to);
    rdl__at_each_hit(t, to, go_out, alone, false, file, line);
    rdl__at_each_hit(t, from, go_in, alone, false, file, line);
    alone->next = all;
    all = alone;
}
