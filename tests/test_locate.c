/* test_locate.c -- places in the code by name, in programs of two compilers and three kinds of
 * optimisation.  What is found is compared with what binutils say of the same program. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "harness.h"
#include "port/likes.h"
#include "port/locate.h"

static char folder[] = "/tmp/test_locate.XXXXXX";

/* ---- Programs ---- */

struct build {
    const char *compiler, *options;
    char path[128];
};

static struct build builds[] = {
    {"gcc", "-O0", ""},
    {"gcc", "-O1", ""},
    {"gcc", "-O2", ""},
    {"clang", "-O0", ""},
    {"clang", "-O1", ""},
    {"clang", "-O2", ""},
    {"gcc", "-O2 -gdwarf-4 -no-pie", ""},
    {"clang", "-O1 -gdwarf-4", ""},
};

enum { BUILDS = sizeof builds / sizeof *builds };

static void remove_folder(void)
{
    run(NULL, "rm -rf %s", folder);
}

/* All that this machine's compilers make of it, once. */
static void build_all(void)
{
    static bool is_done;
    int status;

    if (is_done)
        return;
    is_done = true;
    EXPECT(mkdtemp(folder));
    atexit(remove_folder);
    run(&status, "cp -r \"$SOURCE\"/tests/locate/. %s", folder);
    EXPECT_EQ(status, 0);
    for (int i = 0; i < BUILDS; i++) {
        run(&status, "cd %s && %s -g %s reader.c a/other.c b/other.c -o program%d", folder,
            builds[i].compiler, builds[i].options, i);
        if (status == 0)
            snprintf(builds[i].path, sizeof builds[i].path, "%s/program%d", folder, i);
    }
    EXPECT(builds[0].path[0]);
}

/* ---- Questions ---- */

static const struct rdl__location *find(const char *program, const char *text)
{
    static struct rdl__locations kept[8];
    static int next;
    struct rdl__locations *locations = &kept[next++ % 8];

    rdl__locations_release(locations);
    rdl__locations_want(locations, text);
    rdl__locations_find(locations, program);
    return &locations->items[0];
}

static const struct rdl__location *found(const char *program, const char *text)
{
    const struct rdl__location *location = find(program, text);

    if (location->error[0] || location->count == 0)
        test_fail(program ? program : "this process", 0, "%s: %s", text, location->error);
    return location;
}

static const char *error_of(const char *program, const char *text)
{
    const struct rdl__location *location = find(program, text);

    EXPECT_EQ(location->count, 0);
    return location->error;
}

/* The line of the source in which this stands. */
static int line_with(const char *file, const char *text)
{
    int status;
    char *said = run(&status, "grep -nF '%s' %s/%s | head -n 1", text, folder, file);
    int line = atoi(said);

    EXPECT(line > 0);
    free(said);
    return line;
}

static const char *at_line(const char *file, int line)
{
    static char text[4][128];
    static int next;

    snprintf(text[++next % 4], sizeof text[0], "%s:%d", file, line);
    return text[next % 4];
}

#define EACH_BUILD(b)                                                                              \
    build_all();                                                                                   \
    for (struct build *b = builds; b < builds + BUILDS; b++)                                       \
        if (b->path[0])

/* ---- What binutils say ---- */

/* Does a statement of this line begin at the address? */
static void expect_row(const char *program, const struct rdl__spot *spot)
{
    const char *name = strrchr(spot->path, '/') + 1;
    int status;
    char *said = run(&status,
                     "objdump --dwarf=decodedline %s | "
                     "awk '$1 == \"%s\" && $2 == %d && $3 == \"%#lx\"' | grep -c x",
                     program, name, spot->line, (unsigned long)spot->address);

    if (atoi(said) == 0)
        test_fail(program, 0, "%s:%d does not begin at %#lx", name, spot->line,
                  (unsigned long)spot->address);
    free(said);
}

/* The functions that the address is in, the innermost first, and lines. */
static void expect_function(const char *program, const struct rdl__spot *spot)
{
    char *said = run(NULL, "addr2line -f -i -e %s %#lx | sed -n '1p;$!d' ", program,
                     (unsigned long)spot->address);

    EXPECT_CONTAINS(said, spot->function);
    free(said);
    said = run(NULL, "addr2line -f -i -e %s %#lx", program, (unsigned long)spot->address);
    EXPECT_CONTAINS(said, spot->around);
    free(said);
}

static void expect_spots(const char *program, const struct rdl__location *location)
{
    for (size_t i = 0; i < location->count; i++) {
        expect_function(program, &location->spots[i]);
        EXPECT(i == 0 || location->spots[i].address > location->spots[i - 1].address);
        EXPECT(!location->spots[i].is_stale);
    }
}

/* ---- Lines ---- */

TEST(a_line_is_every_place_where_it_begins)
{
    EACH_BUILD(b)
    {
        int line = line_with("reader.c", "total = total + id");
        const struct rdl__location *location = found(b->path, at_line("reader.c", line));

        EXPECT_EQ(location->count, 1);
        EXPECT_EQ(location->spots[0].line, line);
        EXPECT_STR(location->spots[0].function, "append");
        EXPECT_STR(location->spots[0].around, "");
        EXPECT_STR(location->spots[0].file, "reader.c");
        EXPECT_STR(location->spots[0].module, strrchr(b->path, '/') + 1);
        expect_row(b->path, &location->spots[0]);
        expect_spots(b->path, location);
    }
}

TEST(a_line_that_was_inlined_is_found_in_each_copy)
{
    EACH_BUILD(b)
    {
        int line = line_with("box.h", "the line in the header"), copies[3] = {0};
        const struct rdl__location *location = found(b->path, at_line("box.h", line));

        for (size_t i = 0; i < location->count; i++) {
            const struct rdl__spot *spot = &location->spots[i];

            EXPECT_STR(spot->function, "add_to");
            expect_row(b->path, spot);
            copies[0] += strcmp(spot->around, "append") == 0;
            copies[1] += strcmp(spot->around, "main") == 0;
            copies[2] += strcmp(spot->around, "in_a") == 0;
        }
        EXPECT(copies[0] == 1 && copies[1] == 1);
        EXPECT(!strstr(b->options, "-O0") || copies[2] == 1);
        expect_spots(b->path, location);
    }
}

TEST(the_first_line_of_a_function_is_where_its_parameters_can_be_read)
{
    EACH_BUILD(b)
    {
        int line = line_with("reader.c", "int lookup(");
        const struct rdl__location *entry = found(b->path, "lookup");
        const struct rdl__location *first =
            find(b->path, at_line("reader.c", line + (b->compiler[0] == 'g')));

        if (first->count)
            EXPECT_EQ(first->spots[0].address, entry->spots[0].address);
    }
}

TEST(a_line_without_code_is_refused_and_the_next_one_told)
{
    build_all();
    for (int i = 0; i < BUILDS; i += 3) {
        int comment = line_with("reader.c", "a comment: total = nothing");
        char next[64];

        if (!builds[i].path[0])
            continue;
        snprintf(next, sizeof next, "the next line of append that has some is %d", comment + 1);
        EXPECT_CONTAINS(error_of(builds[i].path, at_line("reader.c", comment)), next);
        EXPECT_CONTAINS(error_of(builds[i].path, "reader.c:2"), "the nearest that has some is");
        EXPECT_CONTAINS(error_of(builds[i].path, "reader.c:9999"), "(main)");
    }
}

TEST(files_may_need_their_folder)
{
    EACH_BUILD(b)
    {
        const char *error = error_of(b->path, "other.c:6");

        EXPECT_CONTAINS(error, "several files");
        EXPECT_CONTAINS(error, "a/other.c");
        EXPECT_CONTAINS(error, "b/other.c");
        EXPECT_STR(found(b->path, "b/other.c:6")->spots[0].function, "same");
        EXPECT_CONTAINS(error_of(b->path, "c/other.c:6"), "no file");
        EXPECT_CONTAINS(error_of(b->path, "raeder.c:6"), "did you mean reader.c?");
    }
}

/* ---- Functions ---- */

TEST(a_function_is_where_it_begins_and_all_inlined_copies)
{
    EACH_BUILD(b)
    {
        const struct rdl__location *location = found(b->path, "append");

        EXPECT_EQ(location->count, 1);
        EXPECT_STR(location->spots[0].function, "append");
        expect_spots(b->path, location);
        location = found(b->path, "add_to");
        EXPECT(location->count >= 2);
        for (size_t i = 0; i < location->count; i++)
            EXPECT(location->spots[i].around[0]);
        expect_spots(b->path, location);
    }
}

TEST(functions_may_need_their_file)
{
    EACH_BUILD(b)
    {
        const char *error = error_of(b->path, "same");

        EXPECT_CONTAINS(error, "several functions");
        EXPECT_CONTAINS(error, "a/other.c:11");
        EXPECT_CONTAINS(error, "b/other.c:4");
        EXPECT_STR(found(b->path, "b/other.c:same")->spots[0].file, "b/other.c");
    }
}

TEST(names_that_do_not_exist_are_compared_with_those_that_do)
{
    build_all();
    EXPECT_CONTAINS(error_of(builds[0].path, "apend"), "did you mean append?");
    EXPECT_CONTAINS(error_of(builds[0].path, "lokup:return"), "did you mean lookup?");
    EXPECT_LACKS(error_of(builds[0].path, "zzzzzzzz"), "did you mean");
    EXPECT(find(builds[0].path, "apend")->may_come);
    EXPECT(!find(builds[0].path, "same")->may_come);
}

TEST(what_is_no_location_is_refused)
{
    const char *const wrong[] = {"",           ":",         "append:",        ":4",
                                 "append:foo", "a.c:f:foo", "append:/x",      "append:://",
                                 "reader.c:0", "!append",   "a.c:f:return:x", "a.c:4:/x/"};

    build_all();
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        EXPECT(error_of(builds[0].path, wrong[i])[0]);
}

/* Does the program have a function of this kind? */
static bool has_symbol(const char *path, const char *name)
{
    int status;

    run(&status, "nm %s | grep -qF ' t %s'", path, name);
    return status == 0;
}

TEST(variants_of_a_function_are_it_and_what_was_split_off_is_not)
{
    char path[128];
    int status;

    build_all();
    run(&status, "cd %s && gcc -g -O2 clones.c -o clones", folder);
    EXPECT_EQ(status, 0);
    snprintf(path, sizeof path, "%s/clones", folder);
    if (has_symbol(path, "scaled.constprop.0"))
        EXPECT_STR(found(path, "scaled")->spots[0].clone, ".constprop.0");
    EXPECT_STR(found(path, "scaled")->spots[0].function, "scaled");
    if (has_symbol(path, "helper.part.0")) {
        const struct rdl__location *location = found(path, "helper");

        EXPECT_EQ(location->count, 3); /* calls in main */
        for (size_t i = 0; i < location->count; i++) {
            EXPECT_STR(location->spots[i].function, "helper");
            EXPECT_STR(location->spots[i].around, "main");
        }
        EXPECT_STR(found(path, "helper:/in the part/")->spots[0].clone, ".part.0");
        EXPECT_CONTAINS(error_of(path, "helper:return"), "always inlined");
    }
    EXPECT(found(path, "checked:/cold/")->count >= 1);
}

TEST(what_the_linker_left_out_is_nowhere)
{
    char path[128];
    int status;

    build_all();
    run(&status,
        "cd %s && gcc -g -O1 -ffunction-sections -Wl,--gc-sections reader.c a/other.c b/other.c "
        "-o collected",
        folder);
    EXPECT_EQ(status, 0);
    snprintf(path, sizeof path, "%s/collected", folder);
    EXPECT_EQ(found(builds[0].path, "nobody_calls")->count, 1);
    EXPECT_CONTAINS(error_of(path, "nobody_calls"), "no code of it");
    EXPECT_CONTAINS(error_of(path, at_line("b/other.c", line_with("b/other.c", "n + 1;"))),
                    "no code begins");
    EXPECT_EQ(found(path, "b/other.c:same")->count, 1);
}

/* ---- Returns ---- */

TEST(a_function_returns_at_each_ret)
{
    EACH_BUILD(b)
    {
        const struct rdl__location *location = found(b->path, "worth:return");
        char *said = run(NULL, "objdump -d --disassemble=worth %s | grep -cw 'ret'", b->path);

        EXPECT_EQ(location->count, atoi(said));
        for (size_t i = 0; i < location->count; i++)
            EXPECT(!location->spots[i].is_tail_call);
        expect_spots(b->path, location);
        free(said);
        EXPECT_CONTAINS(error_of(b->path, "add_to:return"), "always inlined");
    }
}

TEST(a_jump_to_another_function_is_a_return)
{
    EACH_BUILD(b)
    {
        const struct rdl__location *location = found(b->path, "pass_on:return");

        EXPECT_EQ(location->count, 1);
        EXPECT_EQ(location->spots[0].is_tail_call, strstr(b->options, "-O2") != NULL);
    }
}

/* ---- Texts ---- */

TEST(a_line_is_known_by_what_stands_in_it)
{
    EACH_BUILD(b)
    {
        const struct rdl__location *location = found(b->path, "append:/total =/");
        const char *error;

        EXPECT_EQ(location->count, 1);
        EXPECT_EQ(location->spots[0].line, line_with("reader.c", "total = total + id"));
        EXPECT_EQ(found(b->path, "add_to:/->items[at]/")->spots[0].line,
                  line_with("box.h", "the line in the header"));
        error = error_of(b->path, "worth:/return/");
        EXPECT_CONTAINS(error, "several lines");
        EXPECT_CONTAINS(error, ": return in_b(n) + 2;");
        EXPECT_CONTAINS(error_of(b->path, "append:/lookup/"), "in no line of append");
        EXPECT_CONTAINS(error_of(b->path, "append:/nothing/"), "no code begins");
    }
}

TEST(texts_of_a_file_that_has_changed_are_not_known)
{
    int status;

    build_all();
    run(&status,
        "cd %s && mkdir stale && cp -r reader.c box.h a b stale && cd stale && "
        "gcc -g reader.c a/other.c b/other.c -o ../stale.program && "
        "touch -d '+1 minute' reader.c",
        folder);
    EXPECT_EQ(status, 0);
    run(NULL, "true");
    {
        char path[128];

        snprintf(path, sizeof path, "%s/stale.program", folder);
        EXPECT_CONTAINS(error_of(path, "append:/total =/"), "has changed");
        EXPECT(found(path, "append")->spots[0].is_stale);
    }
}

/* ---- This process ---- */

__attribute__((noinline)) static int here(int n)
{
    __asm__ volatile("" : "+r"(n)); /* the line in this file */
    return n + 1;
}

TEST(places_in_this_process_are_addresses_of_it)
{
    const struct rdl__location *location = found(NULL, "test_locate.c:here");

    EXPECT_EQ(here(1), 2);
    EXPECT(location->spots[0].address - (uintptr_t)here < 64);
    EXPECT_STR(location->spots[0].module, "test_locate");
    EXPECT_STR(found(NULL, "here:return")->spots[0].function, "here");
    EXPECT_STR(found(NULL, "here:/the line in/")->spots[0].function, "here");
}

TEST(raddle_itself_is_not_found)
{
    EXPECT_CONTAINS(error_of(NULL, "rdl__locations_find"), "no function");
    EXPECT_CONTAINS(error_of(NULL, "locate.c:100"), "no file");
}

/* libdw is loaded by who looks, with libz and others; they are none of this process's. */
TEST(libraries_that_are_loaded_to_look_are_not_found)
{
    EXPECT(!dlopen("libdw.so.1", RTLD_NOW | RTLD_NOLOAD));
    EXPECT_CONTAINS(error_of(NULL, "dwarf_getsrclines"), "there is no function dwarf_getsrclines");
    EXPECT_CONTAINS(error_of(NULL, "libelf.so.1!elf_begin"), "no program or library called");
}

/* The program's own has only a symbol; the library's is known by debugging information. */
__asm__(".globl twin_of_test\n.type twin_of_test, @function\ntwin_of_test: ret");

TEST(what_the_program_has_goes_before_libraries)
{
    char path[128];
    int status;

    build_all();
    run(&status,
        "cd %s && echo 'static int twin_of_test(int n) { return n + 1; }"
        "int other(int n) { return twin_of_test(n); }' >twin.c && "
        "gcc -g -O0 -shared -fPIC twin.c -o twin.so",
        folder);
    EXPECT_EQ(status, 0);
    snprintf(path, sizeof path, "%s/twin.so", folder);
    EXPECT(dlopen(path, RTLD_NOW | RTLD_LOCAL));
    EXPECT_STR(found(NULL, "twin_of_test")->spots[0].module, "test_locate");
    EXPECT_STR(found(NULL, "twin.so!twin_of_test")->spots[0].module, "twin.so");
}

TEST(symbols_do_where_there_is_no_debugging_information)
{
    const struct rdl__location *location = found(NULL, "libc.so.6!qsort_r");
    void *libc = dlopen("libc.so.6", RTLD_NOW | RTLD_NOLOAD);

    EXPECT(libc);
    EXPECT(location->spots[0].address - (uintptr_t)dlsym(libc, "qsort_r") < 16);
    EXPECT(found(NULL, "libc!getenv:return")->count >= 1);
    EXPECT_CONTAINS(error_of(NULL, "libcc.so.6!qsort"), "did you mean libc.so.6");
    EXPECT_CONTAINS(error_of(NULL, "libc.so.6!qsrot"), "did you mean qsort");
    EXPECT(find(NULL, "libcc.so.6!qsort")->may_come);
    EXPECT(!find(NULL, "libc.so.6!qsrot")->may_come);
}

TEST(what_has_no_names_is_told)
{
    char path[128];
    int status;

    build_all();
    run(&status,
        "cd %s && gcc reader.c a/other.c b/other.c -o bare && "
        "gcc -g -s reader.c a/other.c b/other.c -o stripped",
        folder);
    EXPECT_EQ(status, 0);
    snprintf(path, sizeof path, "%s/bare", folder);
    EXPECT_CONTAINS(error_of(path, "same"), "several functions of that name, and no debugging");
    EXPECT_CONTAINS(error_of(path, "box::same"), "write the last part");
    EXPECT_CONTAINS(error_of(path, "apend"), "no function apend; did you mean append");
    snprintf(path, sizeof path, "%s/stripped", folder);
    EXPECT_CONTAINS(error_of(path, "append"), "as all names have been stripped");
}

/* A function without a size, and one that is entered at two places. */
TEST(functions_of_an_assembler_begin_with_their_first_instruction)
{
    const char *const code = ".type endless,@function\\nendless: nop\\nret\\n"
                             ".type twice,@function\\ntwice: nop\\n1: mov $9, %%eax\\nret\\n"
                             ".size twice,.-twice\\n";
    const char *const options[] = {"-g", ""};
    char path[128];
    int status;

    build_all();
    for (int i = 0; i < 2; i++) {
        run(&status,
            "cd %s && printf '%s' >assembled.s && "
            "gcc %s -shared -nostdlib assembled.s -o assembled%d.so",
            folder, code, options[i], i);
        EXPECT_EQ(status, 0);
        snprintf(path, sizeof path, "%s/assembled%d.so", folder, i);
        EXPECT_CONTAINS(error_of(path, "endless:return"), "where the function ends is not known");
        EXPECT_EQ(found(path, "twice:return")->spots[0].address -
                      found(path, "twice")->spots[0].address,
                  6);
    }
}

TEST(a_library_that_is_loaded_later_is_found_then)
{
    struct rdl__locations locations = {0};
    char path[128];
    void *library;
    int status;

    build_all();
    run(&status,
        "cd %s && gcc -g -O1 -shared -fPIC b/other.c -o later.so && "
        "gcc -O1 -shared -fPIC -Din_b=in_bare b/other.c -o bare.so",
        folder);
    EXPECT_EQ(status, 0);
    rdl__locations_want(&locations, "b/other.c:in_b");
    rdl__locations_want(&locations, "later.so!other.c:6");
    rdl__locations_want(&locations, "here");
    rdl__locations_find(&locations, NULL);
    EXPECT(locations.items[0].may_come && locations.items[0].count == 0);
    EXPECT(locations.items[1].may_come && locations.items[2].count == 1);
    snprintf(path, sizeof path, "%s/later.so", folder);
    library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    EXPECT(library);
    rdl__locations_find(&locations, NULL);
    EXPECT_EQ(locations.items[0].count, 1);
    EXPECT(locations.items[0].spots[0].address - (uintptr_t)dlsym(library, "in_b") < 64);
    EXPECT_STR(locations.items[1].spots[0].function, "same");
    EXPECT_EQ(locations.items[2].count, 1);
    rdl__locations_release(&locations);
    snprintf(path, sizeof path, "%s/bare.so", folder);
    library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    EXPECT(library);
    EXPECT(found(NULL, "in_bare")->spots[0].address - (uintptr_t)dlsym(library, "in_bare") < 16);
    EXPECT_CONTAINS(error_of(NULL, "in_bare:/same/"), "no debugging information");
}

/* ---- Names that are like it ---- */

/* Libraries are considered as they lie in memory, which differs from run to run. */
TEST(what_is_told_to_be_alike_does_not_depend_on_the_order)
{
    static const char *const names[] = {"stop", "atop", "step", "shop"};

    for (size_t first = 0; first < 4; first++) {
        struct rdl__likes likes = {.wanted = "stap"};
        struct rdl__text text = {0};

        for (size_t i = 0; i < 4; i++) {
            const char *name = names[(first + i) % 4];

            likes.of_libraries = name[0] != 's';
            rdl__likes_consider(&likes, name);
        }
        rdl__likes_say(&text, &likes);
        EXPECT_STR(rdl__text_string(&text), "; did you mean step, stop or shop?");
        rdl__text_release(&text);
    }
}
