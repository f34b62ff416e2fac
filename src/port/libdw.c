/* libdw.c -- the functions of libdw that we use, loaded when they are needed. */
#include "port/libdw.h"

#include <dlfcn.h>
#include <link.h>

#include "port/bind.h"

struct rdl__libdw rdl__libdw;
static const struct link_map *last_before; /* of the list of libraries, which grows at its end */

bool rdl__libdw_brought(const struct link_map *library)
{
    const struct link_map *at = last_before ? last_before->l_next : NULL;

    while (at && at != library)
        at = at->l_next;
    return at;
}

bool rdl__libdw_load(void)
{
    const struct link_map *last = rdl__bind_last();
    void *library;

    if (!last_before)
        last_before = last;
    library = dlopen("libdw.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return false;
    rdl__bind_since(last, true);
#define LOAD(name)                                                                                 \
    if (!(rdl__libdw.name = (__typeof__(rdl__libdw.name))dlsym(library, #name)))                   \
        return false;
    RDL__LIBDW_FUNCTIONS(LOAD)
#undef LOAD
    return true;
}
