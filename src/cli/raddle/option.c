/* option.c -- options with a value, as subcommands have them. */
#include <stdio.h>
#include <string.h>

#include "base/near.h"
#include "cli/raddle/commands.h"

const char *rdl__option_value(const char *name, int argc, char **argv, int *i,
                              struct rdl__error *error)
{
    size_t length = strlen(name);

    if (strncmp(argv[*i], name, length) != 0)
        return NULL;
    if (argv[*i][length] == '=')
        return argv[*i] + length + 1;
    if (argv[*i][length])
        return NULL;
    if (*i + 1 < argc)
        return argv[++*i];
    rdl__fail(error, "%s needs a value; --help tells which", name);
    return "";
}

bool rdl__option_unknown(const char *argument, const char *usage, struct rdl__error *error)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz-";
    struct rdl__nearest nearest = {.given = argument, .length = strcspn(argument, "=")};
    char words[32][24];
    const char *at = usage;

    for (int i = 0; i < 32 && (at = strstr(at, "--")); at += strspn(at, letters), i++) {
        snprintf(words[i], sizeof words[i], "%.*s", (int)strspn(at, letters), at);
        rdl__nearest_try(&nearest, words[i]);
    }
    if (nearest.word)
        return rdl__fail(error, "unknown option %s; did you mean %s?", argument, nearest.word);
    return rdl__fail(error, "unknown option %s; --help shows all", argument);
}

bool rdl__option_is_json(const char *format, bool *out, struct rdl__error *error)
{
    *out = strcmp(format, "json") == 0;
    if (!*out && strcmp(format, "human") != 0)
        return rdl__fail(error, "--format: '%s' is neither human nor json", format);
    return true;
}
