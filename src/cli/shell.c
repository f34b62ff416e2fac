/* shell.c -- --shell: calls of clients to a resource, by hand.
 *
 * A conversation is a case of a resource test whose calls come from standard input, line by line;
 * its driver and its judge are those of RDL_TEST_RESOURCE.  Each case has a process of its own, so
 * that the code under test may crash or wait for ever: what has been called is kept where the
 * parent sees it, and the next process makes these calls again.  That is how calls are undone, too.
 *
 * Memory: struct talk is shared by all these processes. */
#include "cli/shell.h"

#include <ctype.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"
#include "choice/regress.h"
#include "cli/options.h"
#include "control/sched/sched.h"
#include "port/io.h"
#include "port/likes.h"
#include "raddle/spec.h"
#include "run/execute.h"

enum { PHASES = 500, LINE = 1000, ENDS = 40, AGAIN = 41, FAILED = 42, TIMEOUT_MS = 10000 };

struct talk {
    uint32_t count;
    char phases[PHASES][LINE];     /* "0: enter(n = 0, weight = 100) || 1: ..." */
    char failed[RDL__TAKEN_BYTES]; /* the calls of the last failure, as C; "": nothing was called
                                      since, or nothing has failed */
    char token[LINE * 4];          /* whose calls are to be made next; "": none */
    bool begun;                    /* somebody has been greeted */
};

static struct talk *talk;
static const struct rdl_test *test;
static bool is_spec; /* the spec itself runs */
static int told;     /* by a case, whether it waits for a line (IDLE) or does what it says (BUSY) */

enum { IDLE = 'i', BUSY = 'b' };

_Noreturn static void leave(int status)
{
    fflush(stdout);
    _exit(status);
}

/* ---- Lines ---------------------------------------------------------------------------------- */

static void tell(char what)
{
    if (rdl__own_write(told, &what, 1) != 1)
        leave(ENDS); /* there is nobody any more */
}

/* Byte by byte, since what we read too much would be lost to the next process; and under no
 * control, as this is no doing of the case. */
static bool read_line(char *out)
{
    struct rdl__thread *running = rdl__running;
    size_t count = 0;
    bool any = false;
    char c;

    rdl__running = NULL;
    if (isatty(STDIN_FILENO))
        fputs("raddle> ", stdout);
    fflush(stdout);
    tell(IDLE);
    while (rdl__own_read(STDIN_FILENO, &c, 1) == 1) {
        any = true;
        if (c == '\n')
            break;
        if (count < LINE - 1)
            out[count++] = c;
    }
    out[count] = '\0';
    if (any && !isatty(STDIN_FILENO))
        printf("> %s\n", out);
    fflush(stdout);
    tell(BUSY);
    rdl__running = running;
    return any;
}

/* One phase.  It is kept before it is made: it may be the end of this process. */
static bool make_phase(struct rdl_case *t, const struct rdl__performer *by, const char *line,
                       bool is_new, struct rdl__error *error)
{
    struct rdl__wanted wanted[RDL__CLIENTS_MOST];
    uint32_t count = rdl__shell_read_calls(t, by, line, wanted, error), before = by->all->log_count;

    if (count == 0)
        return false;
    if (is_new && talk->count == PHASES)
        return rdl__fail(error, "there are %d phases already: restart", PHASES);
    if (is_new) {
        snprintf(talk->phases[talk->count++], LINE, "%s", line);
        talk->failed[0] = '\0';
    }
    for (uint32_t i = 0; i < count; i++)
        by->call(by->driver, wanted[i].client, wanted[i].op, wanted[i].args);
    by->run(by->driver);
    if (is_new) {
        rdl__shell_returns(by, before);
        rdl__shell_who(by, false);
    }
    return true;
}

/* ---- Help ------------------------------------------------------------------------------------ */

static void show_operation(struct rdl_case *t, const struct rdl_operation *op)
{
    struct rdl__text call = {0};

    rdl__show_call(&call, op, rdl_alloc(t, op->args_size + 1));
    printf("  %s\n", call.bytes);
    rdl__text_release(&call);
}

static void show_help(struct rdl_case *t, const struct rdl__performer *by)
{
    const struct rdl_spec *spec = by->all->spec;

    printf("  0: OPERATION(ARGUMENTS)    client 0 calls; 0 OPERATION ARGUMENTS is the same\n"
           "  0: ... || 1: ...           both at once\n"
           "  state                      what state the spec is in, and its clients\n"
           "  who                        who waits, and why\n"
           "  allowed                    calls that could be made now: which would wait, and why\n"
           "  allowed 0: ...             that call\n"
           "  calls                      what was called so far\n"
           "  undo, restart              take back the last line of calls, or all\n"
           "  replay TOKEN               the calls of a failing case, all but its last phase\n"
           "  save FILE                  the calls so far, or those that have just failed: as a C\n"
           "                             program if the name ends in .c, else as lines for this\n"
           "                             shell\n"
           "  help, quit\n\nClients are 0 to %u, operations of %s, with zeros for arguments:\n",
           by->clients - 1, spec->name);
    for (size_t i = 0; i < spec->operation_count; i++)
        show_operation(t, rdl__operation(spec, i));
}

/* ---- Keeping it ----------------------------------------------------------------------------- */

static bool save_program(const char *path, struct rdl__error *error)
{
    const char *calls = talk->failed[0] ? talk->failed : rdl__taking_down->bytes;
    struct rdl__text out = {0};
    bool ok;

    if (!test->line)
        return rdl__fail(error, "there is no RDL_TEST_RESOURCE of this spec that a program could "
                                "run");
    rdl__text_add(&out, "/* %s -- calls that were made by hand, in raddle shell. */\n", path);
    rdl__text_add(&out,
                  "#ifndef _GNU_SOURCE\n#define _GNU_SOURCE\n#endif\n#include <raddle.h>\n\n"
                  "#define main main_of_the_tests\n#include \"%s\"\n#undef main\n\n"
                  "static void calls(struct rdl_case *t)\n{\n%s}\n\n",
                  test->options.spec->file, calls);
    rdl__text_add(&out,
                  "int main(int argc, char **argv)\n{\n    return rdl_reproduce(argc, argv,\n"
                  "                         &(struct rdl_reproduction){.test = \"%s\", "
                  ".calls = calls, .round = 3});\n}\n",
                  test->name);
    ok = rdl__write_file(path, out.bytes, out.count, error);
    rdl__text_release(&out);
    return ok;
}

static bool save(const char *path, struct rdl__error *error)
{
    size_t length = strlen(path);
    struct rdl__text out = {0};
    bool ok;

    if (length == 0)
        return rdl__fail(error, "where to?  save FILE");
    if (length > 2 && strcmp(path + length - 2, ".c") == 0)
        return save_program(path, error);
    for (uint32_t i = 0; i < talk->count; i++)
        rdl__text_add(&out, "%s\n", talk->phases[i]);
    ok = rdl__write_file(path, rdl__text_string(&out), out.count, error);
    rdl__text_release(&out);
    return ok;
}

/* ---- The conversation ----------------------------------------------------------------------- */

static const char *const commands[] = {"state",   "who",    "allowed", "calls", "undo",
                                       "restart", "replay", "save",    "help",  "quit"};
enum { COMMANDS = sizeof commands / sizeof *commands };

static void undo(uint32_t to)
{
    for (uint32_t i = talk->count; i > to; i--)
        printf("  taken back: %s\n", talk->phases[i - 1]);
    talk->count = to;
    talk->failed[0] = '\0';
    leave(AGAIN);
}

static bool replay(const char *token, struct rdl__error *error)
{
    if (!*token)
        return rdl__fail(error, "which token?  replay TOKEN");
    if (strlen(token) >= sizeof talk->token)
        return rdl__fail(error, "the token is too long");
    strcpy(talk->token, token);
    talk->count = 0;
    leave(AGAIN);
}

/* False: it is none of these. */
static bool do_command(struct rdl_case *t, const struct rdl__performer *by, const char *word,
                       char *rest, bool *out_ok, struct rdl__error *error)
{
    *out_ok = true;
    if (strcmp(word, "state") == 0)
        rdl__shell_state(by);
    else if (strcmp(word, "who") == 0)
        rdl__shell_who(by, true);
    else if (strcmp(word, "allowed") == 0)
        *out_ok = rdl__shell_ask_allowed(t, by, rest, error);
    else if (strcmp(word, "calls") == 0)
        for (uint32_t i = 0; i < talk->count; i++)
            printf("  %s\n", talk->phases[i]);
    else if (strcmp(word, "undo") == 0)
        talk->count ? undo(talk->count - 1)
                    : (void)(*out_ok = rdl__fail(error, "nothing was "
                                                        "called yet"));
    else if (strcmp(word, "restart") == 0)
        undo(0);
    else if (strcmp(word, "replay") == 0)
        *out_ok = replay(rest, error);
    else if (strcmp(word, "save") == 0)
        *out_ok = save(rest, error);
    else if (strcmp(word, "help") == 0)
        show_help(t, by);
    else if (strcmp(word, "quit") == 0 || strcmp(word, "exit") == 0)
        leave(ENDS);
    else
        return false;
    return true;
}

static bool do_line(struct rdl_case *t, const struct rdl__performer *by, char *line,
                    struct rdl__error *error)
{
    struct rdl__likes likes = {0};
    struct rdl__text meant = {0};
    size_t length = strcspn(line, " \t");
    char word[32] = "";
    bool ok;

    if (isdigit((unsigned char)*line))
        return make_phase(t, by, line, true, error);
    snprintf(word, sizeof word, "%.*s", (int)length, line);
    if (do_command(t, by, word, rdl__trim(line + length), &ok, error))
        return ok;
    likes.wanted = word;
    for (int i = 0; i < COMMANDS; i++)
        rdl__likes_consider(&likes, commands[i]);
    rdl__likes_say(&meant, &likes);
    rdl__fail(error, "'%s' is no command, and no call (`help` shows what there is)%s", word,
              rdl__text_string(&meant));
    rdl__text_release(&meant);
    return false;
}

static void greet(const struct rdl__performer *by)
{
    if (talk->begun)
        return;
    talk->begun = true;
    printf("%s, %s; clients 0 to %u.  `help` shows what can be said.\n", by->all->spec->name,
           is_spec ? "as the spec has it" : "the implementation", by->clients - 1);
}

static void converse(struct rdl_case *t)
{
    const struct rdl__performer *by = rdl__performing();
    struct rdl__error error;
    char line[LINE];

    for (uint32_t i = 0; i < talk->count; i++)
        if (!make_phase(t, by, talk->phases[i], false, &error)) {
            printf("  %s: %s\n", talk->phases[i], error.text);
            talk->count = i;
        }
    greet(by);
    while (read_line(line)) {
        char *text = rdl__trim(line);

        if (*text && *text != '#' && !do_line(t, by, text, &error))
            printf("  %s\n", error.text);
    }
    leave(ENDS);
}

/* ---- Processes ------------------------------------------------------------------------------ */

/* What a case that is replayed calls, one phase a line. */
static void note_call(uint32_t client, const struct rdl_operation *op, const void *args)
{
    char *line = talk->phases[talk->count];
    size_t length = strlen(line);
    struct rdl__text text = {0};

    rdl__show_call(&text, op, args);
    snprintf(line + length, LINE - length, "%s%u: %s", length ? " || " : "", client, text.bytes);
    rdl__text_release(&text);
}

static void note_run(void)
{
    if (talk->count + 1 < PHASES)
        talk->phases[++talk->count][0] = '\0';
}

static bool feed_token(struct rdl__board *board, struct rdl__feed *feed, struct rdl__error *error)
{
    struct rdl__token token;

    if (!rdl__read_token(&token, talk->token, error))
        return false;
    if (strcmp(token.name, test->name) != 0)
        return rdl__fail(error, "the token is of %s, not of %s", token.name, test->name);
    *feed = (struct rdl__feed){.indexes = token.indexes,
                               .count = token.count,
                               .then = RDL__THEN_STOP,
                               .fill_at = RDL__NONE};
    board->task.settings = token.settings;
    talk->count = 0;
    talk->phases[0][0] = '\0';
    rdl__written_calls = NULL;
    rdl__on_taken_call = note_call;
    rdl__on_taken_run = note_run;
    return true;
}

static void tell_failure(struct rdl__board *board)
{
    struct rdl__outcome *outcome = &board->outcome;

    rdl__outcome_resolve_alone(outcome, board);
    printf("  %s\n", outcome->check);
    for (char *rest = outcome->text, *line; (line = strsep(&rest, "\n"));)
        if (*line)
            printf("      %s\n", line);
}

/* In a process of its own: one case. */
_Noreturn static void run_case(void)
{
    static const volatile int never;
    struct rdl__feed feed = {.fill_at = RDL__NONE};
    struct rdl__error error;
    struct rdl__board *board = rdl__board_new(1 << 16, &error);
    struct rdl_case t;
    bool replays = talk->token[0];

    if (!board)
        rdl__stop("%s", error.text);
    rdl__taking_down = rdl__allocate(sizeof *rdl__taking_down);
    rdl__written_calls = converse;
    rdl__case_init(&t, board, NULL);
    board->task = (struct rdl__task){.kind = RDL__RUN_FEED,
                                     .test = test,
                                     .settings = {.size = 100, .choices_max = 1 << 16, .round = 3},
                                     .traced = true};
    if (replays && !feed_token(board, &feed, &error)) {
        printf("  %s\n", error.text);
        talk->token[0] = '\0';
        leave(AGAIN);
    }
    talk->token[0] = '\0';
    rdl__board_put_feed(board, &feed);
    rdl__do_task(board, &t, &never);
    if (board->outcome.verdict == RDL__FAILED) {
        tell_failure(board);
        memcpy(talk->failed, rdl__taking_down->bytes, sizeof talk->failed);
        leave(FAILED);
    }
    if (board->outcome.verdict == RDL__MISUSED)
        printf("  %s\n", board->outcome.text);
    leave(replays ? AGAIN : ENDS);
}

/* What has come of a case.  False: that was all. */
static bool take_in(int status, char last)
{
    bool ended = WIFEXITED(status);

    if (ended && WEXITSTATUS(status) == ENDS)
        return false;
    if (ended && WEXITSTATUS(status) == AGAIN)
        return true;
    if (last == IDLE) /* somebody has interrupted the conversation */
        return false;
    if (!ended && WTERMSIG(status) == SIGINT)
        printf("  interrupted\n");
    else if (!ended && WTERMSIG(status) != SIGKILL)
        printf("  it crashes: SIG%s\n", sigabbrev_np(WTERMSIG(status)));
    else if (ended && WEXITSTATUS(status) != FAILED)
        printf("  it ends the program, with status %d\n", WEXITSTATUS(status));
    if (talk->count == 0)
        return false; /* without a call, it will do so again */
    talk->count--;
    printf("  so this is taken back: %s\n", talk->phases[talk->count]);
    return true;
}

/* Until it ends; one that is busy for too long is ended.  What it told last. */
static char await_case(pid_t pid, int from, int *out_status)
{
    int timeout_ms = (int)(test->options.timeout_ms ? test->options.timeout_ms : TIMEOUT_MS);
    struct pollfd hears = {.fd = from, .events = POLLIN};
    char last = BUSY;

    for (;;) {
        int ready = rdl__own_poll(&hears, 1, last == BUSY ? timeout_ms : -1);

        if (ready < 0 && errno == EINTR)
            continue;
        if (ready == 0) {
            printf("  it has not come to an end after %g s\n", timeout_ms / 1000.0);
            kill(pid, SIGKILL);
        }
        if (ready <= 0 || rdl__own_read(from, &last, 1) != 1)
            break;
    }
    while (waitpid(pid, out_status, 0) < 0 && errno == EINTR)
        continue;
    return last;
}

/* ^C is for the case at hand: the others stay. */
static int converse_again_and_again(void)
{
    int status = 0, ends[2];
    char last = BUSY;
    pid_t pid;

    signal(SIGINT, SIG_IGN);
    do {
        fflush(NULL);
        if (pipe(ends) < 0)
            rdl__stop("cannot make a pipe: %s", strerror(errno));
        pid = fork();
        if (pid == 0) {
            signal(SIGINT, SIG_DFL);
            close(ends[0]);
            told = ends[1];
            run_case();
        }
        close(ends[1]);
        if (pid > 0)
            last = await_case(pid, ends[0], &status);
        close(ends[0]);
    } while (pid > 0 && take_in(status, last));
    fflush(stdout);
    return pid > 0 && WIFEXITED(status) && WEXITSTATUS(status) == ENDS ? RDL__EXIT_PASS
                                                                       : RDL__EXIT_SETUP;
}

/* ---- Of what -------------------------------------------------------------------------------- */

/* A resource test, one that serves grading if there is one; else any spec, as if it had one. */
static bool choose(struct rdl_test **tests, size_t count, struct rdl_test *out,
                   struct rdl__error *error)
{
    const struct rdl_test *found = NULL;
    const struct rdl_spec *const *specs;
    size_t spec_count;

    for (size_t i = 0; i < count; i++) {
        bool is_graded = tests[i]->options.tags && strstr(tests[i]->options.tags, "grade");

        if (tests[i]->body == rdl__test_resource && (!found || is_graded))
            found = tests[i];
    }
    specs = rdl__specs(&spec_count);
    if (found)
        *out = *found;
    else if (spec_count > 0)
        *out = (struct rdl_test){.name = "shell",
                                 .file = specs[0]->file,
                                 .body = rdl__test_resource,
                                 .options = {.spec = specs[0], .phased = true}};
    else
        return rdl__fail(error, "there is no spec in this program");
    out->options.explore = true;
    out->options.reference = out->options.reference || is_spec;
    out->options.clients = out->options.clients ? out->options.clients : 4;
    return rdl__spec_check(out->options.spec, out->options.reference, error);
}

bool rdl__shell(struct rdl_test **tests, size_t count, const char *what, int *out_status,
                struct rdl__error *error)
{
    static struct rdl_test chosen;

    is_spec = strcmp(what, "spec") == 0;
    if (!is_spec && strcmp(what, "code") != 0)
        return rdl__fail(error, "--shell: '%s' is neither code nor spec", what);
    if (!choose(tests, count, &chosen, error))
        return false;
    test = &chosen;
    talk = mmap(NULL, sizeof *talk, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (talk == MAP_FAILED)
        return rdl__fail(error, "cannot get memory: %s", strerror(errno));
    rdl__show_prepare();
    *out_status = converse_again_and_again();
    return true;
}
