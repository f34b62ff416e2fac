/* host.c -- loads guest.so, has two threads use it, and unloads it; with -DTEST that is a
 * test, whose schedules all happen in one process, else a program. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#ifdef TEST
#include <raddle.h>
#endif

static int (*ask)(int number);

static void *ask_about(void *number)
{
    return (void *)(intptr_t)ask((int)(intptr_t)number);
}

/* 42 if all is well; other numbers say what is not. */
static int visit(void)
{
    void *guest = dlopen("./guest.so", RTLD_NOW | RTLD_LOCAL), *one, *two;
    pthread_t threads[2];

    if (!guest)
        return 1;
    ask = (int (*)(int))dlsym(guest, "guest_ask");
    if (((int (*)(void))dlsym(guest, "guest_start"))() != 0)
        return 2;
    pthread_create(&threads[0], NULL, ask_about, (void *)20);
    pthread_create(&threads[1], NULL, ask_about, (void *)1);
    pthread_join(threads[0], &one);
    pthread_join(threads[1], &two);
    if (((int (*)(void))dlsym(guest, "guest_stop"))() != 1)
        return 3;
    if (dlclose(guest) != 0)
        return 4;
    return (int)((intptr_t)one + (intptr_t)two);
}

#ifdef TEST
RDL_EXPLORE(guests_come_and_go, .cases = 500)
{
    rdl_check_eq(visit(), 42);
}

RDL_MAIN
#else
int main(void)
{
    return visit() != 42;
}
#endif
