/* structures.c -- lock-free structures as libraries older than C11 have them: of volatile accesses
 * and built-in functions (-DBUILTINS), or of inline assembly (-DASSEMBLY).
 *
 *     structures right    names of those that are right on every machine
 *     structures wrong    and of those with a known mistake
 *     structures NAME     threads use it; the result is checked */
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef uintptr_t word;

/* ---- Primitives ------------------------------------------------------------------------------ */

#ifdef ASSEMBLY
static word load(const void *at)
{
    word value;

    __asm__ volatile("movq %1, %0" : "=r"(value) : "m"(*(const word *)at) : "memory");
    return value;
}

static void store(void *at, word value)
{
    __asm__ volatile("movq %1, %0" : "=m"(*(word *)at) : "r"(value) : "memory");
}

static void store_byte(void *at, uint8_t value)
{
    __asm__ volatile("movb %1, %0" : "=m"(*(uint8_t *)at) : "q"(value) : "memory");
}

static word fetch_store(void *at, word value)
{
    __asm__ volatile("xchgq %0, %1" : "+m"(*(word *)at), "+r"(value) : : "memory");
    return value;
}

static word fetch_add(void *at, word value)
{
    __asm__ volatile("lock xaddq %1, %0" : "+m"(*(word *)at), "+r"(value) : : "memory", "cc");
    return value;
}

static int compare_store(void *at, word old, word new)
{
    uint8_t done;

    __asm__ volatile("lock cmpxchgq %3, %0; setz %1"
                     : "+m"(*(word *)at), "=q"(done), "+a"(old)
                     : "r"(new)
                     : "memory", "cc");
    return done;
}

static void set_bit(void *at, unsigned bit)
{
    __asm__ volatile("lock btsq %1, %0" : "+m"(*(word *)at) : "r"((word)bit) : "memory", "cc");
}

static void fence(void)
{
    __asm__ volatile("mfence" : : : "memory");
}

static void pause(void)
{
    __asm__ volatile("pause" : : : "memory");
}
#else
static word load(const void *at)
{
    return *(const volatile word *)at;
}

static void store(void *at, word value)
{
    *(volatile word *)at = value;
}

static void store_byte(void *at, uint8_t value)
{
    *(volatile uint8_t *)at = value;
}

static word fetch_store(void *at, word value)
{
    word old;

    do
        old = load(at);
    while (!__sync_bool_compare_and_swap((word *)at, old, value));
    return old;
}

static word fetch_add(void *at, word value)
{
    return __sync_fetch_and_add((word *)at, value);
}

static int compare_store(void *at, word old, word new)
{
    return __sync_bool_compare_and_swap((word *)at, old, new);
}

static void set_bit(void *at, unsigned bit)
{
    __sync_fetch_and_or((word *)at, (word)1 << bit);
}

static void fence(void)
{
    __sync_synchronize();
}

static void pause(void)
{
    __asm__ volatile("" : : : "memory");
}
#endif

static void *at_pointer(const void *at)
{
    return (void *)load(at); /* NOLINT: a pointer that was stored as a number */
}

/* ---- Threads --------------------------------------------------------------------------------- */

enum { THREADS_MAX = 3, TURNS = 2 };

static void run(int count, void *(*const *bodies)(void *))
{
    pthread_t threads[THREADS_MAX];

    for (intptr_t i = 0; i < count; i++)
        pthread_create(&threads[i], NULL, bodies[i], (void *)i);
    for (int i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
}

#define RUN(...)                                                                                   \
    run(sizeof((void *(*[])(void *)){__VA_ARGS__}) / sizeof(void *),                               \
        (void *(*[])(void *)){__VA_ARGS__})
#define THREAD(name, does)                                                                         \
    static void *name(void *it)                                                                    \
    {                                                                                              \
        does;                                                                                      \
        return it;                                                                                 \
    }
#define ME ((int)(intptr_t)it)

static int count, other_count;

/* Two threads count under a lock. */
#define LOCK(name, take, give)                                                                     \
    THREAD(                                                                                        \
        name##_count, for (int i = 0; i < TURNS; i++) {                                            \
            take;                                                                                  \
            count++;                                                                               \
            give;                                                                                  \
        })                                                                                         \
    static void name(void)                                                                         \
    {                                                                                              \
        RUN(name##_count, name##_count);                                                           \
        assert(count == 2 * TURNS);                                                                \
    }

static void until(const void *at, word value)
{
    while (load(at) != value)
        pause();
}

/* ---- Locks ----------------------------------------------------------------------------------- */

static word taken;

static void take(void)
{
    while (fetch_store(&taken, 1))
        while (load(&taken))
            pause();
}

LOCK(spinlock, take(), store(&taken, 0))

static word next_ticket, served;
LOCK(ticket, until(&served, fetch_add(&next_ticket, 1)), store(&served, load(&served) + 1))

/* Who waits does so at a node of its own. */
struct mcs {
    word next, locked;
};
static word mcs_last;

static void mcs_take(struct mcs *node)
{
    struct mcs *before;

    node->locked = 1;
    node->next = 0;
    before = (struct mcs *)fetch_store(&mcs_last, (word)node);
    if (before) {
        store(&before->next, (word)node);
        until(&node->locked, 0);
    }
}

static void mcs_give(struct mcs *node)
{
    struct mcs *next;

    if (!load(&node->next)) {
        if (compare_store(&mcs_last, (word)node, 0))
            return;
        while (!load(&node->next))
            pause();
    }
    next = at_pointer(&node->next);
    store(&next->locked, 0);
}

LOCK(mcs, struct mcs node; mcs_take(&node), mcs_give(&node))

/* Who waits does so at the node of the one before. */
static word clh_free, clh_last;
static word clh_nodes[2][TURNS];

static word *clh_take(word *node)
{
    word *before;

    store(node, 1);
    before = (word *)fetch_store(&clh_last, (word)node);
    until(before, 0);
    return node;
}

LOCK(clh_lock, word *node = clh_take(&clh_nodes[ME][i]), store(node, 0))

static void clh(void)
{
    clh_last = (word)&clh_free;
    clh_lock();
}

/* Who waits does so at a place of an array. */
static word places[4] = {1}, next_place;
LOCK(anderson, word place = fetch_add(&next_place, 1) % 4; until(&places[place], 1);
     store(&places[place], 0), store(&places[(place + 1) % 4], 1))

/* ---- Readers and writers --------------------------------------------------------------------- */

#define READERS(name, read_take, read_give, write_take, write_give)                                \
    THREAD(                                                                                        \
        name##_read, for (int i = 0; i < TURNS; i++) {                                             \
            read_take;                                                                             \
            assert(count == other_count);                                                          \
            read_give;                                                                             \
        })                                                                                         \
    THREAD(                                                                                        \
        name##_write, for (int i = 0; i < TURNS; i++) {                                            \
            write_take;                                                                            \
            count++;                                                                               \
            other_count++;                                                                         \
            write_give;                                                                            \
        })                                                                                         \
    static void name(void)                                                                         \
    {                                                                                              \
        RUN(name##_read, name##_write, name##_read);                                               \
    }

static word writer, reader_count;

static void read_take(void)
{
    for (;;) {
        until(&writer, 0);
        fetch_add(&reader_count, 1);
        if (!load(&writer))
            return;
        fetch_add(&reader_count, (word)-1);
    }
}

static void write_take(void)
{
    while (fetch_store(&writer, 1))
        pause();
    until(&reader_count, 0);
}

READERS(rwlock, read_take(), fetch_add(&reader_count, (word)-1), write_take(), store(&writer, 0))

/* Readers have a byte each, which the writer reads as one word. */
static union {
    uint8_t bytes[8];
    word all;
} readers;

static void byte_take(int me)
{
    for (;;) {
        store_byte(&readers.bytes[me], 1);
        fence();
        if (!load(&writer))
            return;
        store_byte(&readers.bytes[me], 0);
        until(&writer, 0);
    }
}

static void byte_write_take(void)
{
    while (fetch_store(&writer, 1))
        pause();
    until(&readers.all, 0);
}

READERS(bytelock, byte_take(ME), store_byte(&readers.bytes[ME], 0), byte_write_take(),
        store(&writer, 0))

static word sequence, left, right;

THREAD(
    sequence_write, for (word i = 1; i <= TURNS; i++) {
        store(&sequence, load(&sequence) + 1);
        fence();
        store(&left, i);
        store(&right, i);
        fence();
        store(&sequence, load(&sequence) + 1);
    })

static void *sequence_read(void *it)
{
    word before, a, b;

    do {
        while ((before = load(&sequence)) & 1)
            pause();
        fence();
        a = load(&left);
        b = load(&right);
        fence();
    } while (load(&sequence) != before);
    assert(a == b);
    return it;
}

static void seqlock(void)
{
    RUN(sequence_write, sequence_read, sequence_read);
}

/* ---- Stacks and queues ----------------------------------------------------------------------- */

struct node {
    struct node *next;
    int value;
};

static word stack_head, sum;
static struct node nodes[4];

static void push(struct node *node)
{
    do
        node->next = at_pointer(&stack_head);
    while (!compare_store(&stack_head, (word)node->next, (word)node));
}

static struct node *pop(void)
{
    struct node *node;

    do
        node = at_pointer(&stack_head);
    while (node && !compare_store(&stack_head, (word)node, (word)node->next));
    return node;
}

static void push_new(int i)
{
    nodes[i].value = 1;
    push(&nodes[i]);
}

static void add_popped(void)
{
    struct node *node = pop();

    if (node)
        fetch_add(&sum, (word)node->value);
}

THREAD(stack_push, (push_new(2 * ME), push_new(2 * ME + 1)))
THREAD(stack_pop, (add_popped(), add_popped()))

static void stack(void)
{
    RUN(stack_push, stack_push, stack_pop);
    for (int i = 0; i < 4; i++)
        add_popped();
    assert(sum == 4);
}

THREAD(stack_pop_all, for (struct node *node = (struct node *)fetch_store(&stack_head, 0); node;
                           node = node->next) fetch_add(&sum, (word)node->value))

static void batches(void)
{
    RUN(stack_push, stack_push, stack_pop_all);
    stack_pop_all(NULL);
    assert(sum == 4);
}

static int ring[2];
static word ring_in, ring_out;

THREAD(
    ring_put, for (word i = 0; i < 3; i++) {
        while (i - load(&ring_out) == 2)
            pause();
        ring[i % 2] = (int)i + 1;
        store(&ring_in, i + 1);
    })

THREAD(
    ring_get, for (word i = 0; i < 3; i++) {
        while (load(&ring_in) == i)
            pause();
        assert(ring[i % 2] == (int)i + 1);
        store(&ring_out, i + 1);
    })

static void ring_of_one(void)
{
    RUN(ring_put, ring_get);
}

/* Each place says whose turn it is. */
static struct {
    word turn;
    int value;
} slots[2] = {{0, 0}, {1, 0}};

THREAD(slots_put, word at = fetch_add(&ring_in, 1); until(&slots[at % 2].turn, at);
       slots[at % 2].value = 1; store(&slots[at % 2].turn, at + 1))
THREAD(slots_get, word at = fetch_add(&ring_out, 1); until(&slots[at % 2].turn, at + 1);
       count += slots[at % 2].value; store(&slots[at % 2].turn, at + 2))

static void ring_of_many(void)
{
    RUN(slots_put, slots_put, slots_get);
    slots_get(NULL);
    assert(count == 2);
}

static struct node stub, *fifo_first = &stub, *fifo_last = &stub;

THREAD(
    fifo_put, for (int i = 0; i < 2; i++) {
        nodes[i].value = i + 1;
        store(&fifo_last->next, (word)&nodes[i]);
        fifo_last = &nodes[i];
    })

THREAD(
    fifo_get, for (int i = 0; i < 2; i++) {
        while (!load(&fifo_first->next))
            pause();
        fifo_first = at_pointer(&fifo_first->next);
        assert(fifo_first->value == i + 1);
    })

static void fifo(void)
{
    RUN(fifo_put, fifo_get);
}

/* ---- Memory that is freed -------------------------------------------------------------------- */

static word shared, announced[THREADS_MAX];

static struct node *new_node(void)
{
    struct node *node = malloc(sizeof *node);

    node->value = 1;
    return node;
}

THREAD(
    hazard_read, struct node *node; do {
        node = at_pointer(&shared);
        store(&announced[0], (word)node);
        fence();
    } while (load(&shared) != (word)node);
    assert(node->value == 1); store(&announced[0], 0))

THREAD(hazard_write, word old = fetch_store(&shared, (word)new_node()); fence();
       while (load(&announced[0]) == old) pause(); free((void *)old))

static void hazard_pointers(void)
{
    shared = (word)new_node();
    RUN(hazard_read, hazard_write);
}

/* A reader says that it reads, and in which epoch: 2 * epoch + 1. */
static word epoch;

THREAD(epoch_read, store(&announced[0], 2 * load(&epoch) + 1); fence();
       assert(((struct node *)at_pointer(&shared))->value == 1); store(&announced[0], 0))

static void *epoch_write(void *it)
{
    word old = fetch_store(&shared, (word)new_node()), now = fetch_add(&epoch, 1), seen;

    fence();
    while ((seen = load(&announced[0])) & 1 && seen >> 1 <= now)
        pause();
    free((void *)old);
    return it;
}

static void epochs(void)
{
    shared = (word)new_node();
    RUN(epoch_read, epoch_write);
}

/* ---- Others ---------------------------------------------------------------------------------- */

static word arrived, sense;
static int parts[THREADS_MAX];

static void wait_for_all(word my_sense)
{
    if (fetch_add(&arrived, 1) == THREADS_MAX - 1) {
        store(&arrived, 0);
        store(&sense, my_sense);
    } else {
        until(&sense, my_sense);
    }
}

THREAD(barrier_part, parts[ME] = 1; wait_for_all(1); assert(parts[0] + parts[1] + parts[2] == 3);
       wait_for_all(2); parts[ME] = 2)

static void barrier(void)
{
    RUN(barrier_part, barrier_part, barrier_part);
}

static word bits;

THREAD(bitmap_set, parts[ME] = 1; set_bit(&bits, (unsigned)ME * 9))
THREAD(bitmap_get, word seen = load(&bits);
       for (unsigned i = 0; i < 2; i++) if (seen >> 9 * i & 1) assert(parts[i] == 1))

static void bitmap(void)
{
    RUN(bitmap_set, bitmap_set, bitmap_get);
    assert(bits == (1 | 1 << 9));
}

static word table[4];

static void insert(struct node *node)
{
    word at = (word)node->value % 4;

    while (!compare_store(&table[at], 0, (word)node))
        at = (at + 1) % 4;
}

static struct node *look_up(int value)
{
    for (word at = (word)value % 4, i = 0; i < 4; at = (at + 1) % 4, i++) {
        struct node *node = at_pointer(&table[at]);

        if (!node || node->value == value)
            return node;
    }
    return NULL;
}

THREAD(set_insert, nodes[ME].value = 4 * ME + 1; insert(&nodes[ME]))
THREAD(set_look_up, struct node *node = look_up(5); assert(!node || node->value == 5))

static void hash_set(void)
{
    RUN(set_insert, set_insert, set_look_up);
    assert(look_up(1) && look_up(5));
}

/* ---- Mistakes -------------------------------------------------------------------------------- */

/* A node is back at the top, but what was below it is not. */
THREAD(aba_pop, struct node *node = pop(); if (node) fetch_add(&node->value, 0x100))
THREAD(aba_pop_and_push, struct node *first = pop(); struct node *second = pop();
       if (second) second->value = 2; if (first) push(first))

static void aba(void)
{
    struct node *node;

    for (int i = 0; i < 3; i++)
        push(&nodes[i]);
    RUN(aba_pop, aba_pop_and_push);
    while ((node = pop()))
        assert(node->value != 2);
}

THREAD(lost_count, for (int i = 0; i < TURNS; i++) store(&sum, load(&sum) + 1))

static void counter(void)
{
    RUN(lost_count, lost_count);
    assert(sum == 2 * TURNS);
}

THREAD(early_put, store(&ring_in, 1); ring[0] = 1)
THREAD(early_get, if (load(&ring_in)) assert(ring[0] == 1))

static void flag_too_early(void)
{
    RUN(early_put, early_get);
}

THREAD(plain_put, ring[0] = 1; ring_in = 1)
THREAD(plain_get, if (ring_in) assert(ring[0] == 1))

static void plain_flag(void)
{
    RUN(plain_put, plain_get);
}

/* A look at the lock, and then the taking of it. */
LOCK(test_then_set, until(&taken, 0); store(&taken, 1), store(&taken, 0))

/* ---- By name --------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    void (*run)(void);
    int is_wrong;
} all[] = {{"spinlock", spinlock, 0},
           {"ticket", ticket, 0},
           {"mcs", mcs, 0},
           {"clh", clh, 0},
           {"anderson", anderson, 0},
           {"rwlock", rwlock, 0},
           {"bytelock", bytelock, 0},
           {"seqlock", seqlock, 0},
           {"stack", stack, 0},
           {"batches", batches, 0},
           {"ring_of_one", ring_of_one, 0},
           {"ring_of_many", ring_of_many, 0},
           {"fifo", fifo, 0},
           {"hazard_pointers", hazard_pointers, 0},
           {"epochs", epochs, 0},
           {"barrier", barrier, 0},
           {"bitmap", bitmap, 0},
           {"hash_set", hash_set, 0},
           {"aba", aba, 1},
           {"counter", counter, 1},
           {"flag_too_early", flag_too_early, 1},
           {"plain_flag", plain_flag, 1},
           {"test_then_set", test_then_set, 1}};

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "right";

    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (strcmp(name, all[i].is_wrong ? "wrong" : "right") == 0)
            puts(all[i].name);
        if (strcmp(name, all[i].name) == 0)
            all[i].run();
    }
    return 0;
}
