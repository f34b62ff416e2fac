/* option.c -- options with a value, as subcommands have them. */
#include <string.h>

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
    rdl__fail(error, "%s needs a value", name);
    return "";
}

bool rdl__option_is_json(const char *format, bool *out, struct rdl__error *error)
{
    *out = strcmp(format, "json") == 0;
    if (!*out && strcmp(format, "human") != 0)
        return rdl__fail(error, "--format: '%s' is neither human nor json", format);
    return true;
}
