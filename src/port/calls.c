/* calls.c -- code that makes system calls itself, without the C library.
 *
 * Code is searched for the two bytes of the instruction, not disassembled.  They may be
 * part of another one: most often of a distance, which has a zero byte next; and before
 * the instruction itself the number of a call is put into a register.  Where we are wrong
 * all the same, system calls are handed to us that nobody makes, which costs little. */
#include "port/calls.h"

#include <errno.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "port/kernel.h"
#include "port/modules.h"

enum { MODULES_MAX = 512, NEAR = 64 };

/* The two bytes of the instruction. */
enum { FIRST = 0x0f, SECOND = 0x05 };

static const char with_return[] = {0x0f, 0x05, (char)0xc3};
static const char number_of_futex[] = {(char)SYS_futex, 0, 0, 0};

/* Where code lies that is looked at only once, and the kind of it. */
static struct stretch {
    uintptr_t start, end;
    bool is_system;
} seen[MODULES_MAX];
static uint32_t seen_count;

extern void __sanitizer_set_death_callback(void (*callback)(void)) __attribute__((weak));

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

static bool is_libc(const char *name)
{
    return rdl__module_is_named(name, "libc.so") || rdl__module_is_named(name, "libc-2.");
}

static bool is_system_name(const char *name)
{
    static const char *const names[] = {
        "ld-linux-x86-64.so", "ld-2.",      "libpthread.so", "libpthread-2.", "librt.so",
        "librt-2.",           "libasan.so", "libtsan.so",    "liblsan.so",    "libubsan.so",
        "linux-vdso.so",      "libclang_rt."};

    return is_libc(name) || rdl__module_is_one_of(name, names, sizeof names / sizeof *names);
}

static bool lies_in(const struct stretch *it, const void *address)
{
    return (uintptr_t)address >= it->start && (uintptr_t)address < it->end;
}

/* clang links sanitizers into the program; what they do is none of our business, and
 * there is no telling their code from the program's. */
static bool is_system(const struct stretch *it, const char *name)
{
    return is_system_name(name) || lies_in(it, (void *)getauxval(AT_SYSINFO_EHDR)) ||
           (__sanitizer_set_death_callback && lies_in(it, (void *)__sanitizer_set_death_callback));
}

static bool has_been_seen(const struct stretch *it)
{
    for (uint32_t i = 0; i < seen_count; i++)
        if (seen[i].start == it->start && seen[i].end == it->end)
            return true;
    return false;
}

/* Does it look as if a system call were made here?  A small number, or another register,
 * goes to a register before it. */
static bool is_plausible(const struct stretch *it, const unsigned char *found)
{
    enum { BACK = 32, NUMBER_MAX = 1024, MOVE = 0x89, TO_EAX = 0xc0, MOVE_NUMBER = 0xb8 };
    const unsigned char *at =
        (uintptr_t)found - it->start > BACK ? found - BACK : (unsigned char *)it->start;

    if ((uintptr_t)found + 2 < it->end && found[2] == 0)
        return false;
    for (; at + 2 <= found; at++) {
        uint32_t number;

        if (at[0] == MOVE && (at[1] & 0xc7) == TO_EAX)
            return true;
        if ((at[0] & 0xf8) != MOVE_NUMBER || at + 1 + sizeof number > found)
            continue;
        memcpy(&number, at + 1, sizeof number);
        if (number < NUMBER_MAX)
            return true;
    }
    return false;
}

/* Is there a number just before the instruction that is that of waiting for a futex? */
static bool seems_to_wait(const struct stretch *it, const char *found)
{
    const char *from = (uintptr_t)found - it->start > NEAR ? found - NEAR : (char *)it->start;

    return memmem(from, (size_t)(found - from), number_of_futex, sizeof number_of_futex);
}

bool (*rdl__calls_is_own)(uintptr_t pc);

/* The next instruction in [from, end), or NULL.  The second byte is the rarer one in code.  (memmem
 * takes ten times as long, and every process that controls threads searches all of its code.) */
static const char *find(const char *from, const char *end)
{
    const char *at = from;

    while (at + 1 < end && (at = memchr(at + 1, SECOND, (size_t)(end - at) - 1)))
        if (at[-1] == FIRST)
            return at - 1;
    return NULL;
}

/* All of the code, since the first instruction that is found need not be one. */
static void search(struct rdl__calls *calls, const struct stretch *it, const char *name)
{
    const char *from = (const char *)it->start, *found;

    while (!calls->waits && (found = find(from, (const char *)it->end))) {
        bool waits = seems_to_wait(it, found);

        from = found + 1;
        if (found == rdl__own_door || (calls->maker[0] && !waits) ||
            !is_plausible(it, (const unsigned char *)found) ||
            (rdl__calls_is_own && rdl__calls_is_own((uintptr_t)found + 1)))
            continue;
        calls->waits = waits;
        snprintf(calls->maker, sizeof calls->maker, "%s",
                 *name ? name : program_invocation_short_name);
    }
}

/* All calls of ours are made at the door. */
static bool is_our_library(const struct stretch *it, const char *name)
{
    return *name && lies_in(it, rdl__own_door);
}

static void look_at(struct rdl__calls *calls, struct stretch it, const char *name)
{
    it.is_system = is_system(&it, name);
    if (seen_count == MODULES_MAX || has_been_seen(&it))
        return;
    seen[seen_count++] = it;
    if (is_libc(name)) {
        calls->libc_start = it.start;
        calls->libc_size = it.end - it.start;
    } else if (!it.is_system && !is_our_library(&it, name)) {
        search(calls, &it, name);
    }
}

static int look_at_module(struct dl_phdr_info *info, size_t size, void *context)
{
    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        uintptr_t start = info->dlpi_addr + part->p_vaddr;

        if (part->p_type == PT_LOAD && part->p_flags & PF_X && part->p_flags & PF_R)
            look_at(context, (struct stretch){.start = start, .end = start + part->p_filesz},
                    base_name(info->dlpi_name));
    }
    return 0;
}

void rdl__calls_look(struct rdl__calls *calls)
{
    dl_iterate_phdr(look_at_module, calls);
    if (calls->maker[0] && !calls->door)
        calls->door = memmem((void *)calls->libc_start, calls->libc_size, with_return,
                             sizeof with_return);
}

/* A question in code that does nothing, and that valgrind looks for: is it there?  (As its manual
 * has it, "client requests".) */
bool rdl__is_in_valgrind(void)
{
    const uint64_t question[6] = {0x1001};
    uint64_t answer = 0;

    __asm__ volatile("rolq $3, %%rdi\n"
                     "rolq $13, %%rdi\n"
                     "rolq $61, %%rdi\n"
                     "rolq $51, %%rdi\n"
                     "xchgq %%rbx, %%rbx"
                     : "+d"(answer)
                     : "a"(question)
                     : "cc", "memory");
    return answer;
}

bool rdl__calls_can_be_told(void)
{
    return !rdl__is_in_valgrind();
}

bool rdl__calls_is_system(uintptr_t pc)
{
    for (uint32_t i = 0; i < seen_count; i++)
        if (lies_in(&seen[i], (void *)pc))
            return seen[i].is_system;
    return false;
}
