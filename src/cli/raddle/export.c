/* export.c -- raddle export: the case of a token as a C program.
 *
 * Whoever can replay the case writes the program: the test program, the library in a program that
 * is explored, or `raddle grade`.  Here it is found out who that is; what it says is of interest
 * only if there is no program in the end. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"
#include "choice/regress.h"
#include "cli/options.h"
#include "cli/program/program.h"
#include "cli/raddle/commands.h"

static const char usage[] =
    "Usage: raddle export TOKEN|@FILE [OPTION]... [-- PROGRAM [ARGUMENT]...]\n"
    "       raddle export TOKEN|@FILE --spec DIRECTORY [OPTION]... FILE\n\n"
    "Writes the case of a token to standard output, as a C program: the calls in\n"
    "their order, and a schedule that is enforced.  PROGRAM is the test program that\n"
    "the token is of; with --spec, FILE is the implementation that was graded.  A\n"
    "token of `raddle explore` names its program itself.  Options are those of\n"
    "`raddle replay` or `raddle grade`.\n\n"
    "Exit status: 0 the program is written, 2 it is not.\n";

/* What was asked for. */
struct request {
    const char *token;
    struct rdl__words before; /* arguments before --, without the token */
    char **program;           /* after it; NULL: none is named */
    bool is_graded;
};

static bool is_token(const char *argument)
{
    return strncmp(argument, "rdl1.", 5) == 0 || argument[0] == '@';
}

static bool read_request(struct request *out, int argc, char **argv, struct rdl__error *error)
{
    int i = 1;

    *out = (struct request){0};
    for (; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (is_token(argv[i]) && !out->token)
            out->token = argv[i];
        else
            rdl__words_add(&out->before, "%s", argv[i]);
        out->is_graded |= strncmp(argv[i], "--spec", 6) == 0;
    }
    out->program = i + 1 < argc ? argv + i + 1 : NULL;
    if (!out->token && argc > 1 && argv[1][0] != '-')
        return rdl__fail(error, "'%s' is no token: they begin with rdl1.; one in a file is @FILE",
                         argv[1]);
    if (!out->token)
        return rdl__fail(error, "which token?  raddle export TOKEN");
    if (out->is_graded && out->program)
        return rdl__fail(error, "--spec goes with an implementation, not with -- and a program");
    return true;
}

/* ---- Who writes it --------------------------------------------------------------------------- */

static void add_before(struct rdl__words *to, const struct request *request)
{
    for (size_t i = 0; i < request->before.count; i++)
        rdl__words_add(to, "%s", request->before.words[i]);
}

static void add_case(struct rdl__words *to, const struct request *request, const char *path)
{
    rdl__words_add(to, "--replay");
    rdl__words_add(to, "%s", request->token);
    rdl__words_add(to, "--export");
    rdl__words_add(to, "%s", path);
}

static int export_graded(const struct request *request, const char *path)
{
    struct rdl__words words = {0};

    rdl__words_add(&words, "grade");
    add_case(&words, request, path);
    add_before(&words, request);
    return rdl__command_grade((int)words.count, words.words);
}

static int export_test(const struct request *request, const char *program, const char *path)
{
    struct rdl__words words = {0};

    rdl__words_add(&words, "%s", program);
    rdl__words_add(&words, "--regressions=none");
    add_case(&words, request, path);
    add_before(&words, request);
    for (int i = 1; request->program[i]; i++)
        rdl__words_add(&words, "%s", request->program[i]);
    execv(program, words.words);
    fprintf(stderr, "cannot run %s: %s\n", program, strerror(errno));
    return RDL__EXIT_SETUP;
}

static int export_explored(const struct request *request, char **command, const char *path)
{
    struct rdl__words words = {0};

    rdl__words_add(&words, "raddle replay");
    add_case(&words, request, path);
    add_before(&words, request);
    return rdl__explore_program(command, (int)words.count, words.words, 0, false);
}

/* In a process of its own. */
static int export_to(const struct request *request, const char *path)
{
    char **command = request->program, *program;
    struct rdl__token token;
    struct rdl__error error;
    int count;

    if (request->is_graded)
        return export_graded(request, path);
    if (!rdl__read_token(&token, request->token, &error)) {
        fprintf(stderr, "raddle export: %s\n", error.text);
        return RDL__EXIT_SETUP;
    }
    if (!command)
        command = rdl__command_decode(token.name, &count);
    program = rdl__find_program(command[0]);
    if (!request->program && access(program, X_OK) != 0) {
        fprintf(stderr,
                "raddle export: there is no program %s; if that is a test, name its program:\n"
                "    raddle export TOKEN -- PROGRAM\n",
                command[0]);
        return RDL__EXIT_SETUP;
    }
    return request->program && rdl__is_test_program(program)
               ? export_test(request, program, path)
               : export_explored(request, command, path);
}

/* ---- What has come of it --------------------------------------------------------------------- */

static void redirect(const char *path)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

    if (fd >= 0) {
        dup2(fd, STDOUT_FILENO);
        dup2(fd, STDERR_FILENO);
    }
}

static bool copy_file(FILE *out, const char *path)
{
    struct rdl__text text = {0};
    struct rdl__error error;
    bool ok = rdl__read_file(&text, path, &error);

    if (ok)
        fputs(rdl__text_string(&text), out);
    rdl__text_release(&text);
    return ok;
}

static int export_case(const struct request *request)
{
    char folder[] = "/tmp/raddle-export-XXXXXX";
    struct rdl__text path = {0}, said = {0};
    bool ok;
    pid_t pid;
    int status;

    if (!mkdtemp(folder)) {
        fprintf(stderr, "raddle export: cannot make a folder in /tmp: %s\n", strerror(errno));
        return RDL__EXIT_SETUP;
    }
    rdl__text_add(&path, "%s/repro.c", folder);
    rdl__text_add(&said, "%s/said", folder);
    pid = fork();
    if (pid == 0) {
        redirect(said.bytes);
        status = export_to(request, path.bytes);
        fflush(NULL);
        _exit(status);
    }
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
        continue;
    ok = copy_file(stdout, path.bytes);
    if (!ok)
        copy_file(stderr, said.bytes);
    unlink(path.bytes);
    unlink(said.bytes);
    rmdir(folder);
    rdl__text_release(&path);
    rdl__text_release(&said);
    return ok && fflush(stdout) == 0 ? RDL__EXIT_PASS : RDL__EXIT_SETUP;
}

int rdl__command_export(int argc, char **argv)
{
    struct request request;
    struct rdl__error error;
    int status;

    if (argc >= 2 && strcmp(argv[1], "--help") == 0)
        return fputs(usage, stdout) < 0 ? RDL__EXIT_SETUP : RDL__EXIT_PASS;
    if (read_request(&request, argc, argv, &error)) {
        status = export_case(&request);
    } else {
        fprintf(stderr, "raddle export: %s\n", error.text);
        status = RDL__EXIT_SETUP;
    }
    rdl__words_release(&request.before);
    return status;
}
