/* slot.c -- numbers of threads: each is that of one thread at a time. */
#include <string.h>

#include "base/memory.h"
#include "control/sched/inner.h"

#define sched (&rdl__sched)

/* For a size that compilers know they repeat a store, which takes thrice as long as memset(). */
static void clear(struct rdl__thread *thread)
{
    size_t size = offsetof(struct rdl__thread, holds);

    __asm__("" : "+r"(size));
    memset(thread, 0, size);
    thread->callers.count = 0;
}

/* The lowest number that no thread has; NULL: there is none. */
static struct rdl__thread *slot(void)
{
    struct rdl__view *view = &sched->view;
    uint32_t id = 0;

    while (id < view->threads && sched->threads[id]->state != RDL__UNUSED)
        id++;
    if (id == RDL__THREADS_MAX)
        return NULL;
    if (!sched->threads[id])
        sched->threads[id] = rdl__allocate(sizeof *sched->threads[id]);
    if (id == view->threads)
        view->threads++;
    if (sched->summary->threads < view->threads)
        sched->summary->threads = view->threads;
    view->steps[id] = 0;
    sched->awaited[id] = 0;
    clear(sched->threads[id]);
    sched->threads[id]->id = id;
    sched->threads[id]->state = RDL__ALIVE;
    sched->threads[id]->deadline = RDL__FOREVER;
    return sched->threads[id];
}

struct rdl__thread *rdl__slot_new(uint32_t creator)
{
    struct rdl__thread *thread = slot();

    if (!thread)
        return NULL;
    sched->view.creator[thread->id] = creator;
    sched->summary->alive = ++sched->alive;
    return thread;
}
