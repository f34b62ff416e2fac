/* quiet.c -- waiting until nobody can do anything any more. */
#include "control/sched/inner.h"
#include "control/sched/sched.h"
#include "control/sched/world.h"

#define sched (&rdl__sched)

bool (*rdl__when_quiet)(void);

void rdl__await_quiet(struct rdl__thread *self, bool patient, uintptr_t pc)
{
    rdl__got_on();
    sched->quiet_waiters++;
    sched->patient = patient;
    rdl__await(self, &(struct rdl__op){.kind = RDL__OP_QUIET, .pc = pc}, rdl__never, NULL,
               RDL__FOREVER);
    sched->patient = false;
    sched->quiet_waiters--;
}

bool rdl__await_or_quiet(struct rdl__thread *self, uintptr_t object, bool (*ready)(void *what),
                         void *what, uintptr_t pc)
{
    enum rdl__woken woken;

    rdl__got_on();
    sched->quiet_waiters++;
    sched->comes_last = true;
    woken = rdl__await(self, &(struct rdl__op){.kind = RDL__OP_QUIET, .object = object, .pc = pc},
                       ready, what, RDL__FOREVER);
    sched->comes_last = false;
    sched->quiet_waiters--;
    return woken == RDL__READY;
}

bool rdl__time_will_tell(void)
{
    return sched->deadlines > 0 || rdl__timer_next != RDL__FOREVER;
}
