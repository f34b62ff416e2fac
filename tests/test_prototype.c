/* test_prototype.c -- what is known of a function's parameters and result, and that they can be
 * read and written.  (run_prototypes.sh does it for hundreds of random ones.) */
#include <stdlib.h>

#include "harness.h"
#include "port/prototype.h"

struct point {
    float x, y;
};

struct frame {
    long serial;
    struct point corner;
    char name[40];
};

__attribute__((noinline, used)) static int draw(const struct frame *frame, struct point at,
                                                unsigned char color, double scale)
{
    return (int)(frame->corner.x + at.y * scale) + color;
}

struct frame move(struct frame frame, struct point by);
__attribute__((noinline)) struct frame move(struct frame frame, struct point by)
{
    frame.corner.x += by.x;
    return frame;
}

static int (*volatile call_draw)(const struct frame *, struct point, unsigned char, double) = draw;
static struct frame (*volatile call_move)(struct frame, struct point) = move;
static __typeof__(strtol) *const like_strtol = strtol;

static struct rdl__prototype find(struct rdl__prototype_wanted wanted)
{
    rdl__prototypes_find(&wanted, 1);
    EXPECT_STR(wanted.prototype.refusal, "");
    return wanted.prototype;
}

TEST(parameters_have_names_and_types)
{
    struct rdl__prototype p = find((struct rdl__prototype_wanted){.entry = (uintptr_t)call_draw});

    EXPECT_STR(p.name, "draw");
    EXPECT_EQ(p.count, 4);
    EXPECT_STR(p.parameters[0].name, "frame");
    EXPECT_STR(p.parameters[0].type_name, "const struct frame *");
    EXPECT_EQ(p.parameters[0].type->of->size, sizeof(struct frame));
    EXPECT_STR(p.parameters[1].type_name, "struct point");
    EXPECT_STR(p.parameters[1].type->members[1].name, "y");
    EXPECT_STR(p.parameters[2].type_name, "unsigned char");
    EXPECT_EQ(p.parameters[3].size, sizeof(double));
    EXPECT_STR(p.returns_name, "int");
    EXPECT_EQ(p.stack_bytes, 0);
}

TEST(arguments_can_be_written_and_the_function_be_called)
{
    struct rdl__prototype p = find((struct rdl__prototype_wanted){.entry = (uintptr_t)call_move});
    struct frame frame = {7, {1.5f, 2}, "seven"}, moved, result;
    struct point by = {3, 0};
    struct rdl__arguments arguments = {.stack = calloc(1, p.stack_bytes)};

    EXPECT_EQ(p.stack_bytes, sizeof frame);
    arguments.integers[0] = (uintptr_t)&result; /* where it is returned */
    rdl__argument_write(&p, 0, &arguments, &frame);
    rdl__argument_write(&p, 1, &arguments, &by);
    rdl__prototype_call(&p, (uintptr_t)call_move, &arguments);
    rdl__returned_read(&p, &arguments, &moved);
    EXPECT(moved.corner.x == 4.5f && moved.serial == 7);
    EXPECT_STR(moved.name, "seven");
    free(arguments.stack);
}

TEST(a_pointer_tells_what_a_function_without_debugging_information_takes)
{
    struct rdl__prototype p = find((struct rdl__prototype_wanted){.variable = &like_strtol});

    EXPECT_EQ(p.count, 3);
    EXPECT_CONTAINS(p.parameters[1].type_name, "char **");
    EXPECT_CONTAINS(p.returns_name, "long");
}
