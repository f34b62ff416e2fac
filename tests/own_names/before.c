/* before.c -- a library to preload, which is meant to come before the C library for everybody: in
 * the program itself, personality() is refused. */
#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

int personality(unsigned long wanted);
int personality(unsigned long wanted)
{
    return strcmp(program_invocation_short_name, "program") == 0
               ? -1
               : (int)syscall(SYS_personality, wanted);
}
