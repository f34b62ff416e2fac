/* order_file.c -- orders that are kept in files. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "choice/regress.h"
#include "control/gate/gate.h"
#include "control/gate/script.h"
#include "raddle/generate.h"

void rdl__order_file_release(struct rdl__order_file *file)
{
    free(file->token);
    free(file->order);
    *file = (struct rdl__order_file){0};
}

/* Without what surrounds it. */
static char *trimmed(char *line)
{
    size_t length;

    while (isspace((unsigned char)*line))
        line++;
    length = strlen(line);
    while (length > 0 && isspace((unsigned char)line[length - 1]))
        length--;
    line[length] = '\0';
    return line;
}

bool rdl__order_file_read(struct rdl__order_file *out, const char *path, struct rdl__error *error)
{
    struct rdl__text text = {0}, order = {0};
    char *rest, *line;

    *out = (struct rdl__order_file){0};
    if (!rdl__read_file(&text, path, error))
        return false;
    rest = text.bytes;
    while ((line = strsep(&rest, "\n"))) {
        line = trimmed(line);
        if (!*line || *line == '#')
            continue;
        if (strncmp(line, "case ", 5) == 0) {
            free(out->token);
            out->token = rdl__duplicate(trimmed(line + 5));
        } else {
            rdl__text_add(&order, "%s%s", order.count ? ", " : "", line);
        }
    }
    out->order = rdl__duplicate(rdl__text_string(&order));
    rdl__text_release(&text);
    rdl__text_release(&order);
    return true;
}

void rdl__order_from(struct rdl_case *t, const char *path, const char *file, int line)
{
    struct rdl__order_file read;
    struct rdl__error error;
    char *order;

    if (!rdl__order_file_read(&read, path, &error))
        rdl__misuse(t, "%s:%d: %s", file, line, error.text);
    order = rdl_format(t, "%s", read.order);
    rdl__order_file_release(&read);
    if (*order)
        rdl__order(t, order, file, line);
}
