/* sequence.h -- sequences of calls, one at a time, of which is known what comes of each.
 *
 * A plan (RDL_TEST_PLAN) is found by looking at all that the spec and some clients can come to;
 * a table (RDL_TEST_TABLE) is written by hand.  Both are steps: a client calls, and it returns
 * or blocks; or a call that has blocked is continued, because of the call before it.
 *
 * Files:    routes.c has the ways from one quiet moment of a spec to the next; planner.c finds
 *           short ones; table.c reads tables; sequence.c makes the calls and compares;
 *           sequence_words.c has the words, export.c writes C.
 * Memory:   a script has an arena.  Scripts are made once for each process and test, and stay. */
#ifndef RDL__SEQUENCE_H
#define RDL__SEQUENCE_H

#include "case/case.h"
#include "spec/spec.h"

enum rdl__expected {
    RDL__WHATEVER, /* the spec allows */
    RDL__BLOCKS,
    RDL__RETURNS,
};

struct rdl__planned {
    int time;
    uint32_t client;
    const struct rdl_operation *op;
    void *args;
    bool continued; /* the call that this client has made before goes on */
    enum rdl__expected expected;
    void *answer; /* NULL: nothing is said of it */
    uint64_t met; /* preconditions */
    void *before; /* the state; NULL: not known */

    /* Of a call that blocks, if no step says that it is continued: 1 + the step whose call lets it
     * go on all the same (0: none), and what it answers then. */
    uint32_t let_on;
    void *late_answer;
};

struct rdl__sequence {
    struct rdl__arena *memory;
    struct rdl__planned *steps;
    uint32_t count, room;
    uint32_t homeward; /* after these, so many more after which nobody waits */
    void *state;       /* at the beginning */
    void *clients;     /* their states then, one after the other */
    void *after;       /* the state at the end; NULL: not known */
};

struct rdl__script {
    struct rdl__arena *memory;
    const struct rdl_test *test;
    const struct rdl_spec *spec;
    struct rdl__sequence *sequences; /* each begins anew */
    uint32_t count, room;
    uint32_t calls; /* of all of them */
    uint32_t clients;
    const char **names; /* of the clients */
    bool is_table;
    struct rdl__script *next; /* of another test */

    uint64_t met;  /* preconditions that are tried; of a plan: */
    bool shortest; /* no sequence with fewer calls tries them all */
    bool proven;   /* the others cannot be tried, */
    bool by_luck;  /* unless after calls of which it is not certain what comes of them */
};

/* The script of the test of this case. */
const struct rdl__script *rdl__script_of(struct rdl_case *t);

/* Why it has no call under this precondition. */
enum rdl__untried rdl__why_untried(const struct rdl__script *script, uint32_t precondition);

/* How they are made: planner.c and table.c.  `out` knows the test and the spec. */
void rdl__plan_script(struct rdl_case *t, struct rdl__script *out);
void rdl__read_table(struct rdl_case *t, struct rdl__script *out);

/* Where there is more to search through, plans are perhaps not the shortest.  For tests to set. */
extern uint32_t rdl__plan_pairs_max;

void rdl__script_release(struct rdl__script *script);

/* A sequence that begins here, and grows. */
struct rdl__sequence *rdl__script_add(struct rdl__script *script, const void *state,
                                      const void *clients);
struct rdl__planned *rdl__sequence_add(struct rdl__sequence *sequence);
void *rdl__keep(struct rdl__arena *memory, const void *bytes, size_t size);

/* ---- In words ------------------------------------------------------------------------------- */

/* "{R1, R4: contents = ""; client 1 waits in receive()}": before the i-th step, or at the end;
 * nothing if the state is not known. */
void rdl__add_assertion(struct rdl__text *out, const struct rdl__script *script,
                        const struct rdl__sequence *sequence, uint32_t i);

/* "t3: client 1: receive() continued" */
void rdl__add_step(struct rdl__text *out, const struct rdl__script *script,
                   const struct rdl__planned *step);

/* "returns 'a'" */
void rdl__add_expected(struct rdl__text *out, const struct rdl__planned *step);

/* All of it; and in one line, what it covers. */
void rdl__add_script(struct rdl__text *out, const struct rdl__script *script);
void rdl__add_extent(struct rdl__text *out, const struct rdl__script *script);

/* As a C file. */
bool rdl__export_script(struct rdl__text *out, const struct rdl__script *script, const char *path,
                        struct rdl__error *error);

#endif
