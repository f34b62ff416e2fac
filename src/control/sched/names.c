/* names.c -- names of files: which of them two calls share.
 *
 * A name is a folder, known by its inode, and what stands in it.  So many hashes of these are
 * objects, side by side; what concerns many names is an operation on all of them: folders and
 * symbolic links that come, go or change, since they are part of other names; names whose
 * folder is not there; the working directory; the umask, which all that make files read.
 *
 * What a name stands for is asked when the thread comes to the operation, and again when it is
 * its turn: if others have changed it meanwhile, the thread comes to another operation. */
#include <string.h>

#include "base/hash.h"
#include "control/sched/mappings.h"
#include "control/sched/state.h"
#include "control/sched/world.h"

#define NAMES_AT ((uintptr_t)0xffff800000030000) /* an address that nothing of a program's has */
enum { NAMES = 1024, FOLDER_ROOM = 4096, TRIES = 8 };

struct rdl__op rdl__names_op(enum rdl__touch touch, uintptr_t pc)
{
    return (struct rdl__op){
        .kind = RDL__OP_IO, .touch = (uint8_t)touch, .size = NAMES, .object = NAMES_AT, .pc = pc};
}

void rdl__add_names(struct rdl__op *op, int fd)
{
    struct stat file;

    if (rdl__kernel_fstat(fd, &file) != 0 || op->touch != RDL__READS)
        return;
    if (op->also) {
        op->flags |= RDL__OP_BREAKS; /* there is no room for a third object */
        return;
    }
    if (S_ISDIR(file.st_mode)) {
        op->object = NAMES_AT;
        op->size = NAMES;
    } else {
        op->also = NAMES_AT;
        op->flags |= RDL__OP_ALSO_READS;
    }
}

static bool ask(int at, const char *path, int flags, struct stat *out)
{
    return rdl__kernel(SYS_newfstatat, at, (long)path, (long)out, flags, 0, 0) == 0;
}

/* The folder that the name stands in. */
static bool ask_folder(int at, const char *path, const char *name, struct stat *out)
{
    char folder[FOLDER_ROOM];
    size_t length = (size_t)(name - path);

    if (length == 0)
        return ask(at, "", AT_EMPTY_PATH, out) || (at == AT_FDCWD && ask(at, ".", 0, out));
    if (length >= sizeof folder)
        return false;
    memcpy(folder, path, length);
    folder[length] = '\0';
    return ask(at, folder, 0, out);
}

/* What comes after the last slash; NULL: it is no name that can come and go. */
static const char *name_in(const char *path)
{
    const char *slash = path ? strrchr(path, '/') : NULL, *name = slash ? slash + 1 : path;

    return !name || !*name || strcmp(name, ".") == 0 || strcmp(name, "..") == 0 ? NULL : name;
}

/* A link such as /dev/stdin. */
static bool leads_to_kernel(int at, const char *path)
{
    char target[sizeof "/proc/"] = "";

    return rdl__kernel(SYS_readlinkat, at, (long)path, (long)target, sizeof target - 1, 0, 0) > 0 &&
           strcmp(target, "/proc/") == 0;
}

/* A call that is about a name. */
struct request {
    int at;
    const char *path;
    bool changes, opens, truncates; /* or may, if it is not there */
    uintptr_t pc;
};

/* Can the name stand for a folder or a link, before the call or after it?  Then it may be a part
 * of other names.  What opens a file makes nothing but plain ones. */
static bool may_lead_on(const struct request *it, bool writes)
{
    struct stat file;

    if (!ask(it->at, it->path, AT_SYMLINK_NOFOLLOW, &file))
        return writes && !it->opens;
    return S_ISLNK(file.st_mode) || (S_ISDIR(file.st_mode) && writes);
}

static struct rdl__op name_op(const struct request *it, bool writes)
{
    struct rdl__op op = rdl__names_op(writes ? RDL__WRITES : RDL__READS, it->pc);
    const char *name = name_in(it->path);
    struct stat folder;
    uint64_t hash;

    if (!name || !ask_folder(it->at, it->path, name, &folder))
        return op;
    if (rdl__file_is_of_kernel(&folder) || leads_to_kernel(it->at, it->path))
        op.flags |= RDL__OP_BREAKS;
    if (may_lead_on(it, writes))
        return op;
    hash = rdl__combine(rdl__combine(folder.st_dev, folder.st_ino), rdl__hash_text(name));
    op.object += hash % NAMES;
    op.size = 1;
    return op;
}

/* Files below /proc/self that show the threads of the process, of which some are Raddle's. */
static bool shows_threads(const char *path)
{
    static const char *const names[] = {"task", "status", "stat", "sched", "children"};
    const char *slash = strrchr(path, '/');

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(slash ? slash + 1 : path, names[i]) == 0)
            return !slash || strcmp(path, "/proc/stat") != 0;
    return strstr(path, "/task/") || strstr(path, "/thread-self/");
}

/* What it touches as things are now: the name; of files that are opened the number that they
 * get, and of others what the name stands for. */
static struct rdl__op op_of(const struct request *it)
{
    struct stat file;
    bool exists = it->path && ask(it->at, it->path, 0, &file);
    bool writes = it->changes && !(it->opens && exists);
    struct rdl__op op = name_op(it, writes);

    if (exists && S_ISDIR(file.st_mode) && !writes && !it->opens)
        op = rdl__names_op(RDL__READS, it->pc);
    if (exists && rdl__file_is_of_kernel(&file)) {
        op.flags |= RDL__OP_BREAKS;
        if (shows_threads(it->path))
            rdl__limit(RDL__LIMIT_BOUND, "files below /proc showed threads of Raddle's, too", "");
    }
    if (it->opens) {
        op.also = rdl__state_object(RDL__STATE_NUMBERS);
        if (it->truncates && exists && S_ISREG(file.st_mode))
            op.flags |= RDL__OP_BREAKS;
    } else if (exists) {
        op.also = rdl__file_object(&file);
        op.flags |= writes ? 0 : RDL__OP_ALSO_READS;
        if (writes && rdl__is_mapped(&file)) /* truncate takes pages away */
            op.flags |= RDL__OP_BREAKS;
    }
    return op;
}

static void come_to(struct rdl__thread *self, const struct request *it)
{
    struct rdl__op op = op_of(it), now;

    for (int i = 0; i < TRIES; i++, op = now) {
        rdl__point(self, &op);
        now = op_of(it);
        if (now.object == op.object && now.size == op.size && now.also == op.also &&
            now.touch == op.touch && now.flags == op.flags)
            return;
    }
}

void rdl__come_to_name(struct rdl__thread *self, int at, const char *path, enum rdl__touch touch,
                       uintptr_t pc)
{
    come_to(self,
            &(struct request){.at = at, .path = path, .changes = touch == RDL__WRITES, .pc = pc});
}

void rdl__come_to_open(struct rdl__thread *self, int at, const char *path, bool creates,
                       bool truncates, uintptr_t pc)
{
    come_to(self, &(struct request){.at = at,
                                    .path = path,
                                    .changes = creates,
                                    .opens = true,
                                    .truncates = truncates,
                                    .pc = pc});
}
