/* state.c -- what threads share in the C library and the kernel, as objects of operations.
 *
 * An operation has two objects at most.  A call that touches more than that is an operation
 * of the world.  What a call touches is found out before its thread comes to the operation;
 * where others may change the answer meanwhile, it is asked again when it is the thread's
 * turn. */
#include "control/sched/state.h"
#include "control/sched/track.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <time.h>
#include <unistd.h>

#include "base/apart.h"
#include "control/sched/left.h"
#include "control/sched/seen.h"
#include "control/sched/world.h"

uint64_t rdl__states_written;

#define STATES_AT ((uintptr_t)0xffff800000020000) /* an address that nothing of a program's has */
enum { STATE_SIZE = 64 };                         /* apart from each other: see touched.c */

static uint64_t only(enum rdl__state state)
{
    return UINT64_C(1) << state;
}

/* ---- Variables of the C library ----------------------------------------------------------------
 *
 * Programs read some of the state themselves: `environ`, `timezone`, `signgam`.  The object of
 * such a state is the variable, so that its order with these reads matters. */

static struct range {
    uintptr_t start, size;
} variables[RDL__STATE_COUNT]; /* a size of 0: the state has none */

static void add_variable(enum rdl__state state, const void *variable, size_t size)
{
    struct range *it = &variables[state];
    uintptr_t start = (uintptr_t)variable, end = start + size;

    if (!variable)
        return;
    if (it->size > 0 && it->start < start)
        start = it->start;
    if (it->size > 0 && it->start + it->size > end)
        end = it->start + it->size;
    *it = (struct range){start, end - start};
}

void rdl__states_find(void)
{
    memset(variables, 0, sizeof variables);
    add_variable(RDL__STATE_ENVIRONMENT, &environ, sizeof environ);
    add_variable(RDL__STATE_CALENDAR, tzname, sizeof tzname);
    add_variable(RDL__STATE_CALENDAR, &timezone, sizeof timezone);
    add_variable(RDL__STATE_CALENDAR, &daylight, sizeof daylight);
    add_variable(RDL__STATE_SIGNGAM, dlsym(RTLD_DEFAULT, "signgam"), sizeof(int));
}

uintptr_t rdl__state_object(enum rdl__state state)
{
    if (state == RDL__STATE_NUMBERS)
        return rdl__numbers_object();
    return variables[state].size ? variables[state].start
                                 : STATES_AT + (uintptr_t)state * STATE_SIZE;
}

static uint32_t size_of(enum rdl__state state)
{
    return variables[state].size ? (uint32_t)variables[state].size : 1;
}

/* The environment is a variable, and the array that it points to, which setenv may move. */
static void add_environment(struct rdl__op *op)
{
    uint32_t count = 1;

    if (op->object != (uintptr_t)&environ || op->also || !environ)
        return;
    for (char **at = environ; *at; at++)
        count++;
    op->also = op->object;
    op->object = (uintptr_t)environ;
    op->size = count * (uint32_t)sizeof *environ;
    op->flags |= op->touch == RDL__READS ? RDL__OP_ALSO_READS : 0;
}

/* ---- Operations ------------------------------------------------------------------------------ */

static struct rdl__op op_on(uintptr_t object, enum rdl__touch touch, uintptr_t pc)
{
    return (struct rdl__op){
        .kind = RDL__OP_IO, .touch = (uint8_t)touch, .size = 1, .object = object, .pc = pc};
}

struct rdl__op rdl__state_op(enum rdl__state state, enum rdl__touch touch, uintptr_t pc)
{
    struct rdl__op op = op_on(rdl__state_object(state), touch, pc);

    if (state == RDL__STATE_WORLD)
        op.flags = RDL__OP_BREAKS;
    return op;
}

void rdl__come_to_state(struct rdl__thread *self, enum rdl__state state, enum rdl__touch touch,
                        uintptr_t pc)
{
    struct rdl__op op = rdl__state_op(state, touch, pc);

    rdl__point(self, &op);
}

/* States that have objects of their own, and are not those of an argument. */
static uint64_t plain_states(uint64_t set)
{
    return set & ~(only(RDL__STATE_HEAP) | only(RDL__STATE_LOCALE) | only(RDL__STATE_FOLDER) |
                   only(RDL__STATE_NAMES) | only(RDL__STATE_FILES) | only(RDL__STATE_STREAMS) |
                   only(RDL__STATE_ENTROPY) | only(RDL__STATE_CANCEL));
}

static enum rdl__state take_state(uint64_t *set)
{
    enum rdl__state state = (enum rdl__state)__builtin_ctzll(*set);

    *set &= *set - 1;
    return state;
}

/* Add the states of the row to an operation that has an object already, or none. */
static void add_states(struct rdl__op *op, const struct rdl__call_row *row)
{
    uint64_t writes = plain_states(row->writes), reads = plain_states(row->reads) & ~writes;

    if (row->writes & only(RDL__STATE_WORLD))
        op->flags |= RDL__OP_BREAKS;
    if (!op->touch && (writes || reads)) {
        enum rdl__state state;

        op->touch = writes ? RDL__WRITES : RDL__READS;
        state = take_state(writes ? &writes : &reads);
        op->object = rdl__state_object(state);
        op->size = size_of(state);
    }
    if (op->also && (writes || reads)) /* there is no room for a third */
        op->flags |= RDL__OP_BREAKS;
    else if (writes || reads)
        op->also = rdl__state_object(take_state(writes ? &writes : &reads));
    if (writes || reads)
        op->flags |= RDL__OP_BREAKS;
    add_environment(op);
}

static enum rdl__touch touch_of(const struct rdl__call_row *row, enum rdl__state state)
{
    return row->writes & only(state) ? RDL__WRITES : RDL__READS;
}

/* ---- What is read without being an operation --------------------------------------------------
 *
 * If threads write it in an order that something sets, that is an operation; if nothing does, it is
 * a race, and found as one in any schedule. */

void rdl__register_reading(const void *at, size_t size, uintptr_t pc)
{
    struct rdl__thread *self = rdl__self();

    if (self && rdl__races_on && !rdl__alone && rdl__is_instrumented(pc))
        rdl__race_access(self, (uintptr_t)at, size, 0, pc);
}

/* The names of all variables, whichever is looked for. */
static void register_names(uintptr_t pc)
{
    for (char **at = environ; at && *at; at++)
        rdl__register_reading(*at, strcspn(*at, "=") + 1, pc);
}

void rdl__register_variable(FILE *const *variable, uintptr_t pc)
{
    rdl__register_reading(variable, sizeof *variable, pc);
}

static void register_stream(const struct rdl__call_row *row, uintptr_t pc)
{
    if (row->on == RDL__ON_STDIN)
        rdl__register_variable(&stdin, pc);
    else if (row->on == RDL__ON_STDOUT)
        rdl__register_variable(&stdout, pc);
    else if (row->on == RDL__ON_STDERR)
        rdl__register_variable(&stderr, pc);
}

/* ---- Streams --------------------------------------------------------------------------------- */

/* A stream, and the file that it may read from, or be flushed into. */
static struct rdl__op stream_op(FILE *stream, uintptr_t pc)
{
    struct rdl__op op = op_on((uintptr_t)stream, RDL__WRITES, pc);
    struct rdl__file file;

    op.size = sizeof *stream; /* functions that are inlined look into it */
    if (stream && stream->_fileno >= 0) {
        rdl__file_look(stream->_fileno, &file);
        if (rdl__self())
            rdl__self()->asked_fd = file.fd;
        op.also = file.object;
        rdl__file_is_used_by(file.object, stream);
        /* there is no room for a third object: the numbers, or the pages of the file */
        if (file.kind == RDL__NO_FILE || file.mapped || rdl__number_is_given_anew(file.fd))
            op.flags |= RDL__OP_BREAKS;
    }
    return op;
}

/* The stream that the row is about; NULL: all of them. */
static FILE *stream_of(const struct rdl__call_row *row, const uint64_t *arguments)
{
    switch (row->on) {
    case RDL__ON_STDIN:
        return stdin;
    case RDL__ON_STDOUT:
        return stdout;
    case RDL__ON_STDERR:
        return stderr;
    case RDL__ON_ALL_STREAMS:
        return NULL;
    default:
        return (FILE *)arguments[row->argument];
    }
}

/* The streams that `stdout` and `stderr` were at first: a thread that reads these variables by
 * calling printf comes to no operation on them. */
static FILE *usual[2];

void rdl__streams_find(void)
{
    usual[0] = stdout;
    usual[1] = stderr;
}

void rdl__streams_look(void)
{
    if (stdout != usual[0] || stderr != usual[1])
        rdl__limit(RDL__LIMIT_BOUND,
                   "assignments to stdout and stderr were not tried at every moment", "");
}

void rdl__stream_takes_steps(FILE *stream)
{
    struct rdl__file file;

    if (!rdl__self() || rdl__is_alone() || stream->_fileno < 0)
        return;
    rdl__file_look(stream->_fileno, &file);
    if (rdl__file_is_used_by(file.object, stream))
        rdl__limit(RDL__LIMIT_BOUND,
                   "functions of streams were not interrupted between two of their system calls",
                   "");
}

/* Does the function make several system calls, which all are its one step here?  Those that write
 * are several operations; those that read see to it in stream.c. */
static bool takes_steps(const struct rdl__call_row *row)
{
    return strstr(row->name, "seek") || strstr(row->name, "scanf") ||
           strcmp(row->name, "rewind") == 0 || strcmp(row->name, "fsetpos") == 0;
}

static void come_to_stream(struct rdl__thread *self, FILE *stream, uintptr_t pc)
{
    struct rdl__op op =
        stream ? stream_op(stream, pc) : rdl__state_op(RDL__STATE_WORLD, RDL__WRITES, pc);

    rdl__stream_await(self, stream, &op);
    if (stream)
        rdl__stream_transfers(self, stream, (size_t)(stream->_IO_buf_end - stream->_IO_buf_base));
    rdl__streams_look();
}

void rdl__come_to_stream(struct rdl__thread *self, FILE *stream, uintptr_t pc)
{
    int errno_before = errno;

    if (self->aside == 0 && !rdl__is_alone() && !rdl__is_own(pc) && !rdl__is_of_sanitizer(pc))
        come_to_stream(self, stream, pc);
    rdl__miss_cancel(self);
    errno = errno_before;
}

/* ---- Files ----------------------------------------------------------------------------------- */

static bool takes_number(const struct rdl__call_row *row, const uint64_t *arguments)
{
    return strncmp(row->name, "fcntl", 5) == 0 &&
           (arguments[1] == F_DUPFD || arguments[1] == F_DUPFD_CLOEXEC);
}

static void come_to_file(struct rdl__thread *self, const struct rdl__call_row *row,
                         const uint64_t *arguments, uintptr_t pc)
{
    struct rdl__file file;
    struct rdl__op op;

    rdl__file_look((int)arguments[row->argument], &file);
    op = rdl__file_op(&file, pc);
    op.touch = (uint8_t)touch_of(row, RDL__STATE_FILES);
    add_states(&op, row);
    if (takes_number(row, arguments))
        rdl__op_takes_number(&op);
    if (strstr(row->name, "stat"))
        rdl__add_names(&op, file.fd);
    rdl__point(self, &op);
    rdl__call_transfers(self, row, arguments, &file);
}

/* Does fopen make the file empty, or look for its end? */
static bool truncates(const struct rdl__call_row *row, const uint64_t *arguments)
{
    const char *mode = (const char *)arguments[1];

    return strncmp(row->name, "creat", 5) == 0 ||
           (strstr(row->name, "fopen") && mode && (mode[0] == 'w' || mode[0] == 'a'));
}

static void come_to_path(struct rdl__thread *self, const struct rdl__call_row *row,
                         const uint64_t *arguments, uintptr_t pc)
{
    bool has_folder = row->on == RDL__ON_PATH_AT;
    int at = has_folder ? (int)arguments[row->argument] : AT_FDCWD;
    const char *path = (const char *)arguments[row->argument + (has_folder ? 1 : 0)];

    if (row->writes & only(RDL__STATE_WORLD))
        rdl__come_to_state(self, RDL__STATE_WORLD, RDL__WRITES, pc);
    else if (row->writes & only(RDL__STATE_NUMBERS))
        rdl__come_to_open(self, at, path, row->writes & only(RDL__STATE_NAMES),
                          truncates(row, arguments), pc);
    else if (row->writes & only(RDL__STATE_FOLDER))
        rdl__come_to_folder(self, path, pc);
    else
        rdl__come_to_name(self, at, path, touch_of(row, RDL__STATE_NAMES), pc);
}

/* ---- Random bytes --------------------------------------------------------------------------- */

static void note_random(const char *source)
{
    char words[RDL__LIMIT_ROOM];

    snprintf(words, sizeof words, "they draw random numbers with `%s`", source);
    rdl__limit(RDL__LIMIT_UNLIKE, words, "");
}

void rdl__note_opening(const char *path)
{
    if (path && (strcmp(path, "/dev/urandom") == 0 || strcmp(path, "/dev/random") == 0))
        note_random(path);
}

static void note_sources(const struct rdl__call_row *row, const uint64_t *arguments)
{
    bool asks_loader = strstr(row->name, "getauxval") != NULL;

    if (row->reads & only(RDL__STATE_ENTROPY) && (!asks_loader || arguments[0] == AT_RANDOM))
        note_random(row->name);
    if (row->on == RDL__ON_PATH && row->writes & only(RDL__STATE_NUMBERS))
        rdl__note_opening((const char *)arguments[row->argument]);
}

/* ---- Cancellation points -------------------------------------------------------------------- */

/* Of fcntl and lockf only the commands that wait are such points. */
static bool may_end(const struct rdl__call_row *row, const uint64_t *arguments)
{
    if (!(row->reads & only(RDL__STATE_CANCEL)))
        return false;
    if (strstr(row->name, "fcntl"))
        return arguments[1] == F_SETLKW || arguments[1] == F_OFD_SETLKW;
    return strncmp(row->name, "lockf", 5) != 0 || (int)arguments[1] == F_LOCK;
}

void rdl__test_cancel_at(struct rdl__thread *self, const struct rdl__call_row *row,
                         const uint64_t *arguments, uintptr_t pc)
{
    if (may_end(row, arguments) && self->aside == 0 && !rdl__is_own(pc))
        rdl__test_cancel(self);
}

/* ---- Calls ----------------------------------------------------------------------------------- */

/* Memory of ours comes and goes while a thread of the program runs, too. */
static bool is_about_our_memory(const struct rdl__call_row *row, const uint64_t *arguments)
{
    return row->writes & only(RDL__STATE_WORLD) && rdl__apart_owns((void *)arguments[0]);
}

/* The next entry of a folder of the kernel's: it shows what the process does. */
static bool shows_process(const struct rdl__call_row *row, const uint64_t *arguments)
{
    struct rdl__file folder;

    if (strncmp(row->name, "readdir", 7) != 0 || !arguments || !arguments[0])
        return false;
    rdl__file_look(dirfd((DIR *)arguments[0]), &folder);
    return folder.mapped;
}

static void come_to_states(struct rdl__thread *self, const struct rdl__call_row *row,
                           const uint64_t *arguments, uintptr_t pc)
{
    uint64_t names = only(RDL__STATE_NAMES) | only(RDL__STATE_FOLDER);
    struct rdl__op op = {.kind = RDL__OP_IO, .size = 1, .pc = pc};

    if ((row->reads | row->writes) & names)
        op = rdl__names_op(row->writes & names ? RDL__WRITES : RDL__READS, pc);
    add_states(&op, row);
    if (shows_process(row, arguments))
        op.flags |= RDL__OP_BREAKS;
    if (row->writes & only(RDL__STATE_LOCALE)) /* too many functions read it to be operations */
        rdl__limit(RDL__LIMIT_BOUND, "readers of the locale were not interrupted before it changed",
                   "");
    if (!op.touch && row->reads & only(RDL__STATE_CANCEL)) {
        op.touch = RDL__READS;
        op.object = (uintptr_t)self;
    }
    if (op.touch)
        rdl__point(self, &op);
}

/* Code that tells of its accesses calls what touches memory in ways that nobody tells of. */
static void come_to_vague(struct rdl__thread *self, const struct rdl__call_row *row, uintptr_t pc)
{
    rdl__limit(RDL__LIMIT_UNKNOWN, row->name, "");
    rdl__come_to_state(self, RDL__STATE_WORLD, RDL__WRITES, pc);
}

static bool is_vague(const struct rdl__call_row *row)
{
    return row->way == RDL__CALL_VAGUE || row->way == RDL__CALL_VAGUE_POINT;
}

/* It is an operation on what the row says. */
static void come_to_row(struct rdl__thread *self, const struct rdl__call_row *row,
                        const uint64_t *arguments, uintptr_t pc)
{
    if (is_vague(row) && rdl__is_instrumented(pc)) {
        come_to_vague(self, row, pc);
        return;
    }
    switch (row->on) {
    case RDL__ON_FD:
        come_to_file(self, row, arguments, pc);
        break;
    case RDL__ON_PATH:
    case RDL__ON_PATH_AT:
        come_to_path(self, row, arguments, pc);
        break;
    case RDL__ON_NO_ARGUMENT:
        come_to_states(self, row, arguments, pc);
        break;
    default:
        come_to_stream(self, stream_of(row, arguments), pc);
        if (takes_steps(row) && stream_of(row, arguments))
            rdl__stream_takes_steps(stream_of(row, arguments));
        if (strstr(row->name, "fwrite") || strstr(row->name, "fread_") ||
            strcmp(row->name, "_IO_fread") == 0)
            rdl__stream_transfers(self, stream_of(row, arguments), arguments[1] * arguments[2]);
        break;
    }
}

static bool changes_names(const struct rdl__call_row *row)
{
    return row->writes &
           (only(RDL__STATE_NAMES) | only(RDL__STATE_FOLDER) | only(RDL__STATE_WORLD));
}

static void come_to_call(struct rdl__thread *self, const struct rdl__call_row *row,
                         const uint64_t *arguments, uintptr_t pc)
{
    note_sources(row, arguments);
    if (!rdl__is_alone() && !is_about_our_memory(row, arguments))
        come_to_row(self, row, arguments, pc);
    register_stream(row, pc);
    if (row->writes & only(RDL__STATE_ENDS))
        rdl__handler_registered(self);
    if ((row->reads | row->writes) & only(RDL__STATE_ENVIRONMENT))
        register_names(pc);
    if (!(row->reads & only(RDL__STATE_CANCEL)) && row->way != RDL__CALL_SILENT)
        rdl__miss_cancel(self);
    rdl__left_call(row, arguments);
}

/* Until others have had their turn, it has changed nothing. */
bool rdl__does_for_program;

bool rdl__is_for_raddle(uintptr_t pc)
{
    bool is_for_program = rdl__does_for_program;

    rdl__does_for_program = false;
    return rdl__is_own(pc) && !is_for_program;
}

void rdl__come_to_call(struct rdl__thread *self, const struct rdl__call_row *row,
                       const uint64_t *arguments, uintptr_t pc)
{
    int errno_before = errno;

    rdl__states_written |= row->writes;
    rdl__remains_called(row, arguments);
    if (!rdl__is_for_raddle(pc) && self->aside == 0 && !rdl__is_of_sanitizer(pc))
        come_to_call(self, row, arguments, pc);
    if (changes_names(row))
        rdl__names_changed();
    errno = errno_before;
}

void rdl__come_as_row(const char *name, const uint64_t *arguments, uintptr_t pc)
{
    struct rdl__thread *self = rdl__self();

    const struct rdl__call_row *row = rdl__call_row(name);

    if (self) {
        rdl__come_to_call(self, row, arguments, pc);
        rdl__test_cancel_at(self, row, arguments, pc);
    }
}
