/* helper.c -- main waits for a thread of the C library's own, which nobody controls; and that one
 * waits, too. */
#include <aio.h>
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>

static sem_t done;

static void tell(union sigval unused)
{
    (void)unused;
    sem_post(&done);
}

static void *nothing(void *unused)
{
    return unused;
}

int main(void)
{
    static struct aiocb request;
    static char byte[1];
    pthread_t thread;
    int ends[2];

    assert(pipe(ends) == 0);
    request.aio_fildes = ends[0];
    request.aio_buf = byte;
    request.aio_nbytes = sizeof byte;
    request.aio_sigevent.sigev_notify = SIGEV_THREAD;
    request.aio_sigevent.sigev_notify_function = tell;
    sem_init(&done, 0, 0);
    pthread_create(&thread, NULL, nothing, NULL);
    assert(aio_read(&request) == 0);
    while (sem_wait(&done) != 0)
        continue;
    pthread_join(thread, NULL);
    return 0;
}
