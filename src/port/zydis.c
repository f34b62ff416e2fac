/* zydis.c -- the functions of Zydis that we use, loaded when they are needed. */
#include "port/zydis.h"

#include <dlfcn.h>

struct rdl__zydis rdl__zydis;

bool rdl__zydis_load(void)
{
    void *library = dlopen("libZydis.so.4.0", RTLD_NOW | RTLD_LOCAL);

    if (!library)
        return false;
#define LOAD(name)                                                                                 \
    if (!(rdl__zydis.name = (__typeof__(rdl__zydis.name))dlsym(library, #name)))                   \
        return false;
    RDL__ZYDIS_FUNCTIONS(LOAD)
#undef LOAD
    return true;
}
