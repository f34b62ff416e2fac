/* site.c -- instructions that lead elsewhere: their slots, and what is known of them. */
#include "port/site.h"

#include <dlfcn.h>
#include <link.h>
#include <linux/futex.h>
#include <stdlib.h>
#include <string.h>

#include "base/apart.h"
#include "base/memory.h"
#include "port/code.h"
#include "port/hook_enter.h"
#include "port/kernel.h"
#include "port/trap.h"
#include "port/unblock.h"

/* All of them, for who looks for memory that has been lost. */
static struct rdl__site *first_site;

/* Code that was found to be executable last. */
static uintptr_t known_start, known_end;

/* ---- One at a time --------------------------------------------------------------------------- */

static int lock; /* 0: free, 1: taken, 2: and waited for */
_Thread_local bool rdl__sites_at_work __attribute__((tls_model("initial-exec")));

/* Not a lock of pthread's, which may be controlled. */
bool rdl__sites_begin(void)
{
    bool for_us_before = rdl__for_us;
    int free = 0;

    rdl__sites_at_work = true;
    rdl__for_us = rdl__is_apart;
    if (!__atomic_compare_exchange_n(&lock, &free, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
        while (__atomic_exchange_n(&lock, 2, __ATOMIC_ACQUIRE) != 0)
            rdl__kernel(SYS_futex, (long)&lock, FUTEX_WAIT_PRIVATE, 2, 0, 0, 0);
    known_start = known_end = 0;
    rdl__code_open();
    return for_us_before;
}

void rdl__sites_end(bool begun)
{
    rdl__code_close();
    if (__atomic_exchange_n(&lock, 0, __ATOMIC_RELEASE) == 2)
        rdl__kernel(SYS_futex, (long)&lock, FUTEX_WAKE_PRIVATE, 1, 0, 0, 0);
    rdl__for_us = begun;
    rdl__sites_at_work = false;
}

/* ---- Slots ----------------------------------------------------------------------------------- */

/* In a slot: the site; code that calls us; the copy.  Those whose copy has to reach far
 * are larger. */
enum { SLOT = 64, LARGE_SLOT = 128, COPY_AT = 27 };
enum { CODE_AT = RDL__SLOT_CODE_AT, BEHIND_CALL_AT = RDL__SLOT_BEHIND_CALL_AT };
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

/* One with a free slot; NULL: there is no memory. */
static struct zone *get_zone(uintptr_t address)
{
    struct zone *zone = find_zone(address);

    return zone ? zone : new_zone(address);
}

static bool write_slot(struct zone *zone, const uint8_t *slot)
{
    if (!rdl__code_write(zone->start + zone->used, slot, zone->slot_size))
        return false;
    zone->used += zone->slot_size;
    return true;
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

/* Stays as it is once it is written, since somebody may be on the way through it. */
static uintptr_t new_stub(struct rdl__site *site, uintptr_t target)
{
    static const uint8_t code[] = {0xff, 0x25, 2, 0, 0, 0, 0x0f, 0x0b}; /* jmp *target */
    struct zone *zone = get_zone(site->address);
    uint8_t slot[LARGE_SLOT] = {0};
    uintptr_t at = zone ? zone->start + zone->used : 0;

    memcpy(slot, &site, sizeof site);
    memcpy(slot + CODE_AT, code, sizeof code);
    memcpy(slot + CODE_AT + sizeof code, &target, sizeof target);
    return zone && write_slot(zone, slot) ? at + CODE_AT : 0;
}

uintptr_t rdl__site_stub(struct rdl__site *site, uintptr_t target)
{
    struct rdl__stub *stub = site->stubs;
    uintptr_t code;

    while (stub && stub->target != target)
        stub = stub->next;
    if (stub)
        return stub->code;
    code = new_stub(site, target);
    if (!code)
        return 0;
    stub = rdl__allocate(sizeof *stub);
    *stub = (struct rdl__stub){code, target, site->stubs};
    site->stubs = stub;
    return code;
}

uintptr_t rdl__site_keep_copy(struct rdl__site *site,
                              bool (*write)(const struct rdl__site *site, uintptr_t at,
                                            uint8_t *out, size_t room))
{
    struct zone *zone = get_zone(site->address);
    uint8_t slot[LARGE_SLOT] = {0};
    uintptr_t at = zone ? zone->start + zone->used + CODE_AT : 0;

    memcpy(slot, &site, sizeof site);
    return zone && write(site, at, slot + CODE_AT, zone->slot_size - CODE_AT) &&
                   write_slot(zone, slot)
               ? at
               : 0;
}

uintptr_t rdl__site_origin(uintptr_t pc)
{
    for (const struct zone *zone = __atomic_load_n(&zones, __ATOMIC_ACQUIRE); zone;
         zone = zone->next)
        if (pc >= zone->start + zone->slot_size && pc < zone->start + zone->used)
            return rdl__site_of_slot(pc - (pc - zone->start) % zone->slot_size)->address;
    return pc;
}

/* ---- Sites ----------------------------------------------------------------------------------- */

static bool is_code(uintptr_t address)
{
    return (address >= known_start && address < known_end) ||
           rdl__code_find(address, &known_start, &known_end);
}

/* The entry of a function that comes before one of the C library's, by its name: who means that
 * function means this one, too. */
static bool is_stand_in(uintptr_t address)
{
    Dl_info info;

    return dladdr((void *)address, &info) && info.dli_saddr &&
           address - (uintptr_t)info.dli_saddr <= 4 && /* endbr64 */
           strncmp(info.dli_sname, "rdl_", 4) != 0;
}

static bool is_of_raddle(uintptr_t address)
{
    struct dl_find_object found;

    if (address == (uintptr_t)rdl__hook_trial)
        return false;
    return rdl__trap_needs(address) ||
           (_dl_find_object((void *)address, &found) == 0 && found.dlfo_link_map->l_name &&
            strstr(found.dlfo_link_map->l_name, "/libraddle.so") && !is_stand_in(address));
}

void rdl__site_lead(struct rdl__site *site, uintptr_t code)
{
    int32_t distance = (int32_t)(code - (site->address + RDL__JUMP_SIZE));

    site->jump[0] = RDL__JUMP;
    memcpy(site->jump + 1, &distance, sizeof distance);
    rdl__trap_add(site->address, code);
}

static bool make_slot(struct rdl__site *site, struct rdl__error *error)
{
    struct zone *zone = get_zone(site->address);
    uint8_t slot[LARGE_SLOT] = {0};
    struct rdl__moved copy;

    if (!zone)
        return rdl__fail(error, "no memory for a hook at 0x%zx", site->address);
    site->slot = zone->start + zone->used;
    site->copy = site->slot + COPY_AT;
    if (!rdl__relocate(site->original, site->length, site->address, site->copy, &copy))
        return rdl__fail(error, "no hook at 0x%zx: %s", site->address, copy.refused);
    fill_slot(slot, site->slot, zone, site, &copy);
    if (!write_slot(zone, slot))
        return rdl__fail(error, "cannot write the code of a hook at 0x%zx", site->address);
    site->is_near = zone->slot_size == SLOT;
    site->can_jump = copy.length >= RDL__JUMP_SIZE && !copy.has_lock && site->is_near;
    rdl__site_lead(site, site->slot + CODE_AT);
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

struct rdl__site *rdl__site_at(uintptr_t address)
{
    uintptr_t code = rdl__trap_find(address);

    return code ? rdl__site_of_slot(code - CODE_AT) : NULL;
}

struct rdl__site *rdl__site_first(void)
{
    return first_site;
}

/* The site at this address, if there was one; and what is there has not changed, as it does
 * when another library is loaded in the place of one. */
static struct rdl__site *find_site(uintptr_t address, const uint8_t *bytes, size_t count)
{
    struct rdl__site *site = rdl__site_at(address);

    if (!site || (site->is_armed && bytes[0] == (site->is_jump ? RDL__JUMP : rdl__trap_byte)))
        return site;
    site->is_armed = false;
    return count >= site->length && memcmp(bytes, site->original, site->length) == 0 ? site : NULL;
}

/* Is it part of what another that is armed has a copy of?  Then one of them is none. */
static const struct rdl__site *find_overlapped(uintptr_t address, uint8_t length)
{
    for (uintptr_t at = address - RDL__WIDE_MAX; at < address + length; at++) {
        const struct rdl__site *site = at != address ? rdl__site_at(at) : NULL;

        if (site && site->is_armed &&
            at + (site->is_wide ? site->wide_length : site->length) > address)
            return site;
    }
    return NULL;
}

/* Why there can be no hook here; NULL: there can. */
static const char *why_not(uintptr_t address, size_t readable, const struct rdl__moved *copy)
{
    const struct rdl__site *other;

    if (readable == 0 || !is_code(address))
        return "there is no code";
    if (is_of_raddle(address))
        return "this is code of Raddle itself";
    if (rdl__unblock_is_call(address))
        return "the C library blocks all signals here";
    other = find_overlapped(address, copy->length ? copy->length : 1);
    if (other)
        return other->is_wide ? "it is among the first instructions of a function that leads "
                                "elsewhere as a whole (it is mocked, or spied on)"
                              : "that is within another instruction, which has a hook";
    return copy->refused;
}

static bool is_landing(const uint8_t *bytes, size_t count)
{
    static const uint8_t endbr64[] = {0xf3, 0x0f, 0x1e, 0xfa};

    return count >= sizeof endbr64 && memcmp(bytes, endbr64, sizeof endbr64) == 0;
}

struct rdl__site *rdl__site_get(uintptr_t address, struct rdl__error *error)
{
    enum { LANDING_SIZE = 4 };
    uint8_t bytes[RDL__INSTRUCTION_MAX];
    size_t count = rdl__code_read(address, bytes, sizeof bytes);
    struct rdl__site *site = find_site(address, bytes, count);
    struct rdl__moved copy;
    const char *why;

    if (is_landing(bytes, count))
        return rdl__site_get(address + LANDING_SIZE, error);
    if (site && (site->is_armed || !find_overlapped(address, site->length)))
        return site;
    rdl__relocate(bytes, count, address, address, &copy);
    why = why_not(address, count, &copy);
    if (why) {
        rdl__fail(error, "no hook at 0x%zx: %s", address, why);
        return NULL;
    }
    return new_site(address, bytes, copy.length, error);
}
