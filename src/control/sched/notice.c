/* notice.c -- threads that the C library would start to tell of something: SIGEV_THREAD. */
#include "control/sched/notice.h"

#include "control/sched/seen.h"
#include "control/sched/world.h"

#define sched (&rdl__sched)

/* Of each thread that gives one, by its number. */
static struct rdl__notice given[RDL__THREADS_MAX];

struct rdl__notice rdl__notice_of(const struct sigevent *event, const char *name, uintptr_t pc)
{
    struct rdl__notice notice = {.function = event->sigev_notify_function,
                                 .value = event->sigev_value,
                                 .pc = pc,
                                 .name = name};

    if (event->sigev_notify_attributes)
        pthread_attr_getstacksize(event->sigev_notify_attributes, &notice.stack);
    return notice;
}

/* It lets all signals through, as the C library's do. */
RDL__ENTRY static void *give(void *argument)
{
    struct rdl__notice notice = *(const struct rdl__notice *)argument;
    struct rdl__thread *self = rdl__self();

    rdl__mask_set(self, 0);
    self->blocks_sigsys = false;
    rdl__hb_acquire(self, notice.source);
    if (notice.also)
        rdl__hb_acquire(self, notice.also);
    notice.function(notice.value);
    return NULL;
}

int rdl__notice_give(struct rdl__thread *self, const struct rdl__notice *notice)
{
    struct rdl__thread *thread;
    pthread_attr_t attributes;
    int why;

    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    if (notice->stack)
        pthread_attr_setstacksize(&attributes, notice->stack);
    why = rdl__thread_new(self, &attributes, give, NULL, notice->name, notice->pc, &thread);
    pthread_attr_destroy(&attributes);
    if (why)
        return why;
    given[thread->id] = *notice;
    thread->argument = &given[thread->id];
    rdl__starts_with(thread, (uintptr_t)notice->function);
    return 0;
}

uint32_t rdl__notices_under_way(uintptr_t source)
{
    uint32_t count = 0;

    for (uint32_t id = 0; id < sched->view.threads; id++)
        count += sched->threads[id]->state == RDL__ALIVE && sched->threads[id]->start == give &&
                 given[id].source == source;
    return count;
}

struct rdl__thread *rdl__service_new(struct rdl__thread *self, const char *name,
                                     void *(*run)(void *unused), uintptr_t pc)
{
    struct rdl__thread *thread;

    if (rdl__thread_new(self, NULL, run, NULL, name, pc, &thread) != 0)
        return NULL;
    thread->entry = (uintptr_t)run;
    thread->servant = thread->service = true;
    sched->servants++;
    return thread;
}

/* Signals for the process are for threads of the program. */
struct rdl__thread *rdl__service_begin(void)
{
    struct rdl__thread *self = rdl__self();

    rdl__mask_set(self, ~(rdl__signals)0);
    return self;
}
