/* calls.c -- calls that may lead to code that is not seen.
 *
 * Before such a call stands a question to a byte of the table (struct rdl__table_call).  The
 * library sets it if the callee is not seen.  Neither r11 nor the flags have a meaning to a
 * callee, so they are free before a call; and where a function jumps to another at its end.
 *
 *         cmpb    $0, entry(%rip)
 *         je      1f
 *         leaq    entry(%rip), %r11
 *         call    *rdl__before_call@GOTPCREL(%rip)
 *     1:  call    callee                                                                     */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "filter/writer.h"

/* ---- The table ----------------------------------------------------------------------------- */

static size_t hash_of(const struct rdl__callee *callee)
{
    size_t hash = callee->section + 5381;

    for (size_t i = 0; i < callee->name.count; i++)
        hash = hash * 33 + (unsigned char)callee->name.at[i];
    return hash;
}

static uint32_t *slot_of(const struct rdl__writer *writer, const struct rdl__callee *callee)
{
    size_t at = hash_of(callee) & (writer->slot_room - 1);

    for (;; at = (at + 1) & (writer->slot_room - 1)) {
        uint32_t number = writer->callee_slots[at];

        if (number == 0 || (writer->callees[number - 1].section == callee->section &&
                            rdl__span_equals(writer->callees[number - 1].name, callee->name)))
            return &writer->callee_slots[at];
    }
}

static void grow(struct rdl__writer *writer)
{
    writer->callee_room = writer->callee_room ? writer->callee_room * 2 : 256;
    writer->slot_room = writer->callee_room * 4;
    writer->callees =
        rdl__reallocate(writer->callees, writer->callee_room * sizeof *writer->callees);
    free(writer->callee_slots);
    writer->callee_slots = rdl__allocate(writer->slot_room * sizeof *writer->callee_slots);
    for (size_t i = 0; i < writer->callee_count; i++)
        *slot_of(writer, &writer->callees[i]) = (uint32_t)i + 1;
}

/* Its number in the table, from 1 on. */
static uint32_t number_of(struct rdl__writer *writer, struct rdl__span name, uint32_t section)
{
    struct rdl__callee callee = {name, section};
    uint32_t *slot;

    if (writer->callee_count == writer->callee_room)
        grow(writer);
    slot = slot_of(writer, &callee);
    if (*slot == 0) {
        writer->callees[writer->callee_count++] = callee;
        *slot = (uint32_t)writer->callee_count;
    }
    return *slot;
}

void rdl__write_callees(struct rdl__writer *writer)
{
    struct rdl__text *out = &writer->edit.out;

    for (size_t i = 0; i < writer->callee_count; i++) {
        const struct rdl__callee *callee = &writer->callees[i];
        int count = (int)callee->name.count;

        if (count)
            rdl__text_add(out,
                          "\t.section .rodata.rdl_names,\"aMS\",@progbits,1\n"
                          ".Lrdl_n%zu:\n\t.string \"%.*s\"\n",
                          i + 1, count, callee->name.at);
        rdl__writer_enter(writer, "rdl_calls", "aw", &writer->unit.sections[callee->section]);
        rdl__text_add(out, "\t.balign 8\n.Lrdl_c%zu:\n", i + 1);
        if (count)
            rdl__text_add(out, "\t.byte 0, 1, 0, 0\n\t.long .Lrdl_n%zu-.\n\t.quad %.*s\n", i + 1,
                          count, callee->name.at);
        else
            rdl__text_add(out, "\t.byte 0, 2, 0, 0\n\t.long 0\n\t.quad 0\n");
    }
}

/* ---- Calls --------------------------------------------------------------------------------- */

/* foo, foo@PLT; and what stands behind a star: foo@GOTPCREL(%rip).  Empty: no function by name. */
static struct rdl__span callee_of(struct rdl__span target, bool indirect)
{
    struct rdl__memory memory;
    struct rdl__span none = {0};

    if (!indirect)
        return rdl__span_has(target, '+') || rdl__span_has(target, '"') ||
                       (target.count && *target.at >= '0' && *target.at <= '9')
                   ? none
                   : rdl__symbol_of(target);
    if (rdl__memory_of(target, &memory) && memory.base == RDL__RIP &&
        rdl__span_ends(memory.displacement, "@GOTPCREL"))
        return rdl__symbol_of(memory.displacement);
    return none;
}

/* Can a call of this name lead to nothing but an instrumented function of this unit?  A call by
 * way of the PLT, or of a weak function, may lead to another module's or unit's. */
static bool stays(const struct rdl__unit *unit, struct rdl__span target, struct rdl__span name)
{
    const struct rdl__symbol *called, *symbol;
    const struct rdl__function *function;

    if (rdl__span_begins(name, ".L") || rdl__span_begins(name, "__tsan_") ||
        rdl__span_is(name, "__tls_get_addr"))
        return true;
    if (rdl__span_ends(target, "@PLT") || rdl__span_has(target, '('))
        return false;
    symbol = rdl__unit_symbol(unit, name);
    if (!symbol || symbol->function == RDL__NO_FUNCTION)
        return false;
    called = rdl__unit_name(unit, name);
    function = &unit->functions[symbol->function];
    return !called->weak && !symbol->weak && !unit->sections[function->section].group.count &&
           function->is_instrumented;
}

static void write_direct(struct rdl__writer *writer, const struct rdl__statement *statement,
                         struct rdl__span name)
{
    uint32_t section = writer->unit.functions[statement->function].section;
    uint32_t entry = number_of(writer, name, section), label = ++writer->labels;

    rdl__edit_insert(&writer->edit, statement->begin,
                     "\n\tcmpb $0, .Lrdl_c%u(%%rip)\n"
                     "\tje .Lrdl_l%u\n"
                     "\tleaq .Lrdl_c%u(%%rip), %%r11\n"
                     "\tcall *rdl__before_call@GOTPCREL(%%rip)\n"
                     ".Lrdl_l%u:\n\t",
                     entry, label, entry, label);
}

static bool mentions_r11(struct rdl__span target)
{
    struct rdl__memory memory;
    unsigned size;

    return rdl__register_of(target, &size) == 11 ||
           (rdl__memory_of(target, &memory) && (memory.base == 11 || memory.index == 11));
}

/* The target comes into r11; if it is found by way of r11, once and for all. */
static void write_indirect(struct rdl__writer *writer, const struct rdl__statement *statement,
                           struct rdl__span target, enum rdl__transfer transfer)
{
    uint32_t section = writer->unit.functions[statement->function].section;
    uint32_t entry = number_of(writer, (struct rdl__span){0}, section), label = ++writer->labels;
    bool first = mentions_r11(target);
    int count = (int)target.count;

    if (first)
        rdl__edit_insert(&writer->edit, statement->begin, "\n\tmovq %.*s, %%r11\n\t", count,
                         target.at);
    rdl__edit_insert(&writer->edit, statement->begin,
                     "\n\tcmpb $0, .Lrdl_c%u(%%rip)\n"
                     "\tje .Lrdl_l%u\n",
                     entry, label);
    if (!first)
        rdl__edit_insert(&writer->edit, statement->begin, "\tmovq %.*s, %%r11\n", count, target.at);
    rdl__edit_insert(&writer->edit, statement->begin,
                     "\tcall *rdl__before_indirect_call@GOTPCREL(%%rip)\n"
                     ".Lrdl_l%u:\n\t",
                     label);
    if (first)
        rdl__edit_replace(&writer->edit, statement->begin, statement->end, "%s *%%r11",
                          transfer == RDL__CALL ? "call" : "jmp");
}

/* A jump that may be within the function: nothing is free there, neither registers nor flags
 * nor the memory below the stack. */
static void write_doubtful_jump(struct rdl__writer *writer, const struct rdl__statement *statement,
                                struct rdl__span target)
{
    struct rdl__memory memory;
    bool moved = rdl__memory_of(target, &memory) && memory.base == RDL__RSP;

    rdl__edit_insert(&writer->edit, statement->begin,
                     "\n\tleaq -128(%%rsp), %%rsp\n"
                     "\tpushfq\n"
                     "\tpushq %%r11\n"
                     "\tmovq %s%.*s, %%r11\n"
                     "\tcall *rdl__before_indirect_call@GOTPCREL(%%rip)\n"
                     "\tpopq %%r11\n"
                     "\tpopfq\n"
                     "\tleaq 128(%%rsp), %%rsp\n\t",
                     !moved                      ? ""
                     : memory.displacement.count ? "128+16+"
                                                 : "128+16",
                     (int)target.count, target.at);
}

void rdl__write_call(struct rdl__writer *writer, size_t at)
{
    const struct rdl__statement *statement = &writer->unit.statements.all[at];
    struct rdl__span target, name;
    bool indirect;
    enum rdl__transfer transfer = rdl__transfer_of(statement, &target, &indirect);

    if (statement->assembly || statement->function == RDL__NO_FUNCTION ||
        !writer->unit.functions[statement->function].is_instrumented ||
        (transfer != RDL__CALL && transfer != RDL__JUMP))
        return;
    name = callee_of(target, indirect);
    if (name.count && !stays(&writer->unit, target, name))
        write_direct(writer, statement, name);
    else if (name.count || !indirect || rdl__jumps_by_table(&writer->unit, at))
        return;
    else if (transfer == RDL__CALL || statement->is_tail)
        write_indirect(writer, statement, target, transfer);
    else
        write_doubtful_jump(writer, statement, target);
}
