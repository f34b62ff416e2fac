/* stage_inner.h -- what a stage is made of; between the files that are one. */
#ifndef RDL__STAGE_INNER_H
#define RDL__STAGE_INNER_H

#include "drive/stage.h"
#include "drive/waits.h"

enum { RDL__DEPTH_MAX = 64 };

/* What a call-out was made with, or the answer to it. */
struct rdl__said {
    const struct rdl_operation *op;
    struct rdl__said *next;
    char bytes[];
};

/* Somebody is being called. */
struct rdl__frame {
    struct rdl__component *component; /* NULL: it is not on the stage, and only mocked */
    const struct rdl_operation *op;
    const void *args;
    const struct rdl_step *step; /* of the caller's call-outs; NULL: they say nothing of it */
    const char *caller;          /* the name of its spec */
    uintptr_t pc;                /* where it was called from; 0: by us */
    struct rdl__callouts callouts;
    struct rdl__wait wait;
    void *copy, *answer, *scratch; /* room for arguments, and for answers */
    struct rdl__said *said;        /* what its call-outs were answered, the last first */
    struct rdl__said *asked;       /* and what they were made with */
    bool deviates;                 /* from its spec, this time */
    uint32_t drawn;                /* the call, in the picture of the case; 0: it is not */
};

/* The calls that a thread is in: the lowest is the test's. */
struct rdl__stack {
    struct rdl__frame frames[RDL__DEPTH_MAX];
    uint32_t depth;
    uint32_t client; /* whose thread it is, from 1; 0: nobody's */
    struct rdl__stack *next;
};

struct rdl__stage {
    struct rdl_case *t;
    struct rdl__component components[RDL__COMPONENTS_MAX];
    uint32_t count;
    struct rdl__stack *stacks;
    struct rdl__frame *last; /* call of the test; threads that the code makes itself belong to it */
    uint32_t open;           /* calls of the test; if there are several, none of them is the last */
    struct rdl__waits waits;
    size_t info_room;       /* for what a policy keeps of a call */
    struct rdl__sizes room; /* for arguments and answers of any spec */
    void *state;            /* room for a state */
    uint32_t number;        /* of calls */
    bool has_faults;        /* calls were answered by others than the specs */
    bool told;
    const struct rdl__frame *line; /* that the last line that was told is about */
};

/* Of the case at hand; NULL: there is none. */
extern struct rdl__stage *rdl__the_stage;

/* The calls that this thread is in. */
struct rdl__stack *rdl__stack_of(struct rdl__stage *stage);

/* NULL: it is not on the stage. */
struct rdl__component *rdl__component_of(struct rdl__stage *stage, const struct rdl_operation *op);

/* Before code is blamed for a call that it does not make: would that be seen?  If not, it is the
 * test that is wrong. */
void rdl__stage_check_seen(struct rdl__stage *stage, const struct rdl__frame *caller);

/* A call-out of this frame (NULL: of nobody's) was made, and was answered: answers.c. */
void rdl__stage_asked(struct rdl__stage *stage, struct rdl__frame *caller,
                      const struct rdl_operation *op, const void *args);
void rdl__stage_said(struct rdl__stage *stage, struct rdl__frame *caller,
                     const struct rdl_operation *op, const void *answer);

/* ---- In words: stage_tell.c ------------------------------------------------------------------ */

void rdl__stage_add_call(struct rdl__text *out, const struct rdl_operation *op, const void *args);
void rdl__stage_add_place(struct rdl__text *out, uintptr_t pc);

/* A call is made; it is answered; it is over, in the picture of the case. */
void rdl__stage_tell_call(struct rdl__stage *stage, struct rdl__frame *frame);
void rdl__stage_tell_answer(struct rdl__stage *stage, const struct rdl__frame *frame);
void rdl__stage_draw_end(struct rdl__stage *stage, const struct rdl__frame *frame);

/* The case fails by this check.  Who called whom, and the states, are added. */
_Noreturn void rdl__stage_fail(struct rdl__stage *stage, const char *check, struct rdl__text *text);

#endif
