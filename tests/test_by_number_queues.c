/* test_by_number_queues.c -- queues, timers, signals and processes by number: see by_number.h. */
#include "by_number.h"

#include <fcntl.h>
#include <mqueue.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <sys/signalfd.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/wait.h>

/* ---- Queues and semaphores ------------------------------------------------------------------- */

static int semaphores, queue;

static void *raise_semaphore(void *it)
{
    struct sembuf up = {.sem_op = 1}, no = {.sem_num = 99, .sem_op = 1};

    tell(0, CALL(semop, semaphores, &up, 1));
    tell(0, CALL(semctl, semaphores, 0, GETVAL, 0L));
    tell(0, CALL(semop, semaphores, &no, 1));
    return it;
}

static void *lower_semaphore(void *it)
{
    struct sembuf down = {.sem_op = -1}, now = {.sem_op = -1, .sem_flg = IPC_NOWAIT};
    struct timespec span = {.tv_sec = 4};

    tell(1, CALL(semop, semaphores, &now, 1));
    tell(1, CALL(semtimedop, semaphores, &down, 1, &span));
    tell(1, CALL(semctl, semaphores, 0, GETVAL, 0L));
    return it;
}

static void by_semaphores(void)
{
    semaphores = semget(IPC_PRIVATE, 1, IPC_CREAT | 0600);
    tell(slot_of_main, CALL(semctl, semaphores, 0, SETVAL, 0L));
    together(2, raise_semaphore, lower_semaphore);
    tell(slot_of_main, CALL(semctl, semaphores, 0, IPC_RMID, 0L));
    tell(slot_of_main, CALL(semctl, semaphores, 0, GETVAL, 0L));
}

TEST(semaphores_by_number)
{
    expect_alike(by_semaphores);
}

struct message {
    long kind;
    char bytes[8];
};

static void *send_messages(void *it)
{
    struct message message = {.kind = 3, .bytes = "abc"};

    tell(0, CALL(msgsnd, queue, &message, 4, 0));
    message.kind = 2;
    tell(0, CALL(msgsnd, queue, &message, 2, IPC_NOWAIT));
    message.kind = 0;
    tell(0, CALL(msgsnd, queue, &message, 2, 0));
    return it;
}

static void *receive_messages(void *it)
{
    struct message message = {0};

    tell(1, CALL(msgrcv, queue, &message, 8, 3L, IPC_NOWAIT));
    tell(1, message.kind);
    tell(1, CALL(msgrcv, queue, &message, 8, 2L, 0));
    tell(1, message.kind);
    return it;
}

static void messages(void)
{
    struct msqid_ds status = {.msg_qnum = 99};

    queue = msgget(IPC_PRIVATE, IPC_CREAT | 0600);
    together(2, send_messages, receive_messages);
    tell(slot_of_main, CALL(msgctl, queue, IPC_STAT, &status));
    tell(slot_of_main, (long)status.msg_qnum);
    tell(slot_of_main, CALL(msgctl, queue, IPC_RMID, NULL));
    tell(slot_of_main, CALL(msgctl, queue, IPC_RMID, NULL));
}

TEST(messages_by_number)
{
    expect_alike(messages);
}

static mqd_t mail;

static void *post_mail(void *it)
{
    tell(0, EITHER(syscall(SYS_mq_timedsend, mail, "one", 4, 1, NULL), mq_send(mail, "one", 4, 1)));
    tell(0, CALL(mq_timedsend, mail, "two", 4, 2, after(CLOCK_REALTIME, 5)));
    return it;
}

static void *fetch_mail(void *it)
{
    char bytes[8] = "";
    unsigned priority = 0;

    tell(1, EITHER(syscall(SYS_mq_timedreceive, mail, bytes, 8, &priority, NULL),
                   mq_receive(mail, bytes, 8, &priority)));
    put(1, "%s %u", bytes, priority);
    tell(1, CALL(mq_timedreceive, mail, bytes, 8, &priority, after(CLOCK_REALTIME, 5)));
    put(1, "%s %u", bytes, priority);
    tell(1, CALL(mq_timedreceive, mail, bytes, 8, NULL, after(CLOCK_REALTIME, 5)));
    return it;
}

static void mails(void)
{
    struct mq_attr attributes = {.mq_maxmsg = 1, .mq_msgsize = 8};
    char name[40];

    snprintf(name, sizeof name, "/by_number.%d", (int)getpid());
    mail = mq_open(name, O_CREAT | O_RDWR, 0600, &attributes);
    mq_unlink(name);
    together(2, post_mail, fetch_mail);
    mq_close(mail);
}

TEST(mail_by_number)
{
    expect_alike(mails);
}

/* ---- Events, timers and signals as files ----------------------------------------------------- */

static int counter;

static void *add_to_counter(void *it)
{
    uint64_t two = 2;

    tell(0, CALL(write, counter, &two, 8));
    return it;
}

static void *take_from_counter(void *it)
{
    uint64_t value = 0;

    tell(1, CALL(read, counter, &value, 8));
    tell(1, (long)value);
    return it;
}

static void counters(void)
{
    int other = (int)EITHER(syscall(SYS_eventfd, 3), eventfd(3, 0));

    counter = (int)EITHER(syscall(SYS_eventfd2, 1, EFD_SEMAPHORE), eventfd(1, EFD_SEMAPHORE));
    together(2, add_to_counter, take_from_counter);
    close(counter);
    counter = other;
    take_from_counter(NULL);
    close(counter);
    tell(slot_of_main, EITHER(syscall(SYS_eventfd2, 1, -1), eventfd(1, -1)));
}

TEST(counters_by_number)
{
    expect_alike(counters);
}

static void *wait_for_timer(void *it)
{
    struct itimerspec wanted = {{.tv_sec = 2}, {.tv_sec = 3}}, seen = {0};
    int timer = (int)CALL(timerfd_create, CLOCK_MONOTONIC, TFD_CLOEXEC);
    uint64_t times = 0;

    tell(1, CALL(fcntl, timer, F_GETFD));
    tell(1, CALL(timerfd_settime, timer, 0, &wanted, NULL));
    tell(1, CALL(read, timer, &times, 8));
    tell(1, CALL(timerfd_gettime, timer, &seen));
    tell(1, seen.it_interval.tv_sec);
    tell(1, CALL(timerfd_settime, timer, TFD_TIMER_ABSTIME, &(struct itimerspec){0}, &seen));
    tell(1, seen.it_interval.tv_sec);
    tell(1, CALL(timerfd_create, 99, 0));
    close(timer);
    return it;
}

static void timers(void)
{
    together(1, wait_for_timer);
}

TEST(timers_by_number)
{
    expect_alike(timers);
}

static void signals_as_files(void)
{
    struct signalfd_siginfo information = {0};
    sigset_t set;
    int one, two;

    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    one = (int)EITHER(syscall(SYS_signalfd4, -1, &set, KERNEL_SET, SFD_CLOEXEC),
                      signalfd(-1, &set, SFD_CLOEXEC));
    two = (int)EITHER(syscall(SYS_signalfd, -1, &set, KERNEL_SET), signalfd(-1, &set, 0));
    tell(1, CALL(fcntl, one, F_GETFD));
    tell(1, CALL(fcntl, two, F_GETFD));
    tell(1, CALL(kill, getpid(), SIGUSR1));
    tell(1, CALL(read, one, &information, sizeof information));
    tell(1, information.ssi_signo);
    close(one), close(two);
}

TEST(signals_as_files_by_number)
{
    expect_alike(signals_as_files);
}

/* ---- Time, signals and processes ------------------------------------------------------------- */

static volatile sig_atomic_t caught;

static void catch_signal(int signal)
{
    caught = caught * 100 + signal;
}

static void *sleep_in_ways(void *it)
{
    struct timespec span = {.tv_sec = 2}, left = {0}, now, wrong = {.tv_nsec = -1};
    struct timeval day;
    time_t seconds;

    tell(0, CALL(nanosleep, &span, &left));
    tell(0, CALL(nanosleep, &wrong, &left));
    tell(0, EITHER(syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &span, NULL),
                   -clock_nanosleep(CLOCK_MONOTONIC, 0, &span, NULL)));
    tell(0, CALL(clock_gettime, CLOCK_REALTIME, &now));
    tell(0, now.tv_sec % 1000);
    tell(0, CALL(clock_gettime, 99, &now));
    tell(1, CALL(gettimeofday, &day, NULL));
    tell(1, day.tv_sec % 1000);
    tell(1, CALL(time, &seconds) == seconds);
    tell(1, seconds % 1000);
    tell(1, CALL(sched_yield));
    return it;
}

static void sleeping(void)
{
    together(1, sleep_in_ways);
}

TEST(time_by_number)
{
    expect_alike(sleeping);
}

static void alarms(void)
{
    signal(SIGALRM, catch_signal);
    signal(SIGUSR2, catch_signal);
    caught = 0;
    tell(0, CALL(alarm, 3));
    tell(0, CALL(alarm, 2));
    tell(0, CALL(pause));
    tell(0, CALL(kill, getpid(), SIGUSR2));
    tell(0, CALL(tgkill, getpid(), gettid(), SIGUSR2));
    tell(0, CALL(tgkill, getpid() + 1, gettid(), SIGUSR2));
    tell(0, EITHER(syscall(SYS_tkill, gettid(), SIGUSR2), tgkill(getpid(), gettid(), SIGUSR2)));
    tell(0, CALL(tgkill, getpid(), gettid(), 0));
    tell(1, CALL(tgkill, getpid(), gettid(), 99));
    tell(1, caught);
}

TEST(alarms_and_signals_by_number)
{
    expect_alike(alarms);
}

static void processes(void)
{
    pid_t child = (pid_t)CALL(fork);
    struct rusage usage;
    siginfo_t information = {0};
    int status = 0;

    if (child == 0)
        _exit(7);
    tell(0, EITHER(syscall(SYS_waitid, P_PID, child, &information, WEXITED | WNOWAIT, NULL),
                   waitid(P_PID, (id_t)child, &information, WEXITED | WNOWAIT)));
    tell(0, information.si_status);
    tell(0, CALL(wait4, child, &status, 0, &usage) == child);
    tell(0, WEXITSTATUS(status));
    tell(0, CALL(wait4, child, &status, WNOHANG, NULL));
    child = (pid_t)EITHER(syscall(SYS_vfork), fork());
    if (child == 0)
        _exit(8);
    tell(0, CALL(wait4, -1, &status, 0, NULL) == child);
    tell(0, WEXITSTATUS(status));
}

TEST(processes_by_number)
{
    expect_alike(processes);
}

static void *name_oneself(void *it)
{
    char name[20] = "";

    tell(0, CALL(prctl, PR_SET_NAME, "somebody", 0L, 0L, 0L));
    tell(0, CALL(prctl, PR_GET_NAME, name, 0L, 0L, 0L));
    put(0, "%s", name);
    tell(0, CALL(prctl, PR_GET_DUMPABLE, 0L, 0L, 0L, 0L));
    tell(0, CALL(prctl, -1, 0L, 0L, 0L, 0L));
    tell(0, EITHER(syscall(SYS_futex_waitv, NULL, 0, 0, NULL, 0), (errno = ENOSYS, -1)));
    return it;
}

static void naming(void)
{
    together(1, name_oneself);
}

TEST(names_by_number)
{
    expect_alike(naming);
}
