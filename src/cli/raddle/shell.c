/* shell.c -- raddle shell: calls to a resource by hand.
 *
 * The spec and the implementation are built as for grading; the program then has the conversation
 * (cli/shell.c).  Without an implementation, the spec itself is called. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "choice/regress.h"
#include "cli/raddle/commands.h"
#include "cli/raddle/grade.h"

static const char usage[] =
    "Usage: raddle shell --spec DIRECTORY [OPTION]... [FILE]\n\n"
    "Calls operations of a resource by hand, and shows who is blocked, what the spec\n"
    "allows, and why.  FILE is an implementation (.c, .so, .o or .a); without one, the\n"
    "spec itself is called.  Calls are read from standard input: `help` shows more.\n\n"
    "  --spec DIRECTORY    the spec: all C files in it, and the interface\n"
    "  --test NAME         the clients of this test, if there are several\n"
    "  -I DIR, -D NAME     for the compiler\n\n"
    "Exit status: 0 at the end, 2 if it could not begin.\n";

struct request {
    struct rdl__words words; /* for grading */
    const char *test;
    bool has_file, has_spec;
};

static bool read_request(struct request *out, int argc, char **argv, struct rdl__error *error)
{
    *out = (struct request){0};
    rdl__words_add(&out->words, "grade");
    for (int i = 1; i < argc; i++) {
        const char *test = rdl__option_value("--test", argc, argv, &i, error);
        bool takes_value = strcmp(argv[i], "--spec") == 0 || strcmp(argv[i], "-I") == 0 ||
                           strcmp(argv[i], "-D") == 0;

        if (test && !*test)
            return false;
        if (test) {
            out->test = test;
            continue;
        }
        if (argv[i][0] == '-' && argv[i][1] != 'I' && argv[i][1] != 'D' &&
            strncmp(argv[i], "--spec", 6) != 0)
            return rdl__fail(error, "unknown option %s; --help shows all", argv[i]);
        out->has_file |= argv[i][0] != '-';
        out->has_spec |= strncmp(argv[i], "--spec", 6) == 0;
        rdl__words_add(&out->words, "%s", argv[i]);
        if (takes_value && i + 1 < argc)
            rdl__words_add(&out->words, "%s", argv[++i]);
    }
    return out->has_spec || rdl__fail(error, "which spec?  raddle shell --spec DIRECTORY [FILE]");
}

/* Nothing of the interface is there, and nothing of it is called. */
static bool write_nothing(char *path, struct rdl__error *error)
{
    static const char nothing[] = "typedef int nothing;\n";
    int fd = mkstemps(path, 2);

    if (fd < 0 || write(fd, nothing, sizeof nothing - 1) < 0)
        return rdl__fail(error, "cannot write to /tmp: %s", strerror(errno));
    close(fd);
    return true;
}

int rdl__command_shell(int argc, char **argv)
{
    char nothing[] = "/tmp/raddle-shell-XXXXXX.c";
    struct request request;
    struct rdl__error error;
    int status = RDL__EXIT_SETUP;

    if (argc >= 2 && strcmp(argv[1], "--help") == 0)
        return fputs(usage, stdout) < 0 ? RDL__EXIT_SETUP : RDL__EXIT_PASS;
    if (!read_request(&request, argc, argv, &error) ||
        (!request.has_file && !write_nothing(nothing, &error))) {
        fprintf(stderr, "raddle shell: %s\n", error.text);
        rdl__words_release(&request.words);
        return status;
    }
    if (!request.has_file)
        rdl__words_add(&request.words, "%s", nothing);
    status = rdl__grade_shell((int)request.words.count, request.words.words, request.test,
                              !request.has_file);
    if (!request.has_file)
        unlink(nothing);
    rdl__words_release(&request.words);
    return status;
}
