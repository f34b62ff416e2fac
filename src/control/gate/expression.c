/* expression.c -- reading expressions: see expression.h. */
#include "control/gate/expression.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"

/* Threads evaluate it on their own stacks. */
enum { DEPTH_MAX = 50, LENGTH_MAX = 1000, LEVELS = 10 };

struct reader {
    const char *text, *at;
    struct rdl__error *error;
    int depth;
};

static struct rdl__expression *read_level(struct reader *r, int level);
static struct rdl__expression *read_unary(struct reader *r);

/* Returns NULL, so that whoever reads can, too. */
static void *wrong(struct reader *r, const char *what)
{
    bool is_end = !*r->at;

    rdl__fail(r->error, "in '%.300s', %s%.40s%s: %s", r->text, is_end ? "at its end" : "at '",
              r->at, is_end ? "" : "'", what);
    return NULL;
}

static struct rdl__expression *make(enum rdl__expression_kind kind, int sign,
                                    struct rdl__expression *left, struct rdl__expression *right)
{
    struct rdl__expression *made = rdl__allocate(sizeof *made);

    made->kind = kind;
    made->sign = sign;
    made->left = left;
    made->right = right;
    return made;
}

void rdl__expression_free(struct rdl__expression *expression)
{
    if (!expression)
        return;
    rdl__expression_free(expression->left);
    rdl__expression_free(expression->right);
    free(expression->name);
    free(expression);
}

bool rdl__expression_is_place(const struct rdl__expression *expression)
{
    return expression->kind >= RDL__EXPRESSION_NAME && expression->kind <= RDL__EXPRESSION_FOLLOW;
}

static void skip_blanks(struct reader *r)
{
    while (isspace((unsigned char)*r->at))
        r->at++;
}

static bool eat(struct reader *r, const char *sign)
{
    skip_blanks(r);
    if (strncmp(r->at, sign, strlen(sign)) != 0)
        return false;
    r->at += strlen(sign);
    return true;
}

/* ---- Numbers, characters, strings ----------------------------------------------------------- */

static struct rdl__expression *make_number(uint64_t bits, bool is_wide, bool is_signed)
{
    struct rdl__expression *number = make(RDL__EXPRESSION_NUMBER, 0, NULL, NULL);

    number->value = (struct rdl__value){.bits = bits, .is_wide = is_wide, .is_signed = is_signed};
    return number;
}

/* The first type of C's list that has room for it; only numbers that are not decimal may become
 * unsigned by themselves. */
static struct rdl__expression *read_number(struct reader *r)
{
    bool is_decimal = r->at[0] != '0', is_unsigned = false, is_long = false;
    const char *from = r->at;
    uint64_t bits;
    char *end;

    errno = 0;
    bits = strtoull(r->at, &end, 0);
    if (errno)
        return wrong(r, "the number is too large");
    r->at = end;
    for (; strchr("uUlL", *r->at) && *r->at; r->at++) {
        is_unsigned |= *r->at == 'u' || *r->at == 'U';
        is_long |= *r->at == 'l' || *r->at == 'L';
    }
    if (isalnum((unsigned char)*r->at) || *r->at == '_' || *r->at == '.') {
        r->at = from;
        return wrong(r, "this is no whole number");
    }
    is_long |= bits > UINT32_MAX || (bits > INT32_MAX && is_decimal && !is_unsigned);
    is_unsigned |= is_long ? bits > INT64_MAX : bits > INT32_MAX;
    return make_number(bits, is_long, !is_unsigned);
}

/* One character of a literal, which may be escaped; -1: there is none, or we do not know it. */
static int read_character(struct reader *r)
{
    static const char letters[] = "abfnrtve0", meant[] = "\a\b\f\n\r\t\v\033";
    const char *letter;
    char *end;
    int code;

    if (*r->at != '\\')
        return *r->at ? (unsigned char)*r->at++ : -1;
    r->at++;
    if (*r->at == 'x' && isxdigit((unsigned char)r->at[1])) {
        code = (int)(strtoul(r->at + 1, &end, 16) & 0xff);
        r->at = end;
        return code;
    }
    if (*r->at >= '0' && *r->at <= '7') {
        for (code = 0; *r->at >= '0' && *r->at <= '7' && code < 32; r->at++)
            code = code * 8 + *r->at - '0';
        return code;
    }
    if (!*r->at || isalnum((unsigned char)*r->at)) {
        letter = *r->at ? strchr(letters, *r->at) : NULL;
        if (!letter)
            return -1;
        r->at++;
        return meant[letter - letters];
    }
    return (unsigned char)*r->at++;
}

static struct rdl__expression *read_quoted_character(struct reader *r)
{
    const char *from = r->at++;
    int code = *r->at == '\'' ? -1 : read_character(r);

    if (code == -1 || *r->at != '\'') {
        r->at = from;
        return wrong(r, "this is no character");
    }
    r->at++;
    return make_number((uint64_t)(int64_t)(char)code, false, true);
}

static struct rdl__expression *read_string(struct reader *r)
{
    struct rdl__expression *string;
    const char *from = r->at++;
    struct rdl__text text = {0};
    char letter;
    int code = 0;

    while (*r->at != '"' && (code = read_character(r)) > 0) {
        letter = (char)code;
        rdl__text_add_bytes(&text, &letter, 1);
    }
    if (*r->at != '"') {
        rdl__text_release(&text);
        r->at = from;
        return wrong(r, "the string does not end, or has something in it that we do not know");
    }
    r->at++;
    string = make(RDL__EXPRESSION_STRING, 0, NULL, NULL);
    string->name = rdl__duplicate(rdl__text_string(&text));
    rdl__text_release(&text);
    return string;
}

/* ---- Names, and what has one ---------------------------------------------------------------- */

static char *read_name(struct reader *r)
{
    size_t length = 0;
    char *name;

    skip_blanks(r);
    while (isalnum((unsigned char)r->at[length]) || r->at[length] == '_' ||
           (r->at[length] == '$' && length == 0))
        length++;
    if (length == 0 || isdigit((unsigned char)r->at[0]))
        return wrong(r, "a name or a number is missing");
    name = rdl__allocate(length + 1);
    memcpy(name, r->at, length);
    r->at += length;
    return name;
}

static struct rdl__expression *read_text_argument(struct reader *r)
{
    skip_blanks(r);
    if (*r->at == '"')
        return read_string(r);
    if (eat(r, "$_thread_name"))
        return make(RDL__EXPRESSION_THREAD, 0, NULL, NULL);
    return read_level(r, 0);
}

static struct rdl__expression *read_call(struct reader *r, enum rdl__expression_kind kind)
{
    struct rdl__expression *call = make(kind, 0, NULL, NULL);

    if ((eat(r, "(") || wrong(r, "a ( is missing")) && (call->left = read_text_argument(r)) &&
        (eat(r, ",") || wrong(r, "a comma is missing")) && (call->right = read_text_argument(r)) &&
        (eat(r, ")") || wrong(r, "a ) is missing")))
        return call;
    rdl__expression_free(call);
    return NULL;
}

static struct rdl__expression *read_named(struct reader *r)
{
    const char *from = r->at;
    char *name = read_name(r);
    struct rdl__expression *made = NULL;

    if (!name)
        return NULL;
    skip_blanks(r);
    if (strcmp(name, "strcmp") == 0) {
        made = read_call(r, RDL__EXPRESSION_COMPARE);
    } else if (strcmp(name, "$_streq") == 0) {
        made = read_call(r, RDL__EXPRESSION_EQUAL);
    } else if (name[0] == '$' || *r->at == '(' || strcmp(name, "sizeof") == 0) {
        r->at = from;
        wrong(r, name[0] == '$' ? "of names with a $ there are $_streq(a, b) and, in it, "
                                  "$_thread_name"
                                : "functions are not called here, other than strcmp");
    } else {
        made = make(RDL__EXPRESSION_NAME, 0, NULL, NULL);
        made->name = name;
        return made;
    }
    free(name);
    return made;
}

static struct rdl__expression *read_primary(struct reader *r)
{
    struct rdl__expression *inner;

    skip_blanks(r);
    if (isdigit((unsigned char)*r->at))
        return read_number(r);
    if (*r->at == '\'')
        return read_quoted_character(r);
    if (*r->at == '"')
        return wrong(r, "strings are compared by strcmp(a, b) or $_streq(a, b)");
    if (!eat(r, "("))
        return read_named(r);
    inner = read_level(r, 0);
    if (!inner || eat(r, ")"))
        return inner;
    rdl__expression_free(inner);
    return wrong(r, "a ) is missing");
}

/* Adds one step to *made.  False: something is wrong, or (then nothing has been said) there is
 * none. */
static bool read_step(struct reader *r, struct rdl__expression **made, bool *out_wrong)
{
    struct rdl__expression *step;
    bool is_element = false;

    if (eat(r, "->"))
        step = make(RDL__EXPRESSION_MEMBER, RDL__SIGN_ARROW, *made, NULL);
    else if (eat(r, "."))
        step = make(RDL__EXPRESSION_MEMBER, '.', *made, NULL);
    else if ((is_element = eat(r, "[")))
        step = make(RDL__EXPRESSION_ELEMENT, 0, *made, NULL);
    else
        return false;
    if (!rdl__expression_is_place(*made))
        *out_wrong = !wrong(r, "what comes before has no name");
    *made = step;
    if (*out_wrong)
        return false;
    if (is_element)
        *out_wrong =
            !(step->right = read_level(r, 0)) || (!eat(r, "]") && !wrong(r, "a ] is missing"));
    else
        *out_wrong = !(step->name = read_name(r));
    return !*out_wrong;
}

static struct rdl__expression *read_postfix(struct reader *r)
{
    struct rdl__expression *made = read_primary(r);
    bool is_wrong = false;

    while (made && read_step(r, &made, &is_wrong))
        continue;
    if (!is_wrong)
        return made;
    rdl__expression_free(made);
    return NULL;
}

/* ---- Operators ------------------------------------------------------------------------------ */

/* *(p + i) is p[i]: so it has a name. */
static struct rdl__expression *follow(struct reader *r, struct rdl__expression *what)
{
    if (what->kind == RDL__EXPRESSION_BINARY && what->sign == '+' &&
        rdl__expression_is_place(what->left)) {
        what->kind = RDL__EXPRESSION_ELEMENT;
        return what;
    }
    if (rdl__expression_is_place(what))
        return make(RDL__EXPRESSION_FOLLOW, 0, what, NULL);
    rdl__expression_free(what);
    return wrong(r, "only what has a name can be followed: *p, *(p + i), p[i]");
}

static struct rdl__expression *address_of(struct reader *r, struct rdl__expression *what)
{
    if (rdl__expression_is_place(what))
        return make(RDL__EXPRESSION_ADDRESS, 0, what, NULL);
    rdl__expression_free(what);
    return wrong(r, "only what has a name has an address");
}

static struct rdl__expression *read_operator(struct reader *r)
{
    char sign;
    struct rdl__expression *operand;

    skip_blanks(r);
    if (!*r->at || !strchr("-+!~*&", *r->at))
        return read_postfix(r);
    sign = *r->at++;
    if (!(operand = read_unary(r)))
        return NULL;
    if (sign == '*')
        return follow(r, operand);
    if (sign == '&')
        return address_of(r, operand);
    return make(RDL__EXPRESSION_UNARY, sign, operand, NULL);
}

static struct rdl__expression *read_unary(struct reader *r)
{
    struct rdl__expression *made;

    if (++r->depth > DEPTH_MAX)
        return wrong(r, "there are too many parentheses in each other");
    made = read_operator(r);
    r->depth--;
    return made;
}

/* Operators of a level, the loosest first; of those that begin alike the longer comes first.  One
 * that is followed by a letter of `unless` is another. */
static const struct {
    int level;
    const char *text;
    int sign;
    const char *unless;
} operators[] = {
    {0, "||", RDL__SIGN_OR, ""},
    {1, "&&", RDL__SIGN_AND, ""},
    {2, "|", '|', "|="},
    {3, "^", '^', "="},
    {4, "&", '&', "&="},
    {5, "==", RDL__SIGN_EQ, ""},
    {5, "!=", RDL__SIGN_NE, ""},
    {6, "<=", RDL__SIGN_LE, ""},
    {6, ">=", RDL__SIGN_GE, ""},
    {6, "<", '<', "<"},
    {6, ">", '>', ">"},
    {7, "<<", RDL__SIGN_LEFT, "="},
    {7, ">>", RDL__SIGN_RIGHT, "="},
    {8, "+", '+', "+="},
    {8, "-", '-', "-=>"},
    {9, "*", '*', "="},
    {9, "/", '/', "="},
    {9, "%", '%', "="},
};

static int eat_operator(struct reader *r, int level)
{
    skip_blanks(r);
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++) {
        size_t length = strlen(operators[i].text);

        if (operators[i].level != level || strncmp(r->at, operators[i].text, length) != 0 ||
            (r->at[length] && strchr(operators[i].unless, r->at[length])))
            continue;
        r->at += length;
        return operators[i].sign;
    }
    return 0;
}

static struct rdl__expression *read_level(struct reader *r, int level)
{
    struct rdl__expression *left, *right;
    int sign;

    left = level + 1 < LEVELS ? read_level(r, level + 1) : read_unary(r);
    while (left && (sign = eat_operator(r, level))) {
        right = level + 1 < LEVELS ? read_level(r, level + 1) : read_unary(r);
        if (!right) {
            rdl__expression_free(left);
            return NULL;
        }
        left = make(RDL__EXPRESSION_BINARY, sign, left, right);
    }
    return left;
}

struct rdl__expression *rdl__expression_read(const char *text, struct rdl__error *error)
{
    struct reader r = {.text = text, .at = text, .error = error};
    struct rdl__expression *made;

    if (strlen(text) > LENGTH_MAX) {
        rdl__fail(error, "it is longer than %d characters", LENGTH_MAX);
        return NULL;
    }
    made = read_level(&r, 0);
    skip_blanks(&r);
    if (!made || !*r.at)
        return made;
    rdl__expression_free(made);
    return wrong(&r, *r.at == '=' ? "conditions change nothing: == compares"
                                  : "an operator is missing, or not one of || && | ^ & == != < "
                                    "<= > >= << >> + - * / %");
}
