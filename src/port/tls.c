/* tls.c -- thread-local variables as a new thread would find them. */
#include "port/tls.h"

#include <link.h>
#include <string.h>

unsigned rdl__tls_generation = 1;

static bool is_one_of(const char *path, const char *const *names)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;

    for (; *names; names++)
        if (strncmp(name, *names, strlen(*names)) == 0)
            return true;
    return false;
}

/* Modules whose variables are tied to the real thread, or to its memory. */
static bool is_left_alone(const char *path, bool sanitizers_too)
{
    static const char *const libraries[] = {"libc.so",     "ld-linux",    "libjemalloc",
                                            "libtcmalloc", "libmimalloc", NULL};
    static const char *const sanitizers[] = {"libasan",  "libtsan",      "liblsan",
                                             "libubsan", "libclang_rt.", NULL};

    return is_one_of(path, libraries) || (!sanitizers_too && is_one_of(path, sanitizers));
}

static int add_module(struct dl_phdr_info *info, size_t size, void *context)
{
    struct rdl__tls *tls = context;

    (void)size;
    if (info->dlpi_tls_modid == 0 || is_left_alone(info->dlpi_name, tls->sanitizers_too))
        return 0;
    if (!info->dlpi_tls_data || tls->count == RDL__TLS_BLOCKS_MAX) {
        tls->incomplete = true;
        return 0;
    }
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_TLS)
            tls->blocks[tls->count++] = (struct rdl__tls_block){
                .at = info->dlpi_tls_data,
                .image = (const char *)info->dlpi_addr + info->dlpi_phdr[i].p_vaddr,
                .image_size = info->dlpi_phdr[i].p_filesz,
                .size = info->dlpi_phdr[i].p_memsz,
            };
    return 0;
}

void rdl__tls_reset(struct rdl__tls *tls, bool sanitizers_too)
{
    if (tls->incomplete || tls->generation != rdl__tls_generation) {
        *tls =
            (struct rdl__tls){.generation = rdl__tls_generation, .sanitizers_too = sanitizers_too};
        dl_iterate_phdr(add_module, tls);
    }
    for (int i = 0; i < tls->count; i++) {
        const struct rdl__tls_block *block = &tls->blocks[i];

        memcpy(block->at, block->image, block->image_size);
        memset((char *)block->at + block->image_size, 0, block->size - block->image_size);
    }
}
