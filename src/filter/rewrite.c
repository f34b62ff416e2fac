/* rewrite.c -- a unit becomes one that says what is seen of it (tables.h). */
#include "filter/rewrite.h"

#include <stdlib.h>
#include <string.h>

#include "filter/writer.h"

#define TEXT_OF(x) #x
#define TEXT(x)    TEXT_OF(x)
#define VERSION    TEXT(RDL__TABLES_VERSION)

/* One for each module, whichever of its units the linker takes it from.  Sections of tables
 * are linked to those of the code that they are about, so that the linker can leave both out. */
static const char module_text[] =
    "\t.section .init_array.00098,\"awG\",@init_array,rdl__module,comdat\n"
    "\t.balign 8\n"
    "\t.quad rdl__module_begin\n"
    "\t.section .fini_array.00098,\"awG\",@fini_array,rdl__module,comdat\n"
    "\t.balign 8\n"
    "\t.quad rdl__module_end\n"
    "\t.section .text.rdl__module,\"axG\",@progbits,rdl__module,comdat\n"
    "\t.weak rdl__module_begin\n"
    "\t.hidden rdl__module_begin\n"
    "\t.type rdl__module_begin, @function\n"
    "\t.weak rdl__module_end\n"
    "\t.hidden rdl__module_end\n"
    "\t.type rdl__module_end, @function\n"
    "\t.weak rdl__module_loaded\n"
    "\t.weak rdl__module_unloaded\n"
    "rdl__module_begin:\n"
    ".Lrdl_module:\n"
    "\tleaq .Lrdl_tables(%rip), %rdi\n"
    "\tmovq rdl__module_loaded@GOTPCREL(%rip), %rax\n"
    "\ttestq %rax, %rax\n"
    "\tje 1f\n"
    "\tjmp *%rax\n"
    "1:\tret\n"
    "\t.size rdl__module_begin, .-rdl__module_begin\n"
    "rdl__module_end:\n"
    "\tleaq .Lrdl_tables(%rip), %rdi\n"
    "\tmovq rdl__module_unloaded@GOTPCREL(%rip), %rax\n"
    "\ttestq %rax, %rax\n"
    "\tje 1f\n"
    "\tjmp *%rax\n"
    "1:\tret\n"
    "\t.size rdl__module_end, .-rdl__module_end\n"
    ".Lrdl_module_end:\n"
    "\t.hidden __start_rdl_ranges\n"
    "\t.hidden __stop_rdl_ranges\n"
    "\t.hidden __start_rdl_calls\n"
    "\t.hidden __stop_rdl_calls\n"
    "\t.weak rdl__before_call\n"
    "\t.weak rdl__before_indirect_call\n"
    "\t.weak rdl__before_access\n"
    "\t.weak rdl__before_access_in_leaf\n"
    "\t.section .data.rel.ro.rdl__module,\"awG\",@progbits,rdl__module,comdat\n"
    "\t.balign 8\n"
    ".Lrdl_tables:\n"
    "\t.quad " VERSION "\n"
    "\t.quad __start_rdl_ranges\n"
    "\t.quad __stop_rdl_ranges\n"
    "\t.quad __start_rdl_calls\n"
    "\t.quad __stop_rdl_calls\n"
    "\t.section rdl_ranges,\"aoG\",@progbits,.Lrdl_module,rdl__module,comdat\n"
    "\t.balign 4\n"
    "\t.long .Lrdl_module-., .Lrdl_module_end-.Lrdl_module\n"
    "\t.section rdl_calls,\"awoG\",@progbits,.Lrdl_module,rdl__module,comdat\n"
    "\t.balign 8\n"
    "\t.quad 0, 0\n"
    "\t.text\n";

void rdl__writer_enter(struct rdl__writer *writer, const char *table, const char *flags,
                       const struct rdl__section *section)
{
    struct rdl__text *out = &writer->edit.out;

    if (section->group.count)
        rdl__text_add(out, "\t.section %s,\"%soG\",@progbits,.Lrdl_s%u,%.*s,comdat\n", table, flags,
                      section->label, (int)section->group.count, section->group.at);
    else
        rdl__text_add(out, "\t.section %s,\"%so\",@progbits,.Lrdl_s%u\n", table, flags,
                      section->label);
}

static void begin_function(struct rdl__writer *writer, const struct rdl__function *function,
                           size_t number)
{
    struct rdl__section *section = &writer->unit.sections[function->section];
    const char *behind = writer->unit.statements.all[function->begin].end;

    if (!section->label) {
        section->label = ++writer->labels;
        rdl__edit_insert(&writer->edit, behind, "\n.Lrdl_s%u:\n", section->label);
    }
    rdl__edit_insert(&writer->edit, behind, "\n.Lrdl_b%zu:\n", number);
}

/* The beginning or the end of a function: a label for the table. */
static void write_end(struct rdl__writer *writer, size_t at)
{
    const struct rdl__unit *unit = &writer->unit;
    const struct rdl__statement *statement = &unit->statements.all[at];
    const struct rdl__symbol *symbol = rdl__unit_symbol(
        unit, statement->kind == RDL__LABEL ? statement->word : statement->operands[0]);
    const struct rdl__function *function;

    if (!symbol || symbol->function == RDL__NO_FUNCTION)
        return;
    function = &unit->functions[symbol->function];
    if (!function->is_instrumented)
        return;
    if (at == function->begin)
        begin_function(writer, function, (size_t)symbol->function);
    else if (at == function->end)
        rdl__edit_insert(&writer->edit, statement->begin, "\n.Lrdl_e%d:\n\t", symbol->function);
}

static void write_instruction(struct rdl__writer *writer, size_t at)
{
    rdl__write_untold(writer, at);
    rdl__write_call(writer, at);
    rdl__write_barriers(writer, at);
}

static void write_code(struct rdl__writer *writer)
{
    for (size_t i = 0; i < writer->unit.statements.count; i++) {
        const struct rdl__statement *statement = &writer->unit.statements.all[i];

        if (statement->assembly && statement->function != RDL__NO_FUNCTION)
            i = rdl__write_assembly(writer, i) - 1;
        else if (statement->kind == RDL__INSTRUCTION)
            write_instruction(writer, i);
        else if (statement->kind == RDL__LABEL || rdl__span_is(statement->word, ".size"))
            write_end(writer, i);
    }
}

static void write_ranges(struct rdl__writer *writer)
{
    for (size_t i = 0; i < writer->unit.function_count; i++) {
        const struct rdl__function *function = &writer->unit.functions[i];

        if (!function->is_instrumented)
            continue;
        rdl__writer_enter(writer, "rdl_ranges", "a", &writer->unit.sections[function->section]);
        rdl__text_add(&writer->edit.out,
                      "\t.balign 4\n\t.long .Lrdl_b%zu-., .Lrdl_e%zu-.Lrdl_b%zu\n", i, i, i);
    }
}

bool rdl__rewrite(struct rdl__text *out, struct rdl__span text)
{
    struct rdl__writer writer = {.edit = {.text = text}};

    if (text.count == 0 || memmem(text.at, text.count, "rdl_ranges", strlen("rdl_ranges")))
        return false;
    rdl__unit_read(&writer.unit, text);
    if (writer.unit.understood) {
        rdl__untold_find(&writer.untold, &writer.unit);
        write_code(&writer);
        rdl__edit_finish(&writer.edit);
        write_ranges(&writer);
        rdl__write_callees(&writer);
        rdl__write_accesses(&writer);
        rdl__text_add(&writer.edit.out, "%s", module_text);
    }
    *out = writer.edit.out;
    rdl__unit_release(&writer.unit);
    free(writer.callees);
    free(writer.callee_slots);
    free(writer.accesses);
    free(writer.untold.all);
    return writer.unit.understood;
}
