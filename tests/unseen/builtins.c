/* builtins.c -- accesses to memory that compilers do not report: those of builtin functions, and
 * some of structs and long doubles.
 *
 * ./builtins WAY: one thread touches a buffer in this way, another one writes to it.  That is a
 * data race; the ways that begin with "torn" touch all of it at once, and the other thread writes
 * to its ends by two atomic operations: the program fails if the second one comes too late.  The
 * ways that begin with "locked" are right.  Without arguments: print the ways this CPU has. */
#include <immintrin.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

struct bytes {
    char all[3];
};

struct pair {
    long one, two;
};

struct vector {
    long all[4];
};

struct numbers {
    long all[25];
};

static union {
    int ends[8];
    long numbers[25];
    unsigned long long limbs[4];
    struct bytes bytes;
    struct vector struct_of_four;
    struct numbers struct_of_numbers;
    __m128i vector;
    __m64 half;
    long double extended;
} buffer;
static volatile long result;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct pair *local;
static struct vector *known;

#define APART __attribute__((noinline))

APART static struct bytes three(char byte)
{
    return (struct bytes){{byte, byte, byte}};
}

APART static struct pair pair_of(long number)
{
    return (struct pair){number, number};
}

APART static long first_of(long before, struct numbers it)
{
    return before + it.all[0];
}

APART static long first_of_four(long before, struct vector it)
{
    return before + it.all[0];
}

static void streamed(void)
{
    _mm_stream_si32(buffer.ends, 3);
}

static void streamed_vector(void)
{
    _mm_stream_si128(&buffer.vector, _mm_setzero_si128());
}

static void half(void)
{
    _mm_storeh_pi(&buffer.half, _mm_setzero_ps());
}

static void carried(void)
{
    result = _addcarry_u64(0, 1, 2, buffer.limbs);
}

static void filled(void)
{
    __builtin_memset(&buffer, 0, 40);
}

static void copied(void)
{
    struct numbers copy;

    __builtin_memcpy(&copy, &buffer, sizeof copy);
    result = copy.all[result];
}

static void extended(void)
{
    result++;
    buffer.extended += 1;
}

static void passed(void)
{
    result = first_of(1, buffer.struct_of_numbers);
}

static void passed_after_part(void)
{
    if (buffer.numbers[1] == 0)
        result = first_of(1, buffer.struct_of_numbers);
}

/* The compiler reports an access to the same bytes, which is not made. */
static void passed_after_none(void)
{
    long before = 0;

    if (result)
        before = buffer.numbers[0];
    result = first_of_four(before, buffer.struct_of_four);
}

/* Another thread gets to know of a local variable. */
static void passed_after_publishing(void)
{
    struct vector vector = {{0}};

    __atomic_store_n(&known, &vector, __ATOMIC_RELEASE);
    result = first_of_four(0, vector);
    __atomic_store_n(&known, NULL, __ATOMIC_RELEASE);
}

static void returned(void)
{
    buffer.bytes = three(1);
}

static void torn_by_mask(void)
{
    _mm_maskmoveu_si128(_mm_set1_epi8(1), _mm_set1_epi8(-1), (char *)&buffer);
    _mm_maskmoveu_si128(_mm_set1_epi8(1), _mm_set1_epi8(-1), (char *)&buffer + 16);
}

__attribute__((target("avx2"))) static void torn_by_gathering(void)
{
    __m256i indices = _mm256_setr_epi32(0, 7, 0, 7, 0, 7, 0, 7);
    __m256i got = _mm256_i32gather_epi32(buffer.ends, indices, 4);

    result = _mm256_extract_epi32(got, 0) != _mm256_extract_epi32(got, 1);
}

static void locked(void)
{
    pthread_mutex_lock(&mutex);
    streamed();
    carried();
    half();
    filled();
    extended();
    pthread_mutex_unlock(&mutex);
}

static const struct {
    const char *name;
    void (*run)(void);
} ways[] = {
    {"streamed", streamed},
    {"streamed_vector", streamed_vector},
    {"half", half},
    {"carried", carried},
    {"filled", filled},
    {"copied", copied},
    {"extended", extended},
    {"passed", passed},
    {"passed_after_part", passed_after_part},
    {"passed_after_none", passed_after_none},
    {"passed_after_publishing", passed_after_publishing},
    {"returned", returned},
    {"local", NULL},
    {"torn_by_mask", torn_by_mask},
    {"torn_by_gathering", torn_by_gathering},
    {"locked", locked},
};

static void *thread(void *run)
{
    ((void (*)(void))run)();
    return NULL;
}

/* Nobody but its argument tells what it writes to. */
static void *write_plainly(void *bytes)
{
    memset(bytes, 1, sizeof(struct bytes));
    return NULL;
}

static void *write_to_known(void *unused)
{
    struct vector *vector = __atomic_load_n(&known, __ATOMIC_ACQUIRE);

    if (vector)
        vector->all[0] = 1;
    return unused;
}

static void *write_both_ends(void *unused)
{
    __atomic_store_n(&buffer.ends[0], 5, __ATOMIC_RELAXED);
    __atomic_store_n(&buffer.ends[7], 5, __ATOMIC_RELAXED);
    return unused;
}

/* A variable of this function, which another thread knows of, gets the result of a call. */
APART static int be_local(void)
{
    struct pair pair = {0, 0};
    pthread_t other;

    local = &pair;
    pthread_create(&other, NULL, write_plainly, local);
    pair = pair_of(result);
    pthread_join(other, NULL);
    return pair.one == 2;
}

static bool is_torn(void)
{
    return result == 1 || (buffer.ends[0] == 5) != (buffer.ends[7] == 5);
}

int main(int argc, char **argv)
{
    void (*run)(void) = NULL;
    void *(*other)(void *) = write_plainly;
    pthread_t threads[2];

    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        if (argc < 2 && (ways[i].run != torn_by_gathering || __builtin_cpu_supports("avx2")))
            puts(ways[i].name);
        else if (argc > 1 && strcmp(ways[i].name, argv[1]) == 0)
            run = ways[i].run;
    if (argc < 2 || !run)
        return argc < 2 ? 0 : be_local();
    if (strncmp(argv[1], "torn", 4) == 0)
        other = write_both_ends;
    if (run == passed_after_publishing)
        other = write_to_known;
    pthread_create(&threads[0], NULL, thread, (void *)run);
    pthread_create(&threads[1], NULL, run == locked ? thread : other,
                   run == locked ? (void *)run : (void *)&buffer);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return strncmp(argv[1], "torn", 4) == 0 && is_torn();
}
