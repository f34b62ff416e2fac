/* orders.c -- how a program that is explored is told what to do. */
#include "cli/orders.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "port/io.h"
#include "port/kernel.h"

int rdl__nameless_file(const char *bytes, size_t count)
{
    int fd = memfd_create("raddle", 0);

    if (fd >= 0 && rdl__own_write(fd, bytes, count) != (ssize_t)count) {
        close(fd);
        return -1;
    }
    if (fd >= 0)
        lseek(fd, 0, SEEK_SET);
    return fd;
}

int rdl__out_of_the_way(int fd)
{
    int high = fcntl(fd, F_DUPFD, RDL__FD_FLOOR);

    if (high < 0)
        return fd;
    close(fd);
    return high;
}

void rdl__add_word(struct rdl__text *out, const char *word)
{
    rdl__text_add_bytes(out, word, strlen(word) + 1);
}

static void add_variable(struct rdl__text *out, const char *name)
{
    const char *value = getenv(name);

    rdl__add_word(out, value ? value : "");
}

void rdl__orders_add(struct rdl__text *out, int option_count, char **options)
{
    char number[16];

    snprintf(number, sizeof number, "%d", option_count);
    rdl__add_word(out, number);
    for (int i = 0; i < option_count; i++)
        rdl__add_word(out, options[i]);
    add_variable(out, "LD_PRELOAD");
    add_variable(out, "LD_BIND_NOW");
    add_variable(out, "ASAN_OPTIONS");
    add_variable(out, "UBSAN_OPTIONS");
    add_variable(out, "GOMP_SPINCOUNT");
}

int rdl__orders_write(int option_count, char **options)
{
    struct rdl__text orders = {0};
    int fd;

    rdl__orders_add(&orders, option_count, options);
    fd = rdl__nameless_file(orders.bytes, orders.count);
    rdl__text_release(&orders);
    return fd < 0 ? fd : rdl__out_of_the_way(fd);
}

/* With as many characters in each run, since the stack begins below the environment. */
void rdl__add_descriptors(struct rdl__text *out, int orders, int hello, enum rdl__probing probes)
{
    rdl__text_add(out, "%06d,%06d,%d", orders, hello, (int)probes);
}

char *rdl__next_word(struct rdl__order_words *words)
{
    char *word = words->bytes + words->next;

    if (words->next >= words->count)
        return NULL;
    words->next += strlen(word) + 1;
    return word;
}

struct rdl__order_words rdl__read_words(int fd)
{
    struct rdl__order_words words = {0};
    struct stat file;

    if (fstat(fd, &file) == 0) {
        words.bytes = rdl__allocate((size_t)file.st_size + 1);
        if (pread(fd, words.bytes, (size_t)file.st_size, 0) == file.st_size)
            words.count = (size_t)file.st_size;
    }
    close(fd);
    return words;
}

void rdl__end_at_undefined(void)
{
    const char *own = getenv("UBSAN_OPTIONS");
    struct rdl__text value = {0};

    rdl__text_add(&value, "halt_on_error=1%s%s", own ? ":" : "", own ? own : "");
    setenv("UBSAN_OPTIONS", value.bytes, 1);
    rdl__text_release(&value);
}
