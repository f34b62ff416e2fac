/* use_before_init.c -- the worker runs before its creator has said where the settings are.
   expect: crash|race
   needs: sync */
#include <pthread.h>
#include <stddef.h>

struct settings {
    int rounds;
};

struct service {
    const struct settings *settings;
    pthread_t worker;
    int rounds_done;
};

static void *work(void *argument)
{
    struct service *service = argument;

    while (service->rounds_done < service->settings->rounds)
        service->rounds_done++;
    return NULL;
}

static void start(struct service *service, const struct settings *settings)
{
#ifdef FIXED
    service->settings = settings;
#endif
    pthread_create(&service->worker, NULL, work, service);
#ifndef FIXED
    service->settings = settings;
#endif
}

int main(void)
{
    struct settings defaults = {3};
    struct service service = {.settings = NULL};

    start(&service, &defaults);
    pthread_join(service.worker, NULL);
    return service.rounds_done == 3 ? 0 : 1;
}
