/* site_arm.c -- to have breakpoints and jumps in the code, while threads execute it.
 *
 * The bytes of a jump are changed while their first one is a breakpoint, and all CPUs are told
 * before and after (code.h).  Where there is no other thread, they are changed at once.
 *
 * A wide jump overwrites instructions that a thread may be in the midst of.  From when the
 * breakpoint is there no thread comes there any more; so it is enough that each was seen elsewhere
 * once, after that: asleep in a system call, of which there is none among these instructions.
 * (A thread that was interrupted there by a signal, and sleeps in its handler, is not thought of.)
 * Threads that run may be anywhere.  Then the breakpoint stays. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "port/code.h"
#include "port/kernel.h"
#include "port/proc.h"
#include "port/site.h"
#include "port/trap.h"

void rdl__sites_init(struct rdl__sites *sites, size_t room)
{
    *sites = (struct rdl__sites){.items = rdl__allocate(room * sizeof *sites->items)};
}

void rdl__sites_list(struct rdl__sites *sites, struct rdl__site *site)
{
    if (site->is_listed)
        return;
    site->is_listed = true;
    sites->items[sites->count++] = site;
}

void rdl__sites_release(struct rdl__sites *sites)
{
    for (size_t i = 0; i < sites->count; i++)
        sites->items[i]->is_listed = false;
    free(sites->items);
}

/* ---- Other threads --------------------------------------------------------------------------- */

/* The kernel counts threads as links to the folder that they are in. */
static bool is_alone(void)
{
    struct stat task;

    return rdl__kernel(SYS_stat, (long)"/proc/self/task", (long)&task, 0, 0, 0, 0) == 0 &&
           task.st_nlink == 3;
}

/* A thread that has ended meanwhile is nowhere. */
static bool sleeps(int thread, void *all_sleep)
{
    struct rdl__text call = {0};
    char path[64];
    bool *ok = all_sleep;

    if (thread == rdl__kernel(SYS_gettid, 0, 0, 0, 0, 0, 0))
        return true;
    snprintf(path, sizeof path, "/proc/self/task/%d/syscall", thread);
    if (rdl__proc_read(path, &call))
        *ok = call.count > 0 && call.bytes[0] >= '0' && call.bytes[0] <= '9';
    else
        *ok = rdl__kernel(SYS_tgkill, rdl__kernel(SYS_getpid, 0, 0, 0, 0, 0, 0), thread, 0, 0, 0,
                          0) == -ESRCH;
    rdl__text_release(&call);
    return *ok;
}

static bool others_sleep(void)
{
    bool all_sleep = true;

    rdl__proc_each_thread(sleeps, &all_sleep);
    return all_sleep;
}

/* ---- Bytes ----------------------------------------------------------------------------------- */

static bool any_jump(const struct rdl__sites *sites)
{
    bool any = false;

    for (size_t i = 0; i < sites->count; i++)
        any |= sites->items[i]->is_jump;
    return any;
}

static bool any_wide(const struct rdl__sites *sites)
{
    bool any = false;

    for (size_t i = 0; i < sites->count; i++)
        any |= sites->items[i]->is_wide;
    return any;
}

/* The first bytes of all, as breakpoints; as they were; or, of those only, of jumps. */
enum first { BREAKPOINTS, ORIGINALS, JUMPS };

static bool write_first(const struct rdl__sites *sites, enum first what)
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
static bool write_rest(const struct rdl__sites *sites, bool armed)
{
    for (size_t i = 0; i < sites->count; i++) {
        const struct rdl__site *site = sites->items[i];
        const uint8_t *bytes = armed ? site->jump : site->original;

        if (site->is_jump && !rdl__code_write(site->address + 1, bytes + 1, RDL__JUMP_SIZE - 1))
            return false;
    }
    return true;
}

/* All bytes at once, if nobody executes them. */
static bool write_all(const struct rdl__sites *sites, bool armed)
{
    bool ok = true;

    for (size_t i = 0; ok && i < sites->count; i++) {
        const struct rdl__site *site = sites->items[i];
        const uint8_t *bytes = !armed          ? site->original
                               : site->is_jump ? site->jump
                                               : &rdl__trap_byte;

        ok = rdl__code_write(site->address, bytes, site->is_jump ? RDL__JUMP_SIZE : 1);
    }
    return ok;
}

/* ---- Arming ---------------------------------------------------------------------------------- */

static bool fail_to_write(struct rdl__error *error)
{
    return rdl__fail(error, "cannot write to the code that is to have a hook");
}

static void leave_narrow(const struct rdl__sites *sites)
{
    for (size_t i = 0; i < sites->count; i++)
        if (sites->items[i]->is_wide)
            sites->items[i]->is_wide = sites->items[i]->is_jump = false;
}

bool rdl__sites_arm(struct rdl__sites *sites, struct rdl__error *error)
{
    if (sites->count == 0)
        return true;
    for (size_t i = 0; i < sites->count; i++)
        sites->items[i]->is_armed = true;
    if (is_alone())
        return (write_all(sites, true) || fail_to_write(error)) && rdl__code_sync(error);
    if (!write_first(sites, BREAKPOINTS))
        return fail_to_write(error);
    if (!rdl__code_sync(error))
        return false;
    if (any_wide(sites) && !others_sleep())
        leave_narrow(sites);
    return !any_jump(sites) || (write_rest(sites, true) && rdl__code_sync(error) &&
                                write_first(sites, JUMPS) && rdl__code_sync(error));
}

/* A library may have been unloaded, and another be in its place. */
bool rdl__site_is_there(const struct rdl__site *site)
{
    uint8_t bytes[RDL__JUMP_SIZE] = {0};

    rdl__code_read(site->address, bytes, site->is_jump ? RDL__JUMP_SIZE : 1);
    return bytes[0] == rdl__trap_byte ||
           (site->is_jump && memcmp(bytes, site->jump, RDL__JUMP_SIZE) == 0);
}

static void keep_those_still_there(struct rdl__sites *sites)
{
    size_t kept = 0;

    for (size_t i = 0; i < sites->count; i++) {
        struct rdl__site *site = sites->items[i];

        site->is_armed = false;
        site->is_listed = rdl__site_is_there(site);
        if (site->is_listed)
            sites->items[kept++] = site;
    }
    sites->count = kept;
}

/* A thread that executes what is not there any more comes to the slot, and passes. */
void rdl__sites_disarm(struct rdl__sites *sites)
{
    struct rdl__error ignored;

    keep_those_still_there(sites);
    if (sites->count > 0 && is_alone()) {
        write_all(sites, false);
        rdl__code_sync(&ignored);
        return;
    }
    if (any_jump(sites) && write_first(sites, BREAKPOINTS) && rdl__code_sync(&ignored) &&
        write_rest(sites, false))
        rdl__code_sync(&ignored);
    write_first(sites, ORIGINALS);
}

bool rdl__site_lower(struct rdl__site *site, struct rdl__error *error)
{
    struct rdl__sites one = {&site, 1};

    if (!site->is_jump)
        return true;
    if (!write_first(&one, BREAKPOINTS) || !rdl__code_sync(error) || !write_rest(&one, false) ||
        !rdl__code_sync(error))
        return fail_to_write(error);
    site->is_jump = site->is_wide = false;
    return true;
}
