/* handed.c -- blocks that the C library allocates, and hands to its caller.
 *
 * The C library's own blocks are none of the code under test (heap.c).  These are: in tests, they
 * are moved to its heap, so that they have the same addresses in each execution. */
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>

#include "case/case.h"
#include "control/sched/memory.h"
#include "control/sched/next.h"
#include "control/sched/seen.h"
#include "control/sched/state.h"
#include "port/heap.h"

int __asprintf_chk(char **out, int flag, const char *format, ...);
int __vasprintf_chk(char **out, int flag, const char *format, va_list args);

static void *moved(void *block, size_t size, uintptr_t pc)
{
    void *theirs;
    int why;

    if (!block || rdl__heap_owns(block) || !rdl__heap_is_for(pc) || rdl__is_own(pc))
        return block;
    rdl__memory_at = pc;
    theirs = malloc(size);
    rdl__memory_at = 0;
    if (theirs)
        memcpy(theirs, block, size);
    why = errno;
    free(block);
    errno = why;
    return theirs;
}

static char *moved_text(char *text, uintptr_t pc)
{
    return text ? moved(text, strlen(text) + 1, pc) : NULL;
}

RDL__INTERPOSE char *strdup(const char *text)
{
    return moved_text(RDL__NEXT(strdup)(text), rdl__memory_caller(RDL__CALLER));
}

RDL__INTERPOSE char *strndup(const char *text, size_t size)
{
    return moved_text(RDL__NEXT(strndup)(text, size), rdl__memory_caller(RDL__CALLER));
}

RDL__INTERPOSE wchar_t *wcsdup(const wchar_t *text)
{
    wchar_t *copy = RDL__NEXT(wcsdup)(text);

    return copy ? moved(copy, (wcslen(copy) + 1) * sizeof *copy, rdl__memory_caller(RDL__CALLER))
                : NULL;
}

static int move_printed(char **text, int length, uintptr_t pc)
{
    if (length < 0)
        return length;
    *text = moved(*text, (size_t)length + 1, pc);
    return *text ? length : -1;
}

RDL__INTERPOSE int vasprintf(char **out, const char *format, va_list args)
{
    rdl__come_as_row("vasprintf", NULL, RDL__CALLER);
    return move_printed(out, RDL__NEXT(vasprintf)(out, format, args),
                        rdl__memory_caller(RDL__CALLER));
}

RDL__INTERPOSE int asprintf(char **out, const char *format, ...)
{
    va_list args;
    int length;

    rdl__come_as_row("asprintf", NULL, RDL__CALLER);
    va_start(args, format);
    length = RDL__NEXT(vasprintf)(out, format, args);
    va_end(args);
    return move_printed(out, length, rdl__memory_caller(RDL__CALLER));
}

RDL__INTERPOSE int __vasprintf_chk(char **out, int flag, const char *format, va_list args)
{
    rdl__come_as_row("__vasprintf_chk", NULL, RDL__CALLER);
    return move_printed(out, RDL__NEXT(__vasprintf_chk)(out, flag, format, args),
                        rdl__memory_caller(RDL__CALLER));
}

RDL__INTERPOSE int __asprintf_chk(char **out, int flag, const char *format, ...)
{
    va_list args;
    int length;

    rdl__come_as_row("__asprintf_chk", NULL, RDL__CALLER);
    va_start(args, format);
    length = RDL__NEXT(__vasprintf_chk)(out, flag, format, args);
    va_end(args);
    return move_printed(out, length, rdl__memory_caller(RDL__CALLER));
}

RDL__INTERPOSE char *getcwd(char *out, size_t room)
{
    char *path;

    rdl__come_as_row("getcwd", NULL, RDL__CALLER);
    path = RDL__NEXT(getcwd)(out, room);
    return out || !path ? path : moved(path, room ? room : strlen(path) + 1, RDL__CALLER);
}

RDL__INTERPOSE char *realpath(const char *restrict path, char *restrict out)
{
    uint64_t arguments[] = {(uintptr_t)path, (uintptr_t)out};
    char *found;

    rdl__come_as_row("realpath", arguments, RDL__CALLER);
    found = RDL__NEXT(realpath)(path, out);
    return out ? found : moved_text(found, RDL__CALLER);
}
