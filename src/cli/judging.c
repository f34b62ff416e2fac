/* judging.c -- options that say what counts as failure of a program, read and written. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "cli/options.h"
#include "raddle.h"

/* One of several words, separated by commas, each of which stands for a bit. */
struct word {
    const char *name;
    unsigned bit;
};

static const struct word failures[] = {
    {"crash", RDL__FAIL_CRASH},         {"exit", RDL__FAIL_EXIT},
    {"deadlock", RDL__FAIL_DEADLOCK},   {"livelock", RDL__FAIL_LIVELOCK},
    {"race", RDL__FAIL_RACE},           {"output", RDL__FAIL_OUTPUT},
    {"assertion", RDL__FAIL_ASSERTION}, {"misuse", RDL__FAIL_MISUSE},
    {"memory", RDL__FAIL_MEMORY},       {NULL, 0},
};

static const struct word faults[] = {
    {"wakeups", RDL_SPURIOUS_WAKEUPS},
    {"timeouts", RDL_EARLY_TIMEOUTS},
    {"trylocks", RDL_FAILED_TRYLOCKS},
    {NULL, 0},
};

static bool is_no_word(const char *from, const char *part, size_t length, const struct word *words,
                       struct rdl__error *error)
{
    struct rdl__text names = {0};

    for (const struct word *word = words; word->name; word++)
        rdl__text_add(&names, "%s%s", word == words ? "" : ", ", word->name);
    rdl__fail(error, "%s: '%.*s' is none of %s", from, (int)length, part, names.bytes);
    rdl__text_release(&names);
    return false;
}

static bool read_words(const char *from, const char *value, const struct word *words, unsigned *out,
                       struct rdl__error *error)
{
    const char *part = value;

    *out = 0;
    while (*part) {
        size_t length = strcspn(part, ",");
        const struct word *word = words;

        while (word->name &&
               (strlen(word->name) != length || strncmp(word->name, part, length) != 0))
            word++;
        if (!word->name)
            return is_no_word(from, part, length, words, error);
        *out |= word->bit;
        part += length + (part[length] == ',');
    }
    return true;
}

bool rdl__read_fail_on(struct rdl__options *o, const char *from, const char *value,
                       struct rdl__error *error)
{
    return read_words(from, value, failures, &o->explore.fail_on, error) &&
           (o->explore.fail_on ||
            rdl__fail(error, "%s: name at least one kind of failure, such as crash", from));
}

bool rdl__read_faults(struct rdl__options *o, const char *from, const char *value,
                      struct rdl__error *error)
{
    return read_words(from, value, faults, &o->explore.faults, error);
}

static const char *const volatiles[] = {[RDL_VOLATILE_ACQ_REL] = "acq-rel",
                                        [RDL_VOLATILE_RELAXED] = "relaxed",
                                        [RDL_VOLATILE_PLAIN] = "plain"};

const char *rdl__volatile_name(uint32_t which)
{
    return volatiles[which];
}

bool rdl__read_volatile(struct rdl__options *o, const char *from, const char *value,
                        struct rdl__error *error)
{
    for (unsigned i = 0; i < sizeof volatiles / sizeof *volatiles; i++)
        if (strcmp(value, volatiles[i]) == 0) {
            o->volatiles = 1 + i;
            o->volatiles_by_hand = strncmp(from, "--", 2) == 0;
            return true;
        }
    return rdl__fail(error, "%s: '%s' is none of acq-rel, relaxed and plain", from, value);
}

static void add_words(struct rdl__text *out, const struct word *words, unsigned bits)
{
    const char *before = "";

    for (; words->name; words++)
        if (bits & words->bit) {
            rdl__text_add(out, "%s%s", before, words->name);
            before = ",";
        }
}

/* To be kept. */
static char *words_of(const struct word *words, unsigned bits)
{
    struct rdl__text text = {0};

    add_words(&text, words, bits);
    return text.bytes;
}

char **rdl__options_judging_words(const struct rdl__exploring *explore)
{
    enum { MOST = 16 };
    char **words = rdl__allocate(MOST * sizeof *words), number[16];
    int count = 0;

    if (explore->fail_on != RDL__FAIL_ALL) {
        words[count++] = rdl__duplicate("--fail-on");
        words[count++] = words_of(failures, explore->fail_on);
    }
    if (explore->faults) {
        words[count++] = rdl__duplicate("--faults");
        words[count++] = words_of(faults, explore->faults);
    }
    if (explore->status) {
        snprintf(number, sizeof number, "%d", explore->status);
        words[count++] = rdl__duplicate("--status");
        words[count++] = rdl__duplicate(number);
    }
    if (explore->same_output)
        words[count++] = rdl__duplicate("--same-output");
    if (explore->output) {
        words[count++] = rdl__duplicate("--expect");
        words[count++] = rdl__duplicate(explore->output);
    }
    return words;
}

void rdl__options_judging(struct rdl__text *out, const struct rdl__exploring *explore)
{
    char **words = rdl__options_judging_words(explore);

    for (int i = 0; words[i]; i++) {
        rdl__text_add(out, " ");
        rdl__add_shell_word(out, words[i]);
        free(words[i]);
    }
    free(words);
}
