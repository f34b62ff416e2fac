/* calls.c -- state of the C library and the process: the environment, static buffers, ... */
#include "state.h"

#include <grp.h>
#include <locale.h>
#include <poll.h>
#include <pwd.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>

/* ---- The environment ---- */

static void count_in_environment(int me)
{
    char text[16];

    (void)me;
    snprintf(text, sizeof text, "%d", number_in(getenv("COUNT")) + 1);
    setenv("COUNT", text, 1);
}

static void environment_has_two(void)
{
    assert(number_in(getenv("COUNT")) == 2);
}

/* ---- strtok ---- */

static void split(int me)
{
    char text[8];

    strcpy(text, me ? "a b" : "c d");
    assert(*strtok(text, " ") == (me ? 'a' : 'c'));
    assert(*strtok(NULL, " ") == (me ? 'b' : 'd'));
}

static void split_by_itself(int me)
{
    char text[8], *rest;

    strcpy(text, me ? "a b" : "c d");
    assert(*strtok_r(text, " ", &rest) == (me ? 'a' : 'c'));
    assert(*strtok_r(NULL, " ", &rest) == (me ? 'b' : 'd'));
}

/* ---- Random numbers ---- */

static int drawn[2];

static void draw(int me)
{
    drawn[me] = rand() & 0xffff;
}

static void the_first_draws_first(void)
{
    srand(1);
    assert(drawn[0] == (rand() & 0xffff));
}

static void draw_alone(int me)
{
    unsigned state = (unsigned)me;

    drawn[me] = me ? 0 : (srand(1), rand() & 0xffff);
    (void)state;
}

static void draw_48(int me)
{
    drawn[me] = (int)(lrand48() & 0xffff);
}

static void the_first_of_48_first(void)
{
    srand48(0);
    assert(drawn[0] == (int)(lrand48() & 0xffff));
}

static void begin_48(void)
{
    srand48(0);
}

static void nothing(int me)
{
    if (me == 0)
        drawn[0] = (int)(lrand48() & 0xffff);
}

/* ---- Calendars, users ---- */

static void find_year(int me)
{
    time_t when = me ? 0 : 86400 * 400;
    struct tm *day = gmtime(&when);

    assert(day->tm_year == (me ? 70 : 71));
}

static void find_year_by_itself(int me)
{
    time_t when = me ? 0 : 86400 * 400;
    struct tm day;

    gmtime_r(&when, &day);
    assert(day.tm_year == (me ? 70 : 71));
}

static void find_user(int me)
{
    struct passwd *user = getpwuid(me ? 0 : 1);

    assert(!user || user->pw_uid == (me ? 0 : 1));
}

static void find_user_by_itself(int me)
{
    struct passwd user, *found;
    char room[1024];

    if (getpwuid_r(me ? 0 : 1, &user, room, sizeof room, &found) == 0 && found)
        assert(found->pw_uid == (me ? 0 : 1));
}

/* ---- The locale, the umask, signals ---- */

static void speak(int me)
{
    const char *old;

    if (me == 0) {
        old = setlocale(LC_ALL, "C.UTF-8");
        (void)old;
        setlocale(LC_ALL, "C");
    } else {
        assert(strcmp(setlocale(LC_ALL, NULL), "C") == 0);
    }
}

static void speak_alone(int me)
{
    if (me == 0) {
        setlocale(LC_ALL, "C.UTF-8");
        setlocale(LC_ALL, "C");
    }
}

static void mask_files(int me)
{
    mode_t old;

    if (me == 0) {
        old = umask(077);
        umask(old);
    } else {
        umask(umask(0));
    }
}

static void begin_umask(void)
{
    umask(022);
}

static void umask_is_as_before(void)
{
    assert(umask(022) == 022);
}

static volatile sig_atomic_t handled;

static void handle(int signal)
{
    (void)signal;
    handled++;
}

static void handle_for_a_moment(int me)
{
    if (me == 0) {
        signal(SIGUSR1, handle);
        raise(SIGUSR1);
        signal(SIGUSR1, SIG_IGN);
    } else {
        signal(SIGUSR1, SIG_IGN);
    }
}

static void it_was_handled(void)
{
    assert(handled == 1);
}

static int signals_in;

static void open_signals(void)
{
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGUSR2);
    sigprocmask(SIG_BLOCK, &set, NULL);
    signals_in = signalfd(-1, &set, SFD_NONBLOCK);
}

static void read_signal(int me)
{
    struct signalfd_siginfo info;

    if (me == 0)
        kill(getpid(), SIGUSR2);
    else
        assert(read(signals_in, &info, sizeof info) > 0);
}

static void poll_signal(int me)
{
    struct pollfd all = {.fd = signals_in, .events = POLLIN};

    if (me == 0)
        read_signal(me);
    else if (poll(&all, 1, 0) == 1)
        read_signal(me);
}

static void print(int me)
{
    printf("%d\n", me);
}

static void print_equal(int me)
{
    (void)me;
    printf("1\n");
}

/* ---- Locks of streams ---- */

static int half;

static void halve_with_stream(int me)
{
    if (me == 0) {
        flockfile(stderr);
        __atomic_store_n(&half, 1, __ATOMIC_SEQ_CST);
        __atomic_store_n(&half, 0, __ATOMIC_SEQ_CST);
        funlockfile(stderr);
    } else
        assert(!__atomic_load_n(&half, __ATOMIC_SEQ_CST));
}

static void halve_right(int me)
{
    if (me == 0) {
        halve_with_stream(me);
        return;
    }
    flockfile(stderr);
    halve_with_stream(me);
    fflush(NULL);
    funlockfile(stderr);
}

/* ---- What the process is told of itself ---- */

static void group_changes(int me)
{
    pid_t before;

    if (me == 0)
        setpgid(0, 0);
    else {
        before = getpgrp();
        assert(before == getpgrp());
    }
}

static void priority_changes(int me)
{
    int before;

    if (me == 0)
        setpriority(PRIO_PROCESS, 0, getpriority(PRIO_PROCESS, 0) + 1);
    else {
        before = getpriority(PRIO_PROCESS, 0);
        assert(before == getpriority(PRIO_PROCESS, 0));
    }
}

/* Whatever they may do to a process that is not root's, they are operations. */
static void set_all_identities(void)
{
    gid_t none = (gid_t)-1;

    assert(setuid(getuid()) == 0 && setgid(getgid()) == 0);
    assert(seteuid(geteuid()) == 0 && setegid(getegid()) == 0);
    assert(seteuid((uid_t)-1) == -1 && errno == EINVAL);
    assert(setreuid(none, none) == 0 && setregid(none, none) == 0);
    assert(setresuid(none, none, none) == 0 && setresgid(none, none, none) == 0);
    assert(setgroups(0, NULL) == 0 || errno == EPERM);
}

static void set_identities(int me)
{
    if (me == 0) {
        __atomic_store_n(&half, 1, __ATOMIC_SEQ_CST);
        assert(setgid(getgid()) == 0);
        __atomic_store_n(&half, 0, __ATOMIC_SEQ_CST);
    } else {
        set_all_identities();
        assert(!__atomic_load_n(&half, __ATOMIC_SEQ_CST));
    }
}

static void set_identities_only(int me)
{
    if (me == 0)
        assert(setgid(getgid()) == 0);
    else
        set_all_identities();
}

static pthread_t main_thread;

static void title_changes(int me)
{
    static char before[16], after[16];

    if (me == 0)
        pthread_setname_np(main_thread, "another");
    else {
        pthread_getname_np(main_thread, before, sizeof before);
        pthread_getname_np(main_thread, after, sizeof after);
        assert(strcmp(before, after) == 0);
    }
}

static void begin_title(void)
{
    main_thread = pthread_self();
}

static int policy_of(pthread_t thread)
{
    struct sched_param how;
    int policy;

    assert(pthread_getschedparam(thread, &policy, &how) == 0);
    return policy;
}

static void policy_changes(int me)
{
    struct sched_param how = {0};
    int before;

    if (me == 0)
        pthread_setschedparam(main_thread, SCHED_BATCH, &how);
    else {
        before = policy_of(main_thread);
        assert(before == policy_of(main_thread));
    }
}

/* The thread of an earlier execution was another one. */
static void own_policy_changes(int me)
{
    struct sched_param how = {0};

    if (me == 0) {
        assert(policy_of(pthread_self()) == SCHED_OTHER);
        pthread_setschedparam(pthread_self(), SCHED_BATCH, &how);
    }
}

/* ---- Other processes ---- */

static void begin_mode(void)
{
    setenv("MODE", "a", 1);
}

static void change_mode_for_a_moment(void)
{
    setenv("MODE", "b", 1);
    setenv("MODE", "a", 1);
}

static void run_shell(int me)
{
    if (me == 0)
        change_mode_for_a_moment();
    else
        assert(system("test $MODE = a") == 0);
}

static int low, high;

static void copy_process(int me)
{
    int status;
    pid_t copy;

    if (me == 0) {
        __atomic_store_n(&low, 1, __ATOMIC_SEQ_CST);
        __atomic_store_n(&high, 1, __ATOMIC_SEQ_CST);
        return;
    }
    copy = fork();
    if (copy == 0)
        _exit(low != high);
    assert(waitpid(copy, &status, 0) == copy && status == 0);
}

/* ---- Cancellation ---- */

static pthread_t victim;
static int steps;

static void cancel_in(int me, void (*call)(void))
{
    static _Atomic bool is_there;

    if (me == 0) {
        victim = pthread_self();
        pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
        is_there = true;
        __atomic_store_n(&steps, 1, __ATOMIC_SEQ_CST);
        pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
        call();
        pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
        __atomic_store_n(&steps, 2, __ATOMIC_SEQ_CST);
    } else if (is_there)
        pthread_cancel(victim);
}

static void call_fsync(void)
{
    fsync(0);
}

static void call_open(void)
{
    close(open("/dev/null", O_RDONLY));
}

static void call_lseek(void)
{
    lseek(0, 0, SEEK_CUR);
}

static void cancel_in_fsync(int me)
{
    cancel_in(me, call_fsync);
}

static void cancel_in_open(int me)
{
    cancel_in(me, call_open);
}

static void cancel_in_lseek(int me)
{
    cancel_in(me, call_lseek);
}

static void all_steps_were_done(void)
{
    assert(steps != 1);
}

/* ---- A mutex whose owner ends ---- */

static pthread_mutex_t robust;

static void make_robust(void)
{
    pthread_mutexattr_t how;

    pthread_mutexattr_init(&how);
    pthread_mutexattr_setrobust(&how, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&robust, &how);
}

static void try_to_lock(int me)
{
    if (me == 0)
        pthread_mutex_lock(&robust);
    else
        assert(pthread_mutex_trylock(&robust) != EBUSY);
}

static void lock_and_end(int me)
{
    int result = pthread_mutex_lock(&robust);

    (void)me;
    assert(result == 0 || result == EOWNERDEAD);
}

const struct pair call_pairs[] = {
    {.name = "environment", .body = count_in_environment, .after = environment_has_two},
    {.name = "strtok", .body = split, .right_body = split_by_itself},
    {.name = "rand", .body = draw, .after = the_first_draws_first, .right_body = draw_alone},
    {.name = "lrand48",
     .before = begin_48,
     .body = draw_48,
     .after = the_first_of_48_first,
     .right_body = nothing},
    {.name = "gmtime", .body = find_year, .right_body = find_year_by_itself, .instrumented = true},
    {.name = "getpwuid",
     .body = find_user,
     .right_body = find_user_by_itself,
     .instrumented = true},
    {.name = "setlocale", .body = speak, .right_body = speak_alone},
    {.name = "umask", .before = begin_umask, .body = mask_files, .after = umask_is_as_before},
    {.name = "disposition", .body = handle_for_a_moment, .after = it_was_handled},
    {.name = "signalfd", .before = open_signals, .body = read_signal, .right_body = poll_signal},
    {.name = "getpgrp", .body = group_changes},
    {.name = "setuid", .body = set_identities, .right_body = set_identities_only},
    {.name = "getpriority", .body = priority_changes},
    {.name = "title", .before = begin_title, .body = title_changes},
    {.name = "policy",
     .before = begin_title,
     .body = policy_changes,
     .right_body = own_policy_changes},
    {.name = "system", .before = begin_mode, .body = run_shell},
    {.name = "fork", .body = copy_process, .instrumented = true},
    {.name = "fsync",
     .body = cancel_in_fsync,
     .after = all_steps_were_done,
     .right_body = cancel_in_lseek},
    {.name = "open",
     .body = cancel_in_open,
     .after = all_steps_were_done,
     .right_body = cancel_in_lseek},
    {.name = "flockfile",
     .body = halve_with_stream,
     .right_body = halve_right,
     .instrumented = true},
    {.name = "stdout", .body = print, .right_body = print_equal},
    {.name = "robust", .before = make_robust, .body = try_to_lock, .right_body = lock_and_end},
    {0},
};
