/* names.h -- functions that a program brings along, by names that the C library has, too.
 *
 * With -DOTHER_NAMES they have names that nobody else has: then the same program must get the
 * same verdict and the same claim. */
#ifndef NAMES_H
#define NAMES_H

#ifdef OTHER_NAMES
#define strcmp   my_strcmp
#define strncmp  my_strncmp
#define strlen   my_strlen
#define strchr   my_strchr
#define strrchr  my_strrchr
#define memcpy   my_memcpy
#define memmove  my_memmove
#define memset   my_memset
#define memcmp   my_memcmp
#define qsort    my_qsort
#define bsearch  my_bsearch
#define getenv   my_getenv
#define snprintf my_snprintf
#define mmap     my_mmap
#define munmap   my_munmap
#define sysconf  my_sysconf
#define puts     my_puts
#define dup      my_dup
#define mprotect my_mprotect
#endif

#include <stddef.h>

typedef int compare(const void *left, const void *right);

int strcmp(const char *left, const char *right);
int strncmp(const char *left, const char *right, size_t size);
size_t strlen(const char *text);
char *strchr(const char *text, int byte);
char *strrchr(const char *text, int byte);
void *memcpy(void *to, const void *from, size_t size);
void *memmove(void *to, const void *from, size_t size);
void *memset(void *to, int byte, size_t size);
int memcmp(const void *left, const void *right, size_t size);
void qsort(void *all, size_t count, size_t size, compare *compare);
void *bsearch(const void *key, const void *all, size_t count, size_t size, compare *compare);
char *getenv(const char *name);
int snprintf(char *to, size_t size, const char *format, ...);
void *mmap(void *at, size_t size, int protection, int flags, int fd, long offset);
int munmap(void *at, size_t size);
long sysconf(int name);
int puts(const char *text);
int dup(int fd);
int mprotect(void *at, size_t size, int protection);

/* How often each was called. */
enum name {
    STRCMP,
    STRNCMP,
    STRLEN,
    STRCHR,
    STRRCHR,
    MEMCPY,
    MEMMOVE,
    MEMSET,
    MEMCMP,
    QSORT,
    BSEARCH,
    GETENV,
    SNPRINTF,
    MMAP,
    MUNMAP,
    SYSCONF,
    PUTS,
    DUP,
    MPROTECT,
    NAMES
};

extern volatile int calls[NAMES];

#endif
