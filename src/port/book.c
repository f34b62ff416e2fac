/* book.c -- what one process of a run finds out, all others know. */
#include "port/book.h"

#include <link.h>
#include <sys/mman.h>

#include "base/apart.h"

enum {
    SIZE = 256 << 20, /* none is used before it is needed */
    SEARCH_ROOM = 16 << 20,
    MODULES_MAX = 256
};

struct book {
    int lock;
    size_t used; /* of the bytes; invariant: those behind it are 0 */
    void *chapters[RDL__BOOK_CHAPTERS];
    struct {
        uintptr_t start, end;
    } modules[MODULES_MAX];
    size_t module_count;
    _Alignas(16) char bytes[];
};

static struct book *book;

static int add_module(struct dl_phdr_info *info, size_t size, void *unused)
{
    uintptr_t start = UINTPTR_MAX, end = 0;

    (void)size;
    (void)unused;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        uintptr_t at = info->dlpi_addr + part->p_vaddr;

        if (part->p_type != PT_LOAD)
            continue;
        start = at < start ? at : start;
        end = at + part->p_memsz > end ? at + part->p_memsz : end;
    }
    if (start < end && book->module_count < MODULES_MAX) {
        book->modules[book->module_count].start = start;
        book->modules[book->module_count++].end = end;
    }
    return 0;
}

void rdl__book_open(void)
{
    if (book)
        return;
    book = rdl__map(SIZE, MAP_SHARED | MAP_NORESERVE);
    if (book)
        dl_iterate_phdr(add_module, NULL);
}

bool rdl__book_knows(uintptr_t address)
{
    for (size_t i = 0; book && i < book->module_count; i++)
        if (address >= book->modules[i].start && address < book->modules[i].end)
            return true;
    return false;
}

/* A worker may be killed while it has the lock: then nobody has it any more. */
bool rdl__book_lock(struct rdl__room *out_rest)
{
    if (!book || __atomic_exchange_n(&book->lock, 1, __ATOMIC_ACQUIRE))
        return false;
    *out_rest = (struct rdl__room){book->bytes + book->used, (char *)book + SIZE};
    return true;
}

void rdl__book_unlock(const struct rdl__room *rest)
{
    book->used = (size_t)(rest->next - book->bytes);
    __atomic_store_n(&book->lock, 0, __ATOMIC_RELEASE);
}

bool rdl__book_has_room(const struct rdl__room *rest)
{
    return rest->end - rest->next >= SEARCH_ROOM;
}

void **rdl__book_chapter(enum rdl__chapter chapter)
{
    return &book->chapters[chapter];
}
