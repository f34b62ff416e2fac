/* test_frame.c -- variables by name, where a function was stopped: in libraries of two compilers
 * and three kinds of optimisation.  What is read must be what the function was called with; what
 * optimised code has not kept must be said to be so. */
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include "harness.h"
#include "locate/box.h"
#include "port/frame.h"
#include "port/hook.h"
#include "port/locate.h"

/* ---- Libraries ---- */

static char folder[] = "/tmp/test_frame.XXXXXX";

struct build {
    const char *compiler, *options;
    void *library;
    char name[32];
};

static struct build builds[] = {
    {"gcc", "-O0", NULL, ""},
    {"gcc", "-O1", NULL, ""},
    {"gcc", "-O2", NULL, ""},
    {"clang", "-O0", NULL, ""},
    {"clang", "-O1", NULL, ""},
    {"clang", "-O2", NULL, ""},
    {"gcc", "-O2 -gdwarf-4", NULL, ""},
    {"clang", "-O0 -gdwarf-4", NULL, ""},
    {"gcc", "-O0 -fomit-frame-pointer", NULL, ""},
    {"gcc", "-Og", NULL, ""},
};

enum { BUILDS = sizeof builds / sizeof *builds };

static void remove_folder(void)
{
    run(NULL, "rm -rf %s", folder);
}

static void build_all(void)
{
    static bool is_done;
    int status;
    char path[128];

    if (is_done)
        return;
    is_done = true;
    EXPECT(mkdtemp(folder));
    atexit(remove_folder);
    run(&status, "cp -r \"$SOURCE\"/tests/locate/. %s", folder);
    for (int i = 0; i < BUILDS; i++) {
        run(&status, "cd %s && %s -g %s -shared -fPIC reader.c a/other.c b/other.c -o build%d.so",
            folder, builds[i].compiler, builds[i].options, i);
        snprintf(builds[i].name, sizeof builds[i].name, "build%d.so", i);
        snprintf(path, sizeof path, "%s/%s", folder, builds[i].name);
        if (status == 0)
            builds[i].library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    }
    EXPECT(builds[0].library);
}

#define EACH_BUILD(b)                                                                              \
    build_all();                                                                                   \
    for (struct build *b = builds; b < builds + BUILDS; b++)                                       \
        if (b->library)

static bool is_optimised(const struct build *build)
{
    return !strstr(build->options, "-O0");
}

/* ---- Stopping ---- */

/* What is asked when the place is reached, with registers that may be changed. */
static struct {
    uintptr_t address;
    unsigned char byte;
    const struct rdl__stack_frame *frame;
    void (*ask)(const struct rdl__stack_frame *frame, struct rdl__registers *registers);
    int hits;
} stop;

static void write_byte(uintptr_t address, unsigned char byte)
{
    uintptr_t page = address & ~(uintptr_t)4095;

    EXPECT(mprotect((void *)page, 4096, PROT_READ | PROT_WRITE | PROT_EXEC) == 0);
    *(volatile unsigned char *)address = byte;
}

static const int greg_of[17] = {REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI,
                                REG_RBP, REG_RSP, REG_R8,  REG_R9,  REG_R10, REG_R11,
                                REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP};

static void on_trap(int signal, siginfo_t *info, void *context)
{
    greg_t *gregs = ((ucontext_t *)context)->uc_mcontext.gregs;
    struct rdl__registers registers = {.vectors =
                                           (uint8_t *)((ucontext_t *)context)->uc_mcontext.fpregs};

    (void)signal, (void)info;
    gregs[REG_RIP]--;
    for (int i = 0; i < 17; i++)
        registers.dwarf[i] = (uint64_t)gregs[greg_of[i]];
    write_byte(stop.address, stop.byte);
    stop.hits++;
    stop.ask(stop.frame, &registers);
    for (int i = 0; i < 17; i++)
        gregs[greg_of[i]] = (greg_t)registers.dwarf[i];
}

/* The first time that the place is reached, ask.  (What is found lives until the next time.) */
static void stop_at(const struct build *build, const char *place,
                    void (*ask)(const struct rdl__stack_frame *frame,
                                struct rdl__registers *registers))
{
    static struct rdl__locations locations;
    static struct rdl__stack_frames frames;
    struct sigaction action = {.sa_sigaction = on_trap, .sa_flags = SA_SIGINFO | SA_NODEFER};
    char text[256];

    rdl__locations_release(&locations);
    rdl__stack_frames_release(&frames);
    snprintf(text, sizeof text, "%s!%s", build->name, place);
    rdl__locations_want(&locations, text);
    rdl__locations_find(&locations, NULL);
    if (locations.items[0].count == 0)
        test_fail(text, 0, "%s", locations.items[0].error);
    rdl__stack_frames_want(&frames, locations.items[0].spots[0].address,
                           locations.items[0].spots[0].function);
    rdl__stack_frames_find(&frames, NULL);
    EXPECT(frames.items[0].is_known);
    EXPECT(sigaction(SIGTRAP, &action, NULL) == 0);
    stop.address = frames.items[0].address;
    stop.byte = *(unsigned char *)stop.address;
    stop.frame = &frames.items[0];
    stop.ask = ask;
    stop.hits = 0;
    write_byte(stop.address, 0xcc);
}

static const struct build *now; /* being tested */
static int known;               /* how many values were there */

/* The value of a variable or part; false: optimised out, which must be said. */
static bool get(const struct rdl__stack_frame *frame, struct rdl__registers *registers,
                const char *path, void *out, size_t size)
{
    struct rdl__error error = {""};
    struct rdl__part part;

    if (rdl__part_find(frame, registers, path, &part, &error) &&
        rdl__part_read(&part, registers, out, size, &error)) {
        known++;
        return true;
    }
    if (!strstr(error.text, "optimised out") || !is_optimised(now))
        test_fail(now->compiler, 0, "%s: %s: %s", now->options, path, error.text);
    return false;
}

#define EXPECT_VALUE(path, type, wanted)                                                           \
    do {                                                                                           \
        type value_;                                                                               \
        if (get(frame, registers, path, &value_, sizeof value_))                                   \
            EXPECT(value_ == (type)(wanted));                                                      \
    } while (0)

/* It must be there. */
#define EXPECT_KNOWN(path, type, wanted)                                                           \
    do {                                                                                           \
        int before_ = known;                                                                       \
        EXPECT_VALUE(path, type, wanted);                                                          \
        EXPECT_EQ(known, before_ + 1);                                                             \
    } while (0)

static struct box box;
static int added_to_mine[BUILDS]; /* by measure */

static void fill_box(void)
{
    box = (struct box){.count = 3,
                       .open = 1,
                       .colour = 5,
                       .items = {{.id = 10}, {.id = 20, .name = "two"}, {.id = 30}},
                       .first = &box.items[1]};
    box.items[1].next = &box.items[2];
}

static void *function(const struct build *build, const char *name)
{
    void *found = dlsym(build->library, name);

    EXPECT(found);
    return found;
}

/* ---- Parameters ---- */

static const char label[] = "label";

static void ask_parameters(const struct rdl__stack_frame *frame, struct rdl__registers *registers)
{
    EXPECT_KNOWN("box", struct box *, &box);
    EXPECT_KNOWN("scale", double, 1.5);
    EXPECT_KNOWN("label", const char *, label);
    EXPECT_KNOWN("*label", char, 'l');
    EXPECT_KNOWN("label[2]", char, 'b');
    EXPECT_KNOWN("box->count", int, 3);
    EXPECT_KNOWN("(*box).count", int, 3);
    EXPECT_KNOWN("box[0].items[2].id", int, 30);
    EXPECT_KNOWN("box->first->id", int, 20);
    EXPECT_KNOWN("box->first->next->id", int, 30);
    EXPECT_KNOWN("box -> items [ 1 ] . name [ 1 ]", char, 'w');
    EXPECT_KNOWN("box->open", unsigned, 1);
    EXPECT_KNOWN("box->colour", unsigned, 5);
    EXPECT_KNOWN("box->items[box->open].id", int, 20);
}

TEST(parameters_and_what_they_point_to_can_be_read_where_a_function_begins)
{
    EACH_BUILD(b)
    {
        int (*measure_)(struct box *, double, const char *) = function(b, "measure");

        now = b;
        fill_box();
        stop_at(b, "measure", ask_parameters);
        measure_(&box, 1.5, label);
        added_to_mine[b - builds] += 1;
        EXPECT_EQ(stop.hits, 1);
    }
}

/* ---- Locals ---- */

static void ask_loop(const struct rdl__stack_frame *frame, struct rdl__registers *registers)
{
    EXPECT_VALUE("i", int, 0);
    EXPECT_VALUE("here", int, 10);
    EXPECT_VALUE("id", int, 20);
    EXPECT_VALUE("box", const struct box *, &box);
    EXPECT_VALUE("box->items[i].id", int, 10);
}

static void ask_sums(const struct rdl__stack_frame *frame, struct rdl__registers *registers)
{
    EXPECT_VALUE("sum", int, 2 * 60 + 3);
    EXPECT_VALUE("copy.id", int, 20);
    EXPECT_VALUE("copy.name[0]", char, 't');
    EXPECT_VALUE("copy.next", struct item *, &box.items[2]);
    EXPECT_VALUE("scale", double, 2.5);
}

TEST(locals_are_read_or_said_to_be_optimised_out)
{
    EACH_BUILD(b)
    {
        int (*lookup_)(const struct box *, int) = function(b, "lookup");
        int (*measure_)(struct box *, double, const char *) = function(b, "measure");

        now = b;
        fill_box();
        known = 0;
        stop_at(b, "lookup:/if (here/", ask_loop);
        EXPECT_EQ(lookup_(&box, 20), 1);
        EXPECT_EQ(stop.hits, 1);
        EXPECT(known >= (is_optimised(b) ? 1 : 5));
        known = 0;
        stop_at(b, "measure:/copy.id +=/", ask_sums);
        measure_(&box, 2.5, label);
        added_to_mine[b - builds] += 2;
        EXPECT_EQ(stop.hits, 1);
        EXPECT(known >= (is_optimised(b) ? 1 : 5));
    }
}

static void ask_inner(const struct rdl__stack_frame *frame, struct rdl__registers *registers)
{
    EXPECT_KNOWN("x", int, 14);
    EXPECT_VALUE("n", int, 7);
}

static void ask_outer(const struct rdl__stack_frame *frame, struct rdl__registers *registers)
{
    EXPECT_VALUE("x", int, 7);
}

TEST(the_innermost_variable_of_a_name_is_meant)
{
    EACH_BUILD(b)
    {
        int (*shadow_)(int) = function(b, "shadow");

        now = b;
        if (!is_optimised(b)) {
            stop_at(b, "shadow:/the inner/", ask_inner);
            EXPECT_EQ(shadow_(7), 7);
            EXPECT_EQ(stop.hits, 1);
        }
        stop_at(b, "shadow:/the outer/", ask_outer);
        EXPECT_EQ(shadow_(7), 7);
        EXPECT_EQ(stop.hits, 1);
    }
}

static void ask_late(const struct rdl__stack_frame *frame, struct rdl__registers *registers)
{
    EXPECT_VALUE("box", struct box *, &box);
    EXPECT_VALUE("n", int, 7);
    EXPECT_VALUE("box->items[1].id", int, 20);
}

TEST(a_parameter_that_is_gone_is_known_from_the_caller)
{
    EACH_BUILD(b)
    {
        int (*call_late_)(struct box *, int) = function(b, "call_late");

        now = b;
        known = 0;
        fill_box();
        stop_at(b, "late:/it is late/", ask_late);
        EXPECT_EQ(call_late_(&box, 2), 15);
        EXPECT_EQ(stop.hits, 1);
        if (strcmp(b->options, "-O2") == 0 && b->compiler[0] == 'g')
            EXPECT_EQ(known, 3);
    }
}

/* ---- Globals ---- */

static void ask_secret(const struct rdl__stack_frame *frame, struct rdl__registers *registers)
{
    EXPECT_KNOWN("kept->other", int, 4);
}

TEST(a_struct_that_another_file_defines_is_known)
{
    EACH_BUILD(b)
    {
        int (*pass_on_)(int) = function(b, "pass_on");

        now = b;
        pass_on_(1);
        stop_at(b, "pass_on", ask_secret);
        pass_on_(1);
        EXPECT_EQ(stop.hits, 1);
    }
}

static void ask_globals(const struct rdl__stack_frame *frame, struct rdl__registers *registers)
{
    EXPECT_KNOWN("total", int, 41);
    EXPECT_KNOWN("hidden", int, 7);
    EXPECT_KNOWN("mine", int, 5 + added_to_mine[now - builds]);
}

TEST(variables_of_the_file_and_of_the_thread_are_known)
{
    EACH_BUILD(b)
    {
        int (*pass_on_)(int) = function(b, "pass_on");

        now = b;
        *(int *)function(b, "total") = 41;
        stop_at(b, "pass_on", ask_globals);
        pass_on_(1);
        EXPECT_EQ(stop.hits, 1);
    }
}

/* ---- Writing ---- */

static void set_id(const struct rdl__stack_frame *frame, struct rdl__registers *registers)
{
    struct rdl__error error = {""};
    struct rdl__part part;
    unsigned colour = 2;
    int id = 30, total = 99;

    EXPECT(rdl__part_find(frame, registers, "id", &part, &error));
    EXPECT(rdl__part_write(&part, registers, &id, sizeof id, &error));
    EXPECT(rdl__part_find(frame, registers, "box->colour", &part, &error));
    EXPECT(!rdl__part_address(&part));
    EXPECT(rdl__part_write(&part, registers, &colour, sizeof colour, &error));
    EXPECT(rdl__part_find(frame, registers, "total", &part, &error));
    EXPECT(rdl__part_address(&part) == function(now, "total"));
    EXPECT(rdl__part_write(&part, registers, &total, sizeof total, &error));
    EXPECT(!rdl__part_write(&part, registers, &total, 1, &error));
}

TEST(variables_can_be_set_in_memory_and_registers)
{
    EACH_BUILD(b)
    {
        int (*lookup_)(const struct box *, int) = function(b, "lookup");

        now = b;
        fill_box();
        stop_at(b, "lookup", set_id);
        EXPECT_EQ(lookup_(&box, 10), 2);
        EXPECT_EQ(stop.hits, 1);
        EXPECT_EQ(box.colour, 2);
        EXPECT_EQ(box.open, 1);
        EXPECT_EQ(*(int *)function(b, "total"), 99);
    }
}

/* ---- What is wrong ---- */

static void ask_wrongly(const struct rdl__stack_frame *frame, struct rdl__registers *registers)
{
    static const struct {
        const char *path, *error;
    } wrong[] = {
        {"", "a name is missing at the end"},
        {"boxx", "there is no variable boxx"},
        {"box.count", "there is a pointer before count"},
        {"box->coumt", "there is no member coumt; did you mean count?"},
        {"id->x", "no pointer"},
        {"id.x", "no struct before x"},
        {"box->items[4]", "no such element"},
        {"box->items[-1]", "no such element"},
        {"box->items[box]", "an index is no number"},
        {"box->items[1", "a ] is missing"},
        {"(box", "a ) is missing"},
        {"box->items[0].next->id", "a pointer is NULL"},
        {"box count", "what is this"},
        {"box->first[100000000].id", "there is no memory"},
    };

    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct rdl__error error = {""};
        struct rdl__part part;
        int value;

        EXPECT(!rdl__part_find(frame, registers, wrong[i].path, &part, &error) ||
               !rdl__part_read(&part, registers, &value, sizeof value, &error));
        EXPECT_CONTAINS(error.text, wrong[i].error);
    }
}

TEST(paths_that_lead_nowhere_are_refused)
{
    int (*lookup_)(const struct box *, int);

    build_all();
    now = &builds[0];
    lookup_ = function(now, "lookup");
    fill_box();
    stop_at(now, "lookup", ask_wrongly);
    EXPECT_EQ(lookup_(&box, 20), 1);
    EXPECT_EQ(stop.hits, 1);
}

TEST(types_are_told_as_in_c)
{
    struct rdl__locations locations = {0};
    struct rdl__stack_frames frames = {0};
    const struct rdl__stack_frame *frame;

    build_all();
    rdl__locations_want(&locations, "build0.so!measure");
    rdl__locations_find(&locations, NULL);
    EXPECT_EQ(locations.items[0].count, 1);
    rdl__stack_frames_want(&frames, locations.items[0].spots[0].address,
                           locations.items[0].spots[0].function);
    rdl__stack_frames_find(&frames, NULL);
    frame = &frames.items[0];
    EXPECT_STR(rdl__stack_frame_variable(frame, "box")->type_name, "struct box *");
    EXPECT_STR(rdl__stack_frame_variable(frame, "label")->type_name, "const char *");
    EXPECT_STR(rdl__stack_frame_variable(frame, "copy")->type_name, "struct item");
    EXPECT_STR(rdl__stack_frame_variable(frame, "sum")->type_name, "int");
    EXPECT_EQ(rdl__stack_frame_variable(frame, "sum")->kind, RDL__LOCAL);
    EXPECT_EQ(rdl__stack_frame_variable(frame, "total")->kind, RDL__GLOBAL);
    EXPECT(!rdl__stack_frame_variable(frame, "sum_of_nothing"));
    rdl__stack_frames_release(&frames);
    rdl__locations_release(&locations);
}
