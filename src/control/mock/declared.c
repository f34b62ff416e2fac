/* declared.c -- functions whose prototypes were declared to us, and those that are no more than
 * that: stubs. */
#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "case/case.h"
#include "control/mock/mock.h"

static struct rdl__declared *declared;

void rdl__declare(struct rdl__declared *function)
{
    function->next = declared;
    declared = function;
}

const struct rdl__declared *rdl__declared_as(const char *name)
{
    for (const struct rdl__declared *one = declared; one; one = one->next)
        if (strcmp(one->name, name) == 0)
            return one;
    return NULL;
}

/* The program goes before libraries, also with a stub. */
static const char *library_with(const char *name)
{
    void *real = dlsym(RTLD_NEXT, name);
    Dl_info info;

    return real && dladdr(real, &info) && info.dli_fname ? info.dli_fname : NULL;
}

_Noreturn void rdl__stub_called(const char *name)
{
    uintptr_t caller = rdl__thunk_caller((uintptr_t)__builtin_return_address(0));
    const char *library = library_with(name);

    if (library)
        rdl__misuse_by(caller,
                       "%s was called, which is only a stub, though %s has it: mock it, or leave "
                       "out its RDL_STUB",
                       name, library);
    rdl__misuse_by(caller, "%s was called, which is only a stub: mock it, or link the real one",
                   name);
}
