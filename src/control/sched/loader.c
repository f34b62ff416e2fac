/* loader.c -- libraries that threads load and unload, and what their constructors do.
 *
 * The loader holds a lock while it calls constructors and destructors.  It is a real lock: a
 * controlled thread that had to wait for it would stop all of them.  So the thread that has it
 * stays the running one if that is possible.  Constructors that touch what others may touch, and
 * code that does not tell of it, end the claim.
 *
 * A library that is loaded by a controlled thread is looked for as if this library had asked for
 * it: the search path that the caller's own file may have is not used. */
#include <dlfcn.h>
#include <link.h>
#include <string.h>

#include "control/sched/dispatch.h"
#include "control/sched/inner.h"
#include "control/sched/next.h"
#include "control/sched/seen.h"
#include "control/sched/state.h"
#include "port/bind.h"

RDL__ASKED_FOR(loader);

/* ---- Libraries that come ------------------------------------------------------------------- */

/* The last module that was there before a library was loaded: those behind it are new. */
static const struct link_map *last_before;

static bool is_in_new_module(uintptr_t address)
{
    struct dl_find_object found;
    const struct link_map *at = last_before ? last_before->l_next : NULL;

    if (_dl_find_object((void *)address, &found) != 0)
        return false;
    while (at && at != found.dlfo_link_map)
        at = at->l_next;
    return at;
}

/* Nobody else knows the memory of a library whose constructors run. */
void rdl__not_interrupted(const struct rdl__op *op)
{
    if (rdl__touches(op) && !(op->touch && !op->also && is_in_new_module(op->object)))
        rdl__limit(RDL__LIMIT_BOUND, "constructors of libraries were not interrupted", "");
}

/* ---- Functions that the loader calls ------------------------------------------------------- */

static const uint8_t *after_endbr(const uint8_t *code)
{
    static const uint8_t endbr[] = {0xf3, 0x0f, 0x1e, 0xfa};

    return memcmp(code, endbr, sizeof endbr) == 0 ? code + sizeof endbr : code;
}

/* Where the jump leads that is here; NULL: there is none. */
static const uint8_t *target_of_jump(const uint8_t *code)
{
    int32_t distance;

    if (code[0] == 0xeb)
        return code + 2 + (int8_t)code[1];
    if (code[0] != 0xe9)
        return NULL;
    memcpy(&distance, code + 1, sizeof distance);
    return code + 5 + distance;
}

/* It subtracts the start of a table in the library from its end: register_tm_clones. */
static bool registers_clones(const uint8_t *code)
{
    static const uint8_t start[] = {0x48, 0x8d, 0x3d}, end[] = {0x48, 0x8d, 0x35};
    static const uint8_t rest[] = {0x48, 0x29, 0xfe, 0x48, 0x89, 0xf0, 0x48, 0xc1, 0xee, 0x3f};

    code = after_endbr(code);
    return memcmp(code, start, sizeof start) == 0 && memcmp(code + 7, end, sizeof end) == 0 &&
           memcmp(code + 14, rest, sizeof rest) == 0;
}

/* Every library has some that compilers add, which do nothing here: _init, _fini, frame_dummy and
 * __do_global_dtors_aux, each known by its first instructions. */
static bool is_of_compiler(const uint8_t *code)
{
    static const uint8_t fini[] = {0x48, 0x83, 0xec, 0x08, 0x48, 0x83, 0xc4, 0x08, 0xc3};
    static const uint8_t init[] = {0x48, 0x83, 0xec, 0x08, 0x48, 0x8b, 0x05};
    static const uint8_t init_rest[] = {0x48, 0x85, 0xc0, 0x74, 0x02, 0xff, 0xd0, 0x48};
    static const uint8_t aux[] = {0x80, 0x3d}, aux_rest[] = {0x55, 0x48, 0x83, 0x3d};

    code = after_endbr(code);
    if (target_of_jump(code))
        return registers_clones(target_of_jump(code));
    if (memcmp(code, aux, sizeof aux) == 0)
        return code[6] == 0 && code[7] == 0x75 && memcmp(code + 9, aux_rest, sizeof aux_rest) == 0;
    return memcmp(code, fini, sizeof fini) == 0 ||
           (memcmp(code, init, sizeof init) == 0 &&
            memcmp(code + sizeof init + 4, init_rest, sizeof init_rest) == 0);
}

static bool is_unseen(uintptr_t function)
{
    return function && !rdl__is_seen(function | RDL__TAIL_OF) &&
           !is_of_compiler((const uint8_t *)function);
}

static uintptr_t entry(const struct link_map *module, int64_t tag)
{
    for (const ElfW(Dyn) *at = module->l_ld; at && at->d_tag != DT_NULL; at++)
        if (at->d_tag == tag)
            return at->d_un.d_val;
    return 0;
}

/* Does the loader call code of this module that is not seen?  By `one`, or those in `many`. */
static bool has_unseen(const struct link_map *module, int64_t one, int64_t many, int64_t size)
{
    uintptr_t function = entry(module, one), array = entry(module, many);
    const uintptr_t *all = (const uintptr_t *)(module->l_addr + array);

    if (function && is_unseen(module->l_addr + function))
        return true;
    for (size_t i = 0; array && i < entry(module, size) / sizeof *all; i++)
        if (is_unseen(all[i]))
            return true;
    return false;
}

static bool constructs_unseen(const struct link_map *module)
{
    return has_unseen(module, DT_INIT, DT_INIT_ARRAY, DT_INIT_ARRAYSZ);
}

static bool destructs_unseen(const struct link_map *module)
{
    return has_unseen(module, DT_FINI, DT_FINI_ARRAY, DT_FINI_ARRAYSZ);
}

static uint32_t count_destructors(void)
{
    uint32_t count = 0;

    for (const struct link_map *at = _r_debug.r_map; at; at = at->l_next)
        count += destructs_unseen(at);
    return count;
}

static void note_unseen(const char *what, const char *path)
{
    const char *slash = strrchr(path, '/');

    rdl__sched.summary->unseen = true;
    if (!rdl__is_alone())
        rdl__limit(RDL__LIMIT_UNSEEN, what, slash ? slash + 1 : path);
}

/* ---- Interposed ---------------------------------------------------------------------------- */

/* Which code a library runs when it comes or goes is known afterwards. */
static void come_to_loader(struct rdl__thread *self, bool is_known, uintptr_t pc)
{
    struct rdl__op op = rdl__state_op(RDL__STATE_MODULES, RDL__WRITES, pc);

    if (!is_known)
        op.flags |= RDL__OP_WORLD;
    rdl__point(self, &op);
}

static bool is_loaded(const char *file)
{
    void *library = file ? RDL__NEXT(dlopen)(file, RTLD_LAZY | RTLD_NOLOAD) : NULL;

    if (library)
        RDL__NEXT(dlclose)(library);
    return !file || library;
}

static void *load(const char *file, int mode)
{
    const struct link_map *last = rdl__bind_last();
    void *library = RDL__NEXT(dlopen)(file, mode);

    rdl__seen_is_stale();
    rdl__bind_since(last, false);
    return library;
}

RDL__INTERPOSE void *dlopen(const char *file, int mode)
{
    struct rdl__thread *self = rdl__self();
    const struct link_map *before;
    void *library;

    if (!self)
        return load(file, mode);
    come_to_loader(self, is_loaded(file) || rdl__is_known_library(file), RDL__CALLER);
    self->no_switch++;
    before = last_before;
    last_before = rdl__bind_last();
    library = load(file, mode);
    for (const struct link_map *at = last_before->l_next; library && at; at = at->l_next)
        if (constructs_unseen(at))
            note_unseen("a constructor", at->l_name);
    last_before = before;
    rdl__dispatch_loaded();
    self->no_switch--;
    return library;
}

static int close_library(void *library)
{
    int result;

    __atomic_add_fetch(&rdl__closing, 1, __ATOMIC_RELAXED);
    result = RDL__NEXT(dlclose)(library);
    __atomic_sub_fetch(&rdl__closing, 1, __ATOMIC_RELAXED);
    rdl__seen_is_stale();
    return result;
}

RDL__INTERPOSE int dlclose(void *library)
{
    struct rdl__thread *self = rdl__self();
    uint32_t count;
    int result;

    if (!self)
        return close_library(library);
    come_to_loader(self, false, RDL__CALLER);
    self->no_switch++;
    count = count_destructors();
    result = close_library(library);
    if (count_destructors() != count)
        note_unseen("a destructor", "a library that was unloaded");
    self->no_switch--;
    return result;
}
