/* case.h -- the case at hand, as the library sees it.
 *
 * There is one at a time in a process (rdl__current); threads of the code under
 * test share it.  Where its parts lie is its maker's business: in a worker the
 * tape, trace, outcome and statistics are shared with the parent. */
#ifndef RDL__CASE_H
#define RDL__CASE_H

#include <pthread.h>
#include <setjmp.h>

#include "base/memory.h"
#include "case/races.h"
#include "choice/tape.h"
#include "choice/token.h"
#include "observe/stats.h"
#include "observe/trace.h"
#include "raddle/case.h"
#include "raddle/test.h"

enum rdl__verdict {
    RDL__PASSED,
    RDL__FAILED,
    RDL__DISCARDED,
    RDL__SKIPPED,
    RDL__MISUSED, /* the test calls us wrongly: nothing can be said of the code under test */
    RDL__CUT,     /* stopped by the limit on choices */
    RDL__UNFIT,   /* a token no longer fits */
};

enum rdl__cause {
    RDL__BY_CHECK,
    RDL__BY_CRASH, /* number is the signal; 0: a sanitizer's report */
    RDL__BY_EXIT,  /* number is the status */
    RDL__BY_HANG,
    RDL__BY_DEADLOCK,
    RDL__BY_LIVELOCK,
    RDL__BY_RACE,
    RDL__BY_LEAK,   /* a thread is left over at the end */
    RDL__BY_MISUSE, /* of a primitive, such as unlocking somebody else's mutex */
    RDL__BY_ASSERT, /* assert() of the code under test */
    RDL__BY_OUTPUT, /* it printed something else than it should */
    RDL__BY_MEMORY, /* a wrong use of the heap: see control/sched/memory.h */
    RDL__BY_SPEC,   /* it does what its spec does not allow: see class */
};

/* Places in the code stand in the texts of an outcome as RDL__AT, the address (one to
 * return to) as 16 hexadecimal digits, RDL__AT_END.  Whoever reports puts file and line
 * in their stead; after RDL__AT_FUNCTION the function, too, and after RDL__IN_FUNCTION
 * nothing else. */
#define RDL__AT          "\1"
#define RDL__AT_FUNCTION "\3"
#define RDL__IN_FUNCTION "\4"
#define RDL__AT_STACK    "\5" /* the number of a stack (observe/steps.h), instead of an address */
#define RDL__AT_END      "\2"

struct rdl__outcome {
    enum rdl__verdict verdict;
    enum rdl__cause cause;
    int claimed; /* one thread has begun to write a failure */
    int number;
    int line; /* 0: not known */
    char file[256];
    char check[512]; /* what was checked, as the user wrote it */
    char text[4096]; /* what was seen instead */
    uint64_t origin; /* equal for failures that look like the same bug, */
    uint64_t kin;    /* and for those that are much alike; 0: only those of the same origin are */
    uintptr_t pc;    /* where to blame is returned to; 0: not known, or file and line say it */
    uint32_t stack;  /* 1 + the number of the stack of that place; 0: none is known */

    /* Of tests of a spec: */
    char class[20];      /* "bad-sched", ...; "": none of these */
    uint32_t phases;     /* or calls, one after the other */
    uint32_t concurrent; /* calls in one phase, at most */
    uint32_t deviations; /* that took effect: so many times */
    uint64_t states;     /* of components without code, when it passes: which they are in */

    struct rdl__ids exercised; /* requirements; see case/requirements.h */

    /* If its threads were controlled: */
    uint32_t threads, preemptions;
    uint64_t hash; /* of the order in which they did what */
};

enum { RDL__SCORES_MAX = 8, RDL__SHARES_MAX = 128 };

struct rdl__score {
    char name[RDL__NAME_ROOM];
    double value;
};

struct rdl__deferred {
    void (*undo)(void *it);
    void *it;
    bool ours;
    struct rdl__deferred *next;
};

/* What a case that takes long is at, for whoever watches it from outside. */
struct rdl__activity {
    const char *doing; /* "planning"; NULL: nothing that is worth telling */
    const char *noun;  /* what is counted */
    uint64_t count;
    uint64_t since_ns;
};

struct rdl_case {
    struct rdl__tape *tape;
    struct rdl__trace *trace;
    struct rdl__outcome *outcome;
    struct rdl__stats *stats;
    struct rdl__activity *activity;
    struct rdl__races *races;
    uint64_t wanted; /* if not 0, only failures of this origin count: see struct rdl__task */
    enum rdl__cause wanted_cause;
    bool counted; /* labels and measures go to the statistics */

    const struct rdl_test *test;
    struct rdl__settings settings;
    struct rdl__settings *told; /* of these, what its token will say; NULL: it will have none */
    unsigned timeout_ms;        /* 0: it may take as long as it likes */
    void *fixture;
    struct rdl__arena arena;
    struct rdl__arena kept; /* what are compound literals in C, in C++ */
    struct rdl__deferred *deferred;
    struct rdl__score scores[RDL__SCORES_MAX];
    uint32_t score_count;
    uint32_t nodes_left;              /* of recursive structures; see rdl_grow */
    double growth;                    /* chance's idea of how bushy they are; 0: not decided */
    uint32_t shares[RDL__SHARES_MAX]; /* and how many nodes each child to come may have */
    uint32_t share_count;
    unsigned hidden;   /* depth of our own generators: what they draw is not shown */
    uint64_t left_out; /* operations of a spec that chance does not call: bit i is number i */

    pthread_t thread;
    jmp_buf escape;
    void (*abandon)(void);             /* ends the process when another thread fails */
    void (*leave)(struct rdl_case *t); /* if set: how controlled threads end the case */
};

/* As long as the case lives, or for ever if there is none (raddle/base.h, for C++). */
RDL_API void *rdl__keep_value(const void *bytes, size_t size);

/* Labels of our own spans; a user's label is the hash of its text. */
enum {
    RDL__LABEL_LIST = 1,
    RDL__LABEL_ELEMENT,
    RDL__LABEL_ONE_OF,
    RDL__LABEL_DOUBLE,
    RDL__LABEL_GROUP,
    RDL__LABELS, /* as good as surely no hash is as small as this */
};

extern struct rdl_case *rdl__current;

/* As rdl_defer, for ourselves: when no thread of the case runs any more. */
void rdl__defer(struct rdl_case *t, void (*undo)(void *it), void *it);

/* Call what the user has deferred, and no more than that. */
void rdl__undo_for_user(struct rdl_case *t);

/* To be called again and again by what takes long; with NULL when it is over. */
void rdl__doing(struct rdl_case *t, const char *doing, const char *noun, uint64_t count);

/* Who is told about it at once, if it is in this process; NULL: nobody. */
extern void (*rdl__watch_activity)(const struct rdl__activity *activity);

/* This process has too much of earlier cases in it: another one is to run the next. */
extern bool rdl__worn_out;

/* If set: the case has failed, and the stack is still as it was then. */
extern void (*rdl__on_failure)(struct rdl_case *t);

/* End the case, on its own thread: what stands in the outcome is the result. */
_Noreturn void rdl__case_leave(struct rdl_case *t);

/* The case fails, by something else than a check; places in the text are marked as above. */
_Noreturn void rdl__failed_by(enum rdl__cause cause, const char *file, int line, const char *what,
                              struct rdl__text *text);

/* The same, where the code that is to blame is known by where it goes on. */
_Noreturn void rdl__failed_from(enum rdl__cause cause, uintptr_t pc, const char *what,
                                struct rdl__text *text);

/* The test calls us wrongly. */
_Noreturn void rdl__misuse(struct rdl_case *t, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The same where there may be no case: then it is said, and the program ends. */
_Noreturn void rdl__misuse_at(const char *file, int line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The same, by code that has no file and line for us: the pc of it, a return address. */
_Noreturn void rdl__misuse_by(uintptr_t caller, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Functions of ours that call the user's are marked RDL__ENTRY.  What returns there was
 * called last by the user's function, with a jump ("tail call"): that is all the code
 * to blame that is known. */
#define RDL__ENTRY __attribute__((noinline, section("rdl_entry")))

extern const char __start_rdl_entry[] __attribute__((visibility("hidden")));
extern const char __stop_rdl_entry[] __attribute__((visibility("hidden")));

static inline bool rdl__is_entry(uintptr_t pc)
{
    return pc - (uintptr_t)__start_rdl_entry <= (uintptr_t)(__stop_rdl_entry - __start_rdl_entry);
}

/* The pc of the code that called the function this is used in. */
#define RDL__CALLER ((uintptr_t)__builtin_return_address(0))

/* Are values that are drawn now to be shown?  If so, rdl__show them. */
static inline bool rdl__showing(const struct rdl_case *t)
{
    return __builtin_expect(t->trace->on, 0) && t->hidden == 0;
}

void rdl__show(struct rdl_case *t, const char *file, int line, const char *what, uint32_t from,
               const struct rdl__text *value);

#endif
