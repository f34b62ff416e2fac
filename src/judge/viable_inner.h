/* viable_inner.h -- between the files of the judge: what a history, a configuration and a
 * layer are.  viable.c says how they work together. */
#ifndef RDL__VIABLE_INNER_H
#define RDL__VIABLE_INNER_H

#include "base/memory.h"
#include "judge/viable.h"

/* How many calls can be open at once: begun, and not returned. */
enum { RDL__SLOTS = 64 };

struct rdl__seen_call {
    struct rdl_call call;
    void *answer;
    bool returned;
    uint32_t returned_at; /* which event that was; UINT32_MAX: it has not */
    uint8_t slot;         /* while it is open */
    uint8_t operation;    /* which of the spec's */
};

enum rdl__seen_kind { RDL__SEEN_BEGIN, RDL__SEEN_RETURN, RDL__SEEN_QUIET };

struct rdl__seen {
    enum rdl__seen_kind kind;
    struct rdl__seen_call *call;
};

/* How much of the policy there is to know. */
enum rdl__policy_mode {
    RDL__NO_POLICY, /* nothing */
    RDL__WHO_WAITS, /* who waits; it does not matter since when */
    RDL__IN_ORDER,  /* who came first: calls have ranks, equal ones while that is not known */
    RDL__WHO_CAME,  /* who has checked in; in which order, nobody asks */
    RDL__GENERAL,   /* what it keeps itself, and the order in which all have checked in */
};

/* A configuration.  After it come the scheduling state, the infos of all slots and the
 * state of the resource; what is not needed is left out, from `ranked` on.  Invariant: what is
 * not in use is zero. */
struct rdl__node {
    uint64_t executed;         /* of the open calls */
    uint64_t checked;          /* who came, general: who has checked in, and waits */
    uint32_t ranked;           /* in order: those that are new have their ranks */
    uint32_t waiting;          /* general: how many of order[] */
    uint8_t order[RDL__SLOTS]; /* general: slots by arrival; in order: rank of each slot, from 1 */
};

/* Where a configuration comes from: another of its layer, or the layer before. */
enum rdl__how {
    RDL__ENTERED, /* parent: which that the layer before emitted */
    RDL__CHECKED_IN,
    RDL__EXECUTED,
    RDL__RANKED,
    RDL__CAME_FIRST,
};

struct rdl__origin {
    uint32_t parent;
    uint8_t slot;
    uint8_t how;
    uint16_t reached; /* which set of requirements, on all the way; 0: none */
};

/* In a table of nodes: 1 + which, 0: none; and a part of its hash. */
struct rdl__place {
    uint32_t node, hash;
};

struct rdl__layer {
    struct rdl__seen_call *slots[RDL__SLOTS];
    uint8_t by_return[RDL__SLOTS]; /* those that are open, in the order in which they return */
    uint32_t open_count;
    uint64_t open;                 /* begun, not returned before this layer */
    uint64_t fresh;                /* begun in it */
    uint64_t old;                  /* begun before it was quiet last */
    uint64_t must;                 /* return in it */
    uint64_t may;                  /* may be executed */
    uint64_t alike;                /* return in it, as others do that were called alike, */
    uint64_t alike_to[RDL__SLOTS]; /* that is, as these and itself */
    bool quiet;                    /* it is, at the end */
    bool exhausted;                /* no other configuration will come out of it */

    char *nodes;
    struct rdl__origin *origins;
    uint32_t node_count, node_room;
    struct rdl__place *table; /* none while there are few nodes */
    uint32_t table_room;
    uint32_t *stack; /* to be looked at */
    uint32_t stack_count, stack_room;
    uint32_t *emitted; /* what has come out of it */
    uint32_t emitted_count, emitted_room;
    uint32_t sources; /* how many of what the layer before has emitted have been entered */
};

struct rdl__viable {
    const struct rdl_spec *spec;
    const struct rdl_policy *policy;
    unsigned flags;
    enum rdl__policy_mode mode;
    enum rdl__judgement judgement;
    size_t node_size, sched_at, info_at, state_at;
    bool plain; /* equal states have equal bytes */
    struct rdl__node *draft;
    void *answer;  /* room for one of the model's */
    void *initial; /* the state */

    struct rdl__arena arena;
    struct rdl__seen *seen;
    size_t seen_count, seen_room, judged;
    uint64_t open;
    struct rdl__seen_call *slots[RDL__SLOTS];

    /* As far as it has been judged: */
    uint64_t now_open, now_old;
    struct rdl__seen_call *now_slots[RDL__SLOTS];
    struct rdl__layer **layers;
    size_t layer_count, layer_room;
    size_t layers_most; /* when so many have piled up, the past is looked through */
    size_t bytes;       /* that all layers take */
    uint64_t looked;    /* at configurations, since this judge was made */

    /* What `enabled` has ever asked about others when it was asked about a call of each of
     * the operations; and whether anybody has asked who came first. */
    struct rdl__asked asked[RDL__OPERATIONS_MAX];
    bool wants_order;
    bool wants_numbers; /* what a call does depends on its number: no two are alike */

    struct rdl__ids *sets; /* of requirements that configurations have reached */
    uint32_t set_count;

    struct rdl__viable *less; /* the same history with fewer demands; see viable_explain.c */
};

/* ---- viable.c -------------------------------------------------------------------------------- */

/* Tell a judge what another has seen, as long as that can be explained. */
enum rdl__judgement rdl__viable_tell(struct rdl__viable *v, const struct rdl__seen *seen,
                                     size_t count);

/* Does it have to be done all over again, with more in mind? */
bool rdl__viable_wants_more(const struct rdl__viable *v);

/* ---- viable_search.c ------------------------------------------------------------------- */

struct rdl__node *rdl__node_at(const struct rdl__viable *v, const struct rdl__layer *layer,
                               uint32_t i);
void *rdl__node_state(const struct rdl__viable *v, const struct rdl__node *node);
void *rdl__node_sched(const struct rdl__viable *v, const struct rdl__node *node);

struct rdl__layer *rdl__layer_add(struct rdl__viable *v);
void rdl__layer_emit(struct rdl__viable *v, struct rdl__layer *layer, uint32_t i);

/* The node that lies in v->draft, if it is new: to be looked at. */
void rdl__layer_add_draft(struct rdl__viable *v, struct rdl__layer *layer, struct rdl__origin how);

/* Is it undecided: because it takes too much, or has to be done in another way? */
bool rdl__viable_gives_up(const struct rdl__viable *v);

/* Another configuration of the last layer, by way of those before if need be; false: there is none,
 * or it is too much. */
bool rdl__viable_find_another(struct rdl__viable *v);

/* Does a configuration come out of the last layer? */
enum rdl__judgement rdl__layer_judge(struct rdl__viable *v);

/* May this call go on there?  If not, *out_cpre says whether that is the policy's fault. */
bool rdl__node_lets(struct rdl__viable *v, const struct rdl__layer *layer,
                    const struct rdl__node *node, int slot, bool *out_cpre);

/* The same, of the policy, with these others there. */
bool rdl__node_lets_among(struct rdl__viable *v, const struct rdl__layer *layer,
                          const struct rdl__node *node, int slot, uint64_t there);

/* Add all that this call can become, by alternatives of what it does. */
void rdl__node_serve(struct rdl__viable *v, struct rdl__layer *layer, uint32_t from, int slot,
                     uint64_t arrivals);

/* What becomes of it then goes to v->draft.  False: not with the answer that was seen. */
bool rdl__node_execute(struct rdl__viable *v, const struct rdl__layer *layer,
                       const struct rdl__node *from, int slot, unsigned which);

/* A call that waits though it could go on; -1: none does. */
int rdl__node_idler(struct rdl__viable *v, const struct rdl__layer *layer,
                    const struct rdl__node *node);

/* ---- viable_arrive.c ----------------------------------------------------------------------- */

/* Execute a call whose cpre holds, after the check-ins of others that it takes. */
void rdl__node_serve_after_arrivals(struct rdl__viable *v, struct rdl__layer *layer, uint32_t from,
                                    int slot);

/* ---- viable_reached.c ---------------------------------------------------------------------- */

/* Which set of requirements has been reached if it was this one before the call that has just
 * been executed. */
uint16_t rdl__viable_reaches(struct rdl__viable *v, uint16_t before);

/* ---- viable_alike.c -------------------------------------------------------------------------- */

/* Find out which calls of a layer are alike. */
void rdl__layer_find_alike(const struct rdl__viable *v, struct rdl__layer *layer);

/* Of all nodes that differ in nothing but which of them have done what: the one. */
void rdl__node_settle(const struct rdl__viable *v, const struct rdl__layer *layer,
                      struct rdl__node *node);

/* Would another call, with the same outcome, do as well? */
bool rdl__node_has_twin(const struct rdl__viable *v, const struct rdl__layer *layer,
                        const struct rdl__node *node, int slot);

#endif
