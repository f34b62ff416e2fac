/* test_lines.c -- file and line of addresses, found in this program itself. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "harness.h"
#include "port/lines.h"

/* Where it was called. */
__attribute__((noinline)) static uintptr_t here(void)
{
    return (uintptr_t)__builtin_return_address(0);
}

/* What is said of this place. */
static const char *said_of(uintptr_t pc, bool with_function)
{
    static char said[8][1024];
    static int next;
    struct rdl__lines lines = {.known_pc = (uintptr_t)here + 1, .known_file = __FILE__};
    struct rdl__text text = {0};

    rdl__lines_want(&lines, pc);
    rdl__lines_find(&lines);
    if (with_function)
        rdl__place_describe_function(&text, &lines, pc);
    else
        rdl__place_describe(&text, &lines, pc);
    snprintf(said[++next % 8], sizeof said[0], "%s", rdl__text_string(&text));
    rdl__text_release(&text);
    rdl__lines_release(&lines);
    return said[next % 8];
}

static const char *expected(const char *function, const char *file, int line)
{
    static char text[8][1024];
    static int next;

    snprintf(text[++next % 8], sizeof text[0], "%s%s%s:%d", function, *function ? " at " : "", file,
             line);
    return text[next % 8];
}

__attribute__((noinline)) static uintptr_t in_a_static_function(int *out_line)
{
    volatile uintptr_t at = here();

    *out_line = __LINE__ - 2;
    return at;
}

static inline __attribute__((always_inline)) uintptr_t in_an_inlined_function(int *out_line)
{
    volatile uintptr_t at = here();

    *out_line = __LINE__ - 2;
    return at;
}

__attribute__((noinline)) static uintptr_t around(int *out_line)
{
    volatile uintptr_t at = in_an_inlined_function(out_line);

    return at;
}

TEST(a_place_is_the_line_of_the_call_in_the_innermost_function)
{
    int line;
    uintptr_t pc = in_a_static_function(&line);

    EXPECT_STR(said_of(pc, true), expected("in_a_static_function", __FILE__, line));
    EXPECT_STR(said_of(pc, false), expected("", __FILE__, line));
    pc = around(&line);
    EXPECT_STR(said_of(pc, true), expected("in_an_inlined_function", __FILE__, line));
}

TEST(many_places_are_found_at_once)
{
    struct rdl__lines lines = {0};
    int line;
    uintptr_t one = in_a_static_function(&line), two = around(&line);
    struct rdl__text text = {0};

    for (int i = 0; i < 100; i++) {
        rdl__lines_want(&lines, two);
        rdl__lines_want(&lines, one);
        rdl__lines_want(&lines, (uintptr_t)&lines); /* no code at all */
    }
    rdl__lines_want(&lines, 0);
    EXPECT_EQ(lines.count, 3);
    rdl__lines_find(&lines);
    EXPECT_STR(rdl__lines_at(&lines, one)->function, "in_a_static_function");
    EXPECT_EQ(rdl__lines_at(&lines, two)->line, line);
    EXPECT_EQ(access(rdl__lines_at(&lines, two)->path, R_OK), 0);
    EXPECT_EQ(rdl__lines_at(&lines, (uintptr_t)&lines)->line, 0);
    EXPECT(rdl__lines_at(&lines, 1) == NULL);
    rdl__place_describe(&text, &lines, (uintptr_t)&lines);
    EXPECT_STR(text.bytes, "code outside of any module");
    rdl__text_release(&text);
    rdl__lines_release(&lines);
}

/* ---- Libraries ---- */

typedef uintptr_t placed_function(uintptr_t (*here)(void), int *out_line);

static void *loaded(const char *path)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);

    if (!library)
        test_fail(__FILE__, __LINE__, "%s", dlerror());
    return library;
}

/* The library in a new folder, compiled like this; NULL: there is no such compiler. */
static void *compiled(const char *how)
{
    char folder[] = "/tmp/test_lines.XXXXXX", path[64];
    int status;
    void *library;

    EXPECT(mkdtemp(folder));
    run(&status,
        "cd %s && cp \"$SOURCE/tests/helpers/placed.c\" . && %s placed.c -shared -fPIC "
        "-o placed.so",
        folder, how);
    snprintf(path, sizeof path, "%s/placed.so", folder);
    library = status == 0 ? loaded(path) : NULL;
    run(NULL, "echo %s >> /tmp/test_lines.$PPID", folder);
    return library;
}

static void remove_compiled(void)
{
    run(NULL, "rm -rf $(cat /tmp/test_lines.$PPID) /tmp/test_lines.$PPID");
}

TEST(places_in_a_library_that_was_loaded_later_are_found)
{
    char path[1024];
    void *library;
    int line;
    uintptr_t pc;

    snprintf(path, sizeof path, "%s/helpers/placed.so", getenv("BUILD"));
    library = loaded(path);
    pc = ((placed_function *)dlsym(library, "placed_exported"))(here, &line);
    EXPECT_STR(said_of(pc, true), expected("placed_exported", "tests/helpers/placed.c", line));
    pc = ((placed_function *)dlsym(library, "placed_static"))(here, &line);
    EXPECT_STR(said_of(pc, true), expected("hidden", "tests/helpers/placed.c", line));
    dlclose(library);
}

TEST(it_does_not_matter_which_compiler_wrote_which_format)
{
    static const char *const ways[] = {"gcc -g -gdwarf-4",         "gcc -g -gdwarf-5 -O2",
                                       "clang -g -gdwarf-4 -O2",   "clang -g -gdwarf-5",
                                       "clang -gline-tables-only", "gcc -g -gdwarf-5 -gz",
                                       "gcc -g -gsplit-dwarf",     "gcc -g1 -O3 -flto"};
    int tried = 0;

    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        void *library = compiled(ways[i]);
        int line;
        uintptr_t pc;

        if (!library)
            continue;
        pc = ((placed_function *)dlsym(library, "placed_static"))(here, &line);
        EXPECT_STR(said_of(pc, false), expected("", "placed.c", line));
        dlclose(library);
        tried++;
    }
    EXPECT(tried > 0);
    remove_compiled();
}

TEST(a_call_that_was_made_with_a_jump_is_found)
{
    static const char *const ways[] = {"gcc -g -O2", "gcc -g -gdwarf-4 -O2",
                                       "clang -g -gdwarf-5 -O2"};

    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        void *library = compiled(ways[i]);
        int line;
        uintptr_t pc;

        if (!library)
            continue;
        pc = ((placed_function *)dlsym(library, "placed_last"))(here, &line);
        EXPECT_STR(said_of(pc, true), expected("end_with_a_call", "placed.c", line));
        dlclose(library);
    }
    remove_compiled();
}

/* The worker has loaded it; the process that reports never did. */
TEST(modules_of_another_process_are_found)
{
    void *library = compiled("${CC:-cc} -g"), *stripped = compiled("${CC:-cc} -s");
    struct rdl__modules modules = {0};
    struct rdl__lines lines = {0};
    struct rdl__text text = {0};
    uintptr_t one, two;
    int line;

    one = ((placed_function *)dlsym(library, "placed_static"))(here, &line);
    two = ((placed_function *)dlsym(stripped, "placed_exported"))(here, &line);
    rdl__modules_note(&modules, one);
    rdl__modules_note(&modules, two);
    rdl__modules_note(&modules, one);
    rdl__modules_note(&modules, (uintptr_t)here);
    EXPECT_EQ(modules.count, 3);
    dlclose(library);
    dlclose(stripped);
    rdl__lines_add_modules(&lines, &modules);
    EXPECT_EQ(lines.modules.count, 2);
    rdl__lines_want(&lines, one);
    rdl__lines_want(&lines, two);
    rdl__lines_find(&lines);
    EXPECT_STR(rdl__lines_at(&lines, one)->function, "hidden");
    EXPECT_STR(rdl__lines_at(&lines, one)->file, "placed.c");
    rdl__place_describe(&text, &lines, two);
    EXPECT_STR(text.bytes, "placed_exported (placed.so)");
    rdl__text_release(&text);
    rdl__lines_release(&lines);
    remove_compiled();
}

TEST(without_debugging_information_there_are_names)
{
    void *plain = compiled("${CC:-cc}"), *stripped = compiled("${CC:-cc} -s");
    int line;

    EXPECT(plain && stripped);
    EXPECT_STR(said_of(((placed_function *)dlsym(plain, "placed_static"))(here, &line), true),
               "hidden (placed.so)");
    EXPECT_STR(said_of(((placed_function *)dlsym(stripped, "placed_exported"))(here, &line), true),
               "placed_exported (placed.so)");
    dlclose(plain);
    dlclose(stripped);
    remove_compiled();
}

/* Whoever is under the folder where it was compiled need not be told of that. */
TEST(paths_are_as_the_compiler_was_told_or_relative_to_the_current_folder)
{
    void *library = compiled("mkdir -p deep/er && mv placed.c deep && cd deep/er && "
                             "${CC:-cc} -g ../placed.c -shared -fPIC -o ../../placed.so; cd ../..;"
                             " : ");
    int line;
    uintptr_t pc = ((placed_function *)dlsym(library, "placed_exported"))(here, &line);

    EXPECT_STR(said_of(pc, false), expected("", "../placed.c", line));
    dlclose(library);
    library = compiled("mkdir -p deep && mv placed.c deep && d=$PWD && cd / && "
                       "${CC:-cc} -g $d/./deep/../deep/placed.c -shared -fPIC -o $d/placed.so; "
                       "cd $d; : ");
    pc = ((placed_function *)dlsym(library, "placed_exported"))(here, &line);
    EXPECT_CONTAINS(said_of(pc, false), expected("", "deep/placed.c", line));
    EXPECT_LACKS(said_of(pc, false), "..");
    dlclose(library);
    remove_compiled();
}

/* ---- Variables ---- */

struct account {
    char name[10];
    struct {
        int amount;
        short cents;
    } balance;
    int history[2][3];
    union {
        int number;
        char letters[8];
    } code;
};

static struct account accounts[3], only;
static int plain;

static const char *name_of(const void *address)
{
    static char said[256];
    struct rdl__lines lines = {0};
    struct rdl__text text = {0};

    rdl__lines_want_name(&lines, (uintptr_t)address);
    rdl__lines_find(&lines);
    if (!rdl__lines_add_name(&text, &lines, (uintptr_t)address))
        rdl__text_add(&text, "nothing");
    snprintf(said, sizeof said, "%s", rdl__text_string(&text));
    rdl__text_release(&text);
    rdl__lines_release(&lines);
    return said;
}

TEST(variables_have_the_names_that_a_programmer_would_use)
{
    static int kept;
    int local = 0;

    plain = kept = accounts[0].code.number;
    only.code.number = plain + kept + local;
    EXPECT_STR(name_of(&plain), "plain");
    EXPECT_STR(name_of((char *)&plain + 2), "plain+2");
    EXPECT_STR(name_of(&accounts[1].balance.cents), "accounts[1].balance.cents");
    EXPECT_STR(name_of(&accounts[0]), "accounts[0].name[0]");
    EXPECT_STR(name_of(&accounts[2].history[1][2]), "accounts[2].history[1][2]");
    EXPECT_STR(name_of(&only.code.letters[4]), "only.code+4");
    EXPECT_STR(name_of(&kept), "kept");
    EXPECT_STR(name_of(&local), "nothing");
    EXPECT_STR(name_of(NULL), "nothing");
}
