/* orders.c -- how a program that is explored is told what to do. */
#include "cli/orders.h"
#include "port/io.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <unistd.h>

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
    int high = fcntl(fd, F_DUPFD, 500);

    if (high < 0)
        return fd;
    close(fd);
    return high;
}

static void add_word(struct rdl__text *out, const char *word)
{
    rdl__text_add_bytes(out, word, strlen(word) + 1);
}

static void add_variable(struct rdl__text *out, const char *name)
{
    const char *value = getenv(name);

    add_word(out, value ? value : "");
}

int rdl__orders_write(int option_count, char **options)
{
    struct rdl__text orders = {0};
    char number[16];
    int fd;

    snprintf(number, sizeof number, "%d", option_count);
    add_word(&orders, number);
    for (int i = 0; i < option_count; i++)
        add_word(&orders, options[i]);
    add_variable(&orders, "LD_PRELOAD");
    add_variable(&orders, "LD_BIND_NOW");
    add_variable(&orders, "ASAN_OPTIONS");
    add_variable(&orders, "UBSAN_OPTIONS");
    add_variable(&orders, "GOMP_SPINCOUNT");
    fd = rdl__nameless_file(orders.bytes, orders.count);
    rdl__text_release(&orders);
    return fd < 0 ? fd : rdl__out_of_the_way(fd);
}

/* With as many characters in each run, since the stack begins below the environment. */
void rdl__add_descriptors(struct rdl__text *out, int orders, int hello)
{
    rdl__text_add(out, "%06d,%06d", orders, hello);
}

void rdl__end_at_undefined(void)
{
    const char *own = getenv("UBSAN_OPTIONS");
    struct rdl__text value = {0};

    rdl__text_add(&value, "halt_on_error=1%s%s", own ? ":" : "", own ? own : "");
    setenv("UBSAN_OPTIONS", value.bytes, 1);
    rdl__text_release(&value);
}

void rdl__fix_addresses(void)
{
    int now = personality(0xffffffff);

    if (now >= 0)
        personality((unsigned long)now | ADDR_NO_RANDOMIZE);
}
