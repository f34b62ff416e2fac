/* raddle/callouts.h -- what a component asks of its neighbours, and neighbours that are not there.
 *
 * A message box keeps its messages in a circular buffer.  Each has a spec of its own
 * (raddle/spec.h).  That of the message box says what it calls:
 *
 *     static void post_callouts(const struct mbox *s, const struct message *a)
 *     {
 *         rdl_callouts(rdl_call_returns(cb, push, 0, .value = a->value));
 *     }
 *     RDL_OP_RETURNS(mbox, post, struct message, int, .callouts = post_callouts, ...);
 *
 * That of the buffer says which C function the operation is, and how to make one of the other:
 *
 *     static int push_mock(CirqBufferType *cPtr, void *dataPtr)
 *     {
 *         struct element a = {0};
 *
 *         memcpy(&a.value, dataPtr, cPtr->dataSize);
 *         return rdl_mocked_returns(cb, push, &a, rdl_real(CirqBuffPush)(cPtr, dataPtr));
 *     }
 *     RDL_OP_RETURNS(cb, push, struct element, int, RDL_MOCKS(CirqBuffPush, push_mock), ...);
 *
 * and then
 *
 *     RDL_TEST_MODEL(a_message_box_alone, mbox);
 *
 * tests the message box without a buffer: whatever it calls is looked at, compared with what its
 * spec says, and answered.  No line of it is changed, nor linked in another way. */
#ifndef RADDLE_CALLOUTS_H
#define RADDLE_CALLOUTS_H

#include <raddle/events.h>
#include <raddle/mock.h>
#include <raddle/spec.h>

#ifdef RDL__OF_THE_SYSTEM
#pragma GCC system_header
#endif

/* ---- What is called ------------------------------------------------------------------------- */

/* In .callouts, once: these calls are made while the operation runs, no others, and in no other
 * order.  It is a step of the event language (raddle/events.h) whose events are calls: around
 * those below may stand rdl_sequence, rdl_either, rdl_optional, rdl_repeat, rdl_star,
 * rdl_unordered, rdl_interleaved and so on.  An operation that does not call this calls nobody.
 * (If no operation of a spec has .callouts, nothing is said of what they call.)
 *
 *   rdl_call(spec, op, arguments...)      it is called with exactly these, as their type is
 *                                         initialised; what is not named is 0
 *   rdl_call_like(spec, op, conditions...)   with some of which these hold, in which the type of
 *                                         the event is spec_op: rdl_any(cb_push),
 *                                         rdl_field(cb_push, value, 3), rdl_if(cb_push, is_even),
 *                                         rdl_bind, rdl_bound
 *   rdl_call_returns(spec, op, answer, arguments...)
 *   rdl_call_like_returns(spec, op, answer, conditions...)
 *                                         the same, and this is what it is answered
 *   rdl_calls_of(spec, op, state, arguments...)
 *                                         what another operation of the same spec calls, if it is
 *                                         called with these in this state, which .pre allows: for
 *                                         operations that are made of others
 *   rdl_no_calls                          nothing
 *
 * An answer of several members is written ((struct answer){0, a->value}).
 *
 * Without an answer, the spec of the neighbour answers, if that plays (.stand_ins); otherwise the
 * answer is zero.  Where it is to be left to chance, let .args draw it: answers that a case is
 * given are part of it, like arguments, and shrink like them. */
#define rdl_callouts(step)           rdl__callouts((step), RDL__HERE)

#define rdl_call(spec, op, ...)      RDL__CALLS(spec, op, NULL, rdl_is(spec##_##op, __VA_ARGS__))

#define rdl_call_like(spec, op, ...) RDL__CALLS(spec, op, NULL, __VA_ARGS__)
#define rdl_call_returns(spec, op, answer, ...)                                                    \
    RDL__CALLS(spec, op, RDL__ANSWER_OF(spec, op, answer), rdl_is(spec##_##op, __VA_ARGS__))
#define rdl_call_like_returns(spec, op, answer, ...)                                               \
    RDL__CALLS(spec, op, RDL__ANSWER_OF(spec, op, answer), __VA_ARGS__)
#define rdl_calls_of(spec, op, state, ...)                                                         \
    RDL__STEP(RDL__STEP_CALLS_OF, .type = rdl_type(spec##_##op),                                   \
              .value = RDL__KEPT(rdl_data_##spec##_##op, __VA_ARGS__),                             \
              .object = 0 ? (rdl_state_##spec const *)0 : (state))
#define rdl_no_calls                  rdl_no_events

#define RDL__ANSWER_OF(spec, op, ...) RDL__KEPT_ONE(rdl_answer_##spec##_##op, __VA_ARGS__)
#define RDL__CALLS(spec, op, answer_, ...)                                                         \
    RDL__OP_STEP(RDL__STEP_CALL, spec, op, answer_, rdl_out(&rdl_calls, __VA_ARGS__))
#define RDL__OP_STEP(kind_, spec, op, answer_, pattern_, ...)                                      \
    RDL__STEP(kind_, .pattern = (pattern_), .type = rdl_type(spec##_##op), .value = (answer_),     \
              .value_size = sizeof(rdl_answer_##spec##_##op), ##__VA_ARGS__)

RDL_API void rdl__callouts(const struct rdl_step *step, const char *file, int line);

/* The short form:  RDL_CALLOUTS(mbox, post, rdl_call(cb, push, .value = a->value));  of the state s
 * and the arguments a, as the other short forms in raddle/spec.h. */
#define RDL_CALLOUTS(spec, op, ...)                                                                \
    static void spec##_##op##_callouts(RDL__IGNORED const rdl_state_##spec *s,                     \
                                       RDL__IGNORED const rdl_data_##spec##_##op *a)               \
    {                                                                                              \
        rdl_callouts(__VA_ARGS__);                                                                 \
    }                                                                                              \
    RDL__END_OF_MACRO

/* Where calls are events. */
RDL__API_VAR struct rdl_port rdl_calls;

/* In .post or .judge of an operation with call-outs that is declared with .asks_answers = true:
 * what the last such call was answered that it made; NULL: it made none:
 *
 *     const int *status = rdl_answered(canif, transmit);
 *     if (status && *status != E_OK)
 *         s->state = IDLE;
 *
 * Where somebody else has answered it, by rdl_inject say, that is made of the result and the
 * parameters by names, as without .mock; NULL if that is not possible. */
#define rdl_answered(spec, op)                                                                     \
    ((rdl_answer_##spec##_##op const *)rdl__answered(rdl_type(spec##_##op)))
RDL_API const void *rdl__answered(const struct rdl_event_type *event);

/* The same: what that call was made with, where the call-outs leave it open.  So the state can keep
 * what the component has chosen, a number of a request say, and later call-outs can name it. */
#define rdl_called_with(spec, op)                                                                  \
    ((rdl_data_##spec##_##op const *)rdl__called_with(rdl_type(spec##_##op)))
RDL_API const void *rdl__called_with(const struct rdl_event_type *event);

/* ---- Calls that wait ------------------------------------------------------------------------- */

/* A function may keep who calls it waiting: for an answer from the net, for an interrupt.  Tests
 * in which somebody else can end that are RDL_TEST_RESOURCE, whose clients are threads:
 *
 *     static void ask_callouts(const struct client *s, const struct question *a)
 *     {
 *         rdl_callouts(rdl_sequence(rdl_call(net, send, .number = a->number),
 *                                   rdl_call_blocks(net, receive),
 *                                   rdl_call(net, acknowledge)));
 *     }
 *     static void respond_callouts(const struct client *s, const struct response *a)
 *     {
 *         rdl_callouts(rdl_releases(net, receive, a->number));
 *     }
 *     RDL_TEST_RESOURCE(a_client, client, .mocked = RDL_SPECS(net));
 *
 *   rdl_call_blocks(spec, op, arguments...)
 *   rdl_call_like_blocks(spec, op, conditions...)
 *                                         it is called, and does not return before another
 *                                         operation releases it; then the operation goes on, and
 *                                         with it the rest of its call-outs
 *   rdl_releases(spec, op, answer)        in the call-outs of that other operation, which may do
 *                                         nothing else: the call of this one that has waited
 *                                         longest returns, with this answer; rdl_releases(spec, op)
 *                                         if there is none to give
 *   rdl_releases_like(spec, op, answer, conditions...)
 *                                         the same, of those whose arguments are such
 *
 * It is released when it is the turn of that in the sequence: at the beginning of the operation, or
 * when what stands before it has been called.  If nobody waits then, the release is kept for the
 * first who would: an operation that waits has not happened yet, so no state, and no .pre, tells
 * whether one does.  When an operation of the component under test may go on is said by its own
 * .cpre, as always: in the state of the client above there are answers that nobody has got yet.
 *
 * In tests that make one call at a time (RDL_TEST_MODEL, RDL_TEST_CLUSTER) what would have to wait
 * fails: nobody is there to end it.
 *
 * A neighbour that plays (.stand_ins) says itself when its operations may go on: while .cpre does
 * not hold, or its policy is for somebody else, who calls it waits, until others have called what
 * changes that.  rdl_call_blocks is a call like any other then, and rdl_releases does nothing.
 *
 * What an operation calls follows from the state in which it begins.  Where that is not certain
 * (calls are made at the same time, or the order of earlier ones is not known) but all states that
 * could be lead to the same call-outs, these count.  Otherwise, if all that they call plays, it is
 * not looked at which of it is called, only how.  If something does not play, nobody could tell
 * what to answer: such calls are not made at the same time.  Nor does rdl_answered know anything in
 * RDL_TEST_RESOURCE, where effects are found out later. */
#define rdl_call_blocks(spec, op, ...)                                                             \
    rdl_call_like_blocks(spec, op, rdl_is(spec##_##op, __VA_ARGS__))
#define rdl_call_like_blocks(spec, op, ...)                                                        \
    RDL__OP_STEP(RDL__STEP_CALL, spec, op, NULL, rdl_out(&rdl_calls, __VA_ARGS__), .blocks = true)
#define rdl_releases(spec, op, ...)                                                                \
    RDL__OP_STEP(RDL__STEP_RELEASE, spec, op, RDL__ANSWER_OF(spec, op, __VA_ARGS__),               \
                 rdl_out(&rdl_calls, rdl_any(spec##_##op)))
#define rdl_releases_like(spec, op, answer, ...)                                                   \
    RDL__OP_STEP(RDL__STEP_RELEASE, spec, op, RDL__ANSWER_OF(spec, op, answer),                    \
                 rdl_out(&rdl_calls, __VA_ARGS__))

/* ---- In place of a function ----------------------------------------------------------------- */

/* RDL_MOCKS(function, replacement) in an operation of the function's own spec: .mocks and .mock,
 * whose types must be the same.  Where the function is static, it is .mocks = "file.c:name",
 * .mock = RDL_FUNCTION(replacement).
 *
 * The replacement makes arguments of the operation from its own, has the call judged and answered,
 * and makes what it returns from the answer.  (RDL_OP: rdl_mocked; RDL_OP_RETURNS:
 * rdl_mocked_returns; RDL_EXTERN_OP stands before it, in a header say.)  The last argument is how
 * the function itself would do it; it is evaluated only if the function is real, and it is merely
 * looked at what it answers.
 *
 * Without .mock, calls become those of the operation by names (the program is compiled with -g):
 * fields of the arguments are what parameters of the same name are, or what they point to, if the
 * types have the same size; fields of the answer are what parameters of the same name point to
 * afterwards, and the one that is none is the result.  What is no struct stands for the only
 * parameter, or for the result. */
#define RDL_MOCKS(function, replacement)                                                           \
    .mocks = #function, .mock = RDL_FUNCTION(0 ? (__typeof__(&(function)))0 : (replacement))
#define RDL_FUNCTION(function) (void (*)(void))(function)

#define rdl_mocked(spec, op, args_, ...)                                                           \
    RDL__EXTENSION({                                                                               \
        rdl_data_##spec##_##op const *rdl__args_ = __extension__(args_);                           \
        struct rdl__op_call rdl__call_ = {rdl_type(spec##_##op), rdl__args_, NULL, NULL};          \
        if (rdl__op_called(&rdl__call_)) {                                                         \
            (void)(__VA_ARGS__);                                                                   \
            rdl__op_returned(&rdl__call_);                                                         \
        }                                                                                          \
        (void)0;                                                                                   \
    })
#define rdl_mocked_returns(spec, op, args_, ...)                                                   \
    RDL__EXTENSION({                                                                               \
        rdl_data_##spec##_##op const *rdl__args_ = __extension__(args_);                           \
        rdl_answer_##spec##_##op rdl__answer_;                                                     \
        struct rdl__op_call rdl__call_ = {rdl_type(spec##_##op), rdl__args_, &rdl__answer_, NULL}; \
        if (rdl__op_called(&rdl__call_)) {                                                         \
            rdl__answer_ = (__VA_ARGS__);                                                          \
            rdl__op_returned(&rdl__call_);                                                         \
        }                                                                                          \
        rdl__answer_;                                                                              \
    })

struct rdl__op_call {
    const struct rdl_event_type *event;
    const void *args;
    void *answer;
    void *frame; /* ours */
};

/* True: the function itself has to be called now, then rdl__op_returned. */
RDL_API bool rdl__op_called(struct rdl__op_call *call);
RDL_API void rdl__op_returned(struct rdl__op_call *call);

/* ---- Neighbours that play ------------------------------------------------------------------- */

/* RDL_TEST_MODEL(name, mbox, .stand_ins = RDL_SPECS(cb)): the buffer is played by its own spec.  At
 * each call its .pre is checked, and who calls against it is to blame; its .post answers, and if
 * the caller's .callouts say an answer, it must be the same.  Other neighbours are mocked as
 * above; .mocked = RDL_SPECS(cb, clock) if not all specs of the program are neighbours. */
#ifdef __cplusplus
#define RDL_SPECS(...) (rdl__kept_all<const char *>({RDL__EACH(RDL__QUOTE, , __VA_ARGS__) nullptr}))
#else
#define RDL_SPECS(...) ((const char *const[]){RDL__EACH(RDL__QUOTE, , __VA_ARGS__) NULL})
#endif

#define RDL__QUOTE(unused, spec) #spec,

#endif
