/* stream.c -- reading from a FILE.
 *
 * The C library reads from the file when its buffer is empty, with a call that is
 * not ours.  So we see to it that the file is ready before it does; for functions
 * that may read several times (a line can come in parts) by taking one character
 * after the other.  A stream is one reader's until its call is done, as if it were
 * locked; the real lock is not held while the reader waits.
 *
 * Not so for scanf, nor for writing: a FILE on a pipe that is full, or on an empty
 * one if scanf reads from it, stops the whole process. */
#define __NO_INLINE__ 1 /* <stdio.h> would define some of these functions itself */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "control/sched/state.h"
#include "control/sched/track.h"
#include "control/sched/world.h"

#define sched (&rdl__sched)

enum { /* in _flags, as the C library has them */
       END_SEEN = 0x10,
       ERROR_SEEN = 0x20,
       IN_BACKUP = 0x100, /* what ungetc has put back */
};
enum { LINE_ROOM = 120 };

/* What the compiler calls instead, if it knows the size of the buffer. */
_Noreturn void __chk_fail(void);
char *__fgets_chk(char *restrict out, size_t room, int size, FILE *restrict stream);
size_t __fread_chk(void *restrict out, size_t room, size_t size, size_t count,
                   FILE *restrict stream);

static FILE *read_by[RDL__THREADS_MAX]; /* the stream that each thread is reading from */
static uint32_t readers;                /* threads with numbers below this may be */

void rdl__streams_begin(void)
{
    for (; readers > 0; readers--)
        read_by[readers - 1] = NULL;
}

/* ---- Waiting ----------------------------------------------------------------------- */

struct wanted {
    struct rdl__thread *self;
    FILE *stream;
};

/* Nobody else has locked it or is reading from it, unless it is a thread on its way to its end. */
static bool is_free(void *what)
{
    const struct wanted *wanted = what;

    for (uint32_t id = 0; id < readers && id < sched->view.threads; id++)
        if (read_by[id] == wanted->stream && sched->threads[id]->state == RDL__ALIVE &&
            !sched->threads[id]->exiting)
            return false;
    return rdl__stream_is_free(wanted->self, wanted->stream);
}

/* The thread that has to take care; NULL: the C library's function will do, and if a controlled
 * thread calls, it is its turn. */
static struct rdl__thread *reader_of(FILE *stream, uintptr_t pc)
{
    struct rdl__thread *self = rdl__self();
    struct rdl__file file = {0};

    if (!self)
        return NULL;
    if (stream->_fileno >= 0)
        rdl__file_look(stream->_fileno, &file);
    if (file.waits)
        return self;
    rdl__come_to_stream(self, stream, pc);
    return NULL;
}

static void begin_reading(struct rdl__thread *self, FILE *stream, uintptr_t pc)
{
    struct rdl__op op = {
        .kind = RDL__OP_IO, .touch = RDL__WRITES, .size = 1, .object = (uintptr_t)stream, .pc = pc};
    struct wanted wanted = {self, stream};

    rdl__await(self, &op, is_free, &wanted, RDL__FOREVER);
    read_by[self->id] = stream;
    if (readers <= self->id)
        readers = self->id + 1;
    rdl__hb_acquire(self, (uintptr_t)stream);
}

static void end_reading(struct rdl__thread *self, FILE *stream)
{
    read_by[self->id] = NULL;
    rdl__hb_release(self, (uintptr_t)stream);
    rdl__changed((uintptr_t)stream);
}

/* As getc_unlocked, which is ours and an operation. */
static int take_char(FILE *stream)
{
    return RDL__NEXT(getc_unlocked)(stream);
}

static bool has_failed(const FILE *stream)
{
    return stream->_flags & ERROR_SEEN;
}

/* The next character, or EOF. */
static int next_of(struct rdl__thread *self, FILE *stream, uintptr_t pc)
{
    struct rdl__file file;
    int next;

    if (stream->_IO_read_ptr < stream->_IO_read_end || stream->_flags & (END_SEEN | IN_BACKUP))
        return take_char(stream);
    if (!rdl__io_begin(self, stream->_fileno, POLLIN, false, pc, &file)) {
        stream->_flags |= ERROR_SEEN;
        return EOF;
    }
    next = take_char(stream);
    rdl__file_changed(self, &file);
    return next;
}

/* ---- Characters ------------------------------------------------------------------------ */

static int read_char(struct rdl__thread *self, FILE *stream, uintptr_t pc)
{
    int next;

    begin_reading(self, stream, pc);
    next = next_of(self, stream, pc);
    end_reading(self, stream);
    return next;
}

RDL__INTERPOSE int fgetc(FILE *stream)
{
    struct rdl__thread *self = reader_of(stream, RDL__CALLER);

    return self ? read_char(self, stream, RDL__CALLER) : RDL__NEXT(fgetc)(stream);
}

#undef getc
RDL__INTERPOSE int getc(FILE *stream)
{
    struct rdl__thread *self = reader_of(stream, RDL__CALLER);

    return self ? read_char(self, stream, RDL__CALLER) : RDL__NEXT(getc)(stream);
}

RDL__INTERPOSE int getchar(void)
{
    struct rdl__thread *self = reader_of(stdin, RDL__CALLER);

    rdl__register_variable(&stdin, RDL__CALLER);
    return self ? read_char(self, stdin, RDL__CALLER) : RDL__NEXT(getchar)();
}

/* What getc_unlocked calls where it is inlined and the buffer is empty. */
RDL__INTERPOSE int __uflow(FILE *stream)
{
    struct rdl__thread *self = reader_of(stream, RDL__CALLER);

    return self ? read_char(self, stream, RDL__CALLER) : RDL__NEXT(__uflow)(stream);
}

/* ---- Lines ----------------------------------------------------------------------------- */

static char *read_line(struct rdl__thread *self, char *out, int size, FILE *stream, uintptr_t pc)
{
    int length = 0, next = 0;

    if (size <= 0)
        return NULL;
    begin_reading(self, stream, pc);
    while (length < size - 1 && next != '\n' && (next = next_of(self, stream, pc)) != EOF)
        out[length++] = (char)next;
    end_reading(self, stream);
    out[length] = '\0';
    return (length == 0 && size > 1) || (next == EOF && has_failed(stream)) ? NULL : out;
}

static char *told_of_line(char *line, FILE *stream, uintptr_t pc)
{
    rdl__stream_takes_steps(stream);
    if (line)
        rdl__wrote(line, strlen(line) + 1, pc);
    return line;
}

RDL__INTERPOSE char *fgets(char *restrict out, int size, FILE *restrict stream)
{
    struct rdl__thread *self = reader_of(stream, RDL__CALLER);
    char *line = self ? read_line(self, out, size, stream, RDL__CALLER)
                      : RDL__NEXT(fgets)(out, size, stream);

    return told_of_line(line, stream, RDL__CALLER);
}

RDL__INTERPOSE char *__fgets_chk(char *restrict out, size_t room, int size, FILE *restrict stream)
{
    struct rdl__thread *self = reader_of(stream, RDL__CALLER);

    if (size > 0 && (size_t)size > room)
        __chk_fail();
    return told_of_line(self ? read_line(self, out, size, stream, RDL__CALLER)
                             : RDL__NEXT(fgets)(out, size, stream),
                        stream, RDL__CALLER);
}

/* Room for one more character and the end. */
static bool grow(char **text, size_t *room, size_t length)
{
    size_t wanted = *room ? *room * 2 : LINE_ROOM;
    char *larger;

    if (*text && length + 2 <= *room)
        return true;
    larger = realloc(*text, wanted);
    if (!larger)
        return false;
    *text = larger;
    *room = wanted;
    return true;
}

static ssize_t read_until(struct rdl__thread *self, char **text, size_t *room, int end,
                          FILE *stream, uintptr_t pc)
{
    size_t length = 0;
    int next;

    if (!text || !room) {
        errno = EINVAL;
        return -1;
    }
    if (!*text)
        *room = 0;
    begin_reading(self, stream, pc);
    do {
        if (!grow(text, room, length)) {
            end_reading(self, stream);
            return -1;
        }
        next = next_of(self, stream, pc);
        if (next != EOF)
            (*text)[length++] = (char)next;
    } while (next != EOF && next != end);
    end_reading(self, stream);
    (*text)[length] = '\0';
    return length == 0 || (next == EOF && has_failed(stream)) ? -1 : (ssize_t)length;
}

static ssize_t told_of_text(char **text, size_t *room, ssize_t length, FILE *stream, uintptr_t pc)
{
    rdl__stream_takes_steps(stream);
    rdl__wrote(text, sizeof *text, pc);
    rdl__wrote(room, sizeof *room, pc);
    if (length >= 0)
        rdl__wrote(*text, (size_t)length + 1, pc);
    return length;
}

RDL__INTERPOSE ssize_t getdelim(char **restrict text, size_t *restrict room, int end,
                                FILE *restrict stream)
{
    struct rdl__thread *self = reader_of(stream, RDL__CALLER);

    return told_of_text(text, room,
                        self ? read_until(self, text, room, end, stream, RDL__CALLER)
                             : RDL__NEXT(getdelim)(text, room, end, stream),
                        stream, RDL__CALLER);
}

#undef __getdelim
RDL__INTERPOSE ssize_t __getdelim(char **restrict text, size_t *restrict room, int end,
                                  FILE *restrict stream)
{
    struct rdl__thread *self = reader_of(stream, RDL__CALLER);

    return told_of_text(text, room,
                        self ? read_until(self, text, room, end, stream, RDL__CALLER)
                             : RDL__NEXT(__getdelim)(text, room, end, stream),
                        stream, RDL__CALLER);
}

RDL__INTERPOSE ssize_t getline(char **restrict text, size_t *restrict room, FILE *restrict stream)
{
    struct rdl__thread *self = reader_of(stream, RDL__CALLER);

    return told_of_text(text, room,
                        self ? read_until(self, text, room, '\n', stream, RDL__CALLER)
                             : RDL__NEXT(getdelim)(text, room, '\n', stream),
                        stream, RDL__CALLER);
}

/* ---- Blocks ----------------------------------------------------------------------------- */

static size_t read_block(struct rdl__thread *self, char *out, size_t size, FILE *stream,
                         uintptr_t pc)
{
    size_t done = 0;
    int next;

    begin_reading(self, stream, pc);
    while (done < size && (next = next_of(self, stream, pc)) != EOF) {
        ptrdiff_t more = stream->_IO_read_end - stream->_IO_read_ptr;

        out[done++] = (char)next;
        if (stream->_flags & IN_BACKUP)
            continue;
        if ((size_t)more > size - done)
            more = (ptrdiff_t)(size - done);
        memcpy(out + done, stream->_IO_read_ptr, (size_t)more);
        stream->_IO_read_ptr += more;
        done += (size_t)more;
    }
    end_reading(self, stream);
    return done;
}

static size_t read_blocks(struct rdl__thread *self, void *out, size_t size, size_t count,
                          FILE *stream, uintptr_t pc)
{
    bool is_known = self && size > 0;
    size_t done = is_known ? read_block(self, out, size * count, stream, pc) : 0;
    size_t got = is_known ? done / size : RDL__NEXT(fread)(out, size, count, stream);

    rdl__stream_takes_steps(stream);
    /* Part of one more may be there when the file ends. */
    rdl__wrote_some(out, (got < count ? got + 1 : got) * size, is_known ? done : got * size, pc);
    return got;
}

RDL__INTERPOSE size_t fread(void *restrict out, size_t size, size_t count, FILE *restrict stream)
{
    return read_blocks(reader_of(stream, RDL__CALLER), out, size, count, stream, RDL__CALLER);
}

RDL__INTERPOSE size_t __fread_chk(void *restrict out, size_t room, size_t size, size_t count,
                                  FILE *restrict stream)
{
    struct rdl__thread *self = reader_of(stream, RDL__CALLER);

    if (size && room / size < count)
        __chk_fail();
    return read_blocks(self, out, size, count, stream, RDL__CALLER);
}
