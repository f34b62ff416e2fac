/* state.h -- what threads share in the C library and the kernel, as objects of operations.
 *
 * Each state of calls.h is an object at an address that nothing of a program's has.  Names
 * of files are many: one for each of so many hashes of a folder and a name in it, so that
 * threads that use names of their own do not get in each other's way. */
#ifndef RDL__STATE_H
#define RDL__STATE_H

#include <stdio.h>

#include "control/sched/calls.h"
#include "control/sched/op.h"
#include "control/sched/sched.h"

/* Find the variables of the C library that belong to states; once, before executions. */
void rdl__states_find(void);

/* The same of stdout and stderr; and is one of them another stream now? */
void rdl__streams_find(void);
void rdl__streams_look(void);

/* A function of this stream may make several system calls, between which nobody comes. */
void rdl__stream_takes_steps(FILE *stream);

/* Instrumented code calls a function that reads this memory.  That is no operation: a thread that
 * writes there meanwhile is a race, which any schedule shows. */
void rdl__register_reading(const void *at, size_t size, uintptr_t pc);

/* A function that is given no stream reads this variable, stdout or the like. */
void rdl__register_variable(FILE *const *variable, uintptr_t pc);

/* The object of a state. */
uintptr_t rdl__state_object(enum rdl__state state);

/* A bit for each state that a controlled thread may have written since this was 0. */
extern uint64_t rdl__states_written;

/* A call that Raddle itself does is no operation, unless the program does it by number (syscall.c):
 * then the next one is the program's. */
extern bool rdl__does_for_program;
bool rdl__is_for_raddle(uintptr_t pc);

/* The thread is about to call a function that has this row, with these arguments. */
void rdl__come_to_call(struct rdl__thread *self, const struct rdl__call_row *row,
                       const uint64_t *arguments, uintptr_t pc);

/* The thread ends here if the row is a cancellation point, and it was cancelled. */
void rdl__test_cancel_at(struct rdl__thread *self, const struct rdl__call_row *row,
                         const uint64_t *arguments, uintptr_t pc);

/* transfer.c: it is the thread's turn to make this call, which is about a file; or one of a stream,
 * which may read or write so many bytes at once. */
struct rdl__file;
void rdl__call_transfers(struct rdl__thread *self, const struct rdl__call_row *row,
                         const uint64_t *arguments, const struct rdl__file *file);
void rdl__stream_transfers(struct rdl__thread *self, FILE *stream, size_t bytes);

/* A file is about to be opened: what is read from it may differ from run to run. */
void rdl__note_opening(const char *path);

/* Both in a function of ours that takes the place of one that is made from its row; nothing
 * happens if no controlled thread calls. */
void rdl__come_as_row(const char *name, const uint64_t *arguments, uintptr_t pc);

/* The thread is about to do something to this stream, by a function of ours. */
void rdl__come_to_stream(struct rdl__thread *self, FILE *stream, uintptr_t pc);

/* The thread is about to read or write this state: the operation, and to come to it. */
struct rdl__op rdl__state_op(enum rdl__state state, enum rdl__touch touch, uintptr_t pc);
void rdl__come_to_state(struct rdl__thread *self, enum rdl__state state, enum rdl__touch touch,
                        uintptr_t pc);

/* ---- names.c --------------------------------------------------------------------------------- */

/* On all names, the working directory and the umask. */
struct rdl__op rdl__names_op(enum rdl__touch touch, uintptr_t pc);

/* The operation asks for the state of a file: link and rename change how many names it has, and
 * every name that comes and goes changes its folder. */
void rdl__add_names(struct rdl__op *op, int fd);

/* The thread is about to open it: `creates`, if it is not there; `truncates`, if it is. */
void rdl__come_to_open(struct rdl__thread *self, int at, const char *path, bool creates,
                       bool truncates, uintptr_t pc);

/* Come to an operation on a name: others may run meanwhile, and change what it stands for. */
void rdl__come_to_name(struct rdl__thread *self, int at, const char *path, enum rdl__touch touch,
                       uintptr_t pc);

/* A thread is about to change a name that may be part of others; or an execution begins. */
void rdl__names_changed(void);

/* The thread is about to make it the folder that it works in. */
void rdl__come_to_folder(struct rdl__thread *self, const char *path, uintptr_t pc);

#endif
