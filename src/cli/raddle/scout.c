/* scout.c -- running a program free, to learn which of its processes has threads.
 *
 * raddle becomes the parent of processes whose parents have ended (PR_SET_CHILD_SUBREAPER), so
 * that it knows when all have ended, and can end them. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"
#include "cli/orders.h"
#include "cli/raddle/follow.h"
#include "port/addresses.h"
#include "port/kernel.h"
#include "port/process.h"

/* Time for processes to go on after one had threads: to come to their end, so that they leave
 * nothing half done behind; and is there another one that has threads? */
static const uint64_t more_ns = 1000000000;

/* ---- Talking ------------------------------------------------------------------------------ */

static sigset_t own_signals(void)
{
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    return set;
}

bool rdl__talk_begin(struct rdl__talk *talk, struct rdl__error *error)
{
    sigset_t set = own_signals();
    int news[2], go[2];

    if (pipe2(news, O_CLOEXEC | O_NONBLOCK) != 0 || pipe2(go, O_CLOEXEC) != 0)
        return rdl__fail(error, "cannot talk to the program: %s", strerror(errno));
    *talk = (struct rdl__talk){.itinerary = -1,
                               .news_in = news[0],
                               .news = news[1],
                               .go = go[0],
                               .go_in = go[1],
                               .output = -1,
                               .complaints = -1};
    sigprocmask(SIG_BLOCK, &set, NULL);
    talk->children = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    return talk->children >= 0 ||
           rdl__fail(error, "cannot learn when the program ends: %s", strerror(errno));
}

void rdl__talk_end(struct rdl__talk *talk)
{
    const int all[] = {talk->itinerary, talk->news,     talk->news_in, talk->go,
                       talk->go_in,     talk->children, talk->output,  talk->complaints};
    sigset_t set = own_signals();

    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i] >= 0)
            close(all[i]);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
}

/* Its input begins where that of other runs does, and what it prints nobody wants to see. */
static void set_descriptors(bool has_input)
{
    struct stat input;
    int fd;

    if (!has_input) {
        fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
        dup2(fd, STDIN_FILENO);
    } else if (fstat(STDIN_FILENO, &input) == 0 && S_ISREG(input.st_mode) &&
               (fd = open("/proc/self/fd/0", O_RDONLY)) > STDERR_FILENO) {
        dup2(fd, STDIN_FILENO);
        close(fd);
    }
    fd = memfd_create("raddle", MFD_CLOEXEC);
    if (fd >= 0) {
        dup2(fd, STDOUT_FILENO);
        dup2(fd, STDERR_FILENO);
    }
}

_Noreturn static void become(const struct rdl__start *what, const struct rdl__talk *talk)
{
    const struct rdl__following following = {
        .raddle = getppid(),
        .itinerary = talk->itinerary,
        .news = talk->news,
        .go = talk->go,
        .output = talk->output,
        .complaints = talk->complaints,
        .process = getpid(),
        .lineage = "r",
    };
    sigset_t set = own_signals();
    char **environment;

    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    set_descriptors(!what->is_for_raddle);
    rdl__fix_addresses();
    environment = rdl__following_environment(&following, what->library, environ);
    execve(what->path, what->argv, environment);
    _exit(RDL__EXIT_SETUP);
}

int rdl__start_followed(const struct rdl__start *what, struct rdl__talk *talk,
                        const struct rdl__text *itinerary)
{
    int pid;

    talk->itinerary = rdl__nameless_file(itinerary->bytes, itinerary->count);
    if (talk->itinerary < 0)
        return -1;
    fcntl(talk->itinerary, F_SETFD, FD_CLOEXEC);
    pid = fork();
    if (pid == 0)
        become(what, talk);
    talk->first = pid > 0 ? pid : 0;
    return pid;
}

/* We are to end, and leave nothing behind. */
static void heed_signals(const struct rdl__talk *talk)
{
    struct signalfd_siginfo info;

    while (read(talk->children, &info, sizeof info) == sizeof info) {
        sigset_t set = own_signals();

        if (info.ssi_signo == SIGCHLD)
            continue;
        rdl__end_descendants();
        signal((int)info.ssi_signo, SIG_DFL);
        raise((int)info.ssi_signo);
        sigprocmask(SIG_UNBLOCK, &set, NULL);
    }
}

/* False: there are none. */
static bool reap(struct rdl__talk *talk)
{
    pid_t pid;

    while ((pid = waitpid(-1, NULL, WNOHANG)) > 0)
        if (pid == talk->first)
            talk->first = 0;
    return pid == 0;
}

int rdl__await_news(struct rdl__talk *talk, struct rdl__news *out, uint64_t deadline_ns)
{
    struct pollfd sources[] = {{.fd = talk->news_in, .events = POLLIN},
                               {.fd = talk->children, .events = POLLIN}};

    for (;;) {
        bool are_there = reap(talk);
        uint64_t now = rdl__kernel_now_ns();

        if (read(talk->news_in, out, sizeof *out) == sizeof *out)
            return 1;
        if (!are_there || (talk->ends_with_first && !talk->first))
            return 0;
        if (now >= deadline_ns)
            return -1;
        poll(sources, 2, (int)((deadline_ns - now) / 1000000) + 1);
        heed_signals(talk);
    }
}

/* ---- What was seen ------------------------------------------------------------------------ */

static struct rdl__scouted *find(const struct rdl__scouting *scouting, const char *lineage,
                                 size_t length)
{
    for (size_t i = 0; i < scouting->count; i++)
        if (strncmp(scouting->processes[i].lineage, lineage, length) == 0 &&
            scouting->processes[i].lineage[length] == '\0')
            return &scouting->processes[i];
    return NULL;
}

const struct rdl__scouted *rdl__scouted_as(const struct rdl__scouting *scouting,
                                           const char *lineage)
{
    return find(scouting, lineage, strlen(lineage));
}

static struct rdl__scouted *find_or_add(struct rdl__scouting *scouting, const char *lineage)
{
    struct rdl__scouted *found = find(scouting, lineage, strlen(lineage));

    if (found)
        return found;
    scouting->processes =
        rdl__reallocate(scouting->processes, (scouting->count + 1) * sizeof *scouting->processes);
    found = &scouting->processes[scouting->count++];
    *found =
        (struct rdl__scouted){.lineage = rdl__duplicate(lineage), .program = rdl__duplicate("")};
    return found;
}

static void take_in(struct rdl__scouting *scouting, const struct rdl__news *news)
{
    struct rdl__scouted *process = find_or_add(scouting, news->lineage), *before;
    size_t length = strlen(news->lineage);

    switch (news->kind) {
    case RDL__NEWS_PROGRAM:
        free(process->program);
        process->program = rdl__duplicate(news->program);
        before = length ? find(scouting, news->lineage, length - 1) : NULL;
        if (before && news->lineage[length - 1] == '+')
            before->is_last = false; /* it has been followed there */
        break;
    case RDL__NEWS_EXECUTES:
        free(process->executes);
        process->executes = rdl__duplicate(news->program);
        process->is_last = true;
        break;
    case RDL__NEWS_FAILS:
        process->is_last = false;
        break;
    case RDL__NEWS_THREAD:
        process->has_threads = true;
        break;
    default:
        break;
    }
}

static void run(struct rdl__talk *talk, struct rdl__scouting *out, uint64_t deadline)
{
    struct rdl__news news;
    int state;

    while ((state = rdl__await_news(talk, &news, deadline)) > 0) {
        take_in(out, &news);
        if (news.kind != RDL__NEWS_THREAD)
            continue;
        if (!strchr(news.lineage, '.'))
            talk->ends_with_first = true; /* it is the one to explore, whatever else there is */
        if (deadline > rdl__kernel_now_ns() + more_ns)
            deadline = rdl__kernel_now_ns() + more_ns;
    }
    out->was_cut = state < 0;
}

bool rdl__scout(const struct rdl__start *what, struct rdl__scouting *out, struct rdl__error *error)
{
    uint64_t deadline = rdl__kernel_now_ns() + (uint64_t)what->timeout_ms * 1000000;
    struct rdl__text itinerary = {0};
    struct rdl__talk talk;
    bool started;

    *out = (struct rdl__scouting){0};
    if (!rdl__talk_begin(&talk, error))
        return false;
    rdl__add_word(&itinerary, "");
    rdl__add_word(&itinerary, what->library);
    started = rdl__start_followed(what, &talk, &itinerary) > 0;
    if (started)
        run(&talk, out, deadline);
    rdl__end_descendants();
    rdl__talk_end(&talk);
    rdl__text_release(&itinerary);
    return started || rdl__fail(error, "cannot start %s: %s", what->path, strerror(errno));
}
