/* code.c -- to change the code of the running process, while threads execute it. */
#include "port/code.h"

#include <linux/membarrier.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>

#include "base/text.h"
#include "port/kernel.h"
#include "port/proc.h"

enum { PAGE = 4096 };

bool rdl__code_without_proc, rdl__code_only_far;
static int memory = -1; /* /proc/self/mem */

/* ---- Reading and writing ------------------------------------------------------------------ */

/* Anew each time: after a fork it would still be the parent's.  If there is no such file, or
 * too many are open, code is made writable instead. */
void rdl__code_open(void)
{
    memory = rdl__code_without_proc ? -1
                                    : (int)rdl__kernel(SYS_openat, AT_FDCWD, (long)"/proc/self/mem",
                                                       O_RDWR | O_CLOEXEC, 0, 0, 0);
}

void rdl__code_close(void)
{
    if (memory >= 0)
        rdl__kernel_close(memory);
    memory = -1;
}

/* By a call that returns if there is nothing to read. */
size_t rdl__code_read(uintptr_t at, void *out, size_t count)
{
    struct iovec from = {(void *)at, count}, to = {out, count};
    long got = rdl__kernel(SYS_process_vm_readv, rdl__kernel(SYS_getpid, 0, 0, 0, 0, 0, 0),
                           (long)&to, 1, (long)&from, 1, 0);

    return got > 0 ? (size_t)got : 0;
}

/* Byte by byte and in order, as one who executes it sees it. */
static void store(uintptr_t at, const uint8_t *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        ((volatile uint8_t *)at)[i] = bytes[i];
}

static bool write_without_proc(uintptr_t at, const void *bytes, size_t count)
{
    uintptr_t start = at & ~(uintptr_t)(PAGE - 1);
    size_t size = at + count - start;

    if (rdl__kernel(SYS_mprotect, (long)start, (long)size, PROT_READ | PROT_WRITE | PROT_EXEC, 0, 0,
                    0) < 0)
        return false;
    store(at, bytes, count);
    rdl__kernel(SYS_mprotect, (long)start, (long)size, PROT_READ | PROT_EXEC, 0, 0, 0);
    return true;
}

bool rdl__code_write(uintptr_t at, const void *bytes, size_t count)
{
    if (!rdl__code_without_proc &&
        rdl__kernel(SYS_pwrite64, memory, (long)bytes, (long)count, (long)at, 0, 0) == (long)count)
        return true;
    return write_without_proc(at, bytes, count);
}

/* ---- Other CPUs --------------------------------------------------------------------------- */

static long membarrier(int command)
{
    return rdl__kernel(SYS_membarrier, command, 0, 0, 0, 0, 0);
}

bool rdl__code_sync(struct rdl__error *error)
{
    long result = membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED_SYNC_CORE);

    if (result == -EPERM) { /* this process has not said yet that it will */
        membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED_SYNC_CORE);
        result = membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED_SYNC_CORE);
    }
    if (result < 0)
        return rdl__fail(error, "cannot tell other CPUs of changed code (membarrier): %s",
                         strerror((int)-result));
    return true;
}

/* ---- What is where ------------------------------------------------------------------------ */

struct range {
    uintptr_t start, end;
    bool is_executable;
};

static uintptr_t read_hex(const char **at)
{
    uintptr_t value = 0;

    for (; **at && !strchr("- ", **at); (*at)++)
        value = value << 4 | (uintptr_t)(**at <= '9' ? **at - '0' : **at - 'a' + 10);
    return value;
}

/* 7f1200000000-7f1200001000 r-xp ... */
static bool next_range(const char **line, struct range *out)
{
    if (!*line || !**line)
        return false;
    out->start = read_hex(line);
    *line += **line == '-';
    out->end = read_hex(line);
    out->is_executable = strncmp(*line, " r-x", 4) == 0 || strncmp(*line, " rwx", 4) == 0;
    *line = strchr(*line, '\n');
    *line += *line != NULL;
    return true;
}

bool rdl__code_find(uintptr_t at, uintptr_t *out_start, uintptr_t *out_end)
{
    struct rdl__text maps = {0};
    struct range range;
    const char *line;
    bool found = false;

    rdl__proc_read("/proc/self/maps", &maps);
    line = maps.bytes;
    while (!found && next_range(&line, &range))
        found = range.start <= at && at < range.end && range.is_executable;
    rdl__text_release(&maps);
    if (found) {
        *out_start = range.start;
        *out_end = range.end;
    }
    return found;
}

/* ---- Room near to code -------------------------------------------------------------------- */

/* Away from where libraries, the heap and what the program maps are going to be. */
enum { AWAY = 512 << 20, LOWEST = 1 << 20 };
#define FAR_AWAY ((uintptr_t)1 << 40) /* from all that Linux places by itself */

static uintptr_t distance(uintptr_t a, uintptr_t b)
{
    return a > b ? a - b : b - a;
}

/* The place in this gap that is nearest to the one we wish for. */
static uintptr_t clamp(uintptr_t wish, uintptr_t start, uintptr_t last)
{
    return wish < start ? start : wish > last ? last : wish;
}

static uintptr_t find_room(uintptr_t near, size_t size)
{
    uintptr_t wish = near > AWAY ? (near - AWAY) & ~(uintptr_t)(PAGE - 1) : LOWEST;
    uintptr_t best = 0, gap = LOWEST;
    struct rdl__text maps = {0};
    struct range range;
    const char *line;

    rdl__proc_read("/proc/self/maps", &maps);
    line = maps.bytes;
    while (next_range(&line, &range)) {
        if (range.start > gap && range.start - gap >= size) {
            uintptr_t here = clamp(wish, gap, range.start - size);

            if (!best || distance(here, wish) < distance(best, wish))
                best = here;
        }
        gap = range.end > gap ? range.end : gap;
    }
    rdl__text_release(&maps);
    return best && distance(best, near) < (uintptr_t)INT32_MAX - 2 * AWAY / 8 - size ? best : 0;
}

static uintptr_t map_at(uintptr_t at, size_t size)
{
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | (at ? MAP_FIXED_NOREPLACE : 0);
    long got = rdl__kernel(SYS_mmap, (long)at, (long)size, PROT_READ | PROT_EXEC, flags, -1, 0);

    return got > 0 || got < -PAGE ? (uintptr_t)got : 0;
}

uintptr_t rdl__code_get_memory(uintptr_t near, size_t size)
{
    static uintptr_t far = FAR_AWAY;
    uintptr_t room = rdl__code_only_far ? (far += size) : find_room(near, size);
    uintptr_t got = room ? map_at(room, size) : 0;

    return got ? got : map_at(0, size);
}
