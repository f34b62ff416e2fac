/* zydis.c -- the functions of Zydis that we use, loaded when they are needed. */
#include "port/zydis.h"

#include <dlfcn.h>

#include "port/bind.h"

#define LIBRARY "libZydis.so.4.0"

struct rdl__zydis rdl__zydis;
static bool is_loaded;

bool rdl__zydis_load(struct rdl__error *error)
{
    const struct link_map *last;
    void *library;

    if (is_loaded)
        return true;
    last = rdl__bind_last();
    library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return rdl__fail(error,
                         "hooks need Zydis, the decoder of instructions: %s (on Debian: apt "
                         "install libzydis4.0)",
                         dlerror());
    rdl__bind_since(last, true);
#define LOAD(name)                                                                                 \
    if (!(rdl__zydis.name = (__typeof__(rdl__zydis.name))dlsym(library, #name)))                   \
        return rdl__fail(error, "hooks need Zydis 4.0: " LIBRARY " has no " #name);
    RDL__ZYDIS_FUNCTIONS(LOAD)
#undef LOAD
    rdl__zydis.ZydisDecoderInit(&rdl__zydis.decoder, ZYDIS_MACHINE_MODE_LONG_64,
                                ZYDIS_STACK_WIDTH_64);
    is_loaded = true;
    return true;
}
