/* share.c -- what one process finds out about functions, all others of the run know.
 *
 * It is a chapter of the book.  Functions of libraries that were loaded after that was opened are
 * left out: they may lie elsewhere. */
#include <stdlib.h>
#include <string.h>

#include "control/mock/mock.h"
#include "port/book.h"

enum { TYPES_MAX = 2048 };

struct page {
    struct page *next;
    struct rdl__mocked function;
};

struct chapter {
    struct page *first;
    const struct rdl__code_range *own; /* code of Raddle */
    size_t own_count;
};

/* ---- Writing -------- */

/* What is being written, and whether there was room for all of it. */
struct writing {
    struct rdl__room room;
    struct {
        const struct rdl__type *from;
        struct rdl__type *to;
    } types[TYPES_MAX];
    size_t type_count;
    bool is_full;
};

static void *get(struct writing *w, size_t size)
{
    void *got = w->is_full ? NULL : rdl__room_get(&w->room, size);

    w->is_full |= !got;
    return got;
}

static void *keep(struct writing *w, const void *from, size_t size)
{
    void *to = from ? get(w, size) : NULL;

    return to ? memcpy(to, from, size) : NULL;
}

static const char *keep_text(struct writing *w, const char *text)
{
    return text ? keep(w, text, strlen(text) + 1) : NULL;
}

static const struct rdl__type *keep_type(struct writing *w, const struct rdl__type *from);

static const struct rdl__member *keep_members(struct writing *w, const struct rdl__type *of)
{
    struct rdl__member *members = keep(w, of->members, of->count * sizeof *members);

    for (uint32_t i = 0; members && i < of->count; i++) {
        members[i].name = keep_text(w, members[i].name);
        members[i].type = keep_type(w, members[i].type);
    }
    return members;
}

static const struct rdl__enumerator *keep_enumerators(struct writing *w, const struct rdl__type *of)
{
    struct rdl__enumerator *all = keep(w, of->enumerators, of->count * sizeof *all);

    for (uint32_t i = 0; all && i < of->count; i++)
        all[i].name = keep_text(w, all[i].name);
    return all;
}

/* Types may lead back to themselves. */
static const struct rdl__type *keep_type(struct writing *w, const struct rdl__type *from)
{
    struct rdl__type *to;

    for (size_t i = 0; i < w->type_count; i++)
        if (w->types[i].from == from)
            return w->types[i].to;
    if (w->type_count == TYPES_MAX)
        w->is_full = true;
    to = keep(w, from, sizeof *from);
    if (!to)
        return NULL;
    w->types[w->type_count].from = from;
    w->types[w->type_count++].to = to;
    to->of = keep_type(w, from->of);
    to->members = keep_members(w, from);
    to->enumerators = keep_enumerators(w, from);
    return to;
}

static void keep_value(struct writing *w, struct rdl__mock_value *value)
{
    value->name = keep_text(w, value->name);
    value->type_name = keep_text(w, value->type_name);
    value->type = keep_type(w, value->type);
    value->mask = keep(w, value->mask, value->size);
}

/* Of the prototype, only where things are passed is used any more. */
static void keep_prototype(struct writing *w, struct rdl__prototype *p)
{
    struct rdl__parameter *parameters = keep(w, p->parameters, p->count * sizeof *parameters);

    for (uint32_t i = 0; parameters && i < p->count; i++) {
        parameters[i].name = parameters[i].type_name = "";
        parameters[i].type = keep_type(w, parameters[i].type);
    }
    p->name = p->returns_name = p->refusal = "";
    p->parameters = parameters;
    p->returns = keep_type(w, p->returns);
}

static struct page *write_page(struct writing *w, const struct rdl__mocked *from)
{
    struct page *page = get(w, sizeof *page);
    struct rdl__mocked *to = page ? &page->function : NULL;

    if (!page)
        return NULL;
    *to = *from;
    to->place = (char *)keep_text(w, from->place);
    to->unreached = keep_text(w, from->unreached);
    to->parameters =
        keep(w, from->parameters, (from->prototype.count + 1) * sizeof *from->parameters);
    to->entries = keep(w, from->entries, from->entry_count * sizeof *from->entries);
    for (uint32_t i = 0; to->parameters && i < from->prototype.count; i++)
        keep_value(w, &to->parameters[i]);
    keep_value(w, &to->result);
    keep_prototype(w, &to->prototype);
    return w->is_full ? NULL : page;
}

static struct chapter *begin_chapter(struct writing *w, const struct rdl__code_range *own,
                                     size_t own_count)
{
    struct chapter *chapter = get(w, sizeof *chapter);

    if (chapter && (chapter->own = keep(w, own, own_count * sizeof *own)))
        chapter->own_count = own_count;
    return chapter;
}

void rdl__book_write(const struct rdl__mocked *function, const struct rdl__code_range *own,
                     size_t own_count)
{
    struct writing *w;
    struct rdl__room room;
    struct chapter **chapter;
    struct page *page;

    for (size_t i = 0; i < function->entry_count; i++)
        if (!rdl__book_knows(function->entries[i].detour.address))
            return;
    if (!rdl__book_lock(&room))
        return;
    w = rdl__allocate(sizeof *w);
    w->room = room;
    chapter = (struct chapter **)rdl__book_chapter(RDL__BOOK_FUNCTIONS);
    if (!*chapter)
        *chapter = begin_chapter(w, own, own_count);
    page = *chapter ? write_page(w, function) : NULL;
    if (page) {
        page->next = (*chapter)->first;
        (*chapter)->first = page;
    }
    rdl__book_unlock(&w->room);
    free(w);
}

/* ---- Reading -------- */

/* What is in it stays as it is. */
static const struct chapter *chapter_now(void)
{
    const struct chapter *chapter;
    struct rdl__room room;

    if (!rdl__book_lock(&room))
        return NULL;
    chapter = *rdl__book_chapter(RDL__BOOK_FUNCTIONS);
    rdl__book_unlock(&room);
    return chapter;
}

static const struct page *page_of(const char *place)
{
    const struct chapter *chapter = chapter_now();
    const struct page *page = chapter ? chapter->first : NULL;

    while (page && strcmp(page->function.place, place) != 0)
        page = page->next;
    return page;
}

bool rdl__book_has(const char *place)
{
    return page_of(place) != NULL;
}

struct rdl__mocked *rdl__book_read(const char *place)
{
    const struct page *page = page_of(place);
    struct rdl__mocked *function;

    if (!page)
        return NULL;
    function = rdl__allocate(sizeof *function);
    *function = page->function;
    function->place = rdl__duplicate(place);
    function->entries = rdl__allocate(function->entry_count * sizeof *function->entries);
    for (size_t i = 0; i < function->entry_count; i++) {
        function->entries[i] = page->function.entries[i];
        function->entries[i].function = function;
    }
    return function;
}

const struct rdl__code_range *rdl__book_own_code(size_t *out_count)
{
    const struct chapter *chapter = chapter_now();

    *out_count = chapter ? chapter->own_count : 0;
    return chapter ? chapter->own : NULL;
}
