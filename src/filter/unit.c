/* unit.c -- what a compiler made of one source file. */
#include "filter/unit.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { SECTIONS_NESTED = 16 };

struct nest {
    struct rdl__unit *unit;
    uint32_t current, previous;
    uint32_t stack[SECTIONS_NESTED];
    uint32_t depth;
};

/* ---- Symbols ------------------------------------------------------------------------------- */

static size_t hash_of(struct rdl__span name)
{
    size_t hash = 5381;

    for (size_t i = 0; i < name.count; i++)
        hash = hash * 33 + (unsigned char)name.at[i];
    return hash;
}

/* Its place, or the free one where it would be. */
static struct rdl__symbol *place_of(const struct rdl__unit *unit, struct rdl__span name)
{
    size_t at = hash_of(name) & (unit->symbol_room - 1);

    while (unit->symbols[at].name.count && !rdl__span_equals(unit->symbols[at].name, name))
        at = (at + 1) & (unit->symbol_room - 1);
    return &unit->symbols[at];
}

static void grow(struct rdl__unit *unit)
{
    struct rdl__unit larger = {.symbol_room = unit->symbol_room ? unit->symbol_room * 2 : 1024};

    larger.symbols = rdl__allocate(larger.symbol_room * sizeof *larger.symbols);
    for (size_t i = 0; i < unit->symbol_room; i++)
        if (unit->symbols[i].name.count)
            *place_of(&larger, unit->symbols[i].name) = unit->symbols[i];
    free(unit->symbols);
    unit->symbols = larger.symbols;
    unit->symbol_room = larger.symbol_room;
}

static struct rdl__symbol *symbol(struct rdl__unit *unit, struct rdl__span name)
{
    struct rdl__symbol *found;

    if (unit->symbol_count * 2 >= unit->symbol_room)
        grow(unit);
    found = place_of(unit, name);
    if (found->name.count == 0) {
        *found = (struct rdl__symbol){.name = name, .function = RDL__NO_FUNCTION};
        unit->symbol_count++;
    }
    return found;
}

const struct rdl__symbol *rdl__unit_name(const struct rdl__unit *unit, struct rdl__span name)
{
    const struct rdl__symbol *found = unit->symbol_room ? place_of(unit, name) : NULL;

    return found && found->name.count ? found : NULL;
}

const struct rdl__symbol *rdl__unit_symbol(const struct rdl__unit *unit, struct rdl__span name)
{
    const struct rdl__symbol *found;

    for (int depth = 0; name.count && unit->symbol_room && depth < 8; depth++) {
        found = place_of(unit, name);
        if (found->name.count == 0)
            return NULL;
        if (found->alias.count == 0)
            return found;
        name = found->alias;
    }
    return NULL;
}

/* ---- Sections ------------------------------------------------------------------------------ */

static uint32_t section_named(struct rdl__unit *unit, struct rdl__span name, struct rdl__span group)
{
    struct rdl__section *section;

    for (size_t i = 0; i < unit->section_count; i++)
        if (rdl__span_equals(unit->sections[i].name, name) &&
            rdl__span_equals(unit->sections[i].group, group))
            return (uint32_t)i;
    unit->sections =
        rdl__reallocate(unit->sections, (unit->section_count + 1) * sizeof *unit->sections);
    section = &unit->sections[unit->section_count];
    *section = (struct rdl__section){.name = name, .group = group, .open = RDL__NO_FUNCTION};
    section->executable = rdl__span_begins(name, ".text");
    section->read_only = rdl__span_begins(name, ".rodata") ||
                         rdl__span_begins(name, ".data.rel.ro") ||
                         rdl__span_begins(name, ".lrodata");
    return (uint32_t)unit->section_count++;
}

static struct rdl__span without_quotes(struct rdl__span name)
{
    if (name.count >= 2 && *name.at == '"')
        return (struct rdl__span){name.at + 1, name.count - 2};
    return name;
}

/* .section name, "flags", @type, entsize if M, symbol if o, group if G */
static uint32_t section_of(struct rdl__unit *unit, const struct rdl__statement *statement)
{
    struct rdl__span flags = {0}, group = {0};
    uint32_t at = 3, found;

    if (statement->operand_count > 1)
        flags = statement->operands[1];
    at += rdl__span_has(flags, 'M') + rdl__span_has(flags, 'o');
    if (rdl__span_has(flags, 'G') && statement->operand_count > at)
        group = without_quotes(statement->operands[at]);
    found = section_named(unit, without_quotes(statement->operands[0]), group);
    unit->sections[found].executable |= rdl__span_has(flags, 'x');
    return found;
}

static void enter(struct nest *nest, uint32_t section)
{
    nest->previous = nest->current;
    nest->current = section;
}

/* True: the directive was about sections. */
static bool change_section(struct nest *nest, const struct rdl__statement *statement)
{
    static const char *const plain[] = {".text", ".data", ".bss"};
    struct rdl__span word = statement->word;

    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        if (rdl__span_is(word, plain[i])) {
            enter(nest, section_named(nest->unit, word, (struct rdl__span){0}));
            return true;
        }
    if (rdl__span_is(word, ".section") && statement->operand_count > 0)
        enter(nest, section_of(nest->unit, statement));
    else if (rdl__span_is(word, ".previous"))
        enter(nest, nest->previous);
    else if (rdl__span_is(word, ".pushsection") && statement->operand_count > 0) {
        if (nest->depth < SECTIONS_NESTED)
            nest->stack[nest->depth++] = nest->current;
        enter(nest, section_of(nest->unit, statement));
    } else if (rdl__span_is(word, ".popsection")) {
        if (nest->depth > 0)
            enter(nest, nest->stack[--nest->depth]);
    } else {
        return false;
    }
    return true;
}

/* ---- Functions ----------------------------------------------------------------------------- */

static void begin_function(struct nest *nest, struct rdl__symbol *name, size_t at)
{
    struct rdl__unit *unit = nest->unit;

    if (unit->function_count == unit->function_room) {
        unit->function_room = unit->function_room ? unit->function_room * 2 : 64;
        unit->functions =
            rdl__reallocate(unit->functions, unit->function_room * sizeof *unit->functions);
    }
    name->function = (int32_t)unit->function_count;
    unit->functions[unit->function_count] =
        (struct rdl__function){.name = name->name,
                               .section = nest->current,
                               .begin = at,
                               .part_of = name->function,
                               .cold = RDL__NO_FUNCTION,
                               .by_hand = unit->statements.all[at].assembly};
    unit->sections[nest->current].open = (int32_t)unit->function_count++;
}

static void end_function(struct nest *nest, struct rdl__span name, size_t at)
{
    struct rdl__symbol *known = symbol(nest->unit, name);
    struct rdl__function *function;

    if (known->function == RDL__NO_FUNCTION)
        return;
    function = &nest->unit->functions[known->function];
    if (function->closed || function->section != nest->current)
        return;
    function->end = at;
    function->closed = true;
    nest->unit->sections[function->section].open = RDL__NO_FUNCTION;
}

static void read_label(struct nest *nest, size_t at)
{
    struct rdl__statement *statement = &nest->unit->statements.all[at];
    struct rdl__section *section = &nest->unit->sections[nest->current];
    struct rdl__symbol *known = symbol(nest->unit, statement->word);

    known->defined = true;
    known->read_only = section->read_only;
    known->statement = at;
    if (known->is_function && section->executable && known->function == RDL__NO_FUNCTION)
        begin_function(nest, known, at);
}

static void read_directive(struct nest *nest, size_t at)
{
    const struct rdl__statement *statement = &nest->unit->statements.all[at];
    struct rdl__unit *unit = nest->unit;
    struct rdl__span word = statement->word, first = {0};

    if (change_section(nest, statement) || statement->operand_count == 0)
        return;
    first = statement->operands[0];
    if (rdl__span_is(word, ".globl") || rdl__span_is(word, ".global"))
        symbol(unit, first)->global = true;
    else if (rdl__span_is(word, ".weak"))
        symbol(unit, first)->weak = true;
    else if (rdl__span_is(word, ".type") && statement->operand_count > 1)
        symbol(unit, first)->is_function |= rdl__span_is(statement->operands[1], "@function");
    else if (rdl__span_is(word, ".set") && statement->operand_count > 1)
        symbol(unit, first)->alias = statement->operands[1];
    else if (rdl__span_is(word, ".size"))
        end_function(nest, first, at);
    else if (rdl__span_begins(word, ".intel_syntax") && !statement->assembly)
        unit->understood = false;
    else if (rdl__span_is(word, ".ident") && rdl__span_begins(first, "\"GCC"))
        unit->compiler = RDL__GCC;
    else if (rdl__span_is(word, ".ident"))
        unit->compiler = RDL__CLANG;
}

/* foo.cold belongs to foo. */
static void join_parts(struct rdl__unit *unit)
{
    for (size_t i = 0; i < unit->function_count; i++) {
        struct rdl__span name = unit->functions[i].name;
        const struct rdl__symbol *whole;

        if (!rdl__span_ends(name, ".cold"))
            continue;
        name.count -= strlen(".cold");
        whole = rdl__unit_symbol(unit, name);
        if (whole && whole->function != RDL__NO_FUNCTION)
            unit->functions[i].part_of = whole->function;
        if (unit->functions[i].part_of != (int32_t)i)
            unit->functions[whole->function].cold = (int32_t)i;
    }
}

/* Labels of code may be jumped to if they stand in a table, or are an operand. */
static void note_taken(struct rdl__unit *unit, const struct rdl__statement *statement)
{
    for (int i = 0; i < statement->operand_count; i++) {
        struct rdl__span name = statement->operands[i];

        if (statement->kind == RDL__DIRECTIVE)
            name = rdl__span_until(name, '-');
        else
            name = rdl__symbol_of(rdl__span_from(name, name.count && *name.at == '$'));
        if (rdl__span_begins(name, ".L"))
            symbol(unit, name)->is_taken = true;
    }
}

/* The function an instruction is in: the one that its section has open. */
static void read_all(struct rdl__unit *unit)
{
    struct nest nest = {.unit = unit};

    nest.current = nest.previous =
        section_named(unit, (struct rdl__span){".text", 5}, (struct rdl__span){0});
    for (size_t i = 0; i < unit->statements.count && unit->understood; i++) {
        struct rdl__statement *statement = &unit->statements.all[i];

        if (statement->kind == RDL__DIRECTIVE)
            read_directive(&nest, i);
        else if (statement->kind == RDL__LABEL)
            read_label(&nest, i);
        if (rdl__span_begins(statement->word, "lea") || rdl__span_begins(statement->word, "mov") ||
            rdl__span_is(statement->word, ".quad") || rdl__span_is(statement->word, ".long"))
            note_taken(unit, statement);
        statement->function = unit->sections[nest.current].open;
    }
}

/* Compilers may be told to leave out .ident; the calls of __tsan_init are theirs as well. */
static enum rdl__compiler_kind guess_compiler(const struct rdl__unit *unit)
{
    const char *clang = "tsan.module_ctor", *gcc = "__tsan_init";

    if (memmem(unit->text.at, unit->text.count, clang, strlen(clang)))
        return RDL__CLANG;
    return memmem(unit->text.at, unit->text.count, gcc, strlen(gcc)) ? RDL__GCC : RDL__NO_COMPILER;
}

void rdl__unit_read(struct rdl__unit *out, struct rdl__span text)
{
    *out = (struct rdl__unit){.text = text, .understood = true};
    rdl__statements_read(&out->statements, text);
    read_all(out);
    if (out->compiler == RDL__NO_COMPILER)
        out->compiler = guess_compiler(out);
    out->understood &= out->compiler != RDL__NO_COMPILER;
    if (!out->understood)
        return;
    join_parts(out);
    rdl__unit_judge(out);
}

void rdl__unit_release(struct rdl__unit *unit)
{
    free(unit->statements.all);
    free(unit->sections);
    free(unit->functions);
    free(unit->symbols);
}

/* ---- Transfers ------------------------------------------------------------------------------- */

enum rdl__transfer rdl__transfer_of(const struct rdl__statement *statement,
                                    struct rdl__span *out_target, bool *out_indirect)
{
    struct rdl__span word = statement->word;
    enum rdl__transfer transfer;

    *out_target = (struct rdl__span){0};
    *out_indirect = false;
    if (statement->kind != RDL__INSTRUCTION || word.count == 0)
        return RDL__NO_TRANSFER;
    if (rdl__span_is(word, "call") || rdl__span_is(word, "callq"))
        transfer = RDL__CALL;
    else if (rdl__span_is(word, "jmp") || rdl__span_is(word, "jmpq"))
        transfer = RDL__JUMP;
    else if (*word.at == 'j' || rdl__span_begins(word, "loop") || rdl__span_is(word, "xbegin"))
        transfer = RDL__BRANCH;
    else
        return RDL__NO_TRANSFER;
    if (statement->operand_count > 0)
        *out_target = statement->operands[0];
    if (out_target->count && *out_target->at == '*') {
        *out_indirect = true;
        *out_target = rdl__span_from(*out_target, 1);
    }
    return transfer;
}

bool rdl__is_hook(struct rdl__span function)
{
    return rdl__span_begins(function, "__tsan_");
}

bool rdl__is_quiet(struct rdl__span function)
{
    return rdl__is_hook(function) || rdl__span_begins(function, "__tls_get_addr");
}

bool rdl__publishes(struct rdl__span function)
{
    return !rdl__is_quiet(function) || rdl__span_begins(function, "__tsan_atomic");
}

/* clang writes which indirect jumps are calls.  gcc puts the table right behind a jump by a
 * table; other jumps are calls, or lead to labels whose addresses the program takes. */
bool rdl__jumps_by_table(const struct rdl__unit *unit, size_t statement)
{
    const struct rdl__statement *jump = &unit->statements.all[statement], *next = jump + 1;
    struct rdl__memory memory;
    struct rdl__span target;
    bool indirect;

    if (rdl__transfer_of(jump, &target, &indirect) != RDL__JUMP || !indirect)
        return false;
    if (unit->compiler == RDL__CLANG)
        return !jump->is_tail;
    if (jump->notrack)
        return true;
    if (rdl__memory_of(target, &memory))
        return rdl__span_begins(memory.displacement, ".L");
    return statement + 1 < unit->statements.count && next->kind == RDL__DIRECTIVE &&
           rdl__span_is(next->word, ".section") && next->operand_count > 0 &&
           rdl__span_begins(next->operands[0], ".rodata");
}

/* .L5 of gcc and .LBB0_5 of clang; labels for the debugger have other names. */
bool rdl__is_jumped_to(const struct rdl__unit *unit, const struct rdl__statement *statement)
{
    return statement->kind == RDL__LABEL && statement->word.count > 2 &&
           (unit->compiler == RDL__CLANG ? rdl__span_begins(statement->word, ".LBB")
                                         : rdl__span_begins(statement->word, ".L") &&
                                               isdigit((unsigned char)statement->word.at[2]));
}
