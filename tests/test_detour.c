/* test_detour.c -- the entry of a function leads elsewhere: to a thunk, mostly. */
#include <execinfo.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

#include "harness.h"
#include "hook_code.h"
#include "port/detour.h"
#include "port/thunk.h"

#define NOINLINE __attribute__((noinline))

static void place(struct rdl__detour *detour)
{
    struct rdl__error error;

    if (!rdl__detours_place(&detour, 1, &error))
        test_fail(__FILE__, __LINE__, "%s", error.text);
}

static void take_away(struct rdl__detour *detour)
{
    rdl__detours_remove(&detour, 1);
}

static struct rdl__detour detour_of(code *from, uintptr_t target)
{
    return (struct rdl__detour){.address = (uintptr_t)from, .target = target};
}

static code *real(const struct rdl__detour *detour)
{
    return (code *)rdl__detour_real(detour);
}

CODE(long_one, "movl $123456, %eax\n addq %rdi, %rax\n addq %rsi, %rax\n ret")
CODE(usual, "pushq %rbp\n .cfi_adjust_cfa_offset 8\n movq %rsp, %rbp\n subq $16, %rsp\n"
            "leaq 5(%rdi,%rsi), %rax\n leave\n .cfi_adjust_cfa_offset -8\n ret")
CODE(landing, "endbr64\n pushq %rbx\n .cfi_adjust_cfa_offset 8\n movl %edi, %ebx\n"
              "leaq (%rbx,%rsi), %rax\n popq %rbx\n .cfi_adjust_cfa_offset -8\n ret")
__asm__(".balign 16\n");
CODE(tiny, "xorl %eax, %eax\n ret")
__asm__(".balign 16\n");
CODE(with_a_short_loop, "pushq %rbx\n .cfi_adjust_cfa_offset 8\n 1: subq $1, %rdi\n jg 1b\n"
                        "popq %rbx\n .cfi_adjust_cfa_offset -8\n movl $3, %eax\n ret")
CODE(with_a_table, "pushq %rbx\n .cfi_adjust_cfa_offset 8\n leaq 1f(%rip), %rax\n jmp *%rax\n"
                   "1: popq %rbx\n .cfi_adjust_cfa_offset -8\n movl $4, %eax\n ret")
CODE(entered_from_afar, "movq %rdi, %rax\n entered_there: addq %rsi, %rax\n ret")
__asm__(".skip 300, 0x90\n");
CODE(enters_it, "leaq 1(%rdi), %rax\n jmp entered_there")
CODE(calls_early, "leaq -8(%rsp), %rsp\n .cfi_adjust_cfa_offset 8\n call hook_callee\n"
                  "leaq 8(%rsp), %rsp\n .cfi_adjust_cfa_offset -8\n addq $1, %rax\n ret")
CODE(returns_within, "pushq %rbx\n call *%rdi\n popq %rbx\n movl $1, %eax\n ret")
CODE(replacement, "leaq 1000(%rdi,%rsi), %rax\n ret")

static const struct {
    const char *name;
    code *call;
    bool by_jump;
} functions[] = {{"long_one", long_one, true},
                 {"usual", usual, true},
                 {"landing", landing, true},
                 {"tiny", tiny, true},
                 {"with_a_short_loop", with_a_short_loop, false},
                 {"with_a_table", with_a_table, false},
                 {"entered_from_afar", entered_from_afar, false},
                 {"calls_early", calls_early, true},
                 {"enters_it", enters_it, true}};

TEST(a_function_leads_elsewhere_and_can_still_be_called)
{
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        code *call = functions[i].call;
        struct rdl__detour detour = detour_of(call, (uintptr_t)replacement);
        long before = call(20, 3);

        for (int round = 0; round < 3; round++) {
            place(&detour);
            if (rdl__detour_is_jump(&detour) != functions[i].by_jump)
                test_fail(__FILE__, __LINE__, "%s: %s", functions[i].name,
                          functions[i].by_jump ? "no jump" : "a jump");
            EXPECT_EQ(call(20, 3), 1023);
            EXPECT_EQ(real(&detour)(20, 3), before);
            take_away(&detour);
            EXPECT_EQ(call(20, 3), before);
            EXPECT_EQ(real(&detour)(20, 3), before);
        }
    }
}

TEST(a_return_address_among_the_first_instructions_stays_valid)
{
    struct rdl__detour detour = detour_of(returns_within, (uintptr_t)replacement);

    place(&detour);
    EXPECT(!rdl__detour_is_jump(&detour));
    take_away(&detour);
}

TEST(many_detours_are_placed_at_once_or_none)
{
    struct rdl__detour detours[3] = {detour_of(usual, (uintptr_t)replacement),
                                     detour_of(landing, (uintptr_t)replacement),
                                     detour_of(usual, (uintptr_t)replacement)};
    struct rdl__detour *list[] = {&detours[0], &detours[1], &detours[2]};
    struct rdl__error error;

    EXPECT(!rdl__detours_place(list, 3, &error));
    EXPECT_CONTAINS(error.text, "there is one already");
    EXPECT_EQ(usual(1, 2), 8);
    EXPECT(rdl__detours_place(list, 2, &error));
    EXPECT_EQ(usual(1, 2) + landing(1, 2), 2006);
    rdl__detours_remove(list, 3);
    EXPECT_EQ(usual(1, 2) + landing(1, 2), 11);
}

/* ---- With hooks ------------------------------------------------------------------------------ */

static void count(struct rdl__registers *registers, void *it)
{
    (void)registers;
    ++*(int *)it;
}

CODE(hooked_first, "pushq %rbp\n .cfi_adjust_cfa_offset 8\n movq %rsp, %rbp\n xorl %ecx, %ecx\n"
                   "leaq 5(%rdi,%rsi), %rax\n popq %rbp\n .cfi_adjust_cfa_offset -8\n ret")
CODE(detoured_first, "pushq %rbp\n .cfi_adjust_cfa_offset 8\n movq %rsp, %rbp\n xorl %ecx, %ecx\n"
                     "leaq 5(%rdi,%rsi), %rax\n popq %rbp\n .cfi_adjust_cfa_offset -8\n ret")

static void try_both(code *call, bool hook_first)
{
    struct rdl__detour detour = detour_of(call, (uintptr_t)replacement);
    int calls = 0;
    struct rdl__hook hook = {.address = (uintptr_t)call, .call = count, .it = &calls};
    struct rdl__error error;

    for (int round = 0; round < 3; round++) {
        calls = 0;
        if (!hook_first)
            place(&detour);
        EXPECT(rdl__hook_place(&hook, &error));
        if (hook_first)
            place(&detour);
        EXPECT_EQ(call(1, 2), 1003);
        EXPECT_EQ(calls, 1);
        EXPECT_EQ(real(&detour)(1, 2), 8);
        EXPECT_EQ(calls, 1);
        if (round == 1)
            take_away(&detour);
        else
            rdl__hook_remove(&hook);
        EXPECT_EQ(call(1, 2), round == 1 ? 8 : 1003);
        EXPECT_EQ(calls, round == 1 ? 2 : 1);
        take_away(&detour);
        rdl__hook_remove(&hook);
        EXPECT_EQ(call(1, 2), 8);
    }
}

TEST(hooks_are_called_first_then_the_detour_is_taken)
{
    try_both(hooked_first, true);
    try_both(detoured_first, false);
}

CODE(hooked_within, "pushq %rbp\n .cfi_adjust_cfa_offset 8\n movq %rsp, %rbp\n xorl %ecx, %ecx\n"
                    "leaq 5(%rdi,%rsi), %rax\n popq %rbp\n .cfi_adjust_cfa_offset -8\n ret")
CODE(hook_within_later,
     "pushq %rbp\n .cfi_adjust_cfa_offset 8\n movq %rsp, %rbp\n xorl %ecx, %ecx\n"
     "leaq 5(%rdi,%rsi), %rax\n popq %rbp\n .cfi_adjust_cfa_offset -8\n ret")

TEST(a_hook_behind_the_first_instruction_is_not_jumped_over)
{
    int calls = 0;
    struct rdl__hook hook = {.address = (uintptr_t)hooked_within + 1, .call = count, .it = &calls};
    struct rdl__detour detour = detour_of(hooked_within, (uintptr_t)replacement);
    struct rdl__error error;

    EXPECT(rdl__hook_place(&hook, &error));
    place(&detour);
    EXPECT(!rdl__detour_is_jump(&detour));
    EXPECT_EQ(hooked_within(1, 2), 1003);
    EXPECT_EQ(real(&detour)(1, 2), 8);
    EXPECT_EQ(calls, 1);
    rdl__hook_remove(&hook);
    take_away(&detour);

    hook.address = (uintptr_t)hook_within_later + 1;
    detour = detour_of(hook_within_later, (uintptr_t)replacement);
    place(&detour);
    EXPECT(!rdl__hook_place(&hook, &error));
    EXPECT_CONTAINS(error.text, "mocked, or spied on");
    take_away(&detour);
    EXPECT(rdl__hook_place(&hook, &error));
    EXPECT_EQ(hook_within_later(1, 2), 8);
    EXPECT_EQ(calls, 2);
    rdl__hook_remove(&hook);
}

/* ---- Thunks ---------------------------------------------------------------------------------- */

static void add_up(struct rdl__arguments *arguments, void *it)
{
    arguments->rax = 0;
    for (int i = 0; i < 6; i++)
        arguments->rax += arguments->integers[i];
    arguments->rax += arguments->stack[0] + (uint64_t)(uintptr_t)it;
}

NOINLINE static long sum_of_seven(long a, long b, long c, long d, long e, long f, long g)
{
    return a - b - c - d - e - f - g;
}

TEST(a_thunk_is_told_what_was_passed)
{
    long (*volatile call)(long, long, long, long, long, long, long) = sum_of_seven;
    struct rdl__detour detour = {.address = (uintptr_t)sum_of_seven,
                                 .target = rdl__thunk_new(add_up, (void *)5)};

    place(&detour);
    EXPECT_EQ(call(10, 20, 30, 40, 50, 60, 70), 285);
    take_away(&detour);
    EXPECT_EQ(call(10, 20, 30, 40, 50, 60, 70), -260);
}

static uintptr_t real_of_sum;

static void pass_on(struct rdl__arguments *arguments, void *it)
{
    (void)it;
    rdl__thunk_call(real_of_sum, arguments, 8);
    arguments->rax += 1;
}

TEST(a_thunk_can_call_the_function_with_the_same_arguments)
{
    long (*volatile call)(long, long, long, long, long, long, long) = sum_of_seven;
    struct rdl__detour detour = {.address = (uintptr_t)sum_of_seven,
                                 .target = rdl__thunk_new(pass_on, NULL)};

    place(&detour);
    real_of_sum = rdl__detour_real(&detour);
    EXPECT_EQ(call(10, 20, 30, 40, 50, 60, 70), -259);
    take_away(&detour);
}

static void return_double(struct rdl__arguments *arguments, void *it)
{
    double twice;

    memcpy(&twice, arguments->vectors[0], sizeof twice);
    twice *= 2;
    memcpy(arguments->returned[0], &twice, sizeof twice);
    (void)it;
}

static void return_long_double(struct rdl__arguments *arguments, void *it)
{
    arguments->st0 = *(long double *)arguments->stack * 2;
    arguments->st_count = 1;
    (void)it;
}

NOINLINE static double plain_double(double x)
{
    return x + 1;
}

NOINLINE static long double plain_long_double(long double x)
{
    return x + 1;
}

TEST(a_thunk_returns_numbers_of_any_kind)
{
    double (*volatile a)(double) = plain_double;
    long double (*volatile b)(long double) = plain_long_double;
    struct rdl__detour one = {.address = (uintptr_t)plain_double,
                              .target = rdl__thunk_new(return_double, NULL)};
    struct rdl__detour other = {.address = (uintptr_t)plain_long_double,
                                .target = rdl__thunk_new(return_long_double, NULL)};
    struct rdl__detour *both[] = {&one, &other};
    struct rdl__error error;

    EXPECT(rdl__detours_place(both, 2, &error));
    for (int i = 0; i < 20; i++) { /* more than the x87 has registers */
        EXPECT(a(2.25) == 4.5);
        EXPECT(b(2.25L) == 4.5L);
    }
    rdl__detours_remove(both, 2);
    EXPECT(a(2.25) == 3.25);
}

/* All registers that a call may change, but rax, hold what depends on rdi; then they are summed. */
CODE(keeps_all,
     "pushq %rbx\n .cfi_adjust_cfa_offset 8\n movq %rdi, %rbx\n"
     "leaq 1(%rbx), %rsi\n leaq 2(%rbx), %rdx\n leaq 3(%rbx), %rcx\n leaq 4(%rbx), %r8\n"
     "leaq 5(%rbx), %r9\n leaq 6(%rbx), %r10\n leaq 7(%rbx), %r11\n"
     ".irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15\n"
     "movq %rdi, %xmm\\n\n .endr\n"
     "movl $3, %eax\n call usual\n"
     "addq %rdi, %rax\n addq %rsi, %rax\n addq %rdx, %rax\n addq %rcx, %rax\n addq %r8, %rax\n"
     "addq %r9, %rax\n addq %r10, %rax\n addq %r11, %rax\n"
     ".irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15\n"
     "movq %xmm\\n, %rbx\n addq %rbx, %rax\n .endr\n"
     "popq %rbx\n .cfi_adjust_cfa_offset -8\n ret")

static void change_all(struct rdl__arguments *arguments, void *it)
{
    for (int i = 0; i < 6; i++)
        arguments->integers[i] = 77;
    __asm__ volatile("movl $-1, %%esi\n movq %%rsi, %%rdx\n movq %%rsi, %%rcx\n movq %%rsi, %%r8\n"
                     "movq %%rsi, %%r9\n movq %%rsi, %%r10\n movq %%rsi, %%r11\n"
                     "movq %%rsi, %%xmm0\n movq %%rsi, %%xmm9\n movq %%rsi, %%xmm15\n"
                     "movq %%rsi, %%xmm2\n movq %%rsi, %%xmm7\n"
                     :
                     :
                     : "rsi", "rdx", "rcx", "r8", "r9", "r10", "r11", "xmm0", "xmm2", "xmm7",
                       "xmm9", "xmm15", "memory");
    (void)it;
}

TEST(all_registers_but_those_of_the_result_are_kept)
{
    struct rdl__detour detour = detour_of(usual, rdl__thunk_new(change_all, NULL));

    place(&detour);
    EXPECT_EQ(keeps_all(100, 0), 3 + 8 * 100 + 28 + 16 * 100);
    take_away(&detour);
}

static jmp_buf back;

static void jump_away(struct rdl__arguments *arguments, void *it)
{
    (void)arguments, (void)it;
    longjmp(back, 7);
}

TEST(a_thunk_can_be_left_by_longjmp)
{
    struct rdl__detour detour = detour_of(usual, rdl__thunk_new(jump_away, NULL));

    place(&detour);
    for (int i = 0; i < 10; i++) {
        int how = setjmp(back);

        if (how == 0)
            usual(1, 2);
        EXPECT_EQ(how, 7);
    }
    take_away(&detour);
}

static void *trace[32];
static int trace_count;
static uintptr_t trace_caller;

static void look_up(struct rdl__arguments *arguments, void *it)
{
    (void)it;
    trace_caller = arguments->caller;
    trace_count = backtrace(trace, 32);
}

NOINLINE static long call_it(code *call)
{
    return call(1, 2) + 1;
}

TEST(unwinders_see_the_caller_above_a_thunk)
{
    struct rdl__detour detour = detour_of(usual, rdl__thunk_new(look_up, NULL));
    int above = getenv("SANITIZE") ? 3 : 2; /* a sanitizer has a backtrace of its own */
    bool found;

    place(&detour);
    call_it(usual);
    take_away(&detour);
    found = trace_count > above && (uintptr_t)trace[above] == trace_caller;
    EXPECT(found);
    EXPECT(trace_caller > (uintptr_t)call_it && trace_caller < (uintptr_t)call_it + 200);
    EXPECT(trace_count > 4);
}
