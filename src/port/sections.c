/* sections.c -- the writable static data of a loaded program or library, by section. */
#include "port/sections.h"

#include <elf.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct file {
    const char *bytes;
    size_t size;
};

static bool holds(const struct file *file, size_t offset, size_t size)
{
    return offset <= file->size && size <= file->size - offset;
}

/* The file may have been replaced since it was loaded, by a build say.  Equal program headers
 * mean that its sections lie where they do in memory. */
static bool is_of(const struct file *file, const struct dl_phdr_info *module)
{
    const Elf64_Ehdr *header = (const void *)file->bytes;
    size_t size = module->dlpi_phnum * sizeof *module->dlpi_phdr;

    return holds(file, 0, sizeof *header) && memcmp(header->e_ident, ELFMAG, SELFMAG) == 0 &&
           header->e_ident[EI_CLASS] == ELFCLASS64 && header->e_phnum == module->dlpi_phnum &&
           holds(file, header->e_phoff, size) &&
           memcmp(file->bytes + header->e_phoff, module->dlpi_phdr, size) == 0;
}

/* The loader makes some of what is writable in the file read-only. */
static bool stays_writable(const struct dl_phdr_info *module, const Elf64_Shdr *section)
{
    if (!(section->sh_flags & SHF_WRITE) || !(section->sh_flags & SHF_ALLOC) ||
        (section->sh_flags & SHF_TLS) || section->sh_size == 0)
        return false;
    for (int i = 0; i < module->dlpi_phnum; i++) {
        const Elf64_Phdr *part = &module->dlpi_phdr[i];

        if (part->p_type == PT_GNU_RELRO && section->sh_addr >= part->p_vaddr &&
            section->sh_addr < part->p_vaddr + part->p_memsz)
            return false;
    }
    return true;
}

static bool read_sections(const struct file *file, const struct dl_phdr_info *module,
                          void (*each)(void *context, const char *name, char *start, size_t size,
                                       bool is_zero),
                          void *context)
{
    const Elf64_Ehdr *header = (const void *)file->bytes;
    const Elf64_Shdr *sections = (const void *)(file->bytes + header->e_shoff), *names;

    if (header->e_shnum == 0 || header->e_shstrndx >= header->e_shnum ||
        !holds(file, header->e_shoff, header->e_shnum * sizeof *sections))
        return false;
    names = &sections[header->e_shstrndx];
    if (!holds(file, names->sh_offset, names->sh_size) || names->sh_size == 0 ||
        file->bytes[names->sh_offset + names->sh_size - 1] != '\0')
        return false;
    for (int i = 0; i < header->e_shnum; i++)
        if (sections[i].sh_name < names->sh_size && stays_writable(module, &sections[i]))
            each(context, file->bytes + names->sh_offset + sections[i].sh_name,
                 (char *)(module->dlpi_addr + sections[i].sh_addr), sections[i].sh_size,
                 sections[i].sh_type == SHT_NOBITS);
    return true;
}

bool rdl__sections_each(const struct dl_phdr_info *module,
                        void (*each)(void *context, const char *name, char *start, size_t size,
                                     bool is_zero),
                        void *context)
{
    const char *path = module->dlpi_name[0] ? module->dlpi_name : "/proc/self/exe";
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat status;
    struct file file;
    void *bytes;
    bool ok;

    if (fd < 0)
        return false;
    bytes = fstat(fd, &status) == 0 && status.st_size > 0
                ? mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0)
                : MAP_FAILED;
    close(fd);
    if (bytes == MAP_FAILED)
        return false;
    file = (struct file){bytes, (size_t)status.st_size};
    ok = is_of(&file, module) && read_sections(&file, module, each, context);
    munmap(bytes, file.size);
    return ok;
}
