/* follow.c -- in a program that is followed: run free and send news, or take over.
 *
 * Invariant:  a process knows its lineage.  Its copies get theirs in `is_copy`, programs that it
 *             executes by the environment.
 *
 * A copy that takes over does so in the middle of fork: exploring then happens on a stack of
 * its own, and each execution goes back to the stack that the copy has, and returns from fork. */
#include "cli/program/follow.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <ucontext.h>
#include <unistd.h>

#include "base/apart.h"
#include "base/memory.h"
#include "cli/follow.h"
#include "cli/orders.h"
#include "control/sched/follow.h"
#include "control/sched/left.h"
#include "port/kernel.h"

/* Input that comes from a process which does not end is cut: after so many bytes, or so long a
 * pause. */
enum { INPUT_MAX = 16 << 20, INPUT_PAUSE_MS = 1000 };

#define STACK_SIZE ((size_t)64 << 20) /* mapped, and used as far as needed */

static struct {
    struct rdl__following following;
    struct rdl__order_words itinerary;
    const char *target, *library;
    int news;        /* kept open, for a process that leaves for another namespace; -1: it is not */
    ino_t news_ino;  /* what it is open on, in case the program closes it and opens another */
    unsigned copies; /* that this program has made of itself */
    bool creates;    /* a thread; that has been told */
    int argc;
    char **argv;
} here = {.news = -1};

/* ---- News --------------------------------------------------------------------------------- */

/* A descriptor of raddle's, opened anew. */
static int open_of_raddle(int fd, int flags)
{
    char path[64];

    snprintf(path, sizeof path, "/proc/%d/fd/%d", here.following.raddle, fd);
    return (int)rdl__kernel(SYS_open, (long)path, flags | O_CLOEXEC, 0, 0, 0, 0);
}

/* A copy that was made in a way that we do not see. */
static void check_lineage(void)
{
    int process = (int)rdl__kernel(SYS_getpid, 0, 0, 0, 0, 0, 0);

    if (here.following.process != process && here.following.process != 0)
        strncat(here.following.lineage, ".?",
                RDL__LINEAGE_ROOM - 1 - strlen(here.following.lineage));
    here.following.process = process;
}

static void open_news(void)
{
    struct stat file;

    here.news = rdl__kernel_out_of_the_way(open_of_raddle(here.following.news, O_WRONLY));
    if (here.news >= 0 && rdl__kernel_fstat(here.news, &file) == 0)
        here.news_ino = file.st_ino;
}

static bool news_are_open(void)
{
    struct stat file;

    return here.news >= 0 && rdl__kernel_fstat(here.news, &file) == 0 && S_ISFIFO(file.st_mode) &&
           file.st_ino == here.news_ino;
}

static void tell_of(enum rdl__news_kind kind, const char *lineage, const char *program)
{
    struct rdl__news news = {.kind = kind, .process = here.following.process};

    snprintf(news.lineage, sizeof news.lineage, "%s", lineage);
    snprintf(news.program, sizeof news.program, "%s", program);
    if (!news_are_open())
        open_news();
    if (here.news >= 0) /* else nobody wants to know any more */
        rdl__kernel(SYS_write, here.news, (long)&news, sizeof news, 0, 0, 0);
}

static void tell(enum rdl__news_kind kind, const char *program)
{
    check_lineage();
    tell_of(kind, here.following.lineage, program);
}

/* ---- What a program that runs free does --------------------------------------------------- */

static void creates(void)
{
    if (!here.creates)
        tell(RDL__NEWS_THREAD, here.argv[0] ? here.argv[0] : "");
    here.creates = true;
}

static void forks(void)
{
    check_lineage();
    here.copies++;
}

/* The lineage of the process that has just been made, or is about to be. */
static void add_copy(char lineage[RDL__LINEAGE_ROOM])
{
    size_t length = strlen(lineage);

    snprintf(lineage + length, RDL__LINEAGE_ROOM - length, ".%u", here.copies);
}

static void take_over_here(void);

static void is_copy(void)
{
    add_copy(here.following.lineage);
    here.following.process = (int)rdl__kernel(SYS_getpid, 0, 0, 0, 0, 0, 0);
    here.copies = 0;
    here.creates = false;
    if (strcmp(here.following.lineage, here.target) == 0)
        take_over_here();
    else
        tell(RDL__NEWS_PROGRAM, here.argv[0] ? here.argv[0] : "");
}

static bool is_along_path(struct rdl__text *out, const char *file)
{
    const char *folder = getenv("PATH");

    while (folder && *folder) {
        int length = (int)strcspn(folder, ":");

        rdl__text_clear(out);
        rdl__text_add(out, "%.*s/%s", length ? length : 1, length ? folder : ".", file);
        if (access(out->bytes, X_OK) == 0)
            return true;
        folder += length + (folder[length] == ':');
    }
    return false;
}

/* Its absolute path, as far as that is known. */
static void find(struct rdl__text *out, const struct rdl__execution_of *what)
{
    char link[64], folder[PATH_MAX];
    ssize_t length;

    if (what->is_searched_for && !strchr(what->file, '/')) {
        if (is_along_path(out, what->file))
            return;
    }
    rdl__text_clear(out);
    if (what->folder == AT_FDCWD)
        snprintf(link, sizeof link, "/proc/self/cwd");
    else
        snprintf(link, sizeof link, "/proc/self/fd/%d", what->folder);
    length = readlink(link, folder, sizeof folder);
    if (what->file[0] != '/' && length > 0)
        rdl__text_add(out, "%.*s%s", (int)length, folder, what->file[0] ? "/" : "");
    rdl__text_add(out, "%s", what->file);
}

static char **executes(const struct rdl__execution_of *what, char *const *environment)
{
    struct rdl__following next;
    struct rdl__text path = {0};
    int before = errno;

    check_lineage();
    next = here.following;
    if (what->in_new_process) {
        here.copies++;
        add_copy(next.lineage);
        next.process = 0;
    }
    find(&path, what);
    tell_of(RDL__NEWS_EXECUTES, next.lineage, rdl__text_string(&path));
    rdl__text_release(&path);
    errno = before;
    return rdl__following_environment(&next, here.library, environment);
}

static void fails(void)
{
    tell(RDL__NEWS_FAILS, "");
}

static const struct rdl__follower running_free = {
    .creates = creates,
    .forks = forks,
    .is_copy = is_copy,
    .executes = executes,
    .fails = fails,
};

/* ---- Taking over -------------------------------------------------------------------------- */

/* False: it has not come to its end. */
static bool read_input(struct rdl__text *out)
{
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
    char block[4096];
    ssize_t got = 1;

    while (got > 0 && out->count < INPUT_MAX && poll(&input, 1, INPUT_PAUSE_MS) > 0) {
        got = read(STDIN_FILENO, block, sizeof block);
        if (got > 0)
            rdl__text_add_bytes(out, block, (size_t)got);
    }
    return got <= 0;
}

/* Every execution reads the input from its beginning, so it has to be a file.  The processes that
 * write it have not been ended yet. */
static void keep_input(struct rdl__followed *followed)
{
    struct rdl__text input = {0};
    struct stat file;
    int fd;

    if (fstat(STDIN_FILENO, &file) != 0 || (!S_ISFIFO(file.st_mode) && !S_ISSOCK(file.st_mode)))
        return;
    followed->input_is_cut = !read_input(&input);
    fd = rdl__nameless_file(input.bytes, input.count);
    rdl__text_release(&input);
    if (fd >= 0) {
        dup2(fd, STDIN_FILENO);
        close(fd);
    }
}

/* The report goes where raddle's output goes, whatever the program prints to. */
static void report_to(int inherited, int number)
{
    char path[64];
    struct stat ours, raddles;
    int fd = inherited;

    snprintf(path, sizeof path, "/proc/%d/fd/%d", here.following.raddle, number);
    if (fstat(inherited, &ours) != 0 || stat(path, &raddles) != 0 || ours.st_ino != raddles.st_ino)
        fd = open_of_raddle(number, O_WRONLY | O_APPEND);
    if (fd >= 0) {
        dup2(fd, number);
        close(fd);
    }
}

/* raddle ends those that have started us, which might do something when they no longer
 * want to wait, and becomes our parent. */
static void become_raddles(void)
{
    char byte;
    int fd = open_of_raddle(here.following.go, O_RDONLY);

    prctl(PR_SET_PDEATHSIG, 0);
    tell(RDL__NEWS_TAKES_OVER, "");
    if (fd < 0 || rdl__kernel(SYS_read, fd, (long)&byte, 1, 0, 0, 0) != 1)
        _exit(2);
    rdl__kernel_close(fd);
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* however raddle ends, we do, too */
    if (getppid() != here.following.raddle)
        _exit(2);
}

/* The program is to find the number free. */
static void close_news(void)
{
    if (news_are_open())
        rdl__kernel_close(here.news);
    here.news = -1;
}

static void note_scouting(const char *times)
{
    uint64_t from = 0, to = 0;

    sscanf(times, "%" SCNu64 " %" SCNu64, &from, &to);
    rdl__left_scouted(from, to);
}

_Noreturn static void take_over(rdl__main_function *function)
{
    static struct rdl__followed followed;
    const char *name;

    rdl__follower = NULL;
    note_scouting(rdl__next_word(&here.itinerary));
    name = rdl__next_word(&here.itinerary);
    followed.program = rdl__next_word(&here.itinerary);
    followed.started_by = rdl__next_word(&here.itinerary);
    followed.is_copy = *rdl__next_word(&here.itinerary) != '\0';
    followed.other_count = (size_t)atoi(rdl__next_word(&here.itinerary));
    followed.others = rdl__allocate((followed.other_count + 1) * sizeof *followed.others);
    for (size_t i = 0; i < followed.other_count; i++)
        followed.others[i] = rdl__next_word(&here.itinerary);
    keep_input(&followed);
    become_raddles();
    close_news();
    report_to(here.following.output, STDOUT_FILENO);
    report_to(here.following.complaints, STDERR_FILENO);
    rdl__program_explore_followed(function, here.argc, here.argv, name, &followed, &here.itinerary);
}

static ucontext_t in_fork, exploring;

/* What main is to an execution of a copy. */
static int return_from_fork(int argc, char **argv, char **environment)
{
    (void)argc;
    (void)argv;
    (void)environment;
    setcontext(&in_fork);
    return 0;
}

static void explore_copy(void)
{
    take_over(return_from_fork);
}

static void take_over_here(void)
{
    void *stack = rdl__map(STACK_SIZE, MAP_PRIVATE | MAP_NORESERVE);

    if (!stack || getcontext(&exploring) != 0)
        _exit(2);
    exploring.uc_stack.ss_sp = stack;
    exploring.uc_stack.ss_size = STACK_SIZE;
    makecontext(&exploring, explore_copy, 0);
    swapcontext(&in_fork, &exploring);
}

/* ---- The beginning of a program ----------------------------------------------------------- */

/* From here on it sees its environment as if we were not there. */
static bool learn(int argc, char **argv)
{
    const char *variable = getenv(RDL__FOLLOW_VARIABLE);
    bool known = rdl__following_read(&here.following, variable);
    int fd;

    here.argc = argc;
    here.argv = argv;
    rdl__apart_begin();
    rdl__for_us = rdl__is_apart;
    rdl__following_put_back();
    if (!known || (fd = open_of_raddle(here.following.itinerary, O_RDONLY)) < 0)
        return false;
    here.itinerary = rdl__read_words(fd);
    here.target = rdl__next_word(&here.itinerary);
    here.library = rdl__next_word(&here.itinerary);
    return here.library != NULL;
}

int rdl__program_follow(rdl__main_function *function, int argc, char **argv)
{
    if (!learn(argc, argv)) {
        rdl__for_us = false;
        return function(argc, argv, environ);
    }
    check_lineage();
    strncat(here.following.lineage, "+", RDL__LINEAGE_ROOM - 1 - strlen(here.following.lineage));
    if (strcmp(here.following.lineage, here.target) == 0)
        take_over(function);
    tell(RDL__NEWS_PROGRAM, argv[0] ? argv[0] : "");
    rdl__follower = &running_free;
    rdl__for_us = false;
    return function(argc, argv, environ);
}
