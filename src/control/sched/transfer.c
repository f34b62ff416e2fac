/* transfer.c -- data that goes to and from plain files.
 *
 * Each read or write is one step here.  Linux takes a page at a time: a read of more pages may
 * see a part of what another thread writes meanwhile, and of a large write two small reads may see
 * the last page before the first.  Where threads could do that, no claim is made.  Two writers
 * cannot: file systems lock the file.
 *
 * For each file it is kept which threads have used it, and when by their clocks (order.c).  Without
 * clocks, nothing is taken to set an order for threads that are alive together. */
#include <string.h>

#include "control/sched/state.h"
#include "control/sched/track.h"
#include "control/sched/world.h"

enum {
    FILES_KEPT = 512, /* more than there are objects of files */
    USERS_KEPT = 8,
    AT_A_TIME = 4096, /* bytes: a page */
    CROWD = UINT32_MAX,
};

/* How a thread has used it by one stream, or by numbers of descriptors. */
struct user {
    const void *stream;
    uint32_t column; /* CROWD: threads for which there is no room */
    uint32_t read_at[2],
        wrote_at[2]; /* by its clock, a page at most and more than that; 0: never */
};

static struct users {
    uint64_t execution;
    uintptr_t object;
    uint32_t count;
    struct user all[USERS_KEPT];
} files[FILES_KEPT];
static uint64_t execution;

void rdl__transfers_begin(void)
{
    execution++;
}

static struct users *users_of(uintptr_t object)
{
    struct users *users = &files[object % FILES_KEPT];

    if (users->execution != execution || users->object != object)
        *users = (struct users){.execution = execution, .object = object};
    return users;
}

static struct user *user_of(struct users *users, const struct rdl__thread *self, const void *stream)
{
    uint32_t column = rdl__races_on ? self->track->column : self->id;
    struct user *user = users->all;

    for (; user < users->all + users->count; user++)
        if (user->column == column && user->stream == stream)
            return user;
    if (users->count == USERS_KEPT) {
        user--;
        user->column = CROWD;
        user->stream = NULL;
        return user;
    }
    users->count++;
    *user = (struct user){.column = column, .stream = stream};
    return user;
}

/* Was it then, and did nothing set an order? */
static bool is_beside(const struct rdl__thread *self, const struct user *user, uint32_t when)
{
    return when &&
           (!rdl__races_on || user->column == CROWD || self->track->clock[user->column] < when);
}

static bool meets(const struct rdl__thread *self, const struct user *user,
                  const struct rdl__transfer *it)
{
    for (int large = it->bytes > AT_A_TIME ? 0 : 1; large < 2; large++)
        if ((it->writes && is_beside(self, user, user->read_at[large])) ||
            (it->reads && is_beside(self, user, user->wrote_at[large])))
            return true;
    return false;
}

static void note(const struct rdl__thread *self, struct user *user, const struct rdl__transfer *it)
{
    uint32_t now = rdl__races_on ? self->track->clock[self->track->column] : 1;
    int large = it->bytes > AT_A_TIME;

    if (it->reads)
        user->read_at[large] = now;
    if (it->writes)
        user->wrote_at[large] = now;
}

void rdl__file_transfers(struct rdl__thread *self, const struct rdl__file *file,
                         const struct rdl__transfer *it)
{
    struct users *users;
    struct user *mine;

    if (file->kind != RDL__PLAIN_FILE || file->size != 1 || rdl__is_alone())
        return;
    users = users_of(file->object);
    mine = user_of(users, self, it->stream);
    for (const struct user *user = users->all; user < users->all + users->count; user++)
        if ((user->column != mine->column || user->column == CROWD) &&
            !(it->stream && user->stream == it->stream) && meets(self, user, it))
            rdl__limit(RDL__LIMIT_BOUND,
                       "reads and writes of more than a page of a file were not interrupted", "");
    note(self, mine, it);
}

/* ---- Calls ----------------------------------------------------------------------------------- */

/* Sooner or later it reads or writes what its buffer holds, or what it is given. */
void rdl__stream_transfers(struct rdl__thread *self, FILE *stream, size_t bytes)
{
    enum { NO_READS = 4, NO_WRITES = 8 }; /* in _flags, as the C library has them */
    struct rdl__file file;

    if (stream->_fileno < 0 || rdl__is_alone())
        return;
    rdl__file_look(stream->_fileno, &file);
    rdl__file_transfers(self, &file,
                        &(struct rdl__transfer){.bytes = bytes,
                                                .reads = !(stream->_flags & NO_READS),
                                                .writes = !(stream->_flags & NO_WRITES),
                                                .stream = stream});
}

/* pread, pwrite, preadv64v2 and so on. */
static size_t bytes_of(const struct rdl__call_row *row, const uint64_t *arguments)
{
    if (!strchr(row->name, 'v'))
        return arguments[2];
    return (int)arguments[2] <= 0
               ? 0
               : rdl__bytes_in((const struct iovec *)arguments[1], (size_t)arguments[2]);
}

static void copy(struct rdl__thread *self, int from, int to, size_t bytes)
{
    struct rdl__file file;

    rdl__file_look(from, &file);
    rdl__file_transfers(self, &file, &(struct rdl__transfer){.bytes = bytes, .reads = true});
    rdl__file_look(to, &file);
    rdl__file_transfers(self, &file, &(struct rdl__transfer){.bytes = bytes, .writes = true});
}

/* To make a file shorter or longer is to write to it. */
void rdl__call_transfers(struct rdl__thread *self, const struct rdl__call_row *row,
                         const uint64_t *arguments, const struct rdl__file *file)
{
    const char *name = row->name + strspn(row->name, "_");
    struct rdl__transfer it = {.reads = strncmp(name, "pread", 5) == 0,
                               .writes = strncmp(name, "pwrite", 6) == 0};

    if (it.reads || it.writes)
        it.bytes = bytes_of(row, arguments);
    else if (strcmp(name, "copy_file_range") == 0)
        copy(self, (int)arguments[0], (int)arguments[2], arguments[4]);
    else
        it.writes = strncmp(name, "ftruncate", 9) == 0 || strncmp(name, "fallocate", 9) == 0 ||
                    strncmp(name, "posix_fallocate", 15) == 0;
    if (it.reads || it.writes)
        rdl__file_transfers(self, file, &it);
}
