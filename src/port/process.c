/* process.c -- copies of this process. */
#include "port/process.h"

#include <errno.h>
#include <signal.h>

#include "port/kernel.h"

int rdl__copy_process(void)
{
    long result = rdl__kernel(SYS_clone, SIGCHLD, 0, 0, 0, 0, 0);

    if (result >= 0)
        return (int)result;
    errno = (int)-result;
    return -1;
}
