/* io.h -- reading, writing and waiting for ourselves.
 *
 * A program may have functions of its own that are called read or send, which are what libraries
 * get that call functions of these names. */
#ifndef RDL__IO_H
#define RDL__IO_H

#include <poll.h>
#include <sys/types.h>

ssize_t rdl__own_read(int fd, void *out, size_t size);
ssize_t rdl__own_write(int fd, const void *bytes, size_t size);
ssize_t rdl__own_send(int fd, const void *bytes, size_t size, int flags);
int rdl__own_poll(struct pollfd *files, nfds_t count, int timeout_ms);

#endif
