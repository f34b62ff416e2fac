/* barriers.c -- accesses between two compiler barriers are volatile ones.
 *
 *         asm volatile("" ::: "memory");
 *         x = *p;
 *         asm volatile("" ::: "memory");
 *
 * Older code has a volatile access in these words: the compiler makes it there, and once.  So the
 * call that reports it becomes the one that reports a volatile access, if nothing else is reported,
 * called or jumped to between the two.  A function that is no more than a barrier is one, where it
 * is called.  (marks.h has gcc write barriers down.) */
#include <string.h>

#include "filter/writer.h"

/* __tsan_read8, but not __tsan_read_range. */
static bool is_report(struct rdl__span target)
{
    static const char *const names[] = {"__tsan_read", "__tsan_write"};
    static const char sizes[] = "1248";

    target = rdl__span_until(target, '@');
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (rdl__span_begins(target, names[i]) && target.count == strlen(names[i]) + 1)
            return memchr(sizes, target.at[target.count - 1], strlen(sizes));
    return false;
}

/* Does control come to it or leave it other than from one statement to the next? */
static bool is_passed(const struct rdl__unit *unit, size_t at)
{
    const struct rdl__statement *statement = &unit->statements.all[at];
    struct rdl__span target;
    bool indirect;

    return !rdl__is_jumped_to(unit, statement) && !rdl__span_begins(statement->word, "ret") &&
           rdl__transfer_of(statement, &target, &indirect) == RDL__NO_TRANSFER;
}

/* Is there nothing in it but the beginning or the end of a function? */
static bool does_nothing(const struct rdl__unit *unit, size_t at)
{
    const struct rdl__statement *statement = &unit->statements.all[at];
    struct rdl__span target;
    bool indirect;

    if (statement->kind != RDL__INSTRUCTION || rdl__span_begins(statement->word, "ret"))
        return true;
    for (int i = 0; i < statement->operand_count; i++) {
        struct rdl__memory memory;

        if (rdl__span_has(statement->operands[i], '(') &&
            (!rdl__memory_of(statement->operands[i], &memory) ||
             (memory.base != RDL__RSP && memory.base != RDL__RBP)))
            return false;
    }
    if (rdl__transfer_of(statement, &target, &indirect) == RDL__CALL)
        return rdl__span_begins(target, "__tsan_func_");
    return !statement->assembly && is_passed(unit, at);
}

/* Is it a call of a function of this unit that has a barrier in it, and does nothing? */
static bool calls_barrier(const struct rdl__unit *unit, size_t at)
{
    const struct rdl__statement *all = unit->statements.all;
    const struct rdl__function *function;
    const struct rdl__symbol *symbol;
    struct rdl__span target;
    bool indirect;

    if (rdl__transfer_of(&all[at], &target, &indirect) != RDL__CALL || indirect)
        return false;
    symbol = rdl__unit_symbol(unit, target);
    if (!symbol || symbol->function == RDL__NO_FUNCTION)
        return false;
    function = &unit->functions[symbol->function];
    for (size_t i = function->begin; i < function->end; i++)
        if (!does_nothing(unit, i))
            return false;
    return function->closed && all[function->end - 1].barriers != all[function->begin].barriers;
}

/* From `at`, in steps of one statement: does a barrier come next? */
static bool comes_to_barrier(const struct rdl__unit *unit, size_t at, int step)
{
    const struct rdl__statement *from = &unit->statements.all[at];

    for (size_t i = at + (size_t)step; i < unit->statements.count; i += (size_t)step) {
        const struct rdl__statement *statement = &unit->statements.all[i];

        if (statement->function != from->function)
            return false;
        if (statement->barriers != from->barriers || calls_barrier(unit, i))
            return true;
        if (!is_passed(unit, i))
            return false;
    }
    return false;
}

bool rdl__is_between_barriers(const struct rdl__unit *unit, size_t at)
{
    return comes_to_barrier(unit, at, -1) && comes_to_barrier(unit, at, 1);
}

bool rdl__reports_between_barriers(const struct rdl__unit *unit, size_t at)
{
    struct rdl__span target;
    bool indirect;

    return rdl__transfer_of(&unit->statements.all[at], &target, &indirect) == RDL__CALL &&
           is_report(target) && rdl__is_between_barriers(unit, at);
}

void rdl__write_barriers(struct rdl__writer *writer, size_t at)
{
    struct rdl__span target;
    bool indirect;

    if (!rdl__reports_between_barriers(&writer->unit, at))
        return;
    rdl__transfer_of(&writer->unit.statements.all[at], &target, &indirect);
    rdl__edit_insert(&writer->edit, target.at + strlen("__tsan_"), "volatile_");
}
