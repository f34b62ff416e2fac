/* instrumented.c -- which functions tell of their accesses to memory.
 *
 * A function that was compiled with instrumentation calls __tsan_func_entry, unless it has
 * neither calls nor accesses that another thread could notice.  One that was kept out of it,
 * by an attribute, has none of these calls; but clang leaves it those of its beginning, its
 * end and its atomic operations.  What a compiler does not tell of even so is memory that is
 * its own: the frame of the function, and constants.  Therefore a function without calls of
 * Raddle is followed from instruction to instruction, to see which registers can only point
 * there.  A result that is a struct is written to a place of the caller's, who tells of it; and a
 * load may stand behind the atomic operation that tells of it (reports.h). */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "filter/unit.h"
#include "filter/untold.h"

struct facts {
    bool tells;    /* of an access that is not atomic */
    bool mentions; /* it calls anything of Raddle's */
    bool calls;    /* anything else */
    bool accesses; /* memory that is not its own, or perhaps not */
};

/* Of plain memory? */
static bool is_access_hook(struct rdl__span name)
{
    return rdl__is_hook(name) && !rdl__span_begins(name, "__tsan_func_") &&
           !rdl__span_begins(name, "__tsan_atomic") && !rdl__span_begins(name, "__tsan_init");
}

static bool is_local(struct rdl__span target)
{
    return rdl__span_begins(target, ".L");
}

/* ---- Registers that point to memory of one's own ------------------------------------------- */

enum { SLOTS_MAX = 64 };

struct walk {
    const struct rdl__unit *unit;
    struct rdl__span spoilt[SLOTS_MAX]; /* places of kept registers that may point elsewhere */
    size_t spoilt_count;
    size_t begin, end;
    bool by_result;         /* the caller gives it a place for its result, which is in rdi */
    struct rdl__span place; /* where it keeps that address; empty: nowhere yet */
    bool place_is_spoilt;
    uint32_t *states; /* before each statement, of registers */
    bool *is_reached;
    size_t *waiting; /* statements to look at again */
    size_t waiting_count;
    bool *is_waiting;
};

static bool points_home(const struct rdl__unit *unit, const struct rdl__memory *memory,
                        uint16_t safe)
{
    if (memory->segment.count)
        return rdl__span_is(memory->displacement, "40"); /* the canary of the stack */
    if (memory->base >= 0 && memory->base < RDL__REGISTERS && safe >> memory->base & 1)
        return true;
    if (memory->index >= 0 && memory->scale == 1 && safe >> memory->index & 1)
        return true;
    return rdl__is_constant(unit, memory);
}

bool rdl__is_constant(const struct rdl__unit *unit, const struct rdl__memory *memory)
{
    const struct rdl__symbol *symbol;

    if (memory->base != RDL__RIP && memory->base != RDL__NO_REGISTER)
        return false;
    if (rdl__span_ends(memory->displacement, "@GOTPCREL") ||
        rdl__span_ends(memory->displacement, "@GOTTPOFF"))
        return true;
    symbol = rdl__unit_symbol(unit, rdl__symbol_of(memory->displacement));
    return symbol && symbol->read_only;
}

static bool touches_nothing(struct rdl__span word)
{
    return rdl__span_begins(word, "lea") || rdl__span_begins(word, "nop") ||
           rdl__span_begins(word, "prefetch") || rdl__span_begins(word, "endbr");
}

/* Others have names that begin alike: movsd of a vector register. */
static bool is_string_instruction(const struct rdl__statement *statement)
{
    static const char *const names[] = {"movs", "stos", "lods", "cmps", "scas"};
    struct rdl__span word = statement->word;

    if (word.count > 5)
        return false;
    for (int i = 0; i < statement->operand_count; i++)
        if (rdl__span_begins(statement->operands[i], "%xmm"))
            return false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (rdl__span_begins(word, names[i]))
            return true;
    return false;
}

/* Does it touch memory that may be another's? */
static bool accesses(const struct rdl__unit *unit, const struct rdl__statement *statement,
                     uint16_t safe)
{
    struct rdl__span target;
    bool indirect;
    enum rdl__transfer transfer = rdl__transfer_of(statement, &target, &indirect);

    if (statement->kind != RDL__INSTRUCTION || touches_nothing(statement->word) || transfer)
        return false;
    if (statement->incomplete)
        return true;
    if (is_string_instruction(statement))
        return !(safe >> RDL__RDI & safe >> RDL__RSI & 1) &&
               !(rdl__span_begins(statement->word, "stos") && safe >> RDL__RDI & 1);
    for (int i = 0; i < statement->operand_count; i++) {
        struct rdl__memory memory;

        if (rdl__memory_of(statement->operands[i], &memory) && !points_home(unit, &memory, safe))
            return true;
    }
    return false;
}

/* Instructions that write to nothing but their only operand, if that. */
static bool writes_operand_only(struct rdl__span word)
{
    static const char *const names[] = {"set", "inc", "dec", "neg", "not", "sal", "sar",   "shl",
                                        "shr", "rol", "ror", "rcl", "rcr", "pop", "bswap", "nop"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (rdl__span_begins(word, names[i]))
            return true;
    return false;
}

uint16_t rdl__registers_written(const struct rdl__statement *statement)
{
    static const char *const exchanging[] = {"xchg", "xadd", "cmpxchg", "cpuid"};
    static const char *const reading[] = {"push", "cmp", "test", "ret"};
    uint16_t written = 0;
    struct rdl__span target, word = statement->word;
    unsigned size;
    bool indirect;
    enum rdl__transfer transfer = rdl__transfer_of(statement, &target, &indirect);

    if (transfer)
        return transfer == RDL__CALL ? (uint16_t)~RDL__SAVED_BY_CALLEE : 0;
    for (size_t i = 0; i < sizeof exchanging / sizeof *exchanging; i++)
        if (rdl__span_begins(word, exchanging[i]))
            written |= 1 << RDL__RAX | 1 << RDL__RDX | 1 << RDL__RCX | 1 << RDL__RBX;
    for (size_t i = 0; i < sizeof reading / sizeof *reading && !written; i++)
        if (rdl__span_begins(word, reading[i]))
            return 0;
    /* Others may write to registers that they do not name. */
    if (statement->operand_count < 2 && !writes_operand_only(word) &&
        (!is_string_instruction(statement) || rdl__span_begins(word, "lods")))
        written |= 1 << RDL__RAX | 1 << RDL__RDX;
    if (statement->repeats || rdl__span_begins(word, "rdtscp"))
        written |= 1 << RDL__RCX;
    for (int i = 0; i < statement->operand_count; i++) {
        int number = rdl__register_of(statement->operands[i], &size);

        if (number != RDL__NO_REGISTER && (written || i == statement->operand_count - 1))
            written |= (uint16_t)(1 << number);
    }
    return written;
}

static bool is_move(struct rdl__span word)
{
    return rdl__span_is(word, "movq") || rdl__span_is(word, "mov");
}

/* A state has a bit for each register that can only point to memory of one's own and, in its
 * upper half, for each that is the place of the result. */
enum { RESULT = 16, BOTH = 1 | 1 << RESULT };

static uint32_t state_after(const struct rdl__unit *unit, const struct rdl__statement *statement,
                            uint32_t state)
{
    const struct rdl__span *operands = statement->operands, word = statement->word;
    unsigned count = statement->operand_count, size = 0, from_size = 0;
    struct rdl__memory memory;
    uint16_t safe = (uint16_t)state, written;
    uint32_t gets = 0;
    int to, from;

    if (statement->kind != RDL__INSTRUCTION)
        return state;
    written = rdl__registers_written(statement);
    to = count ? rdl__register_of(operands[count - 1], &size) : RDL__NO_REGISTER;
    from = count ? rdl__register_of(operands[0], &from_size) : RDL__NO_REGISTER;
    if (to == RDL__NO_REGISTER || size != 8 || count == 0)
        gets = 0;
    else if (rdl__span_begins(word, "lea") && rdl__memory_of(operands[0], &memory))
        gets = points_home(unit, &memory, safe);
    else if (is_move(word) && count == 2)
        gets = from != RDL__NO_REGISTER ? state >> from & BOTH : 0;
    else if (rdl__span_begins(word, "add") || rdl__span_begins(word, "sub") ||
             rdl__span_begins(word, "inc") || rdl__span_begins(word, "dec"))
        gets = (safe >> to & 1) || (rdl__span_begins(word, "add") && from >= 0 && safe >> from & 1);
    state &= ~((uint32_t)written | (uint32_t)written << RESULT);
    if (to != RDL__NO_REGISTER && written >> to & 1)
        state |= gets << to;
    return state | 1 << RDL__RSP;
}

static bool is_spoilt(const struct walk *walk, struct rdl__span slot)
{
    for (size_t i = 0; i < walk->spoilt_count; i++)
        if (rdl__span_equals(walk->spoilt[i], slot))
            return true;
    return walk->spoilt_count == SLOTS_MAX;
}

/* A register is kept on the stack, or comes back from there.  As long as nothing else is known,
 * what comes back points to memory of one's own; false: that was wrong. */
static bool follow_spill(struct walk *walk, const struct rdl__statement *statement,
                         uint32_t *in_out_state)
{
    unsigned size;
    int from = rdl__register_of(statement->operands[0], &size);
    int to = rdl__register_of(statement->operands[1], &size);

    if (from != RDL__NO_REGISTER && !(*in_out_state >> from & 1) &&
        !is_spoilt(walk, statement->operands[1])) {
        walk->spoilt[walk->spoilt_count++] = statement->operands[1];
        return false;
    }
    if (to != RDL__NO_REGISTER) {
        *in_out_state &= ~((uint32_t)BOTH << to);
        if (!is_spoilt(walk, statement->operands[0]))
            *in_out_state |= UINT32_C(1) << to;
    }
    return true;
}

static bool is_in_frame(struct rdl__span operand)
{
    struct rdl__memory memory;

    return rdl__memory_of(operand, &memory) && memory.index == RDL__NO_REGISTER &&
           (memory.base == RDL__RBP || memory.base == RDL__RSP);
}

/* The same for the place of the result, of which the compiler does not say it. */
static bool follow_result(struct walk *walk, const struct rdl__statement *statement,
                          uint32_t *in_out_state)
{
    const struct rdl__span *operands = statement->operands;
    unsigned size = 0;
    int from, to;

    if (!walk->by_result || statement->kind != RDL__INSTRUCTION || statement->operand_count < 1)
        return true;
    to = rdl__register_of(operands[statement->operand_count - 1], &size);
    from = rdl__register_of(operands[0], &size);
    if (is_move(statement->word) && from != RDL__NO_REGISTER &&
        *in_out_state >> (from + RESULT) & 1 && is_in_frame(operands[1]) && !walk->place.count &&
        !walk->place_is_spoilt) {
        walk->place = operands[1];
    } else if (walk->place.count && to == RDL__NO_REGISTER &&
               rdl__span_equals(operands[statement->operand_count - 1], walk->place) &&
               !(from != RDL__NO_REGISTER && *in_out_state >> (from + RESULT) & 1) &&
               !rdl__span_begins(statement->word, "cmp")) {
        walk->place = (struct rdl__span){0};
        walk->place_is_spoilt = true;
        return false;
    } else if (walk->place.count && is_move(statement->word) && to != RDL__NO_REGISTER &&
               rdl__span_equals(operands[0], walk->place)) {
        *in_out_state |= (uint32_t)BOTH << to;
    }
    return true;
}

static void reach(struct walk *walk, size_t at, uint32_t state)
{
    size_t i = at - walk->begin;
    uint32_t both = walk->is_reached[i] ? walk->states[i] & state : state;

    if (walk->is_reached[i] && both == walk->states[i])
        return;
    walk->states[i] = both;
    walk->is_reached[i] = true;
    if (!walk->is_waiting[i])
        walk->waiting[walk->waiting_count++] = at;
    walk->is_waiting[i] = true;
}

/* A jump may lead to this label, or, if it is none of the function, to any of its labels. */
static void reach_label(struct walk *walk, struct rdl__span name, uint32_t state)
{
    const struct rdl__symbol *symbol = rdl__unit_symbol(walk->unit, name);

    if (symbol && symbol->defined && symbol->statement >= walk->begin &&
        symbol->statement < walk->end) {
        reach(walk, symbol->statement, state);
        return;
    }
    for (size_t at = walk->begin; at < walk->end; at++)
        if (walk->unit->statements.all[at].kind == RDL__LABEL)
            reach(walk, at, state);
}

enum outcome { STAYS_HOME, GOES_OUT, WRONG_GUESS };

static void begin_walk(struct walk *walk)
{
    uint32_t at_first = 1 << RDL__RSP;

    if (walk->by_result)
        at_first |= BOTH << RDL__RDI;
    memset(walk->is_reached, 0, walk->end - walk->begin);
    memset(walk->is_waiting, 0, walk->end - walk->begin);
    walk->waiting_count = 0;
    reach(walk, walk->begin, at_first);
}

/* Go on from this statement to all that may follow it. */
static enum outcome step(struct walk *walk, size_t at)
{
    const struct rdl__statement *statement = &walk->unit->statements.all[at];
    uint32_t state = walk->states[at - walk->begin], after = state;
    struct rdl__span target;
    bool indirect;
    enum rdl__transfer transfer = rdl__transfer_of(statement, &target, &indirect);

    if (!statement->assembly && accesses(walk->unit, statement, (uint16_t)state))
        return GOES_OUT;
    if (walk->by_result && rdl__span_begins(statement->word, "ret") &&
        !(state >> (RDL__RAX + RESULT) & 1))
        return GOES_OUT; /* it would return that address */
    if (!statement->is_spill || statement->operand_count != 2)
        after = state_after(walk->unit, statement, state);
    else if (!follow_spill(walk, statement, &after))
        return WRONG_GUESS;
    if (!follow_result(walk, statement, &after))
        return WRONG_GUESS;
    if (statement->assembly) /* which must leave the pointer to the frame as it was */
        after |= state & 1 << RDL__RBP;
    if (transfer == RDL__BRANCH || (transfer == RDL__JUMP && (indirect || is_local(target))))
        reach_label(walk, indirect ? (struct rdl__span){0} : target, after);
    if (transfer != RDL__JUMP && !rdl__span_begins(statement->word, "ret") && at + 1 < walk->end)
        reach(walk, at + 1, after);
    return STAYS_HOME;
}

static enum outcome walk_on(struct walk *walk)
{
    begin_walk(walk);
    while (walk->waiting_count > 0) {
        size_t at = walk->waiting[--walk->waiting_count];
        enum outcome outcome;

        walk->is_waiting[at - walk->begin] = false;
        outcome = step(walk, at);
        if (outcome != STAYS_HOME)
            return outcome;
    }
    return STAYS_HOME;
}

static bool touches_others(const struct rdl__unit *unit, const struct rdl__function *function)
{
    size_t count = function->end - function->begin;
    struct walk walk = {.unit = unit, .begin = function->begin, .end = function->end};
    enum outcome outcome;

    walk.states = rdl__allocate(count * sizeof *walk.states);
    walk.is_reached = rdl__allocate(count);
    walk.is_waiting = rdl__allocate(count);
    walk.waiting = rdl__allocate(count * sizeof *walk.waiting);
    do {
        outcome = walk_on(&walk);
        if (outcome == GOES_OUT && !walk.by_result) {
            walk.by_result = true;
            outcome = WRONG_GUESS;
        }
    } while (outcome == WRONG_GUESS);
    free(walk.states);
    free(walk.is_reached);
    free(walk.is_waiting);
    free(walk.waiting);
    return outcome == GOES_OUT;
}

/* ---- Functions ----------------------------------------------------------------------------- */

static void note(struct facts *facts, const struct rdl__unit *unit, size_t at)
{
    const struct rdl__statement *statement = &unit->statements.all[at];
    struct rdl__span target;
    bool indirect;
    enum rdl__transfer transfer = rdl__transfer_of(statement, &target, &indirect);

    if ((transfer != RDL__CALL && transfer != RDL__JUMP) || rdl__jumps_by_table(unit, at))
        return;
    facts->mentions |= rdl__is_hook(target);
    facts->tells |= is_access_hook(target);
    facts->calls |= (transfer == RDL__CALL || !is_local(target)) && !rdl__is_hook(target);
}

/* The function and its cold part have these in common. */
static void collect(const struct rdl__unit *unit, struct facts *all)
{
    for (size_t i = 0; i < unit->statements.count; i++) {
        const struct rdl__statement *statement = &unit->statements.all[i];

        if (statement->function != RDL__NO_FUNCTION && !statement->assembly)
            note(&all[unit->functions[statement->function].part_of], unit, i);
    }
}

static bool is_instrumented(const struct rdl__unit *unit, const struct rdl__function *function,
                            const struct facts *facts)
{
    if (function->by_hand || !function->closed)
        return false;
    if (facts->tells || (unit->compiler == RDL__GCC && facts->mentions))
        return true;
    if (facts->calls && !facts->mentions)
        return false;
    return !touches_others(unit, function) ||
           !rdl__untold_is_any(unit, (size_t)(function - unit->functions));
}

void rdl__unit_judge(struct rdl__unit *unit)
{
    struct facts *all = rdl__allocate((unit->function_count + 1) * sizeof *all);

    collect(unit, all);
    for (size_t i = 0; i < unit->function_count; i++) {
        struct rdl__function *function = &unit->functions[i];

        function->is_instrumented = is_instrumented(unit, function, &all[function->part_of]);
    }
    free(all);
}
