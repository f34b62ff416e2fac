/* process.c -- copies of this process. */
#include "port/process.h"

#include <errno.h>
#include <signal.h>
#include <sys/syscall.h>

int rdl__copy_process(void)
{
    register long no_thread_id __asm__("r10") = 0;
    register long no_variables __asm__("r8") = 0;
    long result;

    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(SYS_clone), "D"(SIGCHLD), "S"(0), "d"(0), "r"(no_thread_id),
                       "r"(no_variables)
                     : "rcx", "r11", "memory");
    if (result >= 0)
        return (int)result;
    errno = (int)-result;
    return -1;
}
