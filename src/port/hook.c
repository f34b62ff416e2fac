/* hook.c -- at an instruction of the running process, call a function first.
 *
 * A *site* is an instruction that has or had a hook, and is kept for ever: a thread may
 * have come to it and be anywhere between there and the function.  Its *slot* is the code
 * near to it that calls us and then executes the copy of the instruction.
 *
 * Invariant: a site's slot is complete, and in the table of traps, before the site is
 * armed; and its hooks are there before it is, too. */
#include "port/hook.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <linux/futex.h>
#include <stdlib.h>
#include <string.h>

#include "base/apart.h"
#include "base/memory.h"
#include "port/code.h"
#include "port/hook_enter.h"
#include "port/kernel.h"
#include "port/relocate.h"
#include "port/trap.h"
#include "port/zydis.h"

enum { HOOKS_MAX = 4, JUMP_SIZE = 5, JUMP = 0xe9, PUSHED_MAX = 256 };

struct rdl__site {
    uintptr_t address;
    uintptr_t copy; /* of the instruction, in the slot */
    uint8_t original[RDL__INSTRUCTION_MAX], length;
    bool can_jump, is_jump, is_armed, is_listed;
    uint8_t jump[JUMP_SIZE]; /* what the first bytes are replaced by */
    int inside;              /* threads that may be calling a hook */
    struct rdl__hook *hooks[HOOKS_MAX];
    struct rdl__site *next;
};

/* All of them, for who looks for memory that has been lost. */
static struct rdl__site *first_site;

/* ---- One at a time ------------------------------------------------------------------------ */

static int lock; /* 0: free, 1: taken, 2: and waited for */

/* Of this thread: the registers that the function of a hook was given which it is in, NULL:
 * none; and whether it is here, placing or removing.  In either case it passes hooks. */
static _Thread_local struct rdl__registers *inside __attribute__((tls_model("initial-exec")));
static _Thread_local bool is_at_work __attribute__((tls_model("initial-exec")));

/* Not a lock of pthread's, which may be controlled. */
static bool begin_turn(void)
{
    bool for_us_before = rdl__for_us;
    int free = 0;

    is_at_work = true;
    rdl__for_us = rdl__is_apart;
    if (__atomic_compare_exchange_n(&lock, &free, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
        return for_us_before;
    while (__atomic_exchange_n(&lock, 2, __ATOMIC_ACQUIRE) != 0)
        rdl__kernel(SYS_futex, (long)&lock, FUTEX_WAIT_PRIVATE, 2, 0, 0, 0);
    return for_us_before;
}

static void end_turn(bool for_us_before)
{
    if (__atomic_exchange_n(&lock, 0, __ATOMIC_RELEASE) == 2)
        rdl__kernel(SYS_futex, (long)&lock, FUTEX_WAKE_PRIVATE, 1, 0, 0, 0);
    rdl__for_us = for_us_before;
    is_at_work = false;
}

/* ---- Slots -------------------------------------------------------------------------------- */

/* In a slot: the site; code that calls us; the copy.  Those whose copy has to reach far
 * are larger. */
enum { SLOT = 64, LARGE_SLOT = 128, CODE_AT = 8, BEHIND_CALL_AT = 19, COPY_AT = 27 };
enum { ZONE = 1 << 20 };

/* Memory for slots of one size.  The first one holds the address of rdl__hook_enter. */
static struct zone {
    uintptr_t start;
    size_t used, slot_size;
    struct zone *next;
} * zones;

static bool is_within_reach(const struct zone *zone, uintptr_t address)
{
    return rdl__is_near(address, zone->start) && rdl__is_near(address, zone->start + ZONE);
}

static struct zone *find_zone(uintptr_t address)
{
    for (struct zone *zone = zones; zone; zone = zone->next)
        if ((is_within_reach(zone, address) || zone->slot_size == LARGE_SLOT) &&
            zone->used + zone->slot_size <= ZONE)
            return zone;
    return NULL;
}

static struct zone *new_zone(uintptr_t address)
{
    struct zone *zone = rdl__allocate(sizeof *zone);
    uintptr_t enter = (uintptr_t)rdl__hook_enter;

    zone->start = rdl__code_get_memory(address, ZONE);
    zone->slot_size = is_within_reach(zone, address) ? SLOT : LARGE_SLOT;
    zone->used = zone->slot_size;
    if (!zone->start || !rdl__code_write(zone->start, &enter, sizeof enter))
        return NULL; /* and lose it, which happens once */
    zone->next = zones;
    __atomic_store_n(&zones, zone, __ATOMIC_RELEASE);
    return zone;
}

static void fill_slot(uint8_t *slot, uintptr_t at, const struct zone *zone,
                      const struct rdl__site *site, const struct rdl__moved *copy)
{
    static const uint8_t code[COPY_AT - CODE_AT] = {
        0x48, 0x8d, 0x64, 0x24, (uint8_t)-RDL__RED_ZONE, /* lea -128(%rsp), %rsp */
        0xff, 0x15, 0,    0,    0,
        0, /* call *enter */
        0x48, 0x8d, 0xa4, 0x24, RDL__RED_ZONE,
        0,    0,    0}; /* lea 128(%rsp), %rsp */
    int32_t enter = (int32_t)(zone->start - (at + BEHIND_CALL_AT));

    memcpy(slot, &site, sizeof site);
    memcpy(slot + CODE_AT, code, sizeof code);
    memcpy(slot + BEHIND_CALL_AT - sizeof enter, &enter, sizeof enter);
    memcpy(slot + COPY_AT, copy->bytes, copy->size);
}

static struct rdl__site *site_of_slot(uintptr_t slot)
{
    return *(struct rdl__site **)slot;
}

/* ---- Sites -------------------------------------------------------------------------------- */

/* Code that was found to be executable last. */
static uintptr_t known_start, known_end;

static bool is_code(uintptr_t address)
{
    return (address >= known_start && address < known_end) ||
           rdl__code_find(address, &known_start, &known_end);
}

void rdl__hook_trial(void);

static bool is_of_raddle(uintptr_t address)
{
    struct dl_find_object found;

    if (address == (uintptr_t)rdl__hook_trial)
        return false;
    return rdl__trap_needs(address) ||
           (_dl_find_object((void *)address, &found) == 0 && found.dlfo_link_map->l_name &&
            strstr(found.dlfo_link_map->l_name, "/libraddle.so"));
}

static void set_jump(struct rdl__site *site, uintptr_t slot)
{
    int32_t distance = (int32_t)(slot + CODE_AT - (site->address + JUMP_SIZE));

    site->jump[0] = JUMP;
    memcpy(site->jump + 1, &distance, sizeof distance);
}

static bool make_slot(struct rdl__site *site, struct rdl__error *error)
{
    struct zone *zone = find_zone(site->address);
    uint8_t slot[LARGE_SLOT] = {0};
    struct rdl__moved copy;
    uintptr_t at;

    if (!zone && !(zone = new_zone(site->address)))
        return rdl__fail(error, "no memory for a hook at 0x%zx", site->address);
    at = zone->start + zone->used;
    if (!rdl__relocate(site->original, site->length, site->address, at + COPY_AT, &copy))
        return rdl__fail(error, "no hook at 0x%zx: %s", site->address, copy.refused);
    fill_slot(slot, at, zone, site, &copy);
    if (!rdl__code_write(at, slot, zone->slot_size))
        return rdl__fail(error, "cannot write the code of a hook at 0x%zx", site->address);
    zone->used += zone->slot_size;
    site->copy = at + COPY_AT;
    site->can_jump = copy.length >= JUMP_SIZE && !copy.has_lock && zone->slot_size == SLOT;
    set_jump(site, at);
    rdl__trap_add(site->address, at + CODE_AT);
    return true;
}

static struct rdl__site *new_site(uintptr_t address, const uint8_t *bytes, uint8_t length,
                                  struct rdl__error *error)
{
    struct rdl__site *site = rdl__allocate(sizeof *site);

    site->address = address;
    site->length = length;
    memcpy(site->original, bytes, length);
    if (!make_slot(site, error)) {
        free(site);
        return NULL;
    }
    site->next = first_site;
    first_site = site;
    return site;
}

/* The site at this address, if there was one; and what is there has not changed, as it does
 * when another library is loaded in the place of one. */
static struct rdl__site *find_site(uintptr_t address, const uint8_t *bytes, size_t count)
{
    uintptr_t code = rdl__trap_find(address);
    struct rdl__site *site = code ? site_of_slot(code - CODE_AT) : NULL;

    if (!site || (site->is_armed && bytes[0] == (site->is_jump ? JUMP : rdl__trap_byte)))
        return site;
    site->is_armed = false;
    return count >= site->length && memcmp(bytes, site->original, site->length) == 0 ? site : NULL;
}

/* Is there a hook at an instruction that this one overlaps?  Then one of them is none. */
static bool overlaps(uintptr_t address, uint8_t length)
{
    for (uintptr_t at = address - RDL__INSTRUCTION_MAX; at < address + length; at++) {
        uintptr_t code = at != address ? rdl__trap_find(at) : 0;
        const struct rdl__site *site = code ? site_of_slot(code - CODE_AT) : NULL;

        if (site && site->is_armed && at + site->length > address)
            return true;
    }
    return false;
}

/* Why there can be no hook here; NULL: there can. */
static const char *why_not(uintptr_t address, size_t readable, const struct rdl__moved *copy)
{
    if (readable == 0 || !is_code(address))
        return "there is no code";
    if (is_of_raddle(address))
        return "this is code of Raddle itself";
    if (overlaps(address, copy->length ? copy->length : 1))
        return "that is within another instruction, which has a hook";
    return copy->refused;
}

static struct rdl__site *get_site(uintptr_t address, struct rdl__error *error)
{
    uint8_t bytes[RDL__INSTRUCTION_MAX];
    size_t count = rdl__code_read(address, bytes, sizeof bytes);
    struct rdl__site *site = find_site(address, bytes, count);
    struct rdl__moved copy;
    const char *why;

    if (site)
        return site;
    rdl__relocate(bytes, count, address, address, &copy);
    why = why_not(address, count, &copy);
    if (why) {
        rdl__fail(error, "no hook at 0x%zx: %s", address, why);
        return NULL;
    }
    return copy.is_landing ? get_site(address + copy.length, error)
                           : new_site(address, bytes, copy.length, error);
}

static bool add_hook(struct rdl__site *site, struct rdl__hook *hook, struct rdl__error *error)
{
    for (int i = 0; i < HOOKS_MAX; i++)
        if (!site->hooks[i]) {
            hook->site = site;
            hook->number = i;
            hook->is_placed = true;
            __atomic_store_n(&site->hooks[i], hook, __ATOMIC_SEQ_CST);
            return true;
        }
    return rdl__fail(error, "no hook at 0x%zx: there are %d already", site->address, HOOKS_MAX);
}

/* False: it was the last one, or there was none. */
static bool take_hook(struct rdl__hook *hook)
{
    bool others = false;

    __atomic_store_n(&hook->site->hooks[hook->number], NULL, __ATOMIC_SEQ_CST);
    hook->is_placed = false;
    for (int i = 0; i < HOOKS_MAX; i++)
        others |= hook->site->hooks[i] != NULL;
    return others;
}

/* ---- Arming ------------------------------------------------------------------------------- */

/* Sites to be armed or disarmed together: all CPUs are told three times at most, however
 * many there are. */
struct sites {
    struct rdl__site **items;
    size_t count;
    bool any_jump;
};

static void list_site(struct sites *sites, struct rdl__site *site)
{
    if (site->is_listed)
        return;
    site->is_listed = true;
    sites->items[sites->count++] = site;
    sites->any_jump |= site->is_jump;
}

static void release_sites(struct sites *sites)
{
    for (size_t i = 0; i < sites->count; i++)
        sites->items[i]->is_listed = false;
    free(sites->items);
}

/* The first bytes of all, as breakpoints; as they were; or, of those only, of jumps. */
enum first { BREAKPOINTS, ORIGINALS, JUMPS };

static bool write_first(const struct sites *sites, enum first what)
{
    bool ok = true;

    for (size_t i = 0; ok && i < sites->count; i++) {
        const struct rdl__site *site = sites->items[i];

        if (what == BREAKPOINTS)
            ok = rdl__code_write(site->address, &rdl__trap_byte, 1);
        else if (what == ORIGINALS)
            ok = rdl__code_write(site->address, site->original, 1);
        else if (site->is_jump)
            ok = rdl__code_write(site->address, site->jump, 1);
    }
    return ok;
}

/* Of jumps, the other bytes: while the first one is a breakpoint. */
static bool write_rest(const struct sites *sites, bool armed)
{
    for (size_t i = 0; i < sites->count; i++) {
        const struct rdl__site *site = sites->items[i];
        const uint8_t *bytes = armed ? site->jump : site->original;

        if (site->is_jump && !rdl__code_write(site->address + 1, bytes + 1, JUMP_SIZE - 1))
            return false;
    }
    return true;
}

static bool arm(const struct sites *sites, struct rdl__error *error)
{
    for (size_t i = 0; i < sites->count; i++)
        sites->items[i]->is_armed = true;
    if (!write_first(sites, BREAKPOINTS))
        return rdl__fail(error, "cannot write to the code that is to have a hook");
    return rdl__code_sync(error) &&
           (!sites->any_jump || (write_rest(sites, true) && rdl__code_sync(error) &&
                                 write_first(sites, JUMPS) && rdl__code_sync(error)));
}

/* A library may have been unloaded, and another be in its place. */
static bool is_still_there(const struct rdl__site *site)
{
    uint8_t bytes[JUMP_SIZE] = {0};

    rdl__code_read(site->address, bytes, site->is_jump ? JUMP_SIZE : 1);
    return bytes[0] == rdl__trap_byte ||
           (site->is_jump && memcmp(bytes, site->jump, JUMP_SIZE) == 0);
}

static void keep_those_still_there(struct sites *sites)
{
    size_t kept = 0;

    for (size_t i = 0; i < sites->count; i++) {
        struct rdl__site *site = sites->items[i];

        site->is_armed = false;
        site->is_listed = is_still_there(site);
        if (site->is_listed)
            sites->items[kept++] = site;
    }
    sites->count = kept;
}

/* A thread that executes what is not there any more comes to the slot, and passes. */
static void disarm(struct sites *sites)
{
    struct rdl__error ignored;

    keep_those_still_there(sites);
    if (sites->any_jump && write_first(sites, BREAKPOINTS) && rdl__code_sync(&ignored) &&
        write_rest(sites, false))
        rdl__code_sync(&ignored);
    write_first(sites, ORIGINALS);
}

/* ---- Placing and removing ------------------------------------------------------------------ */

static bool place(struct rdl__hook *hook, struct sites *sites, struct rdl__error *error)
{
    struct rdl__site *site = get_site(hook->address, error);

    if (!site || !add_hook(site, hook, error))
        return false;
    if (!site->is_armed) {
        site->is_jump = site->can_jump && !hook->never_jump && (!site->is_listed || site->is_jump);
        list_site(sites, site);
    }
    return true;
}

static void remove_all(struct rdl__hook *const *hooks, size_t count)
{
    struct sites sites = {.items = rdl__allocate(count * sizeof *sites.items)};

    for (size_t i = 0; i < count; i++)
        if (hooks[i]->is_placed && !take_hook(hooks[i]) && hooks[i]->site->is_armed)
            list_site(&sites, hooks[i]->site);
    if (sites.count > 0)
        disarm(&sites);
    release_sites(&sites);
}

static bool place_all(struct rdl__hook *const *hooks, size_t count, struct rdl__error *error)
{
    struct sites sites = {.items = rdl__allocate(count * sizeof *sites.items)};
    struct rdl__hook **placed = rdl__allocate(count * sizeof *placed); /* not before */
    size_t placed_count = 0;
    bool ok = true;

    known_start = known_end = 0;
    for (size_t i = 0; ok && i < count; i++)
        if (!hooks[i]->is_placed && (ok = place(hooks[i], &sites, error)))
            placed[placed_count++] = hooks[i];
    ok = ok && arm(&sites, error);
    release_sites(&sites);
    if (!ok)
        remove_all(placed, placed_count);
    free(placed);
    return ok;
}

/* Code to try a hook on: where code is translated before it is executed, it may go on as it
 * was, whatever is written there. */
__asm__(".text\n"
        ".type rdl__hook_trial, @function\n"
        "rdl__hook_trial:\n"
        "    .cfi_startproc\n"
        "    nop\n"
        "    ret\n"
        "    .cfi_endproc\n"
        ".size rdl__hook_trial, .-rdl__hook_trial\n");

static bool hooks_work(struct rdl__error *error)
{
    static struct rdl__hook trial;
    struct rdl__hook *const list = &trial;

    trial = (struct rdl__hook){.address = (uintptr_t)rdl__hook_trial};
    rdl__hook_trial();
    if (!place_all(&list, 1, error))
        return false;
    rdl__hook_trial();
    remove_all(&list, 1);
    return trial.passed == 1 ||
           rdl__fail(error, "code that is changed while it runs goes on as it was, so there can "
                            "be no hooks (with valgrind: --smc-check=all)");
}

static bool prepare(struct rdl__error *error)
{
    static bool is_prepared;

    if (is_prepared)
        return true;
    rdl__hook_enter_prepare();
    is_prepared = rdl__zydis_load(error) && rdl__trap_begin(error) && hooks_work(error);
    return is_prepared;
}

bool rdl__hooks_place(struct rdl__hook *const *hooks, size_t count, struct rdl__error *error)
{
    bool for_us_before = begin_turn(), ok;

    rdl__code_open();
    ok = prepare(error) && place_all(hooks, count, error);
    rdl__code_close();
    end_turn(for_us_before);
    return ok;
}

bool rdl__hook_place(struct rdl__hook *hook, struct rdl__error *error)
{
    return rdl__hooks_place(&hook, 1, error);
}

void rdl__hooks_remove(struct rdl__hook *const *hooks, size_t count)
{
    bool for_us_before = begin_turn();

    rdl__code_open();
    remove_all(hooks, count);
    rdl__code_close();
    end_turn(for_us_before);
}

void rdl__hook_remove(struct rdl__hook *hook)
{
    rdl__hooks_remove(&hook, 1);
}

bool rdl__hook_is_quiet(const struct rdl__hook *hook)
{
    return !hook->site || __atomic_load_n(&hook->site->inside, __ATOMIC_SEQ_CST) == 0;
}

uintptr_t rdl__hook_bypass(const struct rdl__hook *hook)
{
    return hook->site->copy;
}

bool rdl__hook_stands(const struct rdl__hook *hook)
{
    bool for_us_before = begin_turn(), stands;

    rdl__code_open();
    stands = hook->is_placed && is_still_there(hook->site);
    rdl__code_close();
    end_turn(for_us_before);
    return stands;
}

bool rdl__hook_is_jump(const struct rdl__hook *hook)
{
    return hook->is_placed && hook->site->is_jump;
}

uintptr_t rdl__hook_origin(uintptr_t pc)
{
    for (const struct zone *zone = __atomic_load_n(&zones, __ATOMIC_ACQUIRE); zone;
         zone = zone->next)
        if (pc >= zone->start + zone->slot_size && pc < zone->start + zone->used)
            return site_of_slot(pc - (pc - zone->start) % zone->slot_size)->address;
    return pc;
}

/* ---- Being called --------------------------------------------------------------------------- */

/* Is the thread in the function of a hook?  If nobody was told that it has left it, by
 * longjmp(), its frame is below this one by now, if not far (that would be another stack, of
 * a signal handler); or most likely other frames have overwritten where it was to return to. */
RDL__PATCHER static bool is_inside(const struct rdl__registers *registers)
{
    enum { STACK_MAX = 64 << 20, FRAME_MAX = 1 << 14 };
    uintptr_t now = (uintptr_t)registers, before = (uintptr_t)inside;

    if (is_at_work)
        return true;
    if (inside && ((now >= before && now - before < STACK_MAX) ||
                   before - (uintptr_t)inside->vectors > FRAME_MAX ||
                   ((const uintptr_t *)inside->vectors)[-1] != (uintptr_t)rdl__hook_enter_behind))
        inside = NULL;
    return inside != NULL;
}

bool rdl__hooks_pass(bool all)
{
    bool before = is_at_work;

    is_at_work = all;
    return before;
}

void rdl__hook_leave(void)
{
    inside = NULL;
}

/* A call of functions of hooks, which may be left by an exception. */
struct visit {
    struct rdl__site *site;
};

RDL__PATCHER static void end_visit(struct visit *visit)
{
    inside = NULL;
    __atomic_sub_fetch(&visit->site->inside, 1, __ATOMIC_SEQ_CST);
}

RDL__PATCHER static void call_hooks(struct rdl__registers *registers, struct rdl__site *site)
{
    __attribute__((cleanup(end_visit), unused)) struct visit visit = {site};
    int errno_before = errno;

    for (int i = 0; i < HOOKS_MAX && registers->rip == site->address; i++) {
        struct rdl__hook *hook = __atomic_load_n(&site->hooks[i], __ATOMIC_SEQ_CST);

        if (hook)
            hook->call(registers, hook->it);
    }
    errno = errno_before;
}

RDL__PATCHER static void count_passed(struct rdl__site *site)
{
    for (int i = 0; i < HOOKS_MAX; i++) {
        struct rdl__hook *hook = __atomic_load_n(&site->hooks[i], __ATOMIC_SEQ_CST);

        if (hook)
            __atomic_add_fetch(&hook->passed, 1, __ATOMIC_RELAXED);
    }
    __atomic_sub_fetch(&site->inside, 1, __ATOMIC_SEQ_CST);
}

RDL__PATCHER bool rdl__hook_dispatch(struct rdl__registers *registers, uintptr_t behind)
{
    struct rdl__site *site = site_of_slot(behind - BEHIND_CALL_AT);
    uint64_t rsp = registers->rsp;

    registers->rip = site->address;
    __atomic_add_fetch(&site->inside, 1, __ATOMIC_SEQ_CST);
    if (is_inside(registers)) {
        count_passed(site);
        return false;
    }
    inside = registers;
    call_hooks(registers, site);
    if (registers->rip == site->address && registers->rsp == rsp)
        return false;
    rdl__bug_if(registers->rsp < rsp - PUSHED_MAX &&
                registers->rsp >= (uintptr_t)registers->vectors);
    if (registers->rip == site->address)
        registers->rip = site->copy;
    return true;
}
