/* needed.c -- the libraries that a program is linked with, as the dynamic linker would load them.
 *
 * It is asked, since where it looks depends on the program, on its settings and on the
 * environment.  It loads the libraries to find out, but executes nothing of them. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/raddle/commands.h"

#define LINKER "/lib64/ld-linux-x86-64.so.2"

/* For a shell, between quotes. */
static void add_quoted(struct rdl__text *out, const char *word)
{
    rdl__text_add(out, "'");
    for (; *word; word++)
        rdl__text_add(out, *word == '\'' ? "'\\''" : "%c", *word);
    rdl__text_add(out, "'");
}

/* "libz", "libz.so" or "libz.so.1". */
static bool is_called(const char *library, const char *name, size_t length)
{
    return strncmp(library, name, length) == 0 &&
           (library[length] == '\0' || library[length] == '.');
}

bool rdl__find_needed(struct rdl__text *out, const char *program, const char *name, size_t length)
{
    struct rdl__text command = {0};
    char whole[PATH_MAX], library[256], path[PATH_MAX];
    char *line = NULL;
    size_t room = 0;
    FILE *pipe;

    rdl__text_clear(out);
    rdl__text_add(&command, "set -- ");
    add_quoted(&command, realpath(program, whole) ? whole : program);
    rdl__text_add(&command, "; " LINKER " --verify \"$1\" && " LINKER " --list \"$1\" 2>/dev/null");
    pipe = popen(command.bytes, "r");
    while (pipe && getline(&line, &room, pipe) > 0)
        if (!out->count && sscanf(line, " %255s => %4095s", library, path) == 2 &&
            is_called(library, name, length))
            rdl__text_add(out, "%s", path);
    if (pipe)
        pclose(pipe);
    free(line);
    rdl__text_release(&command);
    return out->count > 0;
}
