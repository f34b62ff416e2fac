/* exit.c -- the end of the process is an operation: it ends every other thread where it stands.
 *
 * exit() runs handlers and destructors first, while other threads go on.  So the operation comes
 * after them: rdl__process_ends is what the program's last handler calls (cli/program/start.c),
 * and what _exit begins with.
 *
 * The beginning of exit(), to which a return from main leads, is an operation on the list of
 * handlers: which of them run depends on which other threads have registered by then. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "control/sched/inner.h"
#include "control/sched/next.h"
#include "control/sched/seen.h"
#include "control/sched/state.h"
#include "port/coverage.h"
#include "port/kernel.h"
#include "raddle/events.h"

RDL__ASKED_FOR(exit);

void (*rdl__on_sudden_end)(int kind, int number);

static const struct rdl__thread *exiting; /* runs handlers; NULL: no thread does */

static void begin_exit(struct rdl__thread *self, uintptr_t pc)
{
    if (!rdl__sched.forked || rdl__sched.failing)
        return;
    if (!rdl__is_alone())
        rdl__come_to_state(self, RDL__STATE_ENDS, RDL__WRITES, rdl__is_own(pc) ? 0 : pc);
    exiting = self;
}

void rdl__handler_registered(const struct rdl__thread *self)
{
    if (exiting && exiting != self)
        rdl__limit(RDL__LIMIT_BOUND, "handlers were not registered at every moment of `exit`", "");
}

RDL__INTERPOSE void exit(int status)
{
    struct rdl__thread *self = rdl__self();

    if (self && rdl__on_sudden_end)
        rdl__on_sudden_end(RDL_FAULT_EXIT, status);
    if (self)
        begin_exit(self, RDL__CALLER);
    RDL__NEXT(exit)(status);
    __builtin_unreachable();
}

RDL__INTERPOSE void quick_exit(int status)
{
    struct rdl__thread *self = rdl__self();

    if (self) {
        rdl__come_to_state(self, RDL__STATE_WORLD, RDL__WRITES, RDL__CALLER);
        exiting = rdl__sched.forked ? self : NULL;
    }
    RDL__NEXT(quick_exit)(status);
    __builtin_unreachable();
}

extern FILE *_IO_list_all;

static bool is_unwritten(void)
{
    for (const FILE *file = _IO_list_all; file; file = file->_chain)
        if (file->_IO_write_ptr > file->_IO_write_base)
            return true;
    return false;
}

/* exit() writes what is in buffers, and others may go on before the process ends. */
void rdl__streams_end(void)
{
    struct rdl__thread *self = rdl__self();

    if (!self || rdl__is_alone() || !rdl__sched.forked || rdl__sched.failing || !is_unwritten())
        return;
    rdl__point(self, &(struct rdl__op){.kind = RDL__OP_IO, .flags = RDL__OP_BREAKS});
    self->no_switch++;
    fflush(NULL);
    self->no_switch--;
}

void rdl__process_ends(uintptr_t pc)
{
    struct rdl__thread *self = rdl__self();

    if (!self || !rdl__sched.forked || rdl__sched.failing)
        return;
    rdl__point(self, &(struct rdl__op){.kind = RDL__OP_EXIT, .flags = RDL__OP_BREAKS, .pc = pc});
    rdl__log_pending();
    rdl__streams_look();
    rdl__running = NULL; /* no other thread goes on from here */
}

/* The worker of an in-process test ends with its case: that is a failure, judged by its parent. */
RDL__INTERPOSE void _exit(int status)
{
    rdl__process_ends(RDL__CALLER);
    rdl__coverage_end();
    rdl__kernel(SYS_exit_group, status, 0, 0, 0, 0,
                0); /* locks may be held: nothing is looked up */
    __builtin_unreachable();
}

RDL__INTERPOSE void _Exit(int status)
{
    _exit(status);
}
