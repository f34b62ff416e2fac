/* space.h -- all that a spec and its clients can come to: a graph.
 *
 * A configuration is the state, the scheduling state, the states of the clients, and the
 * calls that wait in the order of their arrival.  A step leads from one to another: a client
 * calls (which checks the call in), or a call goes on (and returns).  Configurations are
 * numbered as they are found, breadth first, so a smaller number is never farther away.
 *
 * Files:    space.c keeps configurations and steps; moves.c takes the steps; cycles.c looks
 *           for those that can be repeated for ever; tell.c has the words.
 * Memory:   a configuration is bytes, all of one size; equal ones are found by their hash.
 *           They move when there are more, so `now` and `next` are copies to work on. */
#ifndef RDL__SPACE_H
#define RDL__SPACE_H

#include "drive/every.h"
#include "spec/spec.h"

enum {
    RDL__CLIENTS_MAX = 16,
    RDL__ARGUMENTS_MAX = 256,      /* tried of an operation and client, in a configuration; */
    RDL__ARGUMENTS_BY_KIND = 4096, /* looked at, where few of them make a difference */
};

/* The bounds: what is met first ends the search. */
enum {
    RDL__NODES_MAX = 200000,
    RDL__STEPS_MAX = 4000000,
    RDL__DRAWS_MAX = 16000000,
    RDL__NODE_BYTES_MAX = 256 << 20,
};

struct rdl__pending { /* then its arguments, then what the policy keeps of it */
    uint32_t number;
    uint16_t operation; /* which one of the spec */
    uint16_t client;
};

struct rdl__tally { /* at the beginning of a configuration */
    uint32_t count; /* of pending calls */
    uint32_t begun; /* calls so far, if their numbers matter; else 0 */
};

struct rdl__move {
    uint32_t to;
    uint16_t which; /* alternative */
    uint8_t client;
    bool executes; /* else the client calls */
};

struct rdl__node {
    uint32_t parent;       /* RDL__NONE at the beginning */
    uint32_t via;          /* the step that came from there */
    uint32_t first, count; /* its own steps */
    uint32_t hash;
    uint16_t moves;                /* clients that could take a step: call, or go on */
    uint16_t pending, holds, able; /* that have a call, with its cpre, and could go on */
    bool expanded; /* all its steps are known, but for arguments that were not tried */
    bool partial;  /* there are such arguments */
    bool broken;   /* the invariant does not hold */
};

/* When clients call. */
enum rdl__manner {
    RDL__ANY_TIME,
    RDL__WHEN_QUIET, /* only when no call could go on; of clients that are alike, the first */
    RDL__WHEN_TOLD,  /* by rdl__moves_call */
};

enum { RDL__KINDS_MAX = 64 };

struct rdl__space {
    struct rdl_case *t;
    const struct rdl_spec *spec;
    const struct rdl_policy *policy;
    unsigned clients;
    enum rdl__manner manner;

    size_t sched_at, clients_at, client_size, calls_at, call_size, args_at, info_at, state_at, size;

    unsigned char *bytes; /* of all configurations */
    struct rdl__node *nodes;
    uint32_t count, room;
    struct rdl__move *steps;
    uint32_t step_count, step_room;
    uint32_t *table; /* node + 1, by hash; 0: free */
    uint32_t table_size;

    /* The configuration at hand, what it was before anybody was shown it, where a step leads. */
    unsigned char *now, *clean, *next, *spare;
    uint32_t from; /* its number */
    struct rdl_call calls[RDL__CLIENTS_MAX];
    const struct rdl_call *queue[RDL__CLIENTS_MAX];
    void *drawn, *drawn_clean, *answer, *spare_answer;
    struct rdl__every every;
    uint32_t draws;
    uint64_t caps[RDL__OPERATIONS_MAX + 1]; /* see rdl__every_start; the last: beginnings */

    /* Of the arguments with which a call meets the same preconditions, and waits or does not, only
     * the simplest; and those that were met by the operation at hand. */
    bool by_kind;
    struct {
        uint64_t met;
        bool waits;
    } kinds[RDL__KINDS_MAX];
    uint32_t kind_count;

    bool numbered; /* calls have numbers, since the spec asks for them */
    bool wants_numbers;
    bool cut;        /* there is more than this */
    bool partial;    /* not all arguments were tried */
    uint32_t broken; /* the first such node, or RDL__NONE */
    bool called[RDL__OPERATIONS_MAX], executed[RDL__OPERATIONS_MAX];

    struct rdl__text text; /* the report */
    bool traced;
};

/* Freed when the case ends. */
struct rdl__space *rdl__space_new(struct rdl_case *t, const struct rdl_spec *spec,
                                  unsigned clients);
void rdl__space_explore(struct rdl__space *space);

/* For RDL__WHEN_TOLD: the first beginning is node 0; then the steps of a node, if they are not
 * known yet. */
void rdl__space_begin(struct rdl__space *space);
void rdl__space_expand(struct rdl__space *space, uint32_t node);

/* ---- Within a configuration ----------------------------------------------------------------- */

static inline struct rdl__tally *rdl__tally_in(unsigned char *config)
{
    return (struct rdl__tally *)config;
}

static inline void *rdl__state_in(const struct rdl__space *space, unsigned char *config)
{
    return config + space->state_at;
}

static inline void *rdl__sched_in(const struct rdl__space *space, unsigned char *config)
{
    return config + space->sched_at;
}

static inline void *rdl__client_in(const struct rdl__space *space, unsigned char *config,
                                   unsigned client)
{
    return config + space->clients_at + client * space->client_size;
}

static inline struct rdl__pending *rdl__call_in(const struct rdl__space *space,
                                                unsigned char *config, uint32_t i)
{
    return (struct rdl__pending *)(config + space->calls_at + i * space->call_size);
}

static inline void *rdl__args_of(const struct rdl__space *space, struct rdl__pending *call)
{
    return (unsigned char *)call + space->args_at;
}

static inline void *rdl__info_of(const struct rdl__space *space, struct rdl__pending *call)
{
    return (unsigned char *)call + space->info_at;
}

static inline unsigned char *rdl__config(const struct rdl__space *space, uint32_t node)
{
    return space->bytes + node * space->size;
}

/* ---- Between space.c and moves.c ------------------------------------------------------------ */

/* `next` is a configuration that can be reached from `from` like this. */
void rdl__space_link(struct rdl__space *space, struct rdl__move step);
void rdl__space_root(struct rdl__space *space);

void rdl__moves_begin(struct rdl__space *space);                 /* all beginnings */
void rdl__moves_expand(struct rdl__space *space, uint32_t node); /* all steps from there */

/* A client calls, at a node: where that leads, or RDL__NONE if `pre` does not hold. */
uint32_t rdl__moves_call(struct rdl__space *space, uint32_t node, unsigned client,
                         uint16_t operation, const void *args);

/* A configuration as the one at hand. */
void rdl__moves_load(struct rdl__space *space, uint32_t node);

/* Let the i-th pending call of the one at hand happen: `next`, and the answer. */
bool rdl__moves_execute(struct rdl__space *space, uint32_t i, unsigned which);

/* Its place in the queue of the one at hand. */
uint32_t rdl__place_of_client(const struct rdl__space *space, unsigned client);

/* ---- Cycles --------------------------------------------------------------------------------- */

enum rdl__why_overtaken {
    RDL__BY_POLICY, /* it never can go on: when its cpre holds, the policy is against it */
    RDL__BY_CHANCE, /* it can go on again and again, but so can others */
    RDL__BY_STATE,  /* its cpre never holds */
};

struct rdl__cycle {
    enum rdl__why_overtaken why;
    unsigned client;
    uint32_t from;   /* the node in which it begins and ends */
    uint32_t *steps; /* free() it */
    uint32_t count;
};

/* A way to overtake a call for ever, for this reason, as near as there is; false: none. */
bool rdl__find_cycle(const struct rdl__space *space, enum rdl__why_overtaken why,
                     struct rdl__cycle *out);

/* ---- In words ------------------------------------------------------------------------------- */

/* The shortest run to a node, step by step. */
void rdl__tell_run(struct rdl__space *space, struct rdl__text *out, uint32_t node);
void rdl__tell_cycle(struct rdl__space *space, struct rdl__text *out,
                     const struct rdl__cycle *cycle);

/* What lets calls of an operation go on, if their cpre holds. */
const char *rdl__who_decides(const struct rdl__space *space, const struct rdl_operation *op);

/* Why those wait who wait there. */
void rdl__tell_waiting(struct rdl__space *space, struct rdl__text *out, uint32_t node);

#endif
