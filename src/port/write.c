/* write.c -- writing to somebody who may have gone. */
#include "port/write.h"
#include "port/io.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

ssize_t rdl__write_quietly(int fd, const char *bytes, size_t count)
{
    const struct timespec now = {0};
    sigset_t pipe, old, pending;
    ssize_t put;
    int why;

    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    sigpending(&pending);
    pthread_sigmask(SIG_BLOCK, &pipe, &old);
    put = rdl__own_write(fd, bytes, count);
    why = errno;
    if (put < 0 && why == EPIPE && !sigismember(&pending, SIGPIPE))
        sigtimedwait(&pipe, NULL, &now);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    errno = why;
    return put;
}
