/* breakpoints.h -- gates in a file of gdb's breakpoints, as `save breakpoints` writes it.
 *
 *     break queue.c:88 thread taker if queue->count == 0
 *       commands
 *         silent
 *         wait taken
 *       end
 *
 * breakpoints.c reads such files, bound.c finds those of a test and places what is in them. */
#ifndef RDL__BREAKPOINTS_H
#define RDL__BREAKPOINTS_H

#include "control/gate/expression.h"

enum rdl__command_kind {
    RDL__COMMAND_WAIT,
    RDL__COMMAND_OPEN,
    RDL__COMMAND_OPEN_FOR_ALL,
    RDL__COMMAND_CLOSE,
    RDL__COMMAND_AWAIT,
    RDL__COMMAND_TICK,
    RDL__COMMAND_SET,
    RDL__COMMAND_FAIL,
};

struct rdl__command {
    enum rdl__command_kind kind;
    int line;
    char *text; /* the gate's name, what fails, or "count = 3" */
    int time;
    struct rdl__expression *variable, *value;
};

struct rdl__breakpoint {
    int line;
    char *place;  /* as locate.h has it; NULL: it only prints */
    char *thread; /* NULL: any */
    char *condition_text;
    struct rdl__expression *condition; /* NULL: none */
    uint64_t ignore;                   /* so many times that it would stop a thread */
    bool is_temporary;                 /* once */
    bool is_disabled;
    bool is_deleted;
    struct rdl__command *commands;
    size_t command_count;
    bool has_commands;
};

struct rdl__breakpoints {
    char *path;
    struct rdl__breakpoint *items; /* number 1 is the first, as in gdb */
    size_t count;
};

/* False: something in it is not understood; the error begins with file and line. */
bool rdl__breakpoints_parse(struct rdl__breakpoints *out, const char *path, const char *text,
                            struct rdl__error *error);
bool rdl__breakpoints_load(struct rdl__breakpoints *out, const char *path,
                           struct rdl__error *error);
void rdl__breakpoints_release(struct rdl__breakpoints *breakpoints);

#endif
