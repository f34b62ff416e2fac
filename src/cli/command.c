/* command.c -- a command line as the name of a test. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "cli/program/program.h"

static bool is_harmless(char c)
{
    return isalnum((unsigned char)c) || strchr("_-./,:=@", c);
}

void rdl__command_encode(struct rdl__text *out, int argc, char **argv)
{
    for (int i = 0; i < argc; i++) {
        if (i > 0)
            rdl__text_add(out, "+");
        for (const char *c = argv[i]; *c; c++) {
            if (is_harmless(*c))
                rdl__text_add_bytes(out, c, 1);
            else
                rdl__text_add(out, "%%%02x", (unsigned char)*c);
        }
    }
}

static int hex_value(char c)
{
    return isdigit((unsigned char)c) ? c - '0' : tolower((unsigned char)c) - 'a' + 10;
}

/* One word, up to + or the end; *name moves behind it. */
static char *decode_word(const char **name)
{
    char *word = rdl__allocate(strlen(*name) + 1), *to = word;
    const char *c = *name;

    for (; *c && *c != '+'; c++)
        if (c[0] == '%' && isxdigit((unsigned char)c[1]) && isxdigit((unsigned char)c[2])) {
            *to++ = (char)(hex_value(c[1]) * 16 + hex_value(c[2]));
            c += 2;
        } else {
            *to++ = *c;
        }
    *name = *c ? c + 1 : c;
    return word;
}

char **rdl__command_decode(const char *name, int *out_argc)
{
    char **argv = rdl__allocate((strlen(name) + 2) * sizeof *argv);
    const char *rest = name, *last = name + strlen(name);

    *out_argc = 0;
    do
        argv[(*out_argc)++] = decode_word(&rest);
    while (*rest);
    if (last > name && last[-1] == '+')
        argv[(*out_argc)++] = rdl__duplicate("");
    return argv;
}
