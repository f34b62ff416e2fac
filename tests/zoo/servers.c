/* servers.c -- processes and servers, which tests/test_streams_fds.c knows what is to be found
 * of.
 *
 * Processes have an argument that nobody else has, from the environment, so that somebody
 * can look whether they are still there. */
#include <arpa/inet.h>
#include <dirent.h>
#include <netinet/in.h>
#include <raddle.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static struct rdl_port tool = {.name = "tool"};

static const struct rdl_framing lines = {.kind = RDL_LINES};

static const char *mark(void)
{
    const char *given = getenv("PROCESS_MARK");

    return given ? given : "unmarked";
}

/* ---- Processes ------------------------------------------------------------------------------ */

static struct rdl_process *run_shell(struct rdl_case *t, const char *script, bool connected)
{
    const char *const command[] = {"sh", "-c", script, mark(), NULL};

    return connected ? rdl_process(t, command, .port = &tool, .framing = lines)
                     : rdl_process(t, command, .port = &tool);
}

RDL_PROPERTY(cat_answers, .cases = 10)
{
    const char *const command[] = {"cat", NULL};

    rdl_process(t, command, .port = &tool, .framing = lines);
    rdl_stream(t,
               rdl_sequence(rdl_trigger_text(&tool, "one\n"),
                            rdl_expect(rdl_out(&tool, rdl_text("one\n"))),
                            rdl_trigger(&tool, closed), rdl_expect(rdl_out(&tool, rdl_any(closed))),
                            rdl_expect(rdl_out(&tool, rdl_is(fault, .kind = RDL_FAULT_EXIT)))));
}

RDL_PROPERTY(its_end_comes_after_its_words, .cases = 20)
{
    run_shell(t, "echo one; echo two; exit 3", true);
    rdl_stream(t, rdl_sequence(
                      rdl_expect(rdl_out(&tool, rdl_text("one\n"))),
                      rdl_expect(rdl_out(&tool, rdl_text("two\n"))),
                      rdl_unordered(rdl_expect(rdl_out(&tool, rdl_any(closed))),
                                    rdl_expect(rdl_out(&tool, rdl_is(fault, RDL_FAULT_EXIT, 3))))));
}

static struct rdl_process *victim;

static void kill_victim(void)
{
    kill(rdl_process_id(victim), SIGTERM);
}

RDL_PROPERTY(a_signal_is_a_fault, .cases = 10)
{
    victim = run_shell(t, "read nothing", false);
    rdl_stream(t, rdl_sequence(rdl_do(kill_victim), rdl_expect(rdl_out(&tool, rdl_any(fault)))));
}

RDL_PROPERTY(a_death_that_nobody_expects)
{
    run_shell(t, "echo ready; kill -SEGV $$", true);
    rdl_stream(t, rdl_sequence(rdl_drop(rdl_out(&tool, rdl_any(closed))),
                               rdl_expect(rdl_out(&tool, rdl_text("ready\n"))),
                               rdl_expect(rdl_out(&tool, rdl_text("done\n")))));
}

RDL_PROPERTY(no_such_program)
{
    const char *const command[] = {"/nonexistent/program", NULL};

    rdl_process(t, command);
}

/* What is left behind, if anything is: a process, and one that it has started. */
static const char *const stays = "sleep 1000 & echo ready; exec sleep 1000";

RDL_PROPERTY(killed_after_passing, .cases = 5)
{
    run_shell(t, stays, true);
    rdl_stream(t, rdl_expect(rdl_out(&tool, rdl_text("ready\n"))));
}

RDL_PROPERTY(killed_after_failing)
{
    run_shell(t, stays, true);
    rdl_stream(t, rdl_expect(rdl_out(&tool, rdl_text("steady\n"))));
}

RDL_PROPERTY(killed_after_a_crash)
{
    run_shell(t, "echo ready; while read line; do :; done; sleep 1000", true);
    rdl_stream(t, rdl_expect(rdl_out(&tool, rdl_text("ready\n"))));
    abort();
}

RDL_PROPERTY(a_process_that_is_never_quiet)
{
    run_shell(t, "echo ready; while :; do :; done", true);
    rdl_stream(t, rdl_expect(rdl_out(&tool, rdl_text("ready\n"))), .deadline_ms = 100);
}

static bool is_fine(const int *it)
{
    return *it == 0;
}

RDL_PROPERTY(a_process_that_is_never_quiet_to_be_inspected)
{
    int nothing = 0;

    run_shell(t, "echo ready; while :; do :; done", true);
    rdl_stream(t,
               rdl_sequence(rdl_expect(rdl_out(&tool, rdl_text("ready\n"))),
                            rdl_inspect(is_fine, &nothing)),
               .deadline_ms = 100);
}

RDL_PROPERTY(a_server_that_never_listens)
{
    rdl_await_server(t, NULL, (struct rdl_address){.path = "/nonexistent/socket"}, 5);
}

RDL_PROPERTY(a_server_that_ends)
{
    struct rdl_process *process = run_shell(t, "exit 9", false);

    rdl_await_server(t, process, (struct rdl_address){.path = "/nonexistent/socket"}, 5000);
}

/* ---- Descriptors ---------------------------------------------------------------------------- */

static int count_descriptors(void)
{
    DIR *folder = opendir("/proc/self/fd");
    int count = -1; /* that of the folder */

    while (readdir(folder))
        count++;
    closedir(folder);
    return count;
}

static struct rdl_case *discarded;

static void leave(void)
{
    rdl_discard(discarded);
}

static void go_on(void) {}

static void serve_two(struct rdl_case *t, bool tcp, bool is_wrong);

/* As many as when the first case began, however cases end: rdl_discard leaves from inside of a
 * stream, as a failure does. */
static void expect_as_many(void)
{
    static int before;

    if (!before)
        before = count_descriptors();
    rdl_check_eq(count_descriptors(), before);
}

RDL_PROPERTY(no_descriptor_is_left_free, .cases = 60)
{
    int how = (int)rdl_int(t, 0, 2);

    expect_as_many();
    discarded = t;
    if (how == 0)
        serve_two(t, rdl_bool(t), false);
    run_shell(t, "echo ready; read line", true);
    rdl_stream(t, rdl_sequence(rdl_expect(rdl_out(&tool, rdl_text("ready\n"))),
                               rdl_do(how == 1 ? leave : go_on)));
}

RDL_EXPLORE(no_descriptor_is_left_controlled, .cases = 60)
{
    expect_as_many();
    serve_two(t, false, false);
}

/* ---- A server in this process --------------------------------------------------------------- */

enum { CLIENTS = 2 };

static struct rdl_port clients[CLIENTS] = {{.name = "first"}, {.name = "second"}};

struct server {
    int fd, connections[CLIENTS];
    struct rdl_address address;
    struct rdl_address proxy;
    bool is_wrong;
    struct rdl_thread *threads[2 * CLIENTS];
};

/* Also after a failure, when connections have been closed. */
static void end_server(void *it)
{
    struct server *server = it;

    shutdown(server->fd, SHUT_RDWR);
    for (int i = 0; i < 2 * CLIENTS; i++) {
        struct rdl_thread *thread = server->threads[i];

        server->threads[i] = NULL;
        if (thread)
            rdl_join(thread);
    }
    close(server->fd);
}

static int connect_to(struct rdl_address address)
{
    struct sockaddr_un path = {.sun_family = AF_UNIX};
    struct sockaddr_in tcp = {.sin_family = AF_INET,
                              .sin_port = htons((uint16_t)address.tcp),
                              .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(address.path ? AF_UNIX : AF_INET, SOCK_STREAM, 0);

    if (address.path)
        strcpy(path.sun_path, address.path);
    if (address.path ? connect(fd, (void *)&path, sizeof path)
                     : connect(fd, (void *)&tcp, sizeof tcp)) {
        close(fd); /* the case may be over */
        return -1;
    }
    return fd;
}

static void listen_at(struct rdl_case *t, struct server *server, bool tcp)
{
    struct sockaddr_un path = {.sun_family = AF_UNIX};
    struct sockaddr_in any = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof any;

    if (!tcp) {
        server->address.path = rdl_format(t, "%s/server", rdl_folder(t));
        strcpy(path.sun_path, server->address.path);
    }
    server->fd = socket(tcp ? AF_INET : AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if ((tcp ? bind(server->fd, (void *)&any, sizeof any)
             : bind(server->fd, (void *)&path, sizeof path)) ||
        listen(server->fd, 5))
        abort();
    if (tcp && getsockname(server->fd, (void *)&any, &size) == 0)
        server->address.tcp = ntohs(any.sin_port);
}

/* Answers each of its clients, with a letter that is the next in the alphabet. */
static void serve_one(void *it)
{
    struct server *server = it;
    int fd = accept(server->fd, NULL, NULL);
    char line[2];

    while (read(fd, line, 2) == 2) {
        line[0] += server->is_wrong ? 2 : 1;
        if (send(fd, line, 2, MSG_NOSIGNAL) != 2)
            break;
    }
    close(fd);
}

static void ask(void *it)
{
    struct server *server = it;
    char line[2] = {'a', '\n'};
    int fd = connect_to(server->proxy);

    if (fd < 0)
        return;

    if (send(fd, line, 2, MSG_NOSIGNAL) == 2 && read(fd, line, 2) == 2)
        rdl_assert_always(server->is_wrong || line[0] == 'b');
    close(fd);
}

static void serve_two(struct rdl_case *t, bool tcp, bool is_wrong)
{
    struct server *server = rdl_new(t, struct server);

    server->is_wrong = is_wrong;
    listen_at(t, server, tcp);
    rdl_defer(t, end_server, server);
    server->proxy =
        rdl_listen(t, clients, .count = CLIENTS, .server = server->address, .framing = lines);
    for (int i = 0; i < CLIENTS; i++) {
        server->threads[i] = rdl_spawn(t, "server", serve_one, server);
        server->threads[CLIENTS + i] = rdl_spawn(t, "client", ask, server);
    }
    rdl_stream(t, rdl_sequence(rdl_allow(rdl_in(&clients[0], rdl_any(closed))),
                               rdl_allow(rdl_in(&clients[1], rdl_any(closed))),
                               rdl_allow(rdl_out(&clients[0], rdl_any(closed))),
                               rdl_allow(rdl_out(&clients[1], rdl_any(closed))),
                               rdl_unordered(rdl_expect(rdl_in(&clients[0], rdl_text("a\n"))),
                                             rdl_expect(rdl_in(&clients[1], rdl_text("a\n"))),
                                             rdl_expect(rdl_out(&clients[0], rdl_text("b\n"))),
                                             rdl_expect(rdl_out(&clients[1], rdl_text("b\n"))))));
    for (int i = 0; i < 2 * CLIENTS; i++) {
        rdl_join(server->threads[i]);
        server->threads[i] = NULL;
    }
}

static void connect_clients(struct rdl_case *t, struct server *server, size_t ports)
{
    server->proxy =
        rdl_listen(t, clients, .count = ports, .server = server->address, .framing = lines);
    for (int i = 0; i < CLIENTS; i++)
        server->connections[i] = connect_to(server->proxy);
}

static void disconnect_clients(void *it)
{
    struct server *server = it;

    for (int i = 0; i < CLIENTS; i++)
        close(server->connections[i]);
}

RDL_PROPERTY(one_client_too_many)
{
    struct server *server = rdl_new(t, struct server);

    listen_at(t, server, false);
    rdl_defer(t, end_server, server);
    rdl_defer(t, disconnect_clients, server);
    connect_clients(t, server, 1);
    rdl_stream(t, rdl_expect(rdl_in(&clients[0], rdl_any(frame))));
}

RDL_PROPERTY(no_server)
{
    struct server *server = rdl_new(t, struct server);

    server->address.path = "/nonexistent/socket";
    rdl_defer(t, disconnect_clients, server);
    connect_clients(t, server, 2);
    rdl_stream(t, rdl_expect(rdl_out(&clients[0], rdl_any(frame))));
}

RDL_EXPLORE(two_clients_controlled, .cases = 300)
{
    serve_two(t, false, false);
}

RDL_PROPERTY(two_clients_free, .cases = 20)
{
    serve_two(t, false, false);
}

RDL_EXPLORE(two_clients_by_tcp_controlled, .cases = 100)
{
    serve_two(t, true, false);
}

RDL_PROPERTY(two_clients_by_tcp_free, .cases = 20)
{
    serve_two(t, true, false);
}

RDL_EXPLORE(a_wrong_server_controlled)
{
    serve_two(t, false, true);
}

RDL_PROPERTY(a_wrong_server_free)
{
    serve_two(t, false, true);
}

RDL_MAIN
