/* host.c -- a program that loads a library, which calls the program's own strcmp. */
#include <dlfcn.h>

#include "names.h"

typedef int function(const char *left, const char *right);

int main(void)
{
    void *plugin = dlopen("./plugin.so", RTLD_NOW);
    function *is_same = plugin ? (function *)dlsym(plugin, "is_same") : NULL;

    return !is_same || !is_same("a", "a") || calls[STRCMP] != 1;
}
