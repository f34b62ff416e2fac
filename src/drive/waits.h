/* waits.h -- calls of components that have to wait, and what lets them go on.
 *
 * A component that plays keeps its callers waiting as its spec says: until .cpre holds and the
 * policy is for them.  One that is only mocked keeps them until another operation's call-outs
 * release them; what is released when nobody waits is kept.
 *
 * Callers are the threads of a test, controlled or free.  All that is here is looked at and changed
 * between rdl__stage_lock and rdl__stage_unlock; whoever waits lets others in. */
#ifndef RDL__WAITS_H
#define RDL__WAITS_H

#include "case/case.h"
#include "events/events.h"
#include "spec/spec.h"

struct rdl__component;

/* Somebody who calls, and may have to wait. */
struct rdl__wait {
    struct rdl_call call;
    struct rdl__component *component; /* that plays; NULL: it is to be released */
    const struct rdl_event_type *type;
    uintptr_t pc;
    bool waits, may_go_on;
    void *info;         /* what the policy keeps of it */
    const void *answer; /* that it is released with */
    struct rdl__wait *next;
};

struct rdl__waits {
    bool can_end;            /* others call at the same time; false: who waits does so for ever */
    struct rdl__wait *first; /* in the order in which they came */
    struct rdl__kept *kept;  /* releases that nobody has come for */
    struct rdl__arena arena; /* of these, and of answers */
    uint32_t calls;
};

/* No other thread looks at components, or changes them, until the second; nor does this one, in
 * functions of the specs: false, it has the lock already.  Not held while code under test runs. */
bool rdl__stage_lock(void);
void rdl__stage_unlock(void);
void rdl__stage_lock_reset(void);

/* A call of this is about to be made, by a thread that does not have the lock: others may run
 * first. */
void rdl__stage_come(uintptr_t object, uintptr_t pc);

void rdl__waits_release(struct rdl__waits *waits);

/* It has come, and waits for its turn to call a component that plays; the call of the operation
 * takes place at once then.  False: that will never be. */
bool rdl__wait_for_turn(struct rdl__waits *waits, struct rdl__wait *wait);

/* The state of this component is another: who may go on now? */
void rdl__waits_changed(struct rdl__waits *waits, const struct rdl__component *component);

/* It has come, and waits to be released; `answer` is there then.  False: nobody will. */
bool rdl__wait_for_release(struct rdl__waits *waits, struct rdl__wait *wait);

/* Release whom this step is about. */
void rdl__waits_let_go(struct rdl__waits *waits, const struct rdl_step *step);

/* Who waits where, a line each; "": nobody does. */
void rdl__waits_add(const struct rdl__waits *waits, struct rdl__text *out);

#endif
