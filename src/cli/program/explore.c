/* explore.c -- a program that knows nothing of Raddle, as a test with one body. */
#include <alloca.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/apart.h"
#include "base/hash.h"
#include "base/memory.h"
#include "choice/regress.h"
#include "cli/options.h"
#include "cli/orders.h"
#include "cli/program/follow.h"
#include "cli/program/program.h"
#include "cli/program/spinning.h"
#include "control/explore.h"
#include "control/sched/allowed.h"
#include "control/sched/debug.h"
#include "control/sched/dispatch.h"
#include "control/sched/left.h"
#include "control/sched/memory.h"
#include "control/sched/next.h"
#include "control/sched/sched.h"
#include "control/sched/seen.h"
#include "control/sched/track.h"
#include "port/addresses.h"
#include "port/clock.h"
#include "port/kernel.h"
#include "port/maps.h"
#include "raddle/reproduce.h"
#include "run/attribute.h"
#include "run/execute.h"

enum { STACK_LEAST = 4096 };
#define STACK_STEP ((uintptr_t)256 * 1024)

static struct {
    rdl__main_function *main;
    int argc;
    char **argv;
    struct rdl__exploring explore;
    unsigned timeout_ms;
    int input;  /* standard input, to be opened anew for each execution; -1: none */
    int output; /* what is compared; -1: nothing is */
    struct rdl__text expected;
    const struct rdl__followed *followed; /* NULL: it is the program that the user named */
    struct rdl_test test;                 /* the same one in each execution: see left.h */
} program = {.input = -1, .output = -1};

/* ---- In the execution's own process ----------------------------------------------------- */

static void reopen_input(void)
{
    char path[64];
    int fd;

    if (program.input < 0)
        return;
    snprintf(path, sizeof path, "/proc/self/fd/%d", program.input);
    fd = open(path, O_RDONLY);
    if (fd > STDERR_FILENO) {
        dup2(fd, STDIN_FILENO);
        close(fd);
    }
}

/* Where the stack is when main begins depends on who calls us from where, and on how
 * large the environment is.  Let it begin at a place that does not. */
__attribute__((noinline)) static int call_main(void)
{
    uintptr_t start = ((uintptr_t)__builtin_frame_address(0) - STACK_LEAST) & -STACK_STEP;
    char *gap;

    gap = alloca(((uintptr_t)alloca(16) - start) & ~(uintptr_t)15);
    __asm__ volatile("" : : "r"(gap) : "memory"); /* it is there for its size */
    rdl__for_us = false;
    return program.main(program.argc, program.argv, environ);
}

static void forget_output(void)
{
    if (program.output >= 0 && ftruncate(program.output, 0) != 0)
        rdl__stop("cannot empty the file for the program's output: %s", strerror(errno));
}

static void run_main(struct rdl_case *t)
{
    (void)t;
    for (size_t i = 0; program.followed && i < program.followed->other_count; i++)
        rdl__limit(RDL__LIMIT_PROCESS, program.followed->others[i], NULL);
    reopen_input();
    if (!rdl__self())
        forget_output(); /* free threads run in the process of the worker, which has run others */
    if (program.output >= 0)
        dup2(program.output, STDOUT_FILENO);
    exit(call_main());
}

/* ---- Before it -------------------------------------------------------------------------- */

/* A buffer that is not the heap's: whether the C library has one already depends on
 * what we have printed, and whether it needs one, on whether the execution is to be told. */
static void give_output_a_buffer(int how)
{
    static char buffer[4096];
    static int before = -1;

    if (how != before)
        setvbuf(stdout, buffer, how, sizeof buffer);
    before = how;
}

static void prepare_execution(void)
{
    give_output_a_buffer(rdl__this_board->task.traced ? _IONBF : _IOFBF);
    forget_output();
    rdl__capture_begin();
    rdl__handles_copied();
    rdl__maps_copied();
}

/* ---- What became of it ------------------------------------------------------------------- */

static const unsigned fail_bits[] = {
    [RDL__BY_CRASH] = RDL__FAIL_CRASH,       [RDL__BY_EXIT] = RDL__FAIL_EXIT,
    [RDL__BY_DEADLOCK] = RDL__FAIL_DEADLOCK, [RDL__BY_LIVELOCK] = RDL__FAIL_LIVELOCK,
    [RDL__BY_RACE] = RDL__FAIL_RACE,         [RDL__BY_OUTPUT] = RDL__FAIL_OUTPUT,
    [RDL__BY_ASSERT] = RDL__FAIL_ASSERTION,  [RDL__BY_MISUSE] = RDL__FAIL_MISUSE,
    [RDL__BY_HANG] = RDL__FAIL_LIVELOCK,     [RDL__BY_CHECK] = RDL__FAIL_ASSERTION,
    [RDL__BY_LEAK] = RDL__FAIL_DEADLOCK,     [RDL__BY_MEMORY] = RDL__FAIL_MEMORY,
};

static void read_output(struct rdl__text *out)
{
    char block[4096];
    ssize_t got;
    off_t at = 0;

    while ((got = pread(program.output, block, sizeof block, at)) > 0) {
        rdl__text_add_bytes(out, block, (size_t)got);
        at += got;
    }
}

/* The line that byte `at` lies in: where it starts, and how long it is, up to a bound.
 * Up to there both texts are the same. */
static size_t line_start(const struct rdl__text *text, size_t at)
{
    while (at > 0 && text->bytes[at - 1] != '\n')
        at--;
    return at;
}

static int line_from(const struct rdl__text *text, size_t at)
{
    enum { SHOWN = 200 };
    size_t start = text->count ? line_start(text, at) : 0, length = 0;

    while (start + length < text->count && length < SHOWN && text->bytes[start + length] != '\n')
        length++;
    return (int)length;
}

static void compare_output(struct rdl__outcome *outcome)
{
    struct rdl__text seen = {0};
    size_t at = 0;
    int line = 1;

    read_output(&seen);
    while (at < seen.count && at < program.expected.count &&
           seen.bytes[at] == program.expected.bytes[at])
        line += seen.bytes[at++] == '\n';
    if (seen.count != program.expected.count || at < seen.count) {
        outcome->verdict = RDL__FAILED;
        outcome->claimed = 1;
        outcome->cause = RDL__BY_OUTPUT;
        outcome->line = 0;
        outcome->pc = 0;
        outcome->file[0] = '\0';
        snprintf(outcome->check, sizeof outcome->check,
                 "it printed something else than it should, from line %d on", line);
        snprintf(outcome->text, sizeof outcome->text, "expected: %.*s\nprinted:  %.*s",
                 line_from(&program.expected, at),
                 rdl__text_string(&program.expected) + line_start(&program.expected, at),
                 line_from(&seen, at), rdl__text_string(&seen) + line_start(&seen, at));
        outcome->origin = rdl__combine(RDL__BY_OUTPUT, 0);
    }
    rdl__text_release(&seen);
}

/* A program that does not end even under the first schedule is not for exploring:
 * a server, say. */
static void refuse(struct rdl__outcome *outcome, const char *advice)
{
    outcome->verdict = RDL__MISUSED;
    snprintf(outcome->text, sizeof outcome->text,
             "the program does not end: after %g s it was still at %s; give it an input that makes "
             "it end, or more time (--timeout)%s",
             program.timeout_ms / 1000.0, outcome->pc ? rdl__at(outcome->pc) : "it", advice);
}

/* It ended by itself: as it should? */
static void judge_end(struct rdl__board *board, int status)
{
    if (board->hung || WIFSIGNALED(status) || board->crash.signal != 0 ||
        WEXITSTATUS(status) != program.explore.status) {
        rdl__board_repair(board);
        rdl__attribute(board, status, board->hung, program.timeout_ms);
    } else if (program.output >= 0) {
        compare_output(&board->outcome);
    }
}

static void judge(struct rdl_case *t, int status, bool told)
{
    struct rdl__board *board = rdl__this_board;
    struct rdl__outcome *outcome = t->outcome;

    if (!told)
        judge_end(board, status);
    if (outcome->verdict == RDL__FAILED && !(fail_bits[outcome->cause] & program.explore.fail_on))
        outcome->verdict = RDL__PASSED;
    if (board->hung && board->task.kind == RDL__RUN_RANDOM && board->failed_at == 0)
        refuse(outcome, rdl__spinning_advice(board));
    else if (board->hung)
        rdl__spinning_advise(board);
    board->hung = false;
    board->crash.signal = 0;
}

/* The same of free threads, which end their worker: the program's end is that of the case. */
static void judge_freely(struct rdl__board *board, int status, bool hung)
{
    struct rdl__outcome *outcome = &board->outcome;

    outcome->verdict = RDL__PASSED;
    outcome->threads = 1; /* its exit is not in the middle of anything */
    board->hung = hung;
    judge_end(board, status);
    if (outcome->verdict == RDL__FAILED && !(fail_bits[outcome->cause] & program.explore.fail_on))
        outcome->verdict = RDL__PASSED;
    board->hung = false;
}

/* ---- Taking over --------------------------------------------------------------------------- */

static int high(int fd)
{
    int copy = fcntl(fd, F_DUPFD_CLOEXEC, RDL__FD_FLOOR);

    return copy >= 0 ? copy : fd;
}

static bool has_input(void)
{
    struct stat input;

    return fstat(STDIN_FILENO, &input) == 0 && S_ISREG(input.st_mode);
}

static bool prepare_output(const struct rdl__exploring *explore, struct rdl__error *error)
{
    int fd;

    program.explore = *explore;
    if (!program.explore.output && !program.explore.same_output)
        return true;
    fd = memfd_create("raddle-output", MFD_CLOEXEC);
    if (fd < 0 || fcntl(fd, F_SETFL, O_APPEND) < 0)
        return rdl__fail(error, "cannot make a file for the program's output: %s", strerror(errno));
    program.output = high(fd);
    if (program.output != fd)
        close(fd); /* the program is to find the number free */
    return !program.explore.output ||
           rdl__read_file(&program.expected, program.explore.output, error);
}

static unsigned timeout_of(const struct rdl__options *options)
{
    return options->plan.timeout_ms ? options->plan.timeout_ms : 10000;
}

static const struct rdl_test *make_test(const struct rdl__options *options, const char *name)
{
    program.test = (struct rdl_test){
        .name = name,
        .file = program.argv[0],
        .body = run_main,
        .options = {.explore = true,
                    .faults = options->explore.faults,
                    .points_max = options->explore.points_max},
    };
    return &program.test;
}

/* ---- One execution, in this very process ---------------------------------------------------- */

static struct rdl__board *board_here;
static const struct rdl__settings as_usual;

/* For a debugger: stop where the failure is seen. */
static void stop_at_failure(void)
{
    rdl__debug_failure(board_here);
    _exit(RDL__EXIT_FAIL);
}

static void leave_quietly(void)
{
    _exit(RDL__EXIT_PASS);
}

/* Run the program under the schedule of a feed; its exit ends this process. */
_Noreturn static void run_here(const struct rdl_test *test, const struct rdl__settings *settings,
                               const struct rdl__feed *feed, void (*leave)(void))
{
    struct rdl__error error;
    struct rdl__board *board = rdl__board_new(1 << 20, &error);
    struct rdl_case t;

    if (!board)
        rdl__stop("%s", error.text);
    rdl__case_init(&t, board, leave);
    t.test = test;
    t.settings = *settings;
    board->tape.limit = board->choices_room;
    board->task.test = test;
    board_here = board;
    rdl__tape_from_feed(&board->tape, feed, 0);
    give_output_a_buffer(isatty(STDOUT_FILENO) ? _IOLBF : _IOFBF);
    rdl__explore_and_exit(&t, leave);
}

/* What the program prints under the simplest schedule: nobody is preempted. */
static void learn_output(const struct rdl_test *test)
{
    int pid, status;

    rdl__left_begin(test);
    pid = RDL__NEXT(fork)();
    if (pid == 0)
        run_here(test, &as_usual, &(struct rdl__feed){.fill_at = RDL__NONE}, leave_quietly);
    while (RDL__NEXT(waitpid)(pid, &status, 0) < 0 && errno == EINTR)
        continue;
    read_output(&program.expected);
    forget_output();
}

_Noreturn static void debug(const struct rdl_test *test, const struct rdl__token *token)
{
    rdl__debugged = true;
    run_here(
        test, &token->settings,
        &(struct rdl__feed){.indexes = token->indexes, .count = token->count, .fill_at = RDL__NONE},
        stop_at_failure);
}

/* ---- The search ------------------------------------------------------------------------------ */

static int explore(struct rdl__options *options, const char *name)
{
    struct rdl_test *tests[] = {&program.test};
    struct rdl__text replay = {0};
    struct rdl__error error;
    int status;

    make_test(options, name);
    rdl__options_set_volatiles(options, tests, 1);
    rdl__text_add(&replay, "raddle replay");
    rdl__options_judging(&replay, &options->explore);
    program.timeout_ms = timeout_of(options);
    options->plan.timeout_ms = program.timeout_ms;
    options->plan.no_regressions = true;
    options->plan.replay_command = replay.bytes;
    options->plan.program = program.argv[0];
    options->plan.program_arguments = program.argv + 1;
    options->plan.program_options = rdl__options_judging_words(&options->explore);
    if (options->order && !rdl__put_in_order(options, tests, 1, &error)) {
        fprintf(stderr, "raddle: %s\n", error.text);
        return RDL__EXIT_SETUP;
    }
    if (program.output >= 0 && !options->explore.output)
        learn_output(&program.test);
    rdl__races_fail = (options->explore.fail_on & RDL__FAIL_RACE) != 0;
    rdl__memory_fails = (options->explore.fail_on & RDL__FAIL_MEMORY) != 0;
    rdl__explorer_judge = judge;
    rdl__explorer_hung = rdl__spinning_waits;
    rdl__worker_judge = judge_freely;
    rdl__explorer_before = prepare_execution;
    status = rdl__run_tests(options, tests, 1);
    rdl__text_release(&replay);
    return status;
}

/* A token is for the program it was made for, by whatever path it is called now. */
static int replay(struct rdl__options *options)
{
    struct rdl__token token;
    struct rdl__error error;
    int status = RDL__EXIT_SETUP;

    if (!rdl__options_token(&token, options, &error)) {
        fprintf(stderr, "raddle: %s\n", error.text);
        return RDL__EXIT_SETUP;
    }
    if (options->explore.gdb)
        debug(make_test(options, token.name), &token);
    status = explore(options, token.name);
    rdl__token_release(&token);
    return status;
}

static int run_in_order(struct rdl__options *options)
{
    struct rdl__order_file file;
    struct rdl__token token;
    struct rdl__error error;
    int status;

    if (!rdl__read_order(&file, &token, options->order, &error)) {
        fprintf(stderr, "raddle: %s\n", error.text);
        return RDL__EXIT_SETUP;
    }
    status = explore(options, token.name);
    rdl__token_release(&token);
    rdl__order_file_release(&file);
    return status;
}

/* A thread that waited where we cannot see it would stop all of them. */
static bool can_be_controlled(struct rdl__error *error)
{
    const char *library;

    if (rdl__free_threads > 0) /* copies of this process do not have them */
        return rdl__fail(error, "the program starts a thread before main, in a constructor, where "
                                "Raddle cannot control it: start it from main");
    rdl__dispatch_prepare();
    library = rdl__dispatch_lacking();
    return !library ||
           rdl__fail(error,
                     "%s makes system calls of its own, not through the C library; to control "
                     "them takes a Linux of 5.11 or later that allows PR_SET_SYSCALL_USER_DISPATCH",
                     library);
}

/* The program is to see its environment as if we were not there. */
static void restore(const char *name, const char *value)
{
    if (value && *value)
        setenv(name, value, 1);
    else
        unsetenv(name);
}

/* From here on what we need does not come from the program's memory. */
static void keep_apart(void)
{
    if (!rdl__is_apart)
        rdl__apart_begin();
    rdl__for_us = rdl__is_apart;
    rdl__crash_prepare(); /* loads a library, which would else be mapped sooner or later */
}

/* ---- Reproducers ----------------------------------------------------------------------------- */

/* The program's arguments are those of the case, unless there are others. */
static char **arguments_of(const struct rdl_reproduction *what, char **argv)
{
    size_t count = 0;
    char **all;

    while (what->arguments && what->arguments[count])
        count++;
    if (argv[0] && argv[1])
        return argv;
    all = rdl__allocate((count + 2) * sizeof *all);
    all[0] = argv[0];
    for (size_t i = 0; i < count; i++)
        all[i + 1] = rdl__duplicate(what->arguments[i]);
    return all;
}

int rdl__program_reproduce(char **argv)
{
    const struct rdl_reproduction *what = rdl__program_reproduced;
    struct rdl__text value = {0};
    char **options, **arguments = arguments_of(what, argv);
    int count = 0, orders;

    while (what->options && what->options[count])
        count++;
    options = rdl__allocate((size_t)(count + 1) * sizeof *options);
    options[0] = (char *)"raddle replay";
    for (int i = 0; i < count; i++)
        options[i + 1] = rdl__duplicate(what->options[i]);
    orders = rdl__orders_write(count + 1, options);
    rdl__add_descriptors(&value, orders, -1, RDL__PROBES_NOT);
    setenv(RDL__PROGRAM_VARIABLE, value.bytes, 1);
    setenv("LD_BIND_NOW", "1", 1);
    setenv("GOMP_SPINCOUNT", "0", 1);
    rdl__end_at_undefined();
    rdl__fix_addresses();
    execv("/proc/self/exe", arguments);
    fprintf(stderr, "raddle: cannot run %s again: %s\n", argv[0], strerror(errno));
    return RDL__EXIT_SETUP;
}

/* What is decided in the program itself is what is replayed. */
static void take_reproduction(struct rdl__options *options, const char *name)
{
    static struct rdl__token token;

    if (!rdl__program_reproduced)
        return;
    rdl__token_of_reproduction(&token, rdl__program_reproduced, name);
    options->decided = &token;
}

/* Commands for --step are not input of the program; and if that has some, they come from the
 * terminal. */
static void keep_commands(void)
{
    int nothing;

    if (has_input()) {
        rdl__step_input = open("/dev/tty", O_RDONLY | O_CLOEXEC);
        return;
    }
    rdl__step_input = high(STDIN_FILENO);
    nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (nothing >= 0) {
        dup2(nothing, STDIN_FILENO);
        close(nothing);
    }
}

/* ---- From orders to the exit status ---------------------------------------------------------- */

static void run_probe(void)
{
    run_here(&program.test, &as_usual, &(struct rdl__feed){.fill_at = RDL__NONE}, leave_quietly);
}

/* Does it start other programs, and has no threads itself? */
static bool starts_others(const struct rdl__options *options, const char *name)
{
    rdl__left_begin(make_test(options, name));
    return rdl__program_probe(run_probe, timeout_of(options));
}

static void say(int hello, char what)
{
    if (hello >= 0 && write(hello, &what, 1) == 1)
        close(hello);
}

static void begin(rdl__main_function *function, int argc, char **argv)
{
    keep_apart();
    program.main = function;
    rdl__first_entry = (uintptr_t)function;
    program.argc = argc;
    program.argv = argv;
}

/* What the program does at its end is not for the snapshot to do. */
_Noreturn static void leave(int status)
{
    fflush(NULL);
    _exit(status);
}

/* Options among the orders. */
struct arguments {
    int count;
    char **words;
};

static struct arguments read_arguments(struct rdl__order_words *orders)
{
    struct arguments arguments = {.count = atoi(rdl__next_word(orders))};

    arguments.words = rdl__allocate((size_t)(arguments.count + 1) * sizeof *arguments.words);
    for (int i = 0; i < arguments.count; i++)
        arguments.words[i] = rdl__next_word(orders);
    return arguments;
}

/* Leaves the process if there is something wrong with them. */
static struct rdl__options *options_of(const struct arguments *arguments)
{
    struct rdl__options *options = rdl__allocate(sizeof *options);
    struct rdl__error error;

    if (!rdl__options_read_for_program(options, arguments->count, arguments->words, &error)) {
        fprintf(stderr, "raddle: %s\n", error.text);
        leave(RDL__EXIT_SETUP);
    }
    if (!options->seed_given)
        options->plan.seed = rdl__entropy() >> 32;
    return options;
}

/* They may also be given by the environment, which is raddle's and not the program's. */
static struct rdl__options *options_given(struct rdl__order_words *orders)
{
    char **own = environ, **given = NULL, *entry;
    struct rdl__options *options;
    struct arguments arguments;
    size_t count = 0;

    do {
        entry = rdl__next_word(orders);
        given = rdl__reallocate(given, (count + 1) * sizeof *given);
        given[count++] = *entry ? entry : NULL;
    } while (*entry);
    arguments = read_arguments(orders);
    environ = given;
    options = options_of(&arguments);
    environ = own;
    return options;
}

static int obey(struct rdl__options *options, const char *name)
{
    struct rdl__error error;

    if (!can_be_controlled(&error) || !prepare_output(&options->explore, &error)) {
        fprintf(stderr, "raddle: %s\n", error.text);
        return RDL__EXIT_SETUP;
    }
    rdl__warn_of_addresses();
    take_reproduction(options, name);
    return options->replay || options->decided ? replay(options)
           : options->order                    ? run_in_order(options)
                                               : explore(options, name);
}

int rdl__program_explore(rdl__main_function *function, int argc, char **argv)
{
    const char *variable = getenv(RDL__PROGRAM_VARIABLE);
    struct rdl__options *options;
    struct rdl__order_words orders;
    struct arguments arguments;
    struct rdl__text name = {0};
    int from = -1, hello = -1, probes = 0;

    begin(function, argc, argv);
    if (!variable || sscanf(variable, "%d,%d,%d", &from, &hello, &probes) != 3)
        return RDL__EXIT_SETUP;
    orders = rdl__read_words(from);
    arguments = read_arguments(&orders);
    unsetenv(RDL__PROGRAM_VARIABLE);
    restore("LD_PRELOAD", rdl__next_word(&orders));
    restore("LD_BIND_NOW", rdl__next_word(&orders));
    restore("ASAN_OPTIONS", rdl__next_word(&orders));
    restore("UBSAN_OPTIONS", rdl__next_word(&orders));
    restore("GOMP_SPINCOUNT", rdl__next_word(&orders));
    if (has_input())
        program.input = high(STDIN_FILENO);
    rdl__command_encode(&name, argc, argv);
    options = options_of(&arguments);
    if (options->step || probes == RDL__PROBES_ONLY)
        keep_commands();
    if (probes && rdl__program_may_start_others() && starts_others(options, name.bytes)) {
        say(hello, RDL__TO_BE_FOLLOWED);
        leave(RDL__EXIT_SETUP);
    }
    say(hello, RDL__HAS_TAKEN_OVER);
    if (probes == RDL__PROBES_ONLY)
        leave(RDL__EXIT_PASS);
    leave(obey(options, name.bytes));
}

_Noreturn void rdl__program_explore_followed(rdl__main_function *function, int argc, char **argv,
                                             const char *name, const struct rdl__followed *followed,
                                             struct rdl__order_words *orders)
{
    struct rdl__options *options;

    begin(function, argc, argv);
    program.followed = followed;
    options = options_given(orders);
    options->plan.followed = followed;
    if (has_input())
        program.input = high(STDIN_FILENO);
    if (options->step)
        keep_commands();
    leave(obey(options, name));
}
