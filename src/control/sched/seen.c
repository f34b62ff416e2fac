/* seen.c -- which code tells of its accesses to memory.
 *
 * Interface:  rdl__is_seen says it of an address; modules that `raddle cc` compiled hand over
 *             their tables when they are loaded (filter/tables.h).
 * Invariant:  ranges are sorted and do not overlap.  `others` are the modules that were loaded
 *             when the ranges were made and are not known as a whole.
 * Memory:     both arrays grow and are never freed. */
#include "control/sched/seen.h"

#include <dlfcn.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "control/sched/inner.h"
#include "control/sched/next.h"
#include "control/sched/track.h"
#include "control/sched/unseen.h"
#include "filter/tables.h"
#include "port/hook_enter.h"
#include "port/lines.h"
#include "port/modules.h"

RDL__ASKED_FOR(seen);

bool rdl__see_all;
unsigned rdl__closing;
uintptr_t rdl__first_entry;
uintptr_t rdl__seen_kept[RDL__SEEN_KEPT];
uintptr_t rdl__plain_kept[RDL__SEEN_KEPT];

struct range {
    uintptr_t start, size;
};

struct ranges {
    struct range *all;
    uint32_t count, room;
};

static struct ranges ranges, others;
/* Parts of the first: Raddle's, what raddle cc compiled, and libraries of sanitizers. */
static struct ranges own, instrumented, sanitizers;
static struct ranges first; /* modules that are there when the first execution begins */
static const struct rdl__tables **modules;
static uint32_t module_count;
static unsigned long long loads; /* of modules, as the loader counts them, when it was made */
static bool is_stale = true;

/* Functions that threads were started with. */
enum { STARTERS = 16 };
static struct starter {
    uintptr_t function;
    bool is_of_cxx; /* std::thread's, which calls a virtual one of the object it is given */
} starters[STARTERS];

/* ---- Ranges -------------------------------------------------------------------------------- */

static void add(struct ranges *to, uintptr_t start, uintptr_t size)
{
    if (size == 0)
        return;
    if (to->count == to->room) {
        to->room = to->room ? to->room * 2 : 64;
        to->all = rdl__reallocate(to->all, to->room * sizeof *to->all);
    }
    to->all[to->count++] = (struct range){start, size};
}

static int compare(const void *a, const void *b)
{
    const struct range *left = a, *right = b;

    return (left->start > right->start) - (left->start < right->start);
}

/* Nothing but what compilers and linkers fill gaps between functions with?  Whole instructions
 * that do nothing; nothing that could be a function. */
static bool is_filling(const uint8_t *from, const uint8_t *to)
{
    while (from < to) {
        size_t prefixes = 0;

        while (from + prefixes < to && (from[prefixes] == 0x66 || from[prefixes] == 0x2e))
            prefixes++;
        from += prefixes;
        if (from < to && (*from == 0x90 || *from == 0xcc || *from == 0)) {
            from++;
        } else if (to - from >= 3 && from[0] == 0x0f && from[1] == 0x1f) {
            uint8_t mode = from[2] >> 6, rm = from[2] & 7; /* of its operand, which is not used */

            from += 3 + (rm == 4) + (mode == 1 ? 1 : mode == 2 ? 4 : 0);
        } else {
            return false;
        }
    }
    return true;
}

/* Neighbours become one, so that there are few. */
static void unite(struct ranges *these)
{
    enum { GAP_MAX = 64 };
    uint32_t count = 0;

    qsort(these->all, these->count, sizeof *these->all, compare);
    for (uint32_t i = 0; i < these->count; i++) {
        struct range *next = &these->all[i];
        struct range *last = count ? &these->all[count - 1] : NULL;
        uintptr_t end = last ? last->start + last->size : 0;

        if (last && next->start < end + GAP_MAX &&
            (next->start <= end || is_filling((uint8_t *)end, (uint8_t *)next->start))) {
            if (next->start + next->size > end)
                last->size = next->start + next->size - last->start;
        } else {
            these->all[count++] = *next;
        }
    }
    these->count = count;
}

static const struct range *find(const struct ranges *in, uintptr_t address)
{
    uint32_t low = 0, high = in->count;

    while (low < high) {
        uint32_t middle = (low + high) / 2;

        if (address - in->all[middle].start < in->all[middle].size)
            return &in->all[middle];
        if (address < in->all[middle].start)
            high = middle;
        else
            low = middle + 1;
    }
    return NULL;
}

/* ---- Modules ------------------------------------------------------------------------------- */

/* Is the file where compilers and packages put libraries?  A library of the program's own may have
 * any name. */
static bool is_of_system(const char *path)
{
    static const char *const folders[] = {"/lib", "/usr/", "/opt/", "/nix/", "/gnu/"};

    if (!strchr(path, '/') || rdl__module_is_named(path, "libraddle.so"))
        return true;
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        if (strncmp(path, folders[i], strlen(folders[i])) == 0)
            return true;
    return false;
}

/* Libraries whose functions are known one by one, or that Raddle follows by other means. */
bool rdl__is_known_library(const char *path)
{
    static const char *const names[] = {
        "libc.so",     "libm.so",     "libpthread.so",      "libdl.so",      "librt.so",
        "libmvec.so",  "libgcc_s.so", "libstdc++.so",       "libasan.so",    "libubsan.so",
        "liblsan.so",  "libgomp.so",  "ld-linux-x86-64.so", "linux-vdso.so", "libresolv.so",
        "libutil.so",  "libc++.so",   "libc++abi.so",       "libunwind.so",  "libanl.so",
        "libraddle.so"};

    return rdl__module_is_one_of(path, names, sizeof names / sizeof *names) && is_of_system(path);
}

static bool is_sanitizer(const char *path)
{
    static const char *const names[] = {"libasan.so", "libubsan.so",  "liblsan.so",  "libtsan.so",
                                        "libmsan.so", "libhwasan.so", "libclang_rt."};

    return rdl__module_is_one_of(path, names, sizeof names / sizeof *names);
}

static int add_module(struct dl_phdr_info *info, size_t size, void *out)
{
    bool *cxx_is_seen = out;
    bool is_known = rdl__is_known_library(info->dlpi_name) &&
                    (*cxx_is_seen || !rdl__is_library_of_cxx(info->dlpi_name));

    (void)size;
    loads = info->dlpi_adds + info->dlpi_subs;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];

        if (header->p_type != PT_LOAD || !(header->p_flags & PF_X))
            continue;
        add(is_known ? &ranges : &others, info->dlpi_addr + header->p_vaddr, header->p_memsz);
        if (is_sanitizer(info->dlpi_name)) /* it calls for the program, too */
            add(&sanitizers, info->dlpi_addr + header->p_vaddr, header->p_memsz);
    }
    return 0;
}

static int add_first(struct dl_phdr_info *info, size_t size, void *unused)
{
    (void)size;
    (void)unused;
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_LOAD)
            add(&first, info->dlpi_addr + info->dlpi_phdr[i].p_vaddr, info->dlpi_phdr[i].p_memsz);
    return 0;
}

static int count_loads(struct dl_phdr_info *info, size_t size, void *out)
{
    (void)size;
    *(unsigned long long *)out = info->dlpi_adds + info->dlpi_subs;
    return 1;
}

static void add_table(struct ranges *to, const struct rdl__table_range *from,
                      const struct rdl__table_range *end)
{
    for (; from < end; from++) {
        uintptr_t start = (uintptr_t)&from->start + (uintptr_t)(intptr_t)from->start;

        add(&ranges, start, from->size);
        add(to, start, from->size);
    }
}

/* Raddle's own code, be it a library or part of the program. */
extern const struct rdl__table_range own_begin[] __asm__("__start_rdl_own")
    __attribute__((visibility("hidden")));
extern const struct rdl__table_range own_end[] __asm__("__stop_rdl_own")
    __attribute__((visibility("hidden")));

static void forget_places(void)
{
    memset(rdl__seen_kept, 0, sizeof rdl__seen_kept);
    memset(rdl__plain_kept, 0, sizeof rdl__plain_kept);
    memset(starters, 0, sizeof starters);
}

static void make_ranges(void)
{
    bool cxx_is_seen = !rdl__cxx_is_used_unseen(modules, module_count);

    ranges.count = others.count = own.count = instrumented.count = sanitizers.count = 0;
    forget_places();
    dl_iterate_phdr(add_module, &cxx_is_seen);
    add_table(&own, own_begin, own_end);
    add(&own, (uintptr_t)__start_rdl_entry, (uintptr_t)(__stop_rdl_entry - __start_rdl_entry));
    add(&ranges, (uintptr_t)__start_rdl_entry, (uintptr_t)(__stop_rdl_entry - __start_rdl_entry));
    for (uint32_t i = 0; i < module_count; i++)
        add_table(&instrumented, modules[i]->ranges, modules[i]->ranges_end);
    unite(&ranges);
    unite(&others);
    unite(&own);
    unite(&instrumented);
    unite(&sanitizers);
    is_stale = false;
    rdl__unseen_forget();
    for (uint32_t i = 0; i < module_count; i++)
        rdl__unseen_mark(modules[i]);
}

/* True: modules have come or gone since the ranges were made. */
static bool make_again(void)
{
    unsigned long long now = 0;

    dl_iterate_phdr(count_loads, &now);
    if (!is_stale && now == loads)
        return false;
    make_ranges();
    return true;
}

void rdl__seen_is_stale(void)
{
    is_stale = true;
    forget_places();
}

/* Modules that come in other ways than by dlopen are met when their code is not found. */
void rdl__seen_begin(void)
{
    static bool prepared;

    if (!prepared) {
        rdl__hook_enter_prepare();
        dl_iterate_phdr(add_first, NULL);
        qsort(first.all, first.count, sizeof *first.all, compare);
    }
    prepared = true;
    if (is_stale)
        make_again();
}

bool rdl__is_code(uintptr_t address)
{
    return find(&ranges, address) || find(&others, address);
}

RDL__INTERPOSE void rdl__module_loaded(const struct rdl__tables *tables)
{
    if (tables->version != RDL__TABLES_VERSION)
        return; /* what it says cannot be read: its code is not seen */
    modules = rdl__reallocate(modules, (module_count + 1) * sizeof *modules);
    modules[module_count++] = tables;
    is_stale = true;
    forget_places();
    if (rdl__running)
        make_ranges();
}

/* At the end of the process modules say so, too; but their code stays, and threads that are alive
 * go on in it. */
RDL__INTERPOSE void rdl__module_unloaded(const struct rdl__tables *tables)
{
    uint32_t count = 0;

    if (!rdl__closing)
        return;
    for (uint32_t i = 0; i < module_count; i++)
        if (modules[i] != tables)
            modules[count++] = modules[i];
    module_count = count;
    is_stale = true;
    forget_places();
}

/* ---- Questions ----------------------------------------------------------------------------- */

bool rdl__is_seen_slowly(uintptr_t pc)
{
    const struct range *found;
    uintptr_t code = rdl__place_code(pc);

    if (pc == 0)
        return true;
    if (rdl__see_all)
        return true;
    if (is_stale)
        make_ranges();
    found = find(&ranges, code);
    if (!found && !find(&others, code) && make_again())
        found = find(&ranges, code);
    if (found)
        rdl__seen_kept[pc % RDL__SEEN_KEPT] = pc;
    return found != NULL;
}

bool rdl__is_own(uintptr_t pc)
{
    if (is_stale)
        make_ranges();
    return find(&own, pc - 1);
}

/* clang makes its sanitizers part of the program, where they look like any other plain code. */
extern void __asan_init(void) __attribute__((weak));

static bool asan_is_part_of_program(void)
{
    static int known = -1;
    Dl_info found;

    if (known < 0)
        known = __asan_init && dladdr((void *)__asan_init, &found) && found.dli_fname &&
                !is_sanitizer(found.dli_fname);
    return known;
}

bool rdl__is_of_sanitizer(uintptr_t pc)
{
    if (asan_is_part_of_program())
        return !find(&ranges, pc - 1);
    return sanitizers.count > 0 && find(&sanitizers, pc - 1);
}

bool rdl__is_instrumented(uintptr_t pc)
{
    if (is_stale)
        make_ranges();
    return find(&instrumented, pc - 1);
}

/* The process that composes the report does not know modules which this one has loaded. */
static bool note_by_name(uintptr_t code)
{
    const char *name, *slash;
    Dl_info info;

    if (find(&first, code))
        return false;
    if (!rdl__is_code(code) || !dladdr((void *)code, &info) || !info.dli_fname) {
        rdl__limit(RDL__LIMIT_UNSEEN, "code generated at run time", "");
        return true;
    }
    slash = strrchr(info.dli_fname, '/');
    name = slash ? slash + 1 : info.dli_fname;
    rdl__limit(RDL__LIMIT_UNSEEN, info.dli_sname ? info.dli_sname : "a function", name);
    return true;
}

/* A fact is counted each time; where it stands in the list is looked up once. */
static void note_unseen(uintptr_t pc)
{
    enum { KEPT = 64 };
    static struct {
        uintptr_t pc;
        const void *summary;
        uint32_t at;
    } kept[KEPT];
    struct rdl__limits *limits = &rdl__sched.summary->limits;
    uint32_t slot = (uint32_t)(pc >> 2) % KEPT, at = kept[slot].at;

    if (kept[slot].pc == pc && at < limits->count && limits->all[at].pc == pc &&
        limits->all[at].kind == RDL__LIMIT_UNSEEN) {
        limits->all[at].count++;
        return;
    }
    if (note_by_name(rdl__place_code(pc)))
        return;
    rdl__limit_at(RDL__LIMIT_UNSEEN, pc);
    for (at = 0; at < limits->count; at++)
        if (limits->all[at].pc == pc) {
            kept[slot].pc = pc;
            kept[slot].at = at;
        }
}

void rdl__op_unseen(struct rdl__op *op)
{
    op->flags |= RDL__OP_WORLD;
    rdl__sched.summary->unseen = true;
    if (!rdl__is_alone())
        note_unseen(op->pc);
}

/* Is the place blamed on no other one, whichever thread is there, and whenever? */
static bool is_blamed_itself(uintptr_t pc)
{
    return !rdl__is_own(pc) && !rdl__is_openmp(pc) && !rdl__is_entry(pc);
}

void rdl__op_blame_slowly(const struct rdl__thread *self, struct rdl__op *op)
{
    uintptr_t pc = op->pc;

    op->pc = rdl__blamed(self, pc);
    if (!rdl__is_seen_for(op->pc))
        rdl__op_unseen(op);
    else if (op->pc == pc && rdl__instrumented && is_blamed_itself(pc))
        rdl__plain_kept[pc % RDL__SEEN_KEPT] = pc;
}

void rdl__after(struct rdl__thread *self, uintptr_t pc)
{
    if (rdl__sched.view.enabled_count > 1 && !rdl__is_plain(pc) &&
        !rdl__is_seen_for(rdl__blamed(self, pc)))
        rdl__point(self, &(struct rdl__op){.kind = RDL__OP_STEP, .pc = pc});
}

void rdl__world_meet(struct rdl__thread *self)
{
    if (rdl__races_on && !rdl__alone)
        rdl__order_assume(self->track);
}

/* Code of the program at this address, as if it were a return address. */
static uintptr_t inside(uintptr_t function)
{
    return function | RDL__TAIL_OF;
}

void rdl__op_enters(struct rdl__op *op, uintptr_t function)
{
    if (!function || rdl__is_seen(inside(function)))
        return;
    op->flags |= RDL__OP_WORLD;
    rdl__sched.summary->unseen = true;
    if (!rdl__is_alone())
        note_unseen(inside(function));
}

/* In a program of which nothing is instrumented, the operation before it serves as well. */
void rdl__entering(struct rdl__thread *self, uintptr_t function)
{
    if (rdl__instrumented && !rdl__is_seen(inside(function)))
        rdl__point(self, &(struct rdl__op){
                             .kind = RDL__OP_UNSEEN, .object = function, .pc = inside(function)});
}

static bool is_of_cxx(uintptr_t function)
{
    struct starter *starter = &starters[function / 16 % STARTERS];
    struct dl_find_object found;

    if (starter->function != function) {
        starter->function = function;
        starter->is_of_cxx = _dl_find_object((void *)function, &found) == 0 &&
                             rdl__module_is_named(found.dlfo_link_map->l_name, "libstdc++.so");
    }
    return starter->is_of_cxx;
}

/* The function that std::thread runs: the third one of the object, behind two destructors. */
static uintptr_t run_by(const struct rdl__thread *thread, uintptr_t function)
{
    enum { RUN = 2 };
    const uintptr_t *const *object = thread->argument;

    if (!is_of_cxx(function) || !object || !*object || !rdl__is_code((*object)[RUN]))
        return function;
    return (*object)[RUN];
}

void rdl__starts_with(struct rdl__thread *thread, uintptr_t function)
{
    struct rdl__op *op = &rdl__sched.view.ops[thread->id];

    thread->entry = function;
    op->flags &= (uint8_t)~RDL__OP_WORLD;
    rdl__op_enters(op, run_by(thread, function));
    rdl__op_enters(op, rdl__first_entry); /* it runs beside it */
}
