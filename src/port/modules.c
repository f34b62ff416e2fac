/* modules.c -- programs and libraries in memory. */
#include "port/modules.h"

#include <dlfcn.h>
#include <link.h>
#include <string.h>

static bool find(uintptr_t pc, struct dl_find_object *out)
{
    return _dl_find_object((void *)pc, out) == 0;
}

void rdl__modules_note(struct rdl__modules *modules, uintptr_t pc)
{
    struct rdl__module *module = &modules->items[modules->count];
    struct dl_find_object found;

    for (uint32_t i = modules->count; i-- > 0;)
        if (pc >= modules->items[i].start && pc < modules->items[i].end)
            return;
    if (modules->count == RDL__MODULES_MAX || !find(pc, &found) ||
        strlen(found.dlfo_link_map->l_name) >= sizeof module->path)
        return;
    module->start = (uintptr_t)found.dlfo_map_start;
    module->end = (uintptr_t)found.dlfo_map_end;
    module->bias = found.dlfo_link_map->l_addr;
    strcpy(module->path, found.dlfo_link_map->l_name);
    modules->count++;
}

uintptr_t rdl__module_start(const struct rdl__modules *modules, uintptr_t address)
{
    struct dl_find_object found;

    if (find(address, &found))
        return (uintptr_t)found.dlfo_map_start;
    for (uint32_t i = 0; i < modules->count && i < RDL__MODULES_MAX; i++)
        if (address >= modules->items[i].start && address < modules->items[i].end)
            return modules->items[i].start;
    return 0;
}

bool rdl__module_is_here(const struct rdl__module *module)
{
    struct dl_find_object found;

    return find(module->start, &found) && (uintptr_t)found.dlfo_map_start == module->start &&
           strcmp(found.dlfo_link_map->l_name, module->path) == 0;
}

bool rdl__module_is_named(const char *path, const char *name)
{
    const char *slash = strrchr(path, '/'), *rest = slash ? slash + 1 : path;
    size_t length = strlen(name);

    if (strncmp(rest, name, length) != 0)
        return false;
    rest += length;
    if (length < 3 || strcmp(name + length - 3, ".so") != 0)
        return true;
    return *rest == '\0' || (*rest == '.' && rest[strspn(rest, ".0123456789")] == '\0');
}

bool rdl__module_is_one_of(const char *path, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (rdl__module_is_named(path, names[i]))
            return true;
    return false;
}

bool rdl__module_is_runtime(const char *path)
{
    static const char *const names[] = {
        "ld-linux-x86-64.so", "ld64.so",       "linux-vdso.so", "libc.so",        "libm.so",
        "libmvec.so",         "libpthread.so", "libdl.so",      "librt.so",       "libutil.so",
        "libanl.so",          "libresolv.so",  "libnss_",       "libgcc_s.so",    "libunwind.so",
        "libasan.so",         "libubsan.so",   "libtsan.so",    "liblsan.so",     "libhwasan.so",
        "libgomp.so",         "libomp.so",     "libiomp5.so",   "libclang_rt.",   "libdw.so",
        "libelf.so",          "libZydis.so",   "libZycore.so",  "libjemalloc.so", "libtcmalloc.so",
        "libtcmalloc_",       "vgpreload_",    "libgcov.so",    "libmimalloc.so", "libmimalloc-",
    };

    return rdl__module_is_one_of(path, names, sizeof names / sizeof *names);
}
