/* token.c -- a case as a line of text that can be pasted.  Format: token.h. */
#include "choice/token.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"

enum {
    SETTING_SIZE = 1,
    SETTING_CHOICES_MAX = 2,
    SETTING_POINTS_MAX = 3,
    SETTING_WATCHED = 4,
    SETTING_TRACE = 5,
    SETTING_ROUND = 6,
    SETTING_RACE = 7,
    SETTING_VOLATILES = 8,
};
enum { CHECKSUM_BYTES = 4 };

static const char prefix[] = "rdl1.";
static const char damaged[] =
    "the token is damaged: it was cut off or edited; copy all of it, or give its file as @FILE";
static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/* Bytes to be read; went_wrong stays set once something was not there. */
struct reader {
    const unsigned char *bytes;
    size_t count, next;
    bool went_wrong;
};

static void add_byte(struct rdl__text *out, unsigned byte)
{
    char c = (char)byte;

    rdl__text_add_bytes(out, &c, 1);
}

static void add_number(struct rdl__text *out, uint64_t number)
{
    for (; number >= 0x80; number >>= 7)
        add_byte(out, (unsigned)(number & 0x7f) | 0x80);
    add_byte(out, (unsigned)number);
}

static unsigned read_byte(struct reader *reader)
{
    if (reader->next >= reader->count) {
        reader->went_wrong = true;
        return 0;
    }
    return reader->bytes[reader->next++];
}

static uint64_t read_number(struct reader *reader)
{
    uint64_t number = 0;

    for (int shift = 0; shift < 64; shift += 7) {
        unsigned byte = read_byte(reader);

        if (shift == 63 && byte > 1)
            break;
        number |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80))
            return number;
    }
    reader->went_wrong = true;
    return 0;
}

static void add_base64(struct rdl__text *out, const struct rdl__text *bytes)
{
    const unsigned char *s = (const unsigned char *)bytes->bytes;

    for (size_t bit = 0; bit < bytes->count * 8; bit += 6) {
        size_t at = bit / 8;
        unsigned pair = (unsigned)s[at] << 8 | (at + 1 < bytes->count ? s[at + 1] : 0);

        add_byte(out, (unsigned char)digits[pair >> (10 - bit % 8) & 63]);
    }
}

static bool read_base64(struct rdl__text *out, const char *text, struct rdl__error *error)
{
    unsigned bits = 0, waiting = 0;

    for (const char *c = text; *c; c++) {
        const char *digit = strchr(digits, *c);

        if (!digit)
            return rdl__fail(
                error,
                "the token is damaged: it cannot hold a '%c'; copy all of it, or give its file "
                "as @FILE",
                *c);
        waiting = waiting << 6 | (unsigned)(digit - digits);
        bits += 6;
        if (bits >= 8) {
            bits -= 8;
            add_byte(out, waiting >> bits & 0xff);
        }
    }
    if (bits >= 6 || waiting & ((1u << bits) - 1))
        return rdl__fail(error, "%s", damaged);
    return true;
}

static uint32_t checksum(const char *name, const char *bytes, size_t count)
{
    struct rdl__text all = {0};
    uint32_t crc;

    rdl__text_add_bytes(&all, name, strlen(name) + 1);
    rdl__text_add_bytes(&all, bytes, count);
    crc = rdl__crc32(all.bytes, all.count);
    rdl__text_release(&all);
    return crc;
}

/* Those that are 0 are left out. */
static void add_settings(struct rdl__text *bytes, const struct rdl__settings *settings)
{
    const struct {
        unsigned key;
        uint32_t value;
    } all[] = {{SETTING_SIZE, settings->size},
               {SETTING_CHOICES_MAX, settings->choices_max},
               {SETTING_POINTS_MAX, settings->points_max},
               {SETTING_WATCHED, settings->watched},
               {SETTING_TRACE, settings->trace},
               {SETTING_ROUND, settings->round},
               {SETTING_RACE, settings->race},
               {SETTING_VOLATILES, settings->volatiles}};
    unsigned count = 0;

    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        count += all[i].value > 0;
    add_number(bytes, count);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i].value > 0) {
            add_number(bytes, all[i].key);
            add_number(bytes, all[i].value);
        }
}

void rdl__token_write(struct rdl__text *out, const char *name, const struct rdl__settings *settings,
                      const struct rdl__choice *choices, uint32_t count)
{
    struct rdl__text bytes = {0};
    uint32_t crc;

    add_settings(&bytes, settings);
    add_number(&bytes, count);
    for (uint32_t i = 0; i < count; i++) {
        add_number(&bytes, choices[i].index);
        add_byte(&bytes, rdl__shape(choices[i].kind, choices[i].max, choices[i].below));
    }
    crc = checksum(name, bytes.bytes, bytes.count);
    for (int shift = 0; shift < 32; shift += 8)
        add_byte(&bytes, crc >> shift & 0xff);
    rdl__text_add(out, "%s%s.", prefix, name);
    add_base64(out, &bytes);
    rdl__text_release(&bytes);
}

static char *without_white_space(const char *text)
{
    char *copy = rdl__duplicate(text), *to = copy;

    for (; *text; text++)
        if (!isspace((unsigned char)*text))
            *to++ = *text;
    *to = '\0';
    return copy;
}

static void read_settings(struct rdl__settings *out, struct reader *reader,
                          uint64_t *out_unknown_key)
{
    for (uint64_t left = read_number(reader); left > 0 && !reader->went_wrong; left--) {
        uint64_t key = read_number(reader);
        uint64_t value = read_number(reader);

        if (value > UINT32_MAX)
            reader->went_wrong = true;
        else if (key == SETTING_SIZE)
            out->size = (uint32_t)value;
        else if (key == SETTING_CHOICES_MAX)
            out->choices_max = (uint32_t)value;
        else if (key == SETTING_POINTS_MAX)
            out->points_max = (uint32_t)value;
        else if (key == SETTING_WATCHED)
            out->watched = (uint32_t)value;
        else if (key == SETTING_TRACE)
            out->trace = (uint32_t)value;
        else if (key == SETTING_ROUND)
            out->round = (uint32_t)value;
        else if (key == SETTING_RACE)
            out->race = (uint32_t)value;
        else if (key == SETTING_VOLATILES)
            out->volatiles = (uint32_t)value;
        else
            *out_unknown_key = key;
    }
}

static void read_choices(struct rdl__token *out, struct reader *reader)
{
    uint64_t count = read_number(reader);

    if (count > (reader->count - reader->next) / 2)
        reader->went_wrong = true;
    if (reader->went_wrong)
        return;
    out->count = (uint32_t)count;
    out->indexes = rdl__allocate(count * sizeof *out->indexes);
    out->shapes = rdl__allocate(count);
    for (uint32_t i = 0; i < out->count; i++) {
        out->indexes[i] = read_number(reader);
        out->shapes[i] = (uint8_t)read_byte(reader);
    }
}

static bool read_body(struct rdl__token *out, const struct rdl__text *bytes,
                      struct rdl__error *error)
{
    struct reader reader = {.bytes = (const unsigned char *)bytes->bytes};
    uint64_t unknown_key = 0;
    uint32_t crc = 0;

    if (bytes->count < CHECKSUM_BYTES)
        return rdl__fail(error, "%s", damaged);
    reader.count = bytes->count - CHECKSUM_BYTES;
    for (int i = 0; i < CHECKSUM_BYTES; i++)
        crc |= (uint32_t)reader.bytes[reader.count + (size_t)i] << (8 * i);
    if (crc != checksum(out->name, bytes->bytes, reader.count))
        return rdl__fail(error, "%s", damaged);
    read_settings(&out->settings, &reader, &unknown_key);
    if (!reader.went_wrong && unknown_key)
        return rdl__fail(
            error,
            "the token holds a setting that this version does not know (%llu): replay it with "
            "the version that made it, or run the test for a new one",
            (unsigned long long)unknown_key);
    read_choices(out, &reader);
    if (reader.went_wrong || reader.next != reader.count)
        return rdl__fail(error, "%s", damaged);
    if (out->settings.size < 1 || out->settings.size > 100 || out->settings.choices_max < 1 ||
        out->settings.choices_max < out->count || out->settings.volatiles > RDL__VOLATILE_PLAIN)
        return rdl__fail(
            error, "the token holds settings that no test can have: run the test for a new one");
    return true;
}

/* Splits copy, which is ours to change. */
static bool read_parts(struct rdl__token *out, char *copy, struct rdl__error *error)
{
    char *name = copy + strlen(prefix), *dot;
    struct rdl__text bytes = {0};
    bool ok;

    if (strncmp(copy, "rdl", 3) == 0 && isdigit((unsigned char)copy[3]) && copy[3] != prefix[3])
        return rdl__fail(
            error,
            "the token was made by another version of Raddle (%.4s): replay it with that, or run "
            "the test for a new one",
            copy);
    if (strncmp(copy, prefix, strlen(copy)) == 0 && *copy)
        return rdl__fail(error, "%s", damaged);
    if (strncmp(copy, prefix, strlen(prefix)) != 0)
        return rdl__fail(
            error,
            "this is no Raddle token: they begin with %s, and those in files are given as @FILE",
            prefix);
    dot = strrchr(name, '.');
    if (!dot || dot == name)
        return rdl__fail(error, "%s", damaged);
    *dot = '\0';
    out->name = rdl__duplicate(name);
    ok = read_base64(&bytes, dot + 1, error) && read_body(out, &bytes, error);
    rdl__text_release(&bytes);
    return ok;
}

bool rdl__token_read(struct rdl__token *out, const char *text, struct rdl__error *error)
{
    struct rdl__token token = {0};
    char *copy = without_white_space(text);
    bool ok = read_parts(&token, copy, error);

    free(copy);
    if (ok)
        *out = token;
    else
        rdl__token_release(&token);
    return ok;
}

void rdl__token_release(struct rdl__token *token)
{
    free(token->name);
    free(token->indexes);
    free(token->shapes);
    *token = (struct rdl__token){0};
}
