/* write.h -- writing to somebody who may have gone: that is an error, EPIPE, and not the end of
 * the process by SIGPIPE. */
#ifndef RDL__WRITE_H
#define RDL__WRITE_H

#include <sys/types.h>

ssize_t rdl__write_quietly(int fd, const char *bytes, size_t count);

#endif
