/* regress.c -- files of failing cases, kept beside the tests and tried first. */
#include "choice/regress.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "port/io.h"

enum { FILE_MAX = 1 << 28 }; /* larger ones are nothing that we have written */

static const char header[] =
    "# Failing cases that Raddle has found.  Commit this file: they are tried first.\n";

static bool read_all(struct rdl__text *out, int fd)
{
    char bytes[16384];
    ssize_t got;

    while ((got = rdl__own_read(fd, bytes, sizeof bytes)) != 0) {
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return false;
        rdl__text_add_bytes(out, bytes, (size_t)got);
        if (out->count > FILE_MAX) {
            errno = EFBIG;
            return false;
        }
    }
    return true;
}

bool rdl__read_file(struct rdl__text *out, const char *path, struct rdl__error *error)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    bool ok = fd >= 0 && read_all(out, fd);
    int why = errno;

    if (fd >= 0)
        close(fd);
    return ok || rdl__fail(error, "cannot read %s: %s", path, strerror(why));
}

/* A device or a pipe in the place of a regression file would keep us for ever. */
static bool is_regular(const char *path, struct rdl__error *error)
{
    struct stat file;

    if (stat(path, &file) == 0 && !S_ISREG(file.st_mode))
        return rdl__fail(error, "%s is no regular file, which earlier failures could be kept in",
                         path);
    return true;
}

static bool write_all(int fd, const char *bytes, size_t count)
{
    while (count > 0) {
        ssize_t put = rdl__own_write(fd, bytes, count);

        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            return false;
        bytes += put;
        count -= (size_t)put;
    }
    return true;
}

bool rdl__is_replaceable(const char *path)
{
    struct stat status;

    return *path && (stat(path, &status) != 0 || S_ISREG(status.st_mode));
}

static char *folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    struct rdl__text folder = {0};

    rdl__text_add(&folder, "%.*s", slash ? (int)(slash - path) + 1 : 1, slash ? path : ".");
    return folder.bytes;
}

bool rdl__can_write_file(const char *path, struct rdl__error *error)
{
    char *target = realpath(path, NULL), *folder = folder_of(target ? target : path);
    struct stat status;
    bool ok;
    int why;

    if (rdl__is_replaceable(path))
        ok = access(folder, W_OK | X_OK) == 0;
    else
        ok = access(path, W_OK) == 0;
    why = errno;
    if (ok && stat(path, &status) == 0 && S_ISDIR(status.st_mode)) {
        ok = false;
        why = EISDIR;
    }
    free(target);
    free(folder);
    return ok || rdl__fail(error, "cannot write %s: %s", path, strerror(why));
}

/* Where to: a file beside it that is to take its place, or what is there. */
static int open_draft(struct rdl__text *out_draft, const char *target)
{
    if (!rdl__is_replaceable(target))
        return open(target, O_WRONLY | O_CLOEXEC);
    rdl__text_add(out_draft, "%s.XXXXXX", target);
    return mkostemp(out_draft->bytes, O_CLOEXEC);
}

/* All of it is on the disk before others see it. */
static bool settle_draft(int fd, const char *draft, const char *target)
{
    mode_t mask = umask(0);

    umask(mask);
    return fchmod(fd, 0666 & ~mask) == 0 && fsync(fd) == 0 && rename(draft, target) == 0;
}

bool rdl__write_file(const char *path, const char *bytes, size_t count, struct rdl__error *error)
{
    char *target = realpath(path, NULL); /* a link stays a link */
    struct rdl__text draft = {0};
    int fd = open_draft(&draft, target ? target : path);
    bool ok = fd >= 0 && write_all(fd, bytes, count) &&
              (!draft.bytes || settle_draft(fd, draft.bytes, target ? target : path));
    int why = errno;

    if (fd >= 0 && close(fd) != 0 && ok) {
        ok = false;
        why = errno;
    } else if (!ok && fd >= 0 && draft.bytes) {
        unlink(draft.bytes);
    }
    free(target);
    rdl__text_release(&draft);
    return ok || rdl__fail(error, "cannot write %s: %s", path, strerror(why));
}

static void add_entry(struct rdl__regress *regress, const char *text, int line)
{
    struct rdl__regress_entry *entry;
    struct rdl__error error;

    regress->entries =
        rdl__reallocate(regress->entries, (regress->count + 1) * sizeof *regress->entries);
    entry = &regress->entries[regress->count++];
    *entry = (struct rdl__regress_entry){.line = line};
    if (!rdl__token_read(&entry->token, text, &error)) {
        entry->damaged = true;
        snprintf(entry->why, sizeof entry->why, "%.255s", error.text);
    }
}

bool rdl__regress_load(struct rdl__regress *out, const char *path, struct rdl__error *error)
{
    struct rdl__text text = {0};
    char *rest, *line;
    int number = 0;

    *out = (struct rdl__regress){0};
    if (access(path, F_OK) != 0)
        return true;
    if (!is_regular(path, error) || !rdl__read_file(&text, path, error)) {
        rdl__text_release(&text);
        return false;
    }
    for (size_t i = 0; i < text.count; i++)
        if (text.bytes[i] == '\0')
            text.bytes[i] = '?'; /* no text file: the lines will say so */
    rest = text.bytes;
    while ((line = strsep(&rest, "\n"))) {
        line[strcspn(line, "#")] = '\0';
        number++;
        if (line[strspn(line, " \t\r")])
            add_entry(out, line, number);
    }
    rdl__text_release(&text);
    return true;
}

void rdl__regress_release(struct rdl__regress *regress)
{
    for (size_t i = 0; i < regress->count; i++)
        rdl__token_release(&regress->entries[i].token);
    free(regress->entries);
    *regress = (struct rdl__regress){0};
}

/* Open and lock the file that has this name at the moment we hold the lock:
 * another run may have put a new one in its place while we waited. */
static int open_locked(const char *path)
{
    for (;;) {
        int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
        struct stat held, named;

        if (fd < 0)
            return -1;
        while (flock(fd, LOCK_EX) != 0)
            if (errno != EINTR)
                break; /* a file system without locks: then without */
        if (fstat(fd, &held) == 0 && stat(path, &named) == 0 && held.st_ino == named.st_ino &&
            held.st_dev == named.st_dev)
            return fd;
        close(fd);
    }
}

bool rdl__regress_add(const char *path, const char *token, const char *comment,
                      struct rdl__error *error)
{
    struct rdl__text text = {0};
    bool ok = true, is_new;
    int fd;

    if (!is_regular(path, error))
        return false;
    fd = open_locked(path);
    if (fd < 0)
        return rdl__fail(error, "cannot write %s: %s", path, strerror(errno));
    if (!read_all(&text, fd)) {
        ok = rdl__fail(error, "cannot read %s: %s", path, strerror(errno));
    } else if (!text.bytes || !strstr(text.bytes, token)) {
        is_new = text.count == 0;
        if (is_new)
            rdl__text_add(&text, "%s", header);
        else if (text.bytes[text.count - 1] != '\n')
            rdl__text_add(&text, "\n");
        rdl__text_add(&text, "%s # ", token);
        for (; *comment; comment++)
            rdl__text_add(&text, "%c", *comment == '\n' ? ' ' : *comment);
        rdl__text_add(&text, "\n");
        ok = rdl__write_file(path, text.bytes, text.count, error);
        if (!ok && is_new)
            unlink(path); /* empty, and ours */
    }
    close(fd);
    rdl__text_release(&text);
    return ok;
}

void rdl__regress_path(struct rdl__text *out, const char *source, const char *directory)
{
    rdl__path_beside(out, source, directory, "raddle");
}

void rdl__path_beside(struct rdl__text *out, const char *source, const char *directory,
                      const char *ending)
{
    const char *slash = strrchr(source, '/');
    const char *name = slash ? slash + 1 : source;
    const char *dot = strrchr(name, '.');
    int length = dot && dot != name ? (int)(dot - name) : (int)strlen(name);

    if (directory)
        rdl__text_add(out, "%s/", directory);
    else
        rdl__text_add(out, "%.*s", (int)(name - source), source);
    rdl__text_add(out, "%.*s.%s", length, name, ending);
}
