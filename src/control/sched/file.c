/* file.c -- which file is meant, who else could have it, and that it has changed.
 *
 * A scheduler needs to know which operations may matter to which.  Both ends of a
 * pipe have one inode, so a pipe is an object of its own; so is a plain file.  Of
 * all other files (the ends of a socket have nothing in common that could be
 * asked for) we assume that each may matter to each: they are one object, whose
 * range holds those of the pipes as well, for calls that are about many files; and the
 * object of descriptors' numbers, of which each new file takes the lowest that is free.
 *
 * A file is hopeless if none but threads that wait could make it ready.  We know
 * that of pipes, socket pairs, events and timers that controlled threads of this
 * execution have made, and of connections between them (link.c), as long as no
 * process was started since and no descriptor was sent away; all others we take for
 * ways into the process. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "control/sched/left.h"
#include "control/sched/mappings.h"
#include "control/sched/state.h"
#include "control/sched/world.h"

#define sched (&rdl__sched)

enum {
    KNOWN_MAX = 256,
    USES_MAX = 8,
    NUMBERS = 1 + KNOWN_MAX,
    FILES_SIZE = NUMBERS + 1,
    GIVEN_KEPT = 1024
};
#define FILES ((uintptr_t)0xffff800000000000) /* an address that nothing of a program's has */

/* Files met in this execution. */
static struct known {
    dev_t device;
    ino_t inode;
    int fd;        /* of a file whose inode says nothing; else -1 */
    uint64_t born; /* value of rdl__file_sharings when we made it; 0: we did not */
    struct use {
        const void *way; /* a stream, or ANY_NUMBER */
        uint32_t by;     /* the number of a thread */
    } uses[USES_MAX];
    uint32_t use_count;
} known[KNOWN_MAX];
static const char any_number;
#define ANY_NUMBER ((const void *)&any_number)
static uint32_t known_count;

/* Numbers that were closed in this execution: 1 and the thread that closed or got them last. */
static uint16_t given[GIVEN_KEPT];
static bool some_are_given;

uint64_t rdl__file_sharings = 1;
uint64_t rdl__file_changes;

void rdl__files_begin(void)
{
    known_count = 0;
    rdl__file_changes = 0;
    rdl__names_changed();
    rdl__transfers_begin();
    if (some_are_given)
        memset(given, 0, sizeof given);
    some_are_given = false;
}

bool rdl__file_is_used_by(uintptr_t object, const void *stream)
{
    const struct rdl__thread *self = rdl__self();
    struct use now = {.way = stream ? stream : ANY_NUMBER};
    bool is_noted = false, by_others = false;
    struct known *it;

    if (!self || object <= FILES || object > FILES + known_count || rdl__is_alone())
        return false;
    now.by = self->number;
    it = &known[object - FILES - 1];
    for (uint32_t i = 0; i < it->use_count; i++) {
        const struct use *use = &it->uses[i];

        is_noted |= use->way == now.way && use->by == now.by;
        by_others |= use->way != now.way && use->by != now.by;
    }
    if (!is_noted && it->use_count == USES_MAX)
        return true;
    if (!is_noted)
        it->uses[it->use_count++] = now;
    return by_others;
}

static struct known *find(const struct stat *status, int fd)
{
    for (uint32_t i = 0; i < known_count; i++)
        if (known[i].inode == status->st_ino && known[i].device == status->st_dev &&
            known[i].fd == fd)
            return &known[i];
    return NULL;
}

/* NULL: we have met too many. */
static struct known *meet(const struct stat *status, int fd)
{
    struct known *it = find(status, fd);

    if (it || known_count == KNOWN_MAX)
        return it;
    known[known_count] =
        (struct known){.device = status->st_dev, .inode = status->st_ino, .fd = fd};
    return &known[known_count++];
}

/* Do all files of this kind share one inode? */
static bool is_anonymous(const struct stat *status)
{
    return !S_ISFIFO(status->st_mode) && !S_ISSOCK(status->st_mode);
}

static enum rdl__file_kind kind_of(const struct stat *status)
{
    if (S_ISFIFO(status->st_mode))
        return RDL__PIPE;
    if (S_ISSOCK(status->st_mode))
        return RDL__SOCKET;
    if (S_ISREG(status->st_mode) || S_ISDIR(status->st_mode) || S_ISBLK(status->st_mode))
        return RDL__PLAIN_FILE;
    return RDL__OTHER_FILE;
}

struct rdl__file rdl__any_file(void)
{
    return (struct rdl__file){
        .kind = RDL__OTHER_FILE, .fd = -1, .waits = true, .object = FILES, .size = FILES_SIZE};
}

/* Files below /proc show what the process does: they depend on every operation, and on ends. */
bool rdl__file_is_of_kernel(const struct stat *status)
{
    static dev_t device;
    struct stat process;

    if (!device &&
        rdl__kernel(SYS_newfstatat, AT_FDCWD, (long)"/proc/self/", (long)&process, 0, 0, 0) == 0)
        device = process.st_dev;
    if (!device || status->st_dev != device)
        return false;
    if (rdl__running)
        sched->summary->ends = true;
    return true;
}

void rdl__file_look(int fd, struct rdl__file *out)
{
    struct stat status;
    struct known *it;

    *out = rdl__any_file();
    out->fd = fd;
    out->waits = false;
    if (rdl__kernel_fstat(fd, &status) != 0) {
        out->kind = RDL__NO_FILE;
        return;
    }
    rdl__handles_used(fd);
    out->kind = kind_of(&status);
    out->folder = S_ISDIR(status.st_mode);
    out->mapped = rdl__is_mapped(&status) || rdl__file_is_of_kernel(&status);
    if (out->kind != RDL__PLAIN_FILE)
        out->waits = !(rdl__kernel_fcntl(fd, F_GETFL, 0) & O_NONBLOCK);
    if (out->kind == RDL__PLAIN_FILE || out->kind == RDL__PIPE) {
        it = meet(&status, -1);
        if (it) {
            out->object = FILES + 1 + (uintptr_t)(it - known);
            out->size = 1;
        }
    }
}

uintptr_t rdl__file_object(const struct stat *status)
{
    enum rdl__file_kind kind = kind_of(status);
    struct known *it = NULL;

    if (kind == RDL__PLAIN_FILE || kind == RDL__PIPE)
        it = meet(status, -1);
    return it ? FILES + 1 + (uintptr_t)(it - known) : FILES;
}

uintptr_t rdl__numbers_object(void)
{
    return FILES + NUMBERS;
}

void rdl__come_to_numbers(uintptr_t pc)
{
    struct rdl__thread *self = rdl__self();
    struct rdl__op op = {
        .kind = RDL__OP_IO, .touch = RDL__WRITES, .size = 1, .object = FILES + NUMBERS, .pc = pc};

    if (self)
        rdl__point(self, &op);
}

bool rdl__number_is_given_anew(int fd)
{
    const struct rdl__thread *self = rdl__self();

    return some_are_given && self && fd >= 0 && fd < GIVEN_KEPT && given[fd] &&
           given[fd] != self->id + 1;
}

struct rdl__op rdl__file_op(const struct rdl__file *file, uintptr_t pc)
{
    bool asks_numbers = rdl__number_is_given_anew(file->fd);

    if (rdl__self())
        rdl__self()->asked_fd = file->fd;
    rdl__file_is_used_by(file->object, NULL);
    return (struct rdl__op){.kind = RDL__OP_IO,
                            .touch = RDL__WRITES,
                            .flags = (file->mapped ? RDL__OP_BREAKS : 0) |
                                     (asks_numbers ? RDL__OP_ALSO_READS : 0),
                            .size = file->size,
                            .object = file->object,
                            .also = asks_numbers ? FILES + NUMBERS : 0,
                            .pc = pc};
}

void rdl__op_takes_number(struct rdl__op *op)
{
    op->also = FILES + NUMBERS;
    op->flags &= (uint8_t)~RDL__OP_ALSO_READS;
}

/* Somebody who awaits many files awaits their common object. */
void rdl__files_ask(uintptr_t object)
{
    rdl__file_changes++;
    rdl__changed(object);
    if (object != FILES)
        rdl__changed(FILES);
    else
        for (uint32_t id = 0; id < sched->view.threads; id++)
            if (sched->awaited[id] - FILES < FILES_SIZE)
                rdl__look_again(sched->threads[id]);
}

/* Data that is read was written before; room that is written to was read before.
 * Who waits for many files learns of each. */
void rdl__file_changed(struct rdl__thread *self, const struct rdl__file *file)
{
    rdl__hb_acquire(self, file->object);
    rdl__hb_release(self, file->object);
    if (file->object != FILES)
        rdl__hb_release(self, FILES);
    rdl__files_ask(file->object);
}

/* ---- Who could have it -------------------------------------------------------------- */

void rdl__files_shared(void)
{
    rdl__file_sharings++;
}

void rdl__file_born(int fd)
{
    struct stat status;
    struct known *it;

    if (rdl__kernel_fstat(fd, &status) != 0)
        return;
    if (rdl__number_is_given_anew(fd)) {
        given[fd] = (uint16_t)(rdl__self()->id + 1);
        rdl__files_ask(FILES); /* who waits for the number waits for this file now */
    }
    it = meet(&status, is_anonymous(&status) ? fd : -1);
    if (it)
        it->born = rdl__file_sharings;
}

/* A thread that stands before an operation on this descriptor has come to the file that it is now.
 * If the number is closed and given anew first, the operation meets another file. */
static void note_users(int fd)
{
    const struct rdl__thread *self = rdl__self();
    struct rdl__file file;

    if (!self || rdl__is_alone())
        return;
    rdl__file_look(fd, &file);
    for (uint32_t id = 0; id < sched->view.threads; id++) {
        const struct rdl__op *op = &sched->view.ops[id];

        if (id != self->id && sched->threads[id]->state == RDL__ALIVE && op->kind == RDL__OP_IO &&
            sched->threads[id]->asked_fd == fd &&
            (op->object == file.object || op->also == file.object))
            rdl__limit(RDL__LIMIT_BOUND, "descriptors were not closed at every moment", "");
    }
}

/* The number will stand for something else. */
static void forget_number(int fd)
{
    note_users(fd);
    rdl__handles_closed(fd);
    for (uint32_t i = 0; i < known_count; i++)
        if (known[i].fd == fd)
            known[i].born = 0;
    if (rdl__self() && fd >= 0 && fd < GIVEN_KEPT) {
        /* Threads that are made later find what it stands for by then. */
        given[fd] = rdl__is_alone() ? 0 : (uint16_t)(rdl__self()->id + 1);
        some_are_given = true;
    }
    rdl__timer_closed(fd);
}

/* Does the kernel say that it is of this type? */
static bool has_type(int fd, const char *type)
{
    char path[32], name[64] = "";

    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    return rdl__kernel(SYS_readlink, (long)path, (long)name, sizeof name - 1, 0, 0, 0) > 0 &&
           strcmp(name, type) == 0;
}

/* What stands in a small file of the kernel's. */
static bool read_text(const char *path, char *out, size_t room)
{
    long fd = rdl__kernel(SYS_openat, AT_FDCWD, (long)path, O_RDONLY | O_CLOEXEC, 0, 0, 0);
    long size = 0, more;

    if (fd < 0)
        return false;
    while ((size_t)size < room - 1 &&
           (more = rdl__kernel(SYS_read, fd, (long)out + size, (long)room - 1 - size, 0, 0, 0)) > 0)
        size += more;
    out[size] = '\0';
    rdl__kernel_close((int)fd);
    return (size_t)size < room - 1;
}

/* Are all that this epoll watches? */
static bool members_are_hopeless(int epoll)
{
    char path[40];
    static char text[16384];

    snprintf(path, sizeof path, "/proc/self/fdinfo/%d", epoll);
    if (!read_text(path, text, sizeof text))
        return false;
    for (const char *at = text; (at = strstr(at, "tfd:")); at += 4) {
        int member = atoi(at + 4);

        if (has_type(member, "anon_inode:[eventpoll]") || !rdl__file_is_hopeless(member))
            return false;
    }
    return true;
}

bool rdl__file_is_hopeless(int fd)
{
    struct stat status;
    struct known *it;

    if (fd < 0)
        return true;
    if (rdl__kernel_fstat(fd, &status) != 0)
        return false;
    it = find(&status, is_anonymous(&status) ? fd : -1);
    if (it && it->born == rdl__file_sharings)
        return it->fd < 0 || has_type(fd, "anon_inode:[eventfd]");
    if (S_ISSOCK(status.st_mode))
        return rdl__link_is_inside(fd);
    return has_type(fd, "anon_inode:[eventpoll]") && members_are_hopeless(fd);
}

/* ---- Interposed: files come and go ---------------------------------------------------- */

/* Notes what a controlled thread has made. */
static void note_birth(int result, int fd)
{
    if (result >= 0 && rdl__self())
        rdl__file_born(fd);
}

RDL__INTERPOSE int pipe(int ends[2])
{
    int result;

    rdl__come_to_numbers(RDL__CALLER);
    result = RDL__NEXT(pipe)(ends);
    note_birth(result, ends[0]); /* both ends have one inode */
    return result;
}

RDL__INTERPOSE int pipe2(int ends[2], int flags)
{
    int result;

    rdl__come_to_numbers(RDL__CALLER);
    result = RDL__NEXT(pipe2)(ends, flags);
    note_birth(result, ends[0]);
    return result;
}

RDL__INTERPOSE int socketpair(int domain, int type, int protocol, int ends[2])
{
    int result;

    rdl__come_to_numbers(RDL__CALLER);
    result = RDL__NEXT(socketpair)(domain, type, protocol, ends);
    note_birth(result, ends[0]);
    note_birth(result, ends[1]);
    return result;
}

RDL__INTERPOSE int eventfd(unsigned value, int flags)
{
    int fd;

    rdl__come_to_numbers(RDL__CALLER);
    fd = RDL__NEXT(eventfd)(value, flags);
    note_birth(fd, fd);
    return fd;
}

/* The number will stand for another file, or for none.  Operations on names that begin at a folder
 * have no room for its number. */
static struct rdl__op closing_op(const struct rdl__file *file, uintptr_t pc)
{
    struct rdl__op op = rdl__file_op(file, pc);

    rdl__op_takes_number(&op);
    op.flags |= file->folder ? RDL__OP_BREAKS : 0;
    return op;
}

/* Closing one end is news at the other. */
int rdl__close(struct rdl__thread *self, int fd, uintptr_t pc)
{
    struct rdl__file file;
    struct rdl__op op;
    int result;

    rdl__test_cancel(self);
    rdl__file_look(fd, &file);
    op = closing_op(&file, pc);
    rdl__point(self, &op);
    forget_number(fd);
    result = RDL__NEXT(close)(fd);
    rdl__file_changed(self, &file);
    return result;
}

RDL__INTERPOSE int close(int fd)
{
    struct rdl__thread *self = rdl__self();

    return self ? rdl__close(self, fd, RDL__CALLER) : RDL__NEXT(close)(fd);
}

/* The new number may have stood for another file, which is closed then. */
static void about_to_replace(struct rdl__thread *self, int fd, uintptr_t pc)
{
    struct rdl__file file;
    struct rdl__op op;

    rdl__file_look(fd, &file);
    op = closing_op(&file, pc);
    rdl__point(self, &op);
    forget_number(fd);
}

RDL__INTERPOSE int dup2(int old, int new)
{
    struct rdl__thread *self = rdl__self();
    struct rdl__file any = rdl__any_file();
    int result;

    if (!self || old == new)
        return RDL__NEXT(dup2)(old, new);
    about_to_replace(self, new, RDL__CALLER);
    result = RDL__NEXT(dup2)(old, new);
    rdl__file_changed(self, &any);
    return result;
}

RDL__INTERPOSE int dup3(int old, int new, int flags)
{
    struct rdl__thread *self = rdl__self();
    struct rdl__file any = rdl__any_file();
    int result;

    if (!self)
        return RDL__NEXT(dup3)(old, new, flags);
    about_to_replace(self, new, RDL__CALLER);
    result = RDL__NEXT(dup3)(old, new, flags);
    rdl__file_changed(self, &any);
    return result;
}

/* The stream's file is closed inside the C library. */
RDL__INTERPOSE int fclose(FILE *stream)
{
    struct rdl__thread *self = rdl__self();
    struct rdl__file file;
    struct rdl__op op;
    int result;

    if (self)
        rdl__stream_gone(self, stream);
    if (self && stream->_fileno < 0)
        rdl__come_to_stream(self, stream, RDL__CALLER);
    if (!self || stream->_fileno < 0)
        return RDL__NEXT(fclose)(stream);
    rdl__file_look(stream->_fileno, &file);
    op = closing_op(&file, RDL__CALLER);
    rdl__point(self, &op);
    forget_number(stream->_fileno);
    result = RDL__NEXT(fclose)(stream);
    rdl__file_changed(self, &file);
    return result;
}
