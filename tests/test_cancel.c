/* test_cancel.c -- a cancelled thread ends at the calls at which the C library ends it, and at no
 * others. */
#include "like_libc.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <termios.h>

static int ends[2], null;
static sem_t sem;
static char byte;

static void nothing_to_lock(int how)
{
    struct flock region = {.l_type = F_RDLCK, .l_len = 1};

    fcntl(null, how, &region);
}

/* None of the calls would wait. */
static void call_about_files(int which)
{
    switch (which) {
    case 0:
        close(open("/dev/null", O_RDONLY));
        break;
    case 1:
        close(openat(AT_FDCWD, "/dev/null", O_RDONLY));
        break;
    case 2:
        close(-1);
        break;
    case 3:
        if (read(ends[0], &byte, 1) != 1)
            tell("? ");
        break;
    case 4:
        if (write(ends[1], "x", 1) != 1)
            tell("? ");
        break;
    case 5:
        fsync(null);
        break;
    case 6:
        fdatasync(null);
        break;
    case 7:
        nothing_to_lock(F_SETLKW);
        break;
    case 8:
        nothing_to_lock(F_SETLK);
        break;
    case 9:
        fcntl(null, F_GETFL);
        break;
    case 10:
        if (lockf(null, F_TEST, 1) > 0)
            tell("? ");
        break;
    }
}

static void call_about_time(int which)
{
    struct timespec none = {0};
    struct timeval no_time = {0};
    sigset_t set;

    sigemptyset(&set);
    switch (which) {
    case 11:
        nanosleep(&none, NULL);
        break;
    case 12:
        clock_nanosleep(CLOCK_MONOTONIC, 0, &none, NULL);
        break;
    case 13:
        usleep(0);
        break;
    case 14:
        poll(NULL, 0, 0);
        break;
    case 15:
        select(0, NULL, NULL, NULL, &no_time);
        break;
    case 16:
        sem_wait(&sem);
        break;
    case 17:
        sem_trywait(&sem);
        break;
    case 18:
        sem_timedwait(&sem, past());
        break;
    case 19:
        pthread_testcancel();
        break;
    case 20:
        sched_yield();
        break;
    case 21:
        (void)getpid();
        break;
    case 22:
        sigtimedwait(&set, NULL, &none);
        break;
    }
}

static void call_about_others(int which)
{
    struct timespec none = {0};

    switch (which) {
    case 23:
        if (pread(null, &byte, 1, 0) > 0)
            tell("? ");
        break;
    case 24:
        if (readv(ends[0], &(struct iovec){&byte, 1}, 1) != 1)
            tell("? ");
        break;
    case 25:
        tcdrain(null);
        break;
    case 26:
        recv(null, &byte, 1, 0);
        break;
    case 27:
        accept(null, NULL, NULL);
        break;
    case 28:
        connect(null, NULL, 0);
        break;
    case 29:
        send(null, &byte, 1, 0);
        break;
    case 30:
        (void)dup(-1);
        break;
    case 31:
        (void)lseek(null, 0, SEEK_SET);
        break;
    case 32:
        creat("/nowhere/at/all", 0600);
        break;
    case 33:
        flock(null, LOCK_UN);
        break;
    case 34:
        pselect(0, NULL, NULL, NULL, &none, NULL);
        break;
    case 35:
        ppoll(NULL, 0, &none, NULL);
        break;
    case 36:
        shutdown(null, SHUT_RD);
        break;
    }
}

static void call(int which)
{
    if (which <= 10)
        call_about_files(which);
    else if (which <= 22)
        call_about_time(which);
    else
        call_about_others(which);
}

enum { CALLS = 37 };

static void *be_cancelled(void *disabled)
{
    if (disabled)
        pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
    pthread_cancel(pthread_self());
    call(kind);
    tell("it goes on ");
    return NULL;
}

static void end_at_a_call(void)
{
    for (int disabled = 0; disabled < 2; disabled++) {
        pthread_t thread;
        void *result = NULL;

        if (pipe(ends) != 0 || write(ends[1], "xyz", 3) != 3)
            return;
        null = open("/dev/null", O_RDWR);
        sem_init(&sem, 0, 1);
        pthread_create(&thread, NULL, be_cancelled, disabled ? &byte : NULL);
        pthread_join(thread, &result);
        tell("call %d: %s; ", kind, result == PTHREAD_CANCELED ? "cancelled" : "returned");
        close(ends[0]);
        close(ends[1]);
        close(null);
    }
}

TEST(cancelled_threads_end_where_the_c_library_ends_them)
{
    expect_alike(CALLS, 2, CALLS, end_at_a_call);
}
