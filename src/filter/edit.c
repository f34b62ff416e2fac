/* edit.c -- a text with insertions, made from front to back. */
#include "filter/edit.h"

#include <assert.h>
#include <stdarg.h>

static void copy_until(struct rdl__edit *edit, size_t end)
{
    assert(end >= edit->done && end <= edit->text.count);
    rdl__text_add_bytes(&edit->out, edit->text.at + edit->done, end - edit->done);
    edit->done = end;
}

void rdl__edit_insert(struct rdl__edit *edit, const char *at, const char *format, ...)
{
    va_list args;

    copy_until(edit, (size_t)(at - edit->text.at));
    va_start(args, format);
    rdl__text_addv(&edit->out, format, args);
    va_end(args);
}

void rdl__edit_replace(struct rdl__edit *edit, const char *at, const char *end, const char *format,
                       ...)
{
    va_list args;

    copy_until(edit, (size_t)(at - edit->text.at));
    va_start(args, format);
    rdl__text_addv(&edit->out, format, args);
    va_end(args);
    edit->done = (size_t)(end - edit->text.at);
}

void rdl__edit_finish(struct rdl__edit *edit)
{
    copy_until(edit, edit->text.count);
    rdl__text_add(&edit->out, "\n");
}
