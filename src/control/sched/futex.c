/* futex.c -- futexes, as programs use them that bring their own locks.
 *
 * Waiters are in one list, in the order in which they came, each with the address it
 * waits at: that is what requeueing changes.  The kernel promises nothing about which
 * waiter is woken, so it is a choice; the simplest is the one that came first, as the
 * kernel has it.  Whoever does not sleep here, in another process say, is woken by
 * the kernel if wakings are left.
 *
 * A waiter that other processes may wake (FUTEX_PRIVATE_FLAG is not set, and there
 * are other processes) wakes up when the word has changed, as it may at any time.
 *
 * Memory: waiters lie on the stacks of the threads that wait. */
#include <errno.h>
#include <linux/futex.h>
#include <unistd.h>

#include "control/sched/world.h"

#define sched (&rdl__sched)

struct waiter {
    uint32_t *word; /* where it waits */
    uintptr_t at;   /* where it waited first: the object of its operation */
    uint32_t bits;
    uint32_t value; /* of the word, when it came */
    bool shared, woken;
    bool wants_lock; /* FUTEX_LOCK_PI */
    struct rdl__thread *thread;
    struct waiter *next;
};

static struct waiter *first;

void rdl__futexes_begin(void)
{
    first = NULL;
}

static struct rdl__op futex_op(enum rdl__op_kind kind, const uint32_t *word, const uint32_t *other,
                               uintptr_t pc)
{
    return (struct rdl__op){.kind = (uint8_t)kind,
                            .thing = RDL__ON_FUTEX,
                            .touch = RDL__WRITES,
                            .size = sizeof *word,
                            .object = (uintptr_t)word,
                            .also = (uintptr_t)other,
                            .pc = pc};
}

/* ---- The list ---------------------------------------------------------------------- */

static void join_list(struct waiter *waiter)
{
    struct waiter **end = &first;

    while (*end)
        end = &(*end)->next;
    *end = waiter;
}

static void leave_list(struct waiter *waiter)
{
    struct waiter **at = &first;

    while (*at && *at != waiter)
        at = &(*at)->next;
    if (*at)
        *at = waiter->next;
}

/* The n-th that sleeps at the word with one of these bits; NULL: not so many. */
static struct waiter *sleeper(const uint32_t *word, uint32_t bits, uint32_t n)
{
    for (struct waiter *it = first; it; it = it->next)
        if (it->word == word && it->bits & bits && !it->woken && n-- == 0)
            return it;
    return NULL;
}

static uint32_t count_sleepers(const uint32_t *word, uint32_t bits)
{
    uint32_t count = 0;

    while (sleeper(word, bits, count))
        count++;
    return count;
}

static void wake(struct rdl__thread *self, struct waiter *waiter)
{
    waiter->woken = true;
    rdl__hb_release(self, (uintptr_t)waiter->word);
    rdl__changed(waiter->at);
}

/* Wakes up to so many; the choice is which, where it is not all of them. */
static long wake_some(struct rdl__thread *self, uint32_t *word, uint32_t bits, long most,
                      bool shared)
{
    long woken = 0;

    while (woken < most) {
        uint32_t asleep = count_sleepers(word, bits);

        if (asleep == 0)
            break;
        wake(self, sleeper(word, bits, most >= asleep ? 0 : rdl__pick_one(asleep - 1)));
        woken++;
    }
    if (woken < most) {
        long more = rdl__kernel(SYS_futex, (long)word,
                                FUTEX_WAKE_BITSET | (shared ? 0 : FUTEX_PRIVATE_FLAG), most - woken,
                                0, 0, (long)bits);

        woken += more > 0 ? more : 0;
    }
    return woken;
}

/* ---- Waiting ----------------------------------------------------------------------- */

static uint32_t load(const uint32_t *word)
{
    return __atomic_load_n(word, __ATOMIC_SEQ_CST);
}

/* Woken; or, from outside, as good as that. */
static bool is_woken(void *what)
{
    const struct waiter *waiter = what;

    return waiter->woken || (waiter->shared && !waiter->wants_lock && rdl__has_forked() &&
                             load(waiter->word) != waiter->value);
}

bool rdl__futex_is_outside(const struct rdl__thread *thread)
{
    const struct waiter *waiter = thread->what;

    return thread->state == RDL__ALIVE && thread->ready == is_woken && waiter->shared &&
           rdl__has_children();
}

/* Sleep until woken; an error number.  ERESTART: a handler has run, after which such
 * calls begin anew. */
static int sleep_at(struct rdl__thread *self, struct waiter *waiter, uint64_t deadline,
                    uintptr_t pc)
{
    struct rdl__op op = futex_op(RDL__OP_FUTEX_WAIT, waiter->word, NULL, pc);
    int cancel_state = self->cancel_state;

    for (;;) {
        enum rdl__woken woken;
        enum rdl__handled handled;

        join_list(waiter);
        self->cancel_state = PTHREAD_CANCEL_DISABLE; /* a call by number ends nobody */
        woken = rdl__await_interruptibly(self, &op, is_woken, waiter, deadline);
        self->cancel_state = cancel_state;
        leave_list(waiter);
        if (woken == RDL__READY) {
            rdl__hb_acquire(self, (uintptr_t)waiter->word);
            return 0;
        }
        if (woken == RDL__TIMED_OUT)
            return ETIMEDOUT;
        handled = rdl__run_handlers(self); /* may never return */
        if (handled != RDL__NOTHING_RAN)
            return handled == RDL__RAN_AND_GOES_ON && deadline == RDL__FOREVER ? ERESTART : EINTR;
    }
}

static long wait_at(struct rdl__thread *self, uint32_t *word, uint32_t value, uint32_t bits,
                    uint64_t deadline, bool shared, uintptr_t pc)
{
    struct rdl__op op = futex_op(RDL__OP_FUTEX_WAIT, word, NULL, pc);
    int why;

    if (bits == 0)
        return -EINVAL;
    do {
        struct waiter waiter = {.word = word,
                                .at = (uintptr_t)word,
                                .bits = bits,
                                .value = value,
                                .shared = shared,
                                .thread = self};

        rdl__point(self, &op);
        if (load(word) != value)
            return -EAGAIN;
        if (rdl__fault(RDL__FAULT_SPURIOUS))
            return 0;
        why = sleep_at(self, &waiter, deadline, pc);
    } while (why == ERESTART);
    return -why;
}

/* ---- Moving waiters from one word to another ------------------------------------------ */

static long requeue(struct rdl__thread *self, uint32_t *word, uint32_t *other, long wakings,
                    long moves, const uint32_t *expected, bool shared, uintptr_t pc)
{
    struct rdl__op op = futex_op(RDL__OP_FUTEX_WAKE, word, other, pc);
    struct waiter *waiter;
    long woken, moved = 0;

    rdl__point(self, &op);
    if (wakings < 0 || moves < 0)
        return -EINVAL;
    if (expected && load(word) != *expected)
        return -EAGAIN;
    woken = wake_some(self, word, UINT32_MAX, wakings, shared);
    for (; moved < moves && (waiter = sleeper(word, UINT32_MAX, 0)); moved++) {
        leave_list(waiter);
        waiter->next = NULL;
        waiter->word = other;
        sched->view.ops[waiter->thread->id].also = (uintptr_t)other;
        join_list(waiter);
    }
    return expected ? woken + moved : woken;
}

/* FUTEX_WAKE_OP: change the other word as the code says; was it as the code asks? */
static bool change_word(uint32_t *word, uint32_t code)
{
    uint32_t operation = code >> 28 & 7, comparison = code >> 24 & 15;
    uint32_t operand = code >> 12 & 0xfff, than = code & 0xfff, old = load(word), new;
    int32_t a = (int32_t)old, b = (int32_t)(than << 20) >> 20;

    operand = (uint32_t)((int32_t)(operand << 20) >> 20);
    if (code >> 31)
        operand = UINT32_C(1) << (operand & 31);
    new = operation == FUTEX_OP_SET    ? operand
          : operation == FUTEX_OP_ADD  ? old + operand
          : operation == FUTEX_OP_OR   ? (old | operand)
          : operation == FUTEX_OP_ANDN ? (old & ~operand)
                                       : (old ^ operand);
    __atomic_store_n(word, new, __ATOMIC_SEQ_CST);
    return comparison == FUTEX_OP_CMP_EQ   ? a == b
           : comparison == FUTEX_OP_CMP_NE ? a != b
           : comparison == FUTEX_OP_CMP_LT ? a < b
           : comparison == FUTEX_OP_CMP_LE ? a <= b
           : comparison == FUTEX_OP_CMP_GT ? a > b
                                           : a >= b;
}

/* ---- Locks of the kernel's ------------------------------------------------------------- */

/* It is free, or ours, or we have to wait: then 0. */
static int take_pi(uint32_t *word, uint32_t me)
{
    uint32_t owner = load(word) & FUTEX_TID_MASK;

    if (owner == me)
        return -EDEADLK;
    if (owner != 0)
        return 0;
    __atomic_store_n(word, me | (load(word) & FUTEX_OWNER_DIED), __ATOMIC_SEQ_CST);
    return 1;
}

/* Priorities are all the same here, so nothing is inherited. */
static long lock_pi(struct rdl__thread *self, uint32_t *word, uint64_t deadline, bool try,
                    uintptr_t pc)
{
    struct rdl__op op = futex_op(RDL__OP_FUTEX_WAIT, word, NULL, pc);

    for (;;) {
        struct waiter waiter = {.word = word,
                                .at = (uintptr_t)word,
                                .bits = UINT32_MAX,
                                .wants_lock = true,
                                .thread = self};
        int taken, why;

        rdl__point(self, &op);
        taken = take_pi(word, (uint32_t)rdl__thread_number(self));
        if (taken > 0)
            rdl__hb_acquire(self, (uintptr_t)word);
        if (taken != 0)
            return taken < 0 ? taken : 0;
        if (try)
            return -EAGAIN;
        __atomic_or_fetch(word, FUTEX_WAITERS, __ATOMIC_SEQ_CST);
        why = sleep_at(self, &waiter, deadline, pc);
        if (why != EINTR && why != ERESTART)
            return -why; /* woken, it is the owner already */
    }
}

static long unlock_pi(struct rdl__thread *self, uint32_t *word, uintptr_t pc)
{
    struct rdl__op op = futex_op(RDL__OP_FUTEX_WAKE, word, NULL, pc);
    struct waiter *next;
    uint32_t asleep;

    rdl__point(self, &op);
    if ((load(word) & FUTEX_TID_MASK) != (uint32_t)rdl__thread_number(self))
        return -EPERM;
    rdl__hb_release(self, (uintptr_t)word);
    asleep = count_sleepers(word, UINT32_MAX);
    if (asleep == 0) {
        __atomic_store_n(word, 0, __ATOMIC_SEQ_CST);
        return 0;
    }
    next = sleeper(word, UINT32_MAX, rdl__pick_one(asleep - 1));
    __atomic_store_n(word,
                     (uint32_t)rdl__thread_number(next->thread) | (asleep > 1 ? FUTEX_WAITERS : 0),
                     __ATOMIC_SEQ_CST);
    wake(self, next);
    return 0;
}

/* ---- The system call --------------------------------------------------------------------- */

/* An absolute time, except for plain FUTEX_WAIT; NULL: for ever. */
static bool deadline_of(int operation, const struct timespec *timeout, uint64_t *out)
{
    bool real = operation & FUTEX_CLOCK_REALTIME;

    *out = RDL__FOREVER;
    if (!timeout)
        return true;
    if (!rdl__is_span(timeout))
        return false;
    switch (operation & FUTEX_CMD_MASK) {
    case FUTEX_WAIT:
        *out = rdl__deadline_in(timeout);
        return true;
    case FUTEX_LOCK_PI:
        real = true;
        break;
    }
    *out = rdl__deadline_at(real ? CLOCK_REALTIME : CLOCK_MONOTONIC, timeout);
    return true;
}

static long wake_op(struct rdl__thread *self, const long *arguments, bool shared, uintptr_t pc)
{
    uint32_t *word = (uint32_t *)arguments[0], *other = (uint32_t *)arguments[4];
    struct rdl__op op = futex_op(RDL__OP_FUTEX_WAKE, word, other, pc);
    bool too;
    long woken;

    rdl__point(self, &op);
    too = change_word(other, (uint32_t)arguments[5]);
    woken = wake_some(self, word, UINT32_MAX, arguments[2], shared);
    return too ? woken + wake_some(self, other, UINT32_MAX, arguments[3], shared) : woken;
}

long rdl__futex(struct rdl__thread *self, const long *arguments, uintptr_t pc)
{
    uint32_t *word = (uint32_t *)arguments[0], *other = (uint32_t *)arguments[4];
    int operation = (int)arguments[1], command = operation & FUTEX_CMD_MASK;
    uint32_t value = (uint32_t)arguments[2], bits = (uint32_t)arguments[5];
    bool shared = !(operation & FUTEX_PRIVATE_FLAG);
    bool waits = command == FUTEX_WAIT || command == FUTEX_WAIT_BITSET ||
                 command == FUTEX_LOCK_PI || command == FUTEX_LOCK_PI2;
    struct rdl__op op = futex_op(RDL__OP_FUTEX_WAKE, word, NULL, pc);
    uint64_t deadline = RDL__FOREVER;

    if ((uintptr_t)word % sizeof *word != 0 ||
        (waits && !deadline_of(operation, (const struct timespec *)arguments[3], &deadline)))
        return -EINVAL;
    switch (command) {
    case FUTEX_WAIT:
        return wait_at(self, word, value, FUTEX_BITSET_MATCH_ANY, deadline, shared, pc);
    case FUTEX_WAIT_BITSET:
        return wait_at(self, word, value, bits, deadline, shared, pc);
    case FUTEX_WAKE:
        bits = FUTEX_BITSET_MATCH_ANY;
        __attribute__((fallthrough));
    case FUTEX_WAKE_BITSET:
        if (bits == 0)
            return -EINVAL;
        rdl__point(self, &op);
        return wake_some(self, word, bits, (int)value, shared);
    case FUTEX_REQUEUE:
        return requeue(self, word, other, (int)value, (int)arguments[3], NULL, shared, pc);
    case FUTEX_CMP_REQUEUE:
        return requeue(self, word, other, (int)value, (int)arguments[3], &bits, shared, pc);
    case FUTEX_WAKE_OP:
        return wake_op(self, arguments, shared, pc);
    case FUTEX_LOCK_PI:
    case FUTEX_LOCK_PI2:
        return lock_pi(self, word, deadline, false, pc);
    case FUTEX_TRYLOCK_PI:
        return lock_pi(self, word, RDL__FOREVER, true, pc);
    case FUTEX_UNLOCK_PI:
        return unlock_pi(self, word, pc);
    default:
        return -ENOSYS; /* what conditions do with kernel locks, and nobody else */
    }
}
