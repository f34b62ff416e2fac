/* explore.c -- raddle explore and raddle replay: programs that know nothing of Raddle.
 *
 * The work is done inside the program, by the library that is preloaded into it (see
 * cli/program/program.h); here it is made sure that this can work, and started. */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"
#include "choice/regress.h"
#include "choice/token.h"
#include "cli/options.h"
#include "cli/orders.h"
#include "cli/program/program.h"
#include "cli/raddle/commands.h"
#include "cli/raddle/follow.h"
#include "port/addresses.h"
#include "port/kernel.h"

static const char explore_usage[] =
    "Usage: raddle explore [OPTION]... -- PROGRAM [ARGUMENT]...\n\n"
    "Runs a program again and again, each time under another schedule of its threads,\n"
    "until one makes it fail: crash, exit with another status than 0, deadlock, ...\n"
    "The schedule is shown with as few preemptions as it takes, and a token that\n"
    "`raddle replay` replays.  The program need not be changed; for switches between\n"
    "accesses to memory, and to find data races, compile it with `raddle cc`.\n\n";

static const char replay_usage[] =
    "Usage: raddle replay TOKEN|@FILE [OPTION]... [-- PROGRAM [ARGUMENT]...]\n"
    "       raddle replay --order FILE [OPTION]... [-- PROGRAM [ARGUMENT]...]\n"
    "       raddle replay TOKEN|@FILE --spec DIRECTORY [OPTION]... FILE\n\n"
    "Runs the program that a token of `raddle explore` is for under the token's\n"
    "schedule; with --gdb, in the debugger, up to where it fails; with --step, you walk\n"
    "through what happened, forwards and backwards.  PROGRAM, if given, takes its place;\n"
    "or is the test program that the token is of.  With --order, the program runs with\n"
    "threads of the operating system, in the order that --export FILE has made of a\n"
    "schedule.  With --spec, FILE is the implementation that was graded.\n\n";

/* ---- Can it be explored? ------------------------------------------------------------------ */

enum { NAMES_MAX = 64 << 20 };

char *rdl__find_program(const char *name)
{
    const char *path = getenv("PATH");
    char *copy, *rest, *folder;
    struct stat found;

    if (strchr(name, '/') || !*name || !path)
        return rdl__duplicate(name);
    copy = rest = rdl__duplicate(path);
    while ((folder = strsep(&rest, ":"))) {
        struct rdl__text file = {0};

        rdl__text_add(&file, "%s/%s", *folder ? folder : ".", name);
        if (access(file.bytes, X_OK) == 0 && stat(file.bytes, &found) == 0 &&
            S_ISREG(found.st_mode)) {
            free(copy);
            return file.bytes;
        }
        rdl__text_release(&file);
    }
    free(copy);
    return rdl__duplicate(name);
}

/* Does it have a dynamic loader?  Only then can we come between it and the C library. */
static bool is_dynamic(int fd, const Elf64_Ehdr *header)
{
    for (int i = 0; i < header->e_phnum; i++) {
        Elf64_Phdr part;
        off_t at = (off_t)(header->e_phoff + (Elf64_Off)i * header->e_phentsize);

        if (pread(fd, &part, sizeof part, at) == sizeof part && part.p_type == PT_INTERP)
            return true;
    }
    return false;
}

/* Does it register tests?  The names that it shares with libraries are in .dynstr. */
static bool has_tests(int fd, const Elf64_Ehdr *header)
{
    static const char registers[] = "\0rdl_register";
    bool found = false;

    for (int i = 0; i < header->e_shnum && !found; i++) {
        off_t at = (off_t)(header->e_shoff + (Elf64_Off)i * header->e_shentsize);
        Elf64_Shdr part;
        char *names;

        if (pread(fd, &part, sizeof part, at) != sizeof part || part.sh_type != SHT_STRTAB ||
            !(part.sh_flags & SHF_ALLOC) || part.sh_size > NAMES_MAX)
            continue;
        names = rdl__allocate(part.sh_size + 1);
        found = pread(fd, names, part.sh_size, (off_t)part.sh_offset) == (ssize_t)part.sh_size &&
                memmem(names, part.sh_size, registers, sizeof registers);
        free(names);
    }
    return found;
}

bool rdl__is_test_program(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    Elf64_Ehdr header;
    bool is_one = fd >= 0 && pread(fd, &header, sizeof header, 0) == sizeof header &&
                  memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 &&
                  header.e_ident[EI_CLASS] == ELFCLASS64 && has_tests(fd, &header);

    if (fd >= 0)
        close(fd);
    return is_one;
}

static bool check_contents(const char *path, int fd, bool *out_is_static, struct rdl__error *error)
{
    Elf64_Ehdr header;
    ssize_t got = pread(fd, &header, sizeof header, 0);

    if (got >= 2 && memcmp(&header, "#!", 2) == 0)
        return true; /* its interpreter is followed */
    if (got != sizeof header || memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
        return rdl__fail(error, "%s is not a program, but some other file", path);
    if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_machine != EM_X86_64)
        return rdl__fail(error, "%s is not a program for x86-64", path);
    if (header.e_type != ET_EXEC && header.e_type != ET_DYN)
        return rdl__fail(
            error, "%s is no program, but another kind of ELF file (an object file or a library?)",
            path);
    if (!is_dynamic(fd, &header) && out_is_static)
        return *out_is_static = true;
    if (!is_dynamic(fd, &header))
        return rdl__fail(error,
                         "%s is linked statically: Raddle cannot come between it and the C "
                         "library; link it dynamically (without -static)",
                         path);
    if (has_tests(fd, &header))
        return rdl__fail(error, "%s has tests of Raddle's: it explores by itself, so just run it",
                         path);
    return true;
}

bool rdl__can_be_run(const char *path, struct rdl__error *error)
{
    struct stat file;

    if (!*path)
        return rdl__fail(error,
                         "the name of the program is empty: write ./ before one that is here");
    if (stat(path, &file) != 0 && errno == ENOENT)
        return rdl__fail(error, "there is no program %s%s", path,
                         strchr(path, '/') ? "" : " along PATH; write ./ before one that is here");
    if (stat(path, &file) != 0)
        return rdl__fail(error, "cannot look at %s: %s", path, strerror(errno));
    if (!S_ISREG(file.st_mode))
        return rdl__fail(error, "%s is %s, not a program", path,
                         S_ISDIR(file.st_mode) ? "a directory" : "a special file");
    if (access(path, X_OK) != 0)
        return rdl__fail(error, "%s is not executable (chmod +x makes it so)", path);
    return true;
}

bool rdl__check_program(const char *path, bool *out_is_static, struct rdl__error *error)
{
    struct stat file;
    bool ok;
    int fd;

    if (!rdl__can_be_run(path, error) || stat(path, &file) != 0)
        return false;
    if (file.st_mode & (S_ISUID | S_ISGID))
        return rdl__fail(error,
                         "%s is set-%s-ID: the system does not let anything be preloaded into it; "
                         "explore a copy without that bit",
                         path, file.st_mode & S_ISUID ? "user" : "group");
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return rdl__fail(error, "cannot read %s: %s", path, strerror(errno));
    ok = check_contents(path, fd, out_is_static, error);
    close(fd);
    return ok;
}

/* ---- Starting it --------------------------------------------------------------------------- */

/* Every execution reads the input from its beginning, so it has to be a file. */
static bool prepare_input(struct rdl__error *error)
{
    struct rdl__text input = {0};
    struct stat file;
    char block[4096];
    ssize_t got;
    int fd;

    if (fstat(STDIN_FILENO, &file) != 0 || S_ISREG(file.st_mode) || isatty(STDIN_FILENO) ||
        S_ISCHR(file.st_mode))
        return true;
    while ((got = read(STDIN_FILENO, block, sizeof block)) > 0)
        rdl__text_add_bytes(&input, block, (size_t)got);
    fd = rdl__nameless_file(input.bytes, input.count);
    rdl__text_release(&input);
    if (fd < 0 || dup2(fd, STDIN_FILENO) < 0)
        return rdl__fail(error, "cannot keep standard input for further runs: %s", strerror(errno));
    close(fd);
    return true;
}

static void set_environment(const char *library, int orders, int hello, enum rdl__probing probes)
{
    const char *preload = getenv("LD_PRELOAD"), *asan = getenv("ASAN_OPTIONS");
    struct rdl__text value = {0};

    rdl__text_add(&value, "%s%s%s", library, preload && *preload ? ":" : "",
                  preload ? preload : "");
    setenv("LD_PRELOAD", value.bytes, 1);
    setenv("LD_BIND_NOW", "1", 1); /* once, not anew in each execution */
    /* OpenMP's threads spin before they wait, for what none can do while they spin. */
    setenv("GOMP_SPINCOUNT", "0", 1);
    /* We have to be before it, which it minds; and leaks it cannot look for in copies. */
    rdl__text_clear(&value);
    rdl__text_add(&value, "detect_leaks=0:verify_asan_link_order=0%s%s", asan ? ":" : "",
                  asan ? asan : "");
    setenv("ASAN_OPTIONS", value.bytes, 1);
    rdl__end_at_undefined();
    rdl__text_clear(&value);
    rdl__add_descriptors(&value, orders, hello, probes);
    setenv(RDL__PROGRAM_VARIABLE, value.bytes, 1);
    rdl__text_release(&value);
}

volatile int rdl__explored;

/* The program ends in good order then.  What the terminal sends, it gets as well, unless it is in a
 * group of its own. */
static void pass_on(int signal, siginfo_t *info, void *context)
{
    (void)context;
    if (rdl__explored &&
        (info->si_code != SI_KERNEL || getpgid(rdl__explored) != getpgid(getpid())))
        kill(rdl__explored, signal);
}

void rdl__pass_on_signals(void)
{
    const struct sigaction passing_on = {.sa_sigaction = pass_on,
                                         .sa_flags = SA_SIGINFO | SA_RESTART};

    sigaction(SIGINT, &passing_on, NULL);
    sigaction(SIGTERM, &passing_on, NULL);
}

enum { TO_BE_FOLLOWED = -1 };

/* Its exit status; a set-up error if the library did not get to take over. */
static int await_program(const char *path, int hello)
{
    char byte = 0;
    bool taken_over = read(hello, &byte, 1) == 1;
    int status;

    close(hello);
    while (waitpid(rdl__explored, &status, 0) < 0)
        if (errno != EINTR)
            return RDL__EXIT_SETUP;
    rdl__explored = 0;
    if (taken_over && byte == RDL__TO_BE_FOLLOWED)
        return TO_BE_FOLLOWED;
    if (taken_over && WIFEXITED(status))
        return WEXITSTATUS(status);
    if (taken_over)
        fprintf(stderr, "raddle: exploring %s was ended by signal %d (%s)\n", path,
                WTERMSIG(status), strsignal(WTERMSIG(status)));
    else
        fprintf(stderr,
                "raddle: %s ended before main, or does not let itself be preloaded: does it run "
                "without raddle?\n",
                path);
    return RDL__EXIT_SETUP;
}

static int start(const struct rdl__start *what, enum rdl__probing probes)
{
    int orders = rdl__orders_write(what->option_count, what->options), hello[2];

    if (orders < 0 || pipe(hello) != 0) {
        fprintf(stderr, "raddle: cannot talk to the program: %s\n", strerror(errno));
        return RDL__EXIT_SETUP;
    }
    hello[1] = rdl__out_of_the_way(hello[1]);
    rdl__pass_on_signals();
    rdl__explored = fork();
    if (rdl__explored == 0) {
        signal(SIGINT, SIG_DFL);
        signal(SIGTERM, SIG_DFL);
        close(hello[0]);
        prctl(PR_SET_PDEATHSIG, SIGKILL); /* however we end, it does, too */
        set_environment(what->library, orders, hello[1], probes);
        rdl__fix_addresses();
        execv(what->path, what->argv);
        fprintf(stderr, "raddle: cannot run %s: %s\n", what->path, strerror(errno));
        _exit(RDL__EXIT_SETUP);
    }
    close(hello[1]);
    close(orders);
    return rdl__explored < 0 ? RDL__EXIT_SETUP : await_program(what->path, hello[0]);
}

/* gdb runs the program at once, up to where it fails; it can be run again, as often as one
 * likes. */
void rdl__words_add_gdb(struct rdl__words *to)
{
    struct rdl__text script = {0};

    rdl__words_add(to, "gdb");
    rdl__words_add(to, "-q");
    if (rdl__find_script(&script, "raddle-gdb.py")) {
        rdl__words_add(to, "-x");
        rdl__words_add(to, "%s", script.bytes);
    } else {
        fprintf(stderr, "raddle: raddle-gdb.py is not where it was installed: gdb will not know "
                        "the command raddle\n");
    }
    rdl__text_release(&script);
}

/* Run what follows, up to where it fails, and go there. */
void rdl__words_add_run(struct rdl__words *to)
{
    rdl__words_add(to, "-ex");
    rdl__words_add(to, "raddle run");
    rdl__words_add(to, "--args");
}

/* The debugger takes our place.  What is preloaded goes to the program only.  That
 * addresses are the same each time is what the debugger sees to itself. */
static int start_gdb(const struct rdl__start *what)
{
    int orders = rdl__orders_write(what->option_count, what->options);
    char **argv = what->argv;
    struct rdl__words words = {0};
    struct rdl__text wrapper = {0};

    rdl__words_add_gdb(&words);
    /* LINES and COLUMNS are the debugger's doing. */
    rdl__text_add(&wrapper,
                  "set exec-wrapper env -u LINES -u COLUMNS LD_BIND_NOW=1 GOMP_SPINCOUNT=0 "
                  "'LD_PRELOAD=%s' '%s=",
                  what->library, RDL__PROGRAM_VARIABLE);
    rdl__add_descriptors(&wrapper, orders, -1, RDL__PROBES_NOT);
    rdl__text_add(&wrapper, "'");
    rdl__words_add(&words, "-ex");
    rdl__words_add(&words, "%s", wrapper.bytes);
    rdl__words_add_run(&words);
    rdl__words_add(&words, "%s", what->path);
    while (*++argv)
        rdl__words_add(&words, "%s", *argv);
    execvp("gdb", words.words);
    fprintf(stderr, "raddle: cannot run gdb: %s (is the package gdb installed?)\n",
            strerror(errno));
    return RDL__EXIT_SETUP;
}

/* The same for a test program, with the options that its case needs. */
static int start_gdb_for_tests(const char *path, char **argv, int option_count, char **options)
{
    struct rdl__words words = {0};

    rdl__words_add_gdb(&words);
    rdl__words_add_run(&words);
    rdl__words_add(&words, "%s", path);
    rdl__words_add(&words, "--regressions=none");
    for (int i = 1; i < option_count; i++)
        rdl__words_add(&words, "%s", options[i]);
    while (*++argv)
        rdl__words_add(&words, "%s", *argv);
    execvp("gdb", words.words);
    fprintf(stderr, "raddle: cannot run gdb: %s (is the package gdb installed?)\n",
            strerror(errno));
    return RDL__EXIT_SETUP;
}

/* Explore the program itself, or the one that it starts. */
static int start_or_follow(const struct rdl__start *what, bool is_static)
{
    int status =
        is_static ? TO_BE_FOLLOWED : start(what, what->gdb ? RDL__PROBES_ONLY : RDL__PROBES_FIRST);

    if (status == TO_BE_FOLLOWED)
        status = rdl__follow(what);
    else if (what->gdb && status == RDL__EXIT_PASS)
        status = RDL__FOLLOW_ITSELF;
    if (status != RDL__FOLLOW_ITSELF)
        return status;
    return what->gdb ? start_gdb(what) : start(what, RDL__PROBES_NOT);
}

static bool has_commands; /* standard input: for --step; it is not the program's */

int rdl__explore_program(char **argv, int option_count, char **options, unsigned timeout_ms,
                         bool gdb)
{
    struct rdl__start what = {.argv = argv,
                              .option_count = option_count,
                              .options = options,
                              .timeout_ms = timeout_ms ? timeout_ms : 10000,
                              .begun_ns = rdl__kernel_clock_ns(CLOCK_REALTIME_COARSE),
                              .gdb = gdb,
                              .is_for_raddle = has_commands || gdb};
    struct rdl__text library = {0};
    struct rdl__error error;
    char *path = rdl__find_program(argv[0]);
    bool is_static = false;
    int status = RDL__EXIT_SETUP;

    if (rdl__check_program(path, &is_static, &error) && rdl__find_library(&library, &error) &&
        (has_commands || prepare_input(&error))) {
        what.path = path;
        what.library = library.bytes;
        status = start_or_follow(&what, is_static);
    } else {
        fprintf(stderr, "raddle: %s\n", error.text);
    }
    rdl__text_release(&library);
    free(path);
    return status;
}

/* ---- The commands ----------------------------------------------------------------------- */

static int show_help(const char *usage)
{
    struct rdl__text help = {0};

    rdl__text_add(&help, "%s", usage);
    rdl__options_list(&help);
    rdl__text_add(&help, "Exit status: 0 no failure was found, 1 one was, 2 it could not run.\n");
    fputs(help.bytes, stdout);
    rdl__text_release(&help);
    return fflush(stdout) == 0 ? RDL__EXIT_PASS : RDL__EXIT_SETUP;
}

/* Where the program begins: after --. */
static int find_program_argument(int argc, char **argv)
{
    int at = 1;

    while (at < argc && strcmp(argv[at], "--") != 0)
        at++;
    return at;
}

int rdl__command_explore(int argc, char **argv)
{
    int end = find_program_argument(argc, argv);
    struct rdl__options *options = rdl__allocate(sizeof *options);
    struct rdl__error error;
    int status = RDL__EXIT_SETUP;

    if (!rdl__options_read_for_program(options, end, argv, &error))
        fprintf(stderr, "raddle explore: %s\n", error.text);
    else if (options->help)
        status = show_help(explore_usage);
    else if (end + 1 >= argc)
        fprintf(stderr, "raddle explore: which program?  raddle explore [OPTION]... -- PROGRAM "
                        "[ARGUMENT]...\n");
    else
        status = rdl__explore_program(argv + end + 1, end, argv, options->plan.timeout_ms, false);
    free(options);
    return status;
}

/* The command that is run: the token's, or the one given after --. */
static char **command_of(const struct rdl__token *token, int argc, char **argv, int end)
{
    int count;

    return end + 1 < argc ? argv + end + 1 : rdl__command_decode(token->name, &count);
}

/* Else the token is one of a test, whose name is not that of a program. */
static bool is_of_a_command(const struct rdl__token *token)
{
    int count;
    char **command = rdl__command_decode(token->name, &count);
    char *path = rdl__find_program(command[0]);
    bool found = strchr(path, '/') != NULL;

    free(path);
    for (int i = 0; i < count; i++)
        free(command[i]);
    free(command);
    return found;
}

static bool is_token(const char *argument)
{
    return strncmp(argument, "rdl", 3) == 0 || argument[0] == '@';
}

/* Which argument is the token; what comes first is meant to be one, if there is none. */
static int find_token(int count, char **argv)
{
    for (int i = 1; i < count; i++)
        if (is_token(argv[i]) || strncmp(argv[i], "--replay", 8) == 0)
            return is_token(argv[i]) ? i : 0;
    return count > 1 && argv[1][0] != '-' ? 1 : 0;
}

/* The token may stand anywhere among the options: make it the value of one. */
static char **options_with_token(int *count, char **argv)
{
    char **options = rdl__allocate((size_t)(*count + 2) * sizeof *options);
    int to = 0, token = find_token(*count, argv);

    for (int i = 0; i < *count; i++) {
        if (i > 0 && i == token)
            options[to++] = (char *)"--replay";
        options[to++] = argv[i];
    }
    *count = to;
    return options;
}

/* A test program replays its own tokens. */
static int replay_test(const char *path, char **argv, int option_count, char **options, bool gdb)
{
    struct rdl__words words = {0};

    if (gdb)
        return start_gdb_for_tests(path, argv, option_count, options);
    rdl__words_add(&words, "%s", path);
    for (int i = 1; i < option_count; i++)
        rdl__words_add(&words, "%s", options[i]);
    while (*++argv)
        rdl__words_add(&words, "%s", *argv);
    execv(path, words.words);
    fprintf(stderr, "raddle: cannot run %s: %s\n", path, strerror(errno));
    return RDL__EXIT_SETUP;
}

static bool is_graded(int count, char **options)
{
    for (int i = 1; i < count; i++)
        if (strcmp(options[i], "--spec") == 0 || strncmp(options[i], "--spec=", 7) == 0)
            return true;
    return false;
}

/* raddle grade does, with the implementation that the token is of. */
static int replay_graded(int count, char **options)
{
    options[0] = (char *)"grade";
    return rdl__command_grade(count, options);
}

/* Which case is it?  An order says it, too. */
static bool read_case(struct rdl__token *out, const struct rdl__options *options,
                      struct rdl__error *error)
{
    struct rdl__order_file file;
    bool ok;

    if (options->replay)
        return rdl__read_token(out, options->replay, error);
    ok = rdl__read_order(&file, out, options->order, error);
    rdl__order_file_release(&file);
    return ok;
}

int rdl__command_replay(int argc, char **argv)
{
    int end = find_program_argument(argc, argv), count = end, status = RDL__EXIT_SETUP;
    char **options = options_with_token(&count, argv);
    struct rdl__options *checked = rdl__allocate(sizeof *checked);
    struct rdl__token token = {0};
    struct rdl__error error;
    char *program = NULL;

    if (!checked->help && is_graded(count, options))
        status = replay_graded(count, options);
    else if (!rdl__options_read_for_program(checked, count, options, &error))
        fprintf(stderr, "raddle replay: %s\n", error.text);
    else if (checked->help)
        status = show_help(replay_usage);
    else if (!checked->replay && !checked->order)
        fprintf(stderr, "raddle replay: which token?  raddle replay TOKEN|@FILE\n");
    else if (!read_case(&token, checked, &error))
        fprintf(stderr, "raddle replay: %s\n", error.text);
    else if (end + 1 < argc && rdl__is_test_program(program = rdl__find_program(argv[end + 1])))
        status = replay_test(program, argv + end + 1, count, options, checked->explore.gdb);
    else if (end + 1 >= argc && !is_of_a_command(&token))
        fprintf(stderr,
                "raddle replay: there is no program %s; the token of a test goes to its program: "
                "PROGRAM --replay TOKEN\n",
                token.name);
    else {
        has_commands = checked->step;
        status = rdl__explore_program(command_of(&token, argc, argv, end), count, options,
                                      checked->plan.timeout_ms, checked->explore.gdb);
    }
    rdl__token_release(&token);
    free(program);
    free(options);
    free(checked);
    return status;
}
