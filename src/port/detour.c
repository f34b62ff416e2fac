/* detour.c -- the entry of a function leads to another address.
 *
 * Invariant: a site that has a detour has a target; and leads to a stub that goes there, or, if
 * hooks came as well, to its slot, which calls these and then goes there. */
#include "port/detour.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "port/code.h"
#include "port/entry.h"
#include "port/site.h"

/* Does a hook at one of the other instructions want its thread to come by, or back? */
static bool is_used_within(const struct rdl__site *site)
{
    for (uint8_t i = 1; i < site->wide_length; i++) {
        const struct rdl__site *other = rdl__site_at(site->address + i);

        if (other && (other->is_armed || __atomic_load_n(&other->inside, __ATOMIC_SEQ_CST) > 0))
            return true;
    }
    return false;
}

/* Another library may be where one was that began likewise. */
static bool is_unchanged(const struct rdl__site *site)
{
    uint8_t now[RDL__WIDE_MAX] = {0};

    return rdl__code_read(site->address, now, site->wide_length) == site->wide_length &&
           memcmp(now, site->original, site->wide_length) == 0;
}

static bool make_wide_copy(struct rdl__site *site, size_t extent)
{
    site->wide_length = rdl__entry_measure(site, extent, site->original);
    if (site->wide_length)
        site->wide_copy = rdl__site_keep_copy(site, rdl__entry_copy);
    return site->wide_copy != 0;
}

/* Once it is not, it never is again: what was given away as the function itself goes back to
 * the second instruction. */
static bool can_be_wide(struct rdl__site *site, size_t extent)
{
    if (site->is_narrow || !site->is_near || site->can_jump)
        return false;
    if (!site->wide_copy)
        make_wide_copy(site, extent);
    site->is_narrow = !site->wide_copy || is_used_within(site) || !is_unchanged(site);
    return !site->is_narrow;
}

static bool place(struct rdl__detour *detour, struct rdl__sites *sites, struct rdl__error *error)
{
    struct rdl__site *site = rdl__site_get(detour->address, error);
    uintptr_t stub = site ? rdl__site_stub(site, detour->target) : 0;

    if (!site)
        return false;
    if (site->target)
        return rdl__fail(error, "no detour at 0x%zx: there is one already", site->address);
    if (!stub)
        return rdl__fail(error, "no memory for a detour at 0x%zx", site->address);
    detour->site = site;
    detour->is_placed = true;
    if (!site->is_armed) {
        site->is_wide = can_be_wide(site, detour->extent);
        site->is_jump = site->can_jump || site->is_wide;
        rdl__site_lead(site, stub);
        rdl__sites_list(sites, site);
    }
    detour->real = site->is_wide ? site->wide_copy : site->copy;
    __atomic_store_n(&site->target, detour->target, __ATOMIC_SEQ_CST);
    return true;
}

static void remove_all(struct rdl__detour *const *detours, size_t count)
{
    struct rdl__sites sites;

    rdl__sites_init(&sites, count);
    for (size_t i = 0; i < count; i++)
        if (detours[i]->is_placed && !rdl__site_has_hooks(detours[i]->site) &&
            detours[i]->site->is_armed)
            rdl__sites_list(&sites, detours[i]->site);
    rdl__sites_disarm(&sites);
    rdl__sites_release(&sites);
    for (size_t i = 0; i < count; i++)
        if (detours[i]->is_placed) {
            __atomic_store_n(&detours[i]->site->target, 0, __ATOMIC_SEQ_CST);
            detours[i]->is_placed = false;
        }
}

static bool place_all(struct rdl__detour *const *detours, size_t count, struct rdl__error *error)
{
    struct rdl__detour **placed = rdl__allocate(count * sizeof *placed); /* not before */
    size_t placed_count = 0;
    struct rdl__sites sites;
    bool ok = true;

    rdl__sites_init(&sites, count);
    for (size_t i = 0; ok && i < count; i++)
        if (!detours[i]->is_placed && (ok = place(detours[i], &sites, error)))
            placed[placed_count++] = detours[i];
    ok = ok && rdl__sites_arm(&sites, error);
    rdl__sites_release(&sites);
    if (!ok)
        remove_all(placed, placed_count);
    free(placed);
    return ok;
}

bool rdl__detours_place(struct rdl__detour *const *detours, size_t count, struct rdl__error *error)
{
    bool begun = rdl__sites_begin();
    bool ok = rdl__sites_prepare(error) && place_all(detours, count, error);

    rdl__sites_end(begun);
    return ok;
}

void rdl__detours_remove(struct rdl__detour *const *detours, size_t count)
{
    bool begun = rdl__sites_begin();

    remove_all(detours, count);
    rdl__sites_end(begun);
}

uintptr_t rdl__detour_real(const struct rdl__detour *detour)
{
    return detour->real;
}

bool rdl__detour_is_there(const struct rdl__detour *detour)
{
    return detour->is_placed && rdl__site_is_there(detour->site);
}

bool rdl__detour_is_jump(const struct rdl__detour *detour)
{
    return detour->is_placed && detour->site->is_jump;
}
