/* seen_cxx.c -- code that the library of C++ calls, and calls for.
 *
 * std::thread and its kin are functions of a library: they create and join threads on behalf of
 * their callers.  So where these are not seen, the library's calls are not seen either. */
#include <link.h>
#include <string.h>

#include "control/sched/seen.h"
#include "port/modules.h"

bool rdl__is_library_of_cxx(const char *path)
{
    return rdl__module_is_named(path, "libstdc++.so") || rdl__module_is_named(path, "libc++.so");
}

static bool needs_cxx(const struct dl_phdr_info *info)
{
    const ElfW(Dyn) *dynamic = NULL;
    const char *names = NULL;

    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
            dynamic = (const ElfW(Dyn) *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
    for (const ElfW(Dyn) *it = dynamic; it && it->d_tag != DT_NULL; it++)
        if (it->d_tag == DT_STRTAB)
            names = (const char *)it->d_un.d_ptr;
    for (const ElfW(Dyn) *it = dynamic; names && it->d_tag != DT_NULL; it++)
        if (it->d_tag == DT_NEEDED && rdl__is_library_of_cxx(names + it->d_un.d_val))
            return true;
    return false;
}

struct instrumented {
    const struct rdl__tables *const *modules;
    uint32_t count;
    bool others_need_cxx;
};

/* Did raddle cc compile any of the module? */
static bool has_tables(const struct dl_phdr_info *info, const struct instrumented *those)
{
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        uintptr_t start = info->dlpi_addr + header->p_vaddr;

        for (uint32_t k = 0; header->p_type == PT_LOAD && k < those->count; k++)
            if ((uintptr_t)those->modules[k] - start < header->p_memsz)
                return true;
    }
    return false;
}

static int look_at(struct dl_phdr_info *info, size_t size, void *out)
{
    struct instrumented *those = out;

    (void)size;
    those->others_need_cxx |=
        !rdl__is_known_library(info->dlpi_name) && needs_cxx(info) && !has_tables(info, those);
    return 0;
}

bool rdl__cxx_is_used_unseen(const struct rdl__tables *const *modules, uint32_t count)
{
    struct instrumented those = {.modules = modules, .count = count};

    dl_iterate_phdr(look_at, &those);
    return those.others_need_cxx;
}
