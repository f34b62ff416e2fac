/* path.c -- the path of an execution through the tree of all, and the next one. */
#include "control/strategy/path.h"

#include <assert.h>
#include <stdlib.h>

#include "base/memory.h"

void rdl__path_release(struct rdl__path *path)
{
    free(path->turns);
    free(path->script);
    *path = (struct rdl__path){.lost = path->lost};
}

void rdl__path_begin(struct rdl__path *path, struct rdl__view *view)
{
    path->at = 0;
    rdl__fair_begin(&path->fair);
    view->note = 0;
}

uint32_t rdl__path_any(struct rdl__view *view)
{
    return rdl__enabled_nth(view,
                            (uint32_t)rdl__random_upto(&view->random, view->enabled_count - 1));
}

uint32_t rdl__path_runs_on(const struct rdl__view *view, uint64_t able)
{
    uint32_t running = view->running;
    uint64_t impolite = 0, later = running < 63 ? UINT64_MAX << (running + 1) : 0;

    if (running < 64 && able >> running & 1 && !(view->ops[running].flags & RDL__OP_POLITE))
        return running;
    for (uint64_t rest = able; rest; rest &= rest - 1)
        if (!(view->ops[__builtin_ctzll(rest)].flags & RDL__OP_POLITE))
            impolite |= rest & -rest;
    if (impolite)
        able = impolite;
    return (uint32_t)__builtin_ctzll(able & later ? able & later : able);
}

uint32_t rdl__path_answer(struct rdl__path *path, struct rdl__view *view, uint32_t max)
{
    if (path->lost)
        return (uint32_t)rdl__random_upto(&view->random, max);
    if (path->at < path->script_count) {
        uint32_t answer = path->script[path->at++].what;

        return answer < max ? answer : max;
    }
    return 0;
}

static bool lose(struct rdl__path *path)
{
    path->lost = true;
    rdl__path_release(path);
    return false;
}

/* Is this what the path says?  The last turn that is followed is a new one of its
 * thread: it was only told who goes. */
static bool agrees(const struct rdl__turn *turn, const struct rdl__log_entry *entry,
                   uint64_t enabled, bool last)
{
    if (turn->largest)
        return entry->chosen == turn->answer + 1 && entry->other == turn->largest;
    return entry->chosen == 0 && entry->thread == turn->thread && enabled == turn->enabled &&
           turn->asked == (entry->enabled_count > 1) &&
           (last || (entry->op.kind == turn->kind && entry->op.pc == turn->pc));
}

static struct rdl__turn *new_turn(struct rdl__path *path)
{
    if (path->count == path->room) {
        path->room = path->room ? path->room * 2 : 256;
        path->turns = rdl__reallocate(path->turns, path->room * sizeof *path->turns);
    }
    return &path->turns[path->count++];
}

static void add_decision(struct rdl__path *path, uint32_t decision)
{
    if (path->script_count == path->script_room) {
        path->script_room = path->script_room ? path->script_room * 2 : 256;
        path->script = rdl__reallocate(path->script, path->script_room * sizeof *path->script);
    }
    path->script[path->script_count++] =
        (struct rdl__decision){.what = decision, .turn = path->count - 1};
}

static void add_turn(struct rdl__path *path, const struct rdl__log_entry *entry, uint64_t enabled)
{
    struct rdl__turn *turn = new_turn(path);
    uint64_t bit = UINT64_C(1) << entry->thread;

    *turn = (struct rdl__turn){.enabled = enabled,
                               .todo = bit,
                               .done = bit,
                               .pc = entry->op.pc,
                               .thread = entry->thread,
                               .script = path->script_count,
                               .kind = entry->op.kind,
                               .asked = entry->enabled_count > 1};
    if (entry->chosen) {
        turn->asked = false;
        turn->answer = entry->chosen - 1;
        turn->largest = entry->other;
        add_decision(path, turn->answer);
    } else if (turn->asked) {
        add_decision(path, entry->thread);
    }
}

/* Along the log: what the path says again, then what is new. */
static bool walk(struct rdl__path *path, const struct rdl__summary *summary)
{
    for (uint32_t i = 0; i < summary->log_count; i++) {
        const struct rdl__log_entry *entry = &summary->log[i];
        uint64_t enabled = entry->enabled;
        bool asked = entry->chosen == 0 && entry->enabled_count > 1;

        if (asked && path->fair.debtors) {
            uint64_t withheld = rdl__fair_withheld(&path->fair, enabled);

            path->withholds |= withheld != 0;
            enabled &= ~withheld;
        }
        if (i >= path->followed) {
            add_turn(path, entry, enabled);
        } else if (!agrees(&path->turns[i], entry, enabled, i + 1 == path->followed)) {
            return false;
        } else if (i + 1 == path->followed) {
            path->turns[i].kind = entry->op.kind;
            path->turns[i].pc = entry->op.pc;
        }
        if (asked && (path->fair.polite || entry->op.flags & RDL__OP_POLITE))
            rdl__fair_goes(&path->fair, entry->enabled, entry->thread, &entry->op);
    }
    return true;
}

/* Did all threads do all they could?  Not if the execution failed before that; but a deadlock
 * is such an end, and so is the end of the process, which is an operation as any other. */
static bool came_to_its_end(const struct rdl__summary *summary)
{
    if (summary->log_count > 0 && summary->log[summary->log_count - 1].op.kind == RDL__OP_EXIT)
        return !summary->failed && !summary->cut;
    if (summary->pending_count == 0)
        return summary->alive <= 1 && !summary->failed && !summary->cut;
    for (uint32_t i = 0; i < summary->pending_count; i++)
        if (summary->log[summary->log_count + i].enabled_count > 0)
            return false;
    return !summary->cut;
}

bool rdl__path_extend(struct rdl__path *path, const struct rdl__summary *summary,
                      uint32_t *out_first)
{
    if (summary->data_drawn || summary->unasked || summary->log_full || summary->threads > 64 ||
        summary->log_count < path->followed)
        return lose(path);
    assert(path->count == path->followed);
    *out_first = path->followed ? path->followed - 1 : 0;
    rdl__fair_begin(&path->fair);
    if (!walk(path, summary))
        return lose(path);
    path->incomplete |= !came_to_its_end(summary) || summary->timed || summary->by_chance;
    return true;
}

void rdl__path_truncate(struct rdl__path *path, uint32_t count)
{
    if (count < path->count) {
        path->script_count = path->turns[count].script;
        path->count = count;
    }
}

/* Somebody, or an answer, that is still to be tried here. */
static bool try_another(struct rdl__path *path, struct rdl__turn *turn)
{
    uint64_t left = turn->todo & ~turn->done & ~turn->asleep;

    if (turn->largest) {
        if (turn->answer == turn->largest)
            return false;
        path->script[turn->script].what = ++turn->answer;
        return true;
    }
    if (!left)
        return false;
    turn->thread = (uint32_t)__builtin_ctzll(left);
    turn->done |= left & -left;
    path->script[turn->script].what = turn->thread;
    return true;
}

bool rdl__path_next(struct rdl__path *path)
{
    while (path->count > 0) {
        struct rdl__turn *turn = &path->turns[path->count - 1];

        if (try_another(path, turn)) {
            path->script_count = turn->script + 1;
            path->followed = path->count;
            return true;
        }
        path->count--;
    }
    path->script_count = path->followed = 0;
    return false;
}

void rdl__path_restart(struct rdl__path *path)
{
    path->count = path->script_count = path->followed = 0;
}

struct rdl__tally rdl__path_tally(const struct rdl__path *path, uint64_t count,
                                  enum rdl__counted of)
{
    return (struct rdl__tally){
        .schedules = count, .done = !path->incomplete, .of = of, .fair = path->withholds};
}
