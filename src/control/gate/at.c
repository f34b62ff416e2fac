/* at.c -- what threads are to do that come to a place in the code. */
#include <stdio.h>
#include <string.h>

#include "control/gate/gate.h"
#include "raddle/case.h"
#include "raddle/clock.h"

struct at {
    struct rdl_at what;
    char thread[RDL__MEET_NAME];
    uint64_t times;
};

static bool is_for(struct at *at, struct rdl_hit *hit)
{
    uint64_t time;

    if (at->thread[0] && strcmp(at->thread, hit->thread) != 0)
        return false;
    if (at->what.when && !at->what.when(hit, at->what.it))
        return false;
    time = __atomic_add_fetch(&at->times, 1, __ATOMIC_SEQ_CST);
    return time >= at->what.hit && (!at->what.hits || time < at->what.hit + at->what.hits);
}

static void do_there(struct rdl_hit *hit, void *it)
{
    struct at *at = it;

    if (!is_for(at, hit))
        return;
    if (at->what.call)
        at->what.call(hit, at->what.it);
    if (at->what.tick)
        rdl_tick(hit->t);
    if (at->what.open)
        rdl_gate_open(at->what.open);
    if (at->what.wait)
        rdl__gate_pass(at->what.wait, hit->pc);
}

void rdl__at_place(struct rdl_case *t, const char *place, const struct rdl_at *what,
                   const char *file, int line)
{
    struct at *at = rdl_alloc(t, sizeof *at);

    at->what = *what;
    if (!at->what.hit)
        at->what.hit = 1;
    if (what->thread)
        snprintf(at->thread, sizeof at->thread, "%s", what->thread);
    rdl__at_each_hit(t, place, do_there, at, what->when || what->call, file, line);
}

struct rdl_gate *rdl__gate_at(struct rdl_case *t, const char *place, const struct rdl_at *what,
                              const char *file, int line)
{
    struct rdl_at with_gate = *what;

    if (what->wait)
        rdl__misuse(t, "%s:%d: rdl_gate_at makes a gate of its own: .wait is for rdl_at", file,
                    line);
    with_gate.wait = rdl__gate_new(t, rdl_format(t, "%s%s%s", what->thread ? what->thread : "",
                                                 what->thread ? ":" : "", place));
    rdl__at_place(t, place, &with_gate, file, line);
    return with_gate.wait;
}

/* Not every line is come to, but some line is. */
struct each_line {
    struct rdl_case *t;
    struct rdl_gate *gate;
    const char *function;
};

static void note_reached(void *it)
{
    const struct each_line *each = it;
    char name[RDL__NAME_ROOM];

    if (each->t->outcome->verdict != RDL__PASSED)
        return;
    snprintf(name, sizeof name, "a line of %s is come to", each->function);
    rdl__happens_in_one(each->t, name, rdl__gate_was_reached(each->gate));
}

struct rdl_gate *rdl__gate_at_each_line(struct rdl_case *t, const char *function,
                                        const struct rdl_at *what, const char *file, int line)
{
    struct each_line *each = rdl_alloc(t, sizeof *each);
    const char *lines[RDL__LINES_MAX], *one, *folder_end;

    rdl__meet_begin(t);
    one = lines[rdl__meet_pick(t, rdl__lines_of(t, function, lines, file, line) - 1)];
    folder_end = strrchr(one, '/');
    rdl__meet_picked(t, "gate at", folder_end ? folder_end + 1 : one);
    *each = (struct each_line){t, rdl__gate_at(t, one, what, file, line),
                               rdl_format(t, "%s", function)};
    rdl_defer(t, note_reached, each);
    return each->gate;
}
