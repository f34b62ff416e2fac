/* hook.c -- at an instruction of the running process, call a function first.
 *
 * Invariant: a site's hooks are there before it is armed (site.h). */
#include "port/hook.h"

#include <errno.h>
#include <stdlib.h>

#include "base/memory.h"
#include "port/hook_enter.h"
#include "port/site.h"
#include "port/trap.h"
#include "port/unblock.h"
#include "port/zydis.h"

enum { PUSHED_MAX = 256 };

/* Of this thread: the registers that the function of a hook was given which it is in; NULL: it is
 * in none.  While it is in one, it passes hooks. */
static _Thread_local struct rdl__registers *inside __attribute__((tls_model("initial-exec")));

/* ---- The hooks of a site ------------------------------------------------------------------- */

static void make_room(struct rdl__site *site)
{
    enum { ROOM_FIRST = 4 };
    struct rdl__hooks *small = site->hooks, *large;
    int room = small ? 2 * small->room : ROOM_FIRST;

    large = rdl__allocate(sizeof *large + (size_t)room * sizeof *large->items);
    large->smaller = small;
    large->room = room;
    for (int i = 0; small && i < small->room; i++)
        large->items[i] = small->items[i];
    __atomic_store_n(&site->hooks, large, __ATOMIC_SEQ_CST);
}

static int free_number(const struct rdl__site *site)
{
    int number = 0;

    while (site->hooks && number < site->hooks->room && site->hooks->items[number])
        number++;
    return number;
}

static void add_hook(struct rdl__site *site, struct rdl__hook *hook)
{
    hook->site = site;
    hook->number = free_number(site);
    hook->is_placed = true;
    if (!site->hooks || hook->number == site->hooks->room)
        make_room(site);
    __atomic_store_n(&site->hooks->items[hook->number], hook, __ATOMIC_SEQ_CST);
}

bool rdl__site_has_hooks(const struct rdl__site *site)
{
    for (int i = 0; site->hooks && i < site->hooks->room; i++)
        if (site->hooks->items[i])
            return true;
    return false;
}

/* False: it was the last one, or there was none. */
static bool take_hook(struct rdl__hook *hook)
{
    for (struct rdl__hooks *hooks = hook->site->hooks; hooks; hooks = hooks->smaller)
        if (hook->number < hooks->room)
            __atomic_store_n(&hooks->items[hook->number], NULL, __ATOMIC_SEQ_CST);
    hook->is_placed = false;
    return rdl__site_has_hooks(hook->site);
}

/* ---- Placing and removing ------------------------------------------------------------------ */

/* Where a detour leads elsewhere by a jump, hooks want a breakpoint; they are called first. */
static bool join_detour(struct rdl__site *site, struct rdl__error *error)
{
    if (!rdl__site_lower(site, error))
        return false;
    rdl__site_lead(site, site->slot + RDL__SLOT_CODE_AT);
    return true;
}

static bool place(struct rdl__hook *hook, struct rdl__sites *sites, struct rdl__error *error)
{
    struct rdl__site *site;

    if (!rdl__unblock_for(hook->address, error))
        return false;
    site = rdl__site_get(hook->address, error);
    if (!site)
        return false;
    add_hook(site, hook);
    site->is_narrow = true;
    if (site->is_armed)
        return !site->target || join_detour(site, error);
    site->is_jump = site->can_jump && !hook->never_jump && (!site->is_listed || site->is_jump);
    site->is_wide = false;
    rdl__site_lead(site, site->slot + RDL__SLOT_CODE_AT);
    rdl__sites_list(sites, site);
    return true;
}

static void remove_all(struct rdl__hook *const *hooks, size_t count)
{
    struct rdl__sites sites;

    rdl__sites_init(&sites, count);
    for (size_t i = 0; i < count; i++)
        if (hooks[i]->is_placed && !take_hook(hooks[i]) && hooks[i]->site->is_armed &&
            !hooks[i]->site->target)
            rdl__sites_list(&sites, hooks[i]->site);
    rdl__sites_disarm(&sites);
    rdl__sites_release(&sites);
}

static bool place_all(struct rdl__hook *const *hooks, size_t count, struct rdl__error *error)
{
    struct rdl__hook **placed = rdl__allocate(count * sizeof *placed); /* not before */
    size_t placed_count = 0;
    struct rdl__sites sites;
    bool ok = true;

    rdl__sites_init(&sites, count);
    for (size_t i = 0; ok && i < count; i++)
        if (!hooks[i]->is_placed) {
            ok = place(hooks[i], &sites, error);
            if (hooks[i]->is_placed)
                placed[placed_count++] = hooks[i];
        }
    ok = ok && rdl__sites_arm(&sites, error);
    rdl__sites_release(&sites);
    if (!ok)
        remove_all(placed, placed_count);
    free(placed);
    return ok;
}

/* Code to try a hook on: where code is translated before it is executed, it may go on as it
 * was, whatever is written there. */
__asm__(".text\n"
        ".globl rdl__hook_trial\n"
        ".hidden rdl__hook_trial\n"
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

bool rdl__sites_prepare(struct rdl__error *error)
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
    bool begun = rdl__sites_begin();
    bool ok = rdl__sites_prepare(error) && place_all(hooks, count, error);

    rdl__sites_end(begun);
    return ok;
}

bool rdl__hook_place(struct rdl__hook *hook, struct rdl__error *error)
{
    return rdl__hooks_place(&hook, 1, error);
}

void rdl__hooks_remove(struct rdl__hook *const *hooks, size_t count)
{
    bool begun = rdl__sites_begin();

    remove_all(hooks, count);
    rdl__sites_end(begun);
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
    bool begun = rdl__sites_begin();
    bool stands = hook->is_placed && rdl__site_is_there(hook->site);

    rdl__sites_end(begun);
    return stands;
}

bool rdl__hook_is_jump(const struct rdl__hook *hook)
{
    return hook->is_placed && hook->site->is_jump;
}

uintptr_t rdl__hook_origin(uintptr_t pc)
{
    return rdl__site_origin(pc);
}

/* ---- Being called --------------------------------------------------------------------------- */

/* Is the thread in the function of a hook?  If nobody was told that it has left it, by
 * longjmp(), its frame is below this one by now, if not far (that would be another stack, of
 * a signal handler); or most likely other frames have overwritten where it was to return to. */
RDL__PATCHER static bool is_inside(const struct rdl__registers *registers)
{
    enum { STACK_MAX = 64 << 20, FRAME_MAX = 1 << 14 };
    uintptr_t now = (uintptr_t)registers, before = (uintptr_t)inside;

    if (rdl__sites_at_work)
        return true;
    if (inside && ((now >= before && now - before < STACK_MAX) ||
                   before - (uintptr_t)inside->vectors > FRAME_MAX ||
                   ((const uintptr_t *)inside->vectors)[-1] != (uintptr_t)rdl__hook_enter_behind))
        inside = NULL;
    return inside != NULL;
}

bool rdl__hooks_pass(bool all)
{
    bool before = rdl__sites_at_work;

    rdl__sites_at_work = all;
    return before;
}

bool rdl__hooks_are_passed(void)
{
    return rdl__sites_at_work;
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
    struct rdl__hooks *hooks = __atomic_load_n(&site->hooks, __ATOMIC_SEQ_CST);
    int errno_before = errno;

    for (int i = 0; i < hooks->room && registers->rip == site->address; i++) {
        struct rdl__hook *hook = __atomic_load_n(&hooks->items[i], __ATOMIC_SEQ_CST);

        if (hook)
            hook->call(registers, hook->it);
    }
    errno = errno_before;
}

RDL__PATCHER static void count_passed(struct rdl__site *site)
{
    struct rdl__hooks *hooks = __atomic_load_n(&site->hooks, __ATOMIC_SEQ_CST);

    for (int i = 0; i < hooks->room; i++) {
        struct rdl__hook *hook = __atomic_load_n(&hooks->items[i], __ATOMIC_SEQ_CST);

        if (hook)
            __atomic_add_fetch(&hook->passed, 1, __ATOMIC_RELAXED);
    }
    __atomic_sub_fetch(&site->inside, 1, __ATOMIC_SEQ_CST);
}

/* Having called the hooks: is the thread to go on elsewhere than behind the slot's code? */
RDL__PATCHER static bool goes_on_elsewhere(struct rdl__registers *registers,
                                           const struct rdl__site *site, uint64_t rsp)
{
    uintptr_t target = __atomic_load_n(&site->target, __ATOMIC_SEQ_CST);

    if (registers->rip == site->address && target)
        registers->rip = target;
    if (registers->rip == site->address && registers->rsp == rsp)
        return false;
    rdl__bug_if(registers->rsp < rsp - PUSHED_MAX &&
                registers->rsp >= (uintptr_t)registers->vectors);
    if (registers->rip == site->address)
        registers->rip = site->copy;
    return true;
}

RDL__PATCHER bool rdl__hook_dispatch(struct rdl__registers *registers, uintptr_t behind)
{
    struct rdl__site *site = rdl__site_of_slot(behind - RDL__SLOT_BEHIND_CALL_AT);
    uint64_t rsp = registers->rsp;

    registers->rip = site->address;
    __atomic_add_fetch(&site->inside, 1, __ATOMIC_SEQ_CST);
    if (is_inside(registers)) {
        count_passed(site);
    } else {
        inside = registers;
        call_hooks(registers, site);
    }
    return goes_on_elsewhere(registers, site, rsp);
}
