/* proc.c -- what the kernel tells of this process, without the C library in between. */
#include "port/proc.h"

#include <dirent.h>
#include <stdlib.h>

#include "port/kernel.h"

static long open_to_read(const char *path)
{
    return rdl__kernel(SYS_openat, AT_FDCWD, (long)path, O_RDONLY | O_CLOEXEC, 0, 0, 0);
}

bool rdl__proc_read(const char *path, struct rdl__text *out)
{
    long fd = open_to_read(path), got;
    char part[4096];

    if (fd < 0)
        return false;
    while ((got = rdl__kernel(SYS_read, fd, (long)part, sizeof part, 0, 0, 0)) > 0)
        rdl__text_add_bytes(out, part, (size_t)got);
    rdl__kernel_close((int)fd);
    return got == 0;
}

void rdl__proc_each_thread(bool (*call)(int thread, void *it), void *it)
{
    long fd = open_to_read("/proc/self/task"), got;
    _Alignas(struct dirent64) char part[4096];
    bool go_on = fd >= 0;

    while (go_on && (got = rdl__kernel(SYS_getdents64, fd, (long)part, sizeof part, 0, 0, 0)) > 0)
        for (long at = 0; go_on && at < got;) {
            const struct dirent64 *entry = (const struct dirent64 *)(part + at);

            if (entry->d_name[0] != '.')
                go_on = call(atoi(entry->d_name), it);
            at += entry->d_reclen;
        }
    if (fd >= 0)
        rdl__kernel_close((int)fd);
}
