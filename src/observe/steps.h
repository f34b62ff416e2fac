/* steps.h -- what controlled threads did in a case, in order, as far as it may matter.
 *
 * An execution can have millions of steps, and whoever looks at a failure wants a
 * dozen.  So there is room for the last ones, whatever they were; for the last of
 * those that were kept because they are where threads meet; and for the first of
 * the milestones, such as interruptions, of which there are few.  Numbers tell
 * their order.
 *
 * Part of the trace: shared with the parent process, and not to be trusted. */
#ifndef RDL__STEPS_H
#define RDL__STEPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "port/modules.h"

enum rdl__step_how {
    RDL__STEP_DONE,
    RDL__STEP_INTERRUPTED, /* the thread stood before it, and another took over */
    RDL__STEP_WAITS,       /* the thread had to wait before it */
    RDL__STEP_ENDS,        /* no operation: the thread came to its end */
};

/* Of a lock in C++'s library, the code that takes it is the fourth caller. */
enum { RDL__STEP_CALLERS = 6 };

struct rdl__step {
    uint64_t number; /* from 1 */
    uintptr_t pc;    /* a return address; 0: none */
    uintptr_t object;
    uintptr_t also;                       /* another object that is written; 0: none */
    uintptr_t callers[RDL__STEP_CALLERS]; /* innermost first, as return addresses; 0: no more */
    uint32_t size;
    uint16_t thread; /* in order of creation; 0 is the first */
    uint16_t other;  /* 1 + the thread that it is about (who is joined, on whose stack the
                        object lies); 0: none */
    uint8_t op;      /* enum rdl__op_kind */
    uint8_t touch;   /* enum rdl__touch */
    uint8_t thing;   /* enum rdl__thing */
    uint8_t how;
};

enum { RDL__CALLERS_MAX = 16 };

/* The calls that led to a place, innermost first: where each goes on when it returns. */
struct rdl__callers {
    uint32_t count; /* the innermost ones */
    uintptr_t pcs[RDL__CALLERS_MAX];
};

/* A place that a text speaks of, and how the thread came there. */
struct rdl__call_stack {
    uintptr_t pc;
    bool is_origin; /* how the memory came to be: no part of what went wrong */
    struct rdl__callers callers;
};

enum {
    RDL__STACKS_MAX = 128,
    RDL__STEPS_RECENT = 1 << 14, /* to be drawn; */
    RDL__STEPS_TOLD = 1 << 11,   /* of which reports in words look at the last */
    RDL__STEPS_KEPT = 1024,
    RDL__MILESTONES = 512,
    RDL__STEP_THREADS = 512, /* that have a name here */
    RDL__STEP_NAMES = 256,
};

struct rdl__steps {
    bool begun;     /* there are controlled threads */
    uint64_t count; /* steps, all in all */
    uint64_t recent_count, kept_count;
    uint32_t milestone_count;
    uint32_t preemptions;
    uint32_t running; /* the thread whose turn it is */
    uint32_t threads; /* there are names[0..threads-1] */
    uint32_t object_count;
    uint32_t stack_count;

    struct rdl__modules modules;                /* that the steps lie in */
    struct rdl__step recent[RDL__STEPS_RECENT]; /* rings: the last ones */
    struct rdl__step kept[RDL__STEPS_KEPT];
    struct rdl__step milestones[RDL__MILESTONES];
    char names[RDL__STEP_THREADS][40];
    struct {
        uintptr_t object;
        char name[32]; /* as texts of the outcome call it: "mutex 1" */
    } objects[RDL__STEP_NAMES];
    struct rdl__call_stack stacks[RDL__STACKS_MAX];
};

void rdl__steps_clear(struct rdl__steps *steps);

enum { RDL__STEP_IS_MILESTONE = 1, RDL__STEP_IS_KEPT = 2, RDL__STEP_IS_RECENT = 4 };

/* The step has its number already. */
void rdl__steps_add(struct rdl__steps *steps, const struct rdl__step *step, unsigned as);

void rdl__steps_name_thread(struct rdl__steps *steps, uint32_t thread, const char *name);
/* Its number, from 0 on; RDL__STACKS_MAX: there is no room. */
uint32_t rdl__steps_add_stack(struct rdl__steps *steps, const struct rdl__call_stack *stack);
void rdl__steps_name_object(struct rdl__steps *steps, uintptr_t object, const char *name);

/* Those that reports in words look at, in order, each once; or all that are there.  free() them. */
struct rdl__step *rdl__steps_read(const struct rdl__steps *steps, size_t *out_count);
struct rdl__step *rdl__steps_read_all(const struct rdl__steps *steps, size_t *out_count);

/* "thread 3" if there is no name. */
const char *rdl__steps_thread(const struct rdl__steps *steps, uint32_t thread, char room[40]);

/* What there is, without what there is room for. */
void rdl__steps_copy(struct rdl__steps *to, const struct rdl__steps *from);

#endif
