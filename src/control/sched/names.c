/* names.c -- names of files: which of them two calls share.
 *
 * A name is a folder, known by its inode, and what stands in it.  So many hashes of these are
 * objects, side by side; what concerns many names is an operation on all of them: folders and
 * symbolic links that come, go or change, since they are part of other names; names whose
 * folder is not there; the working directory; the umask, which all that make files read.
 *
 * What a name stands for is asked when the thread comes to the operation, and again when it is
 * its turn: if others have changed it meanwhile, the thread comes to another operation.
 *
 * A name may depend on the numbers of descriptors, too: if its path leads through /proc, which any
 * link on it may do, the operation depends on all others. */
#include <string.h>

#include "base/hash.h"
#include "control/sched/mappings.h"
#include "control/sched/state.h"
#include "control/sched/world.h"

#define NAMES_AT ((uintptr_t)0xffff800000030000) /* an address that nothing of a program's has */
enum {
    NAMES = 1024,
    TRIES = 8,
    PATH_ROOM = 4096, /* as the kernel has it */
    LINKS_MAX = 40,   /* the same */
    STEADY_KEPT = 64, /* a thread works in a few folders at a time */
};

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

/* A call that is about a name. */
struct request {
    int at;
    const char *path;
    bool changes, opens, truncates; /* or may, if it is not there */
    bool moves;                     /* to this folder: all relative names change */
    uintptr_t pc;
};

/* ---- The way to a file -----------------------------------------------------------------------
 *
 * A path leads from folder to folder, and where it meets a symbolic link it goes on as the link
 * says.  The end of a path through /proc may change although no name does: threads open and close
 * the descriptors that /proc/self/fd shows.  So the kernel is asked for each part of a path, and of
 * the links on it; the folder, the name and the file are known then, too. */

struct way {
    struct stat folder, name, file;
    bool has_start;   /* the folder is there in which the path begins, */
    bool has_folder;  /* and the one in which the name stands, */
    bool is_there;    /* and what has the name, perhaps a link, */
    bool exists;      /* and what the name stands for */
    bool is_unsteady; /* it leads through /proc, or is too long to tell; no more is known of it */
    size_t length;
    char path[PATH_ROOM]; /* as links have changed it */
};

static bool ask_start(int at, const char *path, struct stat *out)
{
    if (path[0] == '/')
        return ask(AT_FDCWD, "/", 0, out);
    return ask(at, "", AT_EMPTY_PATH, out) || (at == AT_FDCWD && ask(at, ".", 0, out));
}

/* What is where this part of the path ends? */
static bool ask_part(struct way *way, int at, size_t end)
{
    char after = way->path[end];
    bool is_there;

    way->path[end] = '\0';
    is_there = ask(at, way->path, AT_SYMLINK_NOFOLLOW, &way->file);
    way->path[end] = after;
    return is_there;
}

/* Go on by one part.  False: nothing is there. */
static bool go_to_part(struct way *way, int at, size_t end, bool is_name)
{
    if (is_name) {
        way->folder = way->file;
        way->has_folder = true;
    }
    if (!ask_part(way, at, end))
        return false;
    if (is_name) {
        way->name = way->file;
        way->is_there = true;
    }
    way->is_unsteady = rdl__file_is_of_kernel(&way->file);
    return true;
}

/* The part is a link: what that says takes its place, and the way goes on at *start.  The text is
 * read into the room between the link and the rest of the path, which waits at the end of the
 * buffer.  False: there is too little room. */
static bool follow(struct way *way, int at, size_t *start, size_t end)
{
    size_t rest = way->length - end + 1; /* with the zero at its end */
    char *target = way->path + end + 1, *tail = way->path + sizeof way->path - rest;
    long size;

    if (tail <= target)
        return false;
    memmove(tail, way->path + end, rest);
    way->path[end] = '\0';
    size = rdl__kernel(SYS_readlinkat, at, (long)way->path, (long)target, tail - target, 0, 0);
    if (size <= 0 || size == tail - target)
        return false;
    if (target[0] == '/') {
        *start = 0;
        ask_start(at, "/", &way->file);
    }
    memmove(way->path + *start, target, (size_t)size);
    memmove(way->path + *start + size, tail, rest);
    way->length = *start + (size_t)size + rest - 1;
    return true;
}

/* Does a part of the path come after this one? */
static bool has_more(const char *path, size_t end)
{
    return path[end + strspn(path + end, "/")];
}

/* From way->file, which is where the path has come to at `start`, as far as there is something. */
static void go(struct way *way, int at, size_t start)
{
    size_t end;

    start += strspn(way->path + start, "/");
    for (int links = 0; way->path[start]; start += strspn(way->path + start, "/")) {
        end = start + strcspn(way->path + start, "/");
        if (!go_to_part(way, at, end, !way->is_there && !has_more(way->path, end)) ||
            way->is_unsteady)
            return;
        if (!S_ISLNK(way->file.st_mode)) {
            start = end;
        } else if (++links > LINKS_MAX) {
            return;
        } else if (!follow(way, at, &start, end)) {
            way->is_unsteady = true;
            return;
        }
    }
    way->exists = true;
}

/* Folders that paths have led to, and not through /proc: each a hash of the path, and of how often
 * a name has changed since that could be part of it. */
static uint64_t steady[STEADY_KEPT], changes;

void rdl__names_changed(void)
{
    changes++;
}

/* The hash of the path that leads to the folder; 0: there is none, or it begins at a number. */
static uint64_t key_of(const struct request *it, size_t length)
{
    uint64_t hash = changes;

    if (length == 0 || (it->at != AT_FDCWD && it->path[0] != '/'))
        return 0;
    for (size_t i = 0; i < length; i++)
        hash = rdl__combine(hash, (unsigned char)it->path[i]);
    return hash | 1;
}

/* Go straight to the folder.  False: it is not known how that can be reached. */
static bool go_to_folder(struct way *way, uint64_t key, size_t length)
{
    char after = way->path[length];

    if (!key || steady[key / 2 % STEADY_KEPT] != key)
        return false;
    way->path[length] = '\0';
    way->has_start = ask(AT_FDCWD, way->path, 0, &way->file);
    way->path[length] = after;
    return way->has_start;
}

/* From the beginning. */
static void go_all_the_way(struct way *way, const struct request *it)
{
    bool is_relative = way->path[0] != '/', begins_at_number = it->at != AT_FDCWD && is_relative;

    way->has_start = ask_start(it->at, way->path, &way->file);
    if (way->has_start)
        way->is_unsteady = is_relative && rdl__file_is_of_kernel(&way->file);
    else
        way->is_unsteady = begins_at_number;
    way->is_unsteady |= begins_at_number && rdl__number_is_given_anew(it->at);
    if (way->has_start && !way->is_unsteady && (way->path[0] || begins_at_number))
        go(way, it->at, 0);
}

static void find_way(const struct request *it, struct way *out)
{
    const char *path = it->path ? it->path : "", *slash = strrchr(path, '/');
    size_t folder = slash ? (size_t)(slash + 1 - path) : 0;
    uint64_t key = key_of(it, folder);

    out->has_start = out->has_folder = out->is_there = out->exists = out->is_unsteady = false;
    out->length = strlen(path);
    if (out->length >= sizeof out->path)
        return; /* the kernel refuses it */
    memcpy(out->path, path, out->length + 1);
    if (go_to_folder(out, key, folder))
        go(out, it->at, folder);
    else
        go_all_the_way(out, it);
    if (out->has_folder && key)
        steady[key / 2 % STEADY_KEPT] = key;
    if (out->is_unsteady)
        out->exists = ask(it->at, path, 0, &out->file);
}

/* ---- Operations ------------------------------------------------------------------------------ */

/* What comes after the last slash; NULL: it is no name that can come and go. */
static const char *name_in(const char *path)
{
    const char *slash = path ? strrchr(path, '/') : NULL, *name = slash ? slash + 1 : path;

    return !name || !*name || strcmp(name, ".") == 0 || strcmp(name, "..") == 0 ? NULL : name;
}

/* Can the name stand for a folder or a link, before the call or after it?  Then it may be a part
 * of other names.  What opens a file makes nothing but plain ones. */
static bool may_lead_on(const struct request *it, const struct way *way, bool writes)
{
    if (!way->is_there)
        return writes && !it->opens;
    return S_ISLNK(way->name.st_mode) || (S_ISDIR(way->name.st_mode) && writes);
}

static struct rdl__op name_op(const struct request *it, const struct way *way, bool writes)
{
    struct rdl__op op = rdl__names_op(writes ? RDL__WRITES : RDL__READS, it->pc);
    const char *name = name_in(it->path);
    uint64_t hash;

    if (!name || !way->has_folder || it->moves || may_lead_on(it, way, writes) ||
        (way->exists && S_ISDIR(way->file.st_mode) && !it->opens))
        return op;
    hash = rdl__combine(rdl__combine(way->folder.st_dev, way->folder.st_ino), rdl__hash_text(name));
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
    struct rdl__op op;
    struct way way;
    bool writes;

    find_way(it, &way);
    writes = it->changes && !(it->opens && way.exists);
    op = name_op(it, &way, writes);
    if (way.is_unsteady) {
        op.flags |= RDL__OP_BREAKS;
        if (way.exists && rdl__file_is_of_kernel(&way.file) && shows_threads(way.path))
            rdl__limit(RDL__LIMIT_BOUND, "files below /proc showed threads of Raddle's, too", "");
    }
    if (it->opens) {
        op.also = rdl__state_object(RDL__STATE_NUMBERS);
        if (it->truncates && way.exists && S_ISREG(way.file.st_mode))
            op.flags |= RDL__OP_BREAKS;
    } else if (way.exists && !it->moves) {
        op.also = rdl__file_object(&way.file);
        op.flags |= writes ? 0 : RDL__OP_ALSO_READS;
        if (writes && rdl__is_mapped(&way.file)) /* truncate takes pages away */
            op.flags |= RDL__OP_BREAKS;
    }
    return op;
}

static void come_to(struct rdl__thread *self, const struct request *it)
{
    struct rdl__op op = op_of(it), now;

    for (int i = 0; i < TRIES; i++, op = now) {
        uint64_t before = rdl__sched.summary->preemptions;
        bool is_calm = !rdl__sched.signals_due;

        rdl__point(self, &op);
        if (is_calm && rdl__sched.summary->preemptions == before)
            return; /* nobody has come between */
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

void rdl__come_to_folder(struct rdl__thread *self, const char *path, uintptr_t pc)
{
    come_to(self, &(struct request){
                      .at = AT_FDCWD, .path = path, .changes = true, .moves = true, .pc = pc});
}
