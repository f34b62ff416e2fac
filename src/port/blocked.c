/* blocked.c -- real threads that run freely: which of them are blocked?
 *
 * /proc/self/task/N/syscall tells which call a thread sleeps in, and with which
 * arguments; N/status how often it has been scheduled.  There is nothing to wait for
 * that would tell us of a thread's going to sleep, so we look again and again, giving
 * way each time; but what decides is what is seen, not how long it took. */
#include "port/blocked.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/memory.h"
#include "port/child.h"
#include "port/io.h"
#include "port/kernel.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct rdl__real_thread *threads;
static struct rdl__real_process *processes;

/* Of the thread itself, which asks for it at every gate; "": none was given. */
static __thread char own_name[48];
static __thread unsigned own_number;
static char program_name[32]; /* read before there are threads that could ask for it */

static const void *new_owner;
static __typeof__(pthread_create) *create_really = pthread_create;
bool rdl__blocked_watches_new;
int rdl__blocked_idle;

static bool read_task_file(int id, const char *name, char *out, size_t room)
{
    char path[64];
    ssize_t got;
    int fd;

    snprintf(path, sizeof path, "/proc/self/task/%d/%s", id, name);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    got = rdl__own_read(fd, out, room - 1);
    close(fd);
    out[got > 0 ? got : 0] = '\0';
    return got > 0;
}

/* Does this call, with these arguments, end only by what others do?  (A child that is waited for
 * is at work, and will end: as if its work were done here.) */
static bool waits_for_others(long call, const unsigned long *arguments)
{
    switch (call) {
    case SYS_futex: /* without a time-out */
        return ((arguments[1] & FUTEX_CMD_MASK) == FUTEX_WAIT ||
                (arguments[1] & FUTEX_CMD_MASK) == FUTEX_WAIT_BITSET ||
                (arguments[1] & FUTEX_CMD_MASK) == FUTEX_LOCK_PI) &&
               arguments[3] == 0;
    case SYS_poll:
        return (int)arguments[2] < 0;
    case SYS_epoll_wait:
    case SYS_epoll_pwait:
        return (int)arguments[3] < 0;
    case SYS_ppoll:
        return arguments[2] == 0;
    case SYS_select:
    case SYS_pselect6:
        return arguments[4] == 0;
    case SYS_read:
    case SYS_readv:
    case SYS_write:
    case SYS_writev:
    case SYS_recvfrom:
    case SYS_recvmsg:
    case SYS_sendto:
    case SYS_sendmsg:
    case SYS_accept:
    case SYS_accept4:
    case SYS_connect:
    case SYS_flock:
    case SYS_pause:
    case SYS_rt_sigsuspend:
    case SYS_msgrcv:
    case SYS_msgsnd:
    case SYS_semop:
        return true;
    case SYS_rt_sigtimedwait:
        return arguments[2] == 0;
    default:
        return false;
    }
}

/* One that is about to be woken, by a processor that has not got round to it, is in its
 * call still; but it does not sleep. */
static bool sleeps(int id)
{
    char text[4096];
    const char *at;

    return read_task_file(id, "status", text, sizeof text) && (at = strstr(text, "\nState:\t")) &&
           (at[8] == 'S' || at[8] == 'D');
}

static bool read_call(int id, long *call, unsigned long arguments[6])
{
    char text[256];

    return read_task_file(id, "syscall", text, sizeof text) &&
           sscanf(text, "%ld %lx %lx %lx %lx %lx %lx", call, &arguments[0], &arguments[1],
                  &arguments[2], &arguments[3], &arguments[4], &arguments[5]) == 7;
}

static bool is_blocked(int id)
{
    unsigned long arguments[6];
    long call;

    return sleeps(id) && (id == __atomic_load_n(&rdl__blocked_idle, __ATOMIC_SEQ_CST) ||
                          (read_call(id, &call, arguments) && waits_for_others(call, arguments)));
}

static int id_of(const struct rdl__real_thread *thread)
{
    return __atomic_load_n(&thread->id, __ATOMIC_ACQUIRE);
}

static int has_ended(const struct rdl__real_thread *thread)
{
    return __atomic_load_n(&thread->ended, __ATOMIC_ACQUIRE);
}

bool rdl__blocked_now(const struct rdl__real_thread *thread)
{
    return id_of(thread) && !has_ended(thread) && is_blocked(id_of(thread));
}

/* How often it has been scheduled, of itself or not; 0: not to be known. */
static unsigned long switches_of(int id)
{
    unsigned long voluntary = 0, forced = 0;
    char text[4096];
    const char *at;

    if (!read_task_file(id, "status", text, sizeof text))
        return 0;
    if ((at = strstr(text, "\nvoluntary_ctxt_switches:")))
        sscanf(at, "\nvoluntary_ctxt_switches: %lu", &voluntary);
    if ((at = strstr(text, "\nnonvoluntary_ctxt_switches:")))
        sscanf(at, "\nnonvoluntary_ctxt_switches: %lu", &forced);
    return voluntary + forced;
}

static unsigned born;    /* threads that are watched, and were */
static uint64_t changes; /* how often somebody came to be watched */

static unsigned namesakes_of(const struct rdl__real_thread *thread)
{
    unsigned count = 0;

    for (const struct rdl__real_thread *other = threads; other && thread->name && thread->name[0];
         other = other->next)
        count +=
            other->owner == thread->owner && other->name && strcmp(other->name, thread->name) == 0;
    return count;
}

static void watch(struct rdl__real_thread *thread, const void *owner)
{
    thread->owner = owner;
    pthread_mutex_lock(&lock);
    thread->number = born++;
    changes++;
    thread->namesakes = namesakes_of(thread);
    thread->next = threads;
    threads = thread;
    pthread_mutex_unlock(&lock);
}

int rdl__blocked_start(pthread_t *out, struct rdl__real_thread *thread, const void *owner,
                       void *(*start)(void *), void *argument)
{
    int why;

    watch(thread, owner);
    why = create_really(out, NULL, start, argument);
    if (why)
        rdl__blocked_forget(thread);
    return why;
}

void rdl__blocked_begin(struct rdl__real_thread *thread)
{
    own_name[0] = '\0';
    own_number = thread->number;
    if (thread->name && thread->name[0])
        snprintf(own_name, sizeof own_name, thread->namesakes ? "%s %u" : "%s", thread->name,
                 thread->namesakes + 1);
    __atomic_store_n(&thread->id, (int)syscall(SYS_gettid), __ATOMIC_RELEASE);
}

/* Nothing here may make another thread wait: it would be taken for blocked, by a
 * thread that is not watched any more. */
void rdl__blocked_end(struct rdl__real_thread *thread)
{
    __atomic_store_n(&thread->ended, 1, __ATOMIC_RELEASE);
}

/* ---- Threads that somebody else creates ----------------------------------------------------- */

struct newcomer {
    struct rdl__real_thread watched;
    void *(*start)(void *);
    void *argument;
    struct newcomer *next;
};
static struct newcomer *newcomers;
static struct rdl__real_thread caller;

static void *live(void *it)
{
    struct newcomer *self = it;
    void *result;

    rdl__blocked_begin(&self->watched);
    result = self->start(self->argument);
    rdl__blocked_end(&self->watched);
    return result;
}

int rdl__blocked_create(pthread_t *out, const pthread_attr_t *attributes, void *(*start)(void *),
                        void *argument)
{
    struct newcomer *newcomer = rdl__allocate(sizeof *newcomer);
    int why;

    newcomer->start = start;
    newcomer->argument = argument;
    watch(&newcomer->watched, new_owner);
    pthread_mutex_lock(&lock);
    newcomer->next = newcomers;
    newcomers = newcomer;
    pthread_mutex_unlock(&lock);
    why = create_really(out, attributes, live, newcomer);
    if (why)
        rdl__blocked_forget(&newcomer->watched);
    return why;
}

/* One that has not ended may still tell us of its end: its memory stays. */
static void forget_newcomers(void)
{
    for (struct newcomer *newcomer = newcomers, *next; newcomer; newcomer = next) {
        next = newcomer->next;
        rdl__blocked_forget(&newcomer->watched);
        if (__atomic_load_n(&newcomer->watched.ended, __ATOMIC_ACQUIRE))
            free(newcomer);
    }
    newcomers = NULL;
}

void rdl__blocked_watch_caller(const void *owner)
{
    if (!program_name[0] && read_task_file(getpid(), "comm", program_name, sizeof program_name))
        program_name[strcspn(program_name, "\n")] = '\0';
    rdl__blocked_forget(&caller);
    caller = (struct rdl__real_thread){.name = "main"};
    born = 0;
    rdl__blocked_begin(&caller);
    watch(&caller, owner);
}

void rdl__blocked_watch_new(const void *owner, __typeof__(pthread_create) *create)
{
    pthread_mutex_lock(&lock);
    for (struct newcomer *newcomer = newcomers; newcomer; newcomer = newcomer->next)
        newcomer->watched.owner = owner;
    pthread_mutex_unlock(&lock);
    new_owner = owner;
    create_really = create;
    rdl__blocked_watches_new = true;
}

void rdl__blocked_watch_end(void)
{
    rdl__blocked_forget(&caller);
    forget_newcomers();
    create_really = pthread_create;
    rdl__blocked_watches_new = false;
}

void rdl__blocked_forget(void *it)
{
    struct rdl__real_thread **at = &threads, *thread = it;

    pthread_mutex_lock(&lock);
    while (*at && *at != thread)
        at = &(*at)->next;
    if (*at)
        *at = thread->next;
    pthread_mutex_unlock(&lock);
}

void rdl__blocked_watch(struct rdl__real_process *process, const void *owner, int id)
{
    *process = (struct rdl__real_process){.id = id, .owner = owner};
    pthread_mutex_lock(&lock);
    process->next = processes;
    processes = process;
    changes++;
    pthread_mutex_unlock(&lock);
}

void rdl__blocked_watch_no_more(struct rdl__real_process *process)
{
    struct rdl__real_process **at = &processes;

    pthread_mutex_lock(&lock);
    while (*at && *at != process)
        at = &(*at)->next;
    if (*at)
        *at = process->next;
    pthread_mutex_unlock(&lock);
}

/* It has ended in a way that we were not told of. */
static bool is_gone(int id)
{
    return rdl__kernel(SYS_tgkill, getpid(), id, 0, 0, 0, 0) != 0;
}

/* What the kernel calls it; "": as all others of this process, which tells nothing. */
static void read_own_name(int id, char *out, size_t room)
{
    char all[32] = "";

    out[0] = '\0';
    if (!read_task_file(id, "comm", out, room) ||
        (read_task_file(getpid(), "comm", all, sizeof all) && strcmp(out, all) == 0))
        out[0] = '\0';
    out[strcspn(out, "\n")] = '\0';
}

static void add_name(const struct rdl__real_thread *thread, char *out, size_t room)
{
    char own[32] = "";

    bool named = thread->name && thread->name[0];

    if (!named && id_of(thread))
        read_own_name(id_of(thread), own, sizeof own);
    if (named && thread->namesakes)
        snprintf(out, room, "%s %u", thread->name, thread->namesakes + 1);
    else if (named || own[0])
        snprintf(out, room, "%s", named ? thread->name : own);
    else
        snprintf(out, room, "thread %u", thread->number);
}

static bool has_name(const struct rdl__real_thread *thread, const char *name)
{
    char own[64];

    add_name(thread, own, sizeof own);
    return strcmp(own, name) == 0;
}

static bool find_name(int id, char *out, size_t room)
{
    const struct rdl__real_thread *thread;

    pthread_mutex_lock(&lock);
    for (thread = threads; thread && (id_of(thread) != id || has_ended(thread));)
        thread = thread->next;
    if (thread)
        add_name(thread, out, room);
    pthread_mutex_unlock(&lock);
    if (!thread)
        snprintf(out, room, "thread");
    return thread;
}

/* What the kernel calls a thread may change; most have the name of the program. */
const char *rdl__blocked_name(void)
{
    static __thread char of_kernel[32];

    if (own_name[0])
        return own_name;
    prctl(PR_GET_NAME, of_kernel);
    if (strcmp(of_kernel, program_name) == 0)
        snprintf(of_kernel, sizeof of_kernel, "thread %u", own_number);
    return of_kernel;
}

enum rdl__life rdl__blocked_state(const char *name)
{
    enum rdl__life life = RDL__UNKNOWN;

    pthread_mutex_lock(&lock);
    for (const struct rdl__real_thread *thread = threads; thread && life != RDL__LIVES;
         thread = thread->next)
        if (has_name(thread, name))
            life = has_ended(thread) || (id_of(thread) && is_gone(id_of(thread))) ? RDL__DIED
                                                                                  : RDL__LIVES;
    pthread_mutex_unlock(&lock);
    return life;
}

/* ---- Is it quiet? --------------------------------------------------------------------------- */

/* Who is to be looked at.  They are looked at without the lock: one that waits for it would look
 * like one that is blocked. */
struct watched {
    int *threads, *processes;
    int thread_count, process_count;
    bool all_settled; /* none is about to begin, or to end */
    uint64_t changes; /* of the watched, before */
};

static void add(int **ids, int *count, int id)
{
    *ids = rdl__reallocate(*ids, (size_t)(*count + 1) * sizeof **ids);
    (*ids)[(*count)++] = id;
}

/* A thread that has told us of its end is there a little longer: whoever joins it is not blocked,
 * but about to go on. */
static bool is_past(struct rdl__real_thread *thread)
{
    enum { AND_GONE = 2 };

    if (has_ended(thread) == 1 && is_gone(id_of(thread)))
        __atomic_store_n(&thread->ended, AND_GONE, __ATOMIC_RELEASE);
    return has_ended(thread) == AND_GONE;
}

static struct watched all_watched(const void *owner)
{
    struct watched all = {.all_settled = true};
    int self = (int)syscall(SYS_gettid);

    pthread_mutex_lock(&lock);
    for (struct rdl__real_thread *thread = threads; thread; thread = thread->next) {
        if (thread->owner != owner || id_of(thread) == self || is_past(thread))
            continue;
        if (id_of(thread) == 0 || has_ended(thread))
            all.all_settled = false;
        else if (!is_gone(id_of(thread)))
            add(&all.threads, &all.thread_count, id_of(thread));
    }
    for (struct rdl__real_process *process = processes; process; process = process->next)
        if (process->owner == owner)
            add(&all.processes, &all.process_count, process->id);
    all.changes = changes;
    pthread_mutex_unlock(&lock);
    return all;
}

static void forget(struct watched *all)
{
    free(all->threads);
    free(all->processes);
}

/* How often they have run, all together. */
static unsigned long sum_of_switches(const struct watched *all)
{
    unsigned long sum = 0;

    for (int i = 0; i < all->thread_count; i++)
        sum += switches_of(all->threads[i]);
    return sum;
}

static bool all_blocked(const struct watched *all)
{
    bool blocked = all->all_settled;

    for (int i = 0; i < all->thread_count && blocked; i++)
        blocked = is_blocked(all->threads[i]);
    return blocked;
}

static bool all_asleep(const struct watched *all, unsigned long *sum)
{
    unsigned long one = 1;

    for (int i = 0; i < all->process_count && one; i++)
        if ((one = rdl__child_asleep(all->processes[i])))
            *sum += one;
    return one;
}

static bool are_still_all(const struct watched *all)
{
    bool same;

    pthread_mutex_lock(&lock);
    same = all->changes == changes;
    pthread_mutex_unlock(&lock);
    return same;
}

/* Who is found asleep, and did not go to sleep between two looks at how often it has run, has
 * slept since the first of them: so there was a moment, after that, when all did; all that there
 * are, unless one was started before that. */
static bool is_quiet(const void *owner, int *out_count)
{
    struct watched all = all_watched(owner);
    unsigned long before = sum_of_switches(&all), after = 0;
    bool quiet = all_asleep(&all, &before) && all_blocked(&all);

    if (quiet)
        after = sum_of_switches(&all);
    quiet = quiet && all_asleep(&all, &after) && after == before && are_still_all(&all);
    *out_count = all.thread_count;
    forget(&all);
    return quiet;
}

bool rdl__blocked_all_sleep(const void *owner)
{
    struct watched all = all_watched(owner);
    unsigned long unused = 0;
    bool asleep = all.all_settled && all_asleep(&all, &unused);

    for (int i = 0; i < all.thread_count && asleep; i++)
        asleep = sleeps(all.threads[i]);
    forget(&all);
    return asleep;
}

int rdl__blocked_until_quiet(const void *owner)
{
    int count;

    while (!is_quiet(owner, &count))
        sched_yield();
    return count;
}

int rdl__blocked_others(const void *owner)
{
    struct watched all = all_watched(owner);

    forget(&all);
    return all.thread_count;
}

bool rdl__blocked_until(const void *owner, bool (*ready)(void *what), void *what)
{
    int count;

    while (!ready(what)) {
        if (is_quiet(owner, &count))
            return ready(what);
        sched_yield();
    }
    return true;
}

/* ---- What do they wait for? ----------------------------------------------------------------- */

/* In the C library's mutexes, the word that is waited for comes first, and third who holds it. */
static int holder_of(unsigned long mutex)
{
    int words[3];
    struct iovec ours = {words, sizeof words}, there = {(void *)mutex, sizeof words};

    return process_vm_readv(getpid(), &ours, 1, &there, 1, 0) == sizeof words ? words[2] : 0;
}

/* Such a mutex is 2 while others wait for it; who joins a thread waits for its number to go. */
static void describe_futex(const unsigned long *arguments, char *out, size_t room)
{
    enum { IS_WAITED_FOR = 2 };
    bool plain = (arguments[1] & FUTEX_CMD_MASK) == FUTEX_WAIT;
    int value = (int)arguments[2];
    char name[48];

    if (plain && value == IS_WAITED_FOR && find_name(holder_of(arguments[0]), name, sizeof name))
        snprintf(out, room, "a mutex, which %s holds", name);
    else if (!plain && find_name(value, name, sizeof name))
        snprintf(out, room, "the end of %s", name);
    else
        snprintf(out, room, "somebody to wake it");
}

void rdl__blocked_tell(const void *owner,
                       void (*tell)(const char *thread, const char *waits_for, void *it), void *it)
{
    struct watched all = all_watched(owner);
    unsigned long arguments[6];
    char name[48], what[80];
    long call;

    for (int i = 0; i < all.thread_count; i++) {
        find_name(all.threads[i], name, sizeof name);
        snprintf(what, sizeof what, "something from outside");
        if (read_call(all.threads[i], &call, arguments) && call == SYS_futex)
            describe_futex(arguments, what, sizeof what);
        tell(name, what, it);
    }
    forget(&all);
}
