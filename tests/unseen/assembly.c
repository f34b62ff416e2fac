/* assembly.c -- two threads that meet in inline assembly.
 *
 * ./assembly WAY: each thread adds one to a counter.  The ways that begin with "lost" lose an
 * update, or race, in some schedule; the others are right in all. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int counter, lock_word, turns[2], turn;

static int load(const int *from)
{
    int value;

    __asm__ volatile("movl %1, %0" : "=r"(value) : "m"(*from) : "memory");
    return value;
}

static void store(int *to, int value)
{
    __asm__ volatile("movl %1, %0" : "=m"(*to) : "r"(value) : "memory");
}

static void locked(void)
{
    __asm__ volatile("lock; incl %0" : "+m"(counter) : : "memory");
}

static void lost_unlocked(void)
{
    __asm__ volatile("incl %0" : "+m"(counter) : : "memory");
}

static void lost_in_two(void)
{
    int value = load(&counter);

    store(&counter, value + 1);
}

/* In one statement, with flags that live from one instruction to the next. */
static void lost_in_one(void)
{
    int value;

    __asm__ volatile("movl %1, %0\n\t"
                     "cmpl $1000, %0\n\t"
                     "movl %1, %0\n\t"
                     "jg 1f\n\t"
                     "incl %0\n"
                     "1:\tmovl %0, %1"
                     : "=&r"(value), "+m"(counter)
                     :
                     : "memory");
}

static void by_adding(void)
{
    int one = 1;

    __asm__ volatile("lock xaddl %0, %1" : "+r"(one), "+m"(counter) : : "memory");
}

static void add(void)
{
    counter++;
}

static void by_exchanging(void)
{
    int old;

    do {
        old = 1;
        __asm__ volatile("xchgl %0, %1" : "+r"(old), "+m"(lock_word) : : "memory");
        __asm__ volatile("pause");
    } while (old);
    add();
    store(&lock_word, 0);
}

static void by_comparing(void)
{
    int old, value = 1;

    do {
        old = 0;
        __asm__ volatile("lock cmpxchgl %2, %1"
                         : "+a"(old), "+m"(lock_word)
                         : "r"(value)
                         : "memory", "cc");
    } while (old);
    add();
    store(&lock_word, 0);
}

/* Of the second word: the bit is far from the address. */
static void by_a_bit(void)
{
    static unsigned long words[4];
    unsigned char was;

    do
        __asm__ volatile("lock btsq %2, %1\n\tsetc %0"
                         : "=q"(was), "+m"(words)
                         : "r"(65L)
                         : "memory", "cc");
    while (was);
    add();
    __asm__ volatile("lock btrq %1, %0" : "+m"(words) : "r"(65L) : "memory", "cc");
}

/* The loop is in the statement itself. */
static void by_a_loop(void)
{
    __asm__ volatile("1:\tmovl $1, %%eax\n\t"
                     "xchgl %%eax, %0\n\t"
                     "testl %%eax, %%eax\n\t"
                     "jz 2f\n\t"
                     "pause\n\t"
                     "jmp 1b\n"
                     "2:"
                     : "+m"(lock_word)
                     :
                     : "eax", "memory", "cc");
    add();
    __asm__ volatile("movl $0, %0" : "=m"(lock_word) : : "memory");
}

static void lost_by_looking_first(void)
{
    while (load(&lock_word))
        __asm__ volatile("pause" ::: "memory");
    store(&lock_word, 1);
    add();
    store(&lock_word, 0);
}

/* Peterson's lock, of loads, stores and fences. */
static void by_turns_of(int me)
{
    store(&turns[me], 1);
    store(&turn, 1 - me);
    __asm__ volatile("mfence" ::: "memory");
    while (load(&turns[1 - me]) && load(&turn) == 1 - me)
        __asm__ volatile("rep; nop" ::: "memory");
    add();
    store(&turns[me], 0);
}

static void by_turns(void)
{
    static int next;

    by_turns_of(__atomic_fetch_add(&next, 1, __ATOMIC_RELAXED));
}

static void copy(int *to, const int *from)
{
    unsigned long count = sizeof *to;

    __asm__ volatile("cld; rep movsb" : "+D"(to), "+S"(from), "+c"(count) : : "memory");
}

/* By instructions that cannot be taken apart. */
static void lost_by_copying(void)
{
    int value;

    copy(&value, &counter);
    value++;
    copy(&counter, &value);
}

static void lost_by_vectors(void)
{
    static _Alignas(16) int four[4];

    __asm__ volatile("movdqa %0, %%xmm3\n\t"
                     "paddd %%xmm3, %%xmm3\n\t"
                     "movdqa %%xmm3, %0"
                     : "+m"(four)
                     :
                     : "xmm3", "memory");
    __atomic_fetch_add(&counter, 1, __ATOMIC_RELAXED);
}

static const struct {
    const char *name;
    void (*run)(void);
} ways[] = {{"locked", locked},
            {"lost_unlocked", lost_unlocked},
            {"lost_in_two", lost_in_two},
            {"lost_in_one", lost_in_one},
            {"by_adding", by_adding},
            {"by_exchanging", by_exchanging},
            {"by_comparing", by_comparing},
            {"by_a_bit", by_a_bit},
            {"by_a_loop", by_a_loop},
            {"by_turns", by_turns},
            {"lost_by_looking_first", lost_by_looking_first},
            {"lost_by_copying", lost_by_copying},
            {"lost_by_vectors", lost_by_vectors}};

static void *thread(void *run)
{
    ((void (*)(void))run)();
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t threads[2];
    void *run = NULL;

    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        if (argc > 1 && strcmp(ways[i].name, argv[1]) == 0)
            run = (void *)ways[i].run;
    if (!run)
        return 3;
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, thread, run);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    if (counter != 2)
        printf("%d of 2\n", counter);
    return counter == 2 ? 0 : 1;
}
