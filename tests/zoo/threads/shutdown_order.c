/* shutdown_order.c -- the log is closed once the work is done, but the worker has more to say.
   expect: crash|race
   needs: sync */
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>

struct program {
    int *lines_logged; /* null while there is no log */
    sem_t work_done;
};

static void *work(void *argument)
{
    struct program *program = argument;

    ++*program->lines_logged; /* "started" */
    sem_post(&program->work_done);
    ++*program->lines_logged; /* "leaving" */
    return NULL;
}

int main(void)
{
    int lines = 0;
    struct program program = {.lines_logged = &lines};
    pthread_t worker;

    sem_init(&program.work_done, 0, 0);
    pthread_create(&worker, NULL, work, &program);
    sem_wait(&program.work_done);
#ifdef FIXED
    pthread_join(worker, NULL);
    program.lines_logged = NULL;
#else
    program.lines_logged = NULL;
    pthread_join(worker, NULL);
#endif
    sem_destroy(&program.work_done);
    return lines == 2 ? 0 : 1;
}
