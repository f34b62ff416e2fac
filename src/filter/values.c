/* values.c -- which registers and words of the stack hold the same value, plus a constant. */
#include "filter/values.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "filter/mnemonics.h"

/* Where bases come from. */
enum origin { AT_ENTRY = 1, WRITTEN, LOADED, NAMED, COMPUTED, MASKED, EXTENDED, JOINED, FOUND };

static uint64_t mix(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}

static uint64_t base_of(enum origin origin, uint64_t a, uint64_t b)
{
    return mix(mix(mix(1, origin), a), b) | 1;
}

static struct rdl__value value_from(enum origin origin, uint64_t a, uint64_t b)
{
    return (struct rdl__value){.base = base_of(origin, a, b)};
}

static struct rdl__value constant(int64_t number)
{
    return (struct rdl__value){.offset = number};
}

bool rdl__value_equals(struct rdl__value a, struct rdl__value b)
{
    return a.base == b.base && a.offset == b.offset;
}

void rdl__values_forget(struct rdl__values *values, uint64_t label)
{
    values->slot_count = 0;
    values->taken = INT64_MIN;
    for (uint64_t i = 0; i < RDL__REGISTERS; i++) {
        bool own = values->registers[i].is_own;

        values->registers[i] = value_from(JOINED, label, i);
        values->registers[i].is_own = own;
    }
}

void rdl__values_begin(struct rdl__values *out)
{
    out->slot_count = 0;
    out->taken = INT64_MAX;
    for (int i = 0; i < RDL__REGISTERS; i++)
        out->registers[i] = value_from(AT_ENTRY, (uint64_t)i, 0);
    out->registers[RDL__RSP].is_own = true;
}

struct rdl__value rdl__value_of_first_argument(void)
{
    return value_from(AT_ENTRY, RDL__RDI, 0);
}

/* ---- Arithmetic ---------------------------------------------------------------------------- */

/* Numbers of 64 bits wrap around, as those of the CPU do. */
static int64_t plus(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

static int64_t times(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a * (uint64_t)b);
}

/* The base of a sum is the sum of the bases, so that sums of the same parts are equal, in whatever
 * order they were computed. */
static struct rdl__value sum_of(struct rdl__value a, struct rdl__value b)
{
    return (struct rdl__value){.base = a.base + b.base,
                               .offset = plus(a.offset, b.offset),
                               .is_own = a.is_own || b.is_own,
                               .is_constant = a.is_constant || b.is_constant};
}

static struct rdl__value product_of(struct rdl__value value, int64_t factor)
{
    return (struct rdl__value){.base = value.base * (uint64_t)factor,
                               .offset = times(value.offset, factor),
                               .is_own = factor == 1 && value.is_own,
                               .is_constant = factor == 1 && value.is_constant};
}

static struct rdl__value derived(enum origin origin, struct rdl__value value, uint64_t how)
{
    struct rdl__value out = value_from(origin, mix(value.base, (uint64_t)value.offset), how);

    return !value.base && origin == EXTENDED ? value : out;
}

/* ---- Addresses ----------------------------------------------------------------------------- */

/* The numbers in "8+table", "table-8" or "-16". */
static int64_t number_in(struct rdl__span displacement)
{
    int64_t sum = 0;

    while (displacement.count) {
        bool negative = *displacement.at == '-';
        size_t count = 0;

        if (negative || *displacement.at == '+')
            displacement = rdl__span_from(displacement, 1);
        while (count < displacement.count && displacement.at[count] != '+' &&
               displacement.at[count] != '-')
            count++;
        if (count && isdigit((unsigned char)*displacement.at))
            sum = plus(sum, times(negative ? -1 : 1, (int64_t)strtoull(displacement.at, NULL, 10)));
        displacement = rdl__span_from(displacement, count);
    }
    return sum;
}

static struct rdl__value value_of_name(struct rdl__span name)
{
    uint64_t hash = 0;

    for (size_t i = 0; i < name.count; i++)
        hash = mix(hash, (unsigned char)name.at[i]);
    return value_from(NAMED, hash, 0);
}

static struct rdl__value value_of_displacement(struct rdl__span displacement)
{
    struct rdl__span name = rdl__symbol_of(displacement);
    struct rdl__value value = constant(number_in(displacement));

    return name.count ? sum_of(value_of_name(name), value) : value;
}

struct rdl__value rdl__address_of(const struct rdl__unit *unit, const struct rdl__values *values,
                                  const struct rdl__memory *memory)
{
    struct rdl__value value = value_of_displacement(memory->displacement);
    const struct rdl__symbol *symbol = rdl__unit_symbol(unit, rdl__symbol_of(memory->displacement));

    value.is_own = value.is_constant = symbol && symbol->read_only;
    if (memory->base >= 0 && memory->base < RDL__REGISTERS)
        value = sum_of(values->registers[memory->base], value);
    if (memory->index >= 0)
        value = sum_of(value, product_of(values->registers[memory->index], memory->scale));
    return value;
}

/* ---- The stack ------------------------------------------------------------------------------- */

static bool is_slot(struct rdl__value address)
{
    return address.base == base_of(AT_ENTRY, RDL__RSP, 0);
}

static void forget_slots(struct rdl__values *values, int64_t at, unsigned size)
{
    for (size_t i = 0; i < values->slot_count;) {
        struct rdl__slot *slot = &values->slots[i];

        if (slot->at < at + (int64_t)size && at < slot->at + (int64_t)slot->size)
            *slot = values->slots[--values->slot_count];
        else
            i++;
    }
}

/* Something is written to the stack, nobody knows where: maybe to a pointer to the stack. */
static void forget_own(struct rdl__values *values)
{
    for (size_t i = 0; i < values->slot_count;)
        if (values->slots[i].value.is_own)
            values->slots[i] = values->slots[--values->slot_count];
        else
            i++;
}

/* The code does not say how long the variable is that begins at `taken`: it may reach to the end of
 * the frame and beyond, except for the return address. */
bool rdl__values_is_taken(const struct rdl__values *values, struct rdl__value address, int64_t size)
{
    if (!is_slot(address))
        return values->taken != INT64_MAX;
    return address.offset + size > values->taken && address.offset != 0;
}

/* An address leaves the registers that are followed. */
static void take(struct rdl__values *values, struct rdl__value address)
{
    int64_t from = is_slot(address) ? address.offset : INT64_MIN;

    if (address.is_own && !address.is_constant && from < values->taken)
        values->taken = from;
}

static void take_operands(struct rdl__values *values, const struct rdl__statement *statement)
{
    for (int i = 0; i < statement->operand_count; i++) {
        unsigned size;
        int number = rdl__register_of(statement->operands[i], &size);

        if (number >= 0 && number < RDL__REGISTERS && number != RDL__RSP)
            take(values, values->registers[number]);
    }
}

static void take_arguments(struct rdl__values *values)
{
    static const int arguments[] = {RDL__RDI, RDL__RSI, RDL__RDX, RDL__RCX, 8, 9};

    for (size_t i = 0; i < sizeof arguments / sizeof *arguments; i++)
        take(values, values->registers[arguments[i]]);
}

/* A callee may have written to variables whose addresses it knows.  The function's own pointer to
 * the place of its result is no such variable. */
static void forget_taken(struct rdl__values *values)
{
    for (size_t i = 0; i < values->slot_count;) {
        struct rdl__slot *slot = &values->slots[i];
        struct rdl__value at = {.base = base_of(AT_ENTRY, RDL__RSP, 0), .offset = slot->at};

        if (rdl__values_is_taken(values, at, slot->size) &&
            !rdl__value_equals(slot->value, rdl__value_of_first_argument()))
            *slot = values->slots[--values->slot_count];
        else
            i++;
    }
}

static void keep(struct rdl__values *values, int64_t at, unsigned size, struct rdl__value value)
{
    forget_slots(values, at, size);
    if (values->slot_count == RDL__SLOTS_MAX)
        memmove(values->slots, values->slots + 1, --values->slot_count * sizeof *values->slots);
    values->slots[values->slot_count++] = (struct rdl__slot){at, size, value};
}

/* The value of a stack slot; if nothing is known of it, the first read gives it a name. */
static struct rdl__value slot_value(struct rdl__values *values, int64_t at, unsigned size,
                                    size_t statement)
{
    struct rdl__value value = value_from(LOADED, statement, size);

    for (size_t i = 0; i < values->slot_count; i++)
        if (values->slots[i].at == at && values->slots[i].size == size)
            return values->slots[i].value;
    keep(values, at, size, value);
    return value;
}

static void push(struct rdl__values *values, struct rdl__value value)
{
    struct rdl__value *top = &values->registers[RDL__RSP];

    top->offset = plus(top->offset, -8);
    if (is_slot(*top))
        keep(values, top->offset, 8, value);
}

static struct rdl__value pop(struct rdl__values *values, size_t statement)
{
    struct rdl__value *top = &values->registers[RDL__RSP];
    struct rdl__value value = value_from(LOADED, statement, 8);

    if (is_slot(*top))
        value = slot_value(values, top->offset, 8, statement);
    top->offset = plus(top->offset, 8);
    return value;
}

/* ---- Statements ------------------------------------------------------------------------------ */

static bool is_named(struct rdl__span word, const char *name)
{
    return rdl__span_begins(word, name) &&
           (word.count == strlen(name) ||
            (word.count == strlen(name) + 1 && memchr("bwlq", word.at[word.count - 1], 4) != NULL));
}

static struct rdl__value value_in_memory(const struct rdl__unit *unit, struct rdl__values *values,
                                         const struct rdl__memory *memory, unsigned size,
                                         size_t statement)
{
    struct rdl__value address = rdl__address_of(unit, values, memory);

    if (memory->segment.count && rdl__span_is(memory->displacement, "0"))
        return value_of_name(memory->segment); /* where the thread's own memory is */
    if (memory->segment.count)
        return value_from(LOADED, statement, size);
    if (memory->base == RDL__RIP && rdl__span_ends(memory->displacement, "@GOTPCREL"))
        return value_of_name(rdl__symbol_of(memory->displacement));
    return is_slot(address) ? slot_value(values, address.offset, size, statement)
                            : value_from(LOADED, statement, size);
}

/* An operand that is read. */
static struct rdl__value value_of(const struct rdl__unit *unit, struct rdl__values *values,
                                  struct rdl__span operand, unsigned size, size_t statement)
{
    struct rdl__memory memory;
    unsigned width;
    int number = rdl__register_of(operand, &width);

    if (number != RDL__NO_REGISTER)
        return values->registers[number];
    if (operand.count && *operand.at == '$')
        return value_of_displacement(rdl__span_from(operand, 1));
    if (rdl__memory_of(operand, &memory))
        return value_in_memory(unit, values, &memory, size, statement);
    return value_from(LOADED, statement, size);
}

/* Of an instruction that computes something else from registers and constants. */
static struct rdl__value result_of(struct rdl__span word, struct rdl__value a, struct rdl__value b)
{
    uint64_t hash = mix(mix(a.base, (uint64_t)a.offset), mix(b.base, (uint64_t)b.offset));

    for (size_t i = 0; i < word.count; i++)
        hash = mix(hash, (unsigned char)word.at[i]);
    return value_from(COMPUTED, hash, 0);
}

static bool is_computing(struct rdl__span word)
{
    return is_named(word, "imul") || is_named(word, "shr") || is_named(word, "sar") ||
           is_named(word, "sal") || is_named(word, "shl") || is_named(word, "or") ||
           is_named(word, "xor");
}

/* An address on the stack, of which only these bits are kept: at the entry of a function, the
 * stack pointer is 8 bytes below a multiple of 16. */
static struct rdl__value aligned(struct rdl__value address, int64_t mask)
{
    address.offset = (int64_t)((uint64_t)plus(address.offset, -8) & (uint64_t)mask) + 8;
    return address;
}

/* The value that an instruction computes; false: it is none of these. */
static bool compute(const struct rdl__unit *unit, struct rdl__values *values, size_t at, int to,
                    unsigned size, struct rdl__value *out)
{
    const struct rdl__statement *statement = &unit->statements.all[at];
    struct rdl__span word = statement->word, first = statement->operands[0];
    struct rdl__memory memory;
    struct rdl__value old = values->registers[to], operand;
    unsigned count = statement->operand_count;

    if (is_named(word, "inc") || is_named(word, "dec")) {
        *out = sum_of(old, constant(is_named(word, "inc") ? 1 : -1));
        return true;
    }
    if (count == 3 && is_named(word, "imul") && *first.at == '$') {
        *out = product_of(value_of(unit, values, statement->operands[1], size, at),
                          value_of_displacement(rdl__span_from(first, 1)).offset);
        return true;
    }
    if (count != 2)
        return false;
    if (rdl__span_begins(word, "lea") && rdl__memory_of(first, &memory)) {
        *out = rdl__address_of(unit, values, &memory);
        return true;
    }
    if (is_named(word, "xor") && rdl__span_equals(first, statement->operands[1])) {
        *out = constant(0);
        return true;
    }
    if (rdl__span_is(word, "movslq") || rdl__span_is(word, "movsbq") ||
        rdl__span_is(word, "movswq") || rdl__span_begins(word, "movz")) {
        unsigned width = word.at[4] == 'l' ? 4 : word.at[4] == 'w' ? 2 : 1;

        *out = derived(EXTENDED, value_of(unit, values, first, width, at),
                       word.at[3] == 's' ? width : 8);
        return true;
    }
    operand = value_of(unit, values, first, size, at);
    if (is_named(word, "mov") || rdl__span_is(word, "movabsq"))
        *out = operand;
    else if (is_named(word, "add"))
        *out = sum_of(old, operand);
    else if (is_named(word, "sub"))
        *out = sum_of(old, product_of(operand, -1));
    else if ((is_named(word, "sal") || is_named(word, "shl")) && !operand.base &&
             operand.offset >= 0 && operand.offset < 32)
        *out = product_of(old, INT64_C(1) << operand.offset);
    else if (is_named(word, "shr") && !operand.base && !old.base && old.offset >= 0)
        *out = constant(old.offset >> (operand.offset & 63));
    else if (is_named(word, "and") && is_slot(old) && !operand.base &&
             (operand.offset == -8 || operand.offset == -16))
        *out = aligned(old, operand.offset);
    else if (is_named(word, "and")) {
        *out = derived(MASKED, old, mix(operand.base, (uint64_t)operand.offset));
        out->is_own = old.is_own && !operand.base && operand.offset < 0; /* it aligns a pointer */
    } else if (is_computing(word))
        *out = result_of(word, old, operand);
    else
        return false;
    return true;
}

enum { VECTOR = 64 }; /* bytes that an instruction may write */

/* The instruction writes to memory: does it keep a register there? */
static void store(const struct rdl__unit *unit, struct rdl__values *values, size_t at)
{
    const struct rdl__statement *statement = &unit->statements.all[at];
    struct rdl__span last = statement->operands[statement->operand_count - 1];
    struct rdl__touching touching;
    struct rdl__memory memory;
    struct rdl__value address;
    unsigned size = 8;
    int from = rdl__register_of(statement->operands[0], &size);

    if (!rdl__memory_of(last, &memory) || memory.segment.count ||
        rdl__span_begins(statement->word, "cmp") || rdl__span_begins(statement->word, "test"))
        return;
    address = rdl__address_of(unit, values, &memory);
    if (!is_slot(address)) {
        if (address.is_own)
            forget_own(values);
        return;
    }
    if (is_named(statement->word, "mov") && from != RDL__NO_REGISTER)
        keep(values, address.offset, size, values->registers[from]);
    else if (is_named(statement->word, "mov") && *statement->operands[0].at == '$')
        keep(values, address.offset, rdl__span_ends(statement->word, "q") ? 8 : 4,
             value_of(unit, values, statement->operands[0], 8, at));
    else
        forget_slots(values, address.offset,
                     rdl__effect_of(statement, &touching) == RDL__EFFECT_ACCESS ? touching.size
                                                                                : VECTOR);
}

static void call(struct rdl__values *values, struct rdl__span target, size_t at)
{
    struct rdl__value argument = values->registers[RDL__RDI];

    if (rdl__publishes(target))
        take_arguments(values);
    for (int i = 0; i < RDL__REGISTERS; i++)
        if (!(RDL__SAVED_BY_CALLEE >> i & 1))
            values->registers[i] = value_from(WRITTEN, at, (uint64_t)i);
    if (!rdl__is_quiet(target))
        forget_taken(values);
    if (rdl__span_begins(target, "__tls_get_addr"))
        values->registers[RDL__RAX] = derived(FOUND, argument, 0);
}

unsigned rdl__string_size(const struct rdl__statement *statement)
{
    struct rdl__span word = statement->word;
    unsigned count = statement->operand_count; /* clang names two */

    if (word.count != 5 || (!rdl__span_begins(word, "movs") && !rdl__span_begins(word, "stos")) ||
        (count && !rdl__span_is(statement->operands[count - 1], "%es:(%rdi)")))
        return 0;
    return word.at[4] == 'q' ? 8 : word.at[4] == 'l' ? 4 : word.at[4] == 'w' ? 2 : 1;
}

/* movsq and stosq, perhaps rcx times. */
static void step_string(struct rdl__values *values, const struct rdl__statement *statement,
                        size_t at)
{
    struct rdl__value *registers = values->registers, *to = &registers[RDL__RDI];
    int64_t size = rdl__string_size(statement);
    bool is_known = !statement->repeats || !registers[RDL__RCX].base;

    if (statement->repeats)
        size = times(size, registers[RDL__RCX].offset);
    if (is_slot(*to) && is_known && size >= 0 && size < UINT32_MAX)
        forget_slots(values, to->offset, (unsigned)size);
    else if (to->is_own)
        forget_own(values);
    for (int i = RDL__RSI; i <= RDL__RDI; i++) {
        bool own = registers[i].is_own;

        if (is_known) {
            registers[i].offset = plus(registers[i].offset, size);
        } else {
            registers[i] = value_from(WRITTEN, at, (uint64_t)i);
            registers[i].is_own = own;
        }
    }
    if (statement->repeats)
        registers[RDL__RCX] = constant(0);
}

void rdl__values_step(struct rdl__values *values, const struct rdl__unit *unit, size_t at)
{
    const struct rdl__statement *statement = &unit->statements.all[at];
    unsigned count = statement->operand_count, size = 0;
    struct rdl__span target, word = statement->word;
    struct rdl__value value = {0};
    int to = RDL__NO_REGISTER;
    uint16_t written;
    bool indirect, computed;

    if (statement->kind != RDL__INSTRUCTION)
        return;
    if (rdl__transfer_of(statement, &target, &indirect)) {
        if (rdl__transfer_of(statement, &target, &indirect) == RDL__CALL)
            call(values, target, at);
        return;
    }
    if (count)
        to = rdl__register_of(statement->operands[count - 1], &size);
    if (rdl__string_size(statement)) {
        step_string(values, statement, at);
    } else if (is_named(word, "push")) {
        take_operands(values, statement);
        push(values, value_of(unit, values, statement->operands[0], 8, at));
    } else if (is_named(word, "pop")) {
        value = pop(values, at);
        if (to != RDL__NO_REGISTER)
            values->registers[to] = value;
    } else if (is_named(word, "leave")) {
        values->registers[RDL__RSP] = values->registers[RDL__RBP];
        values->registers[RDL__RBP] = pop(values, at);
    } else if (rdl__span_is(word, "cltq")) {
        values->registers[RDL__RAX] = derived(EXTENDED, values->registers[RDL__RAX], 4);
    } else {
        written = rdl__registers_written(statement);
        computed =
            to != RDL__NO_REGISTER && size >= 4 && compute(unit, values, at, to, size, &value);
        if (!computed && !statement->is_kept && !is_named(word, "cmp") && !is_named(word, "test"))
            take_operands(values, statement);
        if (count > 1 && to == RDL__NO_REGISTER)
            store(unit, values, at);
        for (int i = 0; i < RDL__REGISTERS; i++)
            if (written >> i & 1 && !(computed && i == to)) {
                bool own = i == RDL__RSP;

                values->registers[i] = value_from(WRITTEN, at, (uint64_t)i);
                values->registers[i].is_own = own;
            }
        if (computed)
            values->registers[to] = value;
    }
}

/* ---- Joining --------------------------------------------------------------------------------- */

/* Places whose values are apart by the same constant before and behind the join have one base. */
struct pair {
    struct rdl__value a, b, now;
};

struct joining {
    struct pair pairs[RDL__REGISTERS + RDL__SLOTS_MAX];
    size_t count;
    uint64_t label;
    bool changed;
};

static struct rdl__value join(struct joining *joining, struct rdl__value a, struct rdl__value b,
                              uint64_t place)
{
    struct rdl__value now = value_from(JOINED, joining->label, place);

    if (rdl__value_equals(a, b))
        return a;
    now.is_own = a.is_own && b.is_own;
    for (size_t i = 0; i < joining->count; i++) {
        const struct pair *pair = &joining->pairs[i];

        if (pair->a.base == a.base && pair->b.base == b.base &&
            plus(pair->a.offset, b.offset) == plus(a.offset, pair->b.offset)) {
            now = pair->now;
            now.offset = plus(now.offset, plus(a.offset, times(pair->a.offset, -1)));
            joining->changed |= !rdl__value_equals(now, a);
            return now;
        }
    }
    joining->pairs[joining->count++] = (struct pair){a, b, now};
    joining->changed |= !rdl__value_equals(now, a);
    return now;
}

static const struct rdl__slot *same_slot(const struct rdl__values *values,
                                         const struct rdl__slot *as)
{
    for (size_t i = 0; i < values->slot_count; i++)
        if (values->slots[i].at == as->at && values->slots[i].size == as->size)
            return &values->slots[i];
    return NULL;
}

bool rdl__values_join(struct rdl__values *values, const struct rdl__values *other, uint64_t label)
{
    struct joining joining = {.label = label};
    size_t kept = 0;

    for (int i = 0; i < RDL__REGISTERS; i++)
        values->registers[i] =
            join(&joining, values->registers[i], other->registers[i], (uint64_t)i);
    for (size_t i = 0; i < values->slot_count; i++) {
        struct rdl__slot slot = values->slots[i];
        const struct rdl__slot *same = same_slot(other, &slot);

        if (!same) {
            joining.changed = true;
            continue;
        }
        slot.value = join(&joining, slot.value, same->value,
                          mix((uint64_t)slot.at, RDL__REGISTERS + slot.size));
        values->slots[kept++] = slot;
    }
    values->slot_count = kept;
    if (other->taken < values->taken) {
        values->taken = other->taken;
        joining.changed = true;
    }
    return joining.changed;
}
