/* wrapped_print.c -- printf and its kin, as wrapped.c: what they print, they read; what they
 * print into, they write.
 *
 * Arguments are told apart by the format.  Where that cannot be (a position as in "%2$s", a
 * conversion that we do not know), what follows is not told of, and the pass is limited. */
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>

#include "control/sched/memory.h"
#include "control/sched/next.h"
#include "control/sched/state.h"
#include "control/sched/track.h"

_Noreturn void __chk_fail(void);

/* ---- Reading what is printed ----------------------------------------------------------------- */

/* One conversion: "%-5.3ls". */
struct conversion {
    bool is_long, is_long_double;
    int precision; /* -1: none */
    size_t size;   /* of a number that "%n" writes */
    char kind;
};

/* The digits of a width or precision, or "*", which is an argument; "%2$s" is not for us. */
static const char *read_count(const char *at, va_list *list, int *out, bool *out_is_clear)
{
    if (*at == '*') {
        *out = va_arg(*list, int);
        return at + 1;
    }
    for (*out = 0; *at >= '0' && *at <= '9'; at++)
        *out = *out * 10 + (*at - '0');
    if (*at == '$')
        *out_is_clear = false;
    return at;
}

static const char *read_conversion(const char *at, va_list *list, struct conversion *out,
                                   bool *out_is_clear)
{
    int width;

    *out = (struct conversion){.precision = -1, .size = sizeof(int)};
    at += strspn(at, "-+ #0'I");
    at = read_count(at, list, &width, out_is_clear);
    if (*at == '.')
        at = read_count(at + 1, list, &out->precision, out_is_clear);
    for (; *at && strchr("hlqjztLZ", *at); at++) {
        out->is_long |= *at == 'l';
        out->is_long_double |= *at == 'L';
        out->size = *at == 'h' ? out->size / 2 : sizeof(long);
    }
    out->kind = *at;
    return *at ? at + 1 : at;
}

static void read_text(const struct conversion *it, const void *text, uintptr_t pc)
{
    if (!text)
        return;
    if (it->is_long || it->kind == 'S')
        rdl__call_reads((uintptr_t)text, (wcslen(text) + 1) * sizeof(wchar_t), pc);
    else if (it->precision < 0)
        rdl__call_reads((uintptr_t)text, strlen(text) + 1, pc);
    else
        rdl__call_reads((uintptr_t)text, strnlen(text, (size_t)it->precision), pc);
}

/* Its argument; false: we do not know which that is.  All integers and pointers are passed
 * alike. */
static bool take_argument(const struct conversion *it, va_list *list, uintptr_t pc)
{
    switch (it->kind) {
    case 's':
    case 'S':
        read_text(it, va_arg(*list, const void *), pc);
        return true;
    case 'n':
        rdl__access((uintptr_t)va_arg(*list, void *), it->size, RDL__HOW_WRITE, pc);
        return true;
    case 'm':
    case '%':
        return true;
    default:
        break;
    }
    if (it->kind && strchr("diouxXcCpb", it->kind))
        (void)va_arg(*list, uint64_t);
    else if (it->kind && strchr("aAeEfFgG", it->kind) && it->is_long_double)
        (void)va_arg(*list, long double);
    else if (it->kind && strchr("aAeEfFgG", it->kind))
        (void)va_arg(*list, double);
    else
        return false;
    return true;
}

static void tell_of_format(const char *format, va_list arguments, uintptr_t pc)
{
    struct conversion next;
    bool is_clear = true;
    va_list list;

    if (!rdl__self())
        return;
    rdl__call_reads((uintptr_t)format, strlen(format) + 1, pc);
    va_copy(list, arguments);
    for (const char *at = format; is_clear && (at = strchr(at, '%'));) {
        at = read_conversion(at + 1, &list, &next, &is_clear);
        is_clear = is_clear && take_argument(&next, &list, pc);
    }
    va_end(list);
    if (!is_clear)
        rdl__limit(RDL__LIMIT_UNKNOWN, "printf with numbered arguments", "");
}

/* ---- To streams ------------------------------------------------------------------------------ */

static int print_to_stream(FILE *stream, const char *format, va_list arguments, uintptr_t pc)
{
    struct rdl__thread *self = rdl__self();
    uint64_t a[6] = {(uint64_t)stream};

    tell_of_format(format, arguments, pc);
    if (self)
        rdl__come_to_call(self, rdl__call_row("vfprintf"), a, pc);
    return RDL__NEXT(vfprintf)(stream, format, arguments);
}

static int print_to_stdout(const char *format, va_list arguments, uintptr_t pc)
{
    rdl__register_variable(&stdout, pc);
    return print_to_stream(stdout, format, arguments, pc);
}

static int print_to_file(int fd, const char *format, va_list arguments, uintptr_t pc)
{
    struct rdl__thread *self = rdl__self();
    uint64_t a[6] = {(uint64_t)fd};

    tell_of_format(format, arguments, pc);
    if (self)
        rdl__come_to_call(self, rdl__call_row("vdprintf"), a, pc);
    return RDL__NEXT(vdprintf)(fd, format, arguments);
}

/* Functions with arguments that are to be printed, by the one that has a list of them. */
#define WITH_LIST(last, call)                                                                      \
    va_list list;                                                                                  \
    int length;                                                                                    \
                                                                                                   \
    va_start(list, last);                                                                          \
    length = call;                                                                                 \
    va_end(list);                                                                                  \
    return length

#define FORMAT(n, m) __attribute__((format(printf, n, m)))

int __wrap_printf(const char *format, ...) FORMAT(1, 2);
int __wrap_fprintf(FILE *stream, const char *format, ...) FORMAT(2, 3);
int __wrap_dprintf(int fd, const char *format, ...) FORMAT(2, 3);
int __wrap_vprintf(const char *format, va_list arguments) FORMAT(1, 0);
int __wrap_vfprintf(FILE *stream, const char *format, va_list arguments) FORMAT(2, 0);
int __wrap_vdprintf(int fd, const char *format, va_list arguments) FORMAT(2, 0);
int __wrap___dprintf_chk(int fd, int flag, const char *format, ...) FORMAT(3, 4);
int __wrap___vdprintf_chk(int fd, int flag, const char *format, va_list arguments) FORMAT(3, 0);
int __wrap___printf_chk(int flag, const char *format, ...) FORMAT(2, 3);
int __wrap___fprintf_chk(FILE *stream, int flag, const char *format, ...) FORMAT(3, 4);
int __wrap___vprintf_chk(int flag, const char *format, va_list arguments) FORMAT(2, 0);
int __wrap___vfprintf_chk(FILE *stream, int flag, const char *format, va_list arguments)
    FORMAT(3, 0);

RDL__INTERPOSE int __wrap_printf(const char *format, ...)
{
    WITH_LIST(format, print_to_stdout(format, list, RDL__CALLER));
}

RDL__INTERPOSE int __wrap_fprintf(FILE *stream, const char *format, ...)
{
    WITH_LIST(format, print_to_stream(stream, format, list, RDL__CALLER));
}

RDL__INTERPOSE int __wrap_dprintf(int fd, const char *format, ...)
{
    WITH_LIST(format, print_to_file(fd, format, list, RDL__CALLER));
}

RDL__INTERPOSE int __wrap_vprintf(const char *format, va_list arguments)
{
    return print_to_stdout(format, arguments, RDL__CALLER);
}

RDL__INTERPOSE int __wrap_vfprintf(FILE *stream, const char *format, va_list arguments)
{
    return print_to_stream(stream, format, arguments, RDL__CALLER);
}

RDL__INTERPOSE int __wrap_vdprintf(int fd, const char *format, va_list arguments)
{
    return print_to_file(fd, format, arguments, RDL__CALLER);
}

RDL__INTERPOSE int __wrap___dprintf_chk(int fd, int flag, const char *format, ...)
{
    (void)flag;
    WITH_LIST(format, print_to_file(fd, format, list, RDL__CALLER));
}

RDL__INTERPOSE int __wrap___vdprintf_chk(int fd, int flag, const char *format, va_list arguments)
{
    (void)flag;
    return print_to_file(fd, format, arguments, RDL__CALLER);
}

RDL__INTERPOSE int __wrap___printf_chk(int flag, const char *format, ...)
{
    (void)flag;
    WITH_LIST(format, print_to_stdout(format, list, RDL__CALLER));
}

RDL__INTERPOSE int __wrap___fprintf_chk(FILE *stream, int flag, const char *format, ...)
{
    (void)flag;
    WITH_LIST(format, print_to_stream(stream, format, list, RDL__CALLER));
}

RDL__INTERPOSE int __wrap___vprintf_chk(int flag, const char *format, va_list arguments)
{
    (void)flag;
    return print_to_stdout(format, arguments, RDL__CALLER);
}

RDL__INTERPOSE int __wrap___vfprintf_chk(FILE *stream, int flag, const char *format,
                                         va_list arguments)
{
    (void)flag;
    return print_to_stream(stream, format, arguments, RDL__CALLER);
}

/* ---- To memory ------------------------------------------------------------------------------- */

/* Formats are the program's. */
#pragma GCC diagnostic ignored "-Wformat-nonliteral"

/* At most `room` bytes, of which the last is 0. */
static int print_to_memory(char *to, size_t room, const char *format, va_list arguments,
                           uintptr_t pc)
{
    va_list list;
    int length;

    if (rdl__self()) {
        tell_of_format(format, arguments, pc);
        va_copy(list, arguments);
        length = vsnprintf(NULL, 0, format, list);
        va_end(list);
        if (length >= 0)
            rdl__access((uintptr_t)to, (size_t)length < room ? (size_t)length + 1 : room,
                        RDL__HOW_WRITE, pc);
    }
    return vsnprintf(to, room, format, arguments);
}

/* The compiler knows how large the memory is. */
static int print_checked(char *to, size_t room, size_t size, const char *format, va_list arguments,
                         uintptr_t pc)
{
    int length;

    if (size < room && room != SIZE_MAX)
        __chk_fail();
    length = print_to_memory(to, size < room ? size : room, format, arguments, pc);
    if (room == SIZE_MAX && length >= 0 && (size_t)length >= size)
        __chk_fail();
    return length;
}

/* vsnprintf refuses what sprintf takes: as much room as there is. */
#define NO_LIMIT ((size_t)INT32_MAX)

int __wrap_sprintf(char *to, const char *format, ...) FORMAT(2, 3);
int __wrap_vsprintf(char *to, const char *format, va_list arguments) FORMAT(2, 0);
int __wrap_snprintf(char *to, size_t room, const char *format, ...) FORMAT(3, 4);
int __wrap_vsnprintf(char *to, size_t room, const char *format, va_list arguments) FORMAT(3, 0);
int __wrap___sprintf_chk(char *to, int flag, size_t size, const char *format, ...) FORMAT(4, 5);
int __wrap___vsprintf_chk(char *to, int flag, size_t size, const char *format, va_list arguments)
    FORMAT(4, 0);
int __wrap___snprintf_chk(char *to, size_t room, int flag, size_t size, const char *format, ...)
    FORMAT(5, 6);
int __wrap___vsnprintf_chk(char *to, size_t room, int flag, size_t size, const char *format,
                           va_list arguments) FORMAT(5, 0);

RDL__INTERPOSE int __wrap_sprintf(char *to, const char *format, ...)
{
    WITH_LIST(format, print_to_memory(to, NO_LIMIT, format, list, RDL__CALLER));
}

RDL__INTERPOSE int __wrap_vsprintf(char *to, const char *format, va_list arguments)
{
    return print_to_memory(to, NO_LIMIT, format, arguments, RDL__CALLER);
}

RDL__INTERPOSE int __wrap_snprintf(char *to, size_t room, const char *format, ...)
{
    WITH_LIST(format, print_to_memory(to, room, format, list, RDL__CALLER));
}

RDL__INTERPOSE int __wrap_vsnprintf(char *to, size_t room, const char *format, va_list arguments)
{
    return print_to_memory(to, room, format, arguments, RDL__CALLER);
}

RDL__INTERPOSE int __wrap___sprintf_chk(char *to, int flag, size_t size, const char *format, ...)
{
    (void)flag;
    WITH_LIST(format, print_checked(to, SIZE_MAX, size, format, list, RDL__CALLER));
}

RDL__INTERPOSE int __wrap___vsprintf_chk(char *to, int flag, size_t size, const char *format,
                                         va_list arguments)
{
    (void)flag;
    return print_checked(to, SIZE_MAX, size, format, arguments, RDL__CALLER);
}

RDL__INTERPOSE int __wrap___snprintf_chk(char *to, size_t room, int flag, size_t size,
                                         const char *format, ...)
{
    (void)flag;
    WITH_LIST(format, print_checked(to, room, size, format, list, RDL__CALLER));
}

RDL__INTERPOSE int __wrap___vsnprintf_chk(char *to, size_t room, int flag, size_t size,
                                          const char *format, va_list arguments)
{
    (void)flag;
    return print_checked(to, room, size, format, arguments, RDL__CALLER);
}

/* ---- To the heap ----------------------------------------------------------------------------- */

static int print_to_heap(char **to, const char *format, va_list arguments, uintptr_t pc)
{
    int length;

    tell_of_format(format, arguments, pc);
    rdl__access((uintptr_t)to, sizeof *to, RDL__HOW_WRITE, pc);
    rdl__memory_at = pc;
    length = vasprintf(to, format, arguments);
    rdl__memory_at = 0;
    return length;
}

int __wrap_asprintf(char **to, const char *format, ...) FORMAT(2, 3);
int __wrap_vasprintf(char **to, const char *format, va_list arguments) FORMAT(2, 0);
int __wrap___asprintf_chk(char **to, int flag, const char *format, ...) FORMAT(3, 4);
int __wrap___vasprintf_chk(char **to, int flag, const char *format, va_list arguments) FORMAT(3, 0);

RDL__INTERPOSE int __wrap_asprintf(char **to, const char *format, ...)
{
    WITH_LIST(format, print_to_heap(to, format, list, RDL__CALLER));
}

RDL__INTERPOSE int __wrap_vasprintf(char **to, const char *format, va_list arguments)
{
    return print_to_heap(to, format, arguments, RDL__CALLER);
}

RDL__INTERPOSE int __wrap___asprintf_chk(char **to, int flag, const char *format, ...)
{
    (void)flag;
    WITH_LIST(format, print_to_heap(to, format, list, RDL__CALLER));
}

RDL__INTERPOSE int __wrap___vasprintf_chk(char **to, int flag, const char *format,
                                          va_list arguments)
{
    (void)flag;
    return print_to_heap(to, format, arguments, RDL__CALLER);
}
