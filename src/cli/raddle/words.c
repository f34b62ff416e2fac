/* words.c -- command lines for processes. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "cli/raddle/commands.h"

void rdl__words_add(struct rdl__words *to, const char *format, ...)
{
    struct rdl__text text = {0};
    va_list args;

    va_start(args, format);
    rdl__text_addv(&text, format, args);
    va_end(args);
    if (to->count + 1 >= to->room) {
        to->room = to->room ? to->room * 2 : 64;
        to->words = rdl__reallocate(to->words, to->room * sizeof *to->words);
    }
    to->words[to->count++] = text.bytes;
    to->words[to->count] = NULL;
}

void rdl__words_release(struct rdl__words *words)
{
    for (size_t i = 0; i < words->count; i++)
        free(words->words[i]);
    free(words->words);
    *words = (struct rdl__words){0};
}

const char *rdl__compiler(void)
{
    const char *compiler = getenv("RADDLE_CC");

    return compiler && strspn(compiler, " ") < strlen(compiler) ? compiler : "gcc";
}

void rdl__words_add_compiler(struct rdl__words *to)
{
    char *copy = rdl__duplicate(rdl__compiler()), *rest = copy, *word;

    while ((word = strsep(&rest, " ")))
        if (*word)
            rdl__words_add(to, "%s", word);
    free(copy);
}
