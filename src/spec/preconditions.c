/* preconditions.c -- the cases that the operations of a spec have to be tried in. */
#include <stdio.h>
#include <string.h>

#include "spec/spec.h"

/* Up to the last of which anything is said. */
size_t rdl__preconditions_of(const struct rdl_operation *op)
{
    size_t count = RDL_PRECONDITIONS_MAX;

    while (count > 0 && !op->preconditions[count - 1].name && !op->preconditions[count - 1].holds)
        count--;
    return count;
}

uint32_t rdl__precondition_count(const struct rdl_spec *spec)
{
    size_t count = 0;

    for (size_t i = 0; i < spec->operation_count; i++)
        count += rdl__preconditions_of(rdl__operation(spec, i));
    return (uint32_t)count;
}

/* "S1: the sender is delayed" */
static struct rdl__precondition read_declared(const struct rdl_operation *op, size_t i)
{
    struct rdl__precondition it = {.operation = op, .holds = op->preconditions[i].holds};
    const char *declared = op->preconditions[i].name ? op->preconditions[i].name : "";
    size_t length = strcspn(declared, ":");

    it.text = declared + length + (declared[length] == ':');
    it.text += strspn(it.text, " ");
    while (length > 0 && declared[length - 1] == ' ')
        length--;
    snprintf(it.name, sizeof it.name, "%.*s", (int)length, declared);
    return it;
}

struct rdl__precondition rdl__precondition(const struct rdl_spec *spec, uint32_t number)
{
    size_t i = 0;

    while (number >= rdl__preconditions_of(rdl__operation(spec, i)))
        number -= (uint32_t)rdl__preconditions_of(rdl__operation(spec, i++));
    return read_declared(rdl__operation(spec, i), number);
}

bool rdl__preconditions_check(const struct rdl_operation *op, struct rdl__error *error)
{
    for (size_t i = 0; i < rdl__preconditions_of(op); i++) {
        struct rdl__precondition it = read_declared(op, i);

        if (!it.name[0])
            return rdl__fail(error, "precondition %zu of operation %s has no name", i + 1,
                             op->name);
        if (strlen(it.name) == sizeof it.name - 1)
            return rdl__fail(error,
                             "the name of precondition %s... of operation %s is too long: what it "
                             "means can be said after a colon",
                             it.name, op->name);
        if (!it.holds)
            return rdl__fail(error, "precondition %s of operation %s has no function", it.name,
                             op->name);
        for (size_t k = 0; k < i; k++)
            if (strcmp(read_declared(op, k).name, it.name) == 0)
                return rdl__fail(error, "operation %s has two preconditions called %s", op->name,
                                 it.name);
    }
    return true;
}

uint64_t rdl__preconditions_met(const struct rdl_spec *spec, const struct rdl_operation *op,
                                const void *s, const void *a, const struct rdl_call *const *waiting,
                                uint32_t count)
{
    struct rdl_queue queue = {.calls = waiting, .count = count, .self = count};
    uint64_t met = 0;
    size_t first = 0, i = 0;

    while (rdl__operation(spec, i) != op)
        first += rdl__preconditions_of(rdl__operation(spec, i++));
    for (i = 0; i < rdl__preconditions_of(op); i++)
        met |= (uint64_t)op->preconditions[i].holds(s, a, &queue) << (first + i);
    return met;
}
