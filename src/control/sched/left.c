/* left.c -- files that executions leave changed, and that other executions look at.
 *
 * An execution changes what a name stands for: it makes, removes or renames a file.  Or it changes
 * the file itself, which has other names: links, and /proc/self/fd/N.  So the table has entries of
 * both kinds, names and files, and to look at a name is to look at both. */
#include "control/sched/left.h"

#include <dirent.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>

#include "base/apart.h"
#include "base/hash.h"
#include "control/sched/sched.h"
#include "control/sched/world.h"
#include "port/kernel.h"

enum { LOOKS = 1, CHANGES = 2, FOLDERS = 4 }; /* FOLDERS: makes or removes one */
enum { UNKNOWN, MISSING, THERE };             /* meanings of names, and of files */
enum {
    ENTRIES_MAX = 2048,     /* with more than this, executions are not known to begin alike */
    CONTENTS_MAX = 1 << 20, /* a larger file is told from another by its times */
    FOLDER_ROOM = 4096,
    LINKS_MAX = 8, /* to follow */
    KEYS_MAX = 32, /* more of them are taken for those of others */
};

struct entry {
    uint64_t key;      /* 0: none */
    uint64_t folder;   /* of a name; 0: it is a file */
    uint64_t at_first; /* its meaning before the first change, or UNKNOWN */
    uint32_t changed_by;
    bool is_ready;
    char text[64]; /* the name; of a file, the one by which it was changed */
};

static struct table {
    uint32_t executions;
    uint32_t files; /* entries that are about one */
    struct entry entries[ENTRIES_MAX];
} * table;

static uint32_t this_execution;
static uint64_t this_test;
static uint64_t scouted_from, scouted_to;

void rdl__left_prepare(void)
{
    if (!table)
        table = rdl__map(sizeof *table, MAP_SHARED | MAP_NORESERVE);
}

void rdl__left_begin(const void *test)
{
    rdl__left_prepare();
    if (table)
        this_execution = __atomic_add_fetch(&table->executions, 1, __ATOMIC_RELAXED);
    this_test = (uintptr_t)test;
}

void rdl__left_scouted(uint64_t from_ns, uint64_t to_ns)
{
    scouted_from = from_ns;
    scouted_to = to_ns;
}

/* ---- What a name stands for ----------------------------------------------------------------- */

static bool ask(int at, const char *path, int flags, struct stat *out)
{
    return rdl__kernel(SYS_newfstatat, at, (long)path, (long)out, flags, 0, 0) == 0;
}

static uint64_t hash_contents(int at, const char *path, const struct stat *status)
{
    uint64_t hash = (uint64_t)status->st_size;
    char bytes[4096];
    long fd, got;

    if (status->st_size <= CONTENTS_MAX &&
        (fd = rdl__kernel(SYS_openat, at, (long)path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0, 0,
                          0)) >= 0) {
        while ((got = rdl__kernel(SYS_read, fd, (long)bytes, sizeof bytes - 1, 0, 0, 0)) > 0)
            for (long i = 0; i < got; i++)
                hash = (hash ^ (unsigned char)bytes[i]) * UINT64_C(0x100000001b3);
        rdl__kernel(SYS_close, fd, 0, 0, 0, 0, 0);
        return hash;
    }
    hash = rdl__combine(hash, (uint64_t)status->st_mtim.tv_sec);
    return rdl__combine(hash, (uint64_t)status->st_mtim.tv_nsec);
}

/* Where a link leads to is what it is, not how often it was made. */
static uint64_t hash_link(int at, const char *path)
{
    char text[FOLDER_ROOM] = "";

    rdl__kernel(SYS_readlinkat, at, (long)path, (long)text, sizeof text - 1, 0, 0);
    return rdl__hash_text(text);
}

/* Equal numbers: the name stands for the same. */
static uint64_t meaning_of_name(int at, const char *path)
{
    struct stat status;
    uint64_t hash;

    if (!ask(at, path, AT_SYMLINK_NOFOLLOW, &status))
        return MISSING;
    hash = rdl__combine(THERE, status.st_mode);
    if (S_ISLNK(status.st_mode))
        return rdl__combine(hash, hash_link(at, path));
    return S_ISREG(status.st_mode) ? rdl__combine(hash, hash_contents(at, path, &status)) : hash;
}

/* Equal numbers: the file is as it was, whatever name it has.  A folder has a link for each folder
 * in it. */
static uint64_t meaning_of_file(int at, const char *path, const struct stat *status)
{
    uint64_t hash = rdl__combine(status->st_mode, status->st_nlink);

    return S_ISREG(status->st_mode) ? rdl__combine(hash, hash_contents(at, path, status)) : hash;
}

/* Was it made or changed while the program ran free?  Folders change with every name in them, and
 * files of the kernel's at any time. */
static bool was_scouted(int at, const char *path, int flags)
{
    struct stat status;
    uint64_t changed;

    if (scouted_to == 0 || !ask(at, path, flags, &status) || S_ISDIR(status.st_mode) ||
        rdl__file_is_of_kernel(&status))
        return false;
    changed = (uint64_t)status.st_ctim.tv_sec * 1000000000 + (uint64_t)status.st_ctim.tv_nsec;
    return changed >= scouted_from && changed <= scouted_to;
}

/* ---- Entries --------------------------------------------------------------------------------- */

static struct entry *find(uint64_t key)
{
    for (uint32_t i = 0; i < ENTRIES_MAX; i++) {
        struct entry *entry = &table->entries[(key + i) % ENTRIES_MAX];
        uint64_t there = __atomic_load_n(&entry->key, __ATOMIC_ACQUIRE);

        if (there == 0)
            return NULL;
        if (there == key)
            return __atomic_load_n(&entry->is_ready, __ATOMIC_ACQUIRE) ? entry : NULL;
    }
    return NULL;
}

static struct entry *add(uint64_t key, uint64_t folder, const char *text, uint64_t at_first)
{
    for (uint32_t i = 0; i < ENTRIES_MAX; i++) {
        struct entry *entry = &table->entries[(key + i) % ENTRIES_MAX];
        uint64_t there = 0;

        if (!__atomic_compare_exchange_n(&entry->key, &there, key, false, __ATOMIC_ACQ_REL,
                                         __ATOMIC_ACQUIRE))
            continue;
        entry->folder = folder;
        entry->at_first = at_first;
        snprintf(entry->text, sizeof entry->text, "%s", text);
        __atomic_store_n(&entry->is_ready, true, __ATOMIC_RELEASE);
        return entry;
    }
    return NULL;
}

static void report(const char *name)
{
    char words[RDL__LIMIT_ROOM];

    snprintf(words, sizeof words, "they look at %.40s, which earlier ones have left changed", name);
    rdl__limit(RDL__LIMIT_UNLIKE, words, "");
}

static void note_change(struct entry *entry)
{
    if (entry)
        entry->changed_by = this_execution;
    else
        rdl__limit(RDL__LIMIT_UNLIKE, "they change more files than Raddle can remember", "");
}

static const char *last_part(const char *path)
{
    const char *slash = path ? strrchr(path, '/') : NULL, *name = slash ? slash + 1 : path;

    return !name || !*name || strcmp(name, ".") == 0 || strcmp(name, "..") == 0 ? NULL : name;
}

/* ---- Files, by whatever name ----------------------------------------------------------------- */

/* A file that is removed may leave its number to a new one, which was born later. */
static uint64_t key_of_file(const struct statx *it)
{
    uint64_t device = rdl__combine(it->stx_dev_major, it->stx_dev_minor);
    uint64_t born = rdl__combine((uint64_t)it->stx_btime.tv_sec, it->stx_btime.tv_nsec);

    return rdl__combine(rdl__combine(device, it->stx_ino), rdl__combine(born, this_test)) | 1;
}

static bool ask_more(int at, const char *path, int flags, struct statx *out,
                     struct stat *out_status)
{
    if (rdl__kernel(SYS_statx, at, (long)path, flags, STATX_BASIC_STATS | STATX_BTIME, (long)out,
                    0) != 0)
        return false;
    *out_status = (struct stat){.st_dev = makedev(out->stx_dev_major, out->stx_dev_minor),
                                .st_mode = out->stx_mode,
                                .st_nlink = out->stx_nlink,
                                .st_size = (off_t)out->stx_size,
                                .st_mtim = {out->stx_mtime.tv_sec, out->stx_mtime.tv_nsec}};
    return true;
}

/* `flags`: AT_SYMLINK_NOFOLLOW, or 0 for the file that links lead to. */
static void come_to_file(int at, const char *path, int flags, unsigned what)
{
    const char *text = last_part(path);
    struct entry *entry;
    struct stat status;
    struct statx more;
    uint64_t key;

    if (!what || (!(what & CHANGES) && table->files == 0 && scouted_to == 0) ||
        !ask_more(at, path, flags, &more, &status) ||
        (!S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode)) || rdl__file_is_of_kernel(&status))
        return;
    key = key_of_file(&more);
    entry = find(key);
    if (what & LOOKS && (entry ? entry->changed_by != this_execution &&
                                     entry->at_first != meaning_of_file(at, path, &status)
                               : was_scouted(at, path, flags)))
        report(text ? text : ".");
    if (!(what & CHANGES))
        return;
    if (!entry) {
        entry = add(key, 0, text ? text : ".",
                    was_scouted(at, path, flags) ? UNKNOWN : meaning_of_file(at, path, &status));
        __atomic_add_fetch(&table->files, 1, __ATOMIC_RELEASE);
    }
    note_change(entry);
}

void rdl__left_used(int fd, bool changes)
{
    char path[32];

    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    if (table && rdl__handles_was_open(fd))
        come_to_file(AT_FDCWD, path, 0, LOOKS | (changes ? CHANGES : 0));
}

/* ---- Names ----------------------------------------------------------------------------------- */

/* The folder of a name.  False: its path is too long. */
static bool find_folder(const char *path, const char *name, char out_folder[FOLDER_ROOM])
{
    size_t length = (size_t)(name - path);

    if (length >= FOLDER_ROOM)
        return false;
    snprintf(out_folder, FOLDER_ROOM, "%.*s", (int)length, path);
    if (length == 0)
        strcpy(out_folder, ".");
    return true;
}

/* What a link says, as a path from the same place as the link's.  False: it is none. */
static bool follow(int at, const char *path, const char *folder, char out_path[FOLDER_ROOM])
{
    char text[FOLDER_ROOM];
    long length = rdl__kernel(SYS_readlinkat, at, (long)path, (long)text, sizeof text - 1, 0, 0);

    if (length <= 0)
        return false;
    text[length] = '\0';
    return snprintf(out_path, FOLDER_ROOM, "%s%s%s", text[0] == '/' ? "" : folder,
                    text[0] == '/' ? "" : "/", text) < FOLDER_ROOM;
}

/* What a name stands for.  True: it was there before executions began, so the file may have
 * changed, too; of one that executions have made, all names are known. */
static bool come_to_entry(int at, const char *path, uint64_t folder, unsigned what)
{
    const char *text = last_part(path);
    uint64_t key = rdl__combine(rdl__combine(folder, rdl__hash_text(text)), this_test) | 1;
    struct entry *name = find(key);

    if (what & LOOKS && name && name->changed_by != this_execution &&
        name->at_first != meaning_of_name(at, path))
        report(text);
    if (what & CHANGES) {
        if (!name)
            name = add(key, folder, text,
                       was_scouted(at, path, AT_SYMLINK_NOFOLLOW) ? UNKNOWN
                                                                  : meaning_of_name(at, path));
        note_change(name);
    }
    return !name || name->at_first != MISSING;
}

/* Two entries: what the name stands for, and the file that it is. */
static void come_to_names(int at, const char *path, unsigned what, int links)
{
    const char *text = last_part(path);
    char folder[FOLDER_ROOM], target[FOLDER_ROOM];
    struct stat status;

    if (!text || !find_folder(path, text, folder) || !ask(at, folder, 0, &status) ||
        rdl__file_is_of_kernel(&status)) {
        come_to_file(at, path, 0, what);
        return;
    }
    if (what & FOLDERS)
        come_to_file(at, folder, 0, CHANGES);
    if (come_to_entry(at, path, rdl__combine(status.st_dev, status.st_ino) | 1, what))
        come_to_file(at, path, AT_SYMLINK_NOFOLLOW, what);
    if (links > 0 && follow(at, path, folder, target))
        come_to_names(target[0] == '/' ? AT_FDCWD : at, target, what & ~(unsigned)FOLDERS,
                      links - 1);
}

static void come_to_name(int at, const char *path, unsigned what)
{
    if (table && path)
        come_to_names(at, path, what, LINKS_MAX);
}

/* The names in it that were made or changed while the program ran free. */
static void come_to_scouted(int at, const char *path)
{
    _Alignas(struct dirent64) char bytes[4096];
    long fd, got;

    if (scouted_to == 0 || (fd = rdl__kernel(SYS_openat, at, (long)path,
                                             O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0, 0, 0)) < 0)
        return;
    while ((got = rdl__kernel(SYS_getdents64, fd, (long)bytes, sizeof bytes, 0, 0, 0)) > 0)
        for (long i = 0; i < got;) {
            const struct dirent64 *entry = (const void *)(bytes + i);

            if (was_scouted((int)fd, entry->d_name, AT_SYMLINK_NOFOLLOW))
                report(path);
            i += entry->d_reclen;
        }
    rdl__kernel(SYS_close, fd, 0, 0, 0, 0, 0);
}

/* The names in it that earlier executions have given or taken. */
static void come_to_folder(int at, const char *path)
{
    char inside[FOLDER_ROOM];
    struct stat status;
    uint64_t folder;

    if (!path || !ask(at, path, 0, &status))
        return;
    folder = rdl__combine(status.st_dev, status.st_ino) | 1;
    for (uint32_t i = 0; i < ENTRIES_MAX; i++) {
        struct entry *name = &table->entries[i];

        if (!name->is_ready || name->folder != folder || name->changed_by == this_execution)
            continue;
        snprintf(inside, sizeof inside, "%s/%s", path, name->text);
        if (name->at_first == UNKNOWN ||
            (name->at_first == MISSING) != (meaning_of_name(at, inside) == MISSING))
            report(path);
    }
    come_to_scouted(at, path);
}

/* The folder whose names are compared with a pattern like "names/a*". */
static void come_to_pattern(const char *pattern)
{
    char folder[FOLDER_ROOM] = ".";
    size_t length = pattern ? strcspn(pattern, "*?[\\~{$`") : 0;

    while (length > 0 && pattern[length - 1] != '/')
        length--;
    if (length >= sizeof folder)
        return;
    if (length > 0) {
        memcpy(folder, pattern, length);
        folder[length] = '\0';
    }
    come_to_folder(AT_FDCWD, folder);
}

/* ---- Calls ---------------------------------------------------------------------------------- */

void rdl__left_open(int at, const char *path, int flags)
{
    bool anew = flags & O_TRUNC && flags & O_CREAT && !(flags & O_EXCL);
    bool changes = flags & (O_CREAT | O_TRUNC) || (flags & O_ACCMODE) != O_RDONLY;

    if ((flags & __O_TMPFILE) != __O_TMPFILE)
        come_to_name(at, path, (anew ? 0 : LOOKS) | (changes ? CHANGES : 0));
}

/* By the mode of fopen(). */
static unsigned what_of_mode(const char *mode)
{
    if (!mode)
        return LOOKS;
    if (mode[0] == 'w')
        return CHANGES | (strchr(mode, 'x') ? LOOKS : 0);
    return LOOKS | (mode[0] == 'a' || strchr(mode, '+') ? CHANGES : 0);
}

static bool is_named(const struct rdl__call_row *row, const char *name)
{
    return strncmp(row->name, name, strlen(name)) == 0;
}

/* Calls with two names.  False: it is none. */
static bool come_to_two(const struct rdl__call_row *row, const uint64_t *arguments)
{
    bool renames = is_named(row, "rename"), links = is_named(row, "link");
    bool has_folders = strstr(row->name, "at");
    int from = has_folders ? (int)arguments[0] : AT_FDCWD;
    int to = has_folders ? (int)arguments[2] : AT_FDCWD;

    if (!renames && !links)
        return false;
    come_to_name(from, (const char *)arguments[has_folders ? 1 : 0],
                 LOOKS | (renames ? CHANGES | FOLDERS : 0));
    if (links) /* the file has one name more */
        come_to_file(from, (const char *)arguments[has_folders ? 1 : 0], AT_SYMLINK_NOFOLLOW,
                     CHANGES);
    come_to_name(to, (const char *)arguments[has_folders ? 3 : 1],
                 CHANGES | (links ? LOOKS : FOLDERS));
    return true;
}

static unsigned what_of(const struct rdl__call_row *row, const uint64_t *arguments)
{
    if (is_named(row, "creat"))
        return CHANGES;
    if (strstr(row->name, "open") && row->writes & UINT64_C(1) << RDL__STATE_NAMES)
        return what_of_mode((const char *)arguments[1]);
    return LOOKS | (row->writes & UINT64_C(1) << RDL__STATE_NAMES ? CHANGES : 0) |
           (is_named(row, "mkdir") || is_named(row, "rmdir") ? FOLDERS : 0);
}

/* Calls that list the names of folders. */
static void come_to_list(const struct rdl__call_row *row, const uint64_t *arguments)
{
    if (is_named(row, "getdents64") || is_named(row, "fdopendir"))
        come_to_folder((int)arguments[0], ".");
    else if (is_named(row, "scandirat"))
        come_to_folder((int)arguments[0], (const char *)arguments[1]);
    else if (is_named(row, "opendir") || is_named(row, "scandir") || is_named(row, "ftw") ||
             is_named(row, "nftw"))
        come_to_folder(AT_FDCWD, (const char *)arguments[0]);
    else if (strcmp(row->name, "glob") == 0 || strcmp(row->name, "glob64") == 0 ||
             strcmp(row->name, "wordexp") == 0)
        come_to_pattern((const char *)arguments[0]);
    else if (is_named(row, "fts_open"))
        for (const char *const *path = (const void *)arguments[0]; path && *path; path++)
            come_to_folder(AT_FDCWD, *path);
}

/* A socket may have the name of a file. */
static void come_to_socket(const uint64_t *arguments)
{
    const struct sockaddr_un *address = (const void *)arguments[1];
    size_t room = (socklen_t)arguments[2], before = offsetof(struct sockaddr_un, sun_path);
    char path[sizeof address->sun_path + 1] = "";

    if (!address || room <= before || room > sizeof *address || address->sun_family != AF_UNIX)
        return;
    memcpy(path, address->sun_path, room - before);
    come_to_name(AT_FDCWD, path, LOOKS | CHANGES);
}

void rdl__left_shared(const char *kind, const char *name)
{
    char path[FOLDER_ROOM];

    snprintf(path, sizeof path, "/dev/shm/%s%s", kind, name + (name[0] == '/'));
    come_to_name(AT_FDCWD, path, LOOKS | CHANGES);
}

/* Shared memory, semaphores and queues of System V, which have numbers for names.  One that is
 * there, and was not made by this execution, was left by another one, or by somebody else. */
static bool come_to_key(const struct rdl__call_row *row, const uint64_t *arguments)
{
    static const struct {
        const char *name;
        long call;
    } kinds[] = {{"shmget", SYS_shmget}, {"semget", SYS_semget}, {"msgget", SYS_msgget}};
    static struct {
        uint32_t execution;
        long call, key;
    } made[KEYS_MAX];
    static unsigned next;
    long call = 0, key = (int)arguments[0];

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(row->name, kinds[i].name) == 0)
            call = kinds[i].call;
    if (!call)
        return false;
    for (unsigned i = 0; i < KEYS_MAX; i++)
        if (made[i].execution == this_execution && made[i].call == call && made[i].key == key)
            return true;
    if (key != IPC_PRIVATE && rdl__kernel(call, key, 0, 0, 0, 0, 0) >= 0)
        rdl__limit(RDL__LIMIT_UNLIKE, "they use System V objects that were there before", "");
    made[next % KEYS_MAX].execution = this_execution;
    made[next % KEYS_MAX].call = call;
    made[next++ % KEYS_MAX].key = key;
    return true;
}

void rdl__left_call(const struct rdl__call_row *row, const uint64_t *arguments)
{
    bool has_folder = row->on == RDL__ON_PATH_AT;

    if (strstr(row->name, "chown") || strstr(row->name, "utime"))
        rdl__limit(RDL__LIMIT_UNLIKE, "they change owners or times of files", "");
    if (!table || !arguments || come_to_two(row, arguments) || come_to_key(row, arguments))
        return;
    if (strcmp(row->name, "shm_open") == 0 || strcmp(row->name, "shm_unlink") == 0)
        rdl__left_shared("", (const char *)arguments[0]);
    if (is_named(row, "symlink"))
        come_to_name(strstr(row->name, "at") ? (int)arguments[1] : AT_FDCWD,
                     (const char *)arguments[strstr(row->name, "at") ? 2 : 1], LOOKS | CHANGES);
    if (strcmp(row->name, "bind") == 0)
        come_to_socket(arguments);
    if (strcmp(row->name, "fchmod") == 0)
        rdl__left_used((int)arguments[0], true);
    come_to_list(row, arguments);
    if (row->on != RDL__ON_PATH && !has_folder)
        return;
    come_to_name(has_folder ? (int)arguments[row->argument] : AT_FDCWD,
                 (const char *)arguments[row->argument + (has_folder ? 1 : 0)],
                 what_of(row, arguments));
}
