/* test_hook_code.c -- hooks on each kind of instruction that is hard to move; and in each way
 * in which CPUs keep their vector registers. */
#include "harness.h"
#include "hook_code.h"
#include "port/hook_enter.h"

extern uint32_t rdl__hook_vectors_how; /* hook_enter.c */
extern uint64_t rdl__hook_vectors_size;

TEST(what_is_moved_does_the_same_with_breakpoints)
{
    size_t jumps = 0, refused = 0;

    expect_the_same(true, &jumps, &refused);
    EXPECT_EQ(jumps, 0);
    EXPECT_EQ(refused, 0);
}

TEST(what_is_moved_does_the_same_with_jumps)
{
    size_t jumps = 0, refused = 0;

    expect_the_same(false, &jumps, &refused);
    EXPECT(jumps > 30);
    EXPECT_EQ(refused, 0);
}

TEST(vector_registers_are_kept_in_any_way_there_is)
{
    uint32_t how;
    uint64_t size;

    rdl__hook_enter_prepare();
    how = rdl__hook_vectors_how;
    size = rdl__hook_vectors_size;
    if (how != 3) /* a CPU that knows fewer ways */
        return;
    rdl__hook_vectors_size = 4096;
    for (rdl__hook_vectors_how = 0; rdl__hook_vectors_how < how; rdl__hook_vectors_how++) {
        size_t jumps = 0, refused = 0;

        expect_the_same(false, &jumps, &refused);
    }
    rdl__hook_vectors_how = how;
    rdl__hook_vectors_size = size;
}

/* ---- AVX-512 -------------------------------------------------------------------------------- */

/* All of it is loaded, a function is called, and all of it is stored: in the second form, with the
 * upper parts of the first sixteen not in use. */
struct wide {
    uint8_t vectors[32][64];
    uint64_t masks[8];
};

void call_with_wide(const struct wide *in, struct wide *out);
void call_with_narrow(const struct wide *in, struct wide *out);
void be_called(void);
void trash_wide(void);

/* clang-format off */
__asm__(
    ".macro for_all_wide do\n"
    ".irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, "
             "24, 25, 26, 27, 28, 29, 30, 31\n"
    "    \\do \\n\n"
    ".endr\n"
    ".endm\n"
    ".macro load_wide n\n"
    "    vmovups (64*\\n)(%rdi), %zmm\\n\n"
    ".endm\n"
    ".macro store_wide n\n"
    "    vmovups %zmm\\n, (64*\\n)(%rsi)\n"
    ".endm\n"
    ".macro fill_wide n\n"
    "    vpternlogd $0xff, %zmm\\n, %zmm\\n, %zmm\\n\n"
    ".endm\n"
    ".macro begin_wide\n"
    "    for_all_wide load_wide\n"
    ".irp n, 0, 1, 2, 3, 4, 5, 6, 7\n"
    "    kmovq (2048+8*\\n)(%rdi), %k\\n\n"
    ".endr\n"
    ".endm\n"
    ".macro end_wide\n"
    "    call be_called\n"
    "    for_all_wide store_wide\n"
    ".irp n, 0, 1, 2, 3, 4, 5, 6, 7\n"
    "    kmovq %k\\n, (2048+8*\\n)(%rsi)\n"
    ".endr\n"
    "    vzeroupper\n"
    "    ret\n"
    ".endm\n"
    ".text\n"
    ".globl call_with_wide, call_with_narrow, be_called, trash_wide\n"
    "call_with_wide:\n"
    "    begin_wide\n"
    "    end_wide\n"
    "call_with_narrow:\n"
    "    begin_wide\n"
    "    vzeroupper\n"
    "    end_wide\n"
    ".type be_called, @function\n"
    "be_called:\n"
    "    movabsq $1, %rax\n"
    "    ret\n"
    ".size be_called, .-be_called\n"
    "trash_wide:\n"
    "    fldpi\n"
    "    fstp %st(0)\n"
    "    for_all_wide fill_wide\n"
    ".irp n, 0, 1, 2, 3, 4, 5, 6, 7\n"
    "    kxnorq %k\\n, %k\\n, %k\\n\n"
    ".endr\n"
    "    ret\n");
/* clang-format on */

static uint8_t seen_xmm[16];

static void look_and_trash(struct rdl__registers *registers, void *it)
{
    (void)it;
    memcpy(seen_xmm, rdl__registers_xmm(registers, 3), sizeof seen_xmm);
    rdl__registers_xmm(registers, 4)[0] = 0xab;
    trash_wide();
}

static void expect_kept(void (*call)(const struct wide *, struct wide *), size_t low_size)
{
    static struct wide in, out;
    struct rdl__hook hook = {.address = (uintptr_t)be_called, .call = look_and_trash};
    struct rdl__error error;

    for (size_t i = 0; i < sizeof in; i++)
        ((uint8_t *)&in)[i] = (uint8_t)(i * 7 + i / 64 + 1);
    memset(&out, 0, sizeof out);
    EXPECT(rdl__hook_place(&hook, &error));
    call(&in, &out);
    rdl__hook_remove(&hook);
    EXPECT(memcmp(seen_xmm, in.vectors[3], sizeof seen_xmm) == 0);
    in.vectors[4][0] = 0xab;
    for (size_t i = 0; i < 16; i++)
        memset(in.vectors[i] + low_size, 0, 64 - low_size);
    EXPECT(memcmp(&in, &out, sizeof in) == 0);
}

TEST(wide_vectors_and_masks_are_kept)
{
    if (!__builtin_cpu_supports("avx512bw"))
        return;
    expect_kept(call_with_wide, 64);
    expect_kept(call_with_narrow, 16);
}
