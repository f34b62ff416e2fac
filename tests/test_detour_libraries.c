/* test_detour_libraries.c -- detours at all functions of libraries that nobody here wrote.
 *
 * Each function of zlib and SQLite, even those parts that the compiler has put elsewhere, leads to
 * code that only comes back; or is refused for a reason.  Then they compute what they compute
 * without.  The same with thunks that call the function itself. */
#include <stdio.h>
#include <sys/mman.h>

#include "harness.h"
#include "hook_functions.h"
#include "port/detour.h"
#include "port/thunk.h"

struct result {
    uint8_t bytes[1 << 16];
    size_t count;
};

static void keep(struct result *out, const void *bytes, size_t count)
{
    EXPECT(out->count + count <= sizeof out->bytes);
    memcpy(out->bytes + out->count, bytes, count);
    out->count += count;
}

static void *open_library(const char *name)
{
    void *library = dlopen(name, RTLD_NOW);

    if (!library)
        test_fail(__FILE__, __LINE__, "%s", dlerror());
    return library;
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
    static uint8_t text[5000], packed[8000], unpacked[5000];

    for (size_t i = 0; i < sizeof text; i++)
        text[i] = (uint8_t)(i * i % 251 / (1 + i % 7));
    for (int level = 0; level <= 9; level++) {
        unsigned long size = sizeof packed, back = sizeof unpacked, sums[2];

        EXPECT_EQ(compress2(packed, &size, text, sizeof text, level), 0);
        keep(out, packed, size);
        EXPECT_EQ(uncompress(unpacked, &back, packed, size), 0);
        EXPECT(back == sizeof text && memcmp(text, unpacked, back) == 0);
        sums[0] = crc32(0, packed, (unsigned)size);
        sums[1] = adler32(1, packed, (unsigned)size);
        keep(out, sums, sizeof sums);
    }
}

static int keep_row(void *out, int count, char **values, char **names)
{
    (void)names;
    for (int i = 0; i < count; i++)
        keep(out, values[i] ? values[i] : "NULL", values[i] ? strlen(values[i]) + 1 : 5);
    return 0;
}

typedef int open_function(const char *name, void **out);
typedef int exec_function(void *base, const char *sql, int (*row)(void *, int, char **, char **),
                          void *it, char **error);
typedef int close_function(void *base);

static void use_sqlite(void *library, struct result *out)
{
    FUNCTION(library, open_function *, sqlite3_open);
    FUNCTION(library, exec_function *, sqlite3_exec);
    FUNCTION(library, close_function *, sqlite3_close);
    void *base;

    EXPECT_EQ(sqlite3_open(":memory:", &base), 0);
    EXPECT_EQ(
        sqlite3_exec(base,
                     "create table t(a integer primary key, b text, c real);"
                     "with recursive n(i) as (select 1 union all select i+1 from n where i<40)"
                     " insert into t select i, printf('%05d-%s', i*7, hex(i)), i/3.0 from n;"
                     "create index x on t(b); update t set c=c*2 where a%3=0;"
                     "select * from t order by b desc; select sum(c), avg(a), group_concat(b)"
                     " from t where b like '%1%'; delete from t where a>10;"
                     "select max(a), count(*), length(b), abs(-c), round(c,2) from t group by"
                     " a%2; pragma integrity_check;",
                     keep_row, out, NULL),
        0);
    EXPECT_EQ(sqlite3_close(base), 0);
}

/* ---- Every function leads elsewhere, and back ------------------------------------------------ */

/* Code that notes that it was there, and changes nothing, not even flags. */
struct passage {
    uint8_t code[16]; /* movb $1, was_there(%rip); jmp *real(%rip) */
    uintptr_t real;
    uint64_t was_there;
};

struct passages {
    struct passage *items;
    struct rdl__detour *detours;
    size_t count, placed, jumps, refused;
    char refusals[8][160];
    size_t kinds;
};

static const struct passage empty = {.code = {0xc6, 0x05, 17, 0, 0, 0, 1, 0xff, 0x25, 3}};

static void count_refusal(struct passages *all, const char *text)
{
    const char *reason = strstr(text, ": ");

    all->refused++;
    EXPECT(reason);
    for (size_t i = 0; i < all->kinds; i++)
        if (strcmp(all->refusals[i], reason) == 0)
            return;
    EXPECT(all->kinds < 8);
    snprintf(all->refusals[all->kinds++], sizeof *all->refusals, "%s", reason);
}

static struct passages detour_all(const struct functions *functions)
{
    struct passages all = {.count = functions->count};

    all.detours = calloc(all.count, sizeof *all.detours);
    all.items = mmap(NULL, all.count * sizeof *all.items, PROT_READ | PROT_WRITE | PROT_EXEC,
                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    EXPECT(all.items != MAP_FAILED);
    for (size_t i = 0; i < all.count; i++) {
        struct rdl__detour *detour = &all.detours[i];
        struct rdl__error error;

        all.items[i] = empty;
        detour->address = functions->items[i].start;
        detour->target = (uintptr_t)all.items[i].code;
        if (rdl__detours_place(&detour, 1, &error)) {
            all.items[i].real = rdl__detour_real(detour);
            all.placed++;
            all.jumps += rdl__detour_is_jump(detour);
        } else {
            count_refusal(&all, error.text);
        }
    }
    return all;
}

static void remove_all(struct passages *all)
{
    struct rdl__detour **list = calloc(all->count, sizeof *list);

    for (size_t i = 0; i < all->count; i++)
        list[i] = &all->detours[i];
    rdl__detours_remove(list, all->count);
    free(list);
    free(all->detours);
}

static size_t count_visited(const struct passages *all)
{
    size_t count = 0;

    for (size_t i = 0; i < all->count; i++)
        count += all->items[i].was_there != 0;
    return count;
}

static void compare(const char *name, const char *symbol,
                    void (*use)(void *library, struct result *out))
{
    static struct result before, during, after;
    void *library = open_library(name);
    struct functions functions = functions_of(dlsym(library, symbol));
    struct passages all;

    before.count = during.count = after.count = 0;
    use(library, &before);
    all = detour_all(&functions);
    use(library, &during);
    printf("%s: %zu functions, %zu detours, %zu by jump, %zu refused, %zu were called\n", name,
           all.count, all.placed, all.jumps, all.refused, count_visited(&all));
    for (size_t i = 0; i < all.kinds; i++)
        printf("    refused%s\n", all.refusals[i]);
    EXPECT(count_visited(&all) > 20);
    EXPECT(all.refused * 50 <= all.count);
    EXPECT(all.jumps * 10 > all.placed * 7);
    remove_all(&all);
    use(library, &after);
    EXPECT(during.count == before.count && memcmp(during.bytes, before.bytes, before.count) == 0);
    EXPECT(after.count == before.count && memcmp(after.bytes, before.bytes, before.count) == 0);
    free(functions.items);
}

TEST(zlib_computes_the_same_with_detours_at_all_functions)
{
    compare("libz.so.1", "deflate", use_zlib);
}

TEST(sqlite_computes_the_same_with_detours_at_all_functions)
{
    compare("libsqlite3.so.0", "sqlite3_open", use_sqlite);
}

/* ---- Thunks that call the function itself ---------------------------------------------------- */

struct spy {
    struct rdl__detour detour;
    unsigned calls;
};

/* None of these has more on the stack than this. */
static void pass(struct rdl__arguments *arguments, void *it)
{
    enum { STACK = 64 };
    struct spy *spy = it;

    spy->calls++;
    rdl__thunk_call(rdl__detour_real(&spy->detour), arguments, STACK);
}

static void expect_same_when_spied_on(const char *name, const char *const *symbols, size_t count,
                                      void (*use)(void *library, struct result *out))
{
    static struct result before, during;
    void *library = open_library(name);
    struct spy *spies = calloc(count, sizeof *spies);
    struct rdl__detour **list = calloc(count, sizeof *list);
    struct rdl__error error;
    unsigned calls = 0;

    before.count = during.count = 0;
    use(library, &before);
    for (size_t i = 0; i < count; i++) {
        spies[i].detour.address = (uintptr_t)dlsym(library, symbols[i]);
        spies[i].detour.target = rdl__thunk_new(pass, &spies[i]);
        list[i] = &spies[i].detour;
        EXPECT(spies[i].detour.address);
    }
    if (!rdl__detours_place(list, count, &error))
        test_fail(__FILE__, __LINE__, "%s", error.text);
    use(library, &during);
    rdl__detours_remove(list, count);
    for (size_t i = 0; i < count; i++)
        calls += spies[i].calls;
    printf("%s: %u calls were seen\n", name, calls);
    EXPECT(calls > 10);
    EXPECT(during.count == before.count && memcmp(during.bytes, before.bytes, before.count) == 0);
    free(spies);
    free(list);
}

TEST(libraries_compute_the_same_when_spied_on)
{
    static const char *const of_zlib[] = {
        "compress2",    "uncompress", "uncompress2", "deflateInit_", "deflate", "deflateEnd",
        "inflateInit_", "inflate",    "inflateEnd",  "crc32",        "adler32", "deflateReset"};
    static const char *const of_sqlite[] = {
        "sqlite3_open",          "sqlite3_exec",   "sqlite3_prepare_v2",  "sqlite3_step",
        "sqlite3_column_text",   "sqlite3_malloc", "sqlite3_finalize",    "sqlite3_value_text",
        "sqlite3_result_double", "sqlite3_free",   "sqlite3_value_double"};

    expect_same_when_spied_on("libz.so.1", of_zlib, sizeof of_zlib / sizeof *of_zlib, use_zlib);
    expect_same_when_spied_on("libsqlite3.so.0", of_sqlite, sizeof of_sqlite / sizeof *of_sqlite,
                              use_sqlite);
}
