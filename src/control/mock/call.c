/* call.c -- a call of a function that is mocked: is it meant, who answers it, and what becomes of
 * it.
 *
 * What Raddle itself calls is not meant, nor is what is called while we are at work here, or in a
 * process that is made for work of ours.  Our own code is known by its addresses; if the C library
 * is in between, or the dynamic linker, by the stack. */
#include <errno.h>
#include <execinfo.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>

#include "base/hash.h"
#include "control/mock/mock.h"
#include "control/sched/inner.h"
#include "generate/numbers.h"
#include "port/hook.h"
#include "port/modules.h"

enum { STACK_ROOM = 512, FRAMES = 24 };

static const double failure_probability = 0.25;
static const double fault_probability = 0.1;

/* How deep a thread is in here, in the case of this number: it may have left by failing. */
static _Thread_local struct {
    uint64_t number;
    int depth;
    const struct rdl__mocked *interposed; /* a function of ours runs that comes before this one */
} work __attribute__((tls_model("initial-exec")));
static uint64_t case_number;

static int lock;

/* ---- One at a time -------- */

static void forget_other_cases(void)
{
    if (work.number == case_number)
        return;
    work.number = case_number;
    work.depth = 0;
    work.interposed = NULL;
}

static void begin_work(void)
{
    forget_other_cases();
    work.depth++;
}

static void end_work(void)
{
    work.depth--;
}

void rdl__mock_lock(void)
{
    begin_work();
    while (!rdl__running && __atomic_exchange_n(&lock, 1, __ATOMIC_ACQUIRE))
        while (__atomic_load_n(&lock, __ATOMIC_RELAXED))
            __builtin_ia32_pause();
}

void rdl__mock_unlock(void)
{
    __atomic_store_n(&lock, 0, __ATOMIC_RELEASE);
    end_work();
}

void rdl__mock_forget_work(void)
{
    case_number++;
    __atomic_store_n(&lock, 0, __ATOMIC_RELEASE);
}

/* ---- Whose calls -------- */

/* Where the call before this address leads to, if that can be seen: directly, or by way of the
 * table that the dynamic linker fills in. */
static uintptr_t target_of_call(uintptr_t behind)
{
    const uint8_t *at = (const uint8_t *)behind - 5;
    int32_t distance;

    memcpy(&distance, at + 1, sizeof distance);
    if (at[-1] == 0xff && at[0] == 0x15)
        return *(const uintptr_t *)(behind + (uintptr_t)(intptr_t)distance);
    if (at[0] != 0xe8)
        return 0;
    at = (const uint8_t *)behind + distance;
    if (memcmp(at, "\xf3\x0f\x1e\xfa", 4) == 0)
        at += 4;
    at += at[0] == 0xf2;
    if (at[0] != 0xff || at[1] != 0x25)
        return behind + (uintptr_t)(intptr_t)distance;
    memcpy(&distance, at + 2, sizeof distance);
    return *(const uintptr_t *)(at + 6 + distance);
}

/* Does code of ours call that?  It may also have called the user's, which ends in a jump there. */
static bool do_we_call(const struct rdl__mock_entry *entry, uintptr_t caller)
{
    if (!rdl__is_own_code(caller))
        return false;
    return target_of_call(caller) == entry->detour.address ||
           (entry->function->has_interposed && !entry->is_interposed);
}

uintptr_t rdl__library_of(uintptr_t address)
{
    static const struct rdl__modules none;
    uintptr_t start = rdl__module_start(&none, address);

    return start == rdl__module_start(&none, getauxval(AT_PHDR)) ? 0 : start;
}

/* The C library calls the dynamic linker, and is called by it: dlopen() allocates.  So it is with
 * what has functions that come before its own: a sanitizer's fopen() calls that of the C library,
 * which calls the sanitizer's malloc(). */
static bool is_in_libc(const struct rdl__mock_entry *entry, uintptr_t address)
{
    uintptr_t start = rdl__library_of(address);

    return start &&
           (start == rdl__libc.start || start == rdl__libc.allocator ||
            start == rdl__library_of(entry->detour.address) || start == getauxval(AT_BASE));
}

/* Is the call that returns to the first of these frames, in our code, one of ours into the C
 * library?  Where it cannot be seen where a call leads to, it is made by way of a pointer: by a
 * function of ours that comes before one of the C library's, and who calls that decides; or to run
 * what the code under test has called. */
static bool is_ours(const struct rdl__mock_entry *entry, void *const *frames, int count)
{
    uintptr_t target = target_of_call((uintptr_t)frames[0]);

    if (target)
        return is_in_libc(entry, target);
    return (uintptr_t)frames[0] != (uintptr_t)rdl__thunk_called && count > 1 &&
           rdl__is_own_code((uintptr_t)frames[1]);
}

/* Unwinders do something once, which is no step of the thread that is controlled. */
static int look_at_stack(void **out_frames)
{
    struct rdl__thread *self = rdl__self();
    int count;

    begin_work();
    if (self)
        rdl__running = NULL;
    count = backtrace(out_frames, FRAMES);
    if (self)
        rdl__running = self;
    end_work();
    return count;
}

/* Have we called the C library, which has called the function? */
static bool is_for_us(const struct rdl__mock_entry *entry, uintptr_t caller)
{
    void *frames[FRAMES];
    int count, i = 0;

    if (!is_in_libc(entry, caller))
        return false;
    count = look_at_stack(frames);
    while (i < count && (uintptr_t)frames[i] != caller)
        i++;
    while (i < count && is_in_libc(entry, (uintptr_t)frames[i]))
        i++;
    return i < count && rdl__is_own_code((uintptr_t)frames[i]) &&
           is_ours(entry, frames + i, count - i);
}

static bool is_meant(const struct rdl__mock_entry *entry, uintptr_t caller)
{
    const struct rdl__mocked *function = entry->function;

    forget_other_cases();
    return (function->mocks || function->is_expected || function->handler) && !work.depth &&
           rdl__current && !rdl__hooks_are_passed() && !do_we_call(entry, caller) &&
           !(entry->is_in_libc && is_for_us(entry, caller)) &&
           !(entry->is_in_libc && work.interposed == function);
}

/* ---- Failures -------- */

_Noreturn void rdl__mock_fail(const struct rdl__mock_call *call, const char *what,
                              struct rdl__text *text)
{
    char check[200];
    struct rdl__text all = {0};

    snprintf(check, sizeof check, "%s: %s", what, call->function->name);
    rdl__mock_show_call(&all, call);
    rdl__text_add(&all, "\n%s", rdl__text_string(text));
    rdl__text_release(text);
    rdl__mock_unlock();
    rdl__failed_from(RDL__BY_SPEC, call->arguments->caller, check, &all);
}

/* Who calls such a function has no code behind the call. */
static void refuse_to_return(const struct rdl__mock_call *call)
{
    struct rdl__text text = {0};

    rdl__text_add(&text, "a mock of it can only let it run (rdl_spy, rdl_runs), or let a function "
                         "stand in that does not return, either: by longjmp(), say (rdl_replace)");
    rdl__mock_lock();
    rdl__mock_fail(call, "a function that never returns would return", &text);
}

static void refuse_arguments(const struct rdl__mock_call *call)
{
    struct rdl__text text = {0};

    rdl__text_add(&text, "it is mocked for:");
    for (const struct rdl_mock *mock = call->function->mocks; mock; mock = mock->next) {
        rdl__text_add(&text, "\n  %s(", call->function->name);
        rdl__mock_show_parts(&text, &mock->parts);
        rdl__text_add(&text, ")");
    }
    rdl__mock_fail(call, "a call with other arguments", &text);
}

/* ---- Who answers -------- */

bool rdl__mock_draw(double probability)
{
    return rdl__draw_boolean(rdl__current, probability, true);
}

static bool is_drawn(const struct rdl_mock *mock, bool is_certain)
{
    const struct rdl__mock_part *percent = rdl__mock_part_of(&mock->parts, RDL__PART_CHANCE);

    if (percent)
        return rdl__mock_draw((double)percent->number / 100);
    return is_certain || mock->kind != RDL__MOCK_INJECT || rdl__mock_draw(fault_probability);
}

/* Is it for this call, whose arguments it is about? */
static bool takes(struct rdl_mock *mock)
{
    const struct rdl__mock_part *number = rdl__mock_part_of(&mock->parts, RDL__PART_AT_CALL);
    const struct rdl__mock_part *when = rdl__mock_part_of(&mock->parts, RDL__PART_WHEN);

    mock->seen++;
    return (!number || mock->seen == (uint64_t)number->number) &&
           (!when || ((bool (*)(void))when->code)()) && is_drawn(mock, number || when);
}

static void choose_mock(struct rdl__mock_call *call)
{
    bool is_refused = false;

    for (struct rdl_mock *mock = call->function->mocks; mock && !call->mock; mock = mock->next) {
        bool fits = rdl__mock_parts_fit(&mock->parts, call->values);

        if (fits && takes(mock))
            call->mock = mock;
        is_refused |= !fits && (mock->kind == RDL__MOCK_ANSWER || mock->kind == RDL__MOCK_REPLACE);
    }
    if (!call->mock && is_refused && !call->function->is_expected)
        refuse_arguments(call);
}

static void choose_failure(struct rdl__mock_call *call)
{
    const struct rdl__mock_part *failure = rdl__mock_part_of(call->answer, RDL__PART_OR_FAILS);

    if (failure && rdl__mock_draw(failure_probability))
        call->failure = failure;
}

/* What is to happen; what the mock does not say, a function that is expected does not do. */
static void choose(struct rdl__mock_call *call)
{
    const struct rdl__mock_part *other;
    uintptr_t real = rdl__detour_real(&call->entry->detour);

    if (call->function->is_expected)
        rdl__mock_expected(call);
    if (!call->answer || !call->answer->says_what)
        choose_mock(call);
    if (call->mock) {
        call->answer = &call->mock->parts;
        call->is_injected = call->mock->kind == RDL__MOCK_INJECT;
        rdl__mock_keep(call);
    }
    if (!call->answer) {
        call->code = call->function->is_expected ? 0 : real;
        return;
    }
    choose_failure(call);
    other = rdl__mock_part_of(call->answer, RDL__PART_CALLS);
    if (call->failure)
        call->code = 0;
    else if (other)
        call->code = (uintptr_t)other->code;
    else if (rdl__mock_part_of(call->answer, RDL__PART_RUNS) ||
             (call->mock && call->mock->kind == RDL__MOCK_SPY))
        call->code = real;
}

/* ---- The call -------- */

/* What a function of ours calls of the C library's is the same call. */
static void run(const struct rdl__mock_entry *entry, uintptr_t code,
                struct rdl__arguments *arguments)
{
    const struct rdl__mocked *before = work.interposed;

    if (entry->is_interposed)
        work.interposed = entry->function;
    rdl__mocked_run(entry->function, code, arguments);
    work.interposed = before;
}

static void read_values(struct rdl__mock_call *call)
{
    const struct rdl__mocked *function = call->function;

    memset(call->values, 0, function->values_size);
    for (uint32_t i = 0; function->is_known && i < function->prototype.count; i++) {
        const struct rdl__mock_value *parameter = &function->parameters[i];

        rdl__argument_read(&function->prototype, i, call->arguments, call->values + parameter->at);
        rdl__mock_clear_padding(parameter, call->values + parameter->at);
    }
}

static void read_result(struct rdl__mock_call *call)
{
    const struct rdl__mocked *function = call->function;
    void *result = call->values + function->result.at;

    if (function->is_known && function->result.size)
        rdl__returned_read(&function->prototype, call->arguments, result);
    else if (!function->is_known)
        memcpy(result, &call->arguments->rax, sizeof call->arguments->rax);
}

static void finish(struct rdl__mock_call *call)
{
    const struct rdl__mock_part *number =
        call->answer && !call->failure ? rdl__mock_part_of(call->answer, RDL__PART_ERRNO) : NULL;
    int error = errno;

    begin_work();
    if (call->code)
        read_result(call);
    rdl__mock_answer(call);
    if (call->kept)
        memcpy(call->kept->values + call->function->result.at,
               call->values + call->function->result.at, call->function->result.size);
    if (rdl__current && rdl__current->trace->on)
        rdl__mock_tell(call);
    end_work();
    if (call->function->never_returns)
        refuse_to_return(call);
    errno = number ? (int)number->number : error;
}

static void answer(struct rdl__mock_call *call)
{
    int error = errno;

    read_values(call);
    rdl__mock_lock();
    choose(call);
    rdl__mock_unlock();
    errno = error;
    if (call->code)
        run(call->entry, call->code, call->arguments);
    finish(call);
}

/* A spec plays the function.  Unless something was said of it besides, that is all; and if that is
 * what answers, the spec still looks at the call and at its answer, but does not answer it. */
static void hand_over(struct rdl__mock_call *call)
{
    struct rdl__mocked *function = call->entry->function;
    int error = errno;

    if (function->mocks) {
        read_values(call);
        rdl__mock_lock();
        choose(call);
        rdl__mock_unlock();
        errno = error;
    }
    call->is_answered = call->mock && call->code != rdl__detour_real(&call->entry->detour);
    function->handler(call, function->handled_by);
    if (!call->mock)
        return;
    if (call->is_answered && call->code)
        run(call->entry, call->code, call->arguments);
    finish(call);
    if (call->is_answered)
        function->answered(call, function->handled_by);
}

void rdl__mock_come(struct rdl__arguments *arguments, void *it)
{
    const struct rdl__mock_entry *entry = it;
    unsigned char room[STACK_ROOM];
    struct rdl__mock_call call = {
        .entry = entry, .function = entry->function, .arguments = arguments, .values = room};

    if (!is_meant(entry, arguments->caller)) {
        run(entry, rdl__detour_real(&entry->detour), arguments);
        return;
    }
    if (call.function->values_size > sizeof room)
        call.values = __builtin_alloca(call.function->values_size);
    if (call.function->handler)
        hand_over(&call);
    else
        answer(&call);
}
