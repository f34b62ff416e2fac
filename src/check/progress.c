/* progress.c -- what is being done, for listeners: told now and then, not whenever it changes. */
#include "check/plan.h"
#include "port/clock.h"

enum { TICK_NS = RDL__TICK_MS * 1000 * 1000 };

/* A case that takes long may tell what it is at: then that is what is being done. */
static const struct rdl__activity *activity_of(const struct rdl__session *session)
{
    for (int i = 0; i < session->worker_count; i++)
        if (session->workers[i].busy && session->workers[i].board->activity.doing)
            return &session->workers[i].board->activity;
    return NULL;
}

void rdl__tell_progress(struct rdl__session *session, const struct rdl__progress *progress)
{
    const struct rdl__listener *listener = session->listener;
    const struct rdl__activity *activity;
    uint64_t now = rdl__now_ns();

    if (!listener->progress || now - session->last_tick_ns < TICK_NS)
        return;
    session->last_tick_ns = now;
    activity = activity_of(session);
    if (activity)
        listener->progress(listener->self, &(struct rdl__progress){
                                               .test = progress->test,
                                               .doing = activity->doing,
                                               .noun = activity->noun,
                                               .count = activity->count,
                                               .seconds = (double)(now - activity->since_ns) * 1e-9,
                                           });
    else
        listener->progress(listener->self, progress);
}

void rdl__begin_stage(struct rdl__session *session, const struct rdl_test *test, const char *doing,
                      double seconds_max)
{
    uint64_t now = rdl__now_ns();

    session->stage = (struct rdl__stage){
        .progress = {.test = test, .doing = doing, .noun = "run"},
        .started_ns = now,
        .deadline_ns = seconds_max > 0 ? now + (uint64_t)(seconds_max * 1e9) : 0,
        .done_before = rdl__first_board(session)->done,
    };
}

void rdl__tell_stage(struct rdl__session *session)
{
    struct rdl__stage *stage = &session->stage;
    uint64_t now = rdl__now_ns();

    if (!stage->progress.test)
        return;
    stage->progress.count = rdl__first_board(session)->done - stage->done_before;
    stage->progress.seconds = (double)(now - stage->started_ns) * 1e-9;
    stage->progress.left = stage->deadline_ns > now ? (double)(stage->deadline_ns - now) * 1e-9 : 0;
    rdl__tell_progress(session, &stage->progress);
}
