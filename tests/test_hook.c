/* test_hook.c -- what a hook's function is told, may do, and leaves as it was. */
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fenv.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "harness.h"
#include "hook_code.h"
#include "port/hook_enter.h"

/* The first instruction of one has 5 bytes, of the other 1. */
CODE(long_one, "movl $123456, %eax\n addq %rdi, %rax\n addq %rsi, %rax\n ret")
CODE(short_one, "nop\n leaq 5(%rdi,%rsi), %rax\n ret")
CODE(landing, "endbr64\n leaq 6(%rdi,%rsi), %rax\n ret")
CODE(other_one, "leaq 1000(%rdi,%rsi), %rax\n ret")

static void place(struct rdl__hook *hook)
{
    struct rdl__error error;

    if (!rdl__hook_place(hook, &error))
        test_fail(__FILE__, __LINE__, "%s", error.text);
}

static struct rdl__hook hook_at(code *where, rdl__hook_function *call, void *it)
{
    return (struct rdl__hook){.address = (uintptr_t)where, .call = call, .it = it};
}

static void count(struct rdl__registers *registers, void *it)
{
    (void)registers;
    ++*(int *)it;
}

/* ---- Called, and not ---------------------------------------------------------------------- */

TEST(a_hook_is_called_from_when_it_is_placed_until_it_is_removed)
{
    code *const both[] = {long_one, short_one};

    for (int i = 0; i < 2; i++) {
        int calls = 0;
        struct rdl__hook hook = hook_at(both[i], count, &calls);
        long before = both[i](1, 2);

        for (int round = 1; round <= 3; round++) {
            place(&hook);
            EXPECT_EQ(rdl__hook_is_jump(&hook), i == 0);
            EXPECT_EQ(both[i](1, 2), before);
            rdl__hook_remove(&hook);
            EXPECT_EQ(both[i](1, 2), before);
            EXPECT_EQ(calls, round);
            EXPECT(rdl__hook_is_quiet(&hook));
        }
        rdl__hook_remove(&hook);
    }
}

TEST(a_hook_at_a_landing_place_is_behind_it)
{
    static const uint8_t endbr[] = {0xf3, 0x0f, 0x1e, 0xfa};
    int calls = 0;
    struct rdl__hook hook = hook_at(landing, count, &calls);

    place(&hook);
    EXPECT_EQ(memcmp((const void *)landing, endbr, sizeof endbr), 0);
    EXPECT_EQ(landing(1, 2), 9);
    EXPECT_EQ(calls, 1);
    rdl__hook_remove(&hook);
}

TEST(many_hooks_can_have_one_address)
{
    enum { MANY = 100 };
    static struct rdl__hook hooks[MANY + 1];
    static int calls[MANY + 1];

    for (int i = 0; i <= MANY; i++)
        hooks[i] = hook_at(short_one, count, &calls[i]);
    for (int i = 0; i < MANY; i++)
        place(&hooks[i]);
    short_one(0, 0);
    rdl__hook_remove(&hooks[1]);
    place(&hooks[MANY]);
    short_one(0, 0);
    rdl__hooks_remove((struct rdl__hook *const[]){&hooks[0], &hooks[2], &hooks[MANY]}, 3);
    for (int i = 0; i <= MANY; i++)
        rdl__hook_remove(&hooks[i]);
    short_one(0, 0);
    for (int i = 0; i <= MANY; i++)
        EXPECT_EQ(calls[i], i == 1 || i == MANY ? 1 : 2);
}

/* ---- Registers ---------------------------------------------------------------------------- */

static void look(struct rdl__registers *registers, void *it)
{
    *(struct rdl__registers *)it = *registers;
}

TEST(a_hook_sees_registers_by_name_and_number)
{
    struct rdl__registers seen;
    struct rdl__hook hook = hook_at(short_one, look, &seen);

    place(&hook);
    short_one(1234, 5678);
    rdl__hook_remove(&hook);
    EXPECT_EQ(seen.rdi, 1234);
    EXPECT_EQ(seen.dwarf[5], 1234);
    EXPECT_EQ(seen.rsi, 5678);
    EXPECT_EQ(seen.dwarf[4], 5678);
    EXPECT_EQ(seen.rip, (uintptr_t)short_one);
    EXPECT_EQ(seen.dwarf[16], (uintptr_t)short_one);
    EXPECT_EQ(seen.dwarf[7], seen.rsp);
}

static void change(struct rdl__registers *registers, void *it)
{
    (void)it;
    registers->rdi = 100;
    registers->rsi += 1;
}

static void go_to_other(struct rdl__registers *registers, void *it)
{
    registers->rip = (uint64_t)other_one;
    ++*(int *)it;
}

static void return_at_once(struct rdl__registers *registers, void *it)
{
    registers->rax = 77;
    registers->rip = *(uint64_t *)registers->rsp;
    registers->rsp += 8;
    ++*(int *)it;
}

/* As a call would: other_one returns to the instruction. */
static void call_other_first(struct rdl__registers *registers, void *it)
{
    registers->rsp -= 8;
    *(uint64_t *)registers->rsp = *(uint64_t *)it;
    registers->rip = (uint64_t)other_one;
}

TEST(a_hook_can_change_registers_and_where_to_go_on)
{
    code *const both[] = {long_one, short_one};

    for (int i = 0; i < 2; i++) {
        struct rdl__hook first = hook_at(both[i], change, NULL), second = first;
        int calls = 0;

        place(&first);
        EXPECT_EQ(both[i](1, 2), i == 0 ? 123456 + 103 : 5 + 103);
        second.call = go_to_other;
        second.it = &calls;
        place(&second);
        EXPECT_EQ(both[i](1, 2), 1103);
        rdl__hook_remove(&first);
        EXPECT_EQ(both[i](1, 2), 1003);
        second.call = return_at_once;
        EXPECT_EQ(both[i](1, 2), 77);
        EXPECT_EQ(calls, 3);
        rdl__hook_remove(&second);
    }
}

static struct rdl__hook spied;

static long spy(long a, long b)
{
    return ((code *)rdl__hook_bypass(&spied))(a, b) + 1000000;
}

static void go_to_spy(struct rdl__registers *registers, void *it)
{
    registers->rip = (uint64_t)spy;
    ++*(int *)it;
}

TEST(a_function_with_a_hook_can_be_called_without_it)
{
    code *const all[] = {long_one, short_one, landing};

    for (int i = 0; i < 3; i++) {
        long before = all[i](1, 2);
        int calls = 0;

        spied = hook_at(all[i], go_to_spy, &calls);
        place(&spied);
        EXPECT_EQ(all[i](1, 2), before + 1000000);
        EXPECT_EQ(calls, 1);
        rdl__hook_remove(&spied);
        EXPECT_EQ(spy(1, 2), before + 1000000);
    }
}

TEST(a_hook_can_push)
{
    uint64_t back = (uintptr_t)short_one + 1;
    struct rdl__hook hook = hook_at(short_one, call_other_first, &back);

    place(&hook);
    EXPECT_EQ(short_one(1, 2), 8);
    rdl__hook_remove(&hook);
}

double half(double x);
__asm__(".globl half\nhalf: nop\n mulsd hook_half(%rip), %xmm0\n ret\n"
        ".data\n hook_half: .double 0.5\n.text\n");

static void double_it(struct rdl__registers *registers, void *it)
{
    double number;

    memcpy(&number, rdl__registers_xmm(registers, 0), sizeof number);
    *(double *)it = number;
    number *= 2;
    memcpy(rdl__registers_xmm(registers, 0), &number, sizeof number);
}

TEST(a_hook_can_read_and_change_vector_registers)
{
    double seen;
    struct rdl__hook hook = {.address = (uintptr_t)half, .call = double_it, .it = &seen};

    place(&hook);
    EXPECT(half(3.5) == 3.5);
    EXPECT(seen == 3.5);
    __asm__ volatile("fld1"); /* registers are kept in another way while it is in use */
    EXPECT(half(-8.25) == -8.25);
    __asm__ volatile("fstp %st(0)\n fninit");
    EXPECT(seen == -8.25);
    rdl__hook_remove(&hook);
}

/* ---- What stays as it was ------------------------------------------------------------------ */

CODE(vectors, "pushq %rbx\n subq $1024, %rsp\n"
              /* All different, then a hook on the nop, then all added up. */
              ".irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\n"
              "leaq \\n(%rdi,%rsi), %rax\n vmovq %rax, %xmm\\n\n"
              "vpermq $0, %ymm\\n, %ymm\\n\n .endr\n"
              "vectors_here: nop\n xorl %eax, %eax\n"
              ".irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\n vmovdqu %ymm\\n, 32*\\n(%rsp)\n"
              "imulq $3, %rax\n addq 32*\\n(%rsp), %rax\n imulq $3, %rax\n"
              "addq 32*\\n+24(%rsp), %rax\n .endr\n"
              "vzeroupper\n addq $1024, %rsp\n popq %rbx\n ret")
extern code vectors_here;

static void spoil_all(struct rdl__registers *registers, void *it)
{
    (void)registers;
    ++*(int *)it;
    errno = ENOSPC;
    feraiseexcept(FE_OVERFLOW);
    __asm__ volatile("vzeroall\n fld1\n fld1\n fld1" ::: "memory");
    __asm__ volatile("stc\n fninit" ::: "cc");
}

TEST(vector_registers_errno_and_exceptions_stay)
{
    int calls = 0;
    struct rdl__hook hook = hook_at(vectors_here, spoil_all, &calls);
    long before;

    if (!__builtin_cpu_supports("avx2"))
        return;
    before = vectors(3, 4);
    place(&hook);
    errno = EDOM;
    feclearexcept(FE_ALL_EXCEPT);
    EXPECT_EQ(vectors(3, 4), before);
    EXPECT_EQ(errno, EDOM);
    EXPECT_EQ(fetestexcept(FE_OVERFLOW), 0);
    __asm__ volatile("fld1");
    EXPECT_EQ(vectors(3, 4), before);
    __asm__ volatile("fstp %st(0)\n fninit");
    EXPECT_EQ(calls, 2);
    rdl__hook_remove(&hook);
}

/* ---- Hooks in hooks ------------------------------------------------------------------------ */

static void call_itself(struct rdl__registers *registers, void *it)
{
    (void)registers;
    ++*(int *)it;
    EXPECT_EQ(short_one(1, 2), 8);
    EXPECT_EQ(long_one(1, 2), 123459);
}

TEST(hooks_are_passed_in_the_function_of_a_hook)
{
    int calls = 0, calls_2 = 0;
    struct rdl__hook hook = hook_at(short_one, call_itself, &calls);
    struct rdl__hook hook_2 = hook_at(long_one, count, &calls_2);

    place(&hook);
    place(&hook_2);
    EXPECT_EQ(short_one(1, 2), 8);
    EXPECT_EQ(short_one(1, 2), 8);
    EXPECT_EQ(long_one(1, 2), 123459);
    rdl__hook_remove(&hook);
    rdl__hook_remove(&hook_2);
    EXPECT_EQ(calls, 2);
    EXPECT_EQ(hook.passed, 2);
    EXPECT_EQ(calls_2, 1);
    EXPECT_EQ(hook_2.passed, 2);
}

CODE(left_one, "nop\n movl $1, %eax\n ret")
static jmp_buf out_of_hook;

static void jump_out(struct rdl__registers *registers, void *it)
{
    (void)registers;
    ++*(int *)it;
    longjmp(out_of_hook, 1);
}

TEST(a_hook_can_be_left_by_longjmp)
{
    static int calls;
    static struct rdl__hook hook;

    hook = hook_at(left_one, jump_out, &calls);
    place(&hook);
    for (volatile int i = 0; i < 3; i++)
        if (setjmp(out_of_hook) == 0)
            left_one(1, 2);
    EXPECT_EQ(calls, 3);
    EXPECT_EQ(hook.passed, 0);
    rdl__hook_remove(&hook);
    EXPECT(!rdl__hook_is_quiet(&hook));
}

/* ---- Unwinding ----------------------------------------------------------------------------- */

struct frames {
    void *items[32];
    int count;
};

static void unwind(struct rdl__registers *registers, void *it)
{
    struct frames *frames = it;

    (void)registers;
    frames->count = backtrace(frames->items, 32);
}

static bool is_among(const struct frames *frames, uintptr_t from, uintptr_t to)
{
    for (int i = 0; i < frames->count; i++)
        if ((uintptr_t)frames->items[i] >= from && (uintptr_t)frames->items[i] < to)
            return true;
    return false;
}

static __attribute__((noinline)) long caller(long a)
{
    return short_one(a, 2) + 1;
}

TEST(who_unwinds_sees_the_instruction_and_its_callers)
{
    struct frames frames = {0};
    struct rdl__hook hook = hook_at(short_one, unwind, &frames);

    place(&hook);
    caller(1);
    rdl__hook_remove(&hook);
    EXPECT(is_among(&frames, (uintptr_t)short_one, (uintptr_t)short_one + 1));
    EXPECT(is_among(&frames, (uintptr_t)caller, (uintptr_t)caller + 64));
}

static void end_thread(struct rdl__registers *registers, void *it)
{
    (void)registers, (void)it;
    pthread_exit((void *)5);
}

static void note(void *it)
{
    *(bool *)it = true;
}

static void *be_ended(void *it)
{
    pthread_cleanup_push(note, it);
    short_one(1, 2);
    pthread_cleanup_pop(0);
    return NULL;
}

TEST(a_thread_can_end_in_a_hook)
{
    struct rdl__hook hook = hook_at(short_one, end_thread, NULL);
    bool cleaned_up = false;
    pthread_t thread;
    void *result;

    place(&hook);
    pthread_create(&thread, NULL, be_ended, &cleaned_up);
    pthread_join(thread, &result);
    rdl__hook_remove(&hook);
    EXPECT_EQ((intptr_t)result, 5);
    EXPECT(cleaned_up);
    EXPECT(rdl__hook_is_quiet(&hook));
}

CODE(crashing, "movq (%rdi), %rax\n ret")
static sigjmp_buf after_crash;
static uintptr_t crashed_at;

static void on_crash(int signal, siginfo_t *info, void *context)
{
    (void)signal, (void)info;
    crashed_at = rdl__hook_origin((uintptr_t)((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP]);
    siglongjmp(after_crash, 1);
}

TEST(the_place_of_a_crash_is_that_of_the_instruction)
{
    struct sigaction action = {.sa_sigaction = on_crash, .sa_flags = SA_SIGINFO}, old;
    static int calls;
    static struct rdl__hook hook;

    hook = hook_at(crashing, count, &calls);
    place(&hook);
    sigaction(SIGSEGV, &action, &old);
    if (sigsetjmp(after_crash, 1) == 0)
        crashing(8, 0);
    sigaction(SIGSEGV, &old, NULL);
    rdl__hook_remove(&hook);
    EXPECT_EQ(calls, 1);
    EXPECT_EQ(crashed_at, (uintptr_t)crashing);
    EXPECT_EQ(rdl__hook_origin((uintptr_t)crashing + 1), (uintptr_t)crashing + 1);
}

TEST(a_hook_in_the_code_of_the_kernel_works_or_is_refused)
{
    void *vdso = dlopen("linux-vdso.so.1", RTLD_NOW | RTLD_NOLOAD);
    void *function = vdso ? dlsym(vdso, "__vdso_time") : NULL;
    int calls = 0;
    struct rdl__hook hook = {.address = (uintptr_t)function, .call = count, .it = &calls};
    struct rdl__error error = {.text = ""};
    time_t now;

    if (!function)
        return;
    if (rdl__hook_place(&hook, &error)) {
        now = ((time_t(*)(time_t *))function)(NULL);
        EXPECT(now > 0 && calls == 1);
        rdl__hook_remove(&hook);
        EXPECT(((time_t(*)(time_t *))function)(NULL) > 0 && calls == 1);
    } else {
        EXPECT_CONTAINS(error.text, "cannot write");
    }
}

/* ---- What is refused ------------------------------------------------------------------------ */

CODE(odd_ones, "int3\n ud2\n syscall\n int $0x80\n hlt\n inb %dx, %al\n cli\n"
               "xbegin 1f\n 1: call *%rsp\n call *-8(%rsp)\n .byte 6\n ret")

static void expect_refused(uintptr_t address, const char *why)
{
    struct rdl__hook hook = {.address = address, .call = count};
    struct rdl__error error = {.text = ""};

    EXPECT(!rdl__hook_place(&hook, &error));
    EXPECT_CONTAINS(error.text, why);
}

TEST(what_cannot_have_a_hook_is_refused_with_the_reason)
{
    static const char *const reasons[] = {
        "a breakpoint",    "there to crash",  "a system call",   "an interrupt",
        "may not execute", "may not execute", "may not execute", "memory transaction",
        "calls the stack", "in the red zone", "no instruction"};
    static const uint8_t sizes[] = {1, 2, 2, 2, 1, 1, 1, 6, 2, 4, 1};
    static int data = 5;
    uintptr_t at = (uintptr_t)odd_ones;

    for (size_t i = 0; i < sizeof sizes; at += sizes[i++])
        expect_refused(at, reasons[i]);
    expect_refused((uintptr_t)&data, "there is no code");
    expect_refused(8, "there is no code");
    expect_refused((uintptr_t)rdl__hook_enter, "code of Raddle itself");
}

TEST(no_two_instructions_overlap)
{
    int calls = 0;
    struct rdl__hook hook = hook_at(long_one, count, &calls);

    place(&hook);
    expect_refused((uintptr_t)long_one + 1, "within another instruction");
    rdl__hook_remove(&hook);
}

TEST(of_many_hooks_all_are_placed_or_none)
{
    int calls = 0;
    struct rdl__hook hooks[] = {hook_at(long_one, count, &calls), hook_at(short_one, count, &calls),
                                hook_at(odd_ones, count, &calls)};
    struct rdl__hook *const list[] = {&hooks[0], &hooks[1], &hooks[2]};
    struct rdl__error error;

    EXPECT(!rdl__hooks_place(list, 3, &error));
    long_one(1, 2);
    short_one(1, 2);
    EXPECT_EQ(calls, 0);
    place(&hooks[0]);
    EXPECT(!rdl__hooks_place(list, 3, &error)); /* what was placed before stays */
    long_one(1, 2);
    short_one(1, 2);
    EXPECT_EQ(calls, 1);
    EXPECT(rdl__hooks_place(list, 2, &error));
    short_one(1, 2);
    EXPECT_EQ(calls, 2);
    rdl__hooks_remove(list, 3);
    long_one(1, 2);
    short_one(1, 2);
    EXPECT_EQ(calls, 2);
}
