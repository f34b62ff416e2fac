/* zydis.c -- the functions of Zydis that we use, loaded when they are needed. */
#include "port/zydis.h"

#include <dlfcn.h>
#include <stdio.h>

#include "port/bind.h"

/* Structs differ between versions: the library has to be that of the header. */
#define MAJOR ((int)(ZYDIS_VERSION >> 48 & 0xffff))
#define MINOR ((int)(ZYDIS_VERSION >> 32 & 0xffff))

struct rdl__zydis rdl__zydis;
static bool is_loaded;

bool rdl__zydis_load(struct rdl__error *error)
{
    const struct link_map *last;
    char file[32];
    void *library;

    if (is_loaded)
        return true;
    snprintf(file, sizeof file, "libZydis.so.%d.%d", MAJOR, MINOR);
    last = rdl__bind_last();
    library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return rdl__fail(error,
                         "gates, mocks and other hooks need Zydis, which decodes instructions, and "
                         "%s cannot be loaded: install the package libzydis%d.%d",
                         file, MAJOR, MINOR);
    rdl__bind_since(last, true);
#define LOAD(name)                                                                                 \
    if (!(rdl__zydis.name = (__typeof__(rdl__zydis.name))dlsym(library, #name)))                   \
        return rdl__fail(error, "gates, mocks and other hooks need Zydis, and %s has no %s", file, \
                         #name);
    RDL__ZYDIS_FUNCTIONS(LOAD)
#undef LOAD
    rdl__zydis.ZydisDecoderInit(&rdl__zydis.decoder, ZYDIS_MACHINE_MODE_LONG_64,
                                ZYDIS_STACK_WIDTH_64);
    is_loaded = true;
    return true;
}
