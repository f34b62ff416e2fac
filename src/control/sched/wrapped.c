/* wrapped.c -- functions of the C library that access memory on behalf of others.
 *
 * `raddle cc` makes calls of memcpy call __wrap_memcpy, and so on; which tells of the
 * access, and then lets the C library do it.  Code that was compiled otherwise, ours
 * and all of the C library among it, is not affected.
 *
 * These are written by hand.  Most such functions are made from the table of calls (thunks.c),
 * printf and its kin are in wrapped_print.c, those with static results in wrapped_static.c.
 *
 * To free a block is to write all of it: whoever still uses it, with nothing to order
 * the two, has a race. */
#include <dlfcn.h>
#include <link.h>
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/error.h"

#include "control/sched/calls.h"
#include "control/sched/memory.h"
#include "control/sched/next.h"
#include "control/sched/seen.h"
#include "control/sched/track.h"
#include "control/sched/world.h"
#include "port/heap.h"

#define READS(from, size) rdl__access((uintptr_t)(from), (size), 0, RDL__CALLER)
#define WRITES(to, size)  rdl__access((uintptr_t)(to), (size), RDL__HOW_WRITE, RDL__CALLER)
#define READS_TEXT(text)  READS(text, strlen(text) + 1)

/* Only worth the time when somebody wants to know. */
static bool is_watched(void)
{
    return rdl__self() != NULL;
}

void __wrap_free(void *block);
void *__wrap_realloc(void *block, size_t size);
void *__wrap_reallocarray(void *block, size_t count, size_t size);
void *__wrap_memcpy(void *to, const void *from, size_t size);
void *__wrap_memmove(void *to, const void *from, size_t size);
void *__wrap_memset(void *to, int byte, size_t size);
int __wrap_memcmp(const void *left, const void *right, size_t size);
size_t __wrap_strlen(const char *text);
char *__wrap_strcpy(char *to, const char *from);
char *__wrap_strncpy(char *to, const char *from, size_t size);
char *__wrap_strcat(char *to, const char *from);
int __wrap_strcmp(const char *left, const char *right);
int __wrap_strncmp(const char *left, const char *right, size_t size);
int __wrap_strcasecmp(const char *left, const char *right);
int __wrap_strncasecmp(const char *left, const char *right, size_t size);
char *__wrap_strchr(const char *text, int c);
char *__wrap_strrchr(const char *text, int c);
char *__wrap_strdup(const char *text);
void __wrap_bzero(void *to, size_t size);
typedef int comparison(const void *left, const void *right);
void __wrap_qsort(void *all, size_t count, size_t size, comparison *compare);
ssize_t __wrap_read(int fd, void *to, size_t size);
ssize_t __wrap___recvfrom_chk(int fd, void *to, size_t size, size_t room, int flags,
                              struct sockaddr *address, socklen_t *length);
ssize_t __wrap_write(int fd, const void *from, size_t size);

/* ---- The heap ------------------------------------------------------------------------------- */

static const void *module_of(void *function)
{
    Dl_info info;

    return function && dladdr(function, &info) ? info.dli_fbase : NULL;
}

/* The allocator has to say, and only if it is its own function that would be asked. */
size_t rdl__block_size(void *block)
{
    static enum { UNKNOWN, CAN_BE_TOLD, CANNOT } size;

    if (rdl__heap_owns(block))
        return rdl__heap_size(block);
    if (size == UNKNOWN) {
        void *allocate = (void *)malloc, *asked = (void *)malloc_usable_size;

        if (module_of(allocate) == module_of((void *)__wrap_free)) /* ours */
            allocate = dlsym(RTLD_NEXT, "malloc");
        if (module_of(asked) == module_of((void *)__wrap_free))
            asked = dlsym(RTLD_NEXT, "malloc_usable_size");
        size = module_of(allocate) == module_of(asked) ? CAN_BE_TOLD : CANNOT;
    }
    return size == CAN_BE_TOLD ? malloc_usable_size(block) : 1;
}

static void come_to_free(void *block, uintptr_t pc)
{
    if (!block || !is_watched())
        return;
    rdl__memory_check_free(rdl__self(), block, pc);
    rdl__access((uintptr_t)block, rdl__block_size(block), RDL__HOW_WRITE | RDL__HOW_FREE, pc);
    rdl__memory_check_free(rdl__self(), block, pc); /* another thread may have freed it */
}

/* The allocator is called for the caller. */
#define FREES(block) (come_to_free((block), RDL__CALLER), rdl__memory_at = RDL__CALLER)
#define HAS_FREED()  (rdl__memory_at = 0)

RDL__INTERPOSE void __wrap_free(void *block)
{
    FREES(block);
    free(block);
    HAS_FREED();
}

RDL__INTERPOSE void *__wrap_realloc(void *block, size_t size)
{
    FREES(block);
    block = realloc(block, size);
    HAS_FREED();
    return block;
}

RDL__INTERPOSE void *__wrap_reallocarray(void *block, size_t count, size_t size)
{
    FREES(block);
    block = reallocarray(block, count, size);
    HAS_FREED();
    return block;
}

/* The program may have operators of its own, with blocks of their own; these tell of themselves. */
static bool is_of_the_language(const void *function)
{
    struct dl_find_object found;

    return _dl_find_object((void *)(uintptr_t)function, &found) == 0 &&
           rdl__is_known_library(found.dlfo_link_map->l_name);
}

/* C++: operator delete and delete[], with and without the size.  */
#define WRAP_DELETE(name)                                                                          \
    void __wrap_##name(void *block, size_t size);                                                  \
    RDL__INTERPOSE void __wrap_##name(void *block, size_t size)                                    \
    {                                                                                              \
        static void (*next)(void *, size_t);                                                       \
                                                                                                   \
        if (!next && !(next = (void (*)(void *, size_t))dlsym(RTLD_DEFAULT, #name)))               \
            rdl__stop("there is no %s in the C++ library that the program is linked with", #name); \
        if (!is_of_the_language((void *)next)) {                                                   \
            next(block, size);                                                                     \
            return;                                                                                \
        }                                                                                          \
        FREES(block);                                                                              \
        next(block, size);                                                                         \
        HAS_FREED();                                                                               \
    }

WRAP_DELETE(_ZdlPv)
WRAP_DELETE(_ZdlPvm)
WRAP_DELETE(_ZdaPv)
WRAP_DELETE(_ZdaPvm)

/* ---- Bytes and texts ------------------------------------------------------------------------- */

RDL__INTERPOSE void *__wrap_memcpy(void *to, const void *from, size_t size)
{
    READS(from, size);
    WRITES(to, size);
    return memcpy(to, from, size);
}

RDL__INTERPOSE void *__wrap_memmove(void *to, const void *from, size_t size)
{
    READS(from, size);
    WRITES(to, size);
    return memmove(to, from, size);
}

RDL__INTERPOSE void *__wrap_memset(void *to, int byte, size_t size)
{
    WRITES(to, size);
    return memset(to, byte, size);
}

RDL__INTERPOSE int __wrap_memcmp(const void *left, const void *right, size_t size)
{
    READS(left, size);
    READS(right, size);
    return memcmp(left, right, size);
}

RDL__INTERPOSE size_t __wrap_strlen(const char *text)
{
    if (is_watched())
        READS_TEXT(text);
    return strlen(text);
}

RDL__INTERPOSE char *__wrap_strcpy(char *to, const char *from)
{
    if (is_watched()) {
        READS_TEXT(from);
        WRITES(to, strlen(from) + 1);
    }
    return strcpy(to, from);
}

RDL__INTERPOSE char *__wrap_strncpy(char *to, const char *from, size_t size)
{
    if (is_watched()) {
        size_t length = strnlen(from, size);

        READS(from, length < size ? length + 1 : size);
        WRITES(to, size);
    }
    return strncpy(to, from, size);
}

RDL__INTERPOSE char *__wrap_strcat(char *to, const char *from)
{
    if (is_watched()) {
        READS_TEXT(from);
        READS_TEXT(to);
        WRITES(to + strlen(to), strlen(from) + 1);
    }
    return strcat(to, from);
}

/* As far as it takes to tell them apart. */
static size_t compared(const char *left, const char *right, size_t size)
{
    size_t i = 0;

    while (i < size && left[i] == right[i] && left[i] != '\0')
        i++;
    return i < size ? i + 1 : size;
}

RDL__INTERPOSE int __wrap_strcmp(const char *left, const char *right)
{
    if (is_watched()) {
        READS(left, compared(left, right, SIZE_MAX));
        READS(right, compared(left, right, SIZE_MAX));
    }
    return strcmp(left, right);
}

RDL__INTERPOSE int __wrap_strncmp(const char *left, const char *right, size_t size)
{
    if (is_watched()) {
        READS(left, compared(left, right, size));
        READS(right, compared(left, right, size));
    }
    return strncmp(left, right, size);
}

static size_t compared_in_any_case(const char *left, const char *right, size_t size)
{
    size_t i = 0;

    while (i < size && strncasecmp(&left[i], &right[i], 1) == 0 && left[i] != '\0')
        i++;
    return i < size ? i + 1 : size;
}

RDL__INTERPOSE int __wrap_strcasecmp(const char *left, const char *right)
{
    if (is_watched()) {
        READS(left, compared_in_any_case(left, right, SIZE_MAX));
        READS(right, compared_in_any_case(left, right, SIZE_MAX));
    }
    return strcasecmp(left, right);
}

RDL__INTERPOSE int __wrap_strncasecmp(const char *left, const char *right, size_t size)
{
    if (is_watched()) {
        READS(left, compared_in_any_case(left, right, size));
        READS(right, compared_in_any_case(left, right, size));
    }
    return strncasecmp(left, right, size);
}

RDL__INTERPOSE char *__wrap_strchr(const char *text, int c)
{
    char *found = strchr(text, c);

    if (is_watched()) {
        READS(text, found ? (size_t)(found - text) + 1 : strlen(text) + 1);
        found = strchr(text, c);
    }
    return found;
}

RDL__INTERPOSE char *__wrap_strrchr(const char *text, int c)
{
    if (is_watched())
        READS_TEXT(text);
    return strrchr(text, c);
}

RDL__INTERPOSE char *__wrap_strdup(const char *text)
{
    char *copy;

    if (is_watched())
        READS_TEXT(text);
    rdl__memory_at = RDL__CALLER;
    copy = strdup(text);
    rdl__memory_at = 0;
    return copy;
}

/* It writes before and after the program's own function runs, which others may wait for. */
RDL__INTERPOSE void __wrap_qsort(void *all, size_t count, size_t size, comparison *compare)
{
    if (is_watched()) {
        WRITES(all, count * size);
        rdl__entering(rdl__self(), (uintptr_t)compare);
    }
    qsort(all, count, size, compare);
    WRITES(all, count * size);
}

RDL__INTERPOSE void __wrap_bzero(void *to, size_t size)
{
    WRITES(to, size);
    memset(to, 0, size);
}

/* ---- Files ------------------------------------------------------------------------------------
 *
 * How much comes is known only when it is there. */

RDL__INTERPOSE ssize_t __wrap_read(int fd, void *to, size_t size)
{
    struct rdl__thread *self = rdl__self();
    ssize_t got = self ? rdl__read(self, fd, to, size, RDL__CALLER) : read(fd, to, size);

    if (got > 0)
        WRITES(to, (size_t)got);
    return got;
}

_Noreturn void __chk_fail(void);

/* Its last argument is on the stack, where the table of calls does not look. */
RDL__INTERPOSE ssize_t __wrap___recvfrom_chk(int fd, void *to, size_t size, size_t room, int flags,
                                             struct sockaddr *address, socklen_t *length)
{
    const uint64_t arguments[] = {(uint64_t)fd,    (uint64_t)to,      size,
                                  (uint64_t)flags, (uint64_t)address, (uint64_t)length};
    struct rdl__thread *self = rdl__self();

    if (size > room)
        __chk_fail();
    if (!self)
        return recvfrom(fd, to, size, flags, address, length);
    rdl__call_memory(rdl__call_row("recvfrom"), arguments, RDL__CALLER);
    return rdl__receive(self, fd, to, size, flags, address, length, RDL__CALLER);
}

RDL__INTERPOSE ssize_t __wrap_write(int fd, const void *from, size_t size)
{
    struct rdl__thread *self = rdl__self();

    READS(from, size);
    return self ? rdl__write(self, fd, from, size, RDL__CALLER) : write(fd, from, size);
}
