/* error.c -- saying what went wrong with Raddle or the world around it. */
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

void (*rdl__on_stop)(const char *message);

bool rdl__fail(struct rdl__error *error, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(error->text, sizeof error->text, format, args);
    va_end(args);
    return false;
}

/* No allocation and no stdio buffers here: we may be out of memory. */
_Noreturn void rdl__stop(const char *format, ...)
{
    char message[1024];
    va_list args;

    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    if (rdl__on_stop)
        rdl__on_stop(message);
    dprintf(STDERR_FILENO, "raddle: %s\n", message);
    _exit(RDL__EXIT_SETUP);
}
