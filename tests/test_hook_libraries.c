/* test_hook_libraries.c -- hooks on every instruction of libraries that nobody here wrote.
 *
 * Every instruction of zlib, SQLite and libcrypto can be moved, or is refused for a reason
 * that is known here; and with a hook on each, which changes all that it may, they compute
 * what they compute without.  Of the large ones every n-th function, unless in a soak. */
#include <errno.h>
#include <immintrin.h>
#include <stdio.h>

#include "harness.h"
#include "hook_functions.h"
#include "port/hook.h"
#include "port/relocate.h"
#include "port/zydis.h"

/* ---- Moving ------------------------------------------------------------------------------- */

struct reasons {
    const char *texts[32];
    size_t counts[32], kinds, moved;
};

static void count_reason(struct reasons *reasons, const char *text)
{
    size_t i = 0;

    while (i < reasons->kinds && strcmp(reasons->texts[i], text) != 0)
        i++;
    EXPECT(i < sizeof reasons->texts / sizeof *reasons->texts);
    reasons->texts[i] = text;
    reasons->counts[i]++;
    reasons->kinds += i == reasons->kinds;
}

static size_t count_of(const struct reasons *reasons, const char *part)
{
    size_t count = 0;

    for (size_t i = 0; i < reasons->kinds; i++)
        if (strstr(reasons->texts[i], part))
            count += reasons->counts[i];
    return count;
}

/* To a place this far away. */
static void move_all(const struct functions *functions, size_t step, intptr_t away,
                     struct reasons *out)
{
    for (size_t i = 0; i < functions->count; i += step) {
        const struct function *function = &functions->items[i];
        struct rdl__moved copy;

        for (uintptr_t at = function->start; at < function->end; at += copy.length) {
            if (rdl__relocate((const uint8_t *)at, function->end - at, at, at + (uintptr_t)away,
                              &copy)) {
                EXPECT(copy.size > 0 && copy.size <= sizeof copy.bytes);
                out->moved++;
                continue;
            }
            EXPECT(copy.refused);
            count_reason(out, copy.refused);
            if (copy.length == 0)
                copy.length = 1;
        }
    }
}

static void tell(const char *library, const char *where, const struct reasons *reasons)
{
    printf("%s, %s: %zu moved\n", library, where, reasons->moved);
    for (size_t i = 0; i < reasons->kinds; i++)
        printf("    %zu refused: %s\n", reasons->counts[i], reasons->texts[i]);
}

static void *open_library(const char *name)
{
    struct rdl__error error;
    void *library = dlopen(name, RTLD_NOW);

    if (!library)
        test_fail(__FILE__, __LINE__, "%s", dlerror());
    EXPECT(rdl__zydis_load(&error));
    return library;
}

/* Refused are only what is there to crash and, in libcrypto, system calls of its own; and
 * bytes that are no code, between functions written in assembler. */
static void expect_all_moved(const char *name, const char *symbol, size_t step)
{
    struct functions functions = functions_of(dlsym(open_library(name), symbol));
    struct reasons near = {0}, far = {0};

    move_all(&functions, step, 1 << 28, &near);
    move_all(&functions, step, (intptr_t)1 << 40, &far);
    tell(name, "near", &near);
    tell(name, "far", &far);
    EXPECT(near.moved > 10000);
    EXPECT_EQ(count_of(&near, "there to crash") + count_of(&near, "is a system call") +
                  count_of(&near, "interrupt"),
              count_of(&near, ""));
    EXPECT_EQ(count_of(&far, "") - count_of(&far, "too far"), count_of(&near, ""));
    EXPECT(count_of(&far, "too far") * 1000 < far.moved);
    free(functions.items);
}

TEST(every_instruction_of_zlib_is_moved_or_refused_for_a_reason)
{
    expect_all_moved("libz.so.1", "deflate", 1);
}

TEST(every_instruction_of_sqlite_is_moved_or_refused_for_a_reason)
{
    expect_all_moved("libsqlite3.so.0", "sqlite3_open", soak() ? 1 : 4);
}

TEST(every_instruction_of_libcrypto_is_moved_or_refused_for_a_reason)
{
    expect_all_moved("libcrypto.so.3", "SHA256", soak() ? 1 : 16);
}

/* ---- Jumps into the midst of an instruction ------------------------------------------------- */

/* All instructions of a library, in order, and where they jump to. */
struct sweep {
    uintptr_t *starts, *targets;
    uint8_t *lengths;
    bool *has_lock;
    size_t count, target_count, behind_lock;
};

static void look_at(struct sweep *sweep, uintptr_t at, const ZydisDecodedInstruction *it,
                    const ZydisDecodedOperand *first)
{
    sweep->has_lock[sweep->count] = it->attributes & ZYDIS_ATTRIB_HAS_LOCK;
    sweep->lengths[sweep->count] = it->length;
    sweep->starts[sweep->count++] = at;
    if (it->operand_count > 0 && first->type == ZYDIS_OPERAND_TYPE_IMMEDIATE &&
        first->imm.is_relative)
        sweep->targets[sweep->target_count++] = at + it->length + (uintptr_t)first->imm.value.s;
}

static void sweep_all(struct sweep *sweep, const struct functions *functions)
{
    ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
    ZydisDecodedInstruction it;

    for (size_t i = 0; i < functions->count; i++)
        for (uintptr_t at = functions->items[i].start; at < functions->items[i].end;
             at += it.length) {
            EXPECT(ZYAN_SUCCESS(rdl__zydis.ZydisDecoderDecodeFull(
                &rdl__zydis.decoder, (const void *)at, RDL__INSTRUCTION_MAX, &it, operands)));
            look_at(sweep, at, &it, &operands[0]);
        }
}

/* Is this within an instruction, and what is left out no lock prefix? */
static bool is_in_the_midst(struct sweep *sweep, uintptr_t target)
{
    size_t low = 0, high = sweep->count;

    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;

        *(sweep->starts[middle] <= target ? &low : &high) = middle;
    }
    if (target <= sweep->starts[low] || target >= sweep->starts[low] + sweep->lengths[low])
        return false;
    sweep->behind_lock += sweep->has_lock[low];
    return !sweep->has_lock[low];
}

static size_t count_in_the_midst(const char *name, const char *symbol)
{
    enum { ROOM = 1 << 20 };
    struct functions functions = functions_of(dlsym(open_library(name), symbol));
    struct sweep sweep = {.starts = calloc(ROOM, sizeof *sweep.starts),
                          .targets = calloc(ROOM, sizeof *sweep.targets),
                          .lengths = calloc(ROOM, sizeof *sweep.lengths),
                          .has_lock = calloc(ROOM, sizeof *sweep.has_lock)};
    size_t found = 0;

    sweep_all(&sweep, &functions);
    for (size_t i = 0; i < sweep.target_count; i++)
        found += is_in_the_midst(&sweep, sweep.targets[i]);
    printf("%s: %zu jumps, %zu of them behind a lock prefix\n", name, sweep.target_count,
           sweep.behind_lock);
    free(sweep.starts);
    free(sweep.targets);
    free(sweep.lengths);
    free(sweep.has_lock);
    free(functions.items);
    return found;
}

TEST(nobody_jumps_into_an_instruction_but_to_leave_out_a_lock_prefix)
{
    EXPECT_EQ(count_in_the_midst("libc.so.6", "qsort"), 0);
    EXPECT_EQ(count_in_the_midst("libz.so.1", "deflate"), 0);
    EXPECT_EQ(count_in_the_midst("libsqlite3.so.0", "sqlite3_open"), 0);
    EXPECT_EQ(count_in_the_midst("libcrypto.so.3", "SHA256"), 0);
}

/* ---- The same results --------------------------------------------------------------------- */

static uint64_t hits;

/* Change whatever it is not to matter to change. */
__attribute__((target("avx"))) static void spoil_vectors(void)
{
    __m256 bits = _mm256_set1_ps(3.0f);

    __asm__ volatile("vmovaps %0, %%ymm0\n vmovaps %0, %%ymm1\n vmovaps %0, %%ymm2\n"
                     "vmovaps %0, %%ymm3\n vmovaps %0, %%ymm4\n vmovaps %0, %%ymm5\n"
                     "vmovaps %0, %%ymm6\n vmovaps %0, %%ymm7\n vmovaps %0, %%ymm8\n"
                     "vmovaps %0, %%ymm9\n vmovaps %0, %%ymm10\n vmovaps %0, %%ymm11\n"
                     "vmovaps %0, %%ymm12\n vmovaps %0, %%ymm13\n vmovaps %0, %%ymm14\n"
                     "vmovaps %0, %%ymm15\n vzeroupper"
                     :
                     : "m"(bits)
                     : "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8",
                       "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15");
}

static void spoil(struct rdl__registers *registers, void *it)
{
    (void)registers, (void)it;
    hits++;
    errno = 77;
    if (__builtin_cpu_supports("avx"))
        spoil_vectors();
}

struct placed {
    struct rdl__hook *hooks, **list;
    size_t count, refused, jumps;
};

static void add(struct placed *placed, uintptr_t at)
{
    placed->hooks[placed->count] = (struct rdl__hook){.address = at, .call = spoil};
    placed->list[placed->count] = &placed->hooks[placed->count];
    placed->count++;
}

/* On every instruction of every step-th function; counted first, so that hooks stay where
 * they are. */
static struct placed hook_all(const struct functions *functions, size_t step)
{
    struct placed placed = {0};
    struct rdl__error error;
    struct rdl__moved copy;
    size_t room = 0;

    for (size_t i = 0; i < functions->count; i += step)
        room += functions->items[i].end - functions->items[i].start;
    placed.hooks = calloc(room, sizeof *placed.hooks);
    placed.list = calloc(room, sizeof *placed.list);
    for (size_t i = 0; i < functions->count; i += step)
        for (uintptr_t at = functions->items[i].start; at < functions->items[i].end;
             at += copy.length ? copy.length : 1)
            if (rdl__relocate((const uint8_t *)at, RDL__INSTRUCTION_MAX, at, at, &copy) &&
                !copy.is_landing)
                add(&placed, at);
            else
                placed.refused++;
    if (!rdl__hooks_place(placed.list, placed.count, &error))
        test_fail(__FILE__, __LINE__, "%s", error.text);
    for (size_t i = 0; i < placed.count; i++)
        placed.jumps += rdl__hook_is_jump(placed.list[i]);
    return placed;
}

static void unhook_all(struct placed *placed)
{
    rdl__hooks_remove(placed->list, placed->count);
    free(placed->hooks);
    free(placed->list);
}

struct result {
    uint8_t bytes[1 << 16];
    size_t count;
};

/* Run it without, with, and again without hooks. */
static void compare(const char *name, const char *symbol, size_t step,
                    void (*run_it)(void *library, struct result *out))
{
    static struct result before, during, after;
    void *library = open_library(name);
    struct functions functions = functions_of(dlsym(library, symbol));
    struct placed placed;

    before.count = during.count = after.count = 0;
    run_it(library, &before);
    EXPECT(before.count > 0);
    placed = hook_all(&functions, step);
    hits = 0;
    run_it(library, &during);
    printf("%s: %zu hooks, %zu of them jumps, hit %zu times\n", name, placed.count, placed.jumps,
           (size_t)hits);
    EXPECT(hits > 1000);
    unhook_all(&placed);
    hits = 0;
    run_it(library, &after);
    EXPECT_EQ(hits, 0);
    EXPECT(during.count == before.count && memcmp(during.bytes, before.bytes, before.count) == 0);
    EXPECT(after.count == before.count && memcmp(after.bytes, before.bytes, before.count) == 0);
    free(functions.items);
}

static void keep(struct result *out, const void *bytes, size_t count)
{
    EXPECT(out->count + count <= sizeof out->bytes);
    memcpy(out->bytes + out->count, bytes, count);
    out->count += count;
}

#define FUNCTION(library, type, name) type name = (type)dlsym(library, #name)

typedef int compress_function(uint8_t *to, unsigned long *size, const uint8_t *from,
                              unsigned long count, int level);
typedef int uncompress_function(uint8_t *to, unsigned long *size, const uint8_t *from,
                                unsigned long count);
typedef unsigned long checksum_function(unsigned long so_far, const uint8_t *from, unsigned count);

static void use_zlib(void *library, struct result *out)
{
    FUNCTION(library, compress_function *, compress2);
    FUNCTION(library, uncompress_function *, uncompress);
    FUNCTION(library, checksum_function *, crc32);
    FUNCTION(library, checksum_function *, adler32);
    uint8_t text[1000], packed[2000], unpacked[1000];

    for (size_t i = 0; i < sizeof text; i++)
        text[i] = (uint8_t)("abracadabra "[i % 12] + (i % 131 == 0));
    for (int level = 0; level <= 9; level += 4) {
        unsigned long size = sizeof packed, again = sizeof unpacked;
        unsigned long sums[] = {crc32(0, text, sizeof text), adler32(1, text, sizeof text)};

        EXPECT_EQ(compress2(packed, &size, text, sizeof text, level), 0);
        EXPECT_EQ(uncompress(unpacked, &again, packed, size), 0);
        EXPECT(again == sizeof text && memcmp(text, unpacked, again) == 0);
        keep(out, packed, size);
        keep(out, sums, sizeof sums);
    }
}

TEST(zlib_computes_the_same_with_a_hook_on_every_instruction)
{
    compare("libz.so.1", "deflate", 1, use_zlib);
}

typedef int row_function(void *it, int count, char **values, char **names);
typedef int open_function(const char *path, void **out);
typedef int exec_function(void *base, const char *text, row_function *row, void *it, char **error);
typedef int close_function(void *base);

static int keep_row(void *it, int count, char **values, char **names)
{
    (void)names;
    for (int i = 0; i < count; i++)
        keep(it, values[i] ? values[i] : "-", values[i] ? strlen(values[i]) + 1 : 1);
    return 0;
}

static void use_sqlite(void *library, struct result *out)
{
    FUNCTION(library, open_function *, sqlite3_open);
    FUNCTION(library, exec_function *, sqlite3_exec);
    FUNCTION(library, close_function *, sqlite3_close);
    void *base;

    EXPECT_EQ(sqlite3_open(":memory:", &base), 0);
    EXPECT_EQ(sqlite3_exec(base,
                           "create table t(a integer primary key, b text, c real);"
                           "create index i on t(b);"
                           "insert into t values(1,'one',1.5),(2,'two',2.25),(3,'three',-7e10);"
                           "insert into t select a+3, b||a, c/3 from t;"
                           "update t set b = upper(b) where a % 2 = 0;"
                           "select t.a, u.b, round(t.c, 2) from t join t u on u.a = 7 - t.a "
                           "order by u.b desc;"
                           "select count(*), sum(a), avg(c), group_concat(b) from t;"
                           "delete from t where b like 't%';"
                           "select printf('%d %s %.3f', a, b, c) from t;",
                           keep_row, out, NULL),
              0);
    EXPECT_EQ(sqlite3_close(base), 0);
}

TEST(sqlite_computes_the_same_with_hooks_on_every_instruction_of_its_functions)
{
    compare("libsqlite3.so.0", "sqlite3_open", soak() ? 1 : 20, use_sqlite);
}

typedef uint8_t *digest_function(const uint8_t *from, size_t count, uint8_t *out);
typedef int set_key_function(const uint8_t *key, int bits, void *out);
typedef void encrypt_function(const uint8_t *in, uint8_t *out, const void *key);

static void use_libcrypto(void *library, struct result *out)
{
    FUNCTION(library, digest_function *, SHA256);
    FUNCTION(library, set_key_function *, AES_set_encrypt_key);
    FUNCTION(library, set_key_function *, AES_set_decrypt_key);
    FUNCTION(library, encrypt_function *, AES_encrypt);
    FUNCTION(library, encrypt_function *, AES_decrypt);
    uint8_t key[32] = "0123456789abcdef0123456789abcdef", block[16] = "attack at dawn.", sum[32];
    _Alignas(16) uint8_t schedule[512];

    for (size_t count = 0; count < 200; count += 61) {
        SHA256((const uint8_t *)"what is hashed, and more than one block of it: "
                                "what is hashed, and more than one block of it, three times: "
                                "what is hashed, and more than one block of it in all, and then",
               count % 160, sum);
        keep(out, sum, sizeof sum);
    }
    for (int bits = 128; bits <= 256; bits += 64) {
        EXPECT_EQ(AES_set_encrypt_key(key, bits, schedule), 0);
        AES_encrypt(block, block, schedule);
        keep(out, block, sizeof block);
        EXPECT_EQ(AES_set_decrypt_key(key, bits, schedule), 0);
        AES_decrypt(block, block, schedule);
        keep(out, block, sizeof block);
    }
}

TEST(libcrypto_computes_the_same_with_hooks_on_every_instruction_of_its_functions)
{
    compare("libcrypto.so.3", "SHA256", soak() ? 1 : 7, use_libcrypto);
}
