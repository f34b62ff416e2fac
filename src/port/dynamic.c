/* dynamic.c -- what the dynamic section of a program or library in memory says. */
#include "port/dynamic.h"

#include <dlfcn.h>

enum { PAGE = 4096, VERSION_MASK = 0x7fff, VERSION_HIDDEN = 0x8000, MAGIC = 0x464c457f };

/* ---- Texts: `volatile` keeps compilers from calling the C library ---------------------------- */

bool rdl__dynamic_begins(const char *text, const char *beginning)
{
    const volatile char *left = text, *right = beginning;

    while (*right && *left == *right)
        left++, right++;
    return *right == '\0';
}

bool rdl__dynamic_same(const char *left, const char *right)
{
    const volatile char *end = right;
    size_t length = 0;

    while (end[length])
        length++;
    return rdl__dynamic_begins(left, right) && left[length] == '\0';
}

const char *rdl__dynamic_file(const char *path)
{
    const char *file = path;

    for (const volatile char *at = path; *at; at++)
        if (*at == '/')
            file = (const char *)at + 1;
    return file;
}

/* ---- The section ----------------------------------------------------------------------------- */

/* The dynamic linker relocates some of these entries, and not others. */
static const void *pointer(const struct link_map *map, const ElfW(Dyn) * entry)
{
    uintptr_t value = entry->d_un.d_ptr;

    return (const void *)(value < map->l_addr ? value + map->l_addr : value);
}

static void read_entry(struct rdl__dynamic *out, const ElfW(Dyn) * entry)
{
    switch (entry->d_tag) {
    case DT_SYMTAB:
        out->symbols = pointer(out->map, entry);
        break;
    case DT_STRTAB:
        out->names = pointer(out->map, entry);
        break;
    case DT_VERSYM:
        out->versions = pointer(out->map, entry);
        break;
    case DT_VERNEED:
        out->needed = pointer(out->map, entry);
        break;
    case DT_VERDEF:
        out->defined = pointer(out->map, entry);
        break;
    case DT_GNU_HASH:
        out->hash = pointer(out->map, entry);
        break;
    case DT_JMPREL:
        out->relocated[0] = pointer(out->map, entry);
        break;
    case DT_PLTRELSZ:
        out->counts[0] = entry->d_un.d_val / sizeof(ElfW(Rela));
        break;
    case DT_RELA:
        out->relocated[1] = pointer(out->map, entry);
        break;
    case DT_RELASZ:
        out->counts[1] = entry->d_un.d_val / sizeof(ElfW(Rela));
        break;
    default:
        break;
    }
}

static void read_protection(struct rdl__dynamic *out, const ElfW(Ehdr) * header)
{
    const ElfW(Phdr) *at = (const ElfW(Phdr) *)((const char *)header + header->e_phoff);

    for (int i = 0; i < header->e_phnum; i++)
        if (at[i].p_type == PT_GNU_RELRO) {
            uintptr_t start = out->map->l_addr + at[i].p_vaddr;

            out->read_only_start = start & ~(uintptr_t)(PAGE - 1);
            out->read_only_end = (start + at[i].p_memsz) & ~(uintptr_t)(PAGE - 1);
        }
}

bool rdl__dynamic_read(const struct link_map *map, struct rdl__dynamic *out)
{
    struct dl_find_object found;

    *out = (struct rdl__dynamic){.map = map};
    if (!map->l_ld || _dl_find_object(map->l_ld, &found) != 0 || found.dlfo_link_map != map ||
        *(const uint32_t *)found.dlfo_map_start != MAGIC)
        return false;
    out->start = (uintptr_t)found.dlfo_map_start;
    out->end = (uintptr_t)found.dlfo_map_end;
    read_protection(out, found.dlfo_map_start);
    for (const ElfW(Dyn) *entry = map->l_ld; entry->d_tag != DT_NULL; entry++)
        read_entry(out, entry);
    return out->symbols && out->names;
}

const struct link_map *rdl__dynamic_library(const char *file)
{
    const struct link_map *map = _r_debug.r_map;

    while (map && !rdl__dynamic_same(rdl__dynamic_file(map->l_name), file))
        map = map->l_next;
    return map;
}

/* ---- Versions -------------------------------------------------------------------------------- */

struct rdl__dynamic_version rdl__dynamic_version(const struct rdl__dynamic *it, size_t symbol)
{
    unsigned wanted = it->versions ? it->versions[symbol] & VERSION_MASK : VER_NDX_GLOBAL;
    const char *at = it->needed;

    while (at && wanted > VER_NDX_GLOBAL) {
        const ElfW(Verneed) *need = (const ElfW(Verneed) *)at;
        const char *part = at + need->vn_aux;

        for (int i = 0; i < need->vn_cnt; i++) {
            const ElfW(Vernaux) *version = (const ElfW(Vernaux) *)part;

            if (version->vna_other == wanted)
                return (struct rdl__dynamic_version){it->names + version->vna_name,
                                                     it->names + need->vn_file};
            part += version->vna_next;
        }
        at = need->vn_next ? at + need->vn_next : NULL;
    }
    return (struct rdl__dynamic_version){0};
}

static const char *name_of_version(const struct rdl__dynamic *it, unsigned number)
{
    const char *at = it->defined;

    while (at) {
        const ElfW(Verdef) *version = (const ElfW(Verdef) *)at;

        if (version->vd_ndx == number)
            return it->names + ((const ElfW(Verdaux) *)(at + version->vd_aux))->vda_name;
        at = version->vd_next ? at + version->vd_next : NULL;
    }
    return NULL;
}

static bool has_version(const struct rdl__dynamic *it, size_t symbol, const char *version)
{
    unsigned own = it->versions ? it->versions[symbol] : VER_NDX_GLOBAL;
    const char *name;

    if (!version)
        return !(own & VERSION_HIDDEN);
    name = name_of_version(it, own & VERSION_MASK);
    return name && rdl__dynamic_same(name, version);
}

/* ---- Functions ------------------------------------------------------------------------------- */

static uint32_t hash_of(const char *name)
{
    uint32_t hash = 5381;

    for (const volatile unsigned char *at = (const volatile unsigned char *)name; *at; at++)
        hash = hash * 33 + *at;
    return hash;
}

static bool is_wanted(const struct rdl__dynamic *it, size_t symbol, const char *name,
                      const char *version)
{
    return it->symbols[symbol].st_shndx != SHN_UNDEF &&
           rdl__dynamic_same(it->names + it->symbols[symbol].st_name, name) &&
           has_version(it, symbol, version);
}

/* The table: how many buckets there are, the first symbol in them, the number of words of a
 * filter, and something of that; the words, the buckets, and for each symbol its hash, whose last
 * bit says that it is the last in its bucket. */
const ElfW(Sym) *
    rdl__dynamic_find(const struct rdl__dynamic *it, const char *name, const char *version)
{
    const uint32_t *buckets, *hashes, *table = it->hash;
    uint32_t hash = hash_of(name);

    if (!table || table[0] == 0)
        return NULL;
    buckets = table + 4 + table[2] * (sizeof(ElfW(Addr)) / sizeof *table);
    hashes = buckets + table[0];
    for (uint32_t symbol = buckets[hash % table[0]]; symbol >= table[1]; symbol++) {
        uint32_t other = hashes[symbol - table[1]];

        if ((other | 1) == (hash | 1) && is_wanted(it, symbol, name, version))
            return &it->symbols[symbol];
        if (other & 1)
            return NULL;
    }
    return NULL;
}

const void *rdl__dynamic_function(const struct rdl__dynamic *it, const ElfW(Sym) * symbol)
{
    uintptr_t address = it->map->l_addr + symbol->st_value;

    if (ELF64_ST_TYPE(symbol->st_info) == STT_GNU_IFUNC)
        address = ((uintptr_t(*)(void))address)();
    return (const void *)address;
}
