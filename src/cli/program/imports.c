/* imports.c -- could the program start another one?
 *
 * A program or library that calls fork, exec or the like by name imports that name.  What is loaded
 * later, or makes system calls itself, might do anything. */
#include <link.h>
#include <string.h>

#include "cli/program/follow.h"
#include "control/sched/dispatch.h"
#include "control/sched/seen.h"

/* What the dynamic section of a module says of the names that it imports. */
struct imports {
    const ElfW(Sym) * symbols;
    const char *names;
    const uint32_t *gnu_hash, *hash;
};

static bool starts_others(const char *name)
{
    static const char *const names[] = {
        "fork",      "vfork",    "_Fork",       "__fork",       "__vfork", "clone",   "__clone",
        "execl",     "execle",   "execlp",      "execv",        "execve",  "execvp",  "execvpe",
        "fexecve",   "execveat", "posix_spawn", "posix_spawnp", "system",  "popen",   "_IO_popen",
        "forkpty",   "daemon",   "wordexp",     "syscall",      "dlopen",  "dlmopen", "rexec",
        "rexec_af",  "rcmd",     "rcmd_af",     "pututxline",   "dlsym",   "dlvsym",
        "__libc_dlopen_mode"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

static struct imports imports_of(const struct dl_phdr_info *info)
{
    const ElfW(Dyn) *it = NULL;
    struct imports imports = {0};

    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
            it = (const ElfW(Dyn) *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
    for (; it && it->d_tag != DT_NULL; it++)
        if (it->d_tag == DT_SYMTAB)
            imports.symbols = (const ElfW(Sym) *)it->d_un.d_ptr;
        else if (it->d_tag == DT_STRTAB)
            imports.names = (const char *)it->d_un.d_ptr;
        else if (it->d_tag == DT_GNU_HASH)
            imports.gnu_hash = (const uint32_t *)it->d_un.d_ptr;
        else if (it->d_tag == DT_HASH)
            imports.hash = (const uint32_t *)it->d_un.d_ptr;
    return imports;
}

/* Imported symbols stand before those of the newer table, and anywhere among those of the older. */
static uint32_t count_of(const struct imports *imports)
{
    return imports->gnu_hash ? imports->gnu_hash[1] : imports->hash ? imports->hash[1] : 0;
}

static int look_at(struct dl_phdr_info *info, size_t size, void *out)
{
    struct imports imports;
    bool *found = out;

    (void)size;
    if (rdl__is_known_library(info->dlpi_name))
        return 0;
    imports = imports_of(info);
    for (uint32_t i = 0; i < count_of(&imports) && !*found; i++)
        *found = imports.symbols[i].st_shndx == SHN_UNDEF &&
                 starts_others(imports.names + imports.symbols[i].st_name);
    return *found;
}

bool rdl__program_may_start_others(void)
{
    bool found = rdl__dispatch_is_needed();

    dl_iterate_phdr(look_at, &found);
    return found;
}
