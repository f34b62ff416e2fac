/* process.c -- processes for the length of a case, and the servers that some of them are. */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "drive/address.h"
#include "drive/wire.h"
#include "port/blocked.h"
#include "port/child.h"
#include "port/clock.h"
#include "raddle/check.h"

struct rdl_process {
    struct rdl__source source; /* first: of its end */
    struct rdl_case *t;
    struct rdl__child child;
    struct rdl__real_process watched;
    struct rdl__reader *reader;
    struct rdl_port *port;
    const char *name;
};

/* ---- Its end -------------------------------------------------------------------------------- */

static struct rdl_fault fault_of(const struct rdl_process *process)
{
    struct rdl_fault fault = {0};

    fault.kind =
        rdl__child_ended(&process->child, &fault.number) ? RDL_FAULT_SIGNAL : RDL_FAULT_EXIT;
    return fault;
}

static void post_fault(struct rdl__source *source)
{
    struct rdl_process *process = (struct rdl_process *)source;
    struct rdl_fault fault = fault_of(process);

    source->fd = -1;
    rdl_post(process->port, RDL_OUT, &rdl_event_fault, &fault, sizeof fault);
}

static void end_process(void *it)
{
    struct rdl_process *process = it;

    rdl__reader_stop(process->reader);
    process->source.fd = -1;
    rdl__blocked_watch_no_more(&process->watched);
    rdl__child_end(&process->child);
}

/* ---- Starting ------------------------------------------------------------------------------- */

/* What the child gets, and what of it is ours to keep. */
struct plumbing {
    int three[3];
    int from, to; /* what we read and write; -1: nothing */
};

static bool connect_port(struct plumbing *out)
{
    int from[2], to[2];

    if (pipe2(from, O_CLOEXEC) != 0)
        return false;
    if (pipe2(to, O_CLOEXEC) != 0) {
        close(from[0]);
        close(from[1]);
        return false;
    }
    out->three[0] = to[0];
    out->three[1] = from[1];
    out->from = from[0];
    out->to = to[1];
    return true;
}

static int open_log(const char *path)
{
    return path ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666)
                : fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
}

static void close_three(struct plumbing *plumbing)
{
    for (int i = 0; i < 3; i++)
        if (plumbing->three[i] >= 0)
            close(plumbing->three[i]);
}

static bool connect_all(struct plumbing *out, const struct rdl_process_options *options,
                        struct rdl__error *error)
{
    *out = (struct plumbing){.three = {-1, -1, -1}, .from = -1, .to = -1};
    if (options->framing.kind && !connect_port(out))
        return rdl__fail(error, "cannot make a pipe to the process: %s", strerror(errno));
    if (!options->framing.kind) {
        out->three[0] = open("/dev/null", O_RDONLY | O_CLOEXEC);
        out->three[1] =
            options->log ? open_log(options->log) : open("/dev/null", O_WRONLY | O_CLOEXEC);
    }
    out->three[2] = open_log(options->log);
    if (out->three[2] < 0)
        out->three[2] = open("/dev/null", O_WRONLY | O_CLOEXEC);
    return true;
}

static bool start(struct rdl_process *process, const char *const *command,
                  const struct rdl_process_options *options, struct plumbing *out,
                  struct rdl__error *error)
{
    bool started;

    if (!connect_all(out, options, error))
        return false;
    started = rdl__child_start(&process->child, command, out->three, error);
    close_three(out);
    if (!started && out->from >= 0) {
        close(out->from);
        close(out->to);
    }
    return started;
}

/* What it writes comes before its end. */
static void connect_process(struct rdl_process *process, const struct rdl_process_options *options,
                            const struct plumbing *plumbing)
{
    struct rdl__wire *wire = NULL;

    if (options->framing.kind)
        wire = rdl__wire_new(process->t, options->port, &options->framing, true, "rdl_process");
    else if (!options->port->link)
        rdl_connect(process->t, options->port, .in = NULL);
    rdl__reader_stop(process->reader);
    if (wire) {
        rdl__end_open(&wire->component, plumbing->from, plumbing->to);
        process->source.after = &wire->component.source;
    }
    process->port = options->port;
    process->source.fd = process->child.fd;
    process->source.ready = post_fault;
    rdl__reader_add(process->reader, &process->source);
    if (rdl__ports_of(process->t)->stream)
        rdl__reader_start(process->reader);
}

struct rdl_process *rdl__process(struct rdl_case *t, const char *const *command,
                                 struct rdl_process_options options)
{
    struct rdl_process *process = rdl_alloc(t, sizeof *process);
    const char *flaw = options.framing.kind ? rdl__framing_flaw(&options.framing) : NULL;
    struct rdl__error error;
    struct plumbing plumbing;

    if (rdl__self())
        rdl__misuse(t, "rdl_process: a process runs as it likes: not in an RDL_EXPLORE");
    if (flaw || (options.framing.kind && !options.port))
        rdl__misuse(t, "rdl_process: %s", flaw ? flaw : "a .framing needs a .port");
    if (!command || !command[0] || !command[0][0])
        rdl__misuse(t, "rdl_process: there is no command to run: it is NULL or empty");
    process->t = t;
    process->name = rdl_format(t, "%s", command[0]);
    process->reader = rdl__reader_of(t);
    if (!start(process, command, &options, &plumbing, &error))
        rdl__misuse(t, "rdl_process: %s", error.text);
    rdl__blocked_watch(&process->watched, t, process->child.pid);
    rdl__defer(t, end_process, process);
    if (options.port)
        connect_process(process, &options, &plumbing);
    return process;
}

int rdl_process_id(const struct rdl_process *process)
{
    return process->child.pid;
}

/* ---- Servers -------------------------------------------------------------------------------- */

enum { RETRY_MS = 1 };

/* Has it ended?  Else a moment passes. */
static bool has_ended(const struct rdl_process *process)
{
    struct pollfd one = {.fd = process ? process->child.fd : -1, .events = POLLIN};

    return poll(&one, 1, RETRY_MS) > 0;
}

void rdl__await_server(struct rdl_case *t, const struct rdl_process *process,
                       struct rdl_address server, double ms, const char *file, int line)
{
    uint64_t until = rdl__now_ns() + (uint64_t)(ms * 1e6);
    const char *where = rdl__address_words(t, &server);
    struct rdl_fault fault;
    int fd;

    if (rdl__self())
        rdl__misuse(t, "rdl_await_server: a server runs as it likes: not in an RDL_EXPLORE");
    while ((fd = rdl__address_connect(&server, -1)) < 0) {
        if (has_ended(process)) {
            fault = fault_of(process);
            rdl__failed(file, line, "rdl_await_server",
                        "%s ended before it accepted connections at %s: %s %d", process->name,
                        where, fault.kind == RDL_FAULT_EXIT ? "exit status" : "signal",
                        fault.number);
        }
        if (rdl__now_ns() > until)
            rdl__failed(file, line, "rdl_await_server",
                        "nobody accepts connections at %s after %g ms", where, ms);
    }
    close(fd);
}

/* ---- A folder ------------------------------------------------------------------------------- */

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *place)
{
    (void)status, (void)kind, (void)place;
    remove(path);
    return 0;
}

static void remove_folder(void *path)
{
    nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

const char *rdl_folder(struct rdl_case *t)
{
    const char *where = getenv("TMPDIR");
    char *path = rdl_format(t, "%s/raddle-XXXXXX", where && *where ? where : "/tmp");

    if (!mkdtemp(path))
        rdl__misuse(t, "cannot make a folder %s: %s", path, strerror(errno));
    rdl__defer(t, remove_folder, path);
    return path;
}
