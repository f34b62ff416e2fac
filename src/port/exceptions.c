/* exceptions.c -- exceptions of C++ that are being handled, as the Itanium C++ ABI has them. */
#include "port/exceptions.h"

#include <stddef.h>

struct globals {
    void *caught;
    unsigned uncaught;
};

/* Not there in programs without C++. */
extern struct globals *__cxa_get_globals(void) __attribute__((weak));

bool rdl__has_exceptions(void)
{
    return __cxa_get_globals;
}

void rdl__exceptions_forget(void)
{
    if (__cxa_get_globals)
        *__cxa_get_globals() = (struct globals){NULL, 0};
}
