/* raddle/spec.h -- say once what each operation does; test it in every way.
 *
 * A spec is a state and its operations.  State and arguments are plain bytes (structs
 * without pointers; raddle/model.h has containers for them), so that copying, comparing,
 * hashing and printing them costs nothing to write.  A queue that blocks:
 *
 *     struct items { rdl_fifo(int, 8) fifo; };
 *     struct item  { int value; };
 *
 *     static void put_args(struct rdl_case *t, const struct items *s, struct item *a)
 *     {
 *         a->value = rdl_int(t, 0, 9);
 *     }
 *     static bool put_cpre(const struct items *s, const struct item *a)
 *     {
 *         return s->fifo.count < 8;
 *     }
 *     static void put_post(struct items *s, const struct item *a)
 *     {
 *         rdl_fifo_put(&s->fifo, a->value);
 *     }
 *     static void put_call(struct queue *q, const struct item *a)
 *     {
 *         queue_put(q, a->value);
 *     }
 *     ... and get_cpre, get_post, get_call, whose answer is an int ...
 *
 *     RDL_TYPES(queue, struct items, struct queue);
 *     RDL_OP(queue, put, struct item, .args = put_args, .cpre = put_cpre, .post = put_post,
 *            .call = put_call);
 *     RDL_OP_RETURNS(queue, get, struct rdl_nothing, int, .cpre = get_cpre, .post = get_post,
 *                    .call = get_call);
 *     RDL_SPEC(queue, RDL_OPS(queue, put, get), .create = create, .destroy = queue_free);
 *
 *     RDL_TEST_MODEL(a_queue_in_one_thread, queue);
 *     RDL_TEST_RESOURCE(a_queue_under_concurrent_calls, queue, .clients = 4, .concurrent = 3);
 *     RDL_TEST_LINEAR(a_queue_used_freely, queue, .clients = 3);
 *     RDL_TEST_SPEC(the_spec_is_sound, queue, .may_block = true, .may_starve = true);
 *     RDL_MAIN
 *
 * Functions of a spec, other than `call`, `create` and `destroy`, must depend on nothing
 * but what they are given, and change nothing else: they are called on copies, in many
 * orders, as often as it takes to find one that explains what was seen.  Only `args`,
 * `client_args`, `initial` and `client` may draw.  What a function has that is not needed
 * is left out: zero means there is none. */
#ifndef RADDLE_SPEC_H
#define RADDLE_SPEC_H
#include <stdio.h>

#include <raddle/check.h>
#include <raddle/events.h>
#include <raddle/generate.h>
#include <raddle/model.h>
#include <raddle/test.h>

#ifdef RDL__OF_THE_SYSTEM
#pragma GCC system_header
#endif

/* Arguments of an operation that has none, clients that have no state. */
__extension__ struct rdl_nothing {
    RDL__NO_BYTES
};

/* ---- Operations ---------------------------------------------------------------- */

/* The calls that wait, as an `enabled` function is shown them: all that have begun and
 * have neither been served nor been refused, in the order of their arrival, but for the
 * one that is asked about.  Patterns such as "older calls to enter the same warehouse":
 *
 *     const struct move *other;
 *     for (int i = 0; (other = rdl_older_args(q, "enter", i)); i++)
 *         if (other->n == a->n)
 *             return false;
 */
struct rdl_queue;
RDL_API int rdl_waiting(const struct rdl_queue *q, const char *operation); /* NULL: of any */
RDL_API int rdl_older(const struct rdl_queue *q, const char *operation);   /* than this call */
RDL_API const void *rdl_waiting_args(const struct rdl_queue *q, const char *operation, int i);
RDL_API const void *rdl_older_args(const struct rdl_queue *q, const char *operation, int i);

/* The answer of an earlier call, as a value that arguments and states can hold: the
 * number of the call, from 1.  It is printed as #3.  0 is none. */
typedef uint32_t rdl_ref;

/* In post and judge: the call at hand. */
RDL_API rdl_ref rdl_this(void);

/* In call: what that call answered:  FILE *file = rdl_result(a->file, FILE *);
 * Calls that have not returned, and answers of another size, end the test in error. */
#define rdl_result(ref, type)                                                                      \
    (*(__typeof__(type) const *)rdl__result((ref), sizeof(type), RDL__HERE))
RDL_API const void *rdl__result(rdl_ref ref, size_t size, const char *file, int line);

/* What can be said of an operation.  Of the types, Args are its arguments, Answer is what
 * it returns (functions of RDL_OP, without an answer, have no such parameter).
 *
 * Who calls it, and with what:
 *   .weight       how often it is called next to others; 1
 *   .weigh        the same, depending on the state; 0: not now
 *   .may          may this client call it now?  (Not needed where clients have no state.)
 *   .args         draw its arguments, given the state (under concurrent calls: one that
 *                 explains what was seen so far)
 *   .client_args  draw its arguments, given the client; called after .args
 *   .returned     the call has returned: what the client knows now
 *
 * What it does:
 *   .pre          may it be called like this?  If not, it is not
 *   .cpre         can it go on now, or does it have to wait?  Without: it never waits
 *   .enabled      does the policy of the spec let it go on now?  See Policies below
 *   .post         move the state on, and set the answer
 *   .judge        instead of post, where the answer cannot be predicted: is this one
 *                 possible?  If so, move the state on.  The answer is NULL for a call that
 *                 did not return before the test ended: is any possible?
 *   .alternatives, .post_any   instead of post, where one of several things may happen,
 *                 `which` from 0 up to alternatives: false: that one is not possible now
 *   .same         is the real answer what the model says?  Without: all bytes are compared
 *
 * How it is called:
 *   .call         do it, to the real thing
 *
 * Whom it calls, and who calls it (raddle/callouts.h):
 *   .callouts     which operations of other specs it calls meanwhile, by rdl_callouts
 *   .asks_answers   what it does depends on how these are answered: rdl_answered
 *   .mocks        the C function that it is: "CirqBuffPush"; as in raddle/gates.h, "file.c:push"
 *   .mock         what is called in its stead when it is mocked; RDL_MOCKS sets both
 *   .callers      the specs that may call it, "mbox can_if"; "test" is the test; none: anybody
 *
 * Which cases there are to be tried:
 *   .preconditions   named conditions, one for each way that a call of it may take; see below
 *
 * What it is there for:
 *   .requirements    ids, separated by blanks, that a call of it exercises; see
 *                    raddle/requirements.h
 *
 * Which calls have to do with each other:
 *   .priority     largest first, for the policy RDL_PRIORITY
 *   .group        for policies: only calls of the operation with the same group compete
 *   .key          for histories: calls with different keys have nothing to do with each
 *                 other, and are judged apart, each key with an initial state of its own
 *
 * How it is shown and read; without, the debugging information of the program (-g) says:
 *   .show, .show_answer    print it, on one line
 *   .read, .read_answer    from a recorded history: false: the text is not understood */
enum { RDL_PRECONDITIONS_MAX = 16 }; /* of one operation; of a spec, 64 */

#define RDL__OPERATION(State, Object, Client, Args, AND_ANSWER, AND_CONST_ANSWER)                  \
    unsigned weight;                                                                               \
    unsigned (*weigh)(const State *s);                                                             \
    bool (*may)(const Client *me);                                                                 \
    void (*args)(struct rdl_case * t, const State *s, Args *a);                                    \
    void (*client_args)(struct rdl_case * t, const Client *me, Args *a);                           \
    void (*returned)(Client * me, const Args *a AND_CONST_ANSWER);                                 \
    bool (*pre)(const State *s, const Args *a);                                                    \
    bool (*cpre)(const State *s, const Args *a);                                                   \
    bool (*enabled)(const State *s, const Args *a, const struct rdl_queue *q);                     \
    void (*post)(State * s, const Args *a AND_ANSWER);                                             \
    bool (*judge)(State * s, const Args *a AND_CONST_ANSWER);                                      \
    unsigned alternatives;                                                                         \
    bool (*post_any)(State * s, const Args *a, unsigned which AND_ANSWER);                         \
    void (*call)(Object * o, const Args *a AND_ANSWER);                                            \
    void (*callouts)(const State *s, const Args *a);                                               \
    bool asks_answers;                                                                             \
    const char *mocks;                                                                             \
    void (*mock)(void);                                                                            \
    const char *callers;                                                                           \
    struct {                                                                                       \
        const char *name;                                                                          \
        bool (*holds)(const State *s, const Args *a, const struct rdl_queue *q);                   \
    } preconditions[RDL_PRECONDITIONS_MAX];                                                        \
    const char *requirements;                                                                      \
    int64_t (*priority)(const Args *a);                                                            \
    int64_t (*group)(const Args *a);                                                               \
    int64_t (*key)(const Args *a);                                                                 \
    void (*show)(FILE * out, const Args *a);                                                       \
    bool (*read)(const char *text, Args *out)

#define RDL__ANSWERS(Answer)                                                                       \
    bool (*same)(__typeof__(Answer) const *model, __typeof__(Answer) const *real);                 \
    void (*show_answer)(FILE * out, __typeof__(Answer) const *r);                                  \
    bool (*read_answer)(const char *text, Answer *out)

/* What the macros below fill in themselves. */
#define RDL__OPERATION_HEAD                                                                        \
    const char *name, *of; /* the spec it was declared for */                                      \
    size_t args_size, answer_size;                                                                 \
    void (*clear_args)(void *a);                                                                   \
    void (*clear_answer)(void *r)

#define RDL__AND(parameter) , parameter

struct rdl_operation {
    RDL__OPERATION_HEAD;
    RDL__OPERATION(void, void, void, void, RDL__AND(void *r), RDL__AND(const void *r));
    RDL__ANSWERS(void);
};

/* The types of a spec: of its state, of the real thing and, if they have one, of the
 * state of its clients. */
#define RDL_TYPES(spec, ...) RDL__TYPES(spec, __VA_ARGS__, struct rdl_nothing, 0)
#define RDL__TYPES(spec, State, Object, Client, ...)                                               \
    RDL__MADE_OF_BYTES(State)                                                                      \
    RDL__MADE_OF_BYTES(Client)                                                                     \
    typedef State rdl_state_##spec;                                                                \
    typedef Object rdl_object_##spec;                                                              \
    typedef Client rdl_client_##spec

/* An operation of the spec:  RDL_OP(spec, name, type of arguments, .field = ..., ...);
 * RDL_OP_RETURNS has the type of the answer after that of the arguments.
 *
 * Each operation has a struct of its own type, so that the compiler checks the
 * parameters of all functions; the library sees them as functions of void pointers. */
#define RDL_OP(spec, op, Args, ...)                                                                \
    RDL__MADE_OF_BYTES(Args)                                                                       \
    RDL__TYPES_OF_OP(spec, op, Args, struct rdl_nothing);                                          \
    RDL__CLEAR(rdl_clear_args_##spec##_##op, Args)                                                 \
    static const struct {                                                                          \
        RDL__OPERATION_HEAD;                                                                       \
        RDL__OPERATION(rdl_state_##spec, rdl_object_##spec, rdl_client_##spec, Args, , );          \
        RDL__ANSWERS(void);                                                                        \
        Args *rdl__type_args;                                                                      \
    } rdl_op_##spec##_##op = {                                                                     \
        .name = #op,                                                                               \
        .of = #spec,                                                                               \
        .args_size = sizeof(Args),                                                                 \
        .clear_args = rdl_clear_args_##spec##_##op,                                                \
        ##__VA_ARGS__,                                                                             \
    };                                                                                             \
    RDL__EVENT_OF_OP(spec, op)

#define RDL_OP_RETURNS(spec, op, Args, Answer, ...)                                                \
    RDL__MADE_OF_BYTES(Args)                                                                       \
    RDL__MADE_OF_BYTES(Answer)                                                                     \
    RDL__TYPES_OF_OP(spec, op, Args, Answer);                                                      \
    RDL__CLEAR(rdl_clear_args_##spec##_##op, Args)                                                 \
    RDL__CLEAR(rdl_clear_answer_##spec##_##op, Answer)                                             \
    static const struct {                                                                          \
        RDL__OPERATION_HEAD;                                                                       \
        RDL__OPERATION(rdl_state_##spec, rdl_object_##spec, rdl_client_##spec, Args,               \
                       RDL__AND(Answer *r), RDL__AND(__typeof__(Answer) const *r));                \
        RDL__ANSWERS(Answer);                                                                      \
        Args *rdl__type_args;                                                                      \
        Answer *rdl__type_answer;                                                                  \
    } rdl_op_##spec##_##op = {                                                                     \
        .name = #op,                                                                               \
        .of = #spec,                                                                               \
        .args_size = sizeof(Args),                                                                 \
        .answer_size = sizeof(Answer),                                                             \
        .clear_args = rdl_clear_args_##spec##_##op,                                                \
        .clear_answer = rdl_clear_answer_##spec##_##op,                                            \
        ##__VA_ARGS__,                                                                             \
    };                                                                                             \
    RDL__EVENT_OF_OP(spec, op)

/* The same operation in other files that speak of it, such as the specs of its callers:
 *
 *     RDL_EXTERN_OP_RETURNS(queue, get, struct rdl_nothing, int); */
#define RDL_EXTERN_OP(spec, op, Args) RDL_EXTERN_OP_RETURNS(spec, op, Args, struct rdl_nothing)
#define RDL_EXTERN_OP_RETURNS(spec, op, Args, Answer)                                              \
    RDL__TYPES_OF_OP(spec, op, Args, Answer);                                                      \
    extern const struct rdl_event_type rdl_event_##spec##_##op
#define RDL__TYPES_OF_OP(spec, op, Args, Answer)                                                   \
    typedef Args rdl_data_##spec##_##op;                                                           \
    typedef Answer rdl_answer_##spec##_##op

/* For the event language a call of an operation is an event, called like spec_operation. */
#define RDL__EVENT_OF_OP(spec, op)                                                                 \
    RDL__IGNORED RDL__GLOBAL const struct rdl_event_type rdl_event_##spec##_##op = {               \
        .name = #spec "." #op,                                                                     \
        .size = sizeof(rdl_data_##spec##_##op),                                                    \
        .clear = rdl_clear_args_##spec##_##op,                                                     \
        .operation = &rdl_op_##spec##_##op,                                                        \
    }

/* Short forms of functions that are an expression or a few statements, of the case t, the state s,
 * the arguments a, the answer r and the real thing o, for operations that RDL_EXTERN_OP has named
 * before:
 *
 *     RDL_ARGS(queue, put, a->value = rdl_int(t, 0, 9));
 *     RDL_CPRE(queue, put, s->fifo.count < 8);
 *     RDL_DO_RETURNS(queue, get, *r = queue_get(o));
 *     RDL_POST_RETURNS(queue, get, *r = rdl_fifo_get(&s->fifo));
 *     RDL_OP_RETURNS(queue, get, struct rdl_nothing, int, .post = queue_get_post, ...);
 *
 * They are called spec_operation_args, _pre, _cpre, _post, _weigh, (DO) _call and (by RDL_CALLOUTS
 * of raddle/callouts.h) _callouts. */
#define RDL_PRE(spec, op, ...)  RDL__CONDITION(spec, op, pre, __VA_ARGS__)
#define RDL_CPRE(spec, op, ...) RDL__CONDITION(spec, op, cpre, __VA_ARGS__)
#define RDL_POST(spec, op, ...)                                                                    \
    static void spec##_##op##_post(RDL__IGNORED rdl_state_##spec *s,                               \
                                   RDL__IGNORED const rdl_data_##spec##_##op *a)                   \
    {                                                                                              \
        __VA_ARGS__;                                                                               \
    }                                                                                              \
    RDL__END_OF_MACRO
#define RDL_POST_RETURNS(spec, op, ...)                                                            \
    static void spec##_##op##_post(RDL__IGNORED rdl_state_##spec *s,                               \
                                   RDL__IGNORED const rdl_data_##spec##_##op *a,                   \
                                   rdl_answer_##spec##_##op *r)                                    \
    {                                                                                              \
        __VA_ARGS__;                                                                               \
    }                                                                                              \
    RDL__END_OF_MACRO
#define RDL_ARGS(spec, op, ...)                                                                    \
    static void spec##_##op##_args(RDL__IGNORED struct rdl_case *t,                                \
                                   RDL__IGNORED const rdl_state_##spec *s,                         \
                                   rdl_data_##spec##_##op *a)                                      \
    {                                                                                              \
        __VA_ARGS__;                                                                               \
    }                                                                                              \
    RDL__END_OF_MACRO
#define RDL_DO(spec, op, ...)                                                                      \
    static void spec##_##op##_call(RDL__IGNORED rdl_object_##spec *o,                              \
                                   RDL__IGNORED const rdl_data_##spec##_##op *a)                   \
    {                                                                                              \
        __VA_ARGS__;                                                                               \
    }                                                                                              \
    RDL__END_OF_MACRO
#define RDL_DO_RETURNS(spec, op, ...)                                                              \
    static void spec##_##op##_call(RDL__IGNORED rdl_object_##spec *o,                              \
                                   RDL__IGNORED const rdl_data_##spec##_##op *a,                   \
                                   rdl_answer_##spec##_##op *r)                                    \
    {                                                                                              \
        __VA_ARGS__;                                                                               \
    }                                                                                              \
    RDL__END_OF_MACRO
#define RDL_WEIGH(spec, op, ...)                                                                   \
    static unsigned spec##_##op##_weigh(RDL__IGNORED const rdl_state_##spec *s)                    \
    {                                                                                              \
        return (__VA_ARGS__);                                                                      \
    }                                                                                              \
    RDL__END_OF_MACRO
#define RDL__CONDITION(spec, op, what, ...)                                                        \
    static bool spec##_##op##_##what(RDL__IGNORED const rdl_state_##spec *s,                       \
                                     RDL__IGNORED const rdl_data_##spec##_##op *a)                 \
    {                                                                                              \
        return (__VA_ARGS__);                                                                      \
    }                                                                                              \
    RDL__END_OF_MACRO
#define RDL__IGNORED __attribute__((unused))

/* Preconditions are the cases that an operation has to be tried in, after Brinch Hansen
 * (Reproducible Testing of Monitors): "the sender has to wait", "somebody waits to receive".
 * Each has a name and, after a colon, what it means, if that is worth saying:
 *
 *     static bool somebody_receives(const struct buffer *s, const struct line *a,
 *                                   const struct rdl_queue *q)
 *     {
 *         return rdl_waiting(q, "receive") > 0;
 *     }
 *     RDL_OP(buffer, send, struct line, .preconditions = {{"S1: the sender is delayed", is_full},
 *                                                         {"S3", somebody_receives}}, ...);
 *
 * They are asked when a call is about to be made, of the state and of the calls that wait
 * then.  (Of calls that are made at the same time, all are asked before the first is made.)
 * Tests of the spec report how many calls were made under each, and under which none was;
 * RDL_TEST_PLAN finds a short sequence of calls that tries them all. */

/* ---- Policies -------------------------------------------------------------------- */

/* Which of the calls that could go on is served first.  The functions of a policy are
 * given the call, what the policy keeps of it (Info), and what it keeps of all (Sched):
 *
 *   .initial       the scheduling state at the beginning; zero bytes
 *   .waiting       a call has arrived: set its info, move the scheduling state on
 *   .enabled       may it go on?  Only asked if its cpre holds
 *   .post_waiting  it has been served: move the scheduling state on
 *   .unordered     set it if `enabled` does not become true by the arrival of a call that
 *                  it is not about, nor depends on which of two that both wait came first;
 *                  large sets of concurrent calls are judged faster
 *   .show          print the scheduling state, on one line
 *
 * The ready-made policies:
 *
 *   RDL_ALWAYS        any of them (the default).  The operations' own `enabled` count
 *   RDL_FIFO          of those that could go on, the one that came first
 *   RDL_FIFO_PER_OP   of each operation (and .group), the one that came first
 *   RDL_PRIORITY      of each operation (and .group), one with the largest .priority
 *   rdl_over(spec, first, second)   none of operation `second` while one of `first` waits
 *
 * With all but the first two, calls that come before others do so even while they cannot go
 * on themselves: that is what keeps large ones from starving. */
struct rdl_call {
    const struct rdl_operation *operation;
    const void *args;
    uint32_t number; /* of all calls of the test, from 1 */
    uint32_t client;
};

#define RDL__POLICY(State, Sched, Info)                                                            \
    const char *name;                                                                              \
    size_t state_size, info_size;                                                                  \
    void (*initial)(Sched * p);                                                                    \
    void (*waiting)(Sched * p, Info * info, const struct rdl_call *call, const State *s);          \
    bool (*enabled)(const Sched *p, const Info *info, const struct rdl_call *call, const State *s, \
                    const struct rdl_queue *q);                                                    \
    void (*post_waiting)(Sched * p, const Info *info, const struct rdl_call *call,                 \
                         const State *s);                                                          \
    bool unordered;                                                                                \
    void (*show)(FILE * out, const Sched *p);                                                      \
    const char *first, *second

struct rdl_policy {
    RDL__POLICY(void, void, void);
};

/* RDL_POLICY(spec, name, type of the scheduling state, type of the info, .field = ...);
 * then  RDL_SPEC(spec, ..., .policy = rdl_policy(spec, name)).   */
#define RDL_POLICY(spec, policy, Sched, Info, ...)                                                 \
    RDL__MADE_OF_BYTES(Sched)                                                                      \
    RDL__MADE_OF_BYTES(Info)                                                                       \
    static const struct {                                                                          \
        RDL__POLICY(rdl_state_##spec, Sched, Info);                                                \
        Sched *rdl__type_sched;                                                                    \
    } rdl_policy_##spec##_##policy = {                                                             \
        .name = #policy, .state_size = sizeof(Sched), .info_size = sizeof(Info), ##__VA_ARGS__}
#define rdl_policy(spec, policy) ((const struct rdl_policy *)&rdl_policy_##spec##_##policy)

RDL__API_VAR const struct rdl_policy rdl_policy_always, rdl_policy_fifo, rdl_policy_fifo_per_op,
    rdl_policy_priority;
#define RDL_ALWAYS      (&rdl_policy_always)
#define RDL_FIFO        (&rdl_policy_fifo)
#define RDL_FIFO_PER_OP (&rdl_policy_fifo_per_op)
#define RDL_PRIORITY    (&rdl_policy_priority)
#define rdl_over(spec, first_op, second_op)                                                        \
    RDL__KEPT(struct rdl_policy, .name = #first_op " over " #second_op, .unordered = true,         \
              .first = #first_op, .second = #second_op)
#define RDL__NAME_OF_OP(spec, op) (sizeof rdl_op_##spec##_##op ? #op : NULL) /* there is one */

/* ---- Specs ------------------------------------------------------------------------- */

/* What can be said of a spec as a whole:
 *
 *   .initial    the state at the beginning; zero bytes
 *   .create     the real thing in that state
 *   .destroy    when the case has ended and no call is left waiting in it
 *   .invariant  holds in every state
 *   .agrees     after each call of RDL_TEST_MODEL: does the real thing look like the state?
 *   .client     the state of client `number` (from 0) at the beginning; zero bytes
 *   .interesting  states that tests should come to, by name; see below
 *   .policy     see above; RDL_ALWAYS
 *   .same, .hash   if states are to be compared otherwise than by their bytes: both or none
 *   .show, .show_client   print it, on one line */
enum { RDL_INTERESTING_MAX = 16 };

#define RDL__SPEC(State, Object, Client)                                                           \
    void (*initial)(struct rdl_case * t, State * s);                                               \
    Object *(*create)(struct rdl_case * t, const State *s);                                        \
    void (*destroy)(Object * o);                                                                   \
    bool (*invariant)(const State *s);                                                             \
    bool (*agrees)(Object * o, const State *s);                                                    \
    void (*client)(struct rdl_case * t, int number, Client *me);                                   \
    struct {                                                                                       \
        const char *name;                                                                          \
        bool (*is)(const State *s);                                                                \
    } interesting[RDL_INTERESTING_MAX];                                                            \
    const struct rdl_policy *policy;                                                               \
    bool (*same)(const State *a, const State *b);                                                  \
    uint64_t (*hash)(const State *s);                                                              \
    void (*show)(FILE * out, const State *s);                                                      \
    void (*show_client)(FILE * out, const Client *me)

#define RDL__SPEC_HEAD                                                                             \
    const char *name, *file;                                                                       \
    int line;                                                                                      \
    bool seen; /* accesses to memory of its file are */                                            \
    size_t state_size, client_size;                                                                \
    void (*clear_state)(void *s);                                                                  \
    void (*clear_client)(void *me);                                                                \
    const void *const *operations; /* of struct rdl_operation */                                   \
    size_t operation_count

struct rdl_spec {
    RDL__SPEC_HEAD;
    RDL__SPEC(void, void, void);
};

/* RDL_SPEC(spec, RDL_OPS(spec, operation, ...), .field = ..., ...);  at most 32 operations. */
#define RDL_SPEC(spec, operations_, ...)                                                           \
    RDL__CLEAR(rdl_clear_state_##spec, rdl_state_##spec)                                           \
    RDL__CLEAR(rdl_clear_client_##spec, rdl_client_##spec)                                         \
    static const void *const rdl_ops_of_##spec[] = {operations_};                                  \
    static const struct {                                                                          \
        RDL__SPEC_HEAD;                                                                            \
        RDL__SPEC(rdl_state_##spec, rdl_object_##spec, rdl_client_##spec);                         \
        rdl_state_##spec *rdl__type_state;                                                         \
        rdl_client_##spec *rdl__type_client;                                                       \
    } rdl_spec_of_##spec = {.name = #spec,                                                         \
                            .file = __FILE__,                                                      \
                            .line = __LINE__,                                                      \
                            .seen = RDL__SEEN,                                                     \
                            .state_size = sizeof(rdl_state_##spec),                                \
                            .client_size = sizeof(rdl_client_##spec),                              \
                            .clear_state = rdl_clear_state_##spec,                                 \
                            .clear_client = rdl_clear_client_##spec,                               \
                            .operations = rdl_ops_of_##spec,                                       \
                            .operation_count =                                                     \
                                sizeof rdl_ops_of_##spec / sizeof *rdl_ops_of_##spec,              \
                            __VA_ARGS__};                                                          \
    RDL__GLOBAL const struct rdl_spec *const rdl_spec_##spec =                                     \
        (const struct rdl_spec *)&rdl_spec_of_##spec;                                              \
    RDL__BEFORE_MAIN(rdl_register_spec_##spec)                                                     \
    {                                                                                              \
        rdl__register_spec(rdl_spec_##spec);                                                       \
    }                                                                                              \
    RDL__END_OF_MACRO

/* A spec of another file:  RDL_EXTERN_SPEC(queue);  */
#define RDL_EXTERN_SPEC(spec) extern const struct rdl_spec *const rdl_spec_##spec

RDL_API void rdl__register_spec(const struct rdl_spec *spec);

#define RDL_OPS(spec, ...)           RDL__EACH(RDL__ADDRESS_OF_OP, spec, __VA_ARGS__)
#define RDL__ADDRESS_OF_OP(spec, op) &rdl_op_##spec##_##op,

/* Interesting states are what the distribution of tests is measured by:
 *
 *     RDL_SPEC(queue, ..., .interesting = {{"full", is_full}, {"empty again", is_empty_again}});
 *
 * Reports say in how many cases, and after how many calls, each was reached (RDL_TEST_MODEL and
 * RDL_TEST_CLUSTER ask after each call, of all components, RDL_TEST_RESOURCE when a phase has
 * ended), and warn of one that less than 1 % of the cases come to (unless a deviation is in force,
 * which may keep them from it).  Then give operations that lead there more weight in states on the
 * way (.weigh), let cases be longer (.calls = {0, 500}), or draw data that fits the state (.args).
 * With --verbose, they show which operation followed which how often, too. */

/* ---- Tests ---------------------------------------------------------------------------- */

/* RDL_TEST_...(name, spec, .option = value, ...);   raddle/test.h has the options.
 *
 * RDL_TEST_MODEL calls the real thing from one thread, and compares each answer with the model's.
 * Calls that would have to wait are not made.  .calls = {1, 500} says how many calls a case has;
 * {0, 100}.
 *
 * RDL_TEST_RESOURCE is for things that make callers wait.  A case is a number of phases (.phases;
 * 20).  In each, up to .concurrent (3) of the .clients (4) make a call; a client that still waits
 * is given no other.  When all have returned or wait, what has returned is compared with all that
 * the spec allows.  Three rounds, each stricter, share the cases (.rounds, or --round):
 *
 *     1  one call a phase; what returns must be allowed to (cpre, post, answers)
 *     2  also, what is allowed to return must, and in the order of the policy
 *     3  also, with concurrent calls
 *
 * Within a phase, Raddle decides which thread runs when.  With .free_threads the clients
 * are real threads that run as they like.
 *
 * RDL_TEST_LINEAR lets each of .clients (3) make up to .calls ({1, 5}) calls, all at once,
 * and looks for an order that explains all answers and keeps to who was done before whom.
 *
 * RDL_TEST_SPEC tests the spec itself, with up to .clients (2): is the invariant kept in every
 * state that can be reached, can every operation run, can all clients come to wait for ever
 * (.may_block if that is as it should be), or one be overtaken for ever (.may_starve)?
 *
 * RDL_TEST_PLAN plans a sequence of calls by up to .clients (2) that tries every operation
 * under each of its preconditions, the shortest there is if that can be found out, and makes
 * these calls, one at a time: each has to return what was planned, to block, or to be continued
 * where it was planned.  (Where the spec leaves open what comes of a call, that is the last of
 * its sequence.)  Preconditions that no sequence of calls leads to are named.  The option --plan
 * of the test program shows the sequence, --export writes it as a C file. */
#define RDL_TEST_MODEL(test_name, spec_, ...)                                                      \
    RDL__TEST_OF_SPEC(test_name, spec_, rdl__test_model, (void)0, __VA_ARGS__)
#define RDL_TEST_RESOURCE(test_name, spec_, ...)                                                   \
    RDL__TEST_OF_SPEC(test_name, spec_, rdl__test_resource, it->explore = it->phased = true,       \
                      __VA_ARGS__)
#define RDL_TEST_LINEAR(test_name, spec_, ...)                                                     \
    RDL__TEST_OF_SPEC(test_name, spec_, rdl__test_linear, it->explore = true, __VA_ARGS__)
#define RDL_TEST_SPEC(test_name, spec_, ...)                                                       \
    RDL__TEST_OF_SPEC(test_name, spec_, rdl__test_spec, RDL__ALONE, __VA_ARGS__)
#define RDL_TEST_PLAN(test_name, spec_, ...)                                                       \
    RDL__TEST_OF_SPEC(test_name, spec_, rdl__test_sequence, (RDL__ALONE, it->explore = true),      \
                      __VA_ARGS__)
#define RDL__ALONE (it->alone = true, it->cases = it->cases ? it->cases : 1)

/* The same with a sequence that is written by hand.  A row has a time, a thread, what it calls
 * and, if that is to be said, what comes of it:
 *
 *     RDL_TEST_TABLE(a_line_and_a_half, buffer,
 *         {1, "consumer", RDL_CALL(buffer, receive), RDL_BLOCKS},
 *         {2, "producer", RDL_CALL(buffer, send, {"ab"}), RDL_RETURNS},
 *         {3, "consumer", RDL_CONTINUED(buffer, receive), RDL_ANSWERS(buffer, receive, 'a')},
 *         {4, "producer", RDL_CALL(buffer, send, {"cd"})});
 *
 *   RDL_CALL(spec, op, arguments)      arguments as their type is initialised; none: zero bytes
 *   RDL_CONTINUED(spec, op)            its call that blocked goes on, because of the row before
 *   RDL_BLOCKS, RDL_RETURNS            what the call does;
 *   RDL_ANSWERS(spec, op, answer)      it returns this
 *
 * Times must grow.  Threads are clients, numbered as they first come up; they may call what the
 * table says, whatever .may thinks of it.  It begins with the simplest state that .initial draws.
 * What a row does not say, the spec does; what that leaves open, such as who of several goes on,
 * later rows.  (With the option --free, all of this is done by free threads.) */
#define RDL_TEST_TABLE(test_name, spec_, ...)                                                      \
    static const struct rdl_row rdl_table_##test_name[] = {{RDL__FIELD(time) 0}, __VA_ARGS__};     \
    RDL__TEST_OF_SPEC(                                                                             \
        test_name, spec_, rdl__test_sequence,                                                      \
        (RDL__ALONE, it->explore = true, it->table = rdl_table_##test_name + 1,                    \
         it->table_count = sizeof rdl_table_##test_name / sizeof *rdl_table_##test_name - 1), )

enum rdl__row_says { RDL__ROW_SAYS_OPEN, RDL__ROW_SAYS_BLOCKS, RDL__ROW_SAYS_RETURNS };
struct rdl_row {
    int time;
    const char *thread RDL__UNSET;
    const void *operation RDL__UNSET, *args RDL__UNSET;
    bool continued RDL__UNSET;
    enum rdl__row_says expects RDL__UNSET;
    const void *answer RDL__UNSET, *answer_of RDL__UNSET;
};

#define RDL_CALL(spec, op, ...)                                                                    \
    RDL__FIELD(operation)                                                                          \
    &rdl_op_##spec##_##op,                                                                         \
        RDL__FIELD(args)                                                                           \
            RDL__KEPT_ONE(__typeof__(*rdl_op_##spec##_##op.rdl__type_args), __VA_ARGS__),          \
        RDL__FIELD(continued) false
#define RDL_CONTINUED(spec, op)                                                                    \
    RDL__FIELD(operation) & rdl_op_##spec##_##op, RDL__FIELD(args) NULL, RDL__FIELD(continued) true
#define RDL_BLOCKS  RDL__FIELD(expects) RDL__ROW_SAYS_BLOCKS
#define RDL_RETURNS RDL__FIELD(expects) RDL__ROW_SAYS_RETURNS
#define RDL_ANSWERS(spec, op, ...)                                                                 \
    RDL__FIELD(expects)                                                                            \
    RDL__ROW_SAYS_RETURNS,                                                                         \
        RDL__FIELD(answer)                                                                         \
            RDL__KEPT_ONE(__typeof__(*rdl_op_##spec##_##op.rdl__type_answer), __VA_ARGS__),        \
        RDL__FIELD(answer_of) & rdl_op_##spec##_##op

#define RDL__TEST_OF_SPEC(test_name, spec_, function, settings, ...)                               \
    RDL__TEST(test_name, function, (settings, it->spec = rdl_spec_##spec_), __VA_ARGS__)           \
    RDL__END_OF_MACRO

RDL_API void rdl__test_model(struct rdl_case *t);
RDL_API void rdl__test_resource(struct rdl_case *t);
RDL_API void rdl__test_linear(struct rdl_case *t);
RDL_API void rdl__test_spec(struct rdl_case *t);
RDL_API void rdl__test_sequence(struct rdl_case *t);

/* ---- A spec that runs ---------------------------------------------------------------------- */

/* A monitor made from the spec alone: calls wait while cpre or the policy says so.  Any
 * thread may call.  The state at the beginning is *initial; NULL: zero bytes.
 *
 *     struct rdl_resource *r = rdl_resource_new(rdl_spec_queue, NULL);
 *     int value;
 *     rdl_resource_call(r, "put", &(struct item){7}, NULL);
 *     rdl_resource_call(r, "get", NULL, &value);
 *
 * A call whose `pre` does not hold is refused: false, and nothing has happened.  Wrong
 * names, and operations without post, end the program with a message. */
struct rdl_resource;
RDL_API struct rdl_resource *rdl_resource_new(const struct rdl_spec *spec, const void *initial);
RDL_API bool rdl_resource_call(struct rdl_resource *r, const char *operation, const void *args,
                               void *out_answer);
RDL_API void rdl_resource_free(struct rdl_resource *r); /* nobody may wait in it */

/* ---- Behind the macros ---------------------------------------------------------------------- */

#define RDL__EACH(macro, spec, ...)                                                                \
    RDL__JOIN(RDL__EACH_, RDL__COUNT32(__VA_ARGS__))(macro, spec, __VA_ARGS__)
#define RDL__COUNT32(...)                                                                          \
    RDL__COUNT32_(__VA_ARGS__, 32, 31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17, 16, \
                  15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)
#define RDL__COUNT32_(a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17,  \
                      a18, a19, a20, a21, a22, a23, a24, a25, a26, a27, a28, a29, a30, a31, a32,   \
                      n, ...)                                                                      \
    n
#define RDL__EACH_1(m, s, x)       m(s, x)
#define RDL__EACH_2(m, s, x, ...)  m(s, x) RDL__EACH_1(m, s, __VA_ARGS__)
#define RDL__EACH_3(m, s, x, ...)  m(s, x) RDL__EACH_2(m, s, __VA_ARGS__)
#define RDL__EACH_4(m, s, x, ...)  m(s, x) RDL__EACH_3(m, s, __VA_ARGS__)
#define RDL__EACH_5(m, s, x, ...)  m(s, x) RDL__EACH_4(m, s, __VA_ARGS__)
#define RDL__EACH_6(m, s, x, ...)  m(s, x) RDL__EACH_5(m, s, __VA_ARGS__)
#define RDL__EACH_7(m, s, x, ...)  m(s, x) RDL__EACH_6(m, s, __VA_ARGS__)
#define RDL__EACH_8(m, s, x, ...)  m(s, x) RDL__EACH_7(m, s, __VA_ARGS__)
#define RDL__EACH_9(m, s, x, ...)  m(s, x) RDL__EACH_8(m, s, __VA_ARGS__)
#define RDL__EACH_10(m, s, x, ...) m(s, x) RDL__EACH_9(m, s, __VA_ARGS__)
#define RDL__EACH_11(m, s, x, ...) m(s, x) RDL__EACH_10(m, s, __VA_ARGS__)
#define RDL__EACH_12(m, s, x, ...) m(s, x) RDL__EACH_11(m, s, __VA_ARGS__)
#define RDL__EACH_13(m, s, x, ...) m(s, x) RDL__EACH_12(m, s, __VA_ARGS__)
#define RDL__EACH_14(m, s, x, ...) m(s, x) RDL__EACH_13(m, s, __VA_ARGS__)
#define RDL__EACH_15(m, s, x, ...) m(s, x) RDL__EACH_14(m, s, __VA_ARGS__)
#define RDL__EACH_16(m, s, x, ...) m(s, x) RDL__EACH_15(m, s, __VA_ARGS__)
#define RDL__EACH_17(m, s, x, ...) m(s, x) RDL__EACH_16(m, s, __VA_ARGS__)
#define RDL__EACH_18(m, s, x, ...) m(s, x) RDL__EACH_17(m, s, __VA_ARGS__)
#define RDL__EACH_19(m, s, x, ...) m(s, x) RDL__EACH_18(m, s, __VA_ARGS__)
#define RDL__EACH_20(m, s, x, ...) m(s, x) RDL__EACH_19(m, s, __VA_ARGS__)
#define RDL__EACH_21(m, s, x, ...) m(s, x) RDL__EACH_20(m, s, __VA_ARGS__)
#define RDL__EACH_22(m, s, x, ...) m(s, x) RDL__EACH_21(m, s, __VA_ARGS__)
#define RDL__EACH_23(m, s, x, ...) m(s, x) RDL__EACH_22(m, s, __VA_ARGS__)
#define RDL__EACH_24(m, s, x, ...) m(s, x) RDL__EACH_23(m, s, __VA_ARGS__)
#define RDL__EACH_25(m, s, x, ...) m(s, x) RDL__EACH_24(m, s, __VA_ARGS__)
#define RDL__EACH_26(m, s, x, ...) m(s, x) RDL__EACH_25(m, s, __VA_ARGS__)
#define RDL__EACH_27(m, s, x, ...) m(s, x) RDL__EACH_26(m, s, __VA_ARGS__)
#define RDL__EACH_28(m, s, x, ...) m(s, x) RDL__EACH_27(m, s, __VA_ARGS__)
#define RDL__EACH_29(m, s, x, ...) m(s, x) RDL__EACH_28(m, s, __VA_ARGS__)
#define RDL__EACH_30(m, s, x, ...) m(s, x) RDL__EACH_29(m, s, __VA_ARGS__)
#define RDL__EACH_31(m, s, x, ...) m(s, x) RDL__EACH_30(m, s, __VA_ARGS__)
#define RDL__EACH_32(m, s, x, ...) m(s, x) RDL__EACH_31(m, s, __VA_ARGS__)

#endif
