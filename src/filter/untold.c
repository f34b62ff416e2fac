/* untold.c -- accesses to memory that gcc makes for a call and does not report.
 *
 * Each function is followed from label to label, until the values that registers and the stack
 * may hold are known (values.h).  A call of __tsan_read or __tsan_write reports the address that
 * is in rdi; it covers the accesses to this address up to the first call behind one of them.
 *
 * Three kinds of accesses that no report covers are the call's own:
 *
 * - a load between two calls, of which the second is not Raddle's: an argument;
 * - a store between two calls, of which the first is not Raddle's: the result;
 * - in a function that returns its first argument, any access by way of that: the result again,
 *   which the function writes to a place of its caller.
 *
 * Accesses to adjacent bytes between the same two calls are one, made where the first of them
 * is. */
#include "filter/untold.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "filter/mnemonics.h"
#include "filter/values.h"

enum { REPORTS_MAX = 32, GROUPS_MAX = 32, VISITS_MAX = 64, ANY_SIZE = 1 << 30 };

struct report {
    struct rdl__value address;
    int64_t size;
    bool writes, used;
};

struct state {
    struct rdl__values values;
    struct report reports[REPORTS_MAX];
    size_t report_count;
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
    bool by_place;             /* it is the place of the result */
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
    bool returns, returns_other; /* the place of the result; something else */
    bool goes_out;               /* by an access of which nobody tells */
    struct rdl__untolds found, by_place;
};

/* ---- Reports --------------------------------------------------------------------------------- */

static bool is_hook(struct rdl__span target)
{
    return rdl__span_begins(target, "__tsan_");
}

/* __tsan_read4, __tsan_unaligned_write8, __tsan_volatile_read2, __tsan_write_range. */
static bool read_report(const struct search *search, struct rdl__span target, struct report *out)
{
    static const char *const before[] = {"__tsan_unaligned_volatile_", "__tsan_unaligned_",
                                         "__tsan_volatile_", "__tsan_"};
    const struct rdl__value *registers = search->state.values.registers;
    struct rdl__span rest = rdl__span_until(target, '@');

    *out = (struct report){.address = registers[RDL__RDI]};
    if (rdl__span_is(rest, "__tsan_vptr_update")) {
        out->size = 8;
        out->writes = true;
        return true;
    }
    for (size_t i = 0; i < sizeof before / sizeof *before; i++)
        if (rdl__span_begins(rest, before[i])) {
            rest = rdl__span_from(rest, strlen(before[i]));
            break;
        }
    out->writes = rdl__span_begins(rest, "write");
    if (!out->writes && !rdl__span_begins(rest, "read"))
        return false;
    rest = rdl__span_from(rest, strlen(out->writes ? "write" : "read"));
    if (rdl__span_is(rest, "_range"))
        out->size = registers[RDL__RSI].base ? ANY_SIZE : registers[RDL__RSI].offset;
    else
        out->size = rest.count ? strtol(rest.at, NULL, 10) : ANY_SIZE;
    return true;
}

static void add_report(struct state *state, const struct report *report)
{
    if (state->report_count == REPORTS_MAX) {
        memmove(state->reports, state->reports + 1, (REPORTS_MAX - 1) * sizeof *state->reports);
        state->report_count--;
    }
    state->reports[state->report_count++] = *report;
}

static void drop_used(struct state *state)
{
    size_t kept = 0;

    for (size_t i = 0; i < state->report_count; i++)
        if (!state->reports[i].used)
            state->reports[kept++] = state->reports[i];
    state->report_count = kept;
}

static bool is_covered(struct state *state, struct rdl__value address, int64_t size, bool writes)
{
    bool covered = false;

    for (size_t i = 0; i < state->report_count; i++) {
        struct report *report = &state->reports[i];

        if (report->writes == writes && report->address.base == address.base &&
            report->address.offset < address.offset + size &&
            address.offset < report->address.offset + report->size)
            covered = report->used = true;
    }
    return covered;
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
    for (size_t i = 0; i < search->group_count; i++) {
        const struct group *group = &search->groups[i];

        if (group->untold.writes ? !group->by_place : at_call)
            add(&search->found, group);
        else if (group->by_place)
            add(&search->by_place, group);
    }
    search->group_count = 0;
    search->after_call = at_call;
}

static void note(struct search *search, const struct group *access)
{
    for (size_t i = 0; i < search->group_count; i++) {
        struct group *group = &search->groups[i];

        if (group->address.base != access->address.base || access->low > group->high ||
            group->low > access->high || group->by_place != access->by_place ||
            group->untold.writes != access->untold.writes)
            continue;
        group->low = access->low < group->low ? access->low : group->low;
        group->high = access->high > group->high ? access->high : group->high;
        return;
    }
    if (search->group_count < GROUPS_MAX)
        search->groups[search->group_count++] = *access;
}

static void see_access(struct search *search, size_t at, struct rdl__span operand,
                       struct rdl__value address, int64_t size, bool writes)
{
    struct group access = {.untold = {.statement = at, .operand = operand, .writes = writes},
                           .address = address,
                           .low = address.offset,
                           .high = address.offset + size};
    struct rdl__span word = search->unit->statements.all[at].word;
    bool moves = rdl__span_begins(word, "mov") || rdl__span_begins(word, "vmov") ||
                 rdl__span_begins(word, "push");

    if (address.is_own || is_covered(&search->state, address, size, writes) || !search->collects)
        return;
    access.by_place =
        address.base == rdl__value_of_first_argument().base && !(writes && search->after_call);
    search->goes_out |= !access.by_place;
    if (access.by_place || (moves && (!writes || search->after_call)))
        note(search, &access);
}

/* movsq and stosq, perhaps rcx times. */
static bool see_string(struct search *search, size_t at)
{
    static const struct rdl__span source = {"(%rsi)", 6}, target = {"(%rdi)", 6};
    const struct rdl__statement *statement = &search->unit->statements.all[at];
    const struct rdl__value *registers = search->state.values.registers;
    struct rdl__span word = statement->word;
    bool copies = rdl__span_begins(word, "movs");
    int64_t size = 1;

    if (word.count != 5 || statement->operand_count || (!copies && !rdl__span_begins(word, "stos")))
        return false;
    size = word.at[4] == 'q' ? 8 : word.at[4] == 'l' ? 4 : word.at[4] == 'w' ? 2 : 1;
    if (statement->repeats && registers[RDL__RCX].base)
        search->goes_out = true; /* nobody knows how far */
    else if (statement->repeats)
        size *= registers[RDL__RCX].offset;
    if (size <= 0)
        return true;
    if (copies)
        see_access(search, at, source, registers[RDL__RSI], size, false);
    see_access(search, at, target, registers[RDL__RDI], size, true);
    search->state.values.registers[RDL__RSI] = (struct rdl__value){.base = at * 4 + 2};
    search->state.values.registers[RDL__RDI] = (struct rdl__value){.base = at * 4 + 4};
    return true;
}

static void see_memory(struct search *search, size_t at)
{
    const struct rdl__statement *statement = &search->unit->statements.all[at];
    struct rdl__touching touching;
    struct rdl__memory memory;
    struct rdl__span operand;
    struct rdl__value address;

    enum rdl__effect effect = rdl__effect_of(statement, &touching);

    if (see_string(search, at))
        return;
    search->goes_out |=
        effect == RDL__EFFECT_UNKNOWN && !rdl__span_begins(statement->word, "leave");
    if (effect != RDL__EFFECT_ACCESS)
        return;
    operand = statement->operands[touching.operand];
    if (!rdl__memory_of(operand, &memory) || memory.segment.count ||
        rdl__is_constant(search->unit, &memory))
        return;
    address = rdl__address_of(search->unit, &search->state.values, &memory);
    if (touching.kind == RDL__ACCESS_READ || touching.kind == RDL__ACCESS_LOAD)
        see_access(search, at, operand, address, touching.size, false);
    else if (touching.kind == RDL__ACCESS_WRITE || touching.kind == RDL__ACCESS_STORE)
        see_access(search, at, operand, address, touching.size, true);
    else
        search->goes_out = true;
}

/* ---- Ways ------------------------------------------------------------------------------------ */

/* .L5, which jumps may lead to; labels for the debugger have other names. */
static bool is_jumped_to(const struct rdl__statement *statement)
{
    return statement->kind == RDL__LABEL && statement->word.count > 2 &&
           rdl__span_begins(statement->word, ".L") && isdigit((unsigned char)statement->word.at[2]);
}

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

static bool has_report(const struct state *state, const struct report *as)
{
    for (size_t i = 0; i < state->report_count; i++) {
        const struct report *report = &state->reports[i];

        if (rdl__value_equals(report->address, as->address) && report->size == as->size &&
            report->writes == as->writes)
            return true;
    }
    return false;
}

/* The reports of another way hold as well, under the names that their addresses have now. */
static bool join_reports(struct state *state, const struct state *before, const struct state *other)
{
    bool changed = false;

    for (size_t i = 0; i < other->report_count; i++) {
        struct report report = other->reports[i];

        for (int k = 0; k < RDL__REGISTERS; k++)
            if (before->values.registers[k].base == report.address.base) {
                report.address.base = state->values.registers[k].base;
                report.address.offset +=
                    state->values.registers[k].offset - before->values.registers[k].offset;
                break;
            }
        if (!has_report(state, &report) && state->report_count < REPORTS_MAX) {
            add_report(state, &report);
            changed = true;
        }
    }
    return changed;
}

static bool join(struct state *to, const struct state *from, uint64_t label)
{
    struct state old = *to;
    bool changed = rdl__values_join(&to->values, &from->values, label);

    to->report_count = 0;
    join_reports(to, &old, &old);
    return join_reports(to, from, from) || changed;
}

static void reach(struct search *search, size_t at)
{
    struct block *block = block_at(search, at);

    if (!block || search->collects)
        return;
    if (!block->is_reached) {
        block->state = search->state;
        block->is_reached = block->is_waiting = true;
    } else if (block->visits < VISITS_MAX && join(&block->state, &search->state, at)) {
        block->is_waiting = true;
    }
}

static void reach_label(struct search *search, struct rdl__span name)
{
    const struct rdl__symbol *symbol = rdl__unit_symbol(search->unit, name);

    if (symbol && symbol->defined)
        reach(search, symbol->statement);
}

/* A jump by a table, which stands behind it. */
static void reach_by_table(struct search *search, size_t jump)
{
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
    struct report report;
    bool tells = is_hook(target) && read_report(search, target, &report);

    drop_used(&search->state);
    if (tells)
        add_report(&search->state, &report);
    end_window(search, !is_hook(target) && !rdl__span_begins(target, "__tls_get_addr"));
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
    block->is_waiting = false;
    block->visits++;
    search->state = block->state;
    search->after_call = search->just_called = false;
    for (size_t at = block->at; at < search->function->end; at++) {
        const struct rdl__statement *statement = &search->unit->statements.all[at];

        if (at != block->at && is_jumped_to(statement) && block_at(search, at)) {
            end_window(search, false);
            fall_into(search, at);
            return;
        }
        if (statement->function == (int32_t)(search->function - search->unit->functions) &&
            !see(search, at))
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

static void find_blocks(struct search *search)
{
    const struct rdl__function *function = search->function;
    size_t count = 1;

    for (size_t i = function->begin; i < function->end; i++)
        count += is_jumped_to(&search->unit->statements.all[i]);
    search->blocks = rdl__allocate(count * sizeof *search->blocks);
    add_block(search, function->begin);
    for (size_t i = function->begin + 1; i < function->end; i++) {
        const struct rdl__statement *statement = &search->unit->statements.all[i];

        if (is_jumped_to(statement) &&
            statement->function == (int32_t)(function - search->unit->functions))
            add_block(search, i);
    }
}

static void take(struct rdl__untolds *to, struct rdl__untolds *from)
{
    for (size_t i = 0; i < from->count; i++) {
        struct group group = {.untold = from->all[i], .low = from->all[i].from};

        group.high = group.low + from->all[i].size;
        add(to, &group);
    }
    free(from->all);
}

static bool find_in(struct rdl__untolds *out, const struct rdl__unit *unit, size_t function)
{
    bool tells;
    struct search *search = rdl__allocate(sizeof *search);

    search->unit = unit;
    search->function = &unit->functions[function];
    find_blocks(search);
    rdl__values_begin(&search->state.values);
    reach(search, search->function->begin);
    follow_all(search);
    follow_returns(search);
    follow_pads(search);
    search->collects = true;
    search->returns = search->returns_other = false;
    for (size_t i = 0; i < search->block_count; i++)
        if (search->blocks[i].is_reached)
            follow(search, &search->blocks[i]);
        else
            search->goes_out = true;
    if (!search->returns || search->returns_other)
        search->by_place.count = 0;
    tells = search->returns && !search->returns_other && !search->goes_out;
    take(out, &search->found);
    take(out, &search->by_place);
    free(search->blocks);
    free(search);
    return tells;
}

bool rdl__untold_is_result(const struct rdl__unit *unit, size_t function)
{
    struct rdl__untolds none = {0};
    bool tells = unit->compiler == RDL__GCC && find_in(&none, unit, function);

    free(none.all);
    return tells;
}

static int compare(const void *a, const void *b)
{
    const struct rdl__untold *one = a, *two = b;

    return one->statement != two->statement ? (one->statement < two->statement ? -1 : 1)
                                            : one->writes - two->writes;
}

void rdl__untold_find(struct rdl__untolds *out, const struct rdl__unit *unit)
{
    *out = (struct rdl__untolds){0};
    if (unit->compiler != RDL__GCC)
        return;
    for (size_t i = 0; i < unit->function_count; i++)
        if (unit->functions[i].is_instrumented)
            find_in(out, unit, i);
    if (out->count)
        qsort(out->all, out->count, sizeof *out->all, compare);
}
