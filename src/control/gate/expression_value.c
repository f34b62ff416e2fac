/* expression_value.c -- evaluating expressions: see expression.h.
 *
 * Whoever evaluates is a thread of the code under test, anywhere in it: nothing is allocated. */
#include <stdio.h>
#include <string.h>

#include "control/gate/expression.h"

typedef const struct rdl__expression expression;
typedef const struct rdl__expression_scope scope_of;

enum { PATH_ROOM = 512, TEXT_MAX = 65536 };

static struct rdl__value make_number(uint64_t bits, bool is_wide, bool is_signed)
{
    if (!is_wide)
        bits = is_signed ? (uint64_t)(int64_t)(int32_t)bits : (uint32_t)bits;
    return (struct rdl__value){.bits = bits, .is_wide = is_wide, .is_signed = is_signed};
}

static struct rdl__value make_int(int number)
{
    return make_number((uint64_t)(int64_t)number, false, true);
}

static struct rdl__value make_pointer(uint64_t address, const struct rdl__type *to)
{
    return (struct rdl__value){
        .bits = address, .is_wide = true, .is_pointer = true, .step = to ? to->size : 0};
}

/* ---- Variables and parts of them ------------------------------------------------------------ */

struct path {
    char text[PATH_ROOM];
    size_t count;
};

static bool add(struct path *path, struct rdl__error *error, const char *before, const char *text,
                const char *after)
{
    int count =
        snprintf(path->text + path->count, PATH_ROOM - path->count, "%s%s%s", before, text, after);

    path->count += (size_t)count;
    return path->count < PATH_ROOM || rdl__fail(error, "a name is too long to be looked up");
}

/* As frame.h has paths: indices are evaluated. */
static bool write_path(expression *e, scope_of *scope, struct path *path, struct rdl__error *error)
{
    struct rdl__value index;
    char number[32];

    switch (e->kind) {
    case RDL__EXPRESSION_NAME:
        return add(path, error, "", e->name, "");
    case RDL__EXPRESSION_MEMBER:
        return write_path(e->left, scope, path, error) &&
               add(path, error, e->sign == '.' ? "." : "->", e->name, "");
    case RDL__EXPRESSION_ELEMENT:
        if (!rdl__expression_value(e->right, scope, &index, error) ||
            !write_path(e->left, scope, path, error))
            return false;
        if (index.is_pointer)
            return rdl__fail(error, "an index is a number, and this one is a pointer");
        snprintf(number, sizeof number, "%lld", (long long)index.bits);
        return add(path, error, "[", number, "]");
    default:
        return add(path, error, "(*", "", "") && write_path(e->left, scope, path, error) &&
               add(path, error, ")", "", "");
    }
}

static bool find_part(expression *e, scope_of *scope, struct rdl__part *out,
                      struct rdl__error *error)
{
    struct path path = {.count = 0};

    if (!scope->frame)
        return rdl__fail(error, "nothing is known of variables here: compile it with -g");
    return write_path(e, scope, &path, error) &&
           rdl__part_find(scope->frame, scope->registers, path.text, out, error);
}

static bool is_signed_type(const struct rdl__type *type)
{
    return type->kind == RDL__TYPE_SIGNED || type->kind == RDL__TYPE_CHAR ||
           (type->kind == RDL__TYPE_ENUM && type->is_signed);
}

/* What is smaller than an int, as bit-fields may be, becomes one. */
static struct rdl__value promote(const struct rdl__part *part, uint64_t bits)
{
    const struct rdl__type *type = part->type;
    unsigned used = part->bits ? part->bits : 8 * type->size;
    bool is_signed = is_signed_type(type);
    struct rdl__value value;

    if (is_signed)
        bits = (uint64_t)((int64_t)(bits << (64 - used)) >> (64 - used));
    value = make_number(bits, used > 32, is_signed || used < 32);
    if (type->kind == RDL__TYPE_ENUM)
        value.of = type;
    return value;
}

static bool read_part(const struct rdl__part *part, scope_of *scope, struct rdl__value *out,
                      struct rdl__error *error)
{
    const struct rdl__type *type = part->type;
    uint64_t bits = 0;

    switch (type->kind) {
    case RDL__TYPE_ARRAY:
    case RDL__TYPE_TEXT:
        *out = make_pointer((uintptr_t)rdl__part_address(part), type->of);
        return out->bits || rdl__fail(error, "the array is not in memory");
    case RDL__TYPE_SIGNED:
    case RDL__TYPE_UNSIGNED:
    case RDL__TYPE_BOOL:
    case RDL__TYPE_CHAR:
    case RDL__TYPE_ENUM:
    case RDL__TYPE_POINTER:
        break;
    default:
        return rdl__fail(error, "it is %s",
                         type->kind == RDL__TYPE_FLOAT ? "a floating-point number: these are not "
                                                         "understood here"
                                                       : "neither a number nor a pointer");
    }
    if (type->size > sizeof bits)
        return rdl__fail(error, "it has more than 64 bits: take a member of it");
    if (!rdl__part_read(part, scope->registers, &bits, type->size, error))
        return false;
    *out = type->kind == RDL__TYPE_POINTER ? make_pointer(bits, type->of) : promote(part, bits);
    return true;
}

/* "count: it is optimised out" */
static bool name_in(struct rdl__error *error, expression *e, bool ok)
{
    struct rdl__error why;

    if (ok || e->kind != RDL__EXPRESSION_NAME || strncmp(error->text, "'", 1) == 0)
        return ok;
    why = *error;
    return rdl__fail(error, "%s: %.900s", e->name, why.text);
}

static bool value_of_constant(const char *name, struct rdl__value *out)
{
    if (strcmp(name, "NULL") == 0)
        *out = make_pointer(0, NULL);
    else if (strcmp(name, "true") == 0 || strcmp(name, "false") == 0)
        *out = make_int(name[0] == 't');
    else
        return false;
    return true;
}

static bool value_of_place(expression *e, scope_of *scope, struct rdl__value *out,
                           struct rdl__error *error)
{
    struct rdl__part part;

    if (e->kind == RDL__EXPRESSION_NAME &&
        (!scope->frame || !rdl__stack_frame_variable(scope->frame, e->name)) &&
        value_of_constant(e->name, out))
        return true;
    return name_in(error, e,
                   find_part(e, scope, &part, error) && read_part(&part, scope, out, error));
}

static bool value_of_address(expression *e, scope_of *scope, struct rdl__value *out,
                             struct rdl__error *error)
{
    struct rdl__part part;

    if (!find_part(e, scope, &part, error))
        return false;
    *out = make_pointer((uintptr_t)rdl__part_address(&part), part.type);
    return out->bits || rdl__fail(error, "it is not in memory: it has no address");
}

/* ---- Constants of enumerations -------------------------------------------------------------- */

/* The constant of this name, of the enumeration that the other operand is of. */
static bool find_constant(expression *e, scope_of *scope, const struct rdl__type *of,
                          struct rdl__value *out)
{
    if (e->kind != RDL__EXPRESSION_NAME || !of ||
        (scope->frame && rdl__stack_frame_variable(scope->frame, e->name)))
        return false;
    for (uint32_t i = 0; i < of->count; i++)
        if (strcmp(of->enumerators[i].name, e->name) == 0) {
            *out = promote(&(struct rdl__part){.type = of}, of->enumerators[i].value);
            return true;
        }
    return false;
}

static bool value_of_operands(expression *e, scope_of *scope, struct rdl__value *left,
                              struct rdl__value *right, struct rdl__error *error)
{
    struct rdl__error why;

    if (!rdl__expression_value(e->left, scope, left, error))
        return rdl__expression_value(e->right, scope, right, &why) &&
               find_constant(e->left, scope, right->of, left);
    return rdl__expression_value(e->right, scope, right, error) ||
           find_constant(e->right, scope, left->of, right);
}

/* ---- Arithmetic ----------------------------------------------------------------------------- */

static bool divide(int sign, const struct rdl__value *left, const struct rdl__value *right,
                   uint64_t *out, bool is_signed, struct rdl__error *error)
{
    int64_t a = (int64_t)left->bits, b = (int64_t)right->bits;

    if (b == 0)
        return rdl__fail(error, "it divides by 0");
    if (!is_signed)
        *out = sign == '/' ? left->bits / right->bits : left->bits % right->bits;
    else if (b == -1)
        *out = sign == '/' ? 0 - left->bits : 0;
    else
        *out = (uint64_t)(sign == '/' ? a / b : a % b);
    return true;
}

/* The type of the result is that of the left operand alone. */
static bool shift(int sign, const struct rdl__value *left, const struct rdl__value *right,
                  struct rdl__value *out, struct rdl__error *error)
{
    if (right->bits >= (left->is_wide ? 64 : 32))
        return rdl__fail(error, "it shifts by %lld bits", (long long)right->bits);
    *out = make_number(sign == RDL__SIGN_LEFT ? left->bits << right->bits
                       : left->is_signed      ? (uint64_t)((int64_t)left->bits >> right->bits)
                                              : left->bits >> right->bits,
                       left->is_wide, left->is_signed);
    return true;
}

static bool holds(int sign, uint64_t a, uint64_t b, bool is_signed)
{
    bool is_less = is_signed ? (int64_t)a < (int64_t)b : a < b;

    switch (sign) {
    case RDL__SIGN_EQ:
        return a == b;
    case RDL__SIGN_NE:
        return a != b;
    case '<':
        return is_less;
    case RDL__SIGN_LE:
        return is_less || a == b;
    case '>':
        return !is_less && a != b;
    default:
        return !is_less;
    }
}

static bool is_comparison(int sign)
{
    return sign == '<' || sign == '>' || (sign >= RDL__SIGN_EQ && sign <= RDL__SIGN_GE);
}

/* Both become of one type: the wider one, and unsigned if one of that width is. */
static bool calculate(int sign, struct rdl__value left, struct rdl__value right,
                      struct rdl__value *out, struct rdl__error *error)
{
    bool is_wide = left.is_wide || right.is_wide;
    bool is_signed = (left.is_signed || left.is_wide != is_wide) &&
                     (right.is_signed || right.is_wide != is_wide);
    uint64_t bits;

    if (sign == RDL__SIGN_LEFT || sign == RDL__SIGN_RIGHT)
        return shift(sign, &left, &right, out, error);
    left = make_number(left.bits, is_wide, is_signed);
    right = make_number(right.bits, is_wide, is_signed);
    if (is_comparison(sign)) {
        *out = make_int(holds(sign, left.bits, right.bits, is_signed));
        return true;
    }
    bits = sign == '+'   ? left.bits + right.bits
           : sign == '-' ? left.bits - right.bits
           : sign == '*' ? left.bits * right.bits
           : sign == '&' ? left.bits & right.bits
           : sign == '^' ? left.bits ^ right.bits
                         : left.bits | right.bits;
    if ((sign == '/' || sign == '%') && !divide(sign, &left, &right, &bits, is_signed, error))
        return false;
    *out = make_number(bits, is_wide, is_signed);
    return true;
}

/* One of them is a pointer. */
static bool calculate_address(int sign, const struct rdl__value *left,
                              const struct rdl__value *right, struct rdl__value *out,
                              struct rdl__error *error)
{
    const struct rdl__value *pointer = left->is_pointer ? left : right;
    bool both = left->is_pointer && right->is_pointer;
    int64_t distance = (int64_t)(left->bits - right->bits);

    if (is_comparison(sign)) {
        *out = make_int(holds(sign, left->bits, right->bits, false));
        return true;
    }
    if ((sign != '+' || both) && (sign != '-' || !left->is_pointer))
        return rdl__fail(error, "pointers are compared, followed, added to and subtracted");
    if (pointer->step == 0)
        return rdl__fail(error, "it is not known how large that is what a pointer points to");
    if (both) {
        *out = make_number((uint64_t)(distance / pointer->step), true, true);
        return true;
    }
    *out = *pointer;
    out->bits = sign == '-'        ? left->bits - right->bits * pointer->step
                : left->is_pointer ? left->bits + right->bits * pointer->step
                                   : right->bits + left->bits * pointer->step;
    return true;
}

static bool value_of_binary(expression *e, scope_of *scope, struct rdl__value *out,
                            struct rdl__error *error)
{
    struct rdl__value left, right;

    if (e->sign == RDL__SIGN_OR || e->sign == RDL__SIGN_AND) {
        if (!rdl__expression_value(e->left, scope, &left, error))
            return false;
        if ((left.bits != 0) != (e->sign == RDL__SIGN_OR) &&
            !rdl__expression_value(e->right, scope, &left, error))
            return false;
        *out = make_int(left.bits != 0);
        return true;
    }
    if (!value_of_operands(e, scope, &left, &right, error))
        return false;
    return left.is_pointer || right.is_pointer
               ? calculate_address(e->sign, &left, &right, out, error)
               : calculate(e->sign, left, right, out, error);
}

static bool value_of_unary(expression *e, scope_of *scope, struct rdl__value *out,
                           struct rdl__error *error)
{
    struct rdl__value value;

    if (!rdl__expression_value(e->left, scope, &value, error))
        return false;
    if (e->sign == '!') {
        *out = make_int(value.bits == 0);
        return true;
    }
    if (value.is_pointer)
        return rdl__fail(error, "%c is for numbers, and there is a pointer", e->sign);
    *out = make_number(e->sign == '-'   ? 0 - value.bits
                       : e->sign == '~' ? ~value.bits
                                        : value.bits,
                       value.is_wide, value.is_signed);
    return true;
}

/* ---- Strings -------------------------------------------------------------------------------- */

/* One that is ours, or one in memory that may not be there. */
struct string {
    const char *ours;
    uint64_t address;
};

static bool find_string(expression *e, scope_of *scope, struct string *out,
                        struct rdl__error *error)
{
    struct rdl__value value;

    *out = (struct string){.ours = e->kind == RDL__EXPRESSION_STRING   ? e->name
                                   : e->kind == RDL__EXPRESSION_THREAD ? scope->thread
                                                                       : NULL};
    if (out->ours)
        return true;
    if (!rdl__expression_value(e, scope, &value, error))
        return false;
    if (!value.is_pointer)
        return rdl__fail(error, "a number is no string");
    out->address = value.bits;
    return value.bits || rdl__fail(error, "a string is NULL");
}

static bool character_of(const struct string *string, size_t at, unsigned char *out,
                         struct rdl__error *error)
{
    if (string->ours)
        *out = (unsigned char)string->ours[at];
    else if (!rdl__memory_read(string->address + at, out, 1))
        return rdl__fail(error, "a string is not in memory");
    return true;
}

static bool compare(expression *e, scope_of *scope, struct rdl__value *out,
                    struct rdl__error *error)
{
    struct string left, right;
    unsigned char a = 0, b = 0;

    if (!find_string(e->left, scope, &left, error) || !find_string(e->right, scope, &right, error))
        return false;
    for (size_t at = 0; at < TEXT_MAX; at++) {
        if (!character_of(&left, at, &a, error) || !character_of(&right, at, &b, error))
            return false;
        if (a != b || a == '\0')
            break;
    }
    *out = make_int(e->kind == RDL__EXPRESSION_EQUAL ? a == b : (a > b) - (a < b));
    return true;
}

/* ---- All of them ---------------------------------------------------------------------------- */

bool rdl__expression_value(const struct rdl__expression *e,
                           const struct rdl__expression_scope *scope, struct rdl__value *out,
                           struct rdl__error *error)
{
    switch (e->kind) {
    case RDL__EXPRESSION_NUMBER:
        *out = e->value;
        return true;
    case RDL__EXPRESSION_ADDRESS:
        return value_of_address(e->left, scope, out, error);
    case RDL__EXPRESSION_UNARY:
        return value_of_unary(e, scope, out, error);
    case RDL__EXPRESSION_BINARY:
        return value_of_binary(e, scope, out, error);
    case RDL__EXPRESSION_COMPARE:
    case RDL__EXPRESSION_EQUAL:
        return compare(e, scope, out, error);
    default:
        return value_of_place(e, scope, out, error);
    }
}

bool rdl__expression_assign(const struct rdl__expression *variable,
                            const struct rdl__expression *value,
                            const struct rdl__expression_scope *scope, struct rdl__error *error)
{
    struct rdl__part part;
    struct rdl__value old, new;

    if (!find_part(variable, scope, &part, error) || !read_part(&part, scope, &old, error))
        return name_in(error, variable, false);
    if (part.type->kind == RDL__TYPE_ARRAY || part.type->kind == RDL__TYPE_TEXT)
        return rdl__fail(error, "an array cannot be set as a whole: set its elements");
    if (!rdl__expression_value(value, scope, &new, error) &&
        !find_constant(value, scope, old.of, &new))
        return false;
    if (part.type->kind == RDL__TYPE_BOOL)
        new.bits = new.bits != 0;
    return rdl__part_write(&part, scope->registers, &new.bits, part.type->size, error);
}
