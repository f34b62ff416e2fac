/* untold.c -- accesses to memory that a compiler does not report.
 *
 * Each function is followed from label to label, until the values that registers and the stack
 * may hold are known (values.h), and with them the accesses that a report covers (reports.h).  All
 * others are untold, except those to the stack, unless the compiler reports the same bytes of it
 * elsewhere: then other threads may know of them.  clang does not report the members of a local
 * variable, even if others know of it; so if an address of the stack leaves the function, all of
 * its stack counts, except the places where clang keeps registers.
 *
 * Untold accesses to adjacent bytes are one, made where the first of them is, if they are those of
 * a struct that a call passes or returns:
 *
 * - loads between two calls, of which the second is not Raddle's: an argument;
 * - stores between two calls, of which the first is not Raddle's: the result;
 * - in a function that returns its first argument, accesses by way of that: the result again,
 *   which the function writes to a place of its caller. */
#include "filter/untold.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "filter/mnemonics.h"
#include "filter/reports.h"
#include "filter/surplus.h"
#include "filter/values.h"

enum { GROUPS_MAX = 32, VISITS_MAX = 64, SHARED_MAX = 64 };

struct state {
    struct rdl__values values;
    struct rdl__reports reports;
    bool has_called; /* so other threads may know the addresses of local variables */
};

/* Statements from a label that is jumped to up to the next one. */
struct block {
    size_t at;
    bool is_reached, is_waiting;
    unsigned visits;
    struct state state;
};

/* Accesses to adjacent bytes. */
struct group {
    struct rdl__untold untold;
    struct rdl__value address; /* of the first of them */
    int64_t low, high;         /* from the base of that on */
};

/* Bytes of the stack that the compiler reports. */
struct shared {
    uint64_t base;
    int64_t low, high;
};

struct search {
    const struct rdl__unit *unit;
    const struct rdl__function *function;
    struct block *blocks;
    size_t block_count;
    struct state state; /* here */
    struct state pad;   /* behind any call: where exceptions are caught */
    bool has_pad;
    bool collects;    /* all states are known */
    bool after_call;  /* the last call was not Raddle's */
    bool just_called; /* and was the last instruction: it may be one that never returns */
    bool calls_return;
    struct group groups[GROUPS_MAX];
    size_t group_count;
    struct shared shared[SHARED_MAX];
    size_t shared_count;
    bool escapes; /* an address of the stack leaves the function, and clang compiled it */
    bool returns, returns_other; /* the place of the result; something else */
    bool goes_out;               /* by an access of which nobody tells, and not to its stack */
    struct rdl__untolds *found;
};

/* ---- Reports --------------------------------------------------------------------------------- */

static void note_shared(struct search *search, const struct rdl__report *report)
{
    int64_t low = report->address.offset, high = low + report->size;
    struct shared *last = NULL;

    if (!report->address.is_own)
        return;
    for (size_t i = 0; i < search->shared_count; i++) {
        struct shared *shared = &search->shared[i];

        if (shared->base != report->address.base)
            continue;
        if (shared->low <= low && high <= shared->high)
            return;
        last = shared;
    }
    if (search->shared_count < SHARED_MAX) {
        search->shared[search->shared_count++] = (struct shared){report->address.base, low, high};
    } else if (last) { /* all that is between them */
        last->low = low < last->low ? low : last->low;
        last->high = high > last->high ? high : last->high;
    }
}

/* A value leaves the function. */
static void note_leaving(struct search *search, struct rdl__value value)
{
    search->escapes |= value.is_own && !value.is_constant && search->unit->compiler == RDL__CLANG;
}

static void note_arguments(struct search *search)
{
    static const int arguments[] = {RDL__RDI, RDL__RSI, RDL__RDX, RDL__RCX, 8, 9};

    for (size_t i = 0; i < sizeof arguments / sizeof *arguments; i++)
        note_leaving(search, search->state.values.registers[arguments[i]]);
}

/* Is it memory of this call alone?  gcc does not report a variable that is passed or returned by
 * value, even if others know of it. */
static bool is_private(const struct search *search, size_t at, struct rdl__value address,
                       int64_t size, bool by_value)
{
    if (!address.is_own || !search->state.has_called)
        return address.is_own;
    if (by_value && search->unit->compiler == RDL__GCC && !address.is_constant &&
        !search->unit->statements.all[at].is_kept &&
        rdl__values_is_taken(&search->state.values, address, size))
        return false;
    if (search->escapes && !address.is_constant)
        return search->unit->statements.all[at].is_kept;
    for (size_t i = 0; i < search->shared_count; i++) {
        const struct shared *shared = &search->shared[i];

        if (shared->base == address.base && shared->low < address.offset + size &&
            address.offset < shared->high)
            return false;
    }
    return true;
}

/* ---- Accesses -------------------------------------------------------------------------------- */

static void add(struct rdl__untolds *to, const struct group *group)
{
    if (to->count == to->room) {
        to->room = to->room ? to->room * 2 : 16;
        to->all = rdl__reallocate(to->all, to->room * sizeof *to->all);
    }
    to->all[to->count] = group->untold;
    to->all[to->count].from = group->low - group->address.offset;
    to->all[to->count++].size = (uint32_t)(group->high - group->low);
}

/* A window between two calls, or a call and a jump, is over. */
static void end_window(struct search *search, bool at_call)
{
    for (size_t i = 0; i < search->group_count; i++)
        add(search->found, &search->groups[i]);
    search->group_count = 0;
    search->after_call = at_call;
}

static void note(struct search *search, const struct group *access)
{
    for (size_t i = 0; i < search->group_count; i++) {
        struct group *group = &search->groups[i];

        if (group->address.base != access->address.base || access->low > group->high ||
            group->low > access->high || group->untold.kind != access->untold.kind)
            continue;
        if (access->high > group->high)
            group->untold.surplus = access->untold.surplus;
        group->low = access->low < group->low ? access->low : group->low;
        group->high = access->high > group->high ? access->high : group->high;
        return;
    }
    if (search->group_count < GROUPS_MAX)
        search->groups[search->group_count++] = *access;
    else
        add(search->found, access);
}

/* Is the next transfer a call that is not Raddle's? */
static bool leads_to_call(const struct search *search, size_t at)
{
    for (; at < search->unit->statements.count; at++) {
        const struct rdl__statement *statement = &search->unit->statements.all[at];
        struct rdl__span target;
        bool indirect;
        enum rdl__transfer transfer = rdl__transfer_of(statement, &target, &indirect);

        if (transfer || rdl__is_jumped_to(search->unit, statement) ||
            rdl__span_begins(statement->word, "ret"))
            return transfer == RDL__CALL && (indirect || !rdl__is_quiet(target));
    }
    return false;
}

/* Does the function write a result to a place of its caller, which this is? */
static bool is_place(const struct search *search, struct rdl__value address, bool writes)
{
    return search->returns && !search->returns_other &&
           address.base == rdl__value_of_first_argument().base && !(writes && search->after_call);
}

static void see_access(struct search *search, struct rdl__untold untold, struct rdl__value address,
                       int64_t size)
{
    bool writes = untold.kind != RDL__ACCESS_READ;
    struct group access = {
        .untold = untold, .address = address, .low = address.offset, .high = address.offset + size};
    struct rdl__span word = search->unit->statements.all[untold.statement].word;
    bool moves = rdl__span_begins(word, "mov") || rdl__span_begins(word, "vmov") ||
                 rdl__span_begins(word, "push");
    bool is_plain = untold.kind == RDL__ACCESS_READ || untold.kind == RDL__ACCESS_WRITE;
    bool place = is_place(search, address, writes);
    bool by_value;

    if (rdl__reports_cover(&search->state.reports, address, size - untold.surplus, writes) ||
        (is_plain && moves && !address.is_own &&
         rdl__reports_are_of_next(&search->state.reports, size, writes)) ||
        !search->collects)
        return;
    by_value = is_plain && moves &&
               (writes ? search->after_call : leads_to_call(search, untold.statement));
    if (is_private(search, untold.statement, address, size, by_value))
        return;
    search->goes_out |= !place && !address.is_own;
    if (by_value || (is_plain && place))
        note(search, &access);
    else
        add(search->found, &access);
}

/* An instruction touches memory, and nobody knows how much. */
static void see_anything(struct search *search, size_t at)
{
    struct group anything = {.untold = {.statement = at, .kind = RDL__ACCESS_ANYTHING}};

    search->goes_out = true;
    if (search->collects)
        add(search->found, &anything);
}

/* An access of as many bytes as rcx says when the program runs.  If the compiler has reported
 * many bytes, it is a part of that. */
static bool is_explained(const struct search *search, struct rdl__value address, bool writes)
{
    return address.is_own || rdl__reports_have_range(&search->state.reports, writes);
}

/* movsq and stosq, perhaps rcx times. */
static bool see_string(struct search *search, size_t at)
{
    static const struct rdl__span source = {"(%rsi)", 6}, target = {"(%rdi)", 6};
    const struct rdl__statement *statement = &search->unit->statements.all[at];
    const struct rdl__value *registers = search->state.values.registers;
    struct rdl__value from = registers[RDL__RSI], to = registers[RDL__RDI];
    struct rdl__untold reads = {.statement = at, .operand = source, .kind = RDL__ACCESS_READ},
                       writes = {.statement = at, .operand = target, .kind = RDL__ACCESS_WRITE};
    bool copies = rdl__span_begins(statement->word, "movs");
    int64_t size = rdl__string_size(statement);

    if (size == 0)
        return false;
    if (statement->repeats && registers[RDL__RCX].base) {
        if ((copies && !is_explained(search, from, false)) || !is_explained(search, to, true))
            see_anything(search, at);
        return true;
    }
    size *= statement->repeats ? registers[RDL__RCX].offset : 1;
    if (copies && size > 0)
        see_access(search, reads, from, size);
    if (size > 0)
        see_access(search, writes, to, size);
    return true;
}

/* Its effect is not known; a report, or a place on the stack, may explain it. */
static void see_unknown(struct search *search, size_t at)
{
    const struct rdl__statement *statement = &search->unit->statements.all[at];
    struct rdl__memory memory;
    struct rdl__value address;

    if (!rdl__touches_memory(statement))
        return;
    for (int i = 0; i < statement->operand_count; i++) {
        if (!rdl__span_has(statement->operands[i], '(') ||
            !rdl__memory_of(statement->operands[i], &memory))
            continue;
        address = rdl__address_of(search->unit, &search->state.values, &memory);
        if (address.is_own || rdl__is_constant(search->unit, &memory) ||
            rdl__reports_cover(&search->state.reports, address, 1, false) ||
            rdl__reports_cover(&search->state.reports, address, 1, true))
            return;
    }
    see_anything(search, at);
}

static void see_memory(struct search *search, size_t at)
{
    const struct rdl__statement *statement = &search->unit->statements.all[at];
    struct rdl__touching touching;
    struct rdl__memory memory;
    struct rdl__span operand;
    struct rdl__value address;
    struct rdl__untold untold = {.statement = at};
    enum rdl__effect effect = rdl__effect_of(statement, &touching);

    if (see_string(search, at))
        return;
    if (effect == RDL__EFFECT_UNKNOWN || (effect == RDL__EFFECT_ACCESS && touching.is_part))
        see_unknown(search, at);
    if (effect != RDL__EFFECT_ACCESS || touching.is_part)
        return;
    operand = statement->operands[touching.operand];
    if (!rdl__memory_of(operand, &memory) || rdl__is_constant(search->unit, &memory))
        return;
    address = rdl__address_of(search->unit, &search->state.values, &memory);
    untold.operand = operand;
    untold.kind = touching.kind == RDL__ACCESS_LOAD     ? RDL__ACCESS_READ
                  : touching.kind == RDL__ACCESS_STORE  ? RDL__ACCESS_WRITE
                  : touching.kind == RDL__ACCESS_UPDATE ? RDL__ACCESS_WRITE
                                                        : touching.kind;
    untold.other = touching.other;
    if (touching.other != RDL__NO_REGISTER && untold.kind == RDL__ACCESS_WRITE && !address.is_own)
        note_leaving(search, search->state.values.registers[touching.other]);
    untold.surplus = rdl__surplus_of(statement, search->unit->compiler);
    see_access(search, untold, address,
               rdl__masked_size(statement, &search->state.values, touching.size));
}

/* ---- Ways ------------------------------------------------------------------------------------ */

static struct block *block_at(const struct search *search, size_t at)
{
    for (size_t low = 0, high = search->block_count; low < high;) {
        size_t middle = (low + high) / 2;

        if (search->blocks[middle].at == at)
            return &search->blocks[middle];
        if (search->blocks[middle].at < at)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

static bool join(struct state *to, const struct state *from, uint64_t label)
{
    struct rdl__values before = to->values;
    bool changed = rdl__values_join(&to->values, &from->values, label);

    changed |= rdl__reports_join(&to->reports, &before, &from->reports, &from->values, &to->values);
    changed |= from->has_called > to->has_called;
    to->has_called |= from->has_called;
    return changed;
}

/* Too many ways lead there: keep only what holds on all, which is which registers point to the
 * stack.  True: that is less than before. */
static bool give_up(struct state *to, const struct state *from, uint64_t label)
{
    bool changed = false;

    to->reports.count = 0;
    to->has_called = true;
    rdl__values_forget(&to->values, label);
    for (int i = 0; i < RDL__REGISTERS; i++) {
        struct rdl__value *value = &to->values.registers[i];

        changed |= value->is_own && !from->values.registers[i].is_own;
        value->is_own &= from->values.registers[i].is_own;
    }
    return changed;
}

static void reach(struct search *search, size_t at)
{
    struct block *block = block_at(search, at);

    if (!block || search->collects)
        return;
    if (!block->is_reached) {
        block->state = search->state;
        block->is_reached = block->is_waiting = true;
    } else if (block->visits < VISITS_MAX ? join(&block->state, &search->state, at)
                                          : give_up(&block->state, &search->state, at)) {
        block->is_waiting = true;
    }
}

static void reach_label(struct search *search, struct rdl__span name)
{
    const struct rdl__symbol *symbol = rdl__unit_symbol(search->unit, name);

    if (symbol && symbol->defined)
        reach(search, symbol->statement);
}

/* A jump to a label whose address the program takes. */
static void reach_taken(struct search *search)
{
    for (size_t i = 0; i < search->block_count; i++) {
        size_t at = search->blocks[i].at;
        const struct rdl__symbol *label =
            rdl__unit_symbol(search->unit, search->unit->statements.all[at].word);

        if (label && label->is_taken)
            reach(search, at);
    }
}

/* A jump by a table, which stands behind it. */
static void reach_by_table(struct search *search, size_t jump)
{
    if (!rdl__jumps_by_table(search->unit, jump) || search->unit->compiler == RDL__CLANG)
        reach_taken(search);
    for (size_t i = jump + 1; i < search->function->end; i++) {
        const struct rdl__statement *statement = &search->unit->statements.all[i];

        if (statement->kind == RDL__INSTRUCTION)
            return;
        if (rdl__span_is(statement->word, ".long") || rdl__span_is(statement->word, ".quad"))
            reach_label(search, rdl__span_until(statement->operands[0], '-'));
    }
}

/* A label behind a call: if the call returns, this is a way there.  It is taken for one only if
 * there is no other. */
static void fall_into(struct search *search, size_t at)
{
    if (!search->just_called || (search->calls_return && !block_at(search, at)->is_reached))
        reach(search, at);
}

/* ---- Following a function -------------------------------------------------------------------- */

static void see_call(struct search *search, size_t at, struct rdl__span target)
{
    struct rdl__report report;
    bool tells = rdl__is_hook(target) && rdl__report_read(&report, &search->state.values, target);

    rdl__reports_drop_used(&search->state.reports);
    if (tells) {
        report.is_volatile |= rdl__reports_between_barriers(search->unit, at);
        rdl__reports_add(&search->state.reports, &report);
        note_shared(search, &report);
    }
    if (rdl__publishes(target)) {
        note_arguments(search);
        search->state.has_called = true;
    }
    end_window(search, !rdl__is_quiet(target));
    rdl__values_step(&search->state.values, search->unit, at);
    if (search->after_call && !search->has_pad)
        search->pad = search->state;
    else if (search->after_call)
        join(&search->pad, &search->state, UINT64_MAX);
    search->has_pad |= search->after_call;
}

static void see_return(struct search *search)
{
    if (rdl__value_equals(search->state.values.registers[RDL__RAX], rdl__value_of_first_argument()))
        search->returns = true;
    else
        search->returns_other = true;
}

/* False: the next statement is not behind this one. */
static bool see(struct search *search, size_t at)
{
    const struct rdl__statement *statement = &search->unit->statements.all[at];
    struct rdl__span target;
    bool indirect;
    enum rdl__transfer transfer = rdl__transfer_of(statement, &target, &indirect);

    if (statement->kind != RDL__INSTRUCTION)
        return true;
    if (transfer == RDL__CALL) {
        see_call(search, at, indirect ? (struct rdl__span){0} : target);
        search->just_called = search->after_call;
        return true;
    }
    search->just_called = false;
    if (transfer == RDL__BRANCH || transfer == RDL__JUMP) {
        end_window(search, false);
        if (indirect)
            reach_by_table(search, at);
        else
            reach_label(search, target);
        return transfer == RDL__BRANCH;
    }
    if (rdl__span_begins(statement->word, "ret")) {
        end_window(search, false);
        see_return(search);
        return false;
    }
    if (!statement->assembly)
        see_memory(search, at);
    rdl__values_step(&search->state.values, search->unit, at);
    return true;
}

static void follow(struct search *search, struct block *block)
{
    int32_t part = search->unit->statements.all[block->at].function;
    size_t end = search->unit->functions[part].end;

    block->is_waiting = false;
    block->visits++;
    search->state = block->state;
    search->after_call = search->just_called = false;
    for (size_t at = block->at; at < end; at++) {
        const struct rdl__statement *statement = &search->unit->statements.all[at];

        if (at != block->at && rdl__is_jumped_to(search->unit, statement) && block_at(search, at)) {
            end_window(search, false);
            fall_into(search, at);
            return;
        }
        if (statement->function == part && !see(search, at))
            break;
    }
    end_window(search, false);
}

static void follow_all(struct search *search)
{
    bool again;

    do {
        again = false;
        for (size_t i = 0; i < search->block_count; i++)
            if (search->blocks[i].is_waiting) {
                follow(search, &search->blocks[i]);
                again = true;
            }
    } while (again);
}

/* Labels that are reached by nothing but a call that returns. */
static void follow_returns(struct search *search)
{
    search->calls_return = true;
    for (size_t i = 0; i < search->block_count; i++)
        if (search->blocks[i].is_reached) {
            follow(search, &search->blocks[i]);
            follow_all(search);
        }
}

/* Where exceptions are caught, or another part of the function leads to. */
static void follow_pads(struct search *search)
{
    for (size_t i = 0; i < search->block_count; i++)
        if (!search->blocks[i].is_reached && search->has_pad) {
            search->state = search->pad;
            reach(search, search->blocks[i].at);
            follow_all(search);
        }
}

static void add_block(struct search *search, size_t at)
{
    search->blocks[search->block_count++] = (struct block){.at = at};
}

static void find_blocks_of(struct search *search, int32_t part)
{
    const struct rdl__function *function = &search->unit->functions[part];
    size_t count = search->block_count + 1;

    for (size_t i = function->begin; i < function->end; i++)
        count += rdl__is_jumped_to(search->unit, &search->unit->statements.all[i]);
    search->blocks = rdl__reallocate(search->blocks, count * sizeof *search->blocks);
    add_block(search, function->begin);
    for (size_t i = function->begin + 1; i < function->end; i++) {
        const struct rdl__statement *statement = &search->unit->statements.all[i];

        if (rdl__is_jumped_to(search->unit, statement) && statement->function == part)
            add_block(search, i);
    }
}

/* In the order of the statements. */
static void find_blocks(struct search *search)
{
    int32_t part = search->function->part_of, cold = search->function->cold;
    bool cold_first =
        cold != RDL__NO_FUNCTION && search->unit->functions[cold].begin < search->function->begin;

    if (cold_first)
        find_blocks_of(search, cold);
    find_blocks_of(search, part);
    if (cold != RDL__NO_FUNCTION && !cold_first)
        find_blocks_of(search, cold);
}

/* Nobody knows how this block is reached: if it is, anything may be touched. */
static void see_unreached(struct search *search, size_t at)
{
    int32_t part = search->unit->statements.all[at].function;

    for (size_t i = at; i < search->unit->functions[part].end; i++) {
        const struct rdl__statement *statement = &search->unit->statements.all[i];

        if (i != at && rdl__is_jumped_to(search->unit, statement))
            return;
        if (statement->kind == RDL__INSTRUCTION && statement->function == part) {
            see_anything(search, i);
            return;
        }
    }
}

static void collect(struct search *search)
{
    search->collects = true;
    for (size_t i = 0; i < search->block_count; i++)
        if (search->blocks[i].is_reached)
            follow(search, &search->blocks[i]);
        else
            see_unreached(search, search->blocks[i].at);
}

/* True: some of them are to other memory than the place of the result. */
static bool find_in(struct rdl__untolds *out, const struct rdl__unit *unit, size_t function)
{
    bool goes_out;
    struct search *search = rdl__allocate(sizeof *search);

    search->unit = unit;
    search->function = &unit->functions[function];
    search->found = out;
    find_blocks(search);
    rdl__values_begin(&search->state.values);
    reach(search, search->function->begin);
    follow_all(search);
    follow_returns(search);
    follow_pads(search);
    collect(search);
    goes_out = search->goes_out;
    free(search->blocks);
    free(search);
    return goes_out;
}

bool rdl__untold_is_any(const struct rdl__unit *unit, size_t function)
{
    struct rdl__untolds untolds = {0};
    bool any = find_in(&untolds, unit, function);

    free(untolds.all);
    return any;
}

static int compare(const void *a, const void *b)
{
    const struct rdl__untold *one = a, *two = b;

    return one->statement != two->statement ? (one->statement < two->statement ? -1 : 1)
                                            : one->kind - two->kind;
}

void rdl__untold_find(struct rdl__untolds *out, const struct rdl__unit *unit)
{
    *out = (struct rdl__untolds){0};
    for (size_t i = 0; i < unit->function_count; i++)
        if (unit->functions[i].is_instrumented && unit->functions[i].part_of == (int32_t)i)
            find_in(out, unit, i);
    if (out->count)
        qsort(out->all, out->count, sizeof *out->all, compare);
}
