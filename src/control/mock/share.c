/* share.c -- what one process finds out about functions, all others of the run know.
 *
 * It is written into a book: memory that was shared before they were forked, so that it lies at the
 * same address in all of them, and pointers in it are good.  Nothing in it ever changes but the
 * lock and where it ends.  Libraries that were loaded later are left out: they may lie
 * elsewhere. */
#include "control/mock/share.h"

#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/apart.h"
#include "control/mock/mock.h"

enum { BOOK_SIZE = 64 << 20, MODULES_MAX = 256, TYPES_MAX = 2048 };

struct page {
    struct page *next;
    struct rdl__mocked function;
};

struct book {
    int lock;
    size_t used;
    struct page *first;
    const struct rdl__code_range *own; /* code of Raddle */
    size_t own_count;
    struct {
        uintptr_t start, end;
    } modules[MODULES_MAX];
    size_t module_count;
    char bytes[];
};

static struct book *book;

/* ---- Making it -------- */

static int add_module(struct dl_phdr_info *info, size_t size, void *unused)
{
    (void)size;
    (void)unused;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];

        if (part->p_type != PT_LOAD || !(part->p_flags & PF_X) || book->module_count == MODULES_MAX)
            continue;
        book->modules[book->module_count].start = info->dlpi_addr + part->p_vaddr;
        book->modules[book->module_count++].end = info->dlpi_addr + part->p_vaddr + part->p_memsz;
    }
    return 0;
}

void rdl__mock_share(void)
{
    if (book)
        return;
    book = rdl__map(BOOK_SIZE, MAP_SHARED | MAP_NORESERVE);
    if (book)
        dl_iterate_phdr(add_module, NULL);
}

static bool was_there(uintptr_t address)
{
    for (size_t i = 0; i < book->module_count; i++)
        if (address >= book->modules[i].start && address < book->modules[i].end)
            return true;
    return false;
}

/* A worker may be killed while it writes: then nobody else does, or reads. */
static bool lock(void)
{
    return book && !__atomic_exchange_n(&book->lock, 1, __ATOMIC_ACQUIRE);
}

static void unlock(void)
{
    __atomic_store_n(&book->lock, 0, __ATOMIC_RELEASE);
}

/* ---- Writing -------- */

/* What is being written, and whether there was room for all of it. */
struct writing {
    struct {
        const struct rdl__type *from;
        struct rdl__type *to;
    } types[TYPES_MAX];
    size_t type_count;
    bool is_full;
};

static void *get(struct writing *w, size_t size)
{
    size_t at = (book->used + 15) / 16 * 16;

    if (size > BOOK_SIZE - sizeof *book - at)
        w->is_full = true;
    if (w->is_full)
        return NULL;
    book->used = at + size;
    return book->bytes + at;
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

static void write_page(struct writing *w, const struct rdl__mocked *from)
{
    struct page *page = get(w, sizeof *page);
    struct rdl__mocked *to = page ? &page->function : NULL;

    if (!page)
        return;
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
    if (w->is_full)
        return;
    page->next = book->first;
    book->first = page;
}

void rdl__book_write(const struct rdl__mocked *function, const struct rdl__code_range *own,
                     size_t own_count)
{
    struct writing *w;
    size_t before;

    for (size_t i = 0; book && i < function->entry_count; i++)
        if (!was_there(function->entries[i].detour.address))
            return;
    if (!lock())
        return;
    w = rdl__allocate(sizeof *w);
    before = book->used;
    if (!book->own) {
        book->own = keep(w, own, own_count * sizeof *own);
        book->own_count = book->own ? own_count : 0;
        before = book->used;
    }
    write_page(w, function);
    if (w->is_full)
        book->used = before;
    free(w);
    unlock();
}

/* ---- Reading -------- */

static const struct page *page_of(const char *place)
{
    const struct page *page = NULL;

    if (!lock())
        return NULL;
    for (page = book->first; page && strcmp(page->function.place, place) != 0;)
        page = page->next;
    unlock();
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
    *out_count = book ? book->own_count : 0;
    return book ? book->own : NULL;
}
