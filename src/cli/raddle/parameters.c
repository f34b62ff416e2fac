/* parameters.c -- the names of a function's parameters, as its declaration has them.
 *
 * What is declared is known from elsewhere, so this only looks for `name (...)` outside of all
 * braces.  Of each parameter the name is the last word before brackets, or the one after
 * the star of (*name); a parameter that consists of its type only has none. */
#include "cli/raddle/parameters.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"

bool rdl__is_of_name(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$';
}

/* ---- Words and signs -------- */

struct token {
    const char *at;
    size_t length; /* 0: the end */
};

/* Lines that begin with # are the preprocessor's. */
static const char *skip_blank(const char *at)
{
    for (;;) {
        if (isspace((unsigned char)*at))
            at++;
        else if (*at == '#')
            at += strcspn(at, "\n");
        else
            return at;
    }
}

static const char *skip_quoted(const char *at)
{
    char quote = *at++;

    while (*at && *at != quote)
        at += at[0] == '\\' && at[1] ? 2 : 1;
    return *at ? at + 1 : at;
}

static struct token next_token(const char **text)
{
    const char *start = skip_blank(*text), *at = start;

    if (*at == '"' || *at == '\'')
        at = skip_quoted(at);
    else if (rdl__is_of_name(*at))
        while (rdl__is_of_name(*at))
            at++;
    else if (*at)
        at++;
    *text = at;
    return (struct token){start, (size_t)(at - start)};
}

static bool is(struct token token, const char *text)
{
    return strlen(text) == token.length && strncmp(token.at, text, token.length) == 0;
}

static bool is_one_of(struct token token, const char *const *words)
{
    for (; *words; words++)
        if (is(token, *words))
            return true;
    return false;
}

static bool is_name(struct token token)
{
    return token.length && rdl__is_of_name(*token.at) && !isdigit((unsigned char)*token.at);
}

/* Behind the parenthesis that closes the one before `at`. */
static const char *skip_parentheses(const char *at)
{
    int depth = 1;

    while (depth > 0) {
        struct token token = next_token(&at);

        if (token.length == 0)
            break;
        depth += is(token, "(") - is(token, ")");
    }
    return at;
}

/* ---- One parameter -------- */

static bool is_label(struct token token)
{
    return is_one_of(token, (const char *const[]){"__asm__", "asm", "__asm", NULL});
}

static bool is_attribute(struct token token)
{
    return is_label(token) ||
           is_one_of(token, (const char *const[]){"__attribute__", "__attribute", NULL});
}

static bool says_no_type(struct token token)
{
    return is_one_of(token,
                     (const char *const[]){"const", "volatile", "restrict", "__const", "__restrict",
                                           "__restrict__", "register", "__extension__", NULL});
}

static bool is_keyword(struct token token)
{
    return says_no_type(token) ||
           is_one_of(token, (const char *const[]){"void", "char", "short", "int", "long", "float",
                                                  "double", "signed", "unsigned", "struct", "union",
                                                  "enum", "_Bool", "__int128", "_Complex",
                                                  "__signed__", NULL});
}

/* From here to the end; nothing: it has no name. */
static struct token name_of(const char *at, const char *end)
{
    struct token token, last = {0}, before = {0};
    bool has_type = false;

    while ((token = next_token(&at)).length && token.at < end && !is(token, "[")) {
        if (is_attribute(token)) {
            next_token(&at);
            at = skip_parentheses(at);
            continue;
        }
        if (is(token, "(")) { /* int (*compare)(...) */
            const char *inner = at, *behind = skip_parentheses(at);

            if (is(next_token(&inner), "*"))
                return name_of(at, behind - 1);
            break;
        }
        if (says_no_type(token))
            continue;
        has_type |= last.length > 0;
        before = last;
        last = token;
    }
    if (!is_name(last) || is_keyword(last) || !has_type ||
        is_one_of(before, (const char *const[]){"struct", "union", "enum", NULL}))
        return (struct token){0};
    return last;
}

/* ---- All of them -------- */

/* Is it (void) or ()? */
static bool has_none(const char *at, const char *end)
{
    struct token first = next_token(&at), second = next_token(&at);

    return first.at >= end || (is(first, "void") && second.at >= end);
}

/* From behind the parenthesis to the one that closes it.  Who has no name is called by number. */
static char *read_names(const char *at, const char *end)
{
    struct rdl__text names = {0};
    const char *start = at;
    bool is_last = has_none(at, end), any = false;
    int depth = 0;

    for (int number = 1; !is_last;) {
        struct token token = next_token(&at), name;

        is_last = token.at >= end;
        depth += (is(token, "(") || is(token, "[")) - (is(token, ")") || is(token, "]"));
        if (!is_last && (depth > 0 || !is(token, ",")))
            continue;
        name = name_of(start, token.at);
        any |= name.length > 0;
        if (name.length)
            rdl__text_add(&names, "%s%.*s", number > 1 ? ", " : "", (int)name.length, name.at);
        else if (*skip_blank(start) != '.')
            rdl__text_add(&names, "%s%d", number > 1 ? ", " : "", number);
        number++;
        start = at;
    }
    if (!any)
        rdl__text_clear(&names);
    return names.bytes ? names.bytes : rdl__duplicate("");
}

bool rdl__signature_next(struct rdl__signature *out, const char **at)
{
    struct token token, behind;
    int depth = 0;

    while ((token = next_token(at)).length) {
        const char *open = *at, *end;

        depth += is(token, "{") - is(token, "}");
        if (depth > 0 || !is_name(token) || is_keyword(token) || !is(next_token(&open), "("))
            continue;
        *at = end = skip_parentheses(open);
        if (is_attribute(token))
            continue;
        behind = next_token(&end);
        *out = (struct rdl__signature){.name = token.at,
                                       .name_length = token.length,
                                       .names = read_names(open, *at - 1),

                                       .has_label = is_label(behind)};
        return true;
    }
    return false;
}
