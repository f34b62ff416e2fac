/* unseen.c -- calls from code that is seen into code that is not.
 *
 * Such a call is an operation: other threads may run before it, and as it may touch anything,
 * its order with every other operation matters.  The filter of the assembler has put a question
 * before each call that leaves its unit (filter/calls.c).  Here is the answer, and the way there,
 * on which no register may change. */
#include "control/sched/unseen.h"

#include <dlfcn.h>
#include <link.h>
#include <stdbool.h>
#include <string.h>

#include "control/sched/calls.h"
#include "control/sched/inner.h"
#include "control/sched/next.h"
#include "control/sched/seen.h"
#include "control/sched/track.h"
#include "port/lines.h"
#include "port/modules.h"
#include "port/preserve.h"

RDL__ASKED_FOR(unseen);

/* The values of rdl__table_call.on. */
enum {
    LEADS_OUT = 1,
    DOES_ANYTHING = 2,
    MAY_DO_MORE = 3, /* than its row says */
};

/* ---- Where calls lead to ------------------------------------------------------------------- */

static bool is_seen(uintptr_t function)
{
    return rdl__is_seen(function | RDL__TAIL_OF);
}

static bool is_one_of(const char *name, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

/* Functions that compilers call for arithmetic, and a part of the C library: the linker makes them
 * part of the module.  They touch nothing that is shared. */
static bool is_part_of_compiler(const char *name)
{
    static const char *const names[] = {
        "__udivti3",     "__divti3",      "__umodti3",      "__modti3",
        "__udivmodti4",  "__divmodti4",   "__multi3",       "__muloti4",
        "__ashlti3",     "__ashrti3",     "__lshrti3",      "__cmpti2",
        "__ucmpti2",     "__clzti2",      "__ctzti2",       "__ffsti2",
        "__parityti2",   "__popcountdi2", "__popcountti2",  "__popcountsi2",
        "__bswapdi2",    "__bswapsi2",    "__negti2",       "__absvdi2",
        "__absvti2",     "__addvdi3",     "__addvsi3",      "__addvti3",
        "__subvdi3",     "__subvsi3",     "__subvti3",      "__mulvdi3",
        "__mulvsi3",     "__mulvti3",     "__powidf2",      "__powisf2",
        "__powixf2",     "__floattidf",   "__floattisf",    "__floattixf",
        "__floatuntidf", "__floatuntisf", "__floatuntixf",  "__fixdfti",
        "__fixsfti",     "__fixxfti",     "__fixunsdfti",   "__fixunssfti",
        "__fixunsxfti",  "__muldc3",      "__mulsc3",       "__mulxc3",
        "__divdc3",      "__divsc3",      "__divxc3",       "__addtf3",
        "__subtf3",      "__multf3",      "__divtf3",       "__extenddftf2",
        "__trunctfdf2",  "__letf2",       "__getf2",        "__eqtf2",
        "__netf2",       "__lttf2",       "__gttf2",        "__unordtf2",
        "__floatsitf",   "__floatditf",   "__fixtfsi",      "__fixtfdi",
        "__truncdfhf2",  "__extendhfsf2", "__truncsfhf2",   "__cpu_indicator_init",
        "atexit",        "at_quick_exit", "pthread_atfork", "__stack_chk_fail_local"};

    return is_one_of(name, names, sizeof names / sizeof *names);
}

/* The module that was asked for last. */
static struct {
    const struct link_map *module;
    const char *library; /* its file, if it is one of the C library's kind; or NULL */
} last;

/* The library of the C library's kind that a function is in; NULL: it is in none of them. */
static const char *library_of(uintptr_t function)
{
    struct dl_find_object found;
    const char *path, *slash;

    if (_dl_find_object((void *)function, &found) != 0)
        return NULL;
    if (found.dlfo_link_map != last.module) {
        path = found.dlfo_link_map->l_name;
        slash = strrchr(path, '/');
        last.module = found.dlfo_link_map;
        last.library = !rdl__is_known_library(path) ? NULL : slash ? slash + 1 : path;
    }
    return last.library;
}

/* A function of such a library: does anybody know what it does?  Raddle's own are known. */
static bool is_understood(uintptr_t function, const char *name)
{
    const char *library = library_of(function);

    return !library || rdl__module_is_named(library, "libraddle.so") ||
           rdl__call_effect(name, library) == RDL__EFFECT_KNOWN;
}

static bool is_of_sanitizer(const char *library)
{
    return rdl__module_is_named(library, "libasan.so") ||
           rdl__module_is_named(library, "libubsan.so");
}

/* A function of the C library, of its kin or, by the same name, of ours.  A function of the
 * program's own may be called like one of these. */
static bool may_do_more(uintptr_t function, const char *name)
{
    const char *library = library_of(function);
    bool is_theirs = library && !rdl__module_is_named(library, "libraddle.so");

    if (rdl__call_is_compared(name) || (is_theirs && is_of_sanitizer(library)) ||
        is_part_of_compiler(name))
        return false;
    return is_theirs || (rdl__call_row(name) && !rdl__is_instrumented(function + 1));
}

static uint8_t kind_of(const struct rdl__table_call *call)
{
    const char *name = (const char *)&call->name + call->name;

    if (call->kind == RDL__TABLE_INDIRECT)
        return LEADS_OUT;
    if (call->kind != RDL__TABLE_DIRECT || !call->target)
        return 0;
    if (!is_seen(call->target))
        return is_part_of_compiler(name) ? 0 : LEADS_OUT;
    return !is_understood(call->target, name) ? DOES_ANYTHING
           : may_do_more(call->target, name)  ? MAY_DO_MORE
                                              : 0;
}

void rdl__unseen_mark(const struct rdl__tables *tables)
{
    for (struct rdl__table_call *call = tables->calls; call < tables->calls_end; call++) {
        uint8_t on = kind_of(call);

        if (call->on != on)
            call->on = on;
    }
}

/* ---- Operations ---------------------------------------------------------------------------- */

/* The thread is about to do something of which only the place is known. */
static void come_to(struct rdl__thread *self, struct rdl__op *op)
{
    op->flags |= RDL__OP_WORLD;
    self->track->changed = true;
    if (!rdl__is_alone())
        rdl__point(self, op);
    else
        rdl__world_meet(self);
}

/* It calls this function, and goes on at `pc`. */
static void enter(struct rdl__thread *self, uintptr_t function, uintptr_t pc)
{
    struct rdl__op op = {.kind = RDL__OP_UNSEEN, .object = function, .pc = pc};

    rdl__op_enters(&op, function);
    come_to(self, &op);
}

/* It calls this function of a library, whose effect is in no table. */
static void do_anything(struct rdl__thread *self, uintptr_t function, const char *name,
                        uintptr_t pc)
{
    struct rdl__op op = {.kind = RDL__OP_UNSEEN, .object = function, .pc = pc};

    rdl__limit(RDL__LIMIT_UNKNOWN, name, library_of(function));
    come_to(self, &op);
}

/* It calls this function of a library, of which nobody has compared what is known. */
static void do_more(uintptr_t function, const char *name)
{
    const char *library = library_of(function);

    rdl__limit(RDL__LIMIT_UNKNOWN, name,
               library && !rdl__module_is_named(library, "libraddle.so") ? library : "libc.so.6");
}

void rdl__calls(const struct rdl__kept *kept) __attribute__((visibility("hidden")));
void rdl__calls_indirectly(const struct rdl__kept *kept) __attribute__((visibility("hidden")));

void rdl__calls(const struct rdl__kept *kept)
{
    const struct rdl__table_call *call = (const struct rdl__table_call *)kept->r11;
    struct rdl__thread *self = rdl__self();

    if (self && call->on == LEADS_OUT)
        enter(self, call->target, kept->pc);
    else if (self && call->on == MAY_DO_MORE)
        do_more(call->target, (const char *)&call->name + call->name);
    else if (self)
        do_anything(self, call->target, (const char *)&call->name + call->name, kept->pc);
}

/* Targets that were seen when they were asked for last; rdl__before_indirect_call looks here. */
enum { TARGETS = 1024 };
uintptr_t rdl__seen_targets[TARGETS] __attribute__((visibility("hidden")));

void rdl__unseen_forget(void)
{
    memset(rdl__seen_targets, 0, sizeof rdl__seen_targets);
    last.module = NULL;
}

void rdl__calls_indirectly(const struct rdl__kept *kept)
{
    struct rdl__thread *self = rdl__self();
    uintptr_t function = kept->r11;
    Dl_info info = {0};

    if (!is_seen(function)) {
        if (self)
            enter(self, function, kept->pc);
        return;
    }
    if (library_of(function) || rdl__is_own(function + 1)) /* Raddle may be part of the program */
        dladdr((void *)function, &info);
    if (library_of(function) && (!info.dli_sname || !is_understood(function, info.dli_sname))) {
        if (self)
            do_anything(self, function, info.dli_sname ? info.dli_sname : "a function", kept->pc);
        return;
    }
    if (info.dli_sname && may_do_more(function, info.dli_sname)) {
        if (self)
            do_more(function, info.dli_sname);
        return;
    }
    rdl__seen_targets[function >> 4 & (TARGETS - 1)] = function;
}

/* ---- The way there ------------------------------------------------------------------------- */

/* clang-format off */
__asm__(
    ".text\n"
    ".balign 16\n"
    ".globl rdl__before_call\n"
    ".type rdl__before_call, @function\n"
    "rdl__before_call:\n"
    "    .cfi_startproc\n"
    "    endbr64\n"
    RDL__PRESERVING("rdl__calls")
    "    .cfi_endproc\n"
    ".size rdl__before_call, .-rdl__before_call\n"
    ".balign 16\n"
    ".globl rdl__before_indirect_call\n"
    ".type rdl__before_indirect_call, @function\n"
    "rdl__before_indirect_call:\n"
    "    .cfi_startproc\n"
    "    endbr64\n"
    "    pushq %rax\n"
    "    .cfi_adjust_cfa_offset 8\n"
    "    pushq %rcx\n"
    "    .cfi_adjust_cfa_offset 8\n"
    "    movq %r11, %rax\n"
    "    shrq $4, %rax\n"
    "    andl $1023, %eax\n"
    "    leaq rdl__seen_targets(%rip), %rcx\n"
    "    cmpq %r11, (%rcx,%rax,8)\n"
    "    popq %rcx\n"
    "    .cfi_adjust_cfa_offset -8\n"
    "    popq %rax\n"
    "    .cfi_adjust_cfa_offset -8\n"
    "    jne 1f\n"
    "    ret\n"
    "1:\n"
    RDL__PRESERVING("rdl__calls_indirectly")
    "    .cfi_endproc\n"
    ".size rdl__before_indirect_call, .-rdl__before_indirect_call\n");
/* clang-format on */
