/* left.h -- what executions leave behind that cannot be put back, and how it is found.
 *
 * Files are kept in a table that all processes of a run share: the names and files that executions
 * have changed, with what they were before the first change.  An execution that looks at one of
 * them, and finds something else than at first, does not begin as the first one did.  A program
 * that writes its file anew each time, or removes what it made, is not affected.
 *
 * Descriptors, mappings and processes are counted, for executions that share a process. */
#ifndef RDL__LEFT_H
#define RDL__LEFT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "control/sched/calls.h"

/* ---- Files: left.c -------------------------------------------------------------------------- */

/* In the process that others are forks of. */
void rdl__left_prepare(void);

/* An execution of this test is about to begin, in this process or in a copy of it. */
void rdl__left_begin(const void *test);

/* Between these times the program ran free, to be got to know: executions come after it. */
void rdl__left_scouted(uint64_t from_ns, uint64_t to_ns);

/* A controlled thread is about to make this call, or to open this file. */
void rdl__left_call(const struct rdl__call_row *row, const uint64_t *arguments);
void rdl__left_open(int at, const char *path, int flags);

/* It is about to map this file, or to change its mode. */
void rdl__left_used(int fd, bool changes);

/* A name in /dev/shm, which is of this kind: "" for memory, "sem." for semaphores. */
void rdl__left_shared(const char *kind, const char *name);

/* ---- The process: remains.c ----------------------------------------------------------------- */

/* The first execution is about to begin in this process. */
void rdl__remains_save(void);

/* An execution has ended: find what it left.  `last`: nobody will ask again for now. */
void rdl__remains_look(bool last);

/* To complete "executions do not begin alike: "; NULL: nothing was left. */
extern const char *rdl__remains_words;

/* A controlled thread has mapped so many bytes more (or less), or started a process. */
void rdl__remains_mapped(intptr_t bytes, uintptr_t pc);
void rdl__remains_forked(pid_t process);

/* A controlled thread is about to make this call, or one about this socket. */
void rdl__remains_called(const struct rdl__call_row *row, const uint64_t *arguments);
void rdl__remains_socket(int fd);

/* ---- Descriptors and streams: handles.c ------------------------------------------------------ */

/* A program that was started with descriptors shares them among its executions, which are copies of
 * it: the first copy is about to be made; an execution closes one, or uses it. */
void rdl__handles_copied(void);
void rdl__handles_closed(int fd);
void rdl__handles_used(int fd);
bool rdl__handles_was_open(int fd); /* when the first execution of this process began */

void rdl__handles_save(void);
void rdl__handles_told(int fd);         /* an execution has changed this socket */
void rdl__handles_flagged(int fd);      /* is about to set flags of this descriptor */
void rdl__handles_moved(int fd);        /* or its offset */
void rdl__handles_restore(void);        /* flags that were set; buffers are written */
const char *rdl__handles_compare(void); /* words as above; NULL: they are as they were */

#endif
