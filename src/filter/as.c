/* as.c -- stands in for the assembler: adds to what a compiler wrote, and has the real one
 * assemble it.
 *
 * Compilers find it by -B.  Whatever it does not understand, it hands on as it is; and if the
 * real assembler refuses the text with the additions, it is given the text without them. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/text.h"
#include "filter/rewrite.h"

enum { FAILED = 1 };

_Noreturn static void fail(const char *what, const char *why)
{
    fprintf(stderr, "raddle cc: assembler: %s: %s\n", what, why);
    exit(FAILED);
}

/* ---- The real one ------------------------------------------------------------------------- */

static bool is_this(const char *path)
{
    struct stat other, self;

    return stat(path, &other) == 0 && stat("/proc/self/exe", &self) == 0 &&
           other.st_dev == self.st_dev && other.st_ino == self.st_ino;
}

static bool try_folder(char *out, size_t room, const char *folder, size_t length)
{
    snprintf(out, room, "%.*s/as", (int)length, folder);
    return access(out, X_OK) == 0 && !is_this(out);
}

/* The first `as` that is not this program: in the folders of the compiler, then in those of
 * the shell. */
static const char *real_assembler(void)
{
    static char path[4096];
    const char *lists[] = {getenv("COMPILER_PATH"), getenv("PATH"), "/usr/bin:/bin"};

    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        for (const char *at = lists[i]; at && *at;) {
            size_t length = strcspn(at, ":");

            if (length > 0 && try_folder(path, sizeof path, at, length))
                return path;
            at += length + (at[length] == ':');
        }
    fail("as", "there is no other assembler in PATH; install binutils");
}

/* ---- Input and output --------------------------------------------------------------------- */

/* Does its value stand in the next argument? */
static bool takes_value(const char *option)
{
    static const char *const options[] = {"-o", "-I", "--MD", "--defsym", "--debug-prefix-map",
                                          "-D"};

    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (strcmp(option, options[i]) == 0 && strcmp(option, "-D") != 0)
            return true;
    return false;
}

/* Where its only input is named; 0: it is standard input.  -1: there are several, or there
 * is nothing to assemble. */
static int input_of(int argc, char **argv)
{
    int found = 0;

    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--version") == 0 || strcmp(argv[i], "--help") == 0)
            return -1;
        if (argv[i][0] != '-' && argv[i][0] != '@') {
            if (found)
                return -1;
            found = i;
        } else if (argv[i][0] == '@') {
            return -1;
        }
        i += takes_value(argv[i]);
    }
    return found;
}

static bool read_all(int fd, struct rdl__text *out)
{
    static char buffer[1 << 16];
    ssize_t got;

    while ((got = read(fd, buffer, sizeof buffer)) > 0 || (got < 0 && errno == EINTR))
        if (got > 0)
            rdl__text_add_bytes(out, buffer, (size_t)got);
    return got == 0;
}

/* A file without a name that has this in it, to be read from its beginning. */
static int file_of(const struct rdl__text *text)
{
    int fd = memfd_create("raddle-as", MFD_CLOEXEC);

    if (fd < 0)
        fail("memfd_create", strerror(errno));
    for (size_t done = 0; done < text->count;) {
        ssize_t wrote = write(fd, text->bytes + done, text->count - done);

        if (wrote < 0 && errno != EINTR)
            fail("write", strerror(errno));
        done += wrote > 0 ? (size_t)wrote : 0;
    }
    lseek(fd, 0, SEEK_SET);
    return fd;
}

/* ---- Assembling --------------------------------------------------------------------------- */

/* It takes our place. */
_Noreturn static void hand_over(char **argv, int input)
{
    const char *path = real_assembler();

    if (input >= 0 && dup2(input, STDIN_FILENO) < 0)
        fail("dup2", strerror(errno));
    execv(path, argv);
    fail(path, strerror(errno));
}

/* In a process of its own.  True: it did; then its warnings are shown. */
static bool assemble(char **argv, int input)
{
    struct rdl__text none = {0}, words = {0};
    int complaints = file_of(&none), status = 0;
    pid_t child = fork();

    if (child < 0)
        return false;
    if (child == 0) {
        dup2(complaints, STDERR_FILENO);
        hand_over(argv, input);
    }
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    lseek(complaints, 0, SEEK_SET);
    if (status == 0 && read_all(complaints, &words) && words.count)
        fwrite(words.bytes, 1, words.count, stderr);
    rdl__text_release(&words);
    close(complaints);
    return status == 0;
}

int main(int argc, char **argv)
{
    struct rdl__text text = {0}, rewritten = {0};
    int at = input_of(argc, argv), fd = STDIN_FILENO;
    char **without; /* the input, which comes from us */
    int count = 0;

    if (at < 0)
        hand_over(argv, -1);
    if (at > 0)
        fd = open(argv[at], O_RDONLY | O_CLOEXEC);
    if (fd < 0 || !read_all(fd, &text))
        hand_over(argv, -1);
    without = calloc((size_t)argc + 1, sizeof *without);
    for (int i = 0; without && i < argc; i++)
        if (i == 0 || i != at)
            without[count++] = argv[i];
    if (without && rdl__rewrite(&rewritten, (struct rdl__span){text.bytes, text.count}) &&
        assemble(without, file_of(&rewritten)))
        return 0;
    hand_over(argv, at == 0 ? file_of(&text) : -1);
}
