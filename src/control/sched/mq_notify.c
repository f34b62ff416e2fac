/* mq_notify.c -- a thread is started when a message comes to an empty queue.
 *
 * The kernel keeps who asked for that, and writes a cookie to a socket when it is to
 * happen: that is how the C library does it, and how we do.  A service reads the
 * socket, so another process may send the message, too.
 *
 * A thread that receives waits in our way (ipc.c), and the kernel does not know of it:
 * it takes such a queue for an empty one that nobody waits for.  So while a message is
 * sent that is for a waiting thread, the registration is withheld; and if all that
 * lie there are for waiting threads, the next message is the first.
 *
 * Signals are left to the kernel. */
#include "control/sched/mq_notify.h"

#include <errno.h>
#include <linux/netlink.h>
#include <string.h>
#include <sys/socket.h>

#include "control/sched/notice.h"
#include "control/sched/state.h"
#include "control/sched/world.h"

RDL__ASKED_FOR(mq_notify);

enum { REGISTRATIONS_MAX = 32 };
enum { COOKIE = 32, HOW = COOKIE - 1, WOKEN_UP = 1 }; /* as in linux/mqueue.h */
#define NEWS_AT ((uintptr_t)0xffff800000190000) /* addresses that nothing of a program's has */

/* What the kernel keeps for us, and writes to the socket. */
struct cookie {
    uint32_t at, number;
};

static struct rdl__registration {
    bool used;
    bool overdue; /* we have taken it back from the kernel, and its time has come */
    uint32_t number;
    mqd_t queue;
    uintptr_t object;
    struct rdl__notice notice;
} registrations[REGISTRATIONS_MAX];

static uint32_t registered; /* so far */
static int news = -1;       /* the socket */

void rdl__news_forget(void)
{
    if (news >= 0)
        rdl__kernel_close(news);
    news = -1;
    registered = 0;
    memset(registrations, 0, sizeof registrations);
}

/* ---- The service ----------------------------------------------------------------------------- */

static void take_notice(struct rdl__thread *self, const char *bytes)
{
    struct cookie cookie;
    struct rdl__registration *it;

    memcpy(&cookie, bytes, sizeof cookie);
    it = &registrations[cookie.at % REGISTRATIONS_MAX];
    if (!it->used || it->number != cookie.number)
        return;
    it->used = false;
    if (bytes[HOW] == WOKEN_UP || it->overdue)
        rdl__notice_give(self, &it->notice);
}

static void *serve(void *unused)
{
    struct rdl__thread *self = rdl__service_begin();
    char cookie[COOKIE];
    ssize_t size;

    while ((size = rdl__read(self, news, cookie, sizeof cookie, self->created_at)) >= 0)
        if (size == sizeof cookie)
            take_notice(self, cookie);
    return unused;
}

/* An error number. */
static int begin_service(struct rdl__thread *self, uintptr_t pc)
{
    long fd;

    if (news >= 0)
        return 0;
    rdl__come_to_numbers(pc);
    fd = rdl__kernel(SYS_socket, AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, 0, 0, 0, 0);
    if (fd < 0)
        return (int)-fd;
    news = (int)fd;
    rdl__file_born(news);
    return rdl__service_new(self, "queue service", serve, pc) ? 0 : EAGAIN;
}

/* ---- Registering ----------------------------------------------------------------------------- */

/* An error number. */
static int tell_kernel(const struct rdl__registration *it)
{
    struct cookie number = {(uint32_t)(it - registrations), it->number};
    char cookie[COOKIE] = {0};
    struct sigevent event = {.sigev_notify = SIGEV_THREAD, .sigev_signo = news};

    memcpy(cookie, &number, sizeof number);
    event.sigev_value.sival_ptr = cookie;
    return (int)-rdl__kernel(SYS_mq_notify, it->queue, (long)&event, 0, 0, 0, 0);
}

static struct rdl__registration *unused_registration(void)
{
    for (uint32_t i = 0; i < REGISTRATIONS_MAX; i++)
        if (!registrations[i].used)
            return &registrations[i];
    return NULL;
}

static int ask(struct rdl__thread *self, mqd_t queue, const struct sigevent *event, uintptr_t pc)
{
    struct rdl__registration *it;
    int why = begin_service(self, pc);

    it = why ? NULL : unused_registration();
    if (!it)
        return why ? why : ENOMEM;
    *it = (struct rdl__registration){.used = true,
                                     .number = ++registered,
                                     .queue = queue,
                                     .object = rdl__queue_object(queue),
                                     .notice = rdl__notice_of(event, "notification", pc)};
    it->notice.source = NEWS_AT + (uintptr_t)(it - registrations);
    it->notice.also = it->object;
    why = tell_kernel(it);
    it->used = why == 0;
    if (it->used)
        rdl__hb_release(self, it->notice.source);
    return why;
}

RDL__INTERPOSE int mq_notify(mqd_t queue, const struct sigevent *event)
{
    struct rdl__thread *self = rdl__self();

    rdl__come_as_row("mq_notify", (const uint64_t[6]){(uint64_t)queue, (uintptr_t)event},
                     RDL__CALLER);
    if (!self || !event || event->sigev_notify != SIGEV_THREAD)
        return RDL__NEXT(mq_notify)(queue, event);
    return (int)rdl__in_errno(-ask(self, queue, event, RDL__CALLER));
}

/* ---- Messages -------------------------------------------------------------------------------- */

static struct rdl__registration *registration_of(uintptr_t object)
{
    for (uint32_t i = 0; news >= 0 && i < REGISTRATIONS_MAX; i++)
        if (registrations[i].used && !registrations[i].overdue && registrations[i].object == object)
            return &registrations[i];
    return NULL;
}

/* Is something in the socket?  This registration may be none any more. */
static bool has_news(void)
{
    return rdl__file_is_ready(news, POLLIN);
}

struct rdl__news rdl__news_before(mqd_t queue, uintptr_t object)
{
    struct rdl__registration *it = registration_of(object);
    uint32_t receivers = it ? rdl__queue_receivers(object) : 0;
    struct rdl__news result = {.queue = queue};
    struct mq_attr state;

    if (receivers == 0 || has_news() || RDL__NEXT(mq_getattr)(queue, &state) != 0)
        return result;
    result.overdue = state.mq_curmsgs == receivers;
    if (state.mq_curmsgs > receivers)
        return result;
    result.withheld = it;
    rdl__kernel(SYS_mq_notify, queue, 0, 0, 0, 0, 0);
    return result;
}

/* The kernel has said that it is removed. */
static void register_again(struct rdl__registration *it)
{
    char cookie[COOKIE];

    rdl__kernel(SYS_recvfrom, news, (long)cookie, sizeof cookie, MSG_DONTWAIT, 0, 0);
    it->used = tell_kernel(it) == 0;
}

void rdl__news_after(const struct rdl__news *it, bool sent)
{
    int why = errno;

    if (it->withheld && it->overdue && sent)
        it->withheld->overdue = true;
    else if (it->withheld)
        register_again(it->withheld);
    if (news >= 0)
        rdl__files_ask(rdl__any_file().object);
    errno = why;
}
