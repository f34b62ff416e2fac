/* undefined.c -- stubs for whatever a spec calls that is not there, because nobody implements it.
 *
 * The spec itself is called then, and none of them; but the program has to be linked. */
#include <dlfcn.h>
#include <elf.h>
#include <string.h>

#include "base/text.h"
#include "choice/regress.h"
#include "cli/raddle/grade.h"

/* The part of an object that these bytes are; NULL: it is not all there. */
static const void *part(const struct rdl__text *object, uint64_t from, uint64_t size)
{
    return from <= object->count && size <= object->count - from ? object->bytes + from : NULL;
}

/* Libraries have it: what the C library has, and we ourselves. */
static bool is_known(const char *name)
{
    return strncmp(name, "rdl_", 4) == 0 || strncmp(name, "_", 1) == 0 ||
           dlsym(RTLD_DEFAULT, name) != NULL;
}

static void add_stub(struct rdl__text *out, const char *name)
{
    struct rdl__text stub = {0};

    rdl__text_add(&stub, "__attribute__((weak)) void %s(void) { __builtin_trap(); }\n", name);
    if (!strstr(rdl__text_string(out), stub.bytes) && !is_known(name))
        rdl__text_add(out, "%s", stub.bytes);
    rdl__text_release(&stub);
}

static void add_stubs_of(struct rdl__text *out, const struct rdl__text *object,
                         const Elf64_Shdr *symbols, const Elf64_Shdr *names)
{
    const Elf64_Sym *all = part(object, symbols->sh_offset, symbols->sh_size);
    const char *text = part(object, names->sh_offset, names->sh_size);

    for (size_t i = 0; all && text && i < symbols->sh_size / sizeof *all; i++)
        if (all[i].st_shndx == SHN_UNDEF && all[i].st_name && all[i].st_name < names->sh_size &&
            memchr(text + all[i].st_name, '\0', names->sh_size - all[i].st_name))
            add_stub(out, text + all[i].st_name);
}

bool rdl__add_stubs(struct rdl__text *out, const char *path, struct rdl__error *error)
{
    struct rdl__text object = {0};
    const Elf64_Shdr *sections;
    const Elf64_Ehdr *header;

    if (!rdl__read_file(&object, path, error))
        return false;
    header = part(&object, 0, sizeof *header);
    sections = header ? part(&object, header->e_shoff, header->e_shnum * sizeof *sections) : NULL;
    for (int i = 0; sections && i < header->e_shnum; i++)
        if (sections[i].sh_type == SHT_SYMTAB && sections[i].sh_link < header->e_shnum)
            add_stubs_of(out, &object, &sections[i], &sections[sections[i].sh_link]);
    rdl__text_release(&object);
    return sections || rdl__fail(error, "%s is no object file", path);
}
