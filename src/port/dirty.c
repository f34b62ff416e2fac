/* dirty.c -- which pages of a stretch of memory have been written to. */
#include "port/dirty.h"

#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "port/kernel.h"

/* Newer than some headers that this has to compile with. */
#ifndef UFFD_USER_MODE_ONLY
#define UFFD_USER_MODE_ONLY 1
#endif
#define WP_ASYNC            (1 << 15) /* UFFD_FEATURE_WP_ASYNC */
#define WP_UNPOPULATED      (1 << 13) /* UFFD_FEATURE_WP_UNPOPULATED */
#define CHECK_WPASYNC       (1 << 1)  /* PM_SCAN_CHECK_WPASYNC */
#define IS_WRITTEN          (1 << 1)  /* PAGE_IS_WRITTEN */
#define PAGEMAP_SCAN_NUMBER _IOWR('f', 16, struct scan)

enum { RUNS_MAX = 128 };

struct run {
    uint64_t start, end, categories;
};

struct scan { /* struct pm_scan_arg */
    uint64_t size, flags, start, end, walk_end;
    uint64_t vec, vec_len, max_pages;
    uint64_t category_inverted, category_mask, category_anyof_mask, return_mask;
};

bool rdl__dirty_by_others;
static int faults = -1, pagemap = -1;
static int owner; /* the process that these two are about */

/* After a fork they would still be about the parent. */
static bool open_both(void)
{
    struct uffdio_api api = {.api = UFFD_API, .features = WP_ASYNC | WP_UNPOPULATED};

    if (owner == getpid())
        return faults >= 0 && pagemap >= 0;
    owner = getpid();
    if (faults >= 0)
        close(faults);
    if (pagemap >= 0)
        close(pagemap);
    faults = rdl__kernel_out_of_the_way(
        (int)syscall(SYS_userfaultfd, O_CLOEXEC | UFFD_USER_MODE_ONLY));
    pagemap = rdl__kernel_out_of_the_way(open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC));
    return faults >= 0 && pagemap >= 0 && ioctl(faults, UFFDIO_API, &api) == 0;
}

static bool protect(char *start, size_t size)
{
    struct uffdio_writeprotect how = {.range = {(uintptr_t)start, size},
                                      .mode = UFFDIO_WRITEPROTECT_MODE_WP};

    return ioctl(faults, UFFDIO_WRITEPROTECT, &how) == 0;
}

bool rdl__dirty_each(char *start, size_t size, void (*each)(void *context, char *from, char *to),
                     void *context)
{
    struct run runs[RUNS_MAX];
    uint64_t at = (uintptr_t)start, end = at + size;

    while (at < end) {
        struct scan scan = {
            .size = sizeof scan,
            .flags = CHECK_WPASYNC, /* the program may have closed what is ours */
            .start = at,
            .end = end,
            .vec = (uintptr_t)runs,
            .vec_len = RUNS_MAX,
            .category_mask = IS_WRITTEN,
            .return_mask = IS_WRITTEN,
        };
        long count = rdl__kernel(SYS_ioctl, pagemap, PAGEMAP_SCAN_NUMBER, (long)&scan, 0, 0, 0);

        if (count < 0 || scan.walk_end <= at)
            return false;
        for (long i = 0; i < count; i++)
            each(context, (char *)runs[i].start, (char *)runs[i].end);
        at = scan.walk_end;
    }
    return true;
}

bool rdl__dirty_has_grown(void)
{
    static long seen;
    struct rusage usage = {0};
    long count;

    if (rdl__kernel(SYS_getrusage, rdl__dirty_by_others ? RUSAGE_SELF : RUSAGE_THREAD, (long)&usage,
                    0, 0, 0, 0) != 0)
        return true;
    count = usage.ru_minflt + usage.ru_majflt;
    if (count == seen)
        return false;
    seen = count;
    return true;
}

static void do_nothing(void *context, char *from, char *to)
{
    (void)context, (void)from, (void)to;
}

/* The kernel may know the one call, and not the other. */
bool rdl__dirty_watch(char *start, size_t size)
{
    struct uffdio_register how = {.range = {(uintptr_t)start, size},
                                  .mode = UFFDIO_REGISTER_MODE_WP};

    return open_both() && ioctl(faults, UFFDIO_REGISTER, &how) == 0 && protect(start, size) &&
           rdl__dirty_each(start, size, do_nothing, NULL);
}

void rdl__dirty_forget(char *start, size_t size)
{
    protect(start, size);
}
