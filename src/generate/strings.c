/* strings.c -- characters and strings. */
#include <string.h>

#include "generate/lists.h"
#include "generate/numbers.h"

/* From simple to strange; the first 95 are the printable ones. */
static const char ascii_order[] =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
    " !\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"
    "\n\t\r\v\f\b\a\x1b\x7f\x01\x02\x03\x04\x05\x06\x0e\x0f\x10\x11\x12\x13\x14\x15\x16\x17\x18"
    "\x19\x1a\x1c\x1d\x1e\x1f";
static const char first_of_identifier[] = "abcdefghijklmnopqrstuvwxyz_ABCDEFGHIJKLMNOPQRSTUVWXYZ";
static const char rest_of_identifier[] =
    "abcdefghijklmnopqrstuvwxyz_ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

enum {
    PRINTABLE = 95,
    ASCII = 127,
    SURROGATE_FIRST = 0xd800,
    SURROGATES = 0x800,
    CODE_POINTS = 0x110000 - SURROGATES - 1, /* without 0 */
    UTF8_MAX = 4,
};

/* Index to code point: ASCII in our order, then everything above. */
static uint32_t code_point_at(uint64_t index)
{
    uint32_t code = (uint32_t)index + 1;

    if (index < ASCII)
        return (unsigned char)ascii_order[index];
    return code < SURROGATE_FIRST ? code : code + SURROGATES;
}

static uint64_t code_point_by_chance(struct rdl__random *random)
{
    static const uint32_t strange[] = {0xfffd, 0xfeff,  0x10ffff, 0xe9,  0x301,
                                       0x200d, 0x1f600, 0x7ff,    0x800, 0xffff};
    uint64_t word = rdl__random_next(random);
    uint32_t code;

    switch (word & 7) {
    case 0:
        code = strange[(word >> 8) % (sizeof strange / sizeof *strange)];
        return code < SURROGATE_FIRST ? code - 1 : code - SURROGATES - 1;
    case 1:
        return rdl__random_upto(random, CODE_POINTS - 1);
    case 2:
    case 3:
        return rdl__short_index(random, CODE_POINTS - 1, 21);
    default:
        return rdl__spread(word, PRINTABLE - 1);
    }
}

static uint32_t draw_code_point(struct rdl_case *t)
{
    struct rdl__tape *tape = t->tape;
    uint64_t index = tape->fresh ? code_point_by_chance(&tape->random)
                                 : rdl__tape_given(tape, RDL__INTEGER, CODE_POINTS - 1, 0);

    rdl__record(tape, RDL__INTEGER, index, CODE_POINTS - 1, 0);
    return code_point_at(index);
}

/* A fuzzer's byte that is one of these stands for itself. */
static char draw_of(struct rdl_case *t, const char *bytes, size_t count)
{
    struct rdl__tape *tape = t->tape;
    const char *found;
    uint64_t index;
    uint8_t byte;

    if (count == 1 || !rdl__tape_byte(tape, &byte))
        return bytes[rdl__choose(tape, RDL__INTEGER, count - 1)];
    found = memchr(bytes, byte, count);
    index = found ? (uint64_t)(found - bytes) : byte % count;
    rdl__record(tape, RDL__INTEGER, index, count - 1, 0);
    return bytes[index];
}

char rdl__char(struct rdl_case *t, const char *file, int line)
{
    char c = draw_of(t, ascii_order, PRINTABLE);

    if (rdl__showing(t)) {
        struct rdl__text text = {0};

        rdl__text_add_character(&text, (unsigned char)c);
        rdl__show(t, file, line, "rdl_char", t->tape->count - 1, &text);
        rdl__text_release(&text);
    }
    return c;
}

uint32_t rdl__codepoint(struct rdl_case *t, const char *file, int line)
{
    uint32_t code = draw_code_point(t);

    if (rdl__showing(t)) {
        struct rdl__text text = {0};

        rdl__text_add(&text, "U+%04X", code);
        rdl__show(t, file, line, "rdl_codepoint", t->tape->count - 1, &text);
        rdl__text_release(&text);
    }
    return code;
}

static char *put_utf8(char *to, uint32_t code)
{
    if (code < 0x80) {
        *to++ = (char)code;
        return to;
    }
    if (code >= 0x10000) {
        *to++ = (char)(0xf0 | code >> 18);
        *to++ = (char)(0x80 | (code >> 12 & 0x3f));
    } else if (code >= 0x800) {
        *to++ = (char)(0xe0 | code >> 12);
    }
    *to++ = (char)(code < 0x800 ? 0xc0 | code >> 6 : 0x80 | (code >> 6 & 0x3f));
    *to++ = (char)(0x80 | (code & 0x3f));
    return to;
}

static char *put_character(struct rdl_case *t, char *to, const struct rdl_string *form, bool first)
{
    if (form->of)
        *to = draw_of(t, form->of, strlen(form->of));
    else if (form->kind == RDL_UTF8)
        return put_utf8(to, draw_code_point(t));
    else if (form->kind == RDL_IDENTIFIER && first)
        *to = draw_of(t, first_of_identifier, sizeof first_of_identifier - 1);
    else if (form->kind == RDL_IDENTIFIER)
        *to = draw_of(t, rest_of_identifier, sizeof rest_of_identifier - 1);
    else
        *to = draw_of(t, ascii_order, form->kind == RDL_ASCII ? ASCII : PRINTABLE);
    return to + 1;
}

static bool is_keyword(const char *word)
{
    static const char keywords[] =
        " auto break case char const continue default do double else enum extern float for goto if "
        "inline int long register restrict return short signed sizeof static struct switch typedef "
        "union unsigned void volatile while asm typeof bool true false nullptr constexpr "
        "alignas alignof static_assert thread_local _Alignas _Alignof _Atomic _Bool _Complex "
        "_Generic _Imaginary _Noreturn _Static_assert _Thread_local ";
    const char *at = keywords;
    size_t length = strlen(word);

    while ((at = strstr(at, word))) {
        if (at[-1] == ' ' && at[length] == ' ')
            return true;
        at += length;
    }
    return false;
}

char *rdl__string(struct rdl_case *t, const char *file, int line, struct rdl_string form)
{
    struct rdl_length length = rdl__length_or_default(t, file, line, form.length);
    uint32_t from = t->tape->count;
    struct rdl_list list;
    size_t room;
    char *text, *to;

    if (form.of && !*form.of)
        rdl__misuse(t, "%s:%d: rdl_string: .of names no characters", file, line);
    if (form.kind == RDL_IDENTIFIER && length.min == 0)
        length.min = 1;
    t->hidden++;
    list = rdl_list(t, .length = length);
    /* Room for the longest, plus the underscore that a keyword gets. */
    room = list.room * (form.kind == RDL_UTF8 ? UTF8_MAX : 1) + 2;
    text = to = rdl__arena_alloc(&t->arena, room);
    while (rdl_more(&list))
        to = put_character(t, to, &form, list.count == 1);
    *to = '\0';
    t->hidden--;
    if (form.kind == RDL_IDENTIFIER && !form.of && is_keyword(text))
        memcpy(to++, "_", 2);
    rdl__arena_trim(&t->arena, text, room, (size_t)(to - text) + 1);
    if (rdl__showing(t)) {
        struct rdl__text shown = {0};

        rdl__text_add_quoted(&shown, text, (size_t)(to - text));
        rdl__show(t, file, line, "rdl_string", from, &shown);
        rdl__text_release(&shown);
    }
    return text;
}
