/* statement.c -- assembler text, statement by statement. */
#include "filter/statement.h"

#include <ctype.h>
#include <string.h>

#include "base/memory.h"

/* ---- Spans --------------------------------------------------------------------------------- */

bool rdl__span_is(struct rdl__span span, const char *text)
{
    return span.count == strlen(text) && memcmp(span.at, text, span.count) == 0;
}

bool rdl__span_begins(struct rdl__span span, const char *text)
{
    size_t count = strlen(text);

    return span.count >= count && memcmp(span.at, text, count) == 0;
}

bool rdl__span_ends(struct rdl__span span, const char *text)
{
    size_t count = strlen(text);

    return span.count >= count && memcmp(span.at + span.count - count, text, count) == 0;
}

bool rdl__span_equals(struct rdl__span a, struct rdl__span b)
{
    return a.count == b.count && (a.count == 0 || memcmp(a.at, b.at, a.count) == 0);
}

bool rdl__span_has(struct rdl__span span, char c)
{
    return span.count > 0 && memchr(span.at, c, span.count);
}

bool rdl__span_has_text(struct rdl__span span, const char *text)
{
    return span.count > 0 && memmem(span.at, span.count, text, strlen(text));
}

struct rdl__span rdl__span_from(struct rdl__span span, size_t at)
{
    return at < span.count ? (struct rdl__span){span.at + at, span.count - at}
                           : (struct rdl__span){span.at + span.count, 0};
}

struct rdl__span rdl__span_until(struct rdl__span span, char c)
{
    const char *found = span.count ? memchr(span.at, c, span.count) : NULL;

    if (found)
        span.count = (size_t)(found - span.at);
    return span;
}

static struct rdl__span trimmed(struct rdl__span span)
{
    while (span.count && isspace((unsigned char)*span.at))
        span = rdl__span_from(span, 1);
    while (span.count && isspace((unsigned char)span.at[span.count - 1]))
        span.count--;
    return span;
}

/* ---- Statements ------------------------------------------------------------------------------ */

struct reader {
    struct rdl__statements *out;
    bool assembly;
    bool ended; /* since #APP, a statement of inline assembly has; gcc says where */
    uint32_t written;
    uint32_t barriers;            /* empty ones */
    size_t assembly_from;         /* what the one at hand has begins here */
    struct rdl__statement prefix; /* prefixes that stand alone, as in "lock; incl" */
    bool has_prefix;
};

static struct rdl__statement *add_statement(struct rdl__statements *to)
{
    if (to->count == to->room) {
        to->room = to->room ? to->room * 2 : 1024;
        to->all = rdl__reallocate(to->all, to->room * sizeof *to->all);
    }
    memset(&to->all[to->count], 0, sizeof *to->all);
    return &to->all[to->count++];
}

static bool in_name(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '.' || c == '$' || c == '@' || c & 0x80;
}

/* A name at the beginning, or a text in quotes. */
static struct rdl__span first_word(struct rdl__span span)
{
    size_t count = 0;

    if (span.count && *span.at == '"') {
        count = rdl__span_until(rdl__span_from(span, 1), '"').count + 2;
        return (struct rdl__span){span.at, count < span.count ? count : span.count};
    }
    while (count < span.count && in_name(span.at[count]))
        count++;
    return (struct rdl__span){span.at, count};
}

/* Cut at commas that stand in no brackets and no quotes. */
static void read_operands(struct rdl__statement *statement, struct rdl__span rest)
{
    unsigned depth = 0;
    bool quoted = false;
    size_t from = 0;

    rest = trimmed(rest);
    for (size_t i = 0; rest.count && i <= rest.count; i++) {
        char c = i < rest.count ? rest.at[i] : ',';

        quoted ^= c == '"' && (i == 0 || rest.at[i - 1] != '\\');
        if (quoted && i < rest.count)
            continue;
        depth += c == '(';
        depth -= c == ')' && depth > 0;
        if (c != ',' || (depth > 0 && i < rest.count))
            continue;
        if (statement->operand_count == RDL__OPERANDS_MAX) {
            statement->incomplete = true;
            return;
        }
        statement->operands[statement->operand_count++] =
            trimmed((struct rdl__span){rest.at + from, i - from});
        from = i + 1;
    }
}

/* Does it say something about the instruction after it? */
static bool take_prefix(struct rdl__statement *statement, struct rdl__span word)
{
    static const char *const repeating[] = {"rep", "repe", "repz", "repne", "repnz"};

    if (rdl__span_is(word, "lock"))
        return statement->locks = true;
    if (rdl__span_is(word, "notrack"))
        return statement->notrack = true;
    for (size_t i = 0; i < sizeof repeating / sizeof *repeating; i++)
        if (rdl__span_is(word, repeating[i]))
            return statement->repeats = true;
    return rdl__span_is(word, "bnd") || rdl__span_is(word, "data16") ||
           rdl__span_is(word, "rex64") || rdl__span_is(word, "rex.W") ||
           rdl__span_is(word, "xacquire") || rdl__span_is(word, "xrelease") ||
           rdl__span_is(word, "{vex}") || rdl__span_is(word, "{evex}");
}

static void read_words(struct reader *reader, struct rdl__span piece)
{
    struct rdl__statement statement = {.begin = piece.at, .end = piece.at + piece.count};
    struct rdl__span rest = piece;

    if (reader->has_prefix)
        statement = reader->prefix;
    statement.end = piece.at + piece.count;
    for (;;) {
        statement.word = first_word(rest);
        rest = trimmed(rdl__span_from(rest, statement.word.count));
        if (!take_prefix(&statement, statement.word))
            break;
        if (rest.count == 0) {
            reader->prefix = statement;
            reader->has_prefix = true;
            return;
        }
    }
    reader->has_prefix = false;
    statement.kind = rdl__span_begins(statement.word, ".") ? RDL__DIRECTIVE : RDL__INSTRUCTION;
    statement.incomplete = statement.word.count == 0;
    if (rest.count && *rest.at == '=' && statement.kind == RDL__INSTRUCTION) {
        statement.kind = RDL__DIRECTIVE; /* name = value */
        statement.incomplete = true;
    }
    statement.assembly = reader->assembly;
    statement.written = reader->assembly ? reader->written : 0;
    statement.barriers = reader->barriers;
    statement.function = RDL__NO_FUNCTION;
    read_operands(&statement, rest);
    *add_statement(reader->out) = statement;
}

/* Labels come first, then at most one other statement. */
static void read_piece(struct reader *reader, struct rdl__span piece)
{
    piece = trimmed(piece);
    while (piece.count) {
        struct rdl__span word = first_word(piece);
        struct rdl__span rest = rdl__span_from(piece, word.count);
        struct rdl__statement *label;

        if (word.count == 0 || rest.count == 0 || *rest.at != ':')
            break;
        label = add_statement(reader->out);
        label->kind = RDL__LABEL;
        label->word = word;
        label->begin = word.at;
        label->end = rest.at + 1;
        label->function = RDL__NO_FUNCTION;
        label->assembly = reader->assembly;
        label->written = reader->assembly ? reader->written : 0;
        label->barriers = reader->barriers;
        piece = trimmed(rdl__span_from(rest, 1));
    }
    if (piece.count)
        read_words(reader, piece);
}

/* clang writes behind a jump that it is a call.  Both compilers mark registers that they keep on
 * the stack: gcc calls their place %sfp. */
static void note_comment(struct reader *reader, struct rdl__span comment)
{
    struct rdl__statement *last;

    if (reader->out->count == 0)
        return;
    last = &reader->out->all[reader->out->count - 1];
    comment = trimmed(comment);
    last->is_tail = rdl__span_begins(comment, "TAILCALL");
    last->is_kept = rdl__span_ends(comment, "Spill") || rdl__span_ends(comment, "Reload") ||
                    rdl__span_begins(comment, "%sfp,") || rdl__span_ends(comment, ", %sfp");
    last->is_spill =
        rdl__span_is(comment, "8-byte Spill") || rdl__span_is(comment, "8-byte Reload");
}

/* Cut at semicolons; what follows a # is a comment. */
static void read_line(struct reader *reader, struct rdl__span line)
{
    bool quoted = false;
    size_t from = 0;

    for (size_t i = 0; i < line.count; i++) {
        char c = line.at[i];

        quoted ^= c == '"' && (i == 0 || line.at[i - 1] != '\\');
        if (quoted || (c != ';' && c != '#'))
            continue;
        read_piece(reader, (struct rdl__span){line.at + from, i - from});
        from = i + 1;
        if (c == '#') {
            note_comment(reader, rdl__span_from(line, from));
            return;
        }
    }
    read_piece(reader, rdl__span_from(line, from));
}

static void end_assembly(struct reader *reader)
{
    reader->barriers += reader->out->count == reader->assembly_from;
    reader->assembly_from = reader->out->count;
    reader->ended = true;
}

void rdl__statements_read(struct rdl__statements *out, struct rdl__span text)
{
    struct reader reader = {.out = out};

    while (text.count) {
        struct rdl__span line = rdl__span_until(text, '\n'), words = trimmed(line);

        if (rdl__span_is(words, "#APP")) {
            reader.assembly = true;
            reader.written++;
            reader.assembly_from = out->count;
            reader.ended = false;
        } else if (rdl__span_is(words, "#NO_APP")) {
            reader.assembly = false;
            if (!reader.ended)
                end_assembly(&reader);
        } else if (reader.assembly && rdl__span_is(words, "# 0 \"\" 2")) {
            end_assembly(&reader);
        } else {
            read_line(&reader, line);
        }
        text = rdl__span_from(text, line.count + 1);
    }
}

/* ---- Operands ------------------------------------------------------------------------------ */

/* Its number by its name of 64 bits, or of fewer. */
int rdl__register_of(struct rdl__span operand, unsigned *out_size)
{
    static const char *const names[8][6] = {
        {"rax", "eax", "ax", "al", "ah", ""}, {"rdx", "edx", "dx", "dl", "dh", ""},
        {"rcx", "ecx", "cx", "cl", "ch", ""}, {"rbx", "ebx", "bx", "bl", "bh", ""},
        {"rsi", "esi", "si", "sil", "", ""},  {"rdi", "edi", "di", "dil", "", ""},
        {"rbp", "ebp", "bp", "bpl", "", ""},  {"rsp", "esp", "sp", "spl", "", ""}};
    static const unsigned sizes[] = {8, 4, 2, 1, 1, 0};
    struct rdl__span name = rdl__span_from(operand, 1);
    unsigned number = 0, digits = 0;

    if (operand.count < 3 || *operand.at != '%')
        return RDL__NO_REGISTER;
    for (int i = 0; i < 8; i++)
        for (int k = 0; k < 5; k++)
            if (names[i][k][0] && rdl__span_is(name, names[i][k])) {
                *out_size = sizes[k];
                return i;
            }
    if (*name.at != 'r')
        return RDL__NO_REGISTER;
    for (name = rdl__span_from(name, 1); name.count && isdigit((unsigned char)*name.at); digits++) {
        number = number * 10 + (unsigned)(*name.at - '0');
        name = rdl__span_from(name, 1);
    }
    if (digits == 0 || digits > 2 || number < 8 || number > 15 || name.count > 1)
        return RDL__NO_REGISTER;
    *out_size = name.count == 0 ? 8 : *name.at == 'd' ? 4 : *name.at == 'w' ? 2 : 1;
    return (int)number;
}

/* A base or an index: nothing, rip, or one of the sixteen, whole. */
static bool read_part(struct rdl__span part, int *out)
{
    unsigned size = 0;

    *out = RDL__NO_REGISTER;
    if (part.count == 0)
        return true;
    if (rdl__span_is(part, "%rip")) {
        *out = RDL__RIP;
        return true;
    }
    *out = rdl__register_of(part, &size);
    return *out != RDL__NO_REGISTER && size == 8;
}

/* (base, index, scale) */
static bool read_brackets(struct rdl__span inner, struct rdl__memory *out)
{
    struct rdl__span base = rdl__span_until(inner, ','), index, scale;

    inner = rdl__span_from(inner, base.count + 1);
    index = rdl__span_until(inner, ',');
    scale = trimmed(rdl__span_from(inner, index.count + 1));
    out->scale = scale.count == 1 ? (unsigned)(*scale.at - '0') : 1;
    return read_part(trimmed(base), &out->base) && read_part(trimmed(index), &out->index);
}

bool rdl__memory_of(struct rdl__span operand, struct rdl__memory *out)
{
    struct rdl__span before;

    *out = (struct rdl__memory){.base = RDL__NO_REGISTER, .index = RDL__NO_REGISTER, .scale = 1};
    if (operand.count == 0 || *operand.at == '$')
        return false;
    if (*operand.at == '%') {
        struct rdl__span segment = rdl__span_until(operand, ':');

        if (segment.count == operand.count || segment.count != 3 || segment.at[2] != 's')
            return false;
        out->segment = segment;
        operand = rdl__span_from(operand, segment.count + 1);
    }
    before = rdl__span_until(operand, '(');
    while (before.count < operand.count) { /* the last bracket is the one of registers */
        struct rdl__span rest = rdl__span_from(operand, before.count + 1);

        if (!rdl__span_has(rest, '('))
            break;
        before.count += 1 + rdl__span_until(rest, '(').count;
    }
    out->displacement = trimmed(before);
    if (before.count == operand.count)
        return true;
    if (!rdl__span_ends(operand, ")"))
        return false;
    operand = rdl__span_from(operand, before.count + 1);
    operand.count--;
    if (!rdl__span_has(operand, '%')) { /* brackets of an expression */
        out->displacement.count = operand.count + 2 + (size_t)(operand.at - 1 - before.at);
        return true;
    }
    return read_brackets(operand, out);
}

/* "8+table" and "table+8" alike. */
struct rdl__span rdl__symbol_of(struct rdl__span displacement)
{
    size_t count = 0;

    while (displacement.count && (isdigit((unsigned char)*displacement.at) ||
                                  *displacement.at == '-' || *displacement.at == '+'))
        displacement = rdl__span_from(displacement, 1);
    while (count < displacement.count && in_name(displacement.at[count]) &&
           displacement.at[count] != '@')
        count++;
    return (struct rdl__span){displacement.at, count};
}
