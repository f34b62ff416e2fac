/* test_ipc.c -- queues of messages and semaphores of System V, and queues of POSIX: they return
 * what they do without control, and who waits for them goes when it can. */
#include "like_libc.h"

#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>

struct message {
    long type;
    char text[16];
};

/* ---- As without control --------------------------------------------------------------------- */

static void messages(void)
{
    int queue = msgget(IPC_PRIVATE, 0600);
    struct msqid_ds state;

    for (int i = 0; i < CALLS_MOST; i++) {
        struct message message = {.type = 1 + i % 3};
        long code = 0;

        snprintf(message.text, sizeof message.text, "m%d", i);
        errno = 0;
        switch (program[i][0]) {
        case 0:
        case 1:
            code = msgsnd(queue, &message, strlen(message.text) + 1, IPC_NOWAIT);
            break;
        case 2:
            code = msgrcv(queue, &message, sizeof message.text, 0, IPC_NOWAIT);
            break;
        case 3:
            code = msgrcv(queue, &message, sizeof message.text, 1 + i % 3, IPC_NOWAIT);
            break;
        case 4:
            code = msgrcv(queue, &message, sizeof message.text, -2, IPC_NOWAIT);
            break;
        case 5:
            code = msgrcv(queue, &message, sizeof message.text, 2, IPC_NOWAIT | MSG_EXCEPT);
            break;
        case 6:
            code = msgrcv(queue, &message, 1, 0, IPC_NOWAIT | (program[i][1] ? MSG_NOERROR : 0));
            break;
        case 7:
            code = msgsnd(queue, &(struct message){.type = 0}, 1, IPC_NOWAIT);
            break;
        case 8:
            code = msgsnd(program[i][1] ? -1 : queue, &message, (size_t)-1, IPC_NOWAIT);
            break;
        }
        tell("%d: %ld %d %ld %.6s ", program[i][0], code, code < 0 ? errno : 0, message.type,
             message.text);
    }
    tell("%ld left", msgctl(queue, IPC_STAT, &state) ? -1L : (long)state.msg_qnum);
    msgctl(queue, IPC_RMID, NULL);
}

static void sets_of_semaphores(void)
{
    int set = semget(IPC_PRIVATE, 3, 0600);

    for (int i = 0; i < CALLS_MOST; i++) {
        struct sembuf operations[3] = {
            {.sem_num = (unsigned short)(i % 3), .sem_flg = IPC_NOWAIT},
            {.sem_num = (unsigned short)((i + 1) % 3), .sem_flg = IPC_NOWAIT},
            {.sem_num = 2, .sem_flg = IPC_NOWAIT}};
        int code = 0;

        errno = 0;
        switch (program[i][0]) {
        case 0:
            operations[0].sem_op = (short)(1 + program[i][1]);
            code = semop(set, operations, 1);
            break;
        case 1:
            operations[0].sem_op = -1;
            code = semop(set, operations, 1);
            break;
        case 2: /* both or none */
            operations[0].sem_op = -1;
            operations[1].sem_op = (short)(program[i][1] ? -1 : 1);
            code = semop(set, operations, 2);
            break;
        case 3: /* is it 0? */
            code = semop(set, operations, 1);
            break;
        case 4:
            operations[0].sem_op = 1;
            operations[1].sem_op = -2;
            operations[2].sem_op = 1;
            code = semtimedop(set, operations, 3, past());
            break;
        case 5:
            operations[0].sem_num = 3;
            code = semop(set, operations, 1);
            break;
        case 6:
            code = semop(program[i][1] ? -1 : set, operations, 0);
            break;
        case 7:
            code = semctl(set, i % 3, SETVAL, 1);
            break;
        }
        tell("%d: %d %d ", program[i][0], code, code < 0 ? errno : 0);
        for (int k = 0; k < 3; k++)
            tell("%d", semctl(set, k, GETVAL));
        tell(" ");
    }
    semctl(set, 0, IPC_RMID);
}

static mqd_t open_queue(int flags)
{
    struct mq_attr attributes = {.mq_maxmsg = 3, .mq_msgsize = 16};
    char name[60];
    mqd_t queue;

    snprintf(name, sizeof name, "/raddle_test_ipc_%d", (int)getpid());
    queue = mq_open(name, O_RDWR | O_CREAT | flags, 0600, &attributes);
    mq_unlink(name);
    return queue;
}

static void posix_queues(void)
{
    mqd_t queue = open_queue(O_NONBLOCK);
    struct mq_attr attributes;

    for (int i = 0; i < CALLS_MOST; i++) {
        char text[16] = "";
        unsigned priority = 0;
        long code = 0;

        snprintf(text, sizeof text, "m%d", i);
        errno = 0;
        switch (program[i][0]) {
        case 0:
        case 1:
            code = mq_send(queue, text, strlen(text) + 1, (unsigned)(i * 5 % 3));
            break;
        case 2:
            code = mq_receive(queue, text, sizeof text, &priority);
            break;
        case 3:
            code = mq_timedreceive(queue, text, sizeof text, NULL, past());
            break;
        case 4:
            code = mq_timedsend(queue, text, strlen(text) + 1, 7, past());
            break;
        case 5:
            code = mq_receive(queue, text, program[i][1] ? 15 : 0, &priority);
            break;
        case 6:
            code = mq_send(queue, text, 17, 1);
            break;
        case 7:
            code = mq_timedsend(queue, text, 1, 1, &(struct timespec){.tv_nsec = -1});
            break;
        }
        tell("%d: %ld %d %s %u ", program[i][0], code, code < 0 ? errno : 0, text, priority);
    }
    mq_getattr(queue, &attributes);
    tell("%ld left", attributes.mq_curmsgs);
    mq_close(queue);
}

TEST(queues_and_semaphores_return_what_they_do_without_control)
{
    int more = soak() ? 50 : 1;

    expect_alike(40 * more, 9, 1, messages);
    expect_alike(40 * more, 8, 1, sets_of_semaphores);
    if (open_queue(0) != (mqd_t)-1)
        expect_alike(40 * more, 8, 1, posix_queues);
}

/* ---- Waiting -------------------------------------------------------------------------------- */

static int queue, set; /* made before executions, of which some do not come to their end */
static mqd_t posix_queue;

static void *send_first(void *unused)
{
    put(1, "%d", msgsnd(queue, &(struct message){.type = 1}, 1, 0));
    return unused;
}

static void *send_second(void *unused)
{
    put(1, "%d", msgsnd(queue, &(struct message){.type = 2}, 1, 0));
    return unused;
}

static void *get_second(void *unused)
{
    struct message message;

    put(0, "%zd", msgrcv(queue, &message, sizeof message.text, 2, 0));
    return unused;
}

static void message_of_a_type(void)
{
    together(2, send_first, get_second);
}

static void message_of_the_type(void)
{
    together(2, send_second, get_second);
}

static void *down_both(void *number)
{
    struct sembuf both[2] = {{.sem_num = 0, .sem_op = -1}, {.sem_num = 1, .sem_op = -1}};

    semop(set, both, 2);
    put(0, "%d", (int)(intptr_t)number);
    both[0].sem_op = both[1].sem_op = 1;
    semop(set, both, 2);
    return number;
}

static void *up_both(void *unused)
{
    for (unsigned short i = 0; i < 2; i++)
        semop(set, &(struct sembuf){.sem_num = i, .sem_op = 1}, 1);
    return unused;
}

static void two_semaphores_at_once(void)
{
    semctl(set, 0, SETVAL, 0);
    semctl(set, 1, SETVAL, 0);
    together(3, down_both, down_both, up_both);
}

static void *down_late(void *unused)
{
    struct sembuf down = {.sem_num = 0, .sem_op = -1};

    put(0, "%s", semtimedop(set, &down, 1, &(struct timespec){.tv_sec = 5}) ? "late" : "got");
    return unused;
}

static void semaphore_that_stays(void)
{
    semctl(set, 0, SETVAL, 0);
    semctl(set, 1, SETVAL, 0);
    together(1, down_late);
}

static void *send_four(void *unused)
{
    for (unsigned i = 0; i < 4; i++)
        put(1, "%d", mq_send(posix_queue, "m", 1, i));
    return unused;
}

static void *receive_four(void *unused)
{
    for (int i = 0; i < 4; i++) {
        char text[16];
        unsigned priority = 9;

        mq_receive(posix_queue, text, sizeof text, &priority);
        put(0, "%u", priority);
    }
    return unused;
}

static void more_than_there_is_room_for(void)
{
    posix_queue = open_queue(0);
    together(1, send_four);
}

static void full_and_empty(void)
{
    posix_queue = open_queue(0);
    send_four(NULL);
}

static void there_and_back(void)
{
    posix_queue = open_queue(0);
    together(2, send_four, receive_four);
    mq_close(posix_queue);
}

/* ---- A model of four messages, the most urgent first, through a queue with room for three ---- */

static char orders[32][5];
static int order_count;

static void go_on(int sent, unsigned there, char *received, int count)
{
    if (count == 4) {
        for (int i = 0; i < order_count; i++)
            if (strcmp(orders[i], received) == 0)
                return;
        strcpy(orders[order_count++], received);
        return;
    }
    if (there) {
        int first = 31 - __builtin_clz(there);

        received[count] = (char)('0' + first);
        go_on(sent, there & ~(1u << first), received, count + 1);
    }
    if (sent < 4 && __builtin_popcount(there) < 3)
        go_on(sent + 1, there | 1u << sent, received, count);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(a, b);
}

static const char *orders_of_four(void)
{
    static char text[600];
    char received[5] = "";

    go_on(0, 0, received, 0);
    qsort(orders, (size_t)order_count, sizeof *orders, by_text);
    for (int i = 0; i < order_count; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s 0000", i ? " | " : "",
                 orders[i]);
    return text;
}

TEST(who_waits_for_a_queue_or_a_semaphore_goes_when_it_can)
{
    const char *of_another, *of_the, *two, *late;

    queue = msgget(IPC_PRIVATE, 0600);
    set = semget(IPC_PRIVATE, 2, 0600);
    of_another = test_keep(rdl__duplicate(outcomes_of(message_of_a_type)));
    of_the = test_keep(rdl__duplicate(outcomes_of(message_of_the_type)));
    two = test_keep(rdl__duplicate(outcomes_of(two_semaphores_at_once)));
    late = test_keep(rdl__duplicate(outcomes_of(semaphore_that_stays)));
    msgctl(queue, IPC_RMID, NULL);
    semctl(set, 0, IPC_RMID);
    EXPECT_STR(of_another, "deadlock 0");
    EXPECT_STR(of_the, "1 0");
    EXPECT_STR(two, "01 | 10");
    EXPECT_STR(late, "late");
    EXPECT_EQ(exploration->now / 1000000000, 5);
    if (open_queue(0) == (mqd_t)-1)
        return;
    EXPECT_STR(outcomes_of(more_than_there_is_room_for), "deadlock 000");
    EXPECT_STR(outcomes_of(full_and_empty), "deadlock 000");
    EXPECT_STR(outcomes_of(there_and_back), orders_of_four());
}
