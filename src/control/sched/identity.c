/* identity.c -- the user and the groups that a process acts for.
 *
 * The kernel knows them for each of its threads.  The C library changes them for one, signals all
 * others to do the same, and waits for them.  All controlled threads run on one thread of the
 * kernel's, which would wait for itself: so one call to the kernel changes them all. */
#include <grp.h>
#include <unistd.h>

#include "control/sched/inner.h"
#include "control/sched/next.h"
#include "control/sched/state.h"
#include "port/kernel.h"

RDL__ASKED_FOR(identity);

enum { AS_IT_IS = -1 };

static int change(const char *name, long number, long a, long b, long c, uintptr_t pc)
{
    rdl__come_as_row(name, (const uint64_t[6]){(uint64_t)a, (uint64_t)b, (uint64_t)c}, pc);
    return (int)rdl__in_errno(rdl__kernel(number, a, b, c, 0, 0, 0));
}

RDL__INTERPOSE int setuid(uid_t user)
{
    if (!rdl__self())
        return RDL__NEXT(setuid)(user);
    return change("setuid", SYS_setuid, user, 0, 0, RDL__CALLER);
}

RDL__INTERPOSE int setgid(gid_t group)
{
    if (!rdl__self())
        return RDL__NEXT(setgid)(group);
    return change("setgid", SYS_setgid, group, 0, 0, RDL__CALLER);
}

/* The C library refuses the number that would leave things as they are. */
RDL__INTERPOSE int seteuid(uid_t user)
{
    if (!rdl__self() || user == (uid_t)AS_IT_IS)
        return RDL__NEXT(seteuid)(user);
    return change("seteuid", SYS_setresuid, AS_IT_IS, user, AS_IT_IS, RDL__CALLER);
}

RDL__INTERPOSE int setegid(gid_t group)
{
    if (!rdl__self() || group == (gid_t)AS_IT_IS)
        return RDL__NEXT(setegid)(group);
    return change("setegid", SYS_setresgid, AS_IT_IS, group, AS_IT_IS, RDL__CALLER);
}

RDL__INTERPOSE int setreuid(uid_t real, uid_t effective)
{
    if (!rdl__self())
        return RDL__NEXT(setreuid)(real, effective);
    return change("setreuid", SYS_setreuid, real, effective, 0, RDL__CALLER);
}

RDL__INTERPOSE int setregid(gid_t real, gid_t effective)
{
    if (!rdl__self())
        return RDL__NEXT(setregid)(real, effective);
    return change("setregid", SYS_setregid, real, effective, 0, RDL__CALLER);
}

RDL__INTERPOSE int setresuid(uid_t real, uid_t effective, uid_t saved)
{
    if (!rdl__self())
        return RDL__NEXT(setresuid)(real, effective, saved);
    return change("setresuid", SYS_setresuid, real, effective, saved, RDL__CALLER);
}

RDL__INTERPOSE int setresgid(gid_t real, gid_t effective, gid_t saved)
{
    if (!rdl__self())
        return RDL__NEXT(setresgid)(real, effective, saved);
    return change("setresgid", SYS_setresgid, real, effective, saved, RDL__CALLER);
}

RDL__INTERPOSE int setgroups(size_t count, const gid_t *groups)
{
    if (!rdl__self())
        return RDL__NEXT(setgroups)(count, groups);
    return change("setgroups", SYS_setgroups, (long)count, (long)groups, 0, RDL__CALLER);
}
