/* assembly.c -- inline assembly tells of its accesses to memory, and so do calls of the accesses
 * that the compiler does not report (untold.h).
 *
 * Before each such instruction with an operand in memory stands a call, by which no register and no
 * flag changes (struct rdl__table_access):
 *
 *         pushq   %r11
 *         pushq   %rdi
 *         leaq    OPERAND, %rdi
 *         leaq    entry(%rip), %r11
 *         call    *rdl__before_access@GOTPCREL(%rip)
 *         popq    %rdi
 *         popq    %r11
 *
 * A statement with anything that is not understood is left alone, and preceded by one call that
 * says so.  Empty statements, and instructions that touch no memory, need none. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "filter/mnemonics.h"
#include "filter/writer.h"

enum { PUSHED = 16, RED_ZONE = 128 };

/* The statements that stand between one #APP and its #NO_APP: from `at` on. */
static size_t end_of(const struct rdl__unit *unit, size_t at)
{
    uint32_t number = unit->statements.all[at].written;

    while (at < unit->statements.count && unit->statements.all[at].written == number)
        at++;
    return at;
}

/* Directives that bring neither code nor data. */
static bool is_harmless(struct rdl__span directive)
{
    return rdl__span_begins(directive, ".cfi_") || rdl__span_begins(directive, ".loc") ||
           rdl__span_is(directive, ".p2align") || rdl__span_is(directive, ".align") ||
           rdl__span_is(directive, ".balign") || rdl__span_is(directive, ".file");
}

/* Can each of its instructions be hooked? */
static bool is_understood(const struct rdl__unit *unit, size_t from, size_t end)
{
    for (size_t i = from; i < end; i++) {
        const struct rdl__statement *statement = &unit->statements.all[i];
        struct rdl__touching touching;

        if (statement->kind == RDL__DIRECTIVE && !is_harmless(statement->word))
            return false;
        if (statement->kind == RDL__INSTRUCTION &&
            (rdl__effect_of(statement, &touching) == RDL__EFFECT_UNKNOWN || touching.is_part))
            return false;
    }
    return true;
}

/* Does the function make calls?  Then it keeps nothing below its stack. */
static bool is_leaf(struct rdl__writer *writer, int32_t function)
{
    const struct rdl__unit *unit = &writer->unit;
    const struct rdl__function *it = &unit->functions[function];

    for (size_t i = it->begin; i < it->end; i++) {
        struct rdl__span target;
        bool indirect;

        if (unit->statements.all[i].function == function && !unit->statements.all[i].assembly &&
            rdl__transfer_of(&unit->statements.all[i], &target, &indirect) == RDL__CALL)
            return false;
    }
    return true;
}

static uint32_t add_access(struct rdl__writer *writer, struct rdl__writing *writing)
{
    if (writer->access_count == writer->access_room) {
        writer->access_room = writer->access_room ? writer->access_room * 2 : 64;
        writer->accesses =
            rdl__reallocate(writer->accesses, writer->access_room * sizeof *writer->accesses);
    }
    writer->accesses[writer->access_count] = *writing;
    return (uint32_t)writer->access_count++;
}

/* The operand, as it reads when so many bytes have been pushed; `from` is added to it. */
static void add_operand(struct rdl__text *out, struct rdl__span operand, int64_t from,
                        unsigned pushed)
{
    struct rdl__memory memory;

    if (rdl__memory_of(operand, &memory) && memory.base == RDL__RSP)
        from += pushed;
    if (from)
        rdl__text_add(out, memory.displacement.count ? "%lld+" : "%lld", (long long)from);
    rdl__text_add(out, "%.*s", (int)operand.count, operand.at);
}

static void write_hook(struct rdl__writer *writer, const struct rdl__statement *before,
                       struct rdl__writing writing, struct rdl__span operand, int64_t from)
{
    bool leaf = is_leaf(writer, before->function);
    struct rdl__text address = {0};
    uint32_t number;

    writing.function = before->function;
    number = add_access(writer, &writing);

    if (operand.count) {
        rdl__text_add(&address, "\tleaq ");
        add_operand(&address, operand, from, PUSHED + (leaf ? RED_ZONE : 0));
        rdl__text_add(&address, ", %%rdi\n");
    }
    rdl__edit_insert(&writer->edit, before->begin,
                     "\n%s\tpushq %%r11\n\tpushq %%rdi\n%s"
                     "\tleaq .Lrdl_a%u(%%rip), %%r11\n"
                     "\tcall *rdl__before_access%s@GOTPCREL(%%rip)\n"
                     "\tpopq %%rdi\n\tpopq %%r11\n%s\t",
                     leaf ? "\tleaq -128(%rsp), %rsp\n" : "", rdl__text_string(&address), number,
                     leaf ? "_in_leaf" : "", leaf ? "\tleaq 128(%rsp), %rsp\n" : "");
    rdl__text_release(&address);
}

/* The number of a bit that stands in the instruction. */
static uint8_t bit_of(const struct rdl__statement *statement)
{
    const struct rdl__span first = statement->operands[0];

    return first.count > 1 && *first.at == '$' ? (uint8_t)strtoul(first.at + 1, NULL, 0) : 0;
}

static void write_instruction(struct rdl__writer *writer, const struct rdl__statement *statement)
{
    struct rdl__touching touching;
    enum rdl__effect effect = rdl__effect_of(statement, &touching);
    struct rdl__writing writing = {
        .kind = touching.kind, .other = touching.other, .size = touching.size};

    if (effect == RDL__EFFECT_FENCE) {
        writing.kind = RDL__ACCESS_FENCE;
        write_hook(writer, statement, writing, (struct rdl__span){0}, 0);
    } else if (effect == RDL__EFFECT_ACCESS) {
        writing.bit = bit_of(statement);
        write_hook(writer, statement, writing, statement->operands[touching.operand], 0);
    }
}

size_t rdl__write_assembly(struct rdl__writer *writer, size_t at)
{
    const struct rdl__unit *unit = &writer->unit;
    const struct rdl__statement *first = &unit->statements.all[at];
    size_t end = end_of(unit, at);
    struct rdl__writing anything = {.kind = RDL__ACCESS_ANYTHING, .other = RDL__NO_REGISTER};

    if (first->function == RDL__NO_FUNCTION || !unit->functions[first->function].is_instrumented)
        return end;
    if (!is_understood(unit, at, end)) {
        write_hook(writer, first, anything, (struct rdl__span){0}, 0);
        return end;
    }
    for (size_t i = at; i < end; i++)
        if (unit->statements.all[i].kind == RDL__INSTRUCTION)
            write_instruction(writer, &unit->statements.all[i]);
    return end;
}

/* clang leaves some accesses between two compiler barriers untold, too. */
static uint8_t kind_of(const struct rdl__unit *unit, const struct rdl__untold *untold)
{
    bool is_plain = untold->kind == RDL__ACCESS_READ || untold->kind == RDL__ACCESS_WRITE;

    if (!is_plain || !rdl__is_between_barriers(unit, untold->statement))
        return untold->kind;
    return untold->kind == RDL__ACCESS_READ ? RDL__ACCESS_LOAD : RDL__ACCESS_STORE;
}

void rdl__write_untold(struct rdl__writer *writer, size_t at)
{
    const struct rdl__untolds *all = &writer->untold;

    for (; writer->untold_done < all->count && all->all[writer->untold_done].statement == at;
         writer->untold_done++) {
        const struct rdl__untold *untold = &all->all[writer->untold_done];

        write_hook(writer, &writer->unit.statements.all[at],
                   (struct rdl__writing){.kind = kind_of(&writer->unit, untold),
                                         .other = untold->other,
                                         .surplus = untold->surplus,
                                         .size = untold->size},
                   untold->operand, untold->from);
    }
}

void rdl__write_accesses(struct rdl__writer *writer)
{
    struct rdl__text *out = &writer->edit.out;

    for (size_t i = 0; i < writer->access_count; i++) {
        const struct rdl__writing *writing = &writer->accesses[i];
        struct rdl__span name = writer->unit.functions[writing->function].name;

        rdl__text_add(out,
                      "\t.section .rodata.rdl_names,\"aMS\",@progbits,1\n"
                      ".Lrdl_w%zu:\n\t.string \"%.*s\"\n"
                      "\t.section .rodata.rdl_accesses,\"a\",@progbits\n"
                      "\t.balign 4\n"
                      ".Lrdl_a%zu:\n\t.byte %u, %d, %u, %u\n\t.long %u\n\t.long .Lrdl_w%zu-.\n",
                      i, (int)name.count, name.at, i, writing->kind, writing->other, writing->bit,
                      writing->surplus, writing->size, i);
    }
}
