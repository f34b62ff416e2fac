/* donor.c -- real threads that lend their stack and their thread-local variables. */
#include "control/sched/donor.h"

#include <errno.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "base/apart.h"
#include "base/memory.h"
#include "control/sched/next.h"
#include "port/calls.h"
#include "port/heap.h"
#include "port/kernel.h"
#include "port/switch.h"

enum { BEING_MADE, PARKED, TO_END };
enum { PARKING_STACK = 4096, GUARD = 4096 };

static struct rdl__donor *idle; /* in the order in which they were made */
uint32_t rdl__donor_count;
static uint32_t idle_count;
static bool are_copies;

enum { SPECIAL_MAX = 64 };
static pthread_t specials[SPECIAL_MAX]; /* special ones that have ended, the last of them */
static uint32_t special_count;

/* Without the C library's: that would write to errno, which is not this kernel
 * thread's while it is parked. */
static void futex(int *word, int operation, int value)
{
    rdl__kernel(SYS_futex, (long)word, operation | FUTEX_PRIVATE_FLAG, value, 0, 0, 0);
}

static void await(int *word, int old)
{
    while (__atomic_load_n(word, __ATOMIC_ACQUIRE) == old)
        futex(word, FUTEX_WAIT, old);
}

static void set(int *word, int value)
{
    __atomic_store_n(word, value, __ATOMIC_RELEASE);
    futex(word, FUTEX_WAKE, 1);
}

/* On the tiny stack, in the donor's own kernel thread.  The variables of this
 * thread are somebody else's while it is here: nothing in it may touch them. */
__attribute__((no_sanitize("address"))) static void park(void *argument)
{
    struct rdl__donor *donor = argument;
    void *unused;

    set(&donor->state, PARKED);
    await(&donor->state, PARKED);
    rdl__switch(&unused, donor->place, donor->fs);
}

/* valgrind takes a step of less than 2 MB for one on the same stack, and what is in between for
 * unused; so there this stack is far from all others. */
static size_t parking_size(void)
{
    enum { FAR = 4 << 20 };

    return PARKING_STACK + (rdl__is_in_valgrind() ? 2 * FAR : 0);
}

static void *donor_main(void *argument)
{
    struct rdl__donor *donor = argument;
    size_t parking_room = parking_size();
    char *parking = rdl__map(parking_room, MAP_PRIVATE | MAP_NORESERVE | MAP_STACK);
    pthread_attr_t attributes;
    size_t size;
    void *low;

    donor->fs = rdl__thread_pointer();
    rdl__for_us = rdl__is_apart;
    pthread_getattr_np(pthread_self(), &attributes);
    pthread_attr_getstack(&attributes, &low, &size);
    pthread_attr_destroy(&attributes);
    donor->stack_low = (uintptr_t)low;
    donor->stack_high = (uintptr_t)low + size;
    rdl__for_us = false;
    rdl__call_on(&donor->place, parking + (parking_room + PARKING_STACK) / 2, park, donor);
    /* From here on it is the carrier that runs, until the donor is to end. */
    if (_setjmp(donor->top) != 0)
        rdl__switch(&donor->place, *donor->back, donor->back_fs);
    while (__atomic_load_n(&donor->state, __ATOMIC_ACQUIRE) != TO_END)
        donor->run(donor->argument);
    rdl__unmap(parking, parking_room);
    return NULL;
}

/* The stack of a donor that may have been made before the execution, or in it: where
 * it lies, and where other things do, must not depend on that. */
static bool get_stack_apart(pthread_attr_t *attributes)
{
    size_t size = 0;
    char *stack;

    if ((!rdl__is_apart && !rdl__heap_is_on) || pthread_getattr_default_np(attributes) != 0)
        return false;
    pthread_attr_getstacksize(attributes, &size);
    stack = rdl__is_apart
                ? rdl__map_for_program(GUARD + size, MAP_PRIVATE | MAP_NORESERVE | MAP_STACK)
                : rdl__heap_map(GUARD + size);
    if (stack && rdl__kernel(SYS_mprotect, (long)stack, GUARD, PROT_NONE, 0, 0, 0) == 0 &&
        pthread_attr_setstack(attributes, stack + GUARD, size) == 0)
        return true;
    pthread_attr_destroy(attributes);
    return false;
}

/* Signals for the process are the carrier's. */
static int create(struct rdl__donor *donor, const pthread_attr_t *attributes)
{
    bool for_us = rdl__for_us, apart = false;
    pthread_attr_t own;
    sigset_t all, old;
    int why;

    rdl__for_us = rdl__is_apart;
    if (!attributes)
        apart = get_stack_apart(&own);
    sigfillset(&all);
    sigdelset(&all, SIGSYS);  /* see dispatch.c */
    sigdelset(&all, SIGTRAP); /* see port/trap.h */
    sigdelset(&all, SIGSEGV);
    RDL__NEXT(pthread_sigmask)(SIG_SETMASK, &all, &old);
    why = RDL__NEXT(pthread_create)(&donor->thread, apart ? &own : attributes, donor_main, donor);
    RDL__NEXT(pthread_sigmask)(SIG_SETMASK, &old, NULL);
    rdl__donor_count += why == 0;
    if (why == 0)
        await(&donor->state, BEING_MADE);
    if (apart)
        pthread_attr_destroy(&own);
    rdl__for_us = for_us;
    return why;
}

struct rdl__donor *rdl__donor_get(const pthread_attr_t *attributes)
{
    static uint64_t number;
    struct rdl__donor *donor = idle;
    int why;

    if (donor && !attributes) {
        idle = donor->next;
        idle_count--;
        return donor;
    }
    donor = rdl__allocate(sizeof *donor);
    donor->fresh = true;
    donor->special = attributes != NULL;
    donor->number = number++;
    why = create(donor, attributes);
    if (why != 0) {
        free(donor);
        errno = why;
        return NULL;
    }
    return donor;
}

static void end(struct rdl__donor *donor)
{
    if (are_copies)
        return;
    set(&donor->state, TO_END);
    RDL__NEXT(pthread_join)(donor->thread, NULL);
    rdl__donor_count--;
    free(donor);
}

/* The oldest is the first to be used, whether or not others were made in advance. */
static void add_idle(struct rdl__donor *donor)
{
    struct rdl__donor **at = &idle;

    while (*at && (*at)->number < donor->number)
        at = &(*at)->next;
    donor->next = *at;
    *at = donor;
    idle_count++;
}

void rdl__donor_put(struct rdl__donor *donor)
{
    donor->fresh = false;
    if (donor->special) {
        specials[special_count++ % SPECIAL_MAX] = donor->fs;
        end(donor);
    } else {
        add_idle(donor);
    }
}

bool rdl__donor_lent(pthread_t handle)
{
    for (const struct rdl__donor *donor = idle; donor; donor = donor->next)
        if (donor->fs == handle)
            return true;
    for (uint32_t i = 0; i < special_count && i < SPECIAL_MAX; i++)
        if (specials[i] == handle)
            return true;
    return false;
}

void rdl__donors_prepare(uint32_t count)
{
    while (idle_count < count) {
        struct rdl__donor *spare = idle, *donor;

        idle = NULL; /* a new one is wanted */
        donor = rdl__donor_get(NULL);
        idle = spare;
        if (!donor)
            return;
        add_idle(donor);
    }
}

_Noreturn void rdl__donor_rewind(struct rdl__donor *donor, void **place, uintptr_t fs)
{
    donor->back = place;
    donor->back_fs = fs;
    _longjmp(donor->top, 1);
}

void rdl__donors_are_copies(void)
{
    are_copies = true;
    rdl__donor_count = 0;
}

void rdl__donors_are_gone(void)
{
    idle = NULL;
    idle_count = special_count = rdl__donor_count = 0;
}

void rdl__donors_release(void)
{
    while (idle) {
        struct rdl__donor *donor = idle;

        idle = donor->next;
        idle_count--;
        end(donor);
    }
}
