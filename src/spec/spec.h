/* spec.h -- what a spec says, asked in one way by all who use it.
 *
 * Interface:  the table of specs; whether one is well declared; may this call go on, and
 *             what does it do to the state?
 * Invariant:  whoever changes a state clears its padding afterwards, so that equal states
 *             have equal bytes (unless the spec compares them itself). */
#ifndef RDL__SPEC_INNER_H
#define RDL__SPEC_INNER_H

#include "base/error.h"
#include "base/json_scan.h"
#include "base/text.h"
#include "raddle/spec.h"

enum {
    RDL__OPERATIONS_MAX = 64,
    RDL__STATE_MAX = 1 << 20,
    RDL__CLIENTS_MOST = 64,
    RDL__PRECONDITIONS_MOST = 64, /* of all operations of a spec */
    RDL__NUMBER_MAX = 1000000,    /* what is larger was meant to be something else */
};

/* All specs of this program, in the order of their registration. */
const struct rdl_spec *const *rdl__specs(size_t *out_count);

/* NULL: there is none of this name. */
const struct rdl_spec *rdl__spec_named(const char *name);

/* Is it well declared?  Why not, otherwise.  `alone`: there is no real thing to be called. */
bool rdl__spec_check(const struct rdl_spec *spec, bool alone, struct rdl__error *error);

static inline const struct rdl_operation *rdl__operation(const struct rdl_spec *spec, size_t i)
{
    return spec->operations[i];
}

/* NULL: there is none of this name. */
const struct rdl_operation *rdl__operation_named(const struct rdl_spec *spec, const char *name);

static inline const struct rdl_policy *rdl__policy_of(const struct rdl_spec *spec)
{
    return spec->policy ? spec->policy : &rdl_policy_always;
}

/* What an `enabled` function has asked about the calls that wait: bit i is operation i.  So
 * much depends on them, and on nothing else. */
struct rdl__asked {
    const struct rdl_spec *spec;
    uint64_t counts; /* how many there are */
    uint64_t args;   /* what they were called with */
    bool order;      /* which of them came first */
};

/* Room for the arguments, and for the answer, of any of its operations. */
struct rdl__sizes {
    size_t args, answer;
};
struct rdl__sizes rdl__largest(const struct rdl_spec *spec);

/* The calls that wait, oldest first; `self` is the one that is asked about. */
struct rdl_queue {
    const struct rdl_call *const *calls;
    uint32_t count, self;
    struct rdl__asked *asked; /* is added to; NULL: nobody wants to know */
};

/* ---- States ----------------------------------------------------------------------- */

bool rdl__same_state(const struct rdl_spec *spec, const void *a, const void *b);
uint64_t rdl__hash_state(const struct rdl_spec *spec, const void *s);

/* ---- What a call may and does ------------------------------------------------------- */

static inline bool rdl__pre(const struct rdl_operation *op, const void *s, const void *a)
{
    return !op->pre || op->pre(s, a);
}

static inline bool rdl__cpre(const struct rdl_operation *op, const void *s, const void *a)
{
    return !op->cpre || op->cpre(s, a);
}

/* Does the policy let the call queue->self go on?  `p` and `info`: what it keeps. */
bool rdl__enabled(const struct rdl_spec *spec, const void *s, const void *p, const void *info,
                  const struct rdl_queue *queue);

/* Do these two compete, for policies that look at one operation? */
bool rdl__compete(const struct rdl_call *a, const struct rdl_call *b);

/* How many different things may happen when it goes on. */
static inline unsigned rdl__alternatives(const struct rdl_operation *op)
{
    return op->post_any ? op->alternatives : 1;
}

/* Let it happen to s: alternative `which`.  The model's answer goes to out_answer, which
 * has room for it.  False: not possible.  For operations without judge.  Here and in
 * rdl__explains, requirements that are reached are set aside: who knows that it really happens
 * calls rdl__reached_happened. */
bool rdl__post(const struct rdl_spec *spec, const struct rdl_call *call, void *s, unsigned which,
               void *out_answer);

/* Let it happen, if it can with this answer (NULL: with any).  `scratch` has room for an
 * answer.  s is spoilt if it cannot. */
bool rdl__explains(const struct rdl_spec *spec, const struct rdl_call *call, void *s,
                   unsigned which, const void *answer, void *scratch);

/* The operation is called, in the case at hand: so its requirements are exercised. */
void rdl__call_made(const struct rdl_operation *op);

/* Has anybody asked which call it is (rdl_this)?  Whoever wants to know sets it to false. */
extern bool rdl__this_asked;

/* Is this answer what the model says? */
bool rdl__same_answer(const struct rdl_operation *op, const void *model, const void *real);

/* ---- Preconditions: preconditions.c ------------------------------------------------------ */

/* Those of a spec are numbered, in the order of its operations: bit i of a set is number i. */
struct rdl__precondition {
    const struct rdl_operation *operation;
    char name[32];
    const char *text; /* what it means; "" if nothing is said */
    bool (*holds)(const void *s, const void *a, const struct rdl_queue *q);
};

size_t rdl__preconditions_of(const struct rdl_operation *op); /* how many */
uint32_t rdl__precondition_count(const struct rdl_spec *spec);
struct rdl__precondition rdl__precondition(const struct rdl_spec *spec, uint32_t number);

/* Is what an operation has well declared? */
bool rdl__preconditions_check(const struct rdl_operation *op, struct rdl__error *error);

/* Which of them hold for a call that is about to be made, while those of the queue wait. */
uint64_t rdl__preconditions_met(const struct rdl_spec *spec, const struct rdl_operation *op,
                                const void *s, const void *a, const struct rdl_call *const *waiting,
                                uint32_t count);

/* ---- In words: show.c ----------------------------------------------------------------- */

/* Look up the types of all specs now: it takes long, and processes that are copied from this
 * one later need not.  Otherwise they are looked up when they are first needed. */
void rdl__show_prepare(void);

/* The same for where types have padding, if the compiler could not tell (padding.c). */
void rdl__padding_prepare(void);

/* "enter(n = 0, weight = 100)"; "3"; "{weight = [700, 0], occupied = [false, true]}" */
void rdl__show_call(struct rdl__text *out, const struct rdl_operation *op, const void *args);
void rdl__show_answer(struct rdl__text *out, const struct rdl_operation *op, const void *answer);
void rdl__show_state(struct rdl__text *out, const struct rdl_spec *spec, const void *s);
void rdl__show_client(struct rdl__text *out, const struct rdl_spec *spec, const void *me);
void rdl__show_sched(struct rdl__text *out, const struct rdl_policy *policy, const void *p);

/* The types of arguments, answers and states; NULL: not known. */
const struct rdl__type *rdl__args_type(const struct rdl_operation *op);
const struct rdl__type *rdl__answer_type(const struct rdl_operation *op);
const struct rdl__type *rdl__state_type(const struct rdl_spec *spec);

/* The other way round, for recorded histories: what is shown, or the values alone, in order:
 * "0 100".  False: error says what is not understood. */
bool rdl__read_args(const struct rdl_operation *op, const char *text, void *out,
                    struct rdl__error *error);
bool rdl__read_answer(const struct rdl_operation *op, const char *text, void *out,
                      struct rdl__error *error);

/* The type that a member of a variable points to, if values of it have this size; NULL: not
 * known.  Those of many variables are found at once, since it takes long. */
struct rdl__typed {
    const void *variable;
    const char *member;
    size_t size;
};
void rdl__types_learn(const struct rdl__typed *items, size_t count);
const struct rdl__type *rdl__type_of(const struct rdl__typed *item);

/* A value, "3", by its type; if that is NULL, a number, or its bytes.  And from JSON. */
void rdl__show_value(struct rdl__text *out, const struct rdl__type *type, const void *value,
                     size_t size);
bool rdl__read_json(const struct rdl__type *type, struct rdl__json_scan *scan, void *out,
                    size_t size, struct rdl__error *error);

/* What a function of the user prints, on one line. */
void rdl__show_printed(struct rdl__text *out, void (*show)(FILE *out, const void *value),
                       const void *value);

/* As the debugging information has it: do they differ in nothing but padding?  False if
 * that is not known. */
bool rdl__answers_look_the_same(const struct rdl_operation *op, const void *a, const void *b);

#endif
