/* libdw.c -- the functions of libdw that we use, loaded when they are needed. */
#include "port/libdw.h"

#include <dlfcn.h>

struct rdl__libdw rdl__libdw;

bool rdl__libdw_load(void)
{
    void *library = dlopen("libdw.so.1", RTLD_NOW | RTLD_LOCAL);

    if (!library)
        return false;
#define LOAD(name)                                                                                 \
    if (!(rdl__libdw.name = (__typeof__(rdl__libdw.name))dlsym(library, #name)))                   \
        return false;
    RDL__LIBDW_FUNCTIONS(LOAD)
#undef LOAD
    return true;
}
