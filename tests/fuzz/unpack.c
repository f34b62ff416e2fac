/* unpack.c -- a decoder with two bugs that chance hardly finds, since both lie
 * behind a magic number; a fuzzer guesses that one byte after the other.
 *
 * A message is "RDZ1", the size of the text that is packed in it, and steps:
 *
 *     0 to 7f           this byte
 *     80 + n, back      n bytes once more, beginning so far back in the text
 *     c0 + n, at        n bytes of a dictionary, from there on */
#include <raddle.h>

struct bytes {
    const uint8_t *next, *end;
};

struct text {
    uint8_t bytes[UINT8_MAX];
    unsigned size, length;
};

struct dictionary {
    const uint8_t *words;
    unsigned size;
};

/* What is not there is 0. */
static uint8_t take(struct bytes *in)
{
    return in->next < in->end ? *in->next++ : 0;
}

static bool take_magic(struct bytes *in)
{
    for (const char *magic = "RDZ1"; *magic; magic++)
        if (take(in) != *magic)
            return false;
    return true;
}

/* What has no room is left out. */
static void put(struct text *text, uint8_t byte)
{
    if (text->length < text->size)
        text->bytes[text->length++] = byte;
}

/* The first bug: here it is left out, but counted. */
static bool put_again(struct text *text, unsigned n, unsigned back)
{
    if (back == 0 || back > text->length)
        return false;
    for (; n > 0; n--, text->length++)
        if (text->length < text->size)
            text->bytes[text->length] = text->bytes[text->length - back];
    return true;
}

/* The second bug: there may be no dictionary. */
static bool put_words(struct text *text, unsigned n, unsigned at,
                      const struct dictionary *dictionary)
{
    if (at + n > dictionary->size)
        return false;
    while (n-- > 0)
        put(text, dictionary->words[at++]);
    return true;
}

static bool unpack(struct text *text, struct bytes in, const struct dictionary *dictionary)
{
    bool ok = take_magic(&in);

    text->size = take(&in);
    text->length = 0;
    while (ok && in.next < in.end) {
        uint8_t step = take(&in);

        if (step < 0x80)
            put(text, step);
        else if (step < 0xc0)
            ok = put_again(text, step - 0x80, take(&in));
        else
            ok = put_words(text, step - 0xc0, take(&in), dictionary);
    }
    return ok;
}

RDL_PROPERTY(the_text_has_the_size_that_was_announced)
{
    size_t n;
    uint8_t *message = rdl_bytes(t, &n, .length = {0, 64});
    struct dictionary empty = {message, 0};
    struct text text;

    if (unpack(&text, (struct bytes){message, message + n}, &empty))
        rdl_check_le(text.length, text.size);
}

RDL_PROPERTY(no_dictionary_is_needed)
{
    size_t n;
    uint8_t *message = rdl_bytes(t, &n, .length = {0, 64});
    struct text text;

    unpack(&text, (struct bytes){message, message + n}, NULL);
}

RDL_MAIN
