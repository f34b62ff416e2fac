/* memory_limits.c -- limits that a program sets to its memory, and that leave Raddle's alone.
 *
 * The kernel limits the memory of a whole process, and much of that is Raddle's.  So it is given a
 * limit that is larger by all that is mapped when the program sets one, and the program is shown
 * the limit that it has set.  Memory is not locked, for the same reason: Raddle reserves more than
 * there is. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "control/sched/next.h"
#include "control/sched/sched.h"
#include "control/sched/state.h"
#include "port/kernel.h"

RDL__ASKED_FOR(memory_limits);

static struct shown {
    bool is_set;
    struct rlimit limit;
} shown[RLIM_NLIMITS];

/* NULL: the kernel's limit is the program's. */
static struct shown *shown_of(int resource)
{
    return rdl__self() && (resource == RLIMIT_AS || resource == RLIMIT_DATA) ? &shown[resource]
                                                                             : NULL;
}

/* Bytes that are mapped now. */
static rlim_t mapped(void)
{
    char text[128] = "";
    long fd =
        rdl__kernel(SYS_openat, AT_FDCWD, (long)"/proc/self/statm", O_RDONLY | O_CLOEXEC, 0, 0, 0);

    if (fd < 0)
        return 0;
    rdl__kernel(SYS_read, fd, (long)text, sizeof text - 1, 0, 0, 0);
    rdl__kernel(SYS_close, fd, 0, 0, 0, 0, 0);
    return strtoul(text, NULL, 10) * (rlim_t)sysconf(_SC_PAGESIZE);
}

static rlim_t larger(rlim_t limit, rlim_t by)
{
    return limit >= RLIM_INFINITY - by ? RLIM_INFINITY : limit + by;
}

static int set(int resource, const struct rlimit *limit)
{
    struct shown *it = shown_of(resource);
    rlim_t by = it ? mapped() : 0;
    struct rlimit whole;
    long result;

    if (!it)
        return (int)rdl__in_errno(rdl__kernel(SYS_prlimit64, 0, resource, (long)limit, 0, 0, 0));
    if (limit->rlim_cur > limit->rlim_max) {
        errno = EINVAL;
        return -1;
    }
    whole = (struct rlimit){larger(limit->rlim_cur, by), larger(limit->rlim_max, by)};
    result = rdl__kernel(SYS_prlimit64, 0, resource, (long)&whole, 0, 0, 0);
    if (result == 0)
        *it = (struct shown){true, *limit};
    return (int)rdl__in_errno(result);
}

static int get(int resource, struct rlimit *out)
{
    const struct shown *it = shown_of(resource);

    if (it && it->is_set) {
        *out = it->limit;
        return 0;
    }
    return (int)rdl__in_errno(rdl__kernel(SYS_prlimit64, 0, resource, 0, (long)out, 0, 0));
}

RDL__INTERPOSE int setrlimit(__rlimit_resource_t resource, const struct rlimit *limit)
{
    rdl__come_as_row("setrlimit", (const uint64_t[6]){resource, (uintptr_t)limit}, RDL__CALLER);
    return set((int)resource, limit);
}

RDL__INTERPOSE int setrlimit64(__rlimit_resource_t resource, const struct rlimit64 *limit)
{
    rdl__come_as_row("setrlimit64", (const uint64_t[6]){resource, (uintptr_t)limit}, RDL__CALLER);
    return set((int)resource, (const struct rlimit *)limit);
}

RDL__INTERPOSE int getrlimit(__rlimit_resource_t resource, struct rlimit *out)
{
    rdl__come_as_row("getrlimit", (const uint64_t[6]){resource, (uintptr_t)out}, RDL__CALLER);
    return get((int)resource, out);
}

RDL__INTERPOSE int getrlimit64(__rlimit_resource_t resource, struct rlimit64 *out)
{
    rdl__come_as_row("getrlimit64", (const uint64_t[6]){resource, (uintptr_t)out}, RDL__CALLER);
    return get((int)resource, (struct rlimit *)out);
}

RDL__INTERPOSE int mlockall(int flags)
{
    if (!rdl__self())
        return RDL__NEXT(mlockall)(flags);
    return 0;
}

RDL__INTERPOSE int munlockall(void)
{
    if (!rdl__self())
        return RDL__NEXT(munlockall)();
    return 0;
}
