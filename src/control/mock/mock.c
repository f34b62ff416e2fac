/* mock.c -- what a test says of functions, and asks of calls. */
#include <stdlib.h>
#include <string.h>

#include "control/mock/mock.h"
#include "raddle/case.h"
#include "raddle/check.h"

static struct rdl__arena arena; /* of this case */
static struct rdl_case *begun;  /* the case that has mocks */

struct rdl__arena *rdl__mock_arena(void)
{
    return &arena;
}

/* ---- From the first to the end of the case -------- */

static void end(void *it)
{
    struct rdl_case *t = it;

    begun = NULL;
    rdl__mock_forget_work();
    rdl__mocked_end();
    rdl__mock_expect_end(t);
    rdl__arena_reset(&arena);
}

void rdl__mock_begin(struct rdl_case *t)
{
    if (begun)
        return;
    begun = t;
    rdl__defer(t, end, t);
}

/* ---- Saying -------- */

static bool says_partly(const struct rdl_part *parts)
{
    for (; parts->kind != RDL__PART_END; parts++)
        if (parts->kind == RDL__PART_PARTLY)
            return true;
    return false;
}

static bool check_spy(const struct rdl_mock *mock, struct rdl__error *error)
{
    if (mock->kind == RDL__MOCK_SPY && (rdl__mock_part_of(&mock->parts, RDL__PART_RETURNS) ||
                                        rdl__mock_part_of(&mock->parts, RDL__PART_OR_FAILS)))
        return rdl__fail(error,
                         "rdl_spy of %s lets it run, and so what it returns cannot be said "
                         "(rdl_mock)",
                         mock->function->name);
    return true;
}

static bool takes_all(const struct rdl_mock *mock)
{
    return !mock->parts.says_arguments && !rdl__mock_part_of(&mock->parts, RDL__PART_AT_CALL) &&
           !rdl__mock_part_of(&mock->parts, RDL__PART_CHANCE) &&
           !rdl__mock_part_of(&mock->parts, RDL__PART_WHEN);
}

/* The last is asked first: if that lets all calls run, none would go wrong. */
static bool check_faults(const struct rdl_mock *mock, struct rdl__error *error)
{
    for (const struct rdl_mock *before = mock->function->mocks; before; before = before->next)
        if (mock->kind == RDL__MOCK_SPY && takes_all(mock) && before->kind == RDL__MOCK_INJECT)
            return rdl__fail(error,
                             "rdl_spy of %s would let all calls run, also those that rdl_inject is "
                             "to let go wrong: say rdl_spy before it",
                             mock->function->name);
    return true;
}

static struct rdl_mock *say(struct rdl_case *t, const char *place, const void *typed,
                            enum rdl__mock_kind kind, const struct rdl_part *parts,
                            struct rdl__error *error)
{
    struct rdl__mocked *function = rdl__mocked_get(t, place, typed, says_partly(parts), error);
    struct rdl_mock *mock;

    if (!function)
        return NULL;
    rdl__mock_begin(t);
    rdl__mock_lock(); /* others may be calling, whose calls are kept in the same memory */
    mock = rdl__arena_alloc(&arena, sizeof *mock);
    *mock = (struct rdl_mock){.t = t, .function = function, .kind = kind};
    if (rdl__mock_parts_read(&mock->parts, &arena, function, parts, false, error) &&
        check_spy(mock, error) && check_faults(mock, error)) {
        mock->next = function->mocks;
        __atomic_store_n(&function->mocks, mock, __ATOMIC_RELEASE);
    } else {
        mock = NULL;
    }
    rdl__mock_unlock();
    return mock;
}

struct rdl_mock *rdl__mock(struct rdl_case *t, const char *function, const void *typed,
                           enum rdl__mock_kind kind, const struct rdl_part *parts, const char *file,
                           int line)
{
    struct rdl__error error;
    struct rdl_mock *mock = say(t, function, typed, kind, parts, &error);

    if (!mock)
        rdl__misuse(t, "%s:%d: %s", file, line, error.text);
    return mock;
}

/* ---- Keeping -------- */

void rdl__mock_keep(struct rdl__mock_call *call)
{
    struct rdl_mock *mock = call->mock;
    struct rdl__kept_call *kept =
        rdl__arena_alloc(&arena, sizeof *kept + call->function->values_size);

    *kept = (struct rdl__kept_call){0};
    memcpy(kept->values, call->values, call->function->values_size);
    call->kept = kept;
    if (mock->copying_count)
        rdl__mock_copy_all(call);
    if (mock->last)
        mock->last->next = kept;
    else
        mock->first = kept;
    mock->last = kept;
    mock->count++;
}

/* ---- Asking -------- */

size_t rdl_mock_calls(struct rdl_mock *mock)
{
    size_t count;

    rdl__mock_lock();
    count = mock->count;
    rdl__mock_unlock();
    return count;
}

/* They are mostly asked for one after the other. */
static struct rdl__kept_call *kept_call(struct rdl_mock *mock, size_t i)
{
    size_t at = mock->found && mock->found_at <= i ? mock->found_at : 0;
    struct rdl__kept_call *kept = at ? mock->found : mock->first;

    for (; kept && at < i; at++)
        kept = kept->next;
    mock->found = kept;
    mock->found_at = at;
    return kept;
}

const struct rdl__kept_call *rdl__mock_kept(struct rdl_mock *mock, size_t i)
{
    struct rdl__kept_call *kept;

    rdl__mock_lock();
    kept = i < mock->count ? kept_call(mock, i) : NULL;
    rdl__mock_unlock();
    return kept;
}

void *rdl__mock_arg(struct rdl_mock *mock, size_t i, const char *parameter, void *out, size_t size,
                    const char *file, int line)
{
    const struct rdl__mocked *function = mock->function;
    const struct rdl__mock_value *value =
        *parameter ? rdl__mocked_parameter(function, parameter) : &function->result;
    const struct rdl__kept_call *kept = rdl__mock_kept(mock, i);

    if (!value)
        rdl__misuse(mock->t, "%s:%d: %s has no parameter %s", file, line, function->name,
                    parameter);
    if (!kept)
        rdl__failed(file, line, "rdl_mock_arg", "%s was called %zu times, so there is no call %zu",
                    function->name, mock->count, i);
    if (value->size != size)
        rdl__misuse(mock->t, "%s:%d: %s of %s is of type %s, with %u bytes, not %zu", file, line,
                    *parameter ? parameter : "the result", function->name, value->type_name,
                    value->size, size);
    return memcpy(out, kept->values + value->at, size);
}
