/* loads.c -- a thread loads a library, or unloads it, while another looks at a variable.
 *
 * ./loads open|close.  With -DWITH=1, this is a library that changes the variable when it comes
 * and goes; with -DWITH=2, one that does so to a variable of its own; with -DWITH=3, one that has
 * another function do it; with -DWITH=4, one that asks first whether it is due; with -DWITH=0, one
 * that does nothing. */
#ifdef WITH
_Atomic int shared_value;
static _Atomic int own_value;

#if WITH == 3
__attribute__((noinline)) static void add(void)
{
    shared_value += 1;
}

__attribute__((constructor, destructor)) static void change(void)
{
    add();
}
#elif WITH == 4
__attribute__((visibility("hidden"))) _Bool is_due = 1;

__attribute__((constructor, destructor)) static void change(void)
{
    if (is_due)
        shared_value += 1;
}
#elif WITH > 0
__attribute__((constructor, destructor)) static void change(void)
{
    *(WITH == 1 ? &shared_value : &own_value) += 1;
}
#else
int loaded(void)
{
    return own_value;
}
#endif
#else
#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

_Atomic int shared_value;

static void *look(void *unused)
{
    (void)unused;
    return shared_value ? &shared_value : NULL;
}

int main(int argc, char **argv)
{
    void *library = NULL;
    pthread_t thread;

    if (argc > 1 && strcmp(argv[1], "close") == 0)
        library = dlopen("./libloaded.so", RTLD_NOW);
    pthread_create(&thread, NULL, look, NULL);
    if (!library)
        library = dlopen("./libloaded.so", RTLD_NOW);
    else
        dlclose(library);
    pthread_join(thread, NULL);
    return library ? 0 : 3;
}
#endif
