/* worker.h -- a process that runs cases, and is replaced when one of them ends
 * it.
 *
 * The parent fills in board->task, calls rdl__worker_submit, and waits with
 * rdl__worker_wait.  Whatever happened is then on the board: a crash, an exit
 * and a hang are outcomes like any other.
 *
 * A worker is a process group of its own, so that what the code under test
 * forks ends with it; its standard input is empty, its output and error output
 * go to a file in memory (capture).  Without forking, tasks are done in this
 * process, at once, and a crash is a crash. */
#ifndef RDL__WORKER_H
#define RDL__WORKER_H

#include "run/board.h"

struct rdl__worker {
    struct rdl__board *board;
    bool forks;          /* false: do tasks in this process */
    bool captures;       /* keep the output of the cases */
    unsigned timeout_ms; /* the longest a case may take */

    int pid; /* 0: not running */
    int pidfd, socket;
    int capture; /* -1: none */
    bool busy;
    uint64_t done_seen; /* board->done when we last looked, and since when it is so */
    uint64_t since_ns;
    struct rdl_case *own_case; /* without forking */
};

/* A signal that asks us to stop has come (rdl__watch_interrupts). */
extern volatile int rdl__interrupted;
bool rdl__watch_interrupts(struct rdl__error *error);
int rdl__forget_interrupt(void); /* which signal it was; 0: none */
void rdl__unwatch_interrupts(void);

/* Says on the board what became of a case whose worker has ended; NULL: rdl__attribute does. */
extern void (*rdl__worker_judge)(struct rdl__board *board, int status, bool hung);

bool rdl__worker_init(struct rdl__worker *worker, uint32_t choices_room, bool forks, bool captures,
                      struct rdl__error *error);
void rdl__worker_release(struct rdl__worker *worker);

/* End the process, in good order; the next task gets a new one. */
void rdl__worker_retire(struct rdl__worker *worker);

/* Hand over board->task, to a new process if there is none. */
bool rdl__worker_submit(struct rdl__worker *worker, struct rdl__error *error);

enum rdl__wait {
    RDL__WAIT_DONE,        /* *out_worker has done its task */
    RDL__WAIT_TICK,        /* nobody has within tick_ms */
    RDL__WAIT_INTERRUPTED, /* we are asked to stop; busy workers have been ended */
};

/* Wait for one of several workers. */
enum rdl__wait rdl__worker_wait(struct rdl__worker *workers, int count, int tick_ms,
                                struct rdl__worker **out_worker);

/* What the last case wrote to its standard output and error output; the last
 * room bytes of it. */
void rdl__worker_captured(struct rdl__worker *worker, struct rdl__text *out, size_t room);
void rdl__worker_forget_captured(struct rdl__worker *worker);

/* In a worker: empty that file, so that every execution finds it alike. */
void rdl__capture_begin(void);

#endif
