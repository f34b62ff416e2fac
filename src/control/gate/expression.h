/* expression.h -- expressions of C over the variables of a stack frame.
 *
 *     queue->count == 0 && strcmp(item->name, "first") != 0
 *
 * They are read once, when what is wrong with them can still be said; and evaluated whenever a
 * thread comes to the place.  Types are those of C: what is smaller than an int becomes one, and
 * the other conversions follow.  Signed numbers wrap around.
 *
 *     or      = and { "||" and }          and so on, in the ten levels of C down to
 *     unary   = ( "-" | "+" | "!" | "~" | "*" | "&" ) unary  |  postfix
 *     postfix = primary { "." NAME | "->" NAME | "[" or "]" }
 *     primary = NUMBER | CHARACTER | NAME | "(" or ")" | "strcmp" "(" text "," text ")"
 *             | "$_streq" "(" text "," text ")"
 *     text    = STRING | "$_thread_name" | or
 *
 * A name is that of a variable; or of a constant of the enumeration that the other operand is of;
 * or NULL, true or false. */
#ifndef RDL__EXPRESSION_H
#define RDL__EXPRESSION_H

#include "base/error.h"
#include "port/frame.h"

struct rdl__expression;

/* NULL: it is none, and error says where.  It is followed by nothing else. */
struct rdl__expression *rdl__expression_read(const char *text, struct rdl__error *error);
void rdl__expression_free(struct rdl__expression *expression);

/* Where it is evaluated. */
struct rdl__expression_scope {
    const struct rdl__stack_frame *frame; /* NULL: there are no variables */
    struct rdl__registers *registers;
    const char *thread;
};

struct rdl__value {
    uint64_t bits; /* of numbers: as many bits as the type has, extended by its sign */
    bool is_wide;  /* 64 bits, not 32 */
    bool is_signed;
    bool is_pointer;
    uint32_t step;              /* of pointers: the size of what they point to; 0: unknown */
    const struct rdl__type *of; /* of enumerations: which */
};

bool rdl__expression_value(const struct rdl__expression *expression,
                           const struct rdl__expression_scope *scope, struct rdl__value *out,
                           struct rdl__error *error);

/* variable = value, as C would convert it. */
bool rdl__expression_assign(const struct rdl__expression *variable,
                            const struct rdl__expression *value,
                            const struct rdl__expression_scope *scope, struct rdl__error *error);

/* Can it be assigned to? */
bool rdl__expression_is_place(const struct rdl__expression *expression);

/* ---- For expression*.c ---------------------------------------------------------------------- */

enum rdl__expression_kind {
    RDL__EXPRESSION_NUMBER, /* value */
    RDL__EXPRESSION_STRING, /* name */
    RDL__EXPRESSION_THREAD,
    RDL__EXPRESSION_NAME,
    RDL__EXPRESSION_MEMBER,  /* left.name, or left->name: sign says which */
    RDL__EXPRESSION_ELEMENT, /* left[right] */
    RDL__EXPRESSION_FOLLOW,  /* *left */
    RDL__EXPRESSION_ADDRESS, /* &left */
    RDL__EXPRESSION_UNARY,   /* sign left */
    RDL__EXPRESSION_BINARY,  /* left sign right */
    RDL__EXPRESSION_COMPARE, /* strcmp(left, right) */
    RDL__EXPRESSION_EQUAL,   /* $_streq(left, right) */
};

/* Signs of two characters, as one. */
enum rdl__sign {
    RDL__SIGN_OR = 256,
    RDL__SIGN_AND,
    RDL__SIGN_EQ,
    RDL__SIGN_NE,
    RDL__SIGN_LE,
    RDL__SIGN_GE,
    RDL__SIGN_LEFT,
    RDL__SIGN_RIGHT,
    RDL__SIGN_ARROW,
};

struct rdl__expression {
    enum rdl__expression_kind kind;
    int sign;
    char *name;
    struct rdl__value value;
    struct rdl__expression *left, *right;
};

#endif
