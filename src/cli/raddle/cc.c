/* cc.c -- raddle cc: compile and link so that accesses to memory are seen.
 *
 * The compiler is told to call __tsan_read4 and the like, for which there are
 * functions in our library.  It must be told in a way that the driver does not
 * notice, or it would link the library of the sanitizer, too: gcc's -Wp and clang's
 * -Xclang go to the compiler proper only.  So compiling and linking can be one
 * command, and the flags may be used for both, as build systems do. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "cli/raddle/commands.h"

static const char usage[] =
    "Usage: raddle cc COMPILER-OPTION... FILE...\n"
    "       raddle cc --cflags | --libs | --flags\n\n"
    "Compiles and links as gcc does, or the compiler that RADDLE_CC names, so that\n"
    "`raddle explore` can switch threads at accesses to memory, and sees data races\n"
    "and threads that wait in a loop.  The program runs by itself as well.\n\n"
    "  --cflags   show the flags for compiling\n"
    "  --libs     show the flags for linking\n"
    "  --flags    show both\n";

/* Functions that access memory on behalf of their callers, and are not instrumented: calls go
 * by way of ours (see control/sched/wrapped.c and the table of calls). */
#define CALL(...)
#define WRAP(name, ...) #name,
#define MEMO(name, ...) #name,
static const char *const wrapped[] = {
#include "control/sched/calls.def"
    "free", "realloc", "reallocarray", "_ZdlPv", "_ZdlPvm", "_ZdaPv", "_ZdaPvm"};

static const char *const wrapped_cxx[] = {
#include "control/sched/calls_cxx.def"
};

/* Those among them that gcc knows, and may put into the caller as instructions. */
static const char *const expanded[] = {
    "memcpy",  "memmove", "memset",   "memcmp",     "memchr",      "mempcpy", "bcmp",
    "bcopy",   "bzero",   "strlen",   "strnlen",    "strcpy",      "strncpy", "stpcpy",
    "stpncpy", "strcat",  "strncat",  "strcmp",     "strncmp",     "strchr",  "strrchr",
    "index",   "rindex",  "strstr",   "strspn",     "strcspn",     "strpbrk", "strdup",
    "strndup", "sprintf", "snprintf", "strcasecmp", "strncasecmp", "read",    "write"};
enum {
    WRAPPED = sizeof wrapped / sizeof *wrapped,
    WRAPPED_CXX = sizeof wrapped_cxx / sizeof *wrapped_cxx,
    EXPANDED = sizeof expanded / sizeof *expanded,
};

/* Print them, so that a shell would read them as they are. */
static int show(const struct rdl__words *words)
{
    for (size_t i = 0; i < words->count; i++) {
        const char *word = words->words[i];
        bool plain = strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                  "-_=+,./:@%") == strlen(word);

        printf(plain ? "%s%s" : "%s'%s'", i ? " " : "", word);
    }
    printf("\n");
    return fflush(stdout) == 0 ? RDL__EXIT_PASS : RDL__EXIT_SETUP;
}

/* ---- The compiler --------------------------------------------------------------------------- */

/* What it says of itself, when its name does not tell. */
static bool says_clang(const char *compiler)
{
    struct rdl__text command = {0};
    char line[256] = "";
    bool is_clang = false;
    FILE *pipe;

    rdl__text_add(&command, "%s --version 2>/dev/null", compiler);
    pipe = popen(command.bytes, "r");
    while (pipe && fgets(line, sizeof line, pipe))
        is_clang |= strstr(line, "clang") != NULL;
    if (pipe)
        pclose(pipe);
    rdl__text_release(&command);
    return is_clang;
}

static bool is_clang(const char *compiler)
{
    if (strstr(compiler, "clang"))
        return true;
    return !strstr(compiler, "gcc") && !strstr(compiler, "g++") && says_clang(compiler);
}

/* gcc, from the outside in:
 * -fno-ipa-reference    __tsan_atomic32_store and its kin are "leaf" functions to gcc, which
 *                       cannot touch a static variable whose address is not taken; so it keeps
 *                       that variable's value over the call, in which other threads have run.
 * -fno-tree-loop-im and
 * -fno-tree-pre         would read the flag of `while (!flag);` once, before the loop.
 * -fno-ipa-ra           would keep values in registers over a call within the unit, before which
 *                       the filter needs one.
 * -fno-builtin-memcpy   would copy inline, unseen.
 * -fverbose-asm         says which words of the stack hold registers, and not variables.
 * -include              has empty statements of inline assembly written down (filter/marks.h).
 * -fno-lto              what is compiled when linking would not know of -Wp.
 * -B                    the assembler is ours, which adds to the output of the compiler which
 *                       functions are instrumented (filter/as.c), and calls the real one.
 * clang: without read-before-write, `x++` is only a write. */
static bool add_compiling(struct rdl__words *to, bool clang, bool only_compiles,
                          struct rdl__error *error)
{
    struct rdl__text assembler = {0};

    if (!rdl__find_assembler(&assembler, error))
        return false;
    if (clang) {
        rdl__words_add(to, "--start-no-unused-arguments");
        rdl__words_add(to, "-fno-integrated-as");
        rdl__words_add(to, "-B%s", assembler.bytes);
        rdl__words_add(to, "-Xclang");
        rdl__words_add(to, "-fsanitize=thread");
        rdl__words_add(to, "-mllvm");
        rdl__words_add(to, "-tsan-distinguish-volatile=1");
        rdl__words_add(to, "-mllvm");
        rdl__words_add(to, "-tsan-instrument-read-before-write=1");
        rdl__words_add(to, "--end-no-unused-arguments");
    } else {
        /* -Wp is lost where preprocessing is a step of its own (-save-temps, x.i). */
        rdl__words_add(to, only_compiles ? "-fsanitize=thread" : "-Wp,-fsanitize=thread");
        rdl__words_add(to, "--param=tsan-distinguish-volatile=1");
        rdl__words_add(to, "-fno-ipa-reference");
        rdl__words_add(to, "-fno-tree-loop-im");
        rdl__words_add(to, "-fno-tree-pre");
        rdl__words_add(to, "-fno-ipa-ra");
        for (int i = 0; i < EXPANDED; i++)
            rdl__words_add(to, "-fno-builtin-%s", expanded[i]);
        rdl__words_add(to, "-fverbose-asm");
        rdl__words_add(to, "-fno-lto");
        rdl__words_add(to, "-include");
        rdl__words_add(to, "%smarks.h", assembler.bytes);
        rdl__words_add(to, "-B%s", assembler.bytes);
    }
    rdl__text_release(&assembler);
    return true;
}

/* Only a compiler of C++ links with its library. */
static bool add_linking(struct rdl__words *to, const char *compiler, struct rdl__error *error)
{
    struct rdl__text library = {0};
    char *slash;

    if (!rdl__find_library(&library, error))
        return false;
    slash = strrchr(library.bytes, '/');
    for (int i = 0; i < WRAPPED; i++)
        rdl__words_add(to, "-Wl,--wrap=%s", wrapped[i]);
    for (int i = 0; i < WRAPPED_CXX && strstr(compiler, "++"); i++)
        rdl__words_add(to, "-Wl,--wrap=%s", wrapped_cxx[i]);
    rdl__words_add(to, "-L%.*s", (int)(slash - library.bytes), library.bytes);
    rdl__words_add(to, "-Wl,-rpath,%.*s", (int)(slash - library.bytes), library.bytes);
    rdl__words_add(to, "-lraddle");
    rdl__words_add(to, "-pthread");
    rdl__text_release(&library);
    return true;
}

/* ---- What is to be done ---------------------------------------------------------------------- */

/* Does its value stand in the next argument? */
static bool takes_value(const char *option)
{
    static const char *const options[] = {
        "-o",        "-I",         "-L",        "-D",        "-U",          "-x",
        "-l",        "-T",         "-u",        "-z",        "-e",          "-B",
        "-MF",       "-MT",        "-MQ",       "-include",  "-imacros",    "-isystem",
        "-iquote",   "-idirafter", "-iprefix",  "-isysroot", "-Xlinker",    "-Xassembler",
        "-Xclang",   "-mllvm",     "-target",   "--param",   "-aux-info",   "-Xpreprocessor",
        "-dumpbase", "-wrapper",   "--sysroot", "-arch",     "-iwithprefix"};

    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (strcmp(option, options[i]) == 0)
            return true;
    return false;
}

struct task {
    bool has_input; /* files, that is; without them there is nothing to link */
    bool links;
    bool compiles;       /* source files are among them */
    const char *refused; /* an option or file that cannot be; NULL: there is none */
    const char *apart;   /* one by which preprocessing is a step of its own; NULL: there is none */
    bool collects;       /* the linker is to leave out code that nobody refers to */
};

static bool is_option(const char *argument, const char *const *options, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(argument, options[i]) == 0)
            return true;
    return false;
}

#define IS_OPTION(argument, options) is_option(argument, options, sizeof options / sizeof *options)

static void take_option(struct task *task, const char *option)
{
    static const char *const without_linking[] = {
        "-c", "-S", "-E", "-M", "-MM", "-fsyntax-only", "-r", "--version", "--help", "-###"};
    static const char *const refused[] = {"-static", "-static-pie", "-mcmodel=large"};
    static const char *const apart[] = {"-save-temps", "--save-temps", "-save-temps=obj",
                                        "-save-temps=cwd", "-no-integrated-cpp"};

    if (IS_OPTION(option, without_linking))
        task->links = false;
    if (IS_OPTION(option, refused))
        task->refused = option;
    if (IS_OPTION(option, apart))
        task->apart = option;
    task->collects |= strstr(option, "--gc-sections") != NULL;
}

static void take_file(struct task *task, const char *file)
{
    static const char *const sources[] = {".c", ".C", ".cc", ".cp", ".cpp", ".cxx", ".c++"};
    static const char *const preprocessed[] = {".i", ".ii"};
    const char *dot = strrchr(file, '.');

    task->has_input = true;
    if (dot && IS_OPTION(dot, sources))
        task->compiles = true;
    if (dot && IS_OPTION(dot, preprocessed)) {
        task->compiles = true;
        task->apart = file;
    }
}

static struct task task_of(int argc, char **argv)
{
    struct task task = {.links = true};

    for (int i = 1; i < argc; i++) {
        if (argv[i][0] != '-' || argv[i][1] == '\0')
            take_file(&task, argv[i]);
        else
            take_option(&task, argv[i]);
        i += takes_value(argv[i]);
    }
    task.links &= task.has_input;
    return task;
}

/* -static is harmless where nothing is linked.  The output of the large code model calls by
 * registers, where the assembler does not see which calls these are; and gcc's -Wp, which makes it
 * instrument where it links as well, goes to preprocessing only if that is a step of its own. */
static bool can_be_done(const struct task *task, bool clang, struct rdl__error *error)
{
    bool is_model = task->refused && strstr(task->refused, "mcmodel");

    if (task->refused && is_model && task->has_input)
        return rdl__fail(error,
                         "code of the large model cannot be instrumented: leave out %s, or use the "
                         "model medium",
                         task->refused);
    if (task->refused && !is_model && task->links)
        return rdl__fail(error,
                         "a program that is linked statically cannot be explored: leave out %s",
                         task->refused);
    if (task->apart && !clang && task->compiles && task->links)
        return rdl__fail(error,
                         "with %s, gcc does not instrument in a command that links as well: "
                         "compile with -c, and link by another command",
                         task->apart);
    return true;
}

static int fail(const struct rdl__error *error)
{
    fprintf(stderr, "raddle cc: %s\n", error->text);
    return RDL__EXIT_SETUP;
}

static int show_flags(const char *which, const char *compiler)
{
    bool both = strcmp(which, "--flags") == 0;
    struct rdl__words words = {0};
    struct rdl__error error;

    if ((both || strcmp(which, "--cflags") == 0) &&
        !add_compiling(&words, is_clang(compiler), false, &error))
        return fail(&error);
    if ((both || strcmp(which, "--libs") == 0) && !add_linking(&words, compiler, &error))
        return fail(&error);
    return show(&words);
}

/* The shared library is linked instead: calls of the archive's own would be wrapped, too. */
static bool is_our_archive(const char *argument)
{
    const char *slash = strrchr(argument, '/');

    return strcmp(slash ? slash + 1 : argument, "libraddle.a") == 0;
}

/* It takes our place. */
static int run_compiler(const char *compiler, int argc, char **argv)
{
    struct task task = task_of(argc, argv);
    struct rdl__words words = {0};
    struct rdl__error error;

    if (!can_be_done(&task, is_clang(compiler), &error))
        return fail(&error);
    rdl__words_add_compiler(&words);
    if (!add_compiling(&words, is_clang(compiler), task.has_input && !task.links, &error))
        return fail(&error);
    for (int i = 1; i < argc; i++)
        if (!task.links || !is_our_archive(argv[i]))
            rdl__words_add(&words, "%s", argv[i]);
    if (!is_clang(compiler))
        rdl__words_add(&words, "-fno-lto"); /* whatever was asked for */
    if (task.links && !add_linking(&words, compiler, &error))
        return fail(&error);
    if (task.links && task.collects) /* tables of functions do not count as references */
        rdl__words_add(&words, "-Wl,-z,start-stop-gc");
    execvp(words.words[0], words.words);
    fprintf(stderr, "raddle cc: cannot run %s: %s\n", words.words[0], strerror(errno));
    return RDL__EXIT_SETUP;
}

int rdl__command_cc(int argc, char **argv)
{
    const char *compiler = rdl__compiler();

    if (argc < 2) {
        fprintf(stderr, "raddle cc: which file?  raddle cc COMPILER-OPTION... FILE...\n");
        return RDL__EXIT_SETUP;
    }
    if (argc == 2 && strcmp(argv[1], "--help") == 0)
        return fputs(usage, stdout) < 0 ? RDL__EXIT_SETUP : RDL__EXIT_PASS;
    if (argc == 2 && (strcmp(argv[1], "--cflags") == 0 || strcmp(argv[1], "--libs") == 0 ||
                      strcmp(argv[1], "--flags") == 0))
        return show_flags(argv[1], compiler);
    return run_compiler(compiler, argc, argv);
}
