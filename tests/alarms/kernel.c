/* kernel.c -- two threads that the kernel puts in order: kernel WAY [wrong].
 *
 * By locks, each adds to a total; wrong: one of them takes a lock that keeps nobody out.  By
 * messages, one tells the other of a value; wrong: it writes the value once more. */
#define _GNU_SOURCE
#include <assert.h>
#include <fcntl.h>
#include <mqueue.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <unistd.h>

static const char *way;
static bool wrong;
static int total, files[2], set, queue;
static mqd_t letters;

static bool is(const char *name)
{
    return strcmp(way, name) == 0;
}

static void lock(int file, bool shared)
{
    struct flock all = {.l_type = shared ? F_RDLCK : F_WRLCK};
    struct sembuf down = {.sem_op = -1};

    if (is("flock"))
        assert(flock(file, shared ? LOCK_SH : LOCK_EX) == 0);
    else if (is("ofd"))
        assert(fcntl(file, F_OFD_SETLKW, &all) == 0);
    else if (is("semop") && !shared)
        assert(semop(set, &down, 1) == 0);
}

static void unlock(int file, bool shared)
{
    struct flock all = {.l_type = F_UNLCK};
    struct sembuf up = {.sem_op = 1};

    if (is("flock"))
        assert(flock(file, LOCK_UN) == 0);
    else if (is("ofd"))
        assert(fcntl(file, F_OFD_SETLK, &all) == 0);
    else if (is("semop") && !shared)
        assert(semop(set, &up, 1) == 0);
}

static void *add(void *argument)
{
    int *file = argument;
    bool shared = wrong;

    for (int i = 0; i < 2; i++) {
        lock(*file, shared);
        total++;
        unlock(*file, shared);
    }
    return NULL;
}

static void *tell(void *unused)
{
    struct {
        long type;
        char text[1];
    } message = {1, "x"};

    total = 1;
    if (is("mq"))
        assert(mq_send(letters, "x", 1, 0) == 0);
    else
        assert(msgsnd(queue, &message, 1, 0) == 0);
    if (wrong)
        total = 2;
    return unused;
}

static void *hear(void *unused)
{
    char text[64];

    if (is("mq"))
        assert(mq_receive(letters, text, sizeof text, NULL) == 1);
    else
        assert(msgrcv(queue, text, 1, 0, 0) == 1);
    total++;
    return unused;
}

static void prepare(void)
{
    char name[64];
    struct mq_attr attributes = {.mq_maxmsg = 2, .mq_msgsize = sizeof name};

    for (int i = 0; i < 2; i++)
        files[i] = open("lock", O_RDWR | O_CREAT, 0600);
    set = semget(IPC_PRIVATE, 1, 0600);
    semctl(set, 0, SETVAL, 1);
    queue = msgget(IPC_PRIVATE, 0600);
    snprintf(name, sizeof name, "/raddle-alarms-%d", (int)getpid());
    letters = mq_open(name, O_RDWR | O_CREAT | O_EXCL, 0600, &attributes);
    assert(letters >= 0);
    mq_unlink(name);
}

int main(int argc, char **argv)
{
    pthread_t threads[2];
    bool by_messages;

    way = argc > 1 ? argv[1] : "";
    wrong = argc > 2;
    by_messages = is("mq") || is("msg");
    prepare();
    pthread_create(&threads[0], NULL, by_messages ? tell : add, &files[0]);
    pthread_create(&threads[1], NULL, by_messages ? hear : add, &files[1]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    semctl(set, 0, IPC_RMID);
    msgctl(queue, IPC_RMID, NULL);
    return 0;
}
