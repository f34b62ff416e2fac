/* statics.c -- the static variables of the code under test, put back to what they were.
 *
 * Invariant: ranges are sorted, none overlaps another, and each has its copy; the areas that are
 *            watched are whole pages, sorted, and hold all ranges. */
#include "port/statics.h"

#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/apart.h"
#include "base/memory.h"
#include "port/coverage.h"
#include "port/dirty.h"
#include "port/heap.h"
#include "port/kernel.h"
#include "port/modules.h"
#include "port/sections.h"

enum {
    PAGE = 4096,
    WHOLE_MAX = 8 << 10,      /* copying as much as this costs less than asking which pages */
    UNWATCHED_MAX = 64 << 20, /* copying more each time would take longer than most executions */
    FORGET_AFTER = 4096, /* restorations; a page that is written now and then is copied always */
    MET_KEPT = 8192,
    FRAMES_MAX = 1 << 20, /* copying more each time would take longer than most executions */
};

#define NOT_SANITIZED __attribute__((no_sanitize("address", "undefined")))

struct range {
    char *start, *end;
    char *copy;
};

struct area {
    char *start, *end;
};

struct piece {
    char *at;
    const char *copy;
    size_t size;
};

const char *rdl__statics_problem;
bool rdl__statics_are_ours;

static struct range *ranges;
static size_t range_count, range_room;
static struct area *areas; /* that are watched; none: all is copied */
static size_t area_count;
static struct piece *pieces; /* to be copied back */
static size_t piece_count, piece_room;
static char *copies;
static size_t copies_size;
static bool some_are_kept; /* as RDL_KEEP says; so executions may differ by them */
static uint64_t restorations;
static uint64_t met[MET_KEPT]; /* executions all of whose pages are among the pieces */
static char problem[96];

/* Lies where our variables do. */
static char mark = 1;

/* Besides run-time libraries. */
static const char *const left_alone[] = {"libraddle.so"};

/* Sections that are not the program's variables. */
static const char *const not_variables[] = {
    ".got", ".plt",    ".init_array", ".fini_array",  ".dynamic", ".eh_frame", ".tm_clone_table",
    "rdl_", "__llvm_", "__sancov_",   "asan_globals",
};

extern const char *__asan_locate_address(void *address, char *name, size_t room, void **out_start,
                                         size_t *out_size) __attribute__((weak));
extern void __asan_init(void) __attribute__((weak));
extern void __msan_init(void) __attribute__((weak));
extern void __hwasan_init(void) __attribute__((weak));

static bool begins_with_any(const char *name, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strncmp(name, words[i], strlen(words[i])) == 0)
            return true;
    return false;
}

#define BEGINS_WITH_ANY(name, words) begins_with_any(name, words, sizeof words / sizeof *words)

static const char *base_name(const struct dl_phdr_info *module)
{
    const char *slash = strrchr(module->dlpi_name, '/');

    return slash ? slash + 1 : module->dlpi_name;
}

static void give_up(const struct dl_phdr_info *module, const char *why)
{
    const char *name = base_name(module);

    snprintf(problem, sizeof problem, "static variables of %s keep their values, %s",
             *name ? name : "the program", why);
    rdl__statics_problem = problem;
}

/* ---- Which ranges -------------------------------------------------------------------------- */

/* One module at a time. */
struct module {
    size_t first; /* of its ranges */
    bool has_us;  /* our variables are among its own */
};

static void add(char *start, char *end)
{
    if (start >= end)
        return;
    if (range_count == range_room) {
        range_room = 2 * range_room + 16;
        ranges = rdl__reallocate(ranges, range_room * sizeof *ranges);
    }
    ranges[range_count++] = (struct range){start, end, NULL};
}

static void add_section(void *context, const char *name, char *start, size_t size, bool is_zero)
{
    struct module *module = context;

    (void)is_zero;
    some_are_kept |= strcmp(name, "rdl__keep") == 0;
    if (BEGINS_WITH_ANY(name, not_variables))
        return;
    if (&mark >= start && &mark < start + size)
        module->has_us = true;
    add(start, start + size);
}

static bool covers(const struct dl_phdr_info *module, const void *address)
{
    for (int i = 0; i < module->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &module->dlpi_phdr[i];
        const char *start = (const char *)(module->dlpi_addr + part->p_vaddr);

        if (part->p_type == PT_LOAD && (const char *)address >= start &&
            (const char *)address < start + part->p_memsz)
            return true;
    }
    return false;
}

/* clang links these into the program.  (The one for undefined behaviour is harmless: its
 * variables can be put back like any other.) */
static bool has_sanitizer(const struct dl_phdr_info *module)
{
    return (__asan_init && covers(module, (void *)__asan_init)) ||
           (__msan_init && covers(module, (void *)__msan_init)) ||
           (__hwasan_init && covers(module, (void *)__hwasan_init));
}

/* Does any of these variables refer to the heap?  The block there would not be put back. */
NOT_SANITIZED static bool refers_to_heap(size_t first)
{
    void *start;
    size_t size;
    char name[8];

    for (size_t i = first; __asan_locate_address && i < range_count; i++)
        for (void **at = (void **)(((uintptr_t)ranges[i].start + 7) & ~(uintptr_t)7);
             (char *)(at + 1) <= ranges[i].end; at++) {
            void *word = *(void *volatile *)at;

            if ((uintptr_t)word >= PAGE &&
                strcmp(__asan_locate_address(word, name, sizeof name, &start, &size), "heap") == 0)
                return true;
        }
    return false;
}

/* Thread-local variables of the thread that calls, which is thread 0 of each execution. */
static void add_thread_local(const struct dl_phdr_info *module)
{
    for (int i = 0; i < module->dlpi_phnum; i++)
        if (module->dlpi_phdr[i].p_type == PT_TLS && module->dlpi_tls_data)
            add(module->dlpi_tls_data,
                (char *)module->dlpi_tls_data + module->dlpi_phdr[i].p_memsz);
}

static int look_into(struct dl_phdr_info *module, size_t size, void *it)
{
    struct module this = {.first = range_count};
    const char *why = NULL;
    bool is_program = !module->dlpi_name[0];

    (void)size;
    (void)it;
    if ((!is_program && !strchr(module->dlpi_name, '/')) ||
        rdl__module_is_runtime(module->dlpi_name) ||
        rdl__module_is_one_of(module->dlpi_name, left_alone,
                              sizeof left_alone / sizeof *left_alone) ||
        (is_program && rdl__statics_are_ours))
        return 0;
    if (!rdl__sections_each(module, add_section, &this))
        why = "because its file cannot be read";
    else if (this.has_us && is_program)
        why = "which are mixed with Raddle's";
    else if (has_sanitizer(module))
        why = "which are mixed with a sanitizer's";
    else if (refers_to_heap(this.first))
        why = "since some refer to a sanitizer's heap";
    if (why)
        give_up(module, why);
    if (why || this.has_us)
        range_count = this.first;
    else
        add_thread_local(module);
    return 0;
}

static int compare(const void *left, const void *right)
{
    const struct range *a = left, *b = right;

    return a->start < b->start ? -1 : a->start > b->start;
}

/* Counters of coverage go on counting. */
static void leave_out(void *start, size_t size)
{
    char *from = start, *to = from + size;

    for (size_t i = 0; i < range_count; i++) {
        struct range *range = &ranges[i];

        if (from >= range->end || to <= range->start)
            continue;
        if (to < range->end) {
            char *end = range->end;

            range->end = to; /* add() may move it */
            add(to, end);
            range = &ranges[i];
        }
        range->end = from > range->start ? from : range->start;
    }
}

static size_t drop_empty(void)
{
    size_t kept = 0, total = 0;

    for (size_t i = 0; i < range_count; i++)
        if (ranges[i].start < ranges[i].end) {
            total += (size_t)(ranges[i].end - ranges[i].start);
            ranges[kept++] = ranges[i];
        }
    range_count = kept;
    return total;
}

/* ---- Copies -------------------------------------------------------------------------------- */

/* Between the variables of code that AddressSanitizer instruments lie bytes that memcpy(), which
 * is the sanitizer's then, may not touch. */
static void copy(char *to, const char *from, size_t size)
{
    if (__asan_init)
        __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(size) : : "memory");
    else
        memcpy(to, from, size);
}

NOT_SANITIZED static bool is_zero(const char *from, size_t size)
{
    for (; size > 0 && ((uintptr_t)from % 8 != 0 || size < 8); from++, size--)
        if (*(const volatile char *)from)
            return false;
    for (; size >= 8; from += 8, size -= 8)
        if (*(const volatile uint64_t *)from)
            return false;
    return size == 0 || is_zero(from, size);
}

/* Pages of zeroes are left as they are: the copy begins as zeroes. */
static void copy_what_is_not_zero(const struct range *range)
{
    for (char *from = range->start; from < range->end;) {
        size_t rest = (size_t)(range->end - from), size = PAGE - (uintptr_t)from % PAGE;

        size = size < rest ? size : rest;
        if (!is_zero(from, size))
            copy(range->copy + (from - range->start), from, size);
        from += size;
    }
}

static bool make_copies(size_t total)
{
    char *at;

    copies_size = total;
    copies = at = rdl__map(total, MAP_PRIVATE | MAP_NORESERVE);
    if (!copies)
        return false;
    for (size_t i = 0; i < range_count; i++) {
        ranges[i].copy = at;
        copy_what_is_not_zero(&ranges[i]);
        at += ranges[i].end - ranges[i].start;
    }
    return true;
}

static char *page_of(char *at)
{
    return at - (uintptr_t)at % PAGE;
}

static void join_into_areas(void)
{
    areas = rdl__allocate(range_count * sizeof *areas);
    for (size_t i = 0; i < range_count; i++) {
        char *start = page_of(ranges[i].start), *end = page_of(ranges[i].end + PAGE - 1);

        if (area_count > 0 && start <= areas[area_count - 1].end)
            areas[area_count - 1].end = end;
        else
            areas[area_count++] = (struct area){start, end};
    }
}

static void stop_watching(void)
{
    free(areas);
    areas = NULL;
    area_count = 0;
}

static void watch(void)
{
    join_into_areas();
    for (size_t i = 0; i < area_count; i++)
        if (!rdl__dirty_watch(areas[i].start, (size_t)(areas[i].end - areas[i].start))) {
            stop_watching();
            return;
        }
}

/* ---- Putting back -------------------------------------------------------------------------- */

/* All memory whose protection an execution has changed lies in here. */
static struct area guarded;

void rdl__statics_protected(void *start, size_t size)
{
    char *from = page_of(start), *to = page_of((char *)start + size + PAGE - 1);

    if (!guarded.end || from < guarded.start)
        guarded.start = from;
    if (to > guarded.end)
        guarded.end = to;
}

static void unprotect(char *start, char *end)
{
    start = page_of(start) > guarded.start ? page_of(start) : guarded.start;
    end = page_of(end + PAGE - 1) < guarded.end ? page_of(end + PAGE - 1) : guarded.end;
    if (start < end)
        rdl__kernel(SYS_mprotect, (long)start, end - start, PROT_READ | PROT_WRITE, 0, 0, 0);
}

/* Variables and blocks of the heap were writable, or they would not be put back. */
static void unprotect_all(void)
{
    char *start, *end;

    for (size_t i = 0; i < range_count; i++)
        unprotect(ranges[i].start, ranges[i].end);
    if (rdl__heap_extent(&start, &end))
        unprotect(start, end);
    guarded = (struct area){0};
}

static void copy_back(const struct piece *piece)
{
    copy(piece->at, piece->copy, piece->size);
}

static void add_piece(const struct range *range, char *from, char *to)
{
    from = from > range->start ? from : range->start;
    to = to < range->end ? to : range->end;
    if (piece_count == piece_room) {
        piece_room = 2 * piece_room + 16;
        pieces = rdl__reallocate(pieces, piece_room * sizeof *pieces);
    }
    pieces[piece_count++] =
        (struct piece){from, range->copy + (from - range->start), (size_t)(to - from)};
}

/* Pages come in the order of their addresses: context is the first range that may be in them. */
static void add_pages(void *context, char *from, char *to)
{
    size_t *next = context;

    while (*next < range_count && ranges[*next].end <= from)
        ++*next;
    for (size_t i = *next; i < range_count && ranges[i].start < to; i++)
        add_piece(&ranges[i], from, to);
}

static void add_all(void)
{
    piece_count = 0;
    for (size_t i = 0; i < range_count; i++)
        add_piece(&ranges[i], ranges[i].start, ranges[i].end);
}

/* The pages that were ever written to are the pieces to be copied. */
static void find_written(void)
{
    size_t next = 0;

    piece_count = 0;
    for (size_t i = 0; i < area_count; i++)
        if (!rdl__dirty_each(areas[i].start, (size_t)(areas[i].end - areas[i].start), add_pages,
                             &next)) {
            stop_watching();
            add_all();
            return;
        }
}

static void forget_written(void)
{
    memset(met, 0, sizeof met);
    for (size_t i = 0; i < area_count; i++)
        rdl__dirty_forget(areas[i].start, (size_t)(areas[i].end - areas[i].start));
    piece_count = 0;
}

/* Where the loader began; arguments and environment follow (control/sched/undo.c). */
extern void *__libc_stack_end;

/* Apart from the ranges: to watch a part of a stack would make two mappings of it, and the C
 * library would take the upper one for the whole. */
static struct range frames;

void rdl__statics_frames(void *from)
{
    frames.start = from;
    frames.end = __libc_stack_end;
    if (frames.start > frames.end)
        frames.start = frames.end; /* another thread's */
}

static void forget_all(void)
{
    if (copies)
        rdl__unmap(copies, copies_size);
    copies = NULL;
    range_count = piece_count = 0;
    memset(met, 0, sizeof met);
    some_are_kept = false;
    stop_watching();
    rdl__statics_problem = NULL;
    free(frames.copy);
    frames.copy = NULL;
}

/* Variables refer to blocks of the heap: put back the ones without the others, and they would not
 * fit together. */
static bool is_consistent(void)
{
    return rdl__heap_is_on || __asan_locate_address;
}

static void save_frames(void)
{
    size_t size = (size_t)(frames.end - frames.start);

    if (size > FRAMES_MAX)
        rdl__statics_problem = "variables of main keep their values, because there are too many";
    else if (size > 0 && (frames.copy = rdl__allocate(size)))
        copy(frames.copy, frames.start, size);
}

static void restore_frames(void)
{
    if (frames.copy)
        copy(frames.start, frames.copy, (size_t)(frames.end - frames.start));
}

static void find_ranges(void)
{
    char *start, *end;

    rdl__coverage_prepare();
    dl_iterate_phdr(look_into, NULL);
    rdl__coverage_each(leave_out);
    rdl__heap_save(&start, &end);
    add(start, end);
}

void rdl__statics_save(void)
{
    size_t total;

    forget_all();
    if (!is_consistent()) {
        rdl__statics_problem = "static variables keep their values, since the heap is not Raddle's";
        return;
    }
    save_frames();
    find_ranges();
    total = drop_empty();
    if (range_count == 0)
        return;
    qsort(ranges, range_count, sizeof *ranges, compare);
    if (total > WHOLE_MAX)
        watch();
    if ((total > UNWATCHED_MAX && !areas) || !make_copies(total)) {
        forget_all();
        rdl__statics_problem = "static variables keep their values, because there are too many";
    } else if (!areas) {
        add_all();
    }
}

/* The kernel's answer takes a third of a short execution's time; and most of these are repeated. */
static bool has_grown(uint64_t execution)
{
    uint64_t *place = &met[execution % MET_KEPT];

    if (execution && *place == execution && !some_are_kept)
        return false;
    *place = execution;
    return rdl__dirty_has_grown();
}

bool rdl__statics_are_watched(void)
{
    return areas != NULL;
}

void rdl__statics_restore(uint64_t execution)
{
    if (guarded.end)
        unprotect_all();
    rdl__heap_restore();
    if (areas && has_grown(execution))
        find_written();
    for (size_t i = 0; i < piece_count; i++)
        copy_back(&pieces[i]);
    restore_frames();
    if (areas && ++restorations % FORGET_AFTER == 0)
        forget_written();
}
