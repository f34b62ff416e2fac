/* journal.c -- texts that are kept in a flash chip: the code under test. */
#include "journal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "flash.h"

enum { BLOCKS = 4 };

static bool is_block(int number)
{
    return number >= 0 && number < BLOCKS;
}

bool journal_store(int block, const char *text)
{
    size_t length = strlen(text), done = 0;

    if (!is_block(block) || flash_erase(block) != 0)
        return false;
    while (done < length) {
        size_t written = 0;

        if (flash_write(block, text, length - done, &written) != 0)
            return false;
        done += written;
    }
    return true;
}

static char *copy_of(const char *text)
{
    char *copy = malloc(strlen(text) + 1);

    return copy ? strcpy(copy, text) : NULL;
}

char *journal_line(const char *who, const char *what)
{
    char *name = copy_of(who), *line;

    if (!name)
        return NULL;
    line = malloc(strlen(name) + strlen(what) + 3);
    sprintf(line, "%s: %s", name, what);
    free(name);
    return line;
}
