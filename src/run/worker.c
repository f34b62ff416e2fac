/* worker.c -- a process that runs cases, and is replaced when one of them ends
 * it.
 *
 * Parent and worker talk by single bytes over a socket: `do it`, `done`.  That
 * the worker is gone is told by its pidfd rather than by the socket's end,
 * because children of the code under test may hold the socket open. */
#include "run/worker.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/memory.h"
#include "control/alike.h"
#include "control/sched/left.h"
#include "control/sched/sched.h"
#include "port/book.h"
#include "port/clock.h"
#include "port/coverage.h"
#include "port/helper.h"
#include "port/io.h"
#include "port/kernel.h"
#include "run/attribute.h"
#include "run/execute.h"

enum {
    CAPTURE_MAX = 1 << 20,  /* a longer capture is thrown away between tasks */
    ABANDONED_STATUS = 217, /* a thread of the case failed a check, or is wrong itself */
    STOPPED_STATUS = 218,   /* the worker stopped itself: see stop_text */
    DEATH_WAIT_MS = 1000,   /* a hung worker gets this long to say where it hangs */
    WORKERS_MAX = 256,
};

volatile int rdl__interrupted;
void (*rdl__worker_judge)(struct rdl__board *board, int status, bool hung);

static struct sigaction old_int, old_term;
static int wake_fd = -1; /* readable once a signal has come */
static bool watching;

/* The first signal asks us to stop; a second one does what it always does. */
static void on_interrupt(int signal)
{
    int why = errno;

    rdl__interrupted = signal;
    eventfd_write(wake_fd, 1);
    errno = why;
}

int rdl__forget_interrupt(void)
{
    int signal = rdl__interrupted;
    eventfd_t unused;

    rdl__interrupted = 0;
    if (wake_fd >= 0)
        eventfd_read(wake_fd, &unused);
    return signal;
}

bool rdl__watch_interrupts(struct rdl__error *error)
{
    struct sigaction action = {.sa_handler = on_interrupt, .sa_flags = SA_RESETHAND | SA_RESTART};

    wake_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    if (wake_fd < 0)
        return rdl__fail(error, "cannot watch for signals: %s", strerror(errno));
    wake_fd = rdl__kernel_out_of_the_way(wake_fd);
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, &old_int);
    sigaction(SIGTERM, &action, &old_term);
    watching = true;
    return true;
}

void rdl__unwatch_interrupts(void)
{
    if (!watching)
        return;
    sigaction(SIGINT, &old_int, NULL);
    sigaction(SIGTERM, &old_term, NULL);
    close(wake_fd);
    wake_fd = -1;
    watching = false;
}

bool rdl__worker_init(struct rdl__worker *worker, uint32_t choices_room, bool forks, bool captures,
                      struct rdl__error *error)
{
    *worker = (struct rdl__worker){
        .forks = forks, .captures = captures, .capture = -1, .socket = -1, .pidfd = -1};
    worker->board = rdl__board_new(choices_room, error);
    if (!worker->board)
        return false;
    if (!forks) {
        worker->own_case = rdl__allocate(sizeof *worker->own_case);
        return true;
    }
    rdl__crash_prepare();
    if (captures) {
        worker->capture = memfd_create("raddle", MFD_CLOEXEC);
        if (worker->capture < 0 || fcntl(worker->capture, F_SETFL, O_APPEND) < 0)
            return rdl__fail(error, "cannot make a file for the output of cases: %s",
                             strerror(errno));
        worker->capture = rdl__kernel_out_of_the_way(worker->capture);
    }
    return true;
}

/* ---- In the worker ---------------------------------------------------------- */

struct rdl__board *rdl__this_board;

static void abandon(void)
{
    _exit(ABANDONED_STATUS);
}

static void stop_here(const char *message)
{
    snprintf(rdl__this_board->stop_text, sizeof rdl__this_board->stop_text, "%s", message);
    _exit(STOPPED_STATUS);
}

static int capture_here = -1;

void rdl__capture_begin(void)
{
    if (capture_here < 0 || lseek(capture_here, 0, SEEK_END) <= 0)
        return;
    if (ftruncate(capture_here, 0) != 0 || lseek(capture_here, 0, SEEK_SET) != 0)
        rdl__stop("cannot empty the file for the program's output: %s", strerror(errno));
}

static void give_standard_files(const struct rdl__worker *worker)
{
    int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);

    if (nothing >= 0)
        dup2(nothing, STDIN_FILENO);
    if (nothing > STDERR_FILENO)
        close(nothing);
    if (worker->capture >= 0) {
        dup2(worker->capture, STDOUT_FILENO);
        dup2(worker->capture, STDERR_FILENO);
        capture_here = worker->capture;
    }
}

/* Threads that a failed case left behind would run on into the next one. */
static bool other_threads_run(void)
{
    struct stat tasks;

    return stat("/proc/self/task", &tasks) == 0 && tasks.st_nlink > 3;
}

/* What calls of a spec leave behind under control are threads that wait, as they do at the end
 * of many a case that passes: they can be forgotten as well. */
static bool is_unclean(const struct rdl_test *test)
{
    if (!test->options.explore)
        return other_threads_run();
    return rdl__explorer_unclean && !test->options.spec;
}

static void throw_away_long_capture(const struct rdl__worker *worker)
{
    struct stat capture;

    if (worker->capture >= 0 && fstat(worker->capture, &capture) == 0 &&
        capture.st_size > CAPTURE_MAX && ftruncate(worker->capture, 0) != 0)
        return; /* then it stays: nothing depends on it */
}

/* A core of a worker, with all our shared memory in it, takes the better part of
 * a second to write, and a crash is shrunk by crashing.  1 byte rather than 0:
 * where cores are piped to a program, only that keeps the kernel from starting it. */
static void leave_no_core(void)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_CORE, &limit) == 0 && limit.rlim_cur > 1) {
        limit.rlim_cur = 1;
        setrlimit(RLIMIT_CORE, &limit);
    }
}

static void be_a_process_of_our_own(const struct rdl__worker *worker, int parent)
{
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(STOPPED_STATUS); /* it died before it could tell us */
    rdl__coverage_begin();
    rdl__unwatch_interrupts();
    leave_no_core();
    give_standard_files(worker);
    rdl__on_stop = stop_here;
    worker->board->crash.signal = 0;
    worker->board->stop_text[0] = '\0';
    worker->board->retire = false;
    worker->board->exploring = false;
    worker->board->child = 0;
    worker->board->hung = false;
    rdl__this_board = worker->board;
    rdl__explorer_child = &worker->board->child;
    worker->board->works_apart = 0;
    rdl__works_apart = &worker->board->works_apart;
    rdl__crash_watch(&worker->board->crash);
}

static bool read_byte(int fd)
{
    char byte;
    ssize_t got;

    do
        got = rdl__own_read(fd, &byte, 1);
    while (got < 0 && errno == EINTR);
    return got == 1;
}

static bool write_byte(int fd)
{
    ssize_t put;

    do
        put = rdl__own_send(fd, "", 1, MSG_NOSIGNAL);
    while (put < 0 && errno == EINTR);
    return put == 1;
}

/* We cannot talk to the parent any more, though it is there: then the case has
 * closed what is ours.  If it failed as well, that goes first. */
_Noreturn static void lose_parent(void)
{
    if (rdl__this_board->outcome.verdict == RDL__FAILED)
        _exit(ABANDONED_STATUS);
    stop_here("a case has closed file descriptors that are not its own");
    _exit(STOPPED_STATUS);
}

_Noreturn static void serve(const struct rdl__worker *worker, int socket, int parent)
{
    struct rdl_case t;
    const struct rdl_fixture *fixture = NULL;
    static const volatile int never;

    be_a_process_of_our_own(worker, parent);
    rdl__case_init(&t, worker->board, abandon);
    rdl__mind_forks();
    while (read_byte(socket)) {
        if (!fixture && (fixture = worker->board->task.test->options.fixture) &&
            fixture->setup_once)
            fixture->setup_once();
        if (worker->board->task.traced)
            setvbuf(stdout, NULL, _IONBF, 0); /* what it prints before a crash is to be seen */
        rdl__do_task(worker->board, &t, &never);
        fflush(NULL);
        throw_away_long_capture(worker);
        if (worker->board->outcome.verdict == RDL__FAILED)
            worker->board->retire = is_unclean(worker->board->task.test);
        worker->board->retire |= rdl__worn_out;
        if (!write_byte(socket))
            lose_parent();
    }
    if (fixture && fixture->teardown_once)
        fixture->teardown_once();
    fflush(NULL);
    _exit(0);
}

/* ---- Without a worker ------------------------------------------------------- */

/* Fixtures that this process has set up. */
static const struct rdl_fixture **fixtures;
static size_t fixture_count;

static void set_up_here(const struct rdl_fixture *fixture)
{
    for (size_t i = 0; i < fixture_count; i++)
        if (fixtures[i] == fixture)
            return;
    fixtures = rdl__reallocate(fixtures, (fixture_count + 1) * sizeof *fixtures);
    fixtures[fixture_count++] = fixture;
    if (fixture->setup_once)
        fixture->setup_once();
}

/* The last one first. */
static void tear_down_here(void)
{
    while (fixture_count > 0) {
        const struct rdl_fixture *last = fixtures[--fixture_count];

        if (last->teardown_once)
            last->teardown_once();
    }
    free(fixtures);
    fixtures = NULL;
}

/* ---- In the parent ---------------------------------------------------------- */

/* Where there are no pidfds, as in valgrind, it has to do that the worker is the last to
 * hold one end of a pipe; so this comes before it is started.  {-1, -1}: there are. */
static bool prepare_watch(int pipe[2])
{
    static enum { UNKNOWN, THERE, MISSING } pidfds;

    if (pidfds == UNKNOWN) {
        int self = (int)syscall(SYS_pidfd_open, getpid(), 0);

        pidfds = self < 0 && errno == ENOSYS ? MISSING : THERE;
        if (self >= 0)
            close(self);
    }
    pipe[0] = pipe[1] = -1;
    return pidfds == THERE || pipe2(pipe, O_CLOEXEC) == 0;
}

/* A descriptor that can be read from when the worker is gone; -1 and errno. */
static int watch(int pid, const int pipe[2])
{
    if (pipe[0] < 0)
        return (int)syscall(SYS_pidfd_open, pid, 0);
    close(pipe[1]);
    return pipe[0];
}

static bool start(struct rdl__worker *worker, struct rdl__error *error)
{
    int pair[2], end[2], parent = getpid(), pid;

    if (!prepare_watch(end) || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
        return rdl__fail(error, "cannot talk to a worker process: %s", strerror(errno));
    rdl__book_open();
    rdl__coverage_prepare();
    rdl__left_prepare();
    if (worker->board->task.test->options.explore)
        rdl__execution_prepare();
    fflush(NULL); /* or the worker would write it a second time */
    pid = fork();
    if (pid == 0) {
        close(pair[0]);
        if (end[1] >= 0)
            rdl__kernel_out_of_the_way(end[1]);
        serve(worker, rdl__kernel_out_of_the_way(pair[1]), parent);
    }
    close(pair[1]);
    if (pid < 0) {
        close(pair[0]);
        if (end[0] >= 0)
            close(watch(0, end));
        return rdl__fail(error, "cannot start a worker process: %s (--no-fork runs cases without)",
                         strerror(errno));
    }
    setpgid(pid, pid); /* both sides do it, so that neither is too late */
    worker->pid = pid;
    worker->socket = rdl__kernel_out_of_the_way(pair[0]);
    worker->pidfd = watch(pid, end);
    if (worker->pidfd < 0) {
        int why = errno;

        rdl__worker_retire(worker);
        return rdl__fail(error, "cannot watch a worker process: %s", strerror(why));
    }
    worker->pidfd = rdl__kernel_out_of_the_way(worker->pidfd);
    return true;
}

/* Wait for the process to be gone; its status. */
static int reap(struct rdl__worker *worker)
{
    int status = 0;

    while (waitpid(worker->pid, &status, 0) < 0 && errno == EINTR)
        continue;
    kill(-worker->pid, SIGKILL); /* what it has left behind of its own */
    close(worker->socket);
    if (worker->pidfd >= 0)
        close(worker->pidfd);
    worker->socket = worker->pidfd = -1;
    worker->pid = 0;
    worker->busy = false;
    return status;
}

static bool is_gone(const struct rdl__worker *worker, int wait_ms)
{
    struct pollfd one = {.fd = worker->pidfd, .events = POLLIN};

    return rdl__own_poll(&one, 1, wait_ms) == 1;
}

void rdl__worker_retire(struct rdl__worker *worker)
{
    if (worker->pid == 0)
        return;
    shutdown(worker->socket, SHUT_RDWR);
    /* A fixture may have something to do at the end, but not for ever. */
    if (worker->busy || worker->pidfd < 0 || !is_gone(worker, DEATH_WAIT_MS))
        kill(-worker->pid, SIGKILL);
    reap(worker);
}

void rdl__worker_release(struct rdl__worker *worker)
{
    rdl__worker_retire(worker);
    if (!worker->forks)
        tear_down_here();
    if (worker->own_case)
        rdl__case_release(worker->own_case);
    free(worker->own_case);
    if (worker->capture >= 0)
        close(worker->capture);
    rdl__board_free(worker->board);
    *worker = (struct rdl__worker){.capture = -1, .socket = -1, .pidfd = -1};
}

static void end_thread(void)
{
    pthread_exit(NULL);
}

static void do_it_here(struct rdl__worker *worker)
{
    const struct rdl_test *test = worker->board->task.test;
    static const struct rdl_test *last;

    if (worker->own_case->tape == NULL) {
        rdl__case_init(worker->own_case, worker->board, end_thread);
        rdl__mind_forks();
    }
    if (test != last)
        rdl__alike_anew();
    if (test->options.fixture)
        set_up_here(test->options.fixture);
    last = test;
    rdl__do_task(worker->board, worker->own_case, &rdl__interrupted);
    worker->busy = true;
}

bool rdl__worker_submit(struct rdl__worker *worker, struct rdl__error *error)
{
    rdl__bug_if(worker->busy);
    worker->board->task.timeout_ms = worker->timeout_ms;
    worker->done_seen = worker->board->done;
    worker->since_ns = rdl__now_ns();
    if (!worker->forks) {
        do_it_here(worker);
        return true;
    }
    if (worker->pid != 0 && worker->board->retire)
        rdl__worker_retire(worker);
    if (worker->pid == 0 && !start(worker, error))
        return false;
    worker->busy = true;
    write_byte(worker->socket); /* if it fails the process is gone, and the pidfd says so */
    return true;
}

/* Is there a case at hand, of a search, that could not count itself any more? */
static bool is_uncounted(const struct rdl__board *board)
{
    const struct rdl__task *task = &board->task;

    return (task->kind == RDL__RUN_RANDOM || task->kind == RDL__RUN_ALL ||
            task->kind == RDL__RUN_TURNS) &&
           board->stats.cases + board->stats.discards < board->stats.current - task->first;
}

/* The worker is gone: say on the board how that came. */
static void attribute(struct rdl__worker *worker, int status, bool hung)
{
    struct rdl__board *board = worker->board;
    struct rdl__outcome *outcome = &board->outcome;

    rdl__board_repair(board);
    if (is_uncounted(board)) {
        board->stats.cases++;
        rdl__stats_exercised(&board->stats, &board->outcome.exercised);
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == ABANDONED_STATUS &&
        ((outcome->claimed && outcome->verdict == RDL__FAILED) || outcome->verdict == RDL__MISUSED))
        return;
    if (WIFEXITED(status) && WEXITSTATUS(status) == STOPPED_STATUS) {
        outcome->verdict = RDL__MISUSED;
        board->stop_text[sizeof board->stop_text - 1] = '\0';
        snprintf(outcome->text, sizeof outcome->text, "%s", board->stop_text);
        return;
    }
    if (rdl__worker_judge)
        rdl__worker_judge(board, status, hung);
    else
        rdl__attribute(board, status, hung, worker->timeout_ms);
}

/* The execution that a worker waits for has taken too long.  The worker itself will
 * tell what became of it. */
static void end_hung_child(struct rdl__worker *worker)
{
    struct rdl__board *board = worker->board;

    kill(board->child, board->hung ? SIGKILL : SIGABRT);
    board->hung = true;
    worker->since_ns = rdl__now_ns();
}

/* A case has taken too long.  SIGABRT first: its handler notes where. */
static void end_hung(struct rdl__worker *worker)
{
    kill(worker->pid, SIGABRT);
    if (!is_gone(worker, DEATH_WAIT_MS))
        kill(-worker->pid, SIGKILL);
    attribute(worker, reap(worker), true);
}

/* Has the case at hand had its time?  The answer comes up to an eighth late. */
static bool has_hung(struct rdl__worker *worker)
{
    uint64_t done = __atomic_load_n(&worker->board->done, __ATOMIC_ACQUIRE);
    uint64_t now = rdl__now_ns();

    if (done != worker->done_seen ||
        __atomic_load_n(&worker->board->works_apart, __ATOMIC_ACQUIRE) > 0) {
        worker->done_seen = done;
        worker->since_ns = now;
    }
    return now - worker->since_ns >= (uint64_t)worker->timeout_ms * 1000000u;
}

static struct rdl__worker *finished(struct rdl__worker *worker, struct pollfd *fds)
{
    if (fds[0].revents && read_byte(worker->socket)) {
        worker->busy = false;
        return worker;
    }
    if (fds[1].revents || fds[0].revents) {
        attribute(worker, reap(worker), false);
        return worker;
    }
    if (has_hung(worker) && worker->board->child) {
        end_hung_child(worker);
    } else if (has_hung(worker)) {
        end_hung(worker);
        return worker;
    }
    return NULL;
}

static int shortest_wait(const struct rdl__worker *workers, int count, int tick_ms)
{
    for (int i = 0; i < count; i++) {
        int eighth = (int)(workers[i].timeout_ms / 8) + 1;

        if (workers[i].busy && eighth < tick_ms)
            tick_ms = eighth;
    }
    return tick_ms;
}

static enum rdl__wait wait_here(struct rdl__worker *workers, int count,
                                struct rdl__worker **out_worker)
{
    for (int i = 0; i < count; i++)
        if (workers[i].busy && !workers[i].forks) {
            workers[i].busy = false;
            *out_worker = &workers[i];
            return rdl__interrupted ? RDL__WAIT_INTERRUPTED : RDL__WAIT_DONE;
        }
    return RDL__WAIT_TICK;
}

static enum rdl__wait interrupted(struct rdl__worker *workers, int count)
{
    for (int i = 0; i < count; i++)
        if (workers[i].busy)
            rdl__worker_retire(&workers[i]);
    return RDL__WAIT_INTERRUPTED;
}

enum rdl__wait rdl__worker_wait(struct rdl__worker *workers, int count, int tick_ms,
                                struct rdl__worker **out_worker)
{
    struct pollfd fds[2 * WORKERS_MAX + 1];
    uint64_t until = rdl__now_ns() + (uint64_t)tick_ms * 1000000u;

    rdl__bug_if(count > WORKERS_MAX);
    if (count > 0 && !workers[0].forks)
        return wait_here(workers, count, out_worker);
    do {
        int wait_ms = shortest_wait(workers, count, tick_ms);

        for (int i = 0; i < count; i++) {
            fds[2 * i] = (struct pollfd){workers[i].busy ? workers[i].socket : -1, POLLIN, 0};
            fds[2 * i + 1] = (struct pollfd){workers[i].busy ? workers[i].pidfd : -1, POLLIN, 0};
        }
        fds[2 * count] = (struct pollfd){wake_fd, POLLIN, 0};
        if (rdl__own_poll(fds, 2 * (nfds_t)count + 1, wait_ms) < 0)
            for (int i = 0; i < 2 * count; i++)
                fds[i].revents = 0;
        if (rdl__interrupted)
            return interrupted(workers, count);
        for (int i = 0; i < count; i++)
            if (workers[i].busy && (*out_worker = finished(&workers[i], &fds[2 * i])))
                return RDL__WAIT_DONE;
    } while (rdl__now_ns() < until);
    return RDL__WAIT_TICK;
}

void rdl__worker_captured(struct rdl__worker *worker, struct rdl__text *out, size_t room)
{
    struct stat capture;
    char bytes[4096];
    off_t at;
    ssize_t got;

    if (worker->capture < 0 || fstat(worker->capture, &capture) != 0)
        return;
    at = capture.st_size > (off_t)room ? capture.st_size - (off_t)room : 0;
    while ((got = pread(worker->capture, bytes, sizeof bytes, at)) > 0) {
        rdl__text_add_bytes(out, bytes, (size_t)got);
        at += got;
    }
}

void rdl__worker_forget_captured(struct rdl__worker *worker)
{
    if (worker->capture >= 0 && ftruncate(worker->capture, 0) != 0)
        return; /* then it stays: nothing depends on it */
}
