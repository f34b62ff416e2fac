/* harness.c -- runs the tests, and what their expectations need (see harness.h).
 *
 * Invariant:  only the thread that runs a test jumps out of it.  Where that is
 *             impossible (another thread, a forked child) a failing expectation
 *             ends the process with status 1. */
#include "harness.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static struct test *first_test, **last_link = &first_test;
static jmp_buf end_of_test;
static pid_t runner;
static _Thread_local bool may_jump;

/* Keeps what run() returned reachable, so that a test need not free it and the
 * leak checker has no reason to complain. */
struct output {
    char *text;
    struct output *next;
};
static struct output *outputs;

void test_add(struct test *test)
{
    *last_link = test;
    last_link = &test->next;
}

void test_fail(const char *file, int line, const char *format, ...)
{
    va_list args;

    printf("%s:%d: ", file, line);
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
    printf("\n");
    fflush(stdout);
    if (!may_jump || getpid() != runner)
        _exit(1);
    longjmp(end_of_test, 1);
}

void expect_equal(const char *file, int line, const char *what, intmax_t seen, intmax_t wanted)
{
    if (seen != wanted)
        test_fail(file, line, "%s is %jd, not %jd", what, seen, wanted);
}

void expect_same_text(const char *file, int line, const char *what, const char *seen,
                      const char *wanted)
{
    if (!seen || !wanted ? seen != wanted : strcmp(seen, wanted) != 0)
        test_fail(file, line, "%s is\n%s\nnot\n%s", what, seen ? seen : "(null)",
                  wanted ? wanted : "(null)");
}

void expect_part(const char *file, int line, const char *what, const char *text, const char *part,
                 bool wanted)
{
    bool found = text && strstr(text, part);

    if (found != wanted)
        test_fail(file, line, "%s %s \"%s\"; it is\n%s", what, wanted ? "lacks" : "contains", part,
                  text ? text : "(null)");
}

char *test_keep(char *text)
{
    struct output *output = malloc(sizeof *output);

    EXPECT(output && text);
    *output = (struct output){.text = text, .next = outputs};
    outputs = output;
    return text;
}

static char *read_all(FILE *file)
{
    size_t size = 0, room = 4096;
    char *text = malloc(room);

    EXPECT(text);
    for (size_t got; (got = fread(text + size, 1, room - size - 1, file)) > 0;) {
        size += got;
        if (room - size < 2) {
            text = realloc(text, room *= 2);
            EXPECT(text);
        }
    }
    text[size] = '\0';
    return text;
}

char *run(int *out_status, const char *command_format, ...)
{
    char *command, *redirected, *text;
    va_list args;
    FILE *pipe;
    int status;

    va_start(args, command_format);
    EXPECT(vasprintf(&command, command_format, args) >= 0);
    va_end(args);
    EXPECT(asprintf(&redirected, "exec 2>&1; %s", command) >= 0);
    fflush(stdout);
    pipe = popen(redirected, "r");
    EXPECT(pipe);
    text = read_all(pipe);
    status = pclose(pipe);
    if (out_status)
        *out_status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    free(redirected);
    free(command);
    return test_keep(text);
}

bool soak(void)
{
    return getenv("RADDLE_SOAK") != NULL;
}

uint64_t test_seed(void)
{
    const char *seed = getenv("RADDLE_SOAK_SEED");

    return soak() && seed ? strtoull(seed, NULL, 0) : 1;
}

static bool passes(const struct test *test)
{
    if (setjmp(end_of_test))
        return false;
    test->body();
    return true;
}

int main(int argc, char **argv)
{
    int passed = 0, failed = 0;

    /* So that a test program may also be started by hand. */
    setenv("BUILD", TEST_BUILD, false);
    setenv("SOURCE", TEST_SOURCE, false);
    setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
    runner = getpid();
    may_jump = true;
    for (const struct test *test = first_test; test; test = test->next) {
        if (argc > 1 && !strstr(test->name, argv[1]))
            continue;
        if (failed > 0 && getenv("TEST_FAIL_FAST"))
            break;
        if (passes(test)) {
            printf("ok      %s\n", test->name);
            passed++;
        } else {
            printf("FAILED  %s\n", test->name);
            failed++;
        }
    }
    printf("%d passed, %d failed\n", passed, failed);
    return failed > 0 || passed == 0;
}
