/* site.h -- instructions that lead elsewhere: what hooks and detours have in common.
 *
 * A *site* is an instruction that has or had a hook or a detour, and is kept for ever: a thread
 * may have come to it and be anywhere between there and where it leads.  Its *slot* is the code
 * near to it that calls the functions of hooks, then executes the copy of the instruction.
 * A *stub* is another slot, which does no more than to go to where a detour leads.
 *
 * A site is *armed* if a breakpoint or a jump stands there.  The jump may be *wide*: it takes
 * the place of several instructions, of all of which there is a copy.  Only detours have that,
 * since whether it is safe depends on the function (entry.h).
 *
 * Invariant: what a site leads to is complete, and in the table of traps, before it is armed.
 * Invariant: the slot's copy, of one instruction, goes back to the next one; so it must not be
 * executed while a wide jump is there.  Hence what was given away that ends there (a hook, or
 * its bypass) makes a site never to be wide (is_narrow). */
#ifndef RDL__SITE_H
#define RDL__SITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "port/relocate.h"

enum { RDL__JUMP_SIZE = 5, RDL__JUMP = 0xe9 };
enum { RDL__WIDE_MAX = RDL__JUMP_SIZE - 1 + RDL__INSTRUCTION_MAX };

/* Where a slot's code begins, after the site that it is of. */
enum { RDL__SLOT_CODE_AT = 8, RDL__SLOT_BEHIND_CALL_AT = 19 };

struct rdl__hook;

/* The hooks of a site.  When there is no room left a larger one takes its place, with each hook
 * under the same number; this one stays, as a thread may be going through it. */
struct rdl__hooks {
    struct rdl__hooks *smaller;
    int room;
    struct rdl__hook *items[]; /* NULL: a free place */
};

struct rdl__stub {
    uintptr_t code, target;
    struct rdl__stub *next;
};

struct rdl__site {
    uintptr_t address;
    uintptr_t slot;
    uintptr_t copy; /* of the instruction, in the slot */
    uint8_t original[RDL__WIDE_MAX], length;
    bool is_near;  /* a jump can reach its slots */
    bool can_jump; /* the instruction is long enough for one */
    bool is_jump, is_armed, is_listed;
    uint8_t jump[RDL__JUMP_SIZE]; /* what the first bytes are replaced by */
    int inside;                   /* threads that may be calling a hook */
    struct rdl__hooks *hooks;     /* NULL: it never had any */

    uintptr_t target; /* of the detour; 0: there is none */
    struct rdl__stub *stubs;
    bool is_wide, is_narrow; /* it is now; it must never be */
    uintptr_t wide_copy;     /* 0: there is none yet */
    uint8_t wide_length;     /* of the instructions copied there */
    struct rdl__site *next;
};

/* ---- One at a time -------- */

/* Around all that follows.  A thread between these passes hooks.  What the first returns is for
 * the second. */
bool rdl__sites_begin(void);
void rdl__sites_end(bool begun);
extern _Thread_local bool rdl__sites_at_work
    __attribute__((visibility("hidden"), tls_model("initial-exec")));

/* Can there be sites at all?  (hook.c, which tries one.) */
bool rdl__sites_prepare(struct rdl__error *error);

/* Code to try a hook on. */
void rdl__hook_trial(void);

/* ---- Sites -------- */

/* The instruction at this address, or behind it if that is endbr64.  NULL: refused. */
struct rdl__site *rdl__site_get(uintptr_t address, struct rdl__error *error);

/* What is known of this address; NULL: nothing. */
struct rdl__site *rdl__site_at(uintptr_t address);
struct rdl__site *rdl__site_first(void); /* of all, by next */

static inline struct rdl__site *rdl__site_of_slot(uintptr_t slot)
{
    return *(struct rdl__site **)slot;
}

/* Has it hooks?  (hook.c) */
bool rdl__site_has_hooks(const struct rdl__site *site);

/* Code that goes to the target; the same for the same one. */
uintptr_t rdl__site_stub(struct rdl__site *site, uintptr_t target);

/* Make a slot for the copy of some instructions; 0: there is no room. */
uintptr_t rdl__site_keep_copy(struct rdl__site *site,
                              bool (*write)(const struct rdl__site *site, uintptr_t at,
                                            uint8_t *out, size_t room));

/* Where threads go that come to it. */
void rdl__site_lead(struct rdl__site *site, uintptr_t code);

/* Which instruction's copy is executed here; else the address itself. */
uintptr_t rdl__site_origin(uintptr_t pc);

/* ---- Arming (site_arm.c) -------- */

/* Sites to be armed or disarmed together: all CPUs are told three times at most, however
 * many there are. */
struct rdl__sites {
    struct rdl__site **items;
    size_t count;
};

void rdl__sites_init(struct rdl__sites *sites, size_t room);
void rdl__sites_release(struct rdl__sites *sites);
void rdl__sites_list(struct rdl__sites *sites, struct rdl__site *site);

/* As jumps, those that say so (is_jump); but wide ones only if no thread can stand in the midst
 * of what is overwritten. */
bool rdl__sites_arm(struct rdl__sites *sites, struct rdl__error *error);
void rdl__sites_disarm(struct rdl__sites *sites);

/* Is what was written to it still there?  The library that it is in may have been unloaded. */
bool rdl__site_is_there(const struct rdl__site *site);

/* Have a breakpoint at a site that is armed by a jump. */
bool rdl__site_lower(struct rdl__site *site, struct rdl__error *error);

#endif
