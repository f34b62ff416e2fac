/* bind.c -- the C library's functions, in a program that defines functions of the same names.
 *
 * A reference is a slot that the dynamic linker fills: with the function's address, or with that
 * of code that looks for the function when it is called first.
 *
 * Until our references are bound, a function of the C library that is called here would be the
 * program's, which may call us, or count its calls.  So until then only the dynamic linker is
 * asked, for names that it knows, and what is in memory is read (dynamic.h).
 *
 * Invariant: only slots change by which a function of the program's is called. */
#include "port/bind.h"

#include <dlfcn.h>
#include <link.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>
#include <unwind.h>

#include "base/error.h"
#include "port/dynamic.h"
#include "port/kernel.h"
#include "port/modules.h"

enum { PAGE = 4096, NAME_ROOM = 200 };

#define WRAPPED   "__wrap_"
#define C_LIBRARY "libc.so.6"

/* What all sanitizers have. */
extern void __sanitizer_set_death_callback(void (*callback)(void)) __attribute__((weak));

static const struct link_map *ours; /* NULL: we are part of the program */
static struct rdl__dynamic our_object;
static bool has_libraries; /* the program: some that are neither ours nor the system's */

/* ---- Whose ----------------------------------------------------------------------------------- */

static const struct link_map *module_of(const void *address)
{
    struct dl_find_object found;

    return _dl_find_object((void *)(uintptr_t)address, &found) == 0 ? found.dlfo_link_map : NULL;
}

static bool is_of_allocator(const char *name)
{
    static const char *const names[] = {
        "malloc",        "free",    "calloc",         "realloc", "reallocarray",
        "aligned_alloc", "valloc",  "posix_memalign", "cfree",   "malloc_usable_size",
        "memalign",      "pvalloc",
    };

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (rdl__dynamic_same(name, names[i]))
            return true;
    return rdl__dynamic_begins(name, "_Z"); /* operator delete */
}

static bool is_preloaded(const char *path)
{
    const char *list = NULL;

    for (char **word = environ; word && *word && !list; word++)
        if (rdl__dynamic_begins(*word, "LD_PRELOAD="))
            list = *word + sizeof "LD_PRELOAD";
    while (list && *list) {
        char file[NAME_ROOM];
        size_t length = 0;

        for (; *list && *list != ':' && *list != ' '; list++)
            if (length < sizeof file - 1)
                file[length++] = *list;
        file[length] = '\0';
        if (length > 0 && rdl__dynamic_same(rdl__dynamic_file(path), rdl__dynamic_file(file)))
            return true;
        list += *list != '\0';
    }
    return false;
}

/* A sanitizer says by this name that its function comes before the C library's.  Only if there is
 * one: a search in vain allocates. */
static bool is_intercepted(const char *name)
{
    static const char prefix[] = "__interceptor_";
    char whole[NAME_ROOM];
    size_t length = 0;

    if (!__sanitizer_set_death_callback)
        return false;
    for (const volatile char *at = prefix; *at; at++)
        whole[length++] = *at;
    for (const volatile char *at = name; *at && length < sizeof whole - 1; at++)
        whole[length++] = *at;
    whole[length] = '\0';
    return dlsym(RTLD_DEFAULT, whole) != NULL;
}

/* Where a program that is not position independent takes a function's address, that is an entry
 * of the program's PLT for all.  (To ask takes a look at all symbols of the module.) */
static bool is_plt(const struct link_map *module, const void *function)
{
    const ElfW(Sym) *symbol = NULL;
    Dl_info info;

    return !*module->l_name &&
           dladdr1(function, &info, (void **)(uintptr_t)&symbol, RTLD_DL_SYMENT) && symbol &&
           symbol->st_shndx == SHN_UNDEF;
}

/* Not ours, nor of anybody who is meant to come before the C library. */
static bool is_of_program(const void *function, const char *name)
{
    const struct link_map *module = function ? module_of(function) : NULL;

    return module && module != ours && !is_plt(module, function) && !is_preloaded(module->l_name) &&
           !is_intercepted(name);
}

static bool is_of_runtime(const void *function)
{
    return rdl__module_is_runtime(module_of(function)->l_name);
}

/* ---- Choosing -------------------------------------------------------------------------------- */

/* What is, or will be, called by way of a slot. */
static const void *bound(const struct rdl__dynamic *object, const void *in_slot, const char *name)
{
    uintptr_t address = (uintptr_t)in_slot;

    return address >= object->start && address < object->end ? dlsym(RTLD_DEFAULT, name) : in_slot;
}

static const void *find_in(const char *library, const char *name, const char *version)
{
    const struct link_map *map = rdl__dynamic_library(library);
    const ElfW(Sym) *symbol = NULL;
    struct rdl__dynamic object;

    if (map && rdl__dynamic_read(map, &object))
        symbol = rdl__dynamic_find(&object, name, version);
    return symbol ? rdl__dynamic_function(&object, symbol) : NULL;
}

/* A function of the C library that we, or a library of ours, call.  One of ours that comes before
 * it calls the next one, which may be one of a library of the program's. */
static const void *by_us(const struct rdl__dynamic *object, size_t symbol, const void *in_slot)
{
    const char *name = object->names + object->symbols[symbol].st_name;
    struct rdl__dynamic_version version = rdl__dynamic_version(object, symbol);
    const struct link_map *module;
    const void *now;

    if (object->symbols[symbol].st_shndx != SHN_UNDEF || !version.name ||
        !rdl__dynamic_begins(version.name, "GLIBC_") || is_of_allocator(name))
        return NULL;
    now = bound(object, in_slot, name);
    module = now ? module_of(now) : NULL;
    if (module && module == ours && has_libraries)
        module = module_of(now = dlsym(RTLD_NEXT, name));
    if (!module || rdl__dynamic_same(rdl__dynamic_file(module->l_name), version.library) ||
        !is_of_program(now, name))
        return NULL;
    return find_in(version.library, name, version.name);
}

static bool is_name_of_ours(const char *name)
{
    return rdl__dynamic_begins(name, "rdl_") || rdl__dynamic_begins(name, WRAPPED) ||
           rdl__dynamic_begins(name, "Annotate");
}

/* A function of ours that comes before the C library's, called by ourselves. */
static const void *by_us_to_us(const struct rdl__dynamic *object, size_t number,
                               const void *in_slot)
{
    const ElfW(Sym) *symbol = &object->symbols[number];
    const char *name = object->names + symbol->st_name;
    const void *own = (const void *)(object->map->l_addr + symbol->st_value), *now = own, *next;

    if (symbol->st_shndx == SHN_UNDEF || is_name_of_ours(name) || is_of_allocator(name))
        return NULL;
    next = has_libraries ? dlsym(RTLD_NEXT, name) : NULL;
    if (is_of_program(next, name) && !is_of_runtime(next))
        return find_in(C_LIBRARY, name, NULL);
    if (in_slot != own)
        now = bound(object, in_slot, name);
    return is_of_program(now, name) && !is_of_runtime(now) ? own : NULL;
}

/* Ours may be one that only tells of the call and goes on to the next: those are weak. */
static bool is_told_of(const char *name)
{
    const ElfW(Sym) *symbol = rdl__dynamic_find(&our_object, name, NULL);

    return symbol && ELF64_ST_BIND(symbol->st_info) == STB_WEAK;
}

/* The program's own strcmp, called as __wrap_strcmp; or one of its libraries, called as strcmp. */
static const void *by_program(const struct rdl__dynamic *object, size_t symbol, const void *in_slot)
{
    const char *name = object->names + object->symbols[symbol].st_name;
    bool is_wrapped = rdl__dynamic_begins(name, WRAPPED);
    const void *own;

    (void)in_slot;
    name += is_wrapped ? sizeof WRAPPED - 1 : 0;
    if ((!is_wrapped && !has_libraries) || is_of_allocator(name) ||
        (!is_wrapped && !is_told_of(name)))
        return NULL;
    own = dlsym(RTLD_DEFAULT, name);
    if (own && module_of(own) == ours && has_libraries && is_told_of(name))
        own = dlsym(RTLD_NEXT, name);
    return is_of_program(own, name) && !is_of_runtime(own) ? own : NULL;
}

/* ---- Slots ----------------------------------------------------------------------------------- */

/* The function that a slot is to hold; NULL: it is as it should be. */
typedef const void *chooser(const struct rdl__dynamic *object, size_t symbol, const void *in_slot);

static void write_slot(const struct rdl__dynamic *object, const void **slot, const void *function)
{
    uintptr_t page = (uintptr_t)slot & ~(uintptr_t)(PAGE - 1);
    bool is_read_only = page >= object->read_only_start && page < object->read_only_end;

    rdl__bug_if((uintptr_t)slot < object->start || (uintptr_t)slot >= object->end);
    if (is_read_only &&
        rdl__kernel(SYS_mprotect, (long)page, PAGE, PROT_READ | PROT_WRITE, 0, 0, 0) < 0)
        return;
    *slot = function;
    if (is_read_only)
        rdl__kernel(SYS_mprotect, (long)page, PAGE, PROT_READ, 0, 0, 0);
}

static bool is_slot(const struct rdl__dynamic *object, const ElfW(Rela) * entry)
{
    size_t symbol = ELF64_R_SYM(entry->r_info);

    switch (ELF64_R_TYPE(entry->r_info)) {
    case R_X86_64_JUMP_SLOT:
    case R_X86_64_GLOB_DAT:
    case R_X86_64_64:
        return symbol > 0 && entry->r_addend == 0 &&
               ELF64_ST_TYPE(object->symbols[symbol].st_info) != STT_OBJECT;
    default:
        return false;
    }
}

static void bind_slots(const struct rdl__dynamic *object, chooser *choose)
{
    for (size_t i = 0; i < 2; i++)
        for (size_t at = 0; object->relocated[i] && at < object->counts[i]; at++) {
            const ElfW(Rela) *entry = &object->relocated[i][at];
            const void **slot = (const void **)(object->map->l_addr + entry->r_offset);
            const void *function;

            if (!is_slot(object, entry))
                continue;
            function = choose(object, ELF64_R_SYM(entry->r_info), *slot);
            if (function && function != *slot)
                write_slot(object, slot, function);
        }
}

static void bind(const struct link_map *map, chooser *choose)
{
    struct rdl__dynamic object;

    if (rdl__dynamic_read(map, &object))
        bind_slots(&object, choose);
}

static bool is_of_nobody_else(const struct link_map *map)
{
    return map != ours && !rdl__module_is_runtime(map->l_name);
}

/* ---- When ------------------------------------------------------------------------------------ */

void rdl__bind_all(void)
{
    const struct link_map *program = _r_debug.r_map, *unwinder;
    static bool begun;

    if (begun)
        return;
    begun = true;
    ours = module_of((const void *)rdl__bind_all);
    if (!ours || ours == program) {
        ours = NULL;
        return;
    }
    if (!rdl__dynamic_read(ours, &our_object))
        return;
    bind_slots(&our_object, by_us);
    for (const struct link_map *map = program->l_next; map; map = map->l_next)
        has_libraries |= is_of_nobody_else(map);
    bind_slots(&our_object, by_us_to_us);
    unwinder = module_of((const void *)_Unwind_Backtrace);
    if (unwinder && unwinder != program)
        bind(unwinder, by_us);
    for (const struct link_map *map = program; map; map = map->l_next)
        if (is_of_nobody_else(map))
            bind(map, by_program);
}

/* Before all other constructors of ours. */
__attribute__((constructor(101))) static void bind_first(void)
{
    rdl__bind_all();
}

const struct link_map *rdl__bind_last(void)
{
    const struct link_map *last = _r_debug.r_map;

    while (last && last->l_next)
        last = last->l_next;
    return last;
}

void rdl__bind_since(const struct link_map *last, bool is_for_us)
{
    for (const struct link_map *map = last && ours ? last->l_next : NULL; map; map = map->l_next)
        if (is_for_us)
            bind(map, by_us);
        else if (is_of_nobody_else(map))
            bind(map, by_program);
}
