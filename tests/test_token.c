/* test_token.c -- tokens survive being pasted, and nothing else passes for one. */
#include "choice/token.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "harness.h"

static const struct rdl__settings settings = {.size = 100, .choices_max = 1 << 20};

static char *token_of(const char *name, const struct rdl__choice *choices, uint32_t count)
{
    struct rdl__text text = {0};

    rdl__token_write(&text, name, &settings, choices, count);
    return text.bytes;
}

static bool is_read(const char *text)
{
    struct rdl__token token;
    struct rdl__error error = {""};
    bool ok = rdl__token_read(&token, text, &error);

    if (ok)
        rdl__token_release(&token);
    else
        EXPECT(error.text[0]);
    return ok;
}

TEST(what_is_written_is_read)
{
    struct rdl__random random;

    rdl__random_seed(&random, test_seed());
    for (int round = 0; round < 2000; round++) {
        struct rdl__choice choices[50];
        uint32_t count = (uint32_t)rdl__random_upto(&random, 50);
        struct rdl__token token;
        struct rdl__error error;
        char *text;

        for (uint32_t i = 0; i < count; i++) {
            choices[i] = (struct rdl__choice){.max = rdl__random_next(&random) >> round % 64,
                                              .kind = (uint8_t)(round % 6)};
            choices[i].index = rdl__random_upto(&random, choices[i].max);
        }
        text = token_of("a_test.with.dots", choices, count);
        EXPECT(rdl__token_read(&token, text, &error));
        EXPECT_STR(token.name, "a_test.with.dots");
        EXPECT_EQ(token.count, count);
        EXPECT_EQ(token.settings.size, 100);
        EXPECT_EQ(token.settings.choices_max, 1 << 20);
        for (uint32_t i = 0; i < count; i++) {
            EXPECT(token.indexes[i] == choices[i].index);
            EXPECT_EQ(token.shapes[i], rdl__shape(choices[i].kind, choices[i].max, 0));
        }
        rdl__token_release(&token);
        free(text);
    }
}

static char *example(void)
{
    const struct rdl__choice choices[] = {
        {.index = 3, .max = 9}, {.index = 1u << 20, .max = UINT64_MAX}, {.index = 0, .max = 1}};

    return token_of("example", choices, 3);
}

TEST(a_token_cut_off_anywhere_is_refused)
{
    char *text = example();

    for (size_t length = strlen(text); length-- > 0;) {
        char *cut = strndup(text, length);

        EXPECT(!is_read(cut));
        free(cut);
    }
    free(text);
}

TEST(a_token_with_one_character_changed_is_refused)
{
    char *text = example();

    for (size_t i = 0; text[i]; i++)
        for (int c = 33; c < 256; c++) {
            char old = text[i];

            if ((char)c == old)
                continue;
            text[i] = (char)c;
            EXPECT(!is_read(text));
            text[i] = old;
        }
    EXPECT(is_read(text));
    free(text);
}

TEST(white_space_in_a_token_does_no_harm)
{
    char *text = example(), *wrapped = rdl__allocate(3 * strlen(text) + 3), *to = wrapped;

    for (const char *from = text; *from; from++) {
        *to++ = *from;
        *to++ = '\n';
        *to++ = ' ';
    }
    EXPECT(is_read(wrapped));
    free(text);
    free(wrapped);
}

TEST(tokens_of_other_versions_and_other_things_are_told_apart)
{
    struct rdl__token token;
    struct rdl__error error;

    EXPECT(!rdl__token_read(&token, "rdl2.x.AAAA", &error));
    EXPECT_CONTAINS(error.text, "another version");
    EXPECT(!rdl__token_read(&token, "hello", &error));
    EXPECT_CONTAINS(error.text, "no Raddle token");
    EXPECT(!rdl__token_read(&token, "", &error));
    EXPECT(!rdl__token_read(&token, "rdl1.", &error));
    EXPECT(!rdl__token_read(&token, "rdl1..AAAA", &error));
    EXPECT_CONTAINS(error.text, "damaged");
}

/* With a checksum that is right, so that what lies behind it is reached. */
static char *forge(const unsigned char *bytes, size_t count)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    unsigned char all[600] = "x";
    uint32_t crc;
    struct rdl__text text = {0};

    memcpy(all + 2, bytes, count);
    crc = rdl__crc32(all, count + 2);
    for (int i = 0; i < 4; i++)
        all[2 + count++] = (unsigned char)(crc >> (8 * i));
    rdl__text_add(&text, "rdl1.x.");
    for (size_t bit = 0; bit < count * 8; bit += 6) {
        unsigned pair = (unsigned)all[2 + bit / 8] << 8 | all[3 + bit / 8];

        if (bit / 8 + 1 >= count)
            pair &= 0xff00;
        rdl__text_add(&text, "%c", digits[pair >> (10 - bit % 8) & 63]);
    }
    return text.bytes;
}

TEST(hostile_tokens_with_a_right_checksum_are_refused_or_read_but_never_trusted)
{
    struct rdl__random random;
    int read = 0;

    rdl__random_seed(&random, test_seed());
    for (int round = 0; round < (soak() ? 3000000 : 100000); round++) {
        unsigned char bytes[64] = {1, 1, 100, 0};
        size_t count = 4 + rdl__random_upto(&random, 40);
        char *text;

        for (size_t i = round % 2 ? 3 : 0; i < count; i++)
            bytes[i] = (unsigned char)(rdl__random_next(&random) & (round % 3 ? 0x8f : 0xff));
        text = forge(bytes, count);
        read += is_read(text);
        free(text);
    }
    EXPECT(read < 1000); /* nearly all of them are nonsense */
}

TEST(a_count_larger_than_the_token_is_refused)
{
    const unsigned char huge[] = {2, 1, 100, 2, 100, 0xff, 0xff, 0xff, 0xff, 0x0f, 1, 2};
    const unsigned char endless[] = {2,    1,    100,  2,    100,  0xff, 0xff, 0xff,
                                     0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
    char *one = forge(huge, sizeof huge), *two = forge(endless, sizeof endless);

    EXPECT(!is_read(one));
    EXPECT(!is_read(two));
    free(one);
    free(two);
}

TEST(a_setting_nobody_knows_is_refused_by_name)
{
    const unsigned char bytes[] = {3, 1, 100, 2, 100, 9, 1, 0};
    char *text = forge(bytes, sizeof bytes);
    struct rdl__token token;
    struct rdl__error error;

    EXPECT(!rdl__token_read(&token, text, &error));
    EXPECT_CONTAINS(error.text, "does not know (9)");
    free(text);
}
