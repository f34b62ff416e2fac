/* test_calls.c -- the table of what functions of the C library touch: is it complete? */
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "control/sched/calls.h"
#include "harness.h"

enum { UNKNOWN_MAX = 100, HIDDEN = 0x8000 };

/* A library as a file: its dynamic symbols, and their versions. */
struct library {
    const char *bytes;
    size_t size;
    const ElfW(Sym) * symbols;
    size_t count;
    const char *names;
    const ElfW(Half) * versions;
    const ElfW(Verdef) * definitions;
    const char *module;
};

static bool find_library(const char *name, char *out, size_t room)
{
    void *library = dlopen(name, RTLD_LAZY);
    struct link_map *map = NULL;

    if (!library || dlinfo(library, RTLD_DI_LINKMAP, &map) != 0)
        return false;
    snprintf(out, room, "%s", map->l_name);
    return true;
}

static void read_section(struct library *it, const ElfW(Shdr) * section)
{
    const char *at = it->bytes + section->sh_offset;
    const ElfW(Shdr) *sections =
        (const void *)(it->bytes + ((const ElfW(Ehdr) *)it->bytes)->e_shoff);

    if (section->sh_type == SHT_DYNSYM) {
        it->symbols = (const void *)at;
        it->count = section->sh_size / sizeof *it->symbols;
        it->names = it->bytes + sections[section->sh_link].sh_offset;
    } else if (section->sh_type == SHT_GNU_versym) {
        it->versions = (const void *)at;
    } else if (section->sh_type == SHT_GNU_verdef) {
        it->definitions = (const void *)at;
    }
}

static bool read_library(const char *name, struct library *out)
{
    char path[512];
    const ElfW(Ehdr) * header;
    struct stat status;
    int fd;

    *out = (struct library){.module = name};
    if (!find_library(name, path, sizeof path) || (fd = open(path, O_RDONLY)) < 0)
        return false;
    EXPECT_EQ(fstat(fd, &status), 0);
    out->size = (size_t)status.st_size;
    out->bytes = mmap(NULL, out->size, PROT_READ, MAP_PRIVATE, fd, 0);
    close(fd);
    EXPECT(out->bytes != MAP_FAILED);
    header = (const void *)out->bytes;
    for (int i = 0; i < header->e_shnum; i++)
        read_section(out, (const ElfW(Shdr) *)(out->bytes + header->e_shoff) + i);
    return out->symbols && out->versions;
}

/* Versions that only the parts of the C library use among themselves. */
static bool is_private(const struct library *it, ElfW(Half) version)
{
    const ElfW(Verdef) *at = it->definitions;

    while (at) {
        const ElfW(Verdaux) *name = (const void *)((const char *)at + at->vd_aux);

        if (at->vd_ndx == version)
            return strcmp(it->names + name->vda_name, "GLIBC_PRIVATE") == 0;
        at = at->vd_next ? (const void *)((const char *)at + at->vd_next) : NULL;
    }
    return false;
}

/* Can a program that is linked today call it? */
static const char *function_at(const struct library *it, size_t i)
{
    unsigned char type = ELF64_ST_TYPE(it->symbols[i].st_info);

    if ((type != STT_FUNC && type != STT_GNU_IFUNC) || it->symbols[i].st_shndx == SHN_UNDEF ||
        it->versions[i] & HIDDEN || it->versions[i] <= 1 || is_private(it, it->versions[i]))
        return NULL;
    return it->names + it->symbols[i].st_name;
}

/* How many functions the table does not know; shows them. */
static int count_unknown(const char *module)
{
    struct library it;
    int unknown = 0;

    if (!read_library(module, &it)) {
        printf("there is no %s\n", module);
        return 0;
    }
    for (size_t i = 0; i < it.count; i++) {
        const char *name = function_at(&it, i);

        if (name && !rdl__call_row(name) &&
            rdl__call_effect(name, it.module) == RDL__EFFECT_UNKNOWN) {
            printf("%s of %s is unknown\n", name, module);
            unknown++;
        }
    }
    munmap((void *)it.bytes, it.size);
    return unknown;
}

TEST(at_most_a_hundred_functions_of_the_c_library_are_unknown)
{
    int unknown = count_unknown("libc.so.6");

    printf("%d functions of libc.so.6 are unknown\n", unknown);
    EXPECT(unknown <= UNKNOWN_MAX);
}

TEST(all_functions_of_the_libraries_of_mathematics_and_gcc_are_known)
{
    EXPECT_EQ(count_unknown("libm.so.6"), 0);
    EXPECT_EQ(count_unknown("libgcc_s.so.1"), 0);
    EXPECT_EQ(count_unknown("ld-linux-x86-64.so.2"), 0);
}

/* Other versions of the C library may have those that this one lacks. */
TEST(rows_are_of_functions_that_exist)
{
    int missing = 0;

    (void)dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_GLOBAL);
    for (uint32_t i = 0; i < rdl__call_row_count; i++)
        if (!dlsym(RTLD_DEFAULT, rdl__call_rows[i].name)) {
            printf("this C library has no %s\n", rdl__call_rows[i].name);
            missing++;
        }
    EXPECT(missing < 100);
}

TEST(no_function_has_two_rows)
{
    for (uint32_t i = 0; i < rdl__call_row_count; i++)
        if (rdl__call_row(rdl__call_rows[i].name) != &rdl__call_rows[i])
            EXPECT_STR(rdl__call_rows[i].name, "once");
}

TEST(what_a_call_does_is_told_by_name_and_library)
{
    EXPECT_EQ(rdl__call_effect("srand", "libc.so.6"), RDL__EFFECT_KNOWN);
    EXPECT_EQ(rdl__call_effect("getenv", "libc.so.6"), RDL__EFFECT_MEMORY);
    EXPECT_EQ(rdl__call_effect("memcpy", "/lib/x86_64-linux-gnu/libc.so.6"), RDL__EFFECT_MEMORY);
    EXPECT_EQ(rdl__call_effect("abs", NULL), RDL__EFFECT_KNOWN);
    EXPECT_EQ(rdl__call_effect("regexec", "libc.so.6"), RDL__EFFECT_UNKNOWN);
    EXPECT_EQ(rdl__call_effect("clone", "libc.so.6"), RDL__EFFECT_UNKNOWN);
    EXPECT_EQ(rdl__call_effect("sin", "libm.so.6"), RDL__EFFECT_KNOWN);
    EXPECT_EQ(rdl__call_effect("sincos", "libm.so.6"), RDL__EFFECT_MEMORY);
    EXPECT_EQ(rdl__call_effect("sin", NULL), RDL__EFFECT_UNKNOWN);
    EXPECT_EQ(rdl__call_effect("_Unwind_Resume", "libgcc_s.so.1"), RDL__EFFECT_KNOWN);
    EXPECT_EQ(rdl__call_effect("_Znwm", "libstdc++.so.6"), RDL__EFFECT_KNOWN);
    EXPECT_EQ(rdl__call_effect("_ZSt20__throw_length_errorPKc", "libstdc++.so.6.0.30"),
              RDL__EFFECT_KNOWN);
    EXPECT_EQ(rdl__call_effect("_ZSt18_Rb_tree_incrementPSt18_Rb_tree_node_base", "libstdc++.so.6"),
              RDL__EFFECT_MEMORY);
    EXPECT_EQ(rdl__call_effect("cache_get", "libcache.so"), RDL__EFFECT_UNKNOWN);
}
