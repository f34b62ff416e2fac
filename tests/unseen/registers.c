/* registers.c -- threads are switched in the midst of inline assembly, and find all registers as
 * they left them: those of integers, vectors, the x87, and the flags. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GENERAL = 13, VECTORS = 16 };

static int shared;

struct state {
    uint64_t general[GENERAL];
    uint64_t flags;
    double x87;
    double vectors[VECTORS][2];
};

/* Load all, touch memory, store all.  rbx points to `in`, rbp is the compiler's. */
static void pass(const struct state *in, struct state *out, int *cell)
{
    const void *pointers[3] = {in, out, cell};

    __asm__ volatile(
        "pushq %%rbx\n\t"
        "pushq %%rbp\n\t"
        "movq %0, %%rbx\n\t"
        "pushq 8(%%rbx)\n\t"
        "movq 16(%%rbx), %%rbp\n\t"
        "movq (%%rbx), %%rbx\n\t"
        "fldl 112(%%rbx)\n\t"
#define LOAD(n) "movupd 120+16*" #n "(%%rbx), %%xmm" #n "\n\t"
        LOAD(0) LOAD(1) LOAD(2) LOAD(3) LOAD(4) LOAD(5) LOAD(6) LOAD(7) LOAD(8) LOAD(9) LOAD(10)
            LOAD(11) LOAD(12) LOAD(13) LOAD(14)
                LOAD(15) "movq 8(%%rbx), %%rcx\n\t"
                         "movq 16(%%rbx), %%rdx\n\t"
                         "movq 24(%%rbx), %%rsi\n\t"
                         "movq 32(%%rbx), %%rdi\n\t"
                         "movq 40(%%rbx), %%r8\n\t"
                         "movq 48(%%rbx), %%r9\n\t"
                         "movq 56(%%rbx), %%r10\n\t"
                         "movq 64(%%rbx), %%r11\n\t"
                         "movq 72(%%rbx), %%r12\n\t"
                         "movq 80(%%rbx), %%r13\n\t"
                         "movq 88(%%rbx), %%r14\n\t"
                         "movq 96(%%rbx), %%r15\n\t"
                         "movq (%%rbx), %%rax\n\t"
                         "cmpq %%rcx, %%rdx\n\t" /* the flags that are kept */
                         "movl (%%rbp), %%ebx\n\t"
                         "movl %%ebx, (%%rbp)\n\t"
                         "movl $0, (%%rbp)\n\t"
                         "popq %%rbx\n\t"
                         "pushfq\n\t"
                         "popq 104(%%rbx)\n\t"
                         "movq %%rax, (%%rbx)\n\t"
                         "movq %%rcx, 8(%%rbx)\n\t"
                         "movq %%rdx, 16(%%rbx)\n\t"
                         "movq %%rsi, 24(%%rbx)\n\t"
                         "movq %%rdi, 32(%%rbx)\n\t"
                         "movq %%r8, 40(%%rbx)\n\t"
                         "movq %%r9, 48(%%rbx)\n\t"
                         "movq %%r10, 56(%%rbx)\n\t"
                         "movq %%r11, 64(%%rbx)\n\t"
                         "movq %%r12, 72(%%rbx)\n\t"
                         "movq %%r13, 80(%%rbx)\n\t"
                         "movq %%r14, 88(%%rbx)\n\t"
                         "movq %%r15, 96(%%rbx)\n\t"
                         "fstpl 112(%%rbx)\n\t"
#define STORE(n) "movupd %%xmm" #n ", 120+16*" #n "(%%rbx)\n\t"
        STORE(0) STORE(1) STORE(2) STORE(3) STORE(4) STORE(5) STORE(6) STORE(7) STORE(8) STORE(9)
            STORE(10) STORE(11) STORE(12) STORE(13) STORE(14) STORE(15) "popq %%rbp\n\t"
                                                                        "popq %%rbx"
        :
        : "r"(pointers)
        : "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15",
          "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10",
          "xmm11", "xmm12", "xmm13", "xmm14", "xmm15", "memory", "cc");
}

static uint64_t flags_of(uint64_t left, uint64_t right)
{
    uint64_t flags;

    __asm__("cmpq %2, %1\n\tpushfq\n\tpopq %0"
            : "=r"(flags)
            : "r"(left), "r"(right)
            : "cc", "memory");
    return flags;
}

static void *thread(void *seed)
{
    struct state in, out;
    uint64_t next = (uint64_t)seed * UINT64_C(0x9e3779b97f4a7c15);

    for (int round = 0; round < 3; round++) {
        memset(&out, 0, sizeof out);
        for (int i = 0; i < GENERAL; i++)
            in.general[i] = next = next * UINT64_C(6364136223846793005) + 1;
        in.x87 = (double)(next >> 40);
        for (int i = 0; i < 2 * VECTORS; i++)
            in.vectors[i / 2][i % 2] = (double)(next >> 20) + i;
        pass(&in, &out, &shared);
        in.flags = flags_of(in.general[2], in.general[1]);
        if (memcmp(&in, &out, sizeof in) != 0)
            abort();
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[2];

    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, thread, (void *)(i + 1));
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
