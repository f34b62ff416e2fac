/* ipc.c -- message queues, and the semaphores of System V.
 *
 * The kernel alone knows what is in them.  So a thread that would wait tries without waiting, and
 * tries again when another thread has done something to one of them.  If another process may have
 * the object, too, the thread waits in the kernel, as no thread of this one may ever be the one
 * that lets it go on.
 *
 * Sending puts what was done before in order with what is done after receiving; an operation on
 * semaphores does both. */
#include <errno.h>
#include <mqueue.h>
#include <stdarg.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/stat.h>

#include "control/sched/mq_notify.h"
#include "control/sched/primitive.h"
#include "control/sched/state.h"
#include "control/sched/world.h"
#include "port/kernel.h"

RDL__ASKED_FOR(ipc);

#define OBJECTS_AT ((uintptr_t)0xffff800000100000) /* addresses that nothing of a program's has */
enum { ALL, MESSAGES, SEMAPHORES, POSIX_QUEUES, PER_KIND = 1 << 16 };

struct call {
    long (*attempt)(const struct call *it); /* without waiting; -1: errno says why not */
    long (*wait)(const struct call *it);
    const char *name;
    uintptr_t object;
    uint64_t a[6];
    bool waits, releases, acquires;
    int when_refused; /* errno of an attempt that could not go on */
    int when_late;
    uint64_t deadline;
};

static uint64_t changes; /* to any object; those who wait try again */

static uintptr_t object_of(int kind, uint64_t number)
{
    return OBJECTS_AT + (uintptr_t)kind * PER_KIND + number % PER_KIND;
}

uintptr_t rdl__queue_object(mqd_t queue)
{
    struct stat status = {0};

    rdl__kernel_fstat((int)queue, &status);
    return object_of(POSIX_QUEUES, status.st_ino);
}

/* ---- Waiting --------------------------------------------------------------------------------- */

static void note_change(void)
{
    int why = errno;

    changes++;
    rdl__changed(OBJECTS_AT);
    errno = why;
}

/* What a thread awaits. */
struct wait {
    uint64_t since;
    const struct call *call;
};

static bool has_changed(void *what)
{
    return changes != ((const struct wait *)what)->since;
}

uint32_t rdl__queue_receivers(uintptr_t queue)
{
    struct rdl__thread *thread;
    uint32_t at = 0, count = 0;

    while ((thread = rdl__next_waiter((void *)OBJECTS_AT, RDL__OP_DOWN, &at))) {
        const struct call *call = ((const struct wait *)thread->what)->call;

        count += call->acquires && call->object == queue;
    }
    return count;
}

/* False: errno says why the wait has ended. */
static bool await_change(struct rdl__thread *self, const struct call *it, uintptr_t pc)
{
    struct wait wait = {changes, it};
    struct rdl__op op = rdl__op_on(RDL__OP_DOWN, RDL__ON_QUEUE, (void *)OBJECTS_AT, pc);

    op.flags = RDL__OP_BREAKS;
    switch (rdl__await_interruptibly(self, &op, has_changed, &wait, it->deadline)) {
    case RDL__READY:
        return true;
    case RDL__TIMED_OUT:
        errno = it->when_late;
        return false;
    default:
        rdl__test_cancel(self);
        errno = EINTR;
        return rdl__interruption(self) != RDL__RAN;
    }
}

static long make(struct rdl__thread *self, const struct call *it, uintptr_t pc)
{
    long result;

    rdl__come_as_row(it->name, it->a, pc);
    if (rdl__has_forked())
        return it->wait(it);
    if (it->releases)
        rdl__hb_release(self, it->object);
    while ((result = it->attempt(it)) < 0 && it->waits && errno == it->when_refused)
        if (!await_change(self, it, pc))
            return -1;
    if (result >= 0) {
        if (it->acquires)
            rdl__hb_acquire(self, it->object);
        note_change();
    }
    return result;
}

/* ---- System V -------------------------------------------------------------------------------- */

static long receive(const struct call *it)
{
    return RDL__NEXT(msgrcv)((int)it->a[0], (void *)it->a[1], it->a[2], (long)it->a[3],
                             (int)it->a[4] | IPC_NOWAIT);
}

static long wait_to_receive(const struct call *it)
{
    return RDL__NEXT(msgrcv)((int)it->a[0], (void *)it->a[1], it->a[2], (long)it->a[3],
                             (int)it->a[4]);
}

static long send_message(const struct call *it)
{
    return RDL__NEXT(msgsnd)((int)it->a[0], (const void *)it->a[1], it->a[2],
                             (int)it->a[3] | IPC_NOWAIT);
}

static long wait_to_send(const struct call *it)
{
    return RDL__NEXT(msgsnd)((int)it->a[0], (const void *)it->a[1], it->a[2], (int)it->a[3]);
}

RDL__INTERPOSE ssize_t msgrcv(int queue, void *out, size_t size, long type, int flags)
{
    struct rdl__thread *self = rdl__self();

    if (!self)
        return RDL__NEXT(msgrcv)(queue, out, size, type, flags);
    return make(self,
                &(struct call){
                    .attempt = receive,
                    .wait = wait_to_receive,
                    .name = "msgrcv",
                    .object = object_of(MESSAGES, (uint64_t)queue),
                    .a = {(uint64_t)queue, (uintptr_t)out, size, (uint64_t)type, (uint64_t)flags},
                    .waits = !(flags & IPC_NOWAIT),
                    .acquires = true,
                    .when_refused = ENOMSG,
                    .deadline = RDL__FOREVER},
                RDL__CALLER);
}

RDL__INTERPOSE int msgsnd(int queue, const void *message, size_t size, int flags)
{
    struct rdl__thread *self = rdl__self();

    if (!self)
        return RDL__NEXT(msgsnd)(queue, message, size, flags);
    return (int)make(
        self,
        &(struct call){.attempt = send_message,
                       .wait = wait_to_send,
                       .name = "msgsnd",
                       .object = object_of(MESSAGES, (uint64_t)queue),
                       .a = {(uint64_t)queue, (uintptr_t)message, size, (uint64_t)flags},
                       .waits = !(flags & IPC_NOWAIT),
                       .releases = true,
                       .when_refused = EAGAIN,
                       .deadline = RDL__FOREVER},
        RDL__CALLER);
}

enum { OPERATIONS_MAX = 64 }; /* more of them at once are left to the kernel */

static long change_semaphores(const struct call *it)
{
    const struct sembuf *operations = (const struct sembuf *)it->a[1];
    struct sembuf at_once[OPERATIONS_MAX];

    for (size_t i = 0; i < it->a[2]; i++) {
        at_once[i] = operations[i];
        at_once[i].sem_flg |= IPC_NOWAIT;
    }
    return RDL__NEXT(semop)((int)it->a[0], at_once, it->a[2]);
}

static long wait_to_change(const struct call *it)
{
    return RDL__NEXT(semtimedop)((int)it->a[0], (struct sembuf *)it->a[1], it->a[2],
                                 (const struct timespec *)it->a[3]);
}

/* Operations on several semaphores are done together; the first that cannot be done, and says so,
 * decides whether they wait. */
static int on_semaphores(struct rdl__thread *self, int set, struct sembuf *operations, size_t count,
                         const struct timespec *timeout, uintptr_t pc)
{
    struct call call = {.attempt = change_semaphores,
                        .wait = wait_to_change,
                        .name = timeout ? "semtimedop" : "semop",
                        .object = object_of(SEMAPHORES, (uint64_t)set),
                        .a = {(uint64_t)set, (uintptr_t)operations, count, (uintptr_t)timeout},
                        .waits = true,
                        .releases = true,
                        .acquires = true,
                        .when_refused = EAGAIN,
                        .when_late = EAGAIN,
                        .deadline = timeout ? rdl__deadline_in(timeout) : RDL__FOREVER};

    if (!operations || count == 0 || count > OPERATIONS_MAX)
        return (int)wait_to_change(&call);
    for (size_t i = 0; i < count; i++)
        call.waits &= !(operations[i].sem_flg & IPC_NOWAIT);
    return (int)make(self, &call, pc);
}

RDL__INTERPOSE int semop(int set, struct sembuf *operations, size_t count)
{
    struct rdl__thread *self = rdl__self();

    return self ? on_semaphores(self, set, operations, count, NULL, RDL__CALLER)
                : RDL__NEXT(semop)(set, operations, count);
}

RDL__INTERPOSE int semtimedop(int set, struct sembuf *operations, size_t count,
                              const struct timespec *timeout)
{
    struct rdl__thread *self = rdl__self();

    return self ? on_semaphores(self, set, operations, count, timeout, RDL__CALLER)
                : RDL__NEXT(semtimedop)(set, operations, count, timeout);
}

/* To set a value, or to remove the object, lets others go on. */
RDL__INTERPOSE int semctl(int set, int number, int command, ...)
{
    va_list arguments;
    void *argument;
    int result;

    va_start(arguments, command);
    argument = va_arg(arguments, void *);
    va_end(arguments);
    if (!rdl__self())
        return RDL__NEXT(semctl)(set, number, command, argument);
    rdl__come_as_row("semctl", (const uint64_t[6]){(uint64_t)set}, RDL__CALLER);
    if (command == SETVAL || command == SETALL)
        rdl__hb_release(rdl__self(), object_of(SEMAPHORES, (uint64_t)set));
    result = RDL__NEXT(semctl)(set, number, command, argument);
    if (command == GETVAL || command == GETALL)
        rdl__hb_acquire(rdl__self(), object_of(SEMAPHORES, (uint64_t)set));
    note_change();
    return result;
}

RDL__INTERPOSE int msgctl(int queue, int command, struct msqid_ds *buffer)
{
    int result;

    if (!rdl__self())
        return RDL__NEXT(msgctl)(queue, command, buffer);
    rdl__come_as_row("msgctl", (const uint64_t[6]){(uint64_t)queue}, RDL__CALLER);
    result = RDL__NEXT(msgctl)(queue, command, buffer);
    note_change();
    return result;
}

/* ---- Queues of POSIX: waiting until a time that has passed is not waiting ------------------- */

static const struct timespec passed = {0, 0};

static bool is_blocking(mqd_t queue)
{
    return !(rdl__kernel_fcntl((int)queue, F_GETFL, 0) & O_NONBLOCK);
}

static long receive_posix(const struct call *it)
{
    return RDL__NEXT(mq_timedreceive)((mqd_t)it->a[0], (char *)it->a[1], it->a[2],
                                      (unsigned *)it->a[3], &passed);
}

static long wait_to_receive_posix(const struct call *it)
{
    const struct timespec *when = (const struct timespec *)it->a[4];

    return when ? RDL__NEXT(mq_timedreceive)((mqd_t)it->a[0], (char *)it->a[1], it->a[2],
                                             (unsigned *)it->a[3], when)
                : RDL__NEXT(mq_receive)((mqd_t)it->a[0], (char *)it->a[1], it->a[2],
                                        (unsigned *)it->a[3]);
}

static long send_posix(const struct call *it)
{
    struct rdl__news news = rdl__news_before((mqd_t)it->a[0], it->object);
    long result = RDL__NEXT(mq_timedsend)((mqd_t)it->a[0], (const char *)it->a[1], it->a[2],
                                          (unsigned)it->a[3], &passed);

    rdl__news_after(&news, result == 0);
    return result;
}

static long wait_to_send_posix(const struct call *it)
{
    const struct timespec *when = (const struct timespec *)it->a[4];

    return when ? RDL__NEXT(mq_timedsend)((mqd_t)it->a[0], (const char *)it->a[1], it->a[2],
                                          (unsigned)it->a[3], when)
                : RDL__NEXT(mq_send)((mqd_t)it->a[0], (const char *)it->a[1], it->a[2],
                                     (unsigned)it->a[3]);
}

static long on_queue(struct rdl__thread *self, struct call *call, const struct timespec *when,
                     uintptr_t pc)
{
    mqd_t queue = (mqd_t)call->a[0];

    if (when && !rdl__is_time(CLOCK_REALTIME, when)) {
        errno = EINVAL;
        return -1;
    }
    call->a[4] = (uintptr_t)when;
    call->object = rdl__queue_object(queue);
    call->waits = is_blocking(queue);
    call->when_refused = call->when_late = ETIMEDOUT;
    call->deadline = when ? rdl__deadline_at(CLOCK_REALTIME, when) : RDL__FOREVER;
    return make(self, call, pc);
}

static ssize_t receive_by(struct rdl__thread *self, const char *name, mqd_t queue, char *out,
                          size_t size, unsigned *out_priority, const struct timespec *when,
                          uintptr_t pc)
{
    struct call call = {.attempt = receive_posix,
                        .wait = wait_to_receive_posix,
                        .name = name,
                        .a = {(uint64_t)queue, (uintptr_t)out, size, (uintptr_t)out_priority},
                        .acquires = true};

    return on_queue(self, &call, when, pc);
}

static int send_by(struct rdl__thread *self, const char *name, mqd_t queue, const char *message,
                   size_t size, unsigned priority, const struct timespec *when, uintptr_t pc)
{
    struct call call = {.attempt = send_posix,
                        .wait = wait_to_send_posix,
                        .name = name,
                        .a = {(uint64_t)queue, (uintptr_t)message, size, priority},
                        .releases = true};

    return (int)on_queue(self, &call, when, pc);
}

RDL__INTERPOSE ssize_t mq_receive(mqd_t queue, char *out, size_t size, unsigned *out_priority)
{
    struct rdl__thread *self = rdl__self();

    return self ? receive_by(self, "mq_receive", queue, out, size, out_priority, NULL, RDL__CALLER)
                : RDL__NEXT(mq_receive)(queue, out, size, out_priority);
}

RDL__INTERPOSE ssize_t mq_timedreceive(mqd_t queue, char *restrict out, size_t size,
                                       unsigned *restrict out_priority,
                                       const struct timespec *restrict when)
{
    struct rdl__thread *self = rdl__self();

    return self ? receive_by(self, "mq_timedreceive", queue, out, size, out_priority, when,
                             RDL__CALLER)
                : RDL__NEXT(mq_timedreceive)(queue, out, size, out_priority, when);
}

RDL__INTERPOSE int mq_send(mqd_t queue, const char *message, size_t size, unsigned priority)
{
    struct rdl__thread *self = rdl__self();

    return self ? send_by(self, "mq_send", queue, message, size, priority, NULL, RDL__CALLER)
                : RDL__NEXT(mq_send)(queue, message, size, priority);
}

RDL__INTERPOSE int mq_timedsend(mqd_t queue, const char *message, size_t size, unsigned priority,
                                const struct timespec *when)
{
    struct rdl__thread *self = rdl__self();

    return self ? send_by(self, "mq_timedsend", queue, message, size, priority, when, RDL__CALLER)
                : RDL__NEXT(mq_timedsend)(queue, message, size, priority, when);
}
