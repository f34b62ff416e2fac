/* test_dynamic.c -- what the dynamic section of a program or library in memory says. */
#include "port/dynamic.h"

#include <dlfcn.h>
#include <pthread.h>

#include "harness.h"

static struct rdl__dynamic read_library(const char *file)
{
    const struct link_map *map = rdl__dynamic_library(file);
    struct rdl__dynamic out;

    EXPECT(map != NULL);
    EXPECT(rdl__dynamic_read(map, &out));
    return out;
}

static const void *find(const struct rdl__dynamic *library, const char *name, const char *version)
{
    const ElfW(Sym) *symbol = rdl__dynamic_find(library, name, version);

    return symbol ? rdl__dynamic_function(library, symbol) : NULL;
}

TEST(functions_of_the_c_library_are_those_that_the_dynamic_linker_finds)
{
    static const char *const names[] = {"strcmp", "memcpy", "qsort", "getenv", "pthread_cond_wait"};
    struct rdl__dynamic c = read_library("libc.so.6");
    void *library = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        EXPECT(find(&c, names[i], "GLIBC_2.2.5") == dlvsym(library, names[i], "GLIBC_2.2.5"));
        EXPECT(find(&c, names[i], NULL) != NULL);
    }
    EXPECT(find(&c, "pthread_cond_wait", NULL) ==
           dlvsym(library, "pthread_cond_wait", "GLIBC_2.3.2"));
    EXPECT(find(&c, "pthread_cond_wait", NULL) != find(&c, "pthread_cond_wait", "GLIBC_2.2.5"));
    EXPECT(find(&c, "no_function_of_this_name", NULL) == NULL);
    EXPECT(find(&c, "strcmp", "GLIBC_2.3.2") == NULL);
    dlclose(library);
}

TEST(each_reference_says_which_library_and_version_it_wants)
{
    struct rdl__dynamic program;
    size_t wanted = 0;

    EXPECT(rdl__dynamic_read(_r_debug.r_map, &program));
    for (size_t i = 0; i < program.counts[0]; i++) {
        size_t symbol = ELF64_R_SYM(program.relocated[0][i].r_info);
        struct rdl__dynamic_version version = rdl__dynamic_version(&program, symbol);

        if (program.symbols[symbol].st_shndx != SHN_UNDEF || !version.name)
            continue;
        wanted++;
        EXPECT(rdl__dynamic_library(version.library) != NULL);
    }
    EXPECT(wanted > 0);
}

TEST(texts_are_compared_to_their_ends)
{
    EXPECT(rdl__dynamic_same("strcmp", "strcmp"));
    EXPECT(!rdl__dynamic_same("strcmp", "str"));
    EXPECT(!rdl__dynamic_same("str", "strcmp"));
    EXPECT(rdl__dynamic_begins("strcmp", "str"));
    EXPECT(!rdl__dynamic_begins("st", "str"));
    EXPECT_STR(rdl__dynamic_file("/lib/libc.so.6"), "libc.so.6");
    EXPECT_STR(rdl__dynamic_file("libc.so.6"), "libc.so.6");
}
