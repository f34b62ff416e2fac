/* coverage.c -- where counts are is said by the symbol tables of the files that are loaded.
 *
 * gcc has an array of counts for each function, __gcov0.NAME; clang calls all of them
 * __llvm_gcov_ctr, with a number behind it. */
#include "port/coverage.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/apart.h"
#include "base/memory.h"

struct counts {
    uint64_t *here;
    size_t count;
};

static struct counts *arrays;
static size_t array_count, total;
static uint64_t *shared; /* the sums, for all arrays one after the other */
static bool is_prepared;
static int owner; /* of the counts in this process; 0: they are the parent's */

static bool holds_counts(const Elf64_Sym *symbol, const char *name)
{
    return ELF64_ST_TYPE(symbol->st_info) == STT_OBJECT && symbol->st_size >= sizeof(uint64_t) &&
           (strncmp(name, "__gcov0.", 8) == 0 || strncmp(name, "__llvm_gcov_ctr", 15) == 0);
}

static void read_table(const char *bytes, size_t size, const Elf64_Shdr *table,
                       const Elf64_Shdr *strings, uintptr_t bias)
{
    const Elf64_Sym *symbols = (const void *)(bytes + table->sh_offset);

    if (table->sh_offset + table->sh_size > size || strings->sh_offset + strings->sh_size > size)
        return;
    for (size_t i = 0; i < table->sh_size / sizeof *symbols; i++) {
        if (symbols[i].st_name >= strings->sh_size ||
            !holds_counts(&symbols[i], bytes + strings->sh_offset + symbols[i].st_name))
            continue;
        arrays = rdl__reallocate(arrays, (array_count + 1) * sizeof *arrays);
        arrays[array_count++] =
            (struct counts){(uint64_t *)(bias + symbols[i].st_value), symbols[i].st_size / 8};
        total += symbols[i].st_size / 8;
    }
}

static void read_file(const char *bytes, size_t size, uintptr_t bias)
{
    const Elf64_Ehdr *header = (const void *)bytes;
    const Elf64_Shdr *sections = (const void *)(bytes + header->e_shoff);

    if (size < sizeof *header || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
        header->e_shoff + header->e_shnum * sizeof *sections > size)
        return;
    for (int i = 0; i < header->e_shnum; i++)
        if (sections[i].sh_type == SHT_SYMTAB && sections[i].sh_link < header->e_shnum)
            read_table(bytes, size, &sections[i], &sections[sections[i].sh_link], bias);
}

static int look_into(struct dl_phdr_info *module, size_t size, void *it)
{
    int fd =
        open(module->dlpi_name[0] ? module->dlpi_name : "/proc/self/exe", O_RDONLY | O_CLOEXEC);
    struct stat file;
    void *bytes;

    (void)size;
    (void)it;
    if (fd >= 0 && fstat(fd, &file) == 0 && file.st_size > 0) {
        bytes = mmap(NULL, (size_t)file.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (bytes != MAP_FAILED) {
            read_file(bytes, (size_t)file.st_size, module->dlpi_addr);
            munmap(bytes, (size_t)file.st_size);
        }
    }
    if (fd >= 0)
        close(fd);
    return 0;
}

void rdl__coverage_prepare(void)
{
    if (is_prepared)
        return;
    is_prepared = true;
    dl_iterate_phdr(look_into, NULL);
    if (total)
        shared = rdl__map(total * sizeof *shared, MAP_SHARED);
}

void rdl__coverage_each(void (*each)(void *start, size_t size))
{
    for (size_t i = 0; i < array_count; i++)
        each(arrays[i].here, arrays[i].count * sizeof *arrays[i].here);
}

void rdl__coverage_begin(void)
{
    if (!shared)
        return;
    owner = getpid();
    for (size_t i = 0; i < array_count; i++)
        memset(arrays[i].here, 0, arrays[i].count * sizeof *arrays[i].here);
}

void rdl__coverage_end(void)
{
    uint64_t *to = shared;

    if (!shared || owner == 0 || owner != getpid())
        return;
    for (size_t i = 0; i < array_count; i++)
        for (size_t k = 0; k < arrays[i].count; k++, to++)
            if (arrays[i].here[k])
                __atomic_fetch_add(to, __atomic_exchange_n(&arrays[i].here[k], 0, __ATOMIC_RELAXED),
                                   __ATOMIC_RELAXED);
}

void rdl__coverage_collect(void)
{
    uint64_t *from = shared;

    if (!shared || owner)
        return;
    for (size_t i = 0; i < array_count; i++)
        for (size_t k = 0; k < arrays[i].count; k++)
            arrays[i].here[k] += __atomic_exchange_n(from++, 0, __ATOMIC_RELAXED);
}
