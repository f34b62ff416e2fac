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

enum { WAYS_MAX = 3 }; /* jumps on the way to an access */

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

/* Behind `at`: does a barrier come next, on all ways?  Compilers make one of those at the ends of
 * two branches. */
static bool comes_to_barrier(const struct rdl__unit *unit, size_t at, unsigned depth)
{
    const struct rdl__statement *from = &unit->statements.all[at];

    for (size_t i = at + 1; i < unit->statements.count; i++) {
        const struct rdl__statement *statement = &unit->statements.all[i];
        const struct rdl__symbol *symbol;
        struct rdl__span target;
        bool indirect;
        enum rdl__transfer transfer = rdl__transfer_of(statement, &target, &indirect);

        if (statement->function != from->function || rdl__span_begins(statement->word, "ret"))
            return false;
        if (statement->barriers != from->barriers || calls_barrier(unit, i))
            return true;
        if (transfer == RDL__NO_TRANSFER)
            continue;
        symbol = transfer == RDL__CALL || indirect ? NULL : rdl__unit_symbol(unit, target);
        if (depth == 0 || !symbol || !symbol->defined ||
            unit->statements.all[symbol->statement].function != from->function ||
            !comes_to_barrier(unit, symbol->statement, depth - 1))
            return false;
        if (transfer == RDL__JUMP)
            return true;
    }
    return false;
}

static bool comes_from_barrier(const struct rdl__unit *unit, size_t at, unsigned depth);

/* Does a barrier come last before each jump to this label? */
static bool jumps_come_from_barrier(const struct rdl__unit *unit, size_t label, unsigned depth)
{
    const struct rdl__statement *all = unit->statements.all;
    const struct rdl__symbol *symbol = rdl__unit_name(unit, all[label].word);
    const struct rdl__function *function = &unit->functions[all[label].function];

    if (depth == 0 || (symbol && symbol->is_taken))
        return false;
    for (size_t i = function->begin; i < function->end; i++) {
        struct rdl__span target;
        bool indirect;

        if (rdl__transfer_of(&all[i], &target, &indirect) != RDL__NO_TRANSFER &&
            rdl__span_equals(target, all[label].word) && !comes_from_barrier(unit, i, depth - 1))
            return false;
    }
    return true;
}

/* Before `at`: does a barrier come last, on all ways?  Compilers move that of two branches to where
 * they part. */
static bool comes_from_barrier(const struct rdl__unit *unit, size_t at, unsigned depth)
{
    const struct rdl__statement *from = &unit->statements.all[at];

    for (size_t i = at; from->function != RDL__NO_FUNCTION && i-- > 0;) {
        const struct rdl__statement *statement = &unit->statements.all[i];
        struct rdl__span target;
        bool indirect;
        enum rdl__transfer transfer = rdl__transfer_of(statement, &target, &indirect);

        if (statement->function != from->function)
            return false;
        if (statement->barriers != from->barriers || calls_barrier(unit, i))
            return true;
        if (rdl__is_jumped_to(unit, statement) && !jumps_come_from_barrier(unit, i, depth))
            return false;
        if (transfer == RDL__CALL)
            return false;
        if (transfer == RDL__JUMP || rdl__span_begins(statement->word, "ret"))
            return !indirect; /* nobody comes by there */
    }
    return false;
}

bool rdl__is_between_barriers(const struct rdl__unit *unit, size_t at)
{
    return unit->statements.all[unit->statements.count - 1].barriers > 0 &&
           comes_to_barrier(unit, at, WAYS_MAX) && comes_from_barrier(unit, at, WAYS_MAX);
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
