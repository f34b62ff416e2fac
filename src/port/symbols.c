/* symbols.c -- the names of functions and variables, read from ELF symbol tables.
 *
 * The dynamic linker knows only exported names; the file of a module has them
 * all, unless it was stripped.  Offsets are not told: a name is what stays the
 * same from build to build. */
#include "port/symbols.h"

#include <ctype.h>
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* A file in memory; nothing in it is trusted. */
struct image {
    const unsigned char *bytes;
    size_t size;
};

static bool map_file(struct image *out, const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat file;
    void *bytes = MAP_FAILED;

    if (fd >= 0 && fstat(fd, &file) == 0 && file.st_size > 0)
        bytes = mmap(NULL, (size_t)file.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (fd >= 0)
        close(fd);
    if (bytes == MAP_FAILED)
        return false;
    *out = (struct image){bytes, (size_t)file.st_size};
    return true;
}

/* Part of the image, if all of it is there. */
static const void *part(const struct image *image, uint64_t at, uint64_t size)
{
    return at <= image->size && size <= image->size - at ? image->bytes + at : NULL;
}

static const Elf64_Shdr *section(const struct image *image, const Elf64_Ehdr *header, uint32_t n)
{
    if (n >= header->e_shnum || header->e_shentsize != sizeof(Elf64_Shdr))
        return NULL;
    return part(image, header->e_shoff + (uint64_t)n * sizeof(Elf64_Shdr), sizeof(Elf64_Shdr));
}

static bool is_label(const struct image *image, const Elf64_Sym *symbol)
{
    const Elf64_Ehdr *header = part(image, 0, sizeof *header);
    const Elf64_Shdr *in = symbol->st_shndx == SHN_UNDEF || symbol->st_shndx >= SHN_LORESERVE
                               ? NULL
                               : section(image, header, symbol->st_shndx);

    return in && in->sh_flags & SHF_EXECINSTR && symbol->st_size == 0 &&
           ELF64_ST_BIND(symbol->st_info) == STB_GLOBAL;
}

/* Assembler files need not say that a label is a function, nor how long it is: the last one before
 * the address. */
static const Elf64_Sym *label_at(const struct image *image, const Elf64_Sym *symbols, size_t count,
                                 uint64_t address)
{
    const Elf64_Sym *last = NULL;

    for (size_t i = 0; i < count; i++)
        if (symbols[i].st_value <= address && is_label(image, &symbols[i]) &&
            (!last || symbols[i].st_value > last->st_value))
            last = &symbols[i];
    return last;
}

/* The function, or whatever the type is, at this address of the file. */
static const char *name_at(const struct image *image, const Elf64_Shdr *table,
                           const Elf64_Shdr *strings, int type, uint64_t address,
                           uint64_t *out_offset)
{
    const Elf64_Sym *symbols = part(image, table->sh_offset, table->sh_size), *found = NULL;
    const char *names = part(image, strings->sh_offset, strings->sh_size);
    size_t count = table->sh_size / sizeof *symbols;

    if (!symbols || !names || strings->sh_size == 0 || names[strings->sh_size - 1])
        return NULL;
    for (size_t i = 0; i < count && !found; i++)
        if (ELF64_ST_TYPE(symbols[i].st_info) == type && address >= symbols[i].st_value &&
            address - symbols[i].st_value < symbols[i].st_size)
            found = &symbols[i];
    if (!found && type == STT_FUNC)
        found = label_at(image, symbols, count, address);
    if (!found || found->st_name >= strings->sh_size)
        return NULL;
    *out_offset = address - found->st_value;
    return names + found->st_name;
}

/* NULL if none is known. */
static const char *find_name(const struct image *image, int type, uintptr_t base, uintptr_t address,
                             uint64_t *out_offset)
{
    const Elf64_Ehdr *header = part(image, 0, sizeof *header);

    if (!header || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
        header->e_ident[EI_CLASS] != ELFCLASS64)
        return NULL;
    for (uint32_t i = 0; i < header->e_shnum; i++) {
        const Elf64_Shdr *table = section(image, header, i), *strings;

        if (table && table->sh_type == SHT_SYMTAB &&
            (strings = section(image, header, table->sh_link)))
            return name_at(image, table, strings, type,
                           header->e_type == ET_DYN ? address - base : address, out_offset);
    }
    return NULL;
}

/* The program's own name may be relative to where it was started. */
static bool map_module(struct image *out, const Dl_info *info)
{
    return map_file(out, info->dli_fname) || map_file(out, "/proc/self/exe");
}

static void unmap(struct image *image)
{
    if (image->bytes)
        munmap((void *)image->bytes, image->size);
}

/* Without what compilers add: "pop.cold", "pop.constprop.0". */
static int plain_length(const char *name)
{
    return (int)strcspn(name, ".");
}

/* The same for variables in functions: "count.1", "pop.count". */
static void add_variable(struct rdl__text *out, const char *name)
{
    const char *dot = strchr(name, '.');

    if (dot && dot[1] && !isdigit((unsigned char)dot[1]))
        name = dot + 1;
    rdl__text_add(out, "%.*s", plain_length(name), name);
}

static const char *file_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

/* The library of C++ knows what the names of its functions mean; only a part is of interest. */
void rdl__symbol_add_plain(struct rdl__text *out, const char *name)
{
    char *(*demangle)(const char *, char *, size_t *, int *) =
        strncmp(name, "_Z", 2) == 0 ? dlsym(RTLD_DEFAULT, "__cxa_demangle") : NULL;
    char *plain = demangle ? demangle(name, NULL, NULL, NULL) : NULL;

    if (plain)
        rdl__text_add(out, "%.*s", (int)strcspn(plain, "(<"), plain);
    else
        rdl__text_add(out, "%.*s", plain_length(name), name);
    free(plain);
}

/* The function and module of an address; false: it is in no module.  Of a function that is not
 * known the name is "". */
static bool find(uintptr_t address, struct rdl__text *function, const char **out_module)
{
    const char *name = NULL;
    struct image image = {0};
    uint64_t offset;
    Dl_info info;

    if (!dladdr((void *)address, &info) || !info.dli_fname)
        return false;
    *out_module = file_name(info.dli_fname);
    if (map_module(&image, &info))
        name = find_name(&image, STT_FUNC, (uintptr_t)info.dli_fbase, address, &offset);
    if (!name)
        name = info.dli_sname;
    if (name)
        rdl__symbol_add_plain(function, name);
    unmap(&image);
    return true;
}

void rdl__symbol_describe(struct rdl__text *out, uintptr_t address)
{
    struct rdl__text function = {0};
    const char *module;

    if (!find(address, &function, &module))
        rdl__text_add(out, "code outside of any module");
    else if (function.count)
        rdl__text_add(out, "%s (%s)", function.bytes, module);
    else
        rdl__text_add(out, "%s", module);
    rdl__text_release(&function);
}

void rdl__symbol_find(uintptr_t address, char *out_function, size_t function_room, char *out_module,
                      size_t module_room)
{
    struct rdl__text function = {0};
    const char *module = "";
    bool found = find(address, &function, &module);

    if (function.count == 0)
        rdl__text_add(&function, found ? "a function" : "code made at run time");
    snprintf(out_function, function_room, "%s", function.bytes);
    snprintf(out_module, module_room, "%s", module);
    rdl__text_release(&function);
}

bool rdl__symbol_describe_data(struct rdl__text *out, uintptr_t address)
{
    const char *name = NULL;
    struct image image = {0};
    uint64_t offset = 0;
    Dl_info info;

    if (!dladdr((void *)address, &info) || !info.dli_fname || !map_module(&image, &info))
        return false;
    name = find_name(&image, STT_OBJECT, (uintptr_t)info.dli_fbase, address, &offset);
    if (name)
        add_variable(out, name);
    if (name && offset)
        rdl__text_add(out, "+%llu", (unsigned long long)offset);
    unmap(&image);
    return name != NULL;
}
