/* soname.c -- the name by which programs look for a library when they start. */
#include <elf.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "cli/raddle/commands.h"

static bool read_at(int fd, void *out, size_t size, Elf64_Off at)
{
    return pread(fd, out, size, (off_t)at) == (ssize_t)size;
}

static bool read_section(int fd, const Elf64_Ehdr *header, unsigned index, Elf64_Shdr *out)
{
    return index < header->e_shnum &&
           read_at(fd, out, sizeof *out, header->e_shoff + (Elf64_Off)index * header->e_shentsize);
}

/* A name in a table of names, as far as there is room for it. */
static void read_name(int fd, const Elf64_Shdr *names, Elf64_Off at, struct rdl__text *out)
{
    char name[256];
    ssize_t got = pread(fd, name, sizeof name, (off_t)(names->sh_offset + at));

    if (got > 0 && memchr(name, '\0', (size_t)got))
        rdl__text_add(out, "%s", name);
}

static void search_dynamic(int fd, const Elf64_Ehdr *header, const Elf64_Shdr *dynamic,
                           struct rdl__text *out)
{
    Elf64_Shdr names;
    Elf64_Dyn entry;

    if (!read_section(fd, header, dynamic->sh_link, &names))
        return;
    for (Elf64_Off at = 0; at + sizeof entry <= dynamic->sh_size; at += sizeof entry) {
        if (!read_at(fd, &entry, sizeof entry, dynamic->sh_offset + at) || entry.d_tag == DT_NULL)
            return;
        if (entry.d_tag == DT_SONAME) {
            read_name(fd, &names, entry.d_un.d_val, out);
            return;
        }
    }
}

void rdl__find_soname(struct rdl__text *out, const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    Elf64_Ehdr header;
    Elf64_Shdr section;

    rdl__text_clear(out);
    if (fd < 0)
        return;
    if (read_at(fd, &header, sizeof header, 0) && memcmp(header.e_ident, ELFMAG, SELFMAG) == 0)
        for (unsigned i = 0; read_section(fd, &header, i, &section); i++)
            if (section.sh_type == SHT_DYNAMIC)
                search_dynamic(fd, &header, &section, out);
    close(fd);
}
