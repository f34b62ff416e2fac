/* policy.c -- which of the calls that could go on is served first.
 *
 * A policy is asked about one call at a time, and sees all others that wait. */
#include <string.h>

#include "spec/spec.h"

/* ---- For those who write policies ------------------------------------------------------ */

static bool is_of(const struct rdl_call *call, const char *operation)
{
    return !operation || call->operation->name == operation ||
           strcmp(call->operation->name, operation) == 0;
}

/* The i-th call before `end`, but for the one that is asked about; NULL: there is none. */
static const struct rdl_call *find(const struct rdl_queue *q, uint32_t end, const char *operation,
                                   int i)
{
    for (uint32_t k = 0; k < end; k++)
        if (k != q->self && is_of(q->calls[k], operation) && i-- == 0)
            return q->calls[k];
    return NULL;
}

static int count(const struct rdl_queue *q, uint32_t end, const char *operation)
{
    int n = 0;

    for (uint32_t k = 0; k < end; k++)
        n += k != q->self && is_of(q->calls[k], operation);
    return n;
}

/* ---- Who asks for what: a judge need not look at what nobody asks for ---- */

static uint64_t operations_of(const struct rdl_spec *spec, const char *operation)
{
    uint64_t all = 0;

    for (size_t i = 0; i < spec->operation_count; i++)
        if (!operation || strcmp(rdl__operation(spec, i)->name, operation) == 0)
            all |= UINT64_C(1) << i;
    return all;
}

static void ask_count(const struct rdl_queue *q, const char *operation)
{
    if (q->asked)
        q->asked->counts |= operations_of(q->asked->spec, operation);
}

/* Where there is no other, there is no order either. */
static void ask_order(const struct rdl_queue *q, const char *operation)
{
    ask_count(q, operation);
    if (q->asked && count(q, q->count, operation) > 0)
        q->asked->order = true;
}

static bool are_alike(const struct rdl_call *a, const struct rdl_call *b)
{
    return a->operation == b->operation && memcmp(a->args, b->args, a->operation->args_size) == 0;
}

/* To ask for one of several is to ask for their order, unless they are all alike. */
static void ask_args(const struct rdl_queue *q, const char *operation, const struct rdl_call *found)
{
    ask_count(q, operation);
    if (!q->asked || !found)
        return;
    q->asked->args |= operations_of(q->asked->spec, operation);
    for (uint32_t k = 0; k < q->count; k++)
        if (k != q->self && is_of(q->calls[k], operation) && !are_alike(q->calls[k], found))
            q->asked->order = true;
}

int rdl_waiting(const struct rdl_queue *q, const char *operation)
{
    ask_count(q, operation);
    return count(q, q->count, operation);
}

int rdl_older(const struct rdl_queue *q, const char *operation)
{
    ask_order(q, operation);
    return count(q, q->self, operation);
}

const void *rdl_waiting_args(const struct rdl_queue *q, const char *operation, int i)
{
    const struct rdl_call *call = find(q, q->count, operation, i);

    ask_args(q, operation, call);
    return call ? call->args : NULL;
}

const void *rdl_older_args(const struct rdl_queue *q, const char *operation, int i)
{
    const struct rdl_call *call = find(q, q->self, operation, i);

    ask_order(q, operation);
    return call ? call->args : NULL;
}

/* ---- The ready-made ones ---------------------------------------------------------------- */

const struct rdl_policy rdl_policy_always = {.name = "always", .unordered = true};
const struct rdl_policy rdl_policy_fifo = {.name = "FIFO", .unordered = true};
const struct rdl_policy rdl_policy_fifo_per_op = {.name = "FIFO per operation", .unordered = true};
const struct rdl_policy rdl_policy_priority = {.name = "priority", .unordered = true};

bool rdl__compete(const struct rdl_call *a, const struct rdl_call *b)
{
    int64_t (*group)(const void *args) = a->operation->group;

    return a->operation == b->operation && (!group || group(a->args) == group(b->args));
}

static bool is_first_of_its_kind(const struct rdl_queue *q)
{
    ask_order(q, q->calls[q->self]->operation->name);
    for (uint32_t k = 0; k < q->self; k++)
        if (rdl__compete(q->calls[k], q->calls[q->self]))
            return false;
    return true;
}

/* Whoever waits for others would, if they had to come after him, wait for ever. */
static bool is_first_that_could_go(const struct rdl_queue *q, const void *s)
{
    if (rdl_older(q, NULL) == 0)
        return true;
    for (uint32_t k = 0; k < q->self; k++)
        if (rdl__cpre(q->calls[k]->operation, s, q->calls[k]->args))
            return false;
    return true;
}

static bool has_largest_priority(const struct rdl_queue *q)
{
    const struct rdl_call *self = q->calls[q->self];
    int64_t (*priority)(const void *args) = self->operation->priority;

    if (q->asked && priority) {
        ask_count(q, self->operation->name);
        q->asked->args |= operations_of(q->asked->spec, self->operation->name);
    }
    for (uint32_t k = 0; priority && k < q->count; k++)
        if (rdl__compete(q->calls[k], self) && priority(q->calls[k]->args) > priority(self->args))
            return false;
    return true;
}

static bool policy_lets(const struct rdl_policy *policy, const void *s, const void *p,
                        const void *info, const struct rdl_queue *q)
{
    const struct rdl_call *self = q->calls[q->self];

    if (policy->enabled)
        return policy->enabled(p, info, self, s, q);
    if (policy == RDL_FIFO)
        return is_first_that_could_go(q, s);
    if (policy == RDL_FIFO_PER_OP)
        return is_first_of_its_kind(q);
    if (policy == RDL_PRIORITY)
        return has_largest_priority(q);
    if (policy->first && is_of(self, policy->second))
        return rdl_waiting(q, policy->first) == 0;
    return true;
}

bool rdl__enabled(const struct rdl_spec *spec, const void *s, const void *p, const void *info,
                  const struct rdl_queue *q)
{
    const struct rdl_call *self = q->calls[q->self];

    if (self->operation->enabled && !self->operation->enabled(s, self->args, q))
        return false;
    return policy_lets(rdl__policy_of(spec), s, p, info, q);
}
