/* test_like_kernel.c -- under control, descriptors and streams do what they do without it. */
#include "like_libc.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>

enum { SLOTS_OF = 6 };

static char name[100]; /* of a file that is made anew for each program */

static void begin_program(void)
{
    unlink(name);
    errno = 0;
}

static void tell_code(const char *what, long code)
{
    tell("%s %ld %d ", what, code, code < 0 ? errno : 0);
    errno = 0;
}

/* ---- Descriptors ---------------------------------------------------------------------------- */

/* Closed ones are -1; which number one has is not compared. */
static int fds[SLOTS_OF];

static void put_into(int slot, int fd)
{
    if (fds[slot] >= 0)
        close(fds[slot]);
    fds[slot] = fd;
}

static void make(int slot, int how)
{
    int pair[2] = {-1, -1};
    int code = 0;

    if (how == 0)
        code = pipe2(pair, O_NONBLOCK);
    if (how == 1)
        code = socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair);
    if (how == 2)
        code = -((pair[0] = open(name, O_RDWR | O_CREAT, 0600)) < 0);
    if (how == 3)
        code = -((pair[0] = eventfd(2, EFD_NONBLOCK | (slot ? EFD_SEMAPHORE : 0))) < 0);
    tell_code("make", code);
    put_into(slot, pair[0]);
    if (pair[1] >= 0)
        put_into((slot + 1) % SLOTS_OF, pair[1]);
}

static void tell_ready(void)
{
    struct pollfd polled[SLOTS_OF];
    struct timeval none = {0};
    fd_set readable;
    int last = 0;

    FD_ZERO(&readable);
    for (int i = 0; i < SLOTS_OF; i++) {
        polled[i] = (struct pollfd){.fd = fds[i], .events = POLLIN | POLLOUT};
        if (fds[i] < 0)
            continue;
        FD_SET(fds[i], &readable);
        last = fds[i] > last ? fds[i] : last;
    }
    tell_code("poll", poll(polled, SLOTS_OF, 0));
    for (int i = 0; i < SLOTS_OF; i++)
        tell("%x ", (unsigned)polled[i].revents);
    tell_code("select", select(last + 1, &readable, NULL, NULL, &none));
}

static void one_step(int i, int operation, int other)
{
    int slot = i * 5 % SLOTS_OF, fd = fds[slot], size = 1 + i * 7 % 40;
    char bytes[64] = "";
    struct iovec parts[2] = {{bytes, 3}, {bytes + 3, 8}};
    struct stat status;

    if (operation < 4) {
        make(slot, operation);
        return;
    }
    switch (operation) {
    case 4:
    case 5:
        memset(bytes, 'a' + i % 26, sizeof bytes);
        tell_code("write", write(fd, bytes, (size_t)(other ? 8 : size)));
        break;
    case 6:
    case 7:
        tell_code("read", read(fd, bytes, (size_t)(other ? 8 : size)));
        tell("%.10s ", bytes[0] >= 'a' ? bytes : "");
        break;
    case 8:
        tell_code("close", close(fd));
        fds[slot] = -1;
        break;
    case 9:
        put_into((slot + 3) % SLOTS_OF, fd < 0 ? -1 : dup(fd));
        break;
    case 10:
        if (fds[(slot + 2) % SLOTS_OF] >= 0)
            tell_code("dup2", dup2(fd, fds[(slot + 2) % SLOTS_OF]) < 0 ? -1 : 0);
        break;
    case 11:
        tell_code("seek", lseek(fd, other ? 0 : size, other ? SEEK_END : SEEK_SET));
        break;
    case 12:
        tell_code("flags", fcntl(fd, F_GETFL));
        tell_code("set", fcntl(fd, F_SETFD, other));
        break;
    case 13:
        tell_ready();
        break;
    case 14:
        tell_code("shut", shutdown(fd, other ? SHUT_WR : SHUT_RD));
        break;
    case 15:
        tell_code("peek", recv(fd, bytes, 5, MSG_PEEK));
        tell_code("send", send(fd, "xyz", 3, MSG_NOSIGNAL));
        break;
    case 16:
        tell_code("cut", ftruncate(fd, size));
        tell_code("stat", fstat(fd, &status));
        break;
    case 17:
        tell_code("readv", readv(fd, parts, 2));
        tell_code("writev", writev(fd, parts, 2));
        break;
    case 18:
        tell_code("pread", pread(fd, bytes, 4, size));
        tell_code("pwrite", pwrite(fd, "pq", 2, other));
        break;
    }
}

static void descriptors(void)
{
    begin_program();
    signal(SIGPIPE, SIG_IGN);
    for (int i = 0; i < SLOTS_OF; i++)
        fds[i] = -1;
    for (int i = 0; i < CALLS_MOST; i++)
        one_step(i, i < 4 ? (program[i][0] + kind) % 4 : program[i][0], program[i][1]);
    for (int i = 0; i < SLOTS_OF; i++)
        put_into(i, -1);
    unlink(name);
}

/* ---- Streams -------------------------------------------------------------------------------- */

static void step_of_stream(FILE *stream, int i, int operation, int other)
{
    char text[40] = "", word[20] = "", *line = NULL;
    int number = -1;
    size_t room = 0;

    switch (operation) {
    case 0:
        tell_code("puts", fputs(other ? "some words\n" : "12 34 x\n", stream));
        break;
    case 1:
        tell_code("printf", fprintf(stream, "%d %s %5.2f %c\n", i, "text", i / 4.0, 'z'));
        break;
    case 2:
        tell_code("gets", fgets(text, other ? 4 : sizeof text, stream) ? 0 : -1);
        tell("[%s] ", text);
        break;
    case 3:
        tell_code("scanf", fscanf(stream, "%d %19s", &number, word));
        tell("%d [%s] ", number, word);
        break;
    case 4:
        tell_code("seek", fseek(stream, other ? 0 : i, other ? SEEK_END : SEEK_SET));
        tell("at %ld ", ftell(stream));
        break;
    case 5:
        tell("getc %d ", fgetc(stream));
        tell("ungetc %d ", ungetc('a' + i % 26, stream));
        break;
    case 6:
        tell("read %zu ", fread(text, other ? 1 : 3, 5, stream));
        tell("[%.15s] ", text);
        break;
    case 7:
        tell("write %zu ", fwrite("0123456789", other ? 2 : 5, 2, stream));
        break;
    case 8:
        tell("putc %d ", putc('0' + i % 10, stream));
        tell_code("flush", fflush(stream));
        break;
    case 9:
        if (getline(&line, &room, stream) >= 0)
            tell("line [%s] ", line);
        free(line);
        break;
    case 10:
        rewind(stream);
        tell("end %d error %d ", feof(stream), ferror(stream));
        break;
    case 11:
        tell("end %d error %d ", feof(stream), ferror(stream));
        clearerr(stream);
        break;
    case 12:
        snprintf(text, other ? 5 : sizeof text, "%s-%03d-%*d", "cut", i, 4, i);
        tell("[%s] %d ", text, sscanf("7,8", "%d,%d", &number, &number));
        break;
    }
}

/* Between reading and writing stands a seek. */
static void streams(void)
{
    static const char *const modes[] = {"w+", "a+", "r"};
    bool last_reads = false;
    FILE *stream;

    begin_program();
    stream = fopen(name, modes[kind]);
    tell("open %d ", stream != NULL);
    for (int i = 0; stream && i < CALLS_MOST; i++) {
        int operation = program[i][0];
        bool reads =
            operation == 2 || operation == 3 || operation == 5 || operation == 6 || operation == 9;
        bool writes = operation < 2 || operation == 7 || operation == 8;

        if ((reads && !last_reads) || (writes && last_reads))
            fseek(stream, 0, reads ? SEEK_SET : SEEK_END);
        if (reads || writes)
            last_reads = reads;
        step_of_stream(stream, i, operation, program[i][1]);
    }
    if (stream)
        tell("close %d", fclose(stream));
    unlink(name);
}

TEST(descriptors_do_what_they_do_without_control)
{
    snprintf(name, sizeof name, "/tmp/raddle_test_like_kernel_%d", (int)getpid());
    expect_alike(soak() ? 4000 : 120, 19, 4, descriptors);
}

TEST(streams_do_what_they_do_without_control)
{
    snprintf(name, sizeof name, "/tmp/raddle_test_like_kernel_%d", (int)getpid());
    expect_alike(soak() ? 2000 : 60, 13, 3, streams);
}
