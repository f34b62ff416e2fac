/* frame_evaluate.c -- where a variable is, given the registers: the machine that DWARF describes.
 *
 * It is called where a thread was stopped, so it allocates nothing, and memory that is not there
 * is an error. */
#include <dwarf.h>
#include <string.h>

#include "port/frame.h"
#include "port/hook.h"

enum {
    STACK = 64,
    STEPS_MAX = 10000,
    NESTING_MAX = 4,
    REGISTERS = 17, /* with rip */
};

struct machine {
    const struct rdl__recipe *cfa, *base;
    const struct rdl__stack_frame *frame; /* NULL: we are in a caller */
    struct rdl__registers *registers;
    struct rdl__error *error;
    int nesting;

    uint64_t *stack; /* of STACK; outside, so that it is not cleared for each variable */
    int depth;
    struct rdl__piece now; /* what the operations since the last piece have said */
    struct rdl__holding *out;
};

static bool evaluate(struct machine *m, const struct rdl__recipe *recipe);

typedef void *tls_function(uint64_t *module_and_offset);

/* ---- Registers ------------------------------------------------------------------------------- */

static bool register_value(struct machine *m, uint64_t number, uint64_t *out)
{
    size_t size;
    const uint8_t *bytes = rdl__register_bytes(m->registers, number, &size);

    *out = 0;
    if (!bytes)
        return rdl__fail(m->error, "it is in a register that is not known (%llu)",
                         (unsigned long long)number);
    memcpy(out, bytes, sizeof *out);
    return true;
}

/* ---- Stack ---------------------------------------------------------------------------------- */

static bool push(struct machine *m, uint64_t value)
{
    if (m->depth == STACK)
        return rdl__fail(m->error, "where it is takes too long to say");
    m->stack[m->depth++] = value;
    return true;
}

static bool need(struct machine *m, int count)
{
    return m->depth >= count || rdl__fail(m->error, "debugging information makes no sense");
}

static bool load(struct machine *m, size_t size)
{
    uint64_t value = 0;

    if (!need(m, 1))
        return false;
    if (size > sizeof value || !rdl__memory_read(m->stack[m->depth - 1], &value, size))
        return rdl__fail(m->error, "there is no memory at %#llx",
                         (unsigned long long)m->stack[m->depth - 1]);
    m->stack[m->depth - 1] = value;
    return true;
}

/* ---- Other recipes -------------------------------------------------------------------------- */

/* The number that a recipe ends with, or the address that it says something is at. */
static bool evaluate_apart(const struct machine *m, const struct rdl__recipe *recipe,
                           struct rdl__piece *out)
{
    struct rdl__holding held;
    uint64_t stack[STACK];
    struct machine inner = {.cfa = m->cfa,
                            .base = m->base,
                            .frame = m->frame,
                            .registers = m->registers,
                            .error = m->error,
                            .nesting = m->nesting + 1,
                            .stack = stack,
                            .out = &held};

    if (recipe->count == 0 || inner.nesting > NESTING_MAX)
        return rdl__fail(m->error, "where the frame is, is not known");
    held.count = 0;
    if (!evaluate(&inner, recipe) || held.count != 1)
        return false;
    *out = held.pieces[0];
    return true;
}

/* A recipe of unwinding information, whose result is the address, whatever its form. */
static bool push_cfa(struct machine *m)
{
    struct rdl__piece cfa;

    if (!evaluate_apart(m, m->cfa, &cfa))
        return false;
    return push(m, cfa.at);
}

static bool push_base(struct machine *m, int64_t offset)
{
    struct rdl__piece base;
    uint64_t value;

    if (!evaluate_apart(m, m->base, &base))
        return false;
    value = base.at;
    if (base.kind == RDL__IN_REGISTER && !register_value(m, base.at, &value))
        return false;
    return push(m, value + (uint64_t)offset);
}

/* Of the thread that asks. */
static bool push_tls(struct machine *m, const struct rdl__recipe_op *op)
{
    tls_function *get_address = (tls_function *)(uintptr_t)op->more;
    uint64_t where[2] = {op->a, 0};

    if (!need(m, 1))
        return false;
    if (!get_address || !op->a)
        return rdl__fail(m->error, "where variables of threads are is not known");
    where[1] = m->stack[--m->depth];
    return push(m, (uint64_t)(uintptr_t)get_address(where));
}

/* ---- What registers held when the function began -------------------------------------------- */

/* The registers of the caller, as far as they were saved or are the same. */
static bool unwind(struct machine *m, struct rdl__registers *out)
{
    struct rdl__piece cfa, saved;

    *out = *m->registers;
    if (!evaluate_apart(m, m->cfa, &cfa))
        return false;
    for (int i = 0; i < REGISTERS; i++) {
        const struct rdl__recipe *recipe = &m->frame->saved[i];

        if (!recipe->count)
            continue;
        if (!evaluate_apart(m, recipe, &saved))
            return false;
        if (saved.kind == RDL__IN_MEMORY) {
            if (!rdl__memory_read(saved.at, &out->dwarf[i], sizeof out->dwarf[i]))
                return rdl__fail(m->error, "the stack cannot be read");
        } else if (saved.kind == RDL__IN_REGISTER) {
            if (!register_value(m, saved.at, &out->dwarf[i]))
                return false;
        } else {
            out->dwarf[i] = saved.at;
        }
    }
    out->rsp = cfa.at;
    return true;
}

static const struct rdl__call *find_call(const struct rdl__stack_frame *frame, uint64_t return_to)
{
    for (size_t i = 0; i < frame->call_count; i++)
        if (frame->calls[i].return_to == return_to)
            return &frame->calls[i];
    return NULL;
}

static bool push_passed(struct machine *m, uint64_t number)
{
    static const char gone[] = "optimised out: it is not kept, and the caller does not tell";
    struct rdl__registers registers;
    const struct rdl__call *call;
    struct rdl__piece passed;
    struct machine caller;

    if (!m->frame || !unwind(m, &registers))
        return rdl__fail(m->error, "%s", gone);
    call = find_call(m->frame, registers.rip);
    for (uint32_t i = 0; call && i < call->passed_count; i++) {
        if (call->passed[i].number != number)
            continue;
        caller = (struct machine){.cfa = &call->cfa,
                                  .base = &call->base,
                                  .registers = &registers,
                                  .error = m->error,
                                  .nesting = m->nesting};
        return evaluate_apart(&caller, &call->passed[i].value, &passed) && push(m, passed.at);
    }
    return rdl__fail(m->error, "%s", gone);
}

static bool push_entry_value(struct machine *m, uint64_t number)
{
    uint64_t value;

    if (m->frame && m->frame->is_first)
        return register_value(m, number, &value) && push(m, value);
    return push_passed(m, number);
}

/* ---- Operations ----------------------------------------------------------------------------- */

static bool is_arithmetic(uint32_t code)
{
    return code == DW_OP_and || code == DW_OP_div || code == DW_OP_minus || code == DW_OP_mod ||
           code == DW_OP_mul || code == DW_OP_or || code == DW_OP_plus ||
           (code >= DW_OP_shl && code <= DW_OP_xor) || (code >= DW_OP_eq && code <= DW_OP_ne);
}

static bool calculate(struct machine *m, uint32_t code)
{
    uint64_t a, b, *to;

    if (!need(m, 2))
        return false;
    b = m->stack[--m->depth];
    to = &m->stack[m->depth - 1];
    a = *to;
    switch (code) {
    case DW_OP_and:
        *to = a & b;
        break;
    case DW_OP_or:
        *to = a | b;
        break;
    case DW_OP_xor:
        *to = a ^ b;
        break;
    case DW_OP_plus:
        *to = a + b;
        break;
    case DW_OP_minus:
        *to = a - b;
        break;
    case DW_OP_mul:
        *to = a * b;
        break;
    case DW_OP_shl:
        *to = b < 64 ? a << b : 0;
        break;
    case DW_OP_shr:
        *to = b < 64 ? a >> b : 0;
        break;
    case DW_OP_shra:
        *to = (uint64_t)((int64_t)a >> (b < 64 ? b : 63));
        break;
    case DW_OP_eq:
        *to = a == b;
        break;
    case DW_OP_ne:
        *to = a != b;
        break;
    case DW_OP_lt:
        *to = (int64_t)a < (int64_t)b;
        break;
    case DW_OP_le:
        *to = (int64_t)a <= (int64_t)b;
        break;
    case DW_OP_gt:
        *to = (int64_t)a > (int64_t)b;
        break;
    case DW_OP_ge:
        *to = (int64_t)a >= (int64_t)b;
        break;
    default: /* a division */
        if (b == 0 || (b == UINT64_MAX && a == UINT64_C(1) << 63))
            return rdl__fail(m->error, "debugging information divides by %lld", (long long)b);
        *to = code == DW_OP_mod ? a % b : (uint64_t)((int64_t)a / (int64_t)b);
    }
    return true;
}

/* Things that are done to the top of the stack. */
static bool arrange(struct machine *m, const struct rdl__recipe_op *op)
{
    uint64_t *top = &m->stack[m->depth - 1], kept = *top;

    switch (op->code) {
    case DW_OP_dup:
        return push(m, kept);
    case DW_OP_drop:
        m->depth--;
        return true;
    case DW_OP_over:
        return need(m, 2) && push(m, top[-1]);
    case DW_OP_pick:
        return need(m, (int)op->a + 1) && push(m, top[-(int)op->a]);
    case DW_OP_swap:
        if (!need(m, 2))
            return false;
        top[0] = top[-1];
        top[-1] = kept;
        return true;
    case DW_OP_rot:
        if (!need(m, 3))
            return false;
        top[0] = top[-1];
        top[-1] = top[-2];
        top[-2] = kept;
        return true;
    case DW_OP_abs:
        *top = (int64_t)kept < 0 ? -kept : kept;
        return true;
    case DW_OP_neg:
        *top = -kept;
        return true;
    case DW_OP_not:
        *top = ~kept;
        return true;
    case DW_OP_plus_uconst:
        *top = kept + op->a;
        return true;
    default:
        return false;
    }
}

/* To an integer of so many bytes, with a sign or without. */
static bool convert(struct machine *m, const struct rdl__recipe_op *op)
{
    unsigned unused = op->a < 8 ? 64 - 8 * (unsigned)op->a : 0;
    uint64_t *top;

    if (!need(m, 1))
        return false;
    top = &m->stack[m->depth - 1];
    *top = op->b ? (uint64_t)((int64_t)(*top << unused) >> unused) : *top << unused >> unused;
    return true;
}

static bool put_piece(struct machine *m, uint64_t size)
{
    struct rdl__holding *out = m->out;

    if (out->count == RDL__PIECES_MAX || size > UINT32_MAX)
        return rdl__fail(m->error, "it is in too many pieces");
    if (m->now.kind == RDL__IN_NOTHING && m->depth > 0) {
        m->now.kind = RDL__IN_MEMORY;
        m->now.at = m->stack[m->depth - 1];
    }
    m->now.size = (uint32_t)size;
    out->pieces[out->count++] = m->now;
    m->now = (struct rdl__piece){0};
    m->depth = 0;
    return true;
}

/* What ends a description. */
static bool conclude(struct machine *m, const struct rdl__recipe_op *op)
{
    if (op->code == DW_OP_implicit_value) {
        m->now =
            (struct rdl__piece){.kind = RDL__IN_BYTES, .size = (uint32_t)op->a, .bytes = op->more};
        return true;
    }
    if (!need(m, 1))
        return false;
    m->now = (struct rdl__piece){.kind = RDL__IN_NUMBER, .at = m->stack[m->depth - 1]};
    return true;
}

static bool is_constant(uint32_t code)
{
    return code == DW_OP_addr || (code >= DW_OP_const1u && code <= DW_OP_consts);
}

static bool take_register(struct machine *m, const struct rdl__recipe_op *op)
{
    uint64_t value;

    if (op->code >= DW_OP_reg0 && op->code <= DW_OP_reg31)
        m->now = (struct rdl__piece){.kind = RDL__IN_REGISTER, .at = op->code - DW_OP_reg0};
    else if (op->code == DW_OP_regx)
        m->now = (struct rdl__piece){.kind = RDL__IN_REGISTER, .at = op->a};
    else if (op->code == DW_OP_bregx)
        return register_value(m, op->a, &value) && push(m, value + op->b);
    else if (op->code == DW_OP_regval_type || op->code == DW_OP_GNU_regval_type)
        return register_value(m, op->a, &value) && push(m, value);
    else
        return register_value(m, op->code - DW_OP_breg0, &value) && push(m, value + op->a);
    return true;
}

static bool is_register(uint32_t code)
{
    return (code >= DW_OP_reg0 && code <= DW_OP_reg31) ||
           (code >= DW_OP_breg0 && code <= DW_OP_breg31) || code == DW_OP_regx ||
           code == DW_OP_bregx || code == DW_OP_regval_type || code == DW_OP_GNU_regval_type;
}

static bool take_other(struct machine *m, const struct rdl__recipe_op *op)
{
    switch (op->code) {
    case DW_OP_nop:
        return true;
    case DW_OP_deref:
        return load(m, sizeof(uint64_t));
    case DW_OP_deref_size:
    case DW_OP_deref_type:
    case DW_OP_GNU_deref_type:
        return load(m, op->a);
    case DW_OP_fbreg:
        return push_base(m, (int64_t)op->a);
    case DW_OP_call_frame_cfa:
        return push_cfa(m);
    case DW_OP_form_tls_address:
        return push_tls(m, op);
    case RDL__OP_PASSED:
        return push_entry_value(m, op->a);
    case DW_OP_convert:
        return convert(m, op);
    case DW_OP_piece:
        return put_piece(m, op->a);
    case DW_OP_bit_piece:
        return op->a % 8 == 0 && op->b == 0
                   ? put_piece(m, op->a / 8)
                   : rdl__fail(m->error, "it is kept as some bits of something else");
    case DW_OP_stack_value:
    case DW_OP_implicit_value:
        return conclude(m, op);
    default:
        return rdl__fail(m->error, "where it is, is said in a way that is not known (%#x)",
                         op->code);
    }
}

static bool take(struct machine *m, const struct rdl__recipe_op *op)
{
    if (op->code >= DW_OP_lit0 && op->code <= DW_OP_lit31)
        return push(m, op->code - DW_OP_lit0);
    if (is_constant(op->code))
        return push(m, op->a);
    if (is_register(op->code))
        return take_register(m, op);
    if (is_arithmetic(op->code) && op->code != DW_OP_plus_uconst)
        return calculate(m, op->code);
    if ((op->code >= DW_OP_dup && op->code <= DW_OP_rot) || op->code == DW_OP_abs ||
        op->code == DW_OP_neg || op->code == DW_OP_not || op->code == DW_OP_plus_uconst)
        return need(m, 1) && arrange(m, op);
    return take_other(m, op);
}

static bool evaluate(struct machine *m, const struct rdl__recipe *recipe)
{
    int steps = 0;

    for (uint32_t i = 0; i < recipe->count;) {
        const struct rdl__recipe_op *op = &recipe->ops[i++];

        if (++steps > STEPS_MAX)
            return rdl__fail(m->error, "debugging information does not come to an end");
        if (op->code == DW_OP_skip || op->code == DW_OP_bra) {
            if (op->code == DW_OP_skip || (need(m, 1) && m->stack[--m->depth]))
                i = (uint32_t)op->a;
        } else if (!take(m, op)) {
            return false;
        }
    }
    return m->out->count > 0 || put_piece(m, 0);
}

bool rdl__variable_hold(const struct rdl__stack_frame *frame, const struct rdl__variable *variable,
                        struct rdl__registers *registers, struct rdl__holding *out,
                        struct rdl__error *error)
{
    uint64_t stack[STACK];
    struct machine m = {.cfa = &frame->cfa,
                        .base = &frame->base,
                        .frame = frame,
                        .registers = registers,
                        .error = error,
                        .stack = stack,
                        .out = out};

    out->count = 0;
    if (variable->where.count == 0)
        return rdl__fail(error, "%s is optimised out here", variable->name);
    if (!evaluate(&m, &variable->where)) {
        struct rdl__error why = *error;

        return rdl__fail(error, "%s: %s", variable->name, why.text);
    }
    if (out->count == 1 && out->pieces[0].size == 0)
        out->pieces[0].size = variable->size;
    return true;
}
