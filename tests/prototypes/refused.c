/* refused.c -- functions that cannot be mocked, and why; and some that look like it, and can. */
#include <immintrin.h>
#include <stdio.h>
#include <string.h>
#include <unwind.h>

#include "port/prototype.h"

#define KEPT __attribute__((noinline, used))

struct wide {
    _Alignas(32) char bytes[32];
};

KEPT int variadic(const char *format, ...)
{
    return format[0];
}

KEPT int takes_nothing()
{
    return 1;
}

KEPT int old_style(a, b)
char a;
float b;
{
    return a + (int)b;
}

KEPT _Complex long double complex_result(int x)
{
    return x;
}

__attribute__((target("avx"))) KEPT int wide_vector(__m256 v)
{
    return (int)v[0];
}

KEPT int wide_struct(int x, struct wide y)
{
    return x + y.bytes[0];
}

static void *within_changed;

/* The second parameter is always the same, the third is not used: compilers leave them out. */
__attribute__((noinline)) static int changed(int *values, int always_5, int unused, int last)
{
    __asm__ volatile("leaq (%%rip), %0" : "=r"(within_changed));
    for (int i = 0; i < last; i++)
        values[i] += always_5;
    (void)unused;
    return values[0];
}

int assembled(int x);
__asm__(".text\n.globl assembled\nassembled:\n .cfi_startproc\n ret\n .cfi_endproc\n");

int values[10];
int (*unspecified)() = takes_nothing;
int not_a_pointer;
static __typeof__(snprintf) *const print = snprintf;
static __typeof__(memcpy) *const copy = memcpy;

static int status;

static void expect(const char *what, struct rdl__prototype_wanted wanted, const char *part)
{
    const char *refusal;

    rdl__prototypes_find(&wanted, 1);
    refusal = wanted.prototype.refusal;
    if (*part ? strstr(refusal, part) != NULL : *refusal == 0)
        return;
    printf("%s: \"%s\" instead of \"%s\"\n", what, refusal, part);
    status = 1;
}

#define BY_ENTRY(name, part)                                                                       \
    expect(#name, (struct rdl__prototype_wanted){.entry = (uintptr_t)name}, part)
#define BY_POINTER(name, part)                                                                     \
    expect(#name, (struct rdl__prototype_wanted){.variable = &name}, part)

/* Only if it was optimised has it been changed. */
static void expect_changed(int count)
{
    struct rdl__prototype_wanted wanted = {0};

    changed(values, 5, 7, count);
    changed(values, 5, 8, count + 1);
    wanted.entry = (uintptr_t)_Unwind_FindEnclosingFunction(within_changed);
#ifdef __OPTIMIZE__
    expect("changed", wanted, "the compiler");
#else
    expect("changed", wanted, "");
#endif
}

int main(int argc, char **argv)
{
    static __typeof__(main) *const local = main;

    (void)argv;
    BY_ENTRY(variadic, "");
    BY_ENTRY(takes_nothing, "");
    BY_ENTRY(old_style, "old style");
    BY_ENTRY(complex_result, "complex");
    BY_ENTRY(wide_vector, "16 bytes");
#if !defined(__clang__) || !defined(OLD_DWARF) /* does not say it */
    BY_ENTRY(wide_struct, "more than 16 bytes");
#endif
    BY_ENTRY(main, "");
    BY_ENTRY(assembled, "no debugging information");
    BY_POINTER(unspecified, "does not say what it takes");
    BY_POINTER(not_a_pointer, "no pointer");
    BY_POINTER(print, "");
    BY_POINTER(copy, "");
    BY_POINTER(local, "");
    expect_changed(argc);
    puts(status ? "wrong" : "all as it should be");
    return status;
}
