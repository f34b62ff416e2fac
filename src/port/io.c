/* io.c -- reading, writing and waiting for ourselves. */
#include "port/io.h"

#include <dlfcn.h>
#include <link.h>
#include <stdint.h>
#include <sys/socket.h>
#include <unistd.h>

static const struct link_map *module_of(const void *code)
{
    struct dl_find_object found;

    return _dl_find_object((void *)(uintptr_t)code, &found) == 0 ? found.dlfo_link_map : NULL;
}

/* The one that we are linked with, unless it is the program's, and we are not part of that. */
static void *choose(void *linked, const char *name)
{
    const struct link_map *its = module_of(linked), *ours = module_of((void *)(uintptr_t)choose);
    void *next = its && its != ours && !its->l_name[0] ? dlsym(RTLD_NEXT, name) : NULL;

    return next ? next : linked;
}

#define CHOSEN(name)                                                                               \
    static __typeof__(&(name)) chosen;                                                             \
                                                                                                   \
    if (!chosen)                                                                                   \
    chosen = (__typeof__(&(name)))choose((void *)(name), #name)

ssize_t rdl__own_read(int fd, void *out, size_t size)
{
    CHOSEN(read);
    return chosen(fd, out, size);
}

ssize_t rdl__own_write(int fd, const void *bytes, size_t size)
{
    CHOSEN(write);
    return chosen(fd, bytes, size);
}

ssize_t rdl__own_send(int fd, const void *bytes, size_t size, int flags)
{
    CHOSEN(send);
    return chosen(fd, bytes, size, flags);
}

int rdl__own_poll(struct pollfd *files, nfds_t count, int timeout_ms)
{
    CHOSEN(poll);
    return chosen(files, count, timeout_ms);
}
