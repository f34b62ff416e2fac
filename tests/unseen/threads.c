/* threads.c -- two instrumented threads that add one each, by code that is not instrumented.
 *
 * ./threads WAY: all ways lose an update in some schedule, but for "locked" and "apart". */
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "counter.h"

static const char *way;
int noted;
static int protected_value, own;
static int (*get)(void) = counter_get;
static void (*set)(int value) = counter_set;
static pthread_key_t key;

static int more(int value)
{
    __atomic_store_n(&noted, 0, __ATOMIC_RELAXED); /* a place to switch threads at */
    return value + 1;
}

static void direct(void)
{
    int value = counter_get();

    counter_set(value + 1);
}

static void by_pointer(void)
{
    int value = get();

    set(value + 1);
}

/* Attributes keep the compiler from instrumenting these. */
__attribute__((noinline, no_sanitize("thread"))) static int own_get(void)
{
    return own;
}

__attribute__((noinline, no_sanitize("thread"))) static void own_set(int value)
{
    own = value;
}

static void kept_out(void)
{
    int value = own_get();

    own_set(value + 1);
}

/* lea 1(%rdi), %eax; ret and the like would do; these read and write memory at `cell`. */
static int cell;
static int (*made_get)(void);
static void (*made_set)(int value);

static void make_code(void)
{
    unsigned char *page =
        mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    int *at = &cell;
    /* movabs $at, %rax; mov (%rax), %eax; ret    movabs $at, %rax; mov %edi, (%rax); ret */
    unsigned char reads[] = {0x48, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0x8b, 0x00, 0xc3};
    unsigned char writes[] = {0x48, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0x89, 0x38, 0xc3};

    memcpy(reads + 2, &at, sizeof at);
    memcpy(writes + 2, &at, sizeof at);
    memcpy(page, reads, sizeof reads);
    memcpy(page + 64, writes, sizeof writes);
    made_get = (int (*)(void))(void *)page;
    made_set = (void (*)(int))(void *)(page + 64);
}

static void generated(void)
{
    int value = made_get();

    made_set(value + 1);
}

static void called_back(void)
{
    counter_step(more);
}

static void applied(void)
{
    int value = counter_get();

    counter_apply(counter_set, value + 1);
}

static void locked(void)
{
    counter_lock();
    protected_value = more(protected_value);
    counter_unlock();
    direct();
}

static void apart(void)
{
    counter_lock();
    direct();
    counter_unlock();
}

static void loaded(void)
{
    int value = get();

    set(value + 1);
}

static void handled(int signal)
{
    (void)signal;
}

static void look_up(void)
{
    void *library = dlopen("./libcounter.so", RTLD_NOW | RTLD_LOCAL);

    if (!library)
        exit(3);
    *(void **)&get = dlsym(library, "counter_get");
    *(void **)&set = dlsym(library, "counter_set");
}

static const struct {
    const char *name;
    void (*run)(void);
} ways[] = {{"direct", direct},       {"pointer", by_pointer},      {"kept_out", kept_out},
            {"generated", generated}, {"called_back", called_back}, {"applied", applied},
            {"loaded", loaded},       {"locked", locked},           {"apart", apart}};

static void *thread(void *run)
{
    ((void (*)(void))run)();
    return NULL;
}

static void *way_named(const char *name)
{
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        if (strcmp(ways[i].name, name) == 0)
            return (void *)ways[i].run;
    return NULL;
}

/* The second half of an update is made by a destructor. */
static void *thread_with_key(void *unused)
{
    pthread_setspecific(key, (void *)(long)(counter_get() + 1));
    return unused;
}

static void set_from(void *value)
{
    counter_set((int)(long)value);
}

int main(int argc, char **argv)
{
    pthread_t threads[2];
    void *(*start)(void *) = thread;
    void *argument;
    int sum;

    way = argc > 1 ? argv[1] : "direct";
    argument = way_named(way);
    signal(SIGUSR1, handled);
    if (strcmp(way, "generated") == 0)
        make_code();
    if (strcmp(way, "loaded") == 0)
        look_up();
    if (strcmp(way, "destructor") == 0) {
        pthread_key_create(&key, set_from);
        start = thread_with_key;
    }
    if (strcmp(way, "start") == 0) {
        start = counter_thread;
        argument = (void *)more;
    }
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, start, argument);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    sum = counter_get() + cell + own_get();
    if (strcmp(way, "loaded") == 0)
        sum = get();
    if (strcmp(way, "locked") == 0) /* the counter itself is not protected there */
        return protected_value == 2 ? 0 : 1;
    if (sum != 2)
        printf("%d of 2\n", sum);
    return sum == 2 ? 0 : 1;
}
