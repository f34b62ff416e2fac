/* handles.c -- descriptors and streams that were open before the first execution: are they as they
 * were?
 *
 * What the kernel has of a descriptor stands in /proc/self/fdinfo: position, flags, the count of an
 * eventfd, what an epoll watches.  How much waits to be read, it says when asked.  Of descriptors
 * that the process was started with, others may write and read, too: only their flags are compared,
 * and where they read a plain file.  Flags that an execution sets are put back. */
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "control/sched/left.h"
#include "control/sched/sched.h"
#include "port/kernel.h"

enum {
    ASKED_AT_ONCE = 100,
    STREAMS_MAX = 64,
    INFO_ROOM = 1024,
};

struct descriptor {
    bool is_open;
    dev_t device;
    ino_t inode;
    uint64_t state; /* a hash */
};

struct stream {
    const FILE *file;
    uint64_t state;
};

struct flags {
    bool is_noted;
    int status, own; /* of the open file, and of the number */
};

static struct descriptor descriptors[RDL__FD_FLOOR];
static struct flags old_flags[RDL__FD_FLOOR];
static bool has_flags; /* some are noted */
static bool is_inherited[RDL__FD_FLOOR];
static bool was_told; /* a socket that was open before */
static struct stream streams[STREAMS_MAX];
static uint32_t stream_count;
static bool was_wide[2]; /* stdout, stderr */

/* ---- Descriptors ----------------------------------------------------------------------------- */

/* The kernel says of each number whether it is a descriptor. */
static void ask_for_descriptors(struct pollfd out[RDL__FD_FLOOR])
{
    for (int fd = 0; fd < RDL__FD_FLOOR; fd++)
        out[fd] = (struct pollfd){.fd = fd};
    for (int fd = 0; fd < RDL__FD_FLOOR; fd += ASKED_AT_ONCE) /* more may be beyond the limit */
        if (rdl__kernel(SYS_poll, (long)&out[fd], ASKED_AT_ONCE, 0, 0, 0, 0) < 0)
            return;
}

/* Before those of the program. */
__attribute__((constructor(102))) static void note_inherited(void)
{
    struct pollfd now[RDL__FD_FLOOR];

    ask_for_descriptors(now);
    for (int fd = 0; fd < RDL__FD_FLOOR; fd++)
        is_inherited[fd] = !(now[fd].revents & POLLNVAL);
}

/* ---- Of a program: before main --------------------------------------------------------------- */

static bool is_old[RDL__FD_FLOOR]; /* open in the process that executions are copies of */

void rdl__handles_copied(void)
{
    static bool is_known;
    struct pollfd now[RDL__FD_FLOOR];

    if (is_known)
        return;
    is_known = true;
    ask_for_descriptors(now);
    for (int fd = STDERR_FILENO + 1; fd < RDL__FD_FLOOR; fd++)
        is_old[fd] = !(now[fd].revents & POLLNVAL);
}

void rdl__handles_closed(int fd)
{
    if (fd >= 0 && fd < RDL__FD_FLOOR)
        is_old[fd] = false;
}

void rdl__handles_used(int fd)
{
    if (fd >= 0 && fd < RDL__FD_FLOOR && is_old[fd])
        rdl__limit(RDL__LIMIT_UNLIKE, "they use a descriptor that was open before main", "");
}

/* ---- Of tests: before the first execution ---------------------------------------------------- */

static uint64_t state_of(int fd)
{
    char path[48], text[INFO_ROOM + 1] = "";
    int waiting = 0;
    long info, got;

    snprintf(path, sizeof path, "/proc/self/fdinfo/%d", fd);
    info = rdl__kernel(SYS_openat, AT_FDCWD, (long)path, O_RDONLY | O_CLOEXEC, 0, 0, 0);
    got = info < 0 ? 0 : rdl__kernel(SYS_read, info, (long)text, INFO_ROOM, 0, 0, 0);
    text[got > 0 ? got : 0] = '\0';
    if (info >= 0)
        rdl__kernel(SYS_close, info, 0, 0, 0, 0, 0);
    rdl__kernel(SYS_ioctl, fd, FIONREAD, (long)&waiting, 0, 0, 0);
    return rdl__combine(rdl__hash_text(text), (uint64_t)waiting);
}

static struct flags flags_of(int fd)
{
    return (struct flags){.is_noted = true,
                          .status = (int)rdl__kernel(SYS_fcntl, fd, F_GETFL, 0, 0, 0, 0),
                          .own = (int)rdl__kernel(SYS_fcntl, fd, F_GETFD, 0, 0, 0, 0)};
}

static uint64_t state_of_inherited(int fd, const struct stat *status)
{
    struct flags flags = flags_of(fd);
    uint64_t state = (uint64_t)(unsigned)flags.status << 32 | (unsigned)flags.own;

    if (S_ISREG(status->st_mode) && (flags.status & O_ACCMODE) == O_RDONLY)
        state = rdl__combine(state, (uint64_t)rdl__kernel(SYS_lseek, fd, 0, SEEK_CUR, 0, 0, 0));
    return state;
}

static struct descriptor look_at(const struct pollfd *it)
{
    struct descriptor found = {.is_open = !(it->revents & POLLNVAL)};
    struct stat status;

    if (!found.is_open || rdl__kernel(SYS_fstat, it->fd, (long)&status, 0, 0, 0, 0) != 0)
        return found;
    found.device = status.st_dev;
    found.inode = status.st_ino;
    found.state = is_inherited[it->fd] ? state_of_inherited(it->fd, &status) : state_of(it->fd);
    if (S_ISREG(status.st_mode) && !is_inherited[it->fd]) {
        /* the time of its last change: of contents, mode or names */
        found.state = rdl__combine(found.state, (uint64_t)status.st_ctim.tv_sec);
        found.state = rdl__combine(found.state, (uint64_t)status.st_ctim.tv_nsec);
    }
    return found;
}

static void save_descriptors(void)
{
    struct pollfd now[RDL__FD_FLOOR];

    was_told = false;
    ask_for_descriptors(now);
    for (int fd = 0; fd < RDL__FD_FLOOR; fd++)
        descriptors[fd] = look_at(&now[fd]);
}

bool rdl__handles_was_open(int fd)
{
    return fd >= 0 && fd < RDL__FD_FLOOR && (is_old[fd] || descriptors[fd].is_open);
}

/* Of a socket, nothing says all that it was told. */
void rdl__handles_told(int fd)
{
    if (fd >= 0 && fd < RDL__FD_FLOOR && descriptors[fd].is_open && !is_inherited[fd])
        was_told = true;
}

void rdl__handles_flagged(int fd)
{
    if (fd < 0 || fd >= RDL__FD_FLOOR || !descriptors[fd].is_open || old_flags[fd].is_noted)
        return;
    old_flags[fd] = flags_of(fd);
    has_flags = true;
}

static void restore_flags(void)
{
    for (int fd = 0; has_flags && fd < RDL__FD_FLOOR; fd++)
        if (old_flags[fd].is_noted) {
            rdl__kernel(SYS_fcntl, fd, F_SETFL, old_flags[fd].status, 0, 0, 0);
            rdl__kernel(SYS_fcntl, fd, F_SETFD, old_flags[fd].own, 0, 0, 0);
            old_flags[fd].is_noted = false;
        }
    has_flags = false;
}

/* Where an inherited descriptor writes next depends on what others have written, too. */
void rdl__handles_moved(int fd)
{
    if (fd >= 0 && fd < RDL__FD_FLOOR && descriptors[fd].is_open && is_inherited[fd])
        was_told = true;
}

static const char *compare_descriptors(void)
{
    struct pollfd now[RDL__FD_FLOOR];

    ask_for_descriptors(now);
    for (int fd = 0; fd < RDL__FD_FLOOR; fd++) {
        const struct descriptor *old = &descriptors[fd];
        struct descriptor new = look_at(&now[fd]);

        if (new.is_open && !old->is_open)
            return "an execution left a descriptor open";
        if (old->is_open && !new.is_open)
            return "an execution closed a descriptor that was open before it";
        if (new.device != old->device || new.inode != old->inode)
            return "an execution left a descriptor that stands for another file";
        if (new.state != old->state || was_told)
            return "an execution used a descriptor that was open before it";
    }
    return NULL;
}

/* ---- Streams --------------------------------------------------------------------------------- */

/* All streams of the process, linked to each other. */
extern FILE *_IO_list_all;

static uint64_t state_of_stream(const FILE *file)
{
    uint64_t state = (uint64_t)(file->_IO_read_ptr - file->_IO_read_base);

    state = rdl__combine(state, (uint64_t)(file->_IO_read_end - file->_IO_read_base));
    state = rdl__combine(state, (uint64_t)(file->_IO_write_ptr - file->_IO_write_base));
    state = rdl__combine(state, (uint64_t)file->_IO_buf_base);
    return rdl__combine(state, (uint64_t)(unsigned)file->_flags << 32 | (unsigned)file->_mode);
}

static bool is_wide(const FILE *file)
{
    return file->_mode > 0;
}

static void save_streams(void)
{
    was_wide[0] = is_wide(stdout);
    was_wide[1] = is_wide(stderr);
    stream_count = 0;
    for (const FILE *file = _IO_list_all; file && stream_count < STREAMS_MAX; file = file->_chain)
        if (file != stdout && file != stderr)
            streams[stream_count++] = (struct stream){file, state_of_stream(file)};
}

static bool is_still_open(const FILE *wanted)
{
    for (const FILE *file = _IO_list_all; file; file = file->_chain)
        if (file == wanted)
            return true;
    return false;
}

static const char *compare_streams(void)
{
    for (uint32_t i = 0; i < stream_count; i++) {
        if (!is_still_open(streams[i].file))
            return "an execution closed a stream that was open before it";
        if (state_of_stream(streams[i].file) != streams[i].state)
            return "an execution used a stream that was open before it";
    }
    if (is_wide(stdout) != was_wide[0] || is_wide(stderr) != was_wide[1])
        return "an execution used a stream that was open before it";
    return NULL;
}

/* ---- Both ------------------------------------------------------------------------------------ */

void rdl__handles_save(void)
{
    save_descriptors();
    save_streams();
}

/* What is left in the buffer would be written by a later execution, wherever that writes. */
void rdl__handles_restore(void)
{
    restore_flags();
    if (stdout->_IO_write_ptr > stdout->_IO_write_base)
        fflush(stdout);
}

const char *rdl__handles_compare(void)
{
    const char *words = compare_descriptors();

    return words ? words : compare_streams();
}
