/* kill.c -- signals that a thread sends: to another, to itself, or to the process.
 *
 * Signals to other processes are the kernel's business. */
#include <errno.h>
#include <unistd.h>

#include "control/sched/world.h"

RDL__ASKED_FOR(kill);

RDL__INTERPOSE int pthread_kill(pthread_t thread, int signal)
{
    struct rdl__thread *self = rdl__self(), *to = self ? rdl__thread_of(thread) : NULL;
    siginfo_t info;

    if (!to)
        return RDL__NEXT(pthread_kill)(thread, signal);
    if (signal == 0)
        return 0;
    info = rdl__signal_info(signal, SI_TKILL);
    return rdl__send_signal(self, to, &info, RDL__CALLER);
}

RDL__INTERPOSE int pthread_sigqueue(pthread_t thread, int signal, const union sigval value)
{
    struct rdl__thread *self = rdl__self(), *to = self ? rdl__thread_of(thread) : NULL;
    siginfo_t info;

    if (!to)
        return RDL__NEXT(pthread_sigqueue)(thread, signal, value);
    if (signal == 0)
        return 0;
    info = rdl__signal_info(signal, SI_QUEUE);
    info.si_value = value;
    return rdl__send_signal(self, to, &info, RDL__CALLER);
}

RDL__INTERPOSE int raise(int signal)
{
    struct rdl__thread *self = rdl__self();
    siginfo_t info;

    if (!self)
        return RDL__NEXT(raise)(signal);
    if (signal == 0)
        return 0;
    info = rdl__signal_info(signal, SI_TKILL);
    return (int)rdl__in_errno(-rdl__send_signal(self, self, &info, RDL__CALLER));
}

RDL__INTERPOSE int kill(pid_t pid, int signal)
{
    struct rdl__thread *self = rdl__self();
    siginfo_t info;

    if (!self || pid != getpid() || signal == 0)
        return RDL__NEXT(kill)(pid, signal);
    info = rdl__signal_info(signal, SI_USER);
    return (int)rdl__in_errno(-rdl__send_signal(self, NULL, &info, RDL__CALLER));
}

RDL__INTERPOSE int sigqueue(pid_t pid, int signal, const union sigval value)
{
    struct rdl__thread *self = rdl__self();
    siginfo_t info;

    if (!self || pid != getpid() || signal == 0)
        return RDL__NEXT(sigqueue)(pid, signal, value);
    info = rdl__signal_info(signal, SI_QUEUE);
    info.si_value = value;
    return (int)rdl__in_errno(-rdl__send_signal(self, NULL, &info, RDL__CALLER));
}
