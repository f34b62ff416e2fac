/* names.c -- the functions of names.h.  Those that a program could not do without do their work;
 * of the others only the name is the C library's. */
#include "names.h"

volatile int calls[NAMES];

int strcmp(const char *left, const char *right)
{
    calls[STRCMP]++;
    while (*left && *left == *right)
        left++, right++;
    return (unsigned char)*left - (unsigned char)*right;
}

int strncmp(const char *left, const char *right, size_t size)
{
    calls[STRNCMP]++;
    for (; size > 0 && *left && *left == *right; size--)
        left++, right++;
    return size > 0 ? (unsigned char)*left - (unsigned char)*right : 0;
}

size_t strlen(const char *text)
{
    size_t length = 0;

    calls[STRLEN]++;
    while (text[length])
        length++;
    return length;
}

char *strchr(const char *text, int byte)
{
    calls[STRCHR]++;
    while (*text && *text != (char)byte)
        text++;
    return *text == (char)byte ? (char *)text : NULL;
}

char *strrchr(const char *text, int byte)
{
    const char *found = NULL;

    calls[STRRCHR]++;
    for (; *text; text++)
        if (*text == (char)byte)
            found = text;
    return (char *)(byte ? found : text);
}

void *memcpy(void *to, const void *from, size_t size)
{
    calls[MEMCPY]++;
    for (size_t i = 0; i < size; i++)
        ((volatile char *)to)[i] = ((const char *)from)[i];
    return to;
}

void *memmove(void *to, const void *from, size_t size)
{
    volatile char *at = to;
    const char *source = from;

    calls[MEMMOVE]++;
    for (size_t i = 0; i < size; i++)
        at[at < source ? i : size - 1 - i] = source[at < source ? i : size - 1 - i];
    return to;
}

void *memset(void *to, int byte, size_t size)
{
    calls[MEMSET]++;
    for (size_t i = 0; i < size; i++)
        ((volatile char *)to)[i] = (char)byte;
    return to;
}

int memcmp(const void *left, const void *right, size_t size)
{
    const unsigned char *a = left, *b = right;

    calls[MEMCMP]++;
    for (size_t i = 0; i < size; i++)
        if (a[i] != b[i])
            return a[i] - b[i];
    return 0;
}

void qsort(void *all, size_t count, size_t size, compare *compare)
{
    (void)all, (void)count, (void)size, (void)compare;
    calls[QSORT]++;
}

void *bsearch(const void *key, const void *all, size_t count, size_t size, compare *compare)
{
    (void)key, (void)all, (void)count, (void)size, (void)compare;
    calls[BSEARCH]++;
    return NULL;
}

char *getenv(const char *name)
{
    (void)name;
    calls[GETENV]++;
    return NULL;
}

int snprintf(char *to, size_t size, const char *format, ...)
{
    (void)format;
    calls[SNPRINTF]++;
    if (size > 0)
        *to = '\0';
    return 0;
}

void *mmap(void *at, size_t size, int protection, int flags, int fd, long offset)
{
    (void)at, (void)size, (void)protection, (void)flags, (void)fd, (void)offset;
    calls[MMAP]++;
    return NULL;
}

int munmap(void *at, size_t size)
{
    (void)at, (void)size;
    calls[MUNMAP]++;
    return 0;
}

long sysconf(int name)
{
    (void)name;
    calls[SYSCONF]++;
    return 0;
}

int puts(const char *text)
{
    (void)text;
    calls[PUTS]++;
    return 0;
}

int dup(int fd)
{
    calls[DUP]++;
    return fd;
}

int mprotect(void *at, size_t size, int protection)
{
    (void)at, (void)size, (void)protection;
    calls[MPROTECT]++;
    return 0;
}
