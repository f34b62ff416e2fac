/* mnemonics.c -- what an instruction does to memory, by its name and its operands.
 *
 * An instruction that is not in these tables and has an operand in memory may do anything. */
#include "filter/mnemonics.h"

#include <stdlib.h>
#include <string.h>

/* What is done to the operand in memory.  MOVES depends on whether it comes first or last. */
enum action { NOT_THERE, READS, WRITES, UPDATES, MOVES, COMPUTES, IGNORES };

struct row {
    const char *name;
    enum action action;
    uint8_t size; /* 0: the suffix or a register tells */
};

/* Names without the suffix b, w, l or q, which all of these may have.  COMPUTES: reads it if it
 * comes first, reads and writes it if it comes last. */
static const struct row with_suffix[] = {
    {"mov", MOVES, 0},    {"movabs", MOVES, 0}, {"movnti", MOVES, 0},    {"add", COMPUTES, 0},
    {"sub", COMPUTES, 0}, {"and", COMPUTES, 0}, {"or", COMPUTES, 0},     {"xor", COMPUTES, 0},
    {"adc", COMPUTES, 0}, {"sbb", COMPUTES, 0}, {"adcx", READS, 0},      {"adox", READS, 0},
    {"cmp", READS, 0},    {"test", READS, 0},   {"inc", UPDATES, 0},     {"dec", UPDATES, 0},
    {"neg", UPDATES, 0},  {"not", UPDATES, 0},  {"shl", UPDATES, 0},     {"shr", UPDATES, 0},
    {"sal", UPDATES, 0},  {"sar", UPDATES, 0},  {"rol", UPDATES, 0},     {"ror", UPDATES, 0},
    {"rcl", UPDATES, 0},  {"rcr", UPDATES, 0},  {"shld", UPDATES, 0},    {"shrd", UPDATES, 0},
    {"xchg", UPDATES, 0}, {"xadd", UPDATES, 0}, {"cmpxchg", UPDATES, 0}, {"bt", READS, 0},
    {"bts", UPDATES, 0},  {"btr", UPDATES, 0},  {"btc", UPDATES, 0},     {"mul", READS, 0},
    {"imul", READS, 0},   {"div", READS, 0},    {"idiv", READS, 0},      {"mulx", READS, 0},
    {"push", READS, 0},   {"pop", WRITES, 0},   {"bsf", READS, 0},       {"bsr", READS, 0},
    {"lzcnt", READS, 0},  {"tzcnt", READS, 0},  {"popcnt", READS, 0},    {"movbe", MOVES, 0},
    {"crc32", READS, 0},  {"andn", READS, 0},   {"bextr", READS, 0},     {"blsr", READS, 0},
    {"rorx", READS, 0},   {"sarx", READS, 0},   {"shlx", READS, 0},      {"shrx", READS, 0},
    {"pdep", READS, 0},   {"pext", READS, 0},
};

static const struct row whole[] = {
    {"movzbw", READS, 1},          {"movzbl", READS, 1},        {"movzbq", READS, 1},
    {"movzwl", READS, 2},          {"movzwq", READS, 2},        {"movsbw", READS, 1},
    {"movsbl", READS, 1},          {"movsbq", READS, 1},        {"movswl", READS, 2},
    {"movswq", READS, 2},          {"movslq", READS, 4},        {"movd", MOVES, 4},
    {"movss", MOVES, 4},           {"movsd", MOVES, 8},         {"movlps", MOVES, 8},
    {"movhps", MOVES, 8},          {"movlpd", MOVES, 8},        {"movhpd", MOVES, 8},
    {"movaps", MOVES, 0},          {"movups", MOVES, 0},        {"movapd", MOVES, 0},
    {"movupd", MOVES, 0},          {"movdqa", MOVES, 0},        {"movdqu", MOVES, 0},
    {"movntdq", MOVES, 0},         {"movntps", MOVES, 0},       {"movntpd", MOVES, 0},
    {"movntdqa", MOVES, 0},        {"lddqu", READS, 0},         {"vmovd", MOVES, 4},
    {"vmovq", MOVES, 8},           {"vmovss", MOVES, 4},        {"vmovsd", MOVES, 8},
    {"vmovaps", MOVES, 0},         {"vmovups", MOVES, 0},       {"vmovapd", MOVES, 0},
    {"vmovupd", MOVES, 0},         {"vmovdqa", MOVES, 0},       {"vmovdqu", MOVES, 0},
    {"vmovntdq", MOVES, 0},        {"vlddqu", READS, 0},        {"cmpxchg8b", UPDATES, 8},
    {"vmovntdqa", MOVES, 0},       {"vmovntps", MOVES, 0},      {"vmovntpd", MOVES, 0},
    {"vmovdqa32", MOVES, 0},       {"vmovdqa64", MOVES, 0},     {"vmovdqu8", MOVES, 0},
    {"vmovdqu16", MOVES, 0},       {"vmovdqu32", MOVES, 0},     {"vmovdqu64", MOVES, 0},
    {"vmovlps", MOVES, 8},         {"vmovhps", MOVES, 8},       {"vmovlpd", MOVES, 8},
    {"vmovhpd", MOVES, 8},         {"movntss", MOVES, 4},       {"movntsd", MOVES, 8},
    {"movntq", MOVES, 8},          {"movdiri", MOVES, 0},       {"vbroadcastss", READS, 4},
    {"vbroadcastsd", READS, 8},    {"kmovb", MOVES, 1},         {"kmovw", MOVES, 2},
    {"kmovd", MOVES, 4},           {"kmovq", MOVES, 8},         {"vbroadcastf128", READS, 16},
    {"vbroadcasti128", READS, 16}, {"cmpxchg16b", UPDATES, 16}, {"fldcw", READS, 2},
    {"fnstcw", WRITES, 2},         {"fstcw", WRITES, 2},        {"fnstsw", WRITES, 2},
    {"ldmxcsr", READS, 4},         {"stmxcsr", WRITES, 4},      {"vldmxcsr", READS, 4},
    {"vstmxcsr", WRITES, 4},       {"flds", READS, 4},          {"fldl", READS, 8},
    {"fldt", READS, 10},           {"fsts", WRITES, 4},         {"fstl", WRITES, 8},
    {"fstps", WRITES, 4},          {"fstpl", WRITES, 8},        {"fstpt", WRITES, 10},
    {"filds", READS, 2},           {"fildl", READS, 4},         {"fildq", READS, 8},
    {"fildll", READS, 8},          {"fists", WRITES, 2},        {"fistl", WRITES, 4},
    {"fistps", WRITES, 2},         {"fistpl", WRITES, 4},       {"fistpq", WRITES, 8},
    {"fistpll", WRITES, 8},        {"lea", IGNORES, 0},         {"leal", IGNORES, 0},
    {"leaq", IGNORES, 0},          {"leaw", IGNORES, 0},        {"nop", IGNORES, 0},
    {"nopw", IGNORES, 0},          {"nopl", IGNORES, 0},        {"prefetch", IGNORES, 0},
    {"prefetchw", IGNORES, 0},     {"prefetcht0", IGNORES, 0},  {"prefetcht1", IGNORES, 0},
    {"prefetcht2", IGNORES, 0},    {"prefetchnta", IGNORES, 0}, {"prefetchwt1", IGNORES, 0},
    {"clflush", IGNORES, 0},       {"clflushopt", IGNORES, 0},  {"clwb", IGNORES, 0},
    {"cldemote", IGNORES, 0},
};

/* Instructions without an operand in memory that are more than arithmetic: what they do is not
 * known, or where they lead to. */
static const char *const unknown[] = {
    "syscall",    "sysenter", "int",     "call",     "callq",      "ret",      "retq",
    "leave",      "leaveq",   "enter",   "iretq",    "xbegin",     "xend",     "xabort",
    "loop",       "loope",    "loopne",  "loopz",    "loopnz",     "jrcxz",    "jecxz",
    "hlt",        "ud2",      "ud2a",    "in",       "out",        "lretq",    "swapgs",
    "wrfsbase",   "wrgsbase", "monitor", "mwait",    "umonitor",   "umwait",   "tpause",
    "vzeroall",   "xlat",     "xlatb",   "maskmovq", "maskmovdqu", "senduipi", "clzero",
    "vmaskmovdqu"};

static const char *const fences[] = {"mfence", "lfence", "sfence", "serialize"};

static bool is_one_of(struct rdl__span word, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (rdl__span_is(word, names[i]))
            return true;
    return false;
}

/* ---- Names --------------------------------------------------------------------------------- */

static const struct row *row_of(struct rdl__span word, uint8_t *out_size)
{
    static const char suffixes[] = "bwlq";
    const char *suffix;

    *out_size = 0;
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
        if (rdl__span_is(word, whole[i].name)) {
            *out_size = whole[i].size;
            return &whole[i];
        }
    for (size_t i = 0; i < sizeof with_suffix / sizeof *with_suffix; i++) {
        size_t length = strlen(with_suffix[i].name);

        if (!rdl__span_begins(word, with_suffix[i].name) || word.count > length + 1)
            continue;
        if (word.count == length)
            return &with_suffix[i];
        suffix = strchr(suffixes, word.at[length]);
        if (suffix && *suffix) {
            *out_size = (uint8_t)(1 << (suffix - suffixes));
            return &with_suffix[i];
        }
    }
    return NULL;
}

static bool is_vector(struct rdl__span operand, uint8_t *out_size)
{
    if (rdl__span_begins(operand, "%xmm"))
        *out_size = 16;
    else if (rdl__span_begins(operand, "%ymm"))
        *out_size = 32;
    else if (rdl__span_begins(operand, "%zmm"))
        *out_size = 64;
    else
        return false;
    return true;
}

/* Does a mask choose which elements of a vector the instruction touches? */
static bool is_masked(const struct rdl__statement *statement)
{
    for (unsigned i = 0; i < statement->operand_count; i++)
        if (rdl__span_has(statement->operands[i], '{'))
            return true;
    return rdl__span_has_text(statement->word, "mask");
}

/* Does it read an operand that may be of another size than the vector that it makes of it? */
static bool resizes(struct rdl__span word)
{
    static const char *const names[] = {"cvt", "pmov", "insr", "insert", "broadcast", "dup", "kl"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (rdl__span_has_text(word, names[i]))
            return true;
    return false;
}

/* Other instructions of vectors read their first operand. */
static bool reads_vector(const struct rdl__statement *statement, struct rdl__touching *out)
{
    struct rdl__span word = statement->word;

    if (out->operand != 0 && !(out->operand == 1 && *statement->operands[0].at == '$'))
        return false;
    out->kind = RDL__ACCESS_READ;
    out->is_part |= resizes(word);
    for (unsigned i = 0; i < statement->operand_count; i++)
        if (is_vector(statement->operands[i], &out->size)) {
            if (!out->is_part && (rdl__span_ends(word, "ss") || rdl__span_ends(word, "sd")))
                out->size = rdl__span_ends(word, "ss") ? 4 : 8;
            return true;
        }
    return false;
}

/* The size that the operands beside the memory have, if the name does not say it. */
static uint8_t size_by_registers(const struct rdl__statement *statement, unsigned memory,
                                 int8_t *out_register)
{
    uint8_t size = 0;
    unsigned bytes = 0;

    *out_register = RDL__NO_REGISTER;
    for (unsigned i = statement->operand_count; i-- > 0;) {
        int number;

        if (i == memory)
            continue;
        if (is_vector(statement->operands[i], &size))
            return size;
        number = rdl__register_of(statement->operands[i], &bytes);
        if (number != RDL__NO_REGISTER) {
            *out_register = (int8_t)number;
            size = (uint8_t)bytes;
        }
    }
    return size;
}

/* ---- Effects ------------------------------------------------------------------------------- */

static bool is_named(struct rdl__span word, const char *name)
{
    return rdl__span_begins(word, name) && word.count <= strlen(name) + 1;
}

/* A name of what is done that Raddle can tell the outcome of beforehand. */
static uint8_t atomic_kind(struct rdl__span word)
{
    if (rdl__span_begins(word, "cmpxchg"))
        return rdl__span_is(word, "cmpxchg8b") ? RDL__ACCESS_ATOMIC : RDL__ACCESS_COMPARE;
    if (is_named(word, "xchg"))
        return RDL__ACCESS_EXCHANGE;
    if (is_named(word, "bts"))
        return RDL__ACCESS_SET_BIT;
    if (is_named(word, "btr"))
        return RDL__ACCESS_CLEAR_BIT;
    return RDL__ACCESS_ATOMIC;
}

/* Locks in assembly are taken by locked instructions, looked at by cmp, and given back by mov or,
 * since nobody else writes then, inc. */
static uint8_t plain_kind(const struct row *row, bool last, uint8_t size)
{
    if (row->action == READS || (row->action != UPDATES && row->action != WRITES && !last))
        return size <= 8 ? RDL__ACCESS_LOAD : RDL__ACCESS_READ;
    if (size > 8)
        return RDL__ACCESS_WRITE;
    return row->action == MOVES || row->action == WRITES ? RDL__ACCESS_STORE : RDL__ACCESS_UPDATE;
}

/* lock addl $0, (%rsp): a fence, that was cheaper than mfence. */
static bool is_locked_fence(const struct rdl__statement *statement,
                            const struct rdl__memory *memory)
{
    struct rdl__span what = statement->operands[0];

    return statement->locks && memory->base == RDL__RSP && statement->operand_count == 2 &&
           what.count > 1 && *what.at == '$' && strtol(what.at + 1, NULL, 0) == 0 &&
           (rdl__span_begins(statement->word, "add") || rdl__span_begins(statement->word, "or"));
}

/* As memory has; and registers of the old kind, %st(1), which are none. */
static bool has_brackets(struct rdl__span operand)
{
    return rdl__span_has(operand, '(') && !rdl__span_begins(operand, "%st");
}

static int memory_operand(const struct rdl__statement *statement, struct rdl__memory *out)
{
    int found = -1;

    for (int i = 0; i < statement->operand_count; i++) {
        struct rdl__memory memory;

        if (!rdl__memory_of(statement->operands[i], &memory)) {
            if (has_brackets(statement->operands[i]))
                return -2; /* it cannot be read */
            continue;
        }
        if (found >= 0)
            return -2; /* two of them */
        found = i;
        *out = memory;
    }
    return found;
}

/* Does it set the stack pointer, other than by pushing and popping? */
static bool moves_stack(const struct rdl__statement *statement)
{
    unsigned size;

    return statement->operand_count > 0 &&
           rdl__register_of(statement->operands[statement->operand_count - 1], &size) == RDL__RSP &&
           !rdl__span_begins(statement->word, "cmp") &&
           !rdl__span_begins(statement->word, "test") && !rdl__span_begins(statement->word, "push");
}

/* movsb and its like name no operand. */
static bool is_string(const struct rdl__statement *statement)
{
    static const char *const names[] = {"movs", "stos", "lods", "cmps", "scas"};

    if (statement->operand_count > 0 || statement->word.count > 5)
        return false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (rdl__span_begins(statement->word, names[i]))
            return true;
    return false;
}

static enum rdl__effect effect_without_memory(const struct rdl__statement *statement)
{
    struct rdl__span target;

    if (is_one_of(statement->word, fences, sizeof fences / sizeof *fences))
        return RDL__EFFECT_FENCE;
    if (is_one_of(statement->word, unknown, sizeof unknown / sizeof *unknown) ||
        moves_stack(statement))
        return RDL__EFFECT_UNKNOWN;
    target = statement->operand_count ? statement->operands[0] : (struct rdl__span){0};
    if (*statement->word.at == 'j') /* to a label of the statement, or of the function */
        return target.count && (*target.at == '.' || (*target.at >= '0' && *target.at <= '9'))
                   ? RDL__EFFECT_NONE
                   : RDL__EFFECT_UNKNOWN;
    return (statement->repeats && !rdl__span_is(statement->word, "nop") &&
            !rdl__span_begins(statement->word, "ret")) ||
                   is_string(statement)
               ? RDL__EFFECT_UNKNOWN
               : RDL__EFFECT_NONE;
}

/* cmove, setne: any condition. */
static bool by_condition(const struct rdl__statement *statement, struct rdl__touching *out)
{
    if (rdl__span_begins(statement->word, "set") && statement->operand_count == 1) {
        out->kind = RDL__ACCESS_STORE;
        out->size = 1;
        return true;
    }
    if (!rdl__span_begins(statement->word, "cmov"))
        return false;
    out->kind = RDL__ACCESS_LOAD;
    out->size = size_by_registers(statement, out->operand, &out->other);
    return true;
}

enum rdl__effect rdl__effect_of(const struct rdl__statement *statement, struct rdl__touching *out)
{
    struct rdl__memory memory = {.base = RDL__NO_REGISTER};
    int at = memory_operand(statement, &memory);
    const struct row *row;
    uint8_t size, by_register;

    *out = (struct rdl__touching){.other = RDL__NO_REGISTER};
    if (statement->incomplete || at == -2)
        return RDL__EFFECT_UNKNOWN;
    if (at < 0 || *statement->word.at == 'j')
        return effect_without_memory(statement);
    out->operand = (uint8_t)at;
    row = row_of(statement->word, &size);
    if (row && row->action == IGNORES)
        return RDL__EFFECT_NONE;
    if (is_locked_fence(statement, &memory))
        return RDL__EFFECT_FENCE;
    if (memory.segment.count) /* %fs: memory of this thread */
        return row && rdl__span_is(memory.segment, "%fs") ? RDL__EFFECT_NONE : RDL__EFFECT_UNKNOWN;
    if (statement->repeats || moves_stack(statement) ||
        is_one_of(statement->word, unknown, sizeof unknown / sizeof *unknown))
        return RDL__EFFECT_UNKNOWN;
    if (!row && by_condition(statement, out))
        return out->size ? RDL__EFFECT_ACCESS : RDL__EFFECT_UNKNOWN;
    by_register = size_by_registers(statement, (unsigned)at, &out->other);
    out->is_part = is_masked(statement);
    if (!row)
        return reads_vector(statement, out) ? RDL__EFFECT_ACCESS : RDL__EFFECT_UNKNOWN;
    out->size = size ? size : by_register;
    if (!out->size &&
        (rdl__span_is(statement->word, "push") || rdl__span_is(statement->word, "pop")))
        out->size = 8;
    if (statement->locks || is_named(statement->word, "xchg"))
        out->kind = atomic_kind(statement->word);
    else
        out->kind = plain_kind(row, at == statement->operand_count - 1, out->size);
    return out->size ? RDL__EFFECT_ACCESS : RDL__EFFECT_UNKNOWN;
}

bool rdl__touches_memory(const struct rdl__statement *statement)
{
    static const char *const by_registers[] = {"maskmovq",  "maskmovdqu", "vmaskmovdqu",
                                               "clzero",    "xlat",       "xlatb",
                                               "movdir64b", "enqcmd",     "enqcmds"};

    for (unsigned i = 0; i < statement->operand_count; i++)
        if (has_brackets(statement->operands[i]))
            return true;
    return is_string(statement) ||
           is_one_of(statement->word, by_registers, sizeof by_registers / sizeof *by_registers);
}
