/* test_frames.c -- frames are cut out of bytes, in whatever pieces these come. */
#include "drive/frames.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/text.h"
#include "harness.h"

static const char *const words[] = {"", "...", "bad", "large"};

static struct rdl__text out;

__attribute__((destructor)) static void release_out(void)
{
    rdl__text_release(&out);
}

/* Frames of these bytes, in pieces of so many, each in brackets, and what remains; good until
 * the next call. */
static const char *cut(struct rdl_framing framing, const char *bytes, size_t count, size_t piece)
{
    struct rdl__frames frames;
    enum rdl__framed framed = RDL__PART_OF_FRAME;

    rdl__text_clear(&out);
    rdl__frames_init(&frames, &framing);
    while (count > 0 && framed == RDL__PART_OF_FRAME) {
        size_t room, size = count < piece ? count : piece;
        char *space = rdl__frames_space(&frames, &room);
        const char *frame;

        EXPECT(size <= room);
        memcpy(space, bytes, size);
        rdl__frames_add(&frames, size);
        bytes += size;
        count -= size;
        while ((framed = rdl__frames_next(&frames, &frame, &size)) == RDL__WHOLE_FRAME) {
            rdl__text_add(&out, "[");
            rdl__text_add_bytes(&out, frame, size);
            rdl__text_add(&out, "]");
        }
    }
    rdl__text_add(&out, "%s%zu", words[framed], rdl__frames_rest(&frames));
    rdl__frames_release(&frames);
    return rdl__text_string(&out);
}

/* The same, however it is cut into pieces. */
static void expect_cut(struct rdl_framing framing, const char *bytes, size_t count,
                       const char *wanted)
{
    for (size_t piece = 1; piece <= count; piece++)
        EXPECT_STR(cut(framing, bytes, count, piece), wanted);
}

#define EXPECT_CUT(text, wanted, ...)                                                              \
    expect_cut((struct rdl_framing){__VA_ARGS__}, text, sizeof(text) - 1, wanted)

TEST(a_line_ends_with_its_newline)
{
    EXPECT_CUT("one\ntwo\n\nthr", "[one\n][two\n][\n]...3", .kind = RDL_LINES);
}

TEST(a_length_may_have_any_width_and_byte_order)
{
    EXPECT_CUT("\3abc\0\1x\5..", "[abc][][x]...3", .kind = RDL_PREFIXED, .width = 1);
    EXPECT_CUT("\0\3abc\0\0\0\1x\0", "[abc][][x]...1", .kind = RDL_PREFIXED, .width = 2);
    EXPECT_CUT("\0\0\0\2ab\0\0\0\1c", "[ab][c]...0", .kind = RDL_PREFIXED);
    EXPECT_CUT("\2\0\0\0ab\1\0\0\0c", "[ab][c]...0", .kind = RDL_PREFIXED, .little_endian = true);
    EXPECT_CUT("\0\0\0\0\0\0\0\2ab", "[ab]...0", .kind = RDL_PREFIXED, .width = 8);
}

TEST(a_length_may_count_itself)
{
    EXPECT_CUT("\0\5abc\0\2\0\3x", "[abc][][x]...0", .kind = RDL_PREFIXED, .width = 2,
               .counts_itself = true);
    EXPECT_STR(cut((struct rdl_framing){.kind = RDL_PREFIXED, .width = 2, .counts_itself = true},
                   "\0\1", 2, 2),
               "bad2");
}

TEST(frames_of_fixed_size_are_cut_by_counting)
{
    EXPECT_CUT("abcdefgh", "[abc][def]...2", .kind = RDL_FIXED, .size = 3);
}

/* A digit says how many bytes follow it. */
static long digit_length(const char *bytes, size_t size)
{
    (void)size;
    return bytes[0] >= '0' && bytes[0] <= '9' ? bytes[0] - '0' + 1 : -1;
}

/* A frame goes up to the first dot, and nothing can be said before it. */
static long dot_length(const char *bytes, size_t size)
{
    const char *dot = memchr(bytes, '.', size);

    return dot ? dot - bytes + 1 : 0;
}

TEST(a_function_may_know_the_length_before_all_of_it_is_there_or_later)
{
    EXPECT_CUT("3abc02de4f", "[3abc][0][2de]...2", .kind = RDL_CUSTOM, .length = digit_length);
    EXPECT_CUT("ab.c..d", "[ab.][c.][.]...1", .kind = RDL_CUSTOM, .length = dot_length);
    EXPECT_STR(cut((struct rdl_framing){.kind = RDL_CUSTOM, .length = digit_length}, "1ax", 3, 3),
               "[1a]bad1");
}

TEST(what_is_too_large_is_known_before_all_of_it_is_there)
{
    struct rdl_framing lines = {.kind = RDL_LINES, .max = 4},
                       prefixed = {.kind = RDL_PREFIXED, .width = 4, .max = 4},
                       custom = {.kind = RDL_CUSTOM, .length = dot_length, .max = 4};

    EXPECT_STR(cut(lines, "abc\nabcdefgh", 12, 1), "[abc\n]large4");
    EXPECT_STR(cut(lines, "abcd\n", 5, 5), "large5");
    EXPECT_STR(cut(prefixed, "\0\0\0\4abcd\0\0\0\5", 12, 1), "[abcd]large4");
    EXPECT_STR(cut(prefixed, "\377\377\377\377", 4, 1), "large4");
    prefixed.width = 8;
    EXPECT_STR(cut(prefixed, "\377\377\377\377\377\377\377\377", 8, 1), "large8");
    EXPECT_STR(cut(custom, "abc.abcdef", 10, 1), "[abc.]large4");
}

TEST(a_large_frame_in_small_pieces_is_put_together)
{
    struct rdl_framing framing = {.kind = RDL_LINES};
    size_t size = 200000;
    char *line = malloc(size);

    memset(line, 'x', size);
    line[size - 1] = '\n';
    EXPECT_EQ(strlen(cut(framing, line, size, 7)), size + 2 + 4);
    free(line);
}

TEST(a_prefix_is_what_the_other_side_cuts_by)
{
    for (uint32_t width = 1; width <= 8; width *= 2)
        for (int variant = 0; variant < 4; variant++) {
            struct rdl_framing framing = {.kind = RDL_PREFIXED,
                                          .width = width,
                                          .little_endian = variant & 1,
                                          .counts_itself = variant & 2};
            unsigned char bytes[RDL__PREFIX_MAX + 5];
            int size = rdl__frame_prefix(&framing, 5, bytes);

            EXPECT_EQ(size, width);
            memcpy(bytes + size, "hello", 5);
            EXPECT_STR(cut(framing, (char *)bytes, width + 5, 3), "[hello]...0");
        }
    EXPECT_EQ(rdl__frame_prefix(&(struct rdl_framing){.kind = RDL_PREFIXED, .width = 1}, 256,
                                (unsigned char[8]){0}),
              -1);
}

TEST(framings_that_cannot_be_are_told)
{
    EXPECT(rdl__framing_flaw(&(struct rdl_framing){.max = 1}));
    EXPECT(rdl__framing_flaw(&(struct rdl_framing){.kind = RDL_PREFIXED, .width = 3}));
    EXPECT(rdl__framing_flaw(&(struct rdl_framing){.kind = RDL_FIXED}));
    EXPECT(rdl__framing_flaw(&(struct rdl_framing){.kind = RDL_FIXED, .size = 5, .max = 4}));
    EXPECT(rdl__framing_flaw(&(struct rdl_framing){.kind = RDL_CUSTOM}));
    EXPECT(!rdl__framing_flaw(&(struct rdl_framing){.kind = RDL_PREFIXED, .width = 8}));
}
