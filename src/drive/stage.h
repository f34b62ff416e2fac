/* stage.h -- components that call each other: who is real, who is played by its spec, and what is
 * said of their calls.
 *
 * Whoever is called has a frame, as on a stack: what it was called with, and what it may call in
 * turn (callouts.h).  A call is taken by the frame of who makes it, then looked at from the side of
 * who is called: is it an allowed caller, does `pre` hold?  A real one is called then; one that is
 * played performs the calls that its spec says, and its `post` answers.  At the end all that was to
 * be called has been, and the answers agree.
 *
 * What a component calls comes here through the functions in place of the real ones: .mock, which
 * calls rdl__op_called.  Components that nobody plays are answered for by what the caller's
 * call-outs say. */
#ifndef RDL__STAGE_H
#define RDL__STAGE_H

#include "drive/callouts.h"
#include "drive/drive.h"

enum { RDL__COMPONENTS_MAX = 32 };

struct rdl__component {
    const struct rdl_spec *spec;
    void *state;    /* the model's; NULL: it is only mocked */
    void *object;   /* the real thing; NULL: it is played */
    bool says_what; /* its operations have .callouts */
    bool is_tested; /* by RDL_TEST_MODEL: others cannot call it */
    void *policy_state;
};

struct rdl__stage;

/* One that lasts as long as the case.  Components are added before anything is called. */
struct rdl__stage *rdl__stage_new(struct rdl_case *t);
struct rdl__component *rdl__stage_add(struct rdl__stage *stage, const struct rdl_spec *spec,
                                      void *state);
struct rdl__component *rdl__stage_add_named(struct rdl__stage *stage, const char *name);

/* The functions of these specs lead here from now on; all of the program's but those that are
 * real, if `names` is NULL.  `spies`: also those of real ones. */
void rdl__stage_mock(struct rdl__stage *stage, const char *const *names, bool spies);

/* For RDL_TEST_MODEL and RDL_TEST_RESOURCE: the component under test, in this state, and those that
 * stand in for its neighbours; NULL: it has no neighbours. */
struct rdl__stage *rdl__stage_of_model(struct rdl_case *t, void *state,
                                       struct rdl__component **out_self);

/* The test calls an operation, whatever is its own way to: between these two, calls that are made
 * are taken as call-outs of it.  The state is that before the call. */
void rdl__stage_enter(struct rdl__stage *stage, struct rdl__component *component,
                      const struct rdl_operation *op, const void *args);
void rdl__stage_leave(struct rdl__stage *stage);

/* From now on several threads call at the same time, by these two; who has to wait does. */
void rdl__stage_share(struct rdl__stage *stage);
void rdl__stage_enter_as(struct rdl__stage *stage, struct rdl__component *component,
                         const struct rdl_call *call, bool unsure);
void rdl__stage_leave_as(struct rdl__stage *stage);

/* Nothing has been told of calls yet.  Who waits in them, a line each. */
void rdl__stage_tell_anew(struct rdl__stage *stage);
void rdl__stage_add_waiting(const struct rdl__stage *stage, struct rdl__text *out);

/* Is there somebody to answer for this one: is it on the stage? */
bool rdl__stage_has(const struct rdl__stage *stage, const struct rdl_operation *op);

/* Has anything been told of calls since the last rdl__stage_enter? */
bool rdl__stage_told(const struct rdl__stage *stage);

/* The test calls an operation, and all that follows happens. */
void rdl__stage_call(struct rdl__stage *stage, struct rdl__component *component,
                     const struct rdl_operation *op, const void *args);

/* Is the caller ("test") one that may call it? */
bool rdl__may_call(const char *caller, const struct rdl_operation *op);

/* ---- Who is who: cast.c ---------------------------------------------------------------------- */

/* Are components and stand-ins of a test such that it can be run?  Why not, otherwise. */
bool rdl__cast_check(const struct rdl_test *test, struct rdl__error *error);

/* Is it the code of this spec that the test is about? */
bool rdl__is_real(const struct rdl_options *options, const struct rdl_spec *spec);

/* Is the spec of this name played in it? */
bool rdl__plays(const struct rdl_options *options, const char *spec);

/* ---- Calls at the same time: foresee.c ------------------------------------------------------- */

/* So many calls may be open at once, for those below. */
enum { RDL__FORESEEN_MAX = 64 };

struct rdl__viable;

/* Calls that are about to be made at the same time, in a state that the judge has in mind. */
struct rdl__foreseen {
    struct rdl_case *t;
    const struct rdl__stage *stage;
    const struct rdl_spec *spec;
    struct rdl__viable *viable;
    struct rdl_call calls[RDL__FORESEEN_MAX]; /* these, and after them those that wait already */
    bool unsure[RDL__FORESEEN_MAX];           /* out: it is not certain what the call-outs are */
    uint32_t count, all_count;
};

/* False: such that nobody knows how to answer; they cannot be made. */
bool rdl__foresee(struct rdl__foreseen *f);

/* ---- Deviations: deviation.c ---------------------------------------------------------------- */

/* All that there are, in the order of their registration.  Those of the same text belong together
 * and are in force together; it is by their text that they are spoken of. */
const struct rdl_deviation *rdl__deviations(void);
const struct rdl_deviation *rdl__deviation_named(const char *text); /* the first; NULL: none */
const char *rdl__deviation_spec(const struct rdl_deviation *deviation);

/* Is there one of this text?  If not, error has those that there are. */
bool rdl__deviation_check(const char *text, struct rdl__error *error);

/* Is it of a spec that plays in the test? */
bool rdl__deviation_plays(const char *text, const struct rdl_test *test);

/* Which is in force in all tests; NULL: in each the one that it says itself.  Workers have it from
 * the process that makes them. */
extern const char *rdl__deviation_in_force;

/* The one that is in force in this test, if it is of a spec that plays there; else NULL. */
const char *rdl__deviation_of(const struct rdl_test *test);

/* The deviation that is in force, of this operation, in this state; NULL: none. */
const struct rdl_deviation *rdl__deviation(const struct rdl_operation *op, const void *state,
                                           const void *args);

/* What to do when it never holds. */
extern const char rdl__deviation_advice[];

/* One has taken effect. */
void rdl__deviated(struct rdl_case *t);

#endif
