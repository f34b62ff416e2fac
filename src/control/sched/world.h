/* world.h -- between the files that are about the world outside the threads: time,
 * files, processes, signals.
 *
 *     time.c     virtual time, sleeping
 *     timer.c    what happens at a time though no thread waits for it
 *     posix_timer.c  timers of timer_create;  notice.c  threads that tell of events
 *     file.c     which file is meant, who could know it, that it has changed
 *     open.c     opening what waits to be opened;  file_lock.c  locks on files
 *     wait.c     waiting for files, children, signals; together with the kernel
 *     io.c       reading and writing;  stream.c  the same through a FILE
 *     transfer.c what another thread may see half of
 *     poll.c     poll, select, epoll
 *     socket.c   sockets;  link.c  who is at the other end
 *     process.c  fork and waiting for children
 *     signal.c   signals between threads, masks;  kill.c  sending them
 *     sigwait.c  waiting for signals
 *     ipc.c      queues of messages, semaphores of System V;  mq_notify.c  news of a queue
 *     state.c    other state of the C library and the kernel;  names.c  names of files
 *     futex.c    futexes;  syscall.c  system calls by number;  dispatch.c  by no function
 *
 * Time, readiness of files and the state of children are asked of the kernel when
 * they matter, and never kept. */
#ifndef RDL__WORLD_H
#define RDL__WORLD_H

#include <poll.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>

#include "control/sched/inner.h"
#include "control/sched/next.h"
#include "control/sched/sched.h"
#include "port/kernel.h"

enum { RDL__NS = 1000000000 }; /* in a second */

/* ---- time.c --------------------------------------------------------------- */

void rdl__time_begin(void);
bool rdl__never(void *unused); /* ready: for a wait that only time or a signal ends */
bool rdl__is_span(const struct timespec *span);
struct timespec rdl__timespec(uint64_t ns);

/* The thread reads a clock, or does something else that can only mean that it is
 * waiting for something: a moment passes, and others may run. */
void rdl__moment(struct rdl__thread *self, uintptr_t pc);

enum rdl__woken rdl__sleep_until(struct rdl__thread *self, uint64_t deadline, uintptr_t pc);
int rdl__nanosleep(struct rdl__thread *self, const struct timespec *span, struct timespec *left,
                   uintptr_t pc); /* an error number */
int rdl__clock_nanosleep(struct rdl__thread *self, clockid_t clock, int flags,
                         const struct timespec *when, struct timespec *left, uintptr_t pc);
int rdl__clock_read(struct rdl__thread *self, clockid_t clock, struct timespec *out, uintptr_t pc);
void rdl__yield(struct rdl__thread *self, uintptr_t pc);

/* ---- timer.c ---------------------------------------------------------------- */

void rdl__timers_begin(void);
void rdl__timers_look(void);     /* has one been read that was due? */
bool rdl__has_real_timers(void); /* of the kernel's, which send signals in real time */
void rdl__timer_closed(int fd);  /* this number is no timer any more */

/* time.c: does it count the time of a processor? */
bool rdl__is_cpu_clock(clockid_t clock);

/* ---- file.c ------------------------------------------------------------------- */

enum rdl__file_kind { RDL__NO_FILE, RDL__PLAIN_FILE, RDL__PIPE, RDL__SOCKET, RDL__OTHER_FILE };

/* What a number stands for, at one moment. */
struct rdl__file {
    enum rdl__file_kind kind;
    int fd;
    bool waits; /* operations on it wait; else they fail with EAGAIN */
    bool folder;
    bool mapped;      /* what is read and written is also memory of the program's */
    uintptr_t object; /* two files have the same one if an operation on one may matter to the
                         other */
    uint32_t size;
};

void rdl__files_begin(void);
void rdl__file_look(int fd, struct rdl__file *out);
struct rdl__file rdl__any_file(void); /* it may matter to all */
struct rdl__op rdl__file_op(const struct rdl__file *file, uintptr_t pc);
uintptr_t rdl__file_object(const struct stat *status);
bool rdl__file_is_of_kernel(const struct stat *status); /* it shows what the process does */

/* The running thread uses the file by this stream, or by the number of a descriptor (NULL).  Has
 * another thread, alive at the same time, used it in another way?  Maybe, if many have. */
bool rdl__file_is_used_by(uintptr_t object, const void *stream);

/* Which numbers of descriptors are free: the object, and an operation that takes one. */
uintptr_t rdl__numbers_object(void);
void rdl__come_to_numbers(uintptr_t pc);

/* Is it another thread's doing that the number stands for its file, or for none? */
bool rdl__number_is_given_anew(int fd);

/* The operation makes a number stand for another file, or for none: its second object is that. */
void rdl__op_takes_number(struct rdl__op *op);

/* Something was done to the file; threads that wait are asked again, and what the
 * thread did before is known to whoever does something to it later. */
void rdl__file_changed(struct rdl__thread *self, const struct rdl__file *file);
void rdl__files_ask(uintptr_t object); /* only the asking */
extern uint64_t rdl__file_changes;     /* how often that was */

/* From now on other processes may have any file of ours. */
void rdl__files_shared(void);
extern uint64_t rdl__file_sharings; /* how often that was, plus 1 */

/* Only threads of this process can make the file ready, and all of them wait. */
bool rdl__file_is_hopeless(int fd);

/* A file was made that nobody else has. */
void rdl__file_born(int fd);

/* ---- transfer.c --------------------------------------------------------------------- */

struct rdl__transfer {
    size_t bytes;
    bool reads, writes;
    const void *stream; /* NULL: by the number of a descriptor */
};

void rdl__transfers_begin(void);

/* It is the thread's turn to transfer this to or from a file.  Nothing happens if that is no plain
 * one. */
void rdl__file_transfers(struct rdl__thread *self, const struct rdl__file *file,
                         const struct rdl__transfer *it);

/* ---- wait.c --------------------------------------------------------------------- */

/* What a thread awaits of files: that one of these is ready or, if `retry`, that
 * any file has changed since. */
struct rdl__file_wait {
    struct pollfd *fds;
    nfds_t count;
    bool retry;
    bool lock;         /* it is a lock on the only one (file_lock.c) */
    uint64_t changes;  /* when it began to wait */
    uint64_t ready_at; /* 0: it was not ready when last asked */
};

/* Wait for it.  INTERRUPTED means that a handler ran, and the call is not one that
 * `restarts`.  Does not return if the thread is cancelled. */
enum rdl__woken rdl__await_files(struct rdl__thread *self, const struct rdl__op *op,
                                 struct rdl__file_wait *wait, uint64_t deadline, bool restarts);

/* Others may have been busy for long: ask those who wait for the world again. */
void rdl__look_outside(void);

struct rdl__child_wait {
    int kind; /* as waitid has it */
    int id;
    int options;
};
bool rdl__child_is_ready(void *what);
enum rdl__woken rdl__await_child(struct rdl__thread *self, const struct rdl__op *op,
                                 struct rdl__child_wait *wait);
bool rdl__has_children(void);

/* Does a thread wait for a file that other processes may make ready? */
bool rdl__outside_is_awaited(void);

/* Is there anybody but controlled threads, who might change what such a thread waits for? */
bool rdl__others_may_act(void);

struct rdl__signal_wait {
    struct rdl__thread *thread;
    rdl__signals set;
};
enum rdl__woken rdl__await_signal(struct rdl__thread *self, const struct rdl__op *op,
                                  struct rdl__signal_wait *wait, uint64_t deadline);
void rdl__waits_begin(void);

/* ---- io.c ------------------------------------------------------------------------- */

/* Come to an operation that needs the file to be ready for one of these events (as
 * poll has them), and wait until it is unless `at_once`, or the file is one that
 * nobody waits for.  False: it is not to be, and errno says why. */
bool rdl__io_begin(struct rdl__thread *self, int fd, short events, bool at_once, uintptr_t pc,
                   struct rdl__file *out);

/* Wait for it once more, in the same call. */
bool rdl__io_await(struct rdl__thread *self, const struct rdl__file *file, short events,
                   uintptr_t pc);
bool rdl__file_is_ready(int fd, short events);
bool rdl__any_is_ready(const struct pollfd *fds, nfds_t count);

/* Memory that is read from, or written to, piece by piece. */
struct rdl__pieces {
    const struct iovec *all;
    size_t count, at;
    size_t done; /* bytes of all[at] */
};
enum { RDL__PIECES = 16 };
size_t rdl__bytes_in(const struct iovec *pieces, size_t count);
size_t rdl__pieces_next(const struct rdl__pieces *pieces, struct iovec *out, size_t bytes_max,
                        size_t *out_bytes); /* returns how many iovecs */
void rdl__pieces_skip(struct rdl__pieces *pieces, size_t bytes);

ssize_t rdl__read(struct rdl__thread *self, int fd, void *out, size_t size, uintptr_t pc);
ssize_t rdl__write(struct rdl__thread *self, int fd, const void *data, size_t size, uintptr_t pc);
ssize_t rdl__readv(struct rdl__thread *self, int fd, const struct iovec *to, int count,
                   uintptr_t pc);
ssize_t rdl__writev(struct rdl__thread *self, int fd, const struct iovec *from, int count,
                    uintptr_t pc);
int rdl__close(struct rdl__thread *self, int fd, uintptr_t pc);

/* ---- open.c ------------------------------------------------------------------------------- */

void rdl__fifos_begin(void);

/* ---- file_lock.c -------------------------------------------------------------------------- */

int rdl__flock(struct rdl__thread *self, int fd, int how, uintptr_t pc);
int rdl__fcntl(struct rdl__thread *self, int fd, int command, long argument, uintptr_t pc);

/* A thread waits for a lock on it that only threads of this process can give back. */
bool rdl__lock_is_hopeless(int fd);

/* ---- stream.c --------------------------------------------------------------------- */

void rdl__streams_begin(void);

/* libc_locks.c: come to an operation on a stream, when no other thread has locked it.  NULL: on
 * all streams. */
void rdl__stream_await(struct rdl__thread *self, FILE *stream, const struct rdl__op *op);
bool rdl__stream_is_free(struct rdl__thread *self, FILE *stream); /* of locks of other threads */

/* ---- poll.c ----------------------------------------------------------------------- */

int rdl__poll(struct rdl__thread *self, struct pollfd *fds, nfds_t count, uint64_t deadline,
              uintptr_t pc);
int rdl__select(struct rdl__thread *self, int count, fd_set *reading, fd_set *writing,
                fd_set *failing, uint64_t deadline, uintptr_t pc);

/* ---- socket.c ----------------------------------------------------------------------- */

ssize_t rdl__receive(struct rdl__thread *self, int fd, void *out, size_t size, int flags,
                     struct sockaddr *address, socklen_t *length, uintptr_t pc);
ssize_t rdl__recvmsg(struct rdl__thread *self, int fd, struct msghdr *message, int flags,
                     uintptr_t pc);
ssize_t rdl__sendmsg(struct rdl__thread *self, int fd, const struct msghdr *message, int flags,
                     uintptr_t pc);

int rdl__accept4(struct rdl__thread *self, int fd, struct sockaddr *address, socklen_t *length,
                 int flags, uintptr_t pc);
int rdl__connect(struct rdl__thread *self, int fd, const struct sockaddr *address, socklen_t length,
                 uintptr_t pc);

/* ---- link.c ---------------------------------------------------------------------------------- */

void rdl__links_begin(void);
void rdl__link_made(int fd);      /* by connect or accept */
bool rdl__link_is_inside(int fd); /* both ends are in this process, and in no other */

/* ---- process.c ------------------------------------------------------------------------ */

/* The thread is about to make a process by clone, with these flags. */
void rdl__come_to_clone(struct rdl__thread *self, unsigned long flags, uintptr_t pc);

/* The result is that of making a process. */
pid_t rdl__forked(pid_t result);

/* The same for something that makes one and returns in both, as fork does: in the
 * new one nothing is controlled. */
long rdl__copied(long (*copy)(const long *arguments), const long *arguments);
extern struct rdl__thread *rdl__forking; /* who runs while the process is being copied */

bool rdl__has_forked(void); /* this process has made others */
pid_t rdl__waitpid(struct rdl__thread *self, pid_t pid, int *out_status, int options,
                   struct rusage *out_usage, uintptr_t pc);
int rdl__waitid(struct rdl__thread *self, int kind, int id, siginfo_t *out, int options,
                struct rusage *out_usage, uintptr_t pc);

/* ---- signal.c -------------------------------------------------------------------------- */

enum rdl__handled {
    RDL__NOTHING_RAN,
    RDL__RAN_AND_GOES_ON, /* handlers with SA_RESTART only */
    RDL__RAN,
};

/* A wait was interrupted: end the thread if it is cancelled, run handlers. */
enum rdl__handled rdl__interruption(struct rdl__thread *self);
enum rdl__handled rdl__run_handlers(struct rdl__thread *self); /* the latter only */

/* Send one to a thread, or to any (NULL); an error number.  rdl__post_signal is no
 * operation of a thread, but something that happens. */
int rdl__send_signal(struct rdl__thread *self, struct rdl__thread *to, const siginfo_t *info,
                     uintptr_t pc);
void rdl__post_signal(struct rdl__thread *to, const siginfo_t *info);
void rdl__signals_release(struct rdl__thread *self); /* its past comes before what handlers do */
bool rdl__timer_signal_waits(int timer);             /* one by this timer, for a thread */
siginfo_t rdl__signal_info(int signal, int code);
extern bool rdl__signalfd_is_used; /* then signals matter to those who use files */
struct rdl__op rdl__signal_op(enum rdl__op_kind kind, uintptr_t pc);

/* What a thread blocks.  As long as all block the same, that is the carrier's mask,
 * and nothing is kept. */
rdl__signals rdl__mask_of(const struct rdl__thread *thread);
void rdl__mask_set(struct rdl__thread *self, rdl__signals mask);
rdl__signals rdl__mask_of_all(void); /* what everybody blocks */
rdl__signals rdl__as_bits(const sigset_t *set);

/* Which signals wait for the thread; take one of a set, 0: there is none. */
rdl__signals rdl__signals_for(const struct rdl__thread *self);
int rdl__take_signal(struct rdl__thread *self, rdl__signals set, siginfo_t *out);

/* sigwait.c: signals of this set that the process has sent to itself, and that are still pending,
 * are gone; those from elsewhere stay. */
void rdl__signals_drop(rdl__signals set);

bool rdl__signals_are_there(void); /* some have come from outside; */
void rdl__signals_arrived(void);   /* find out for whom they are */
bool rdl__has_handlers(void);      /* set up by controlled threads */

/* ---- futex.c ----------------------------------------------------------------------------- */

void rdl__futexes_begin(void);
long rdl__futex(struct rdl__thread *self, const long *arguments, uintptr_t pc);
void rdl__stream_gone(struct rdl__thread *self, FILE *file);      /* libc_locks.c: it is closed */
bool rdl__semaphore_is_outside(const struct rdl__thread *thread); /* semaphore.c */
bool rdl__futex_is_outside(const struct rdl__thread *thread);     /* other processes may wake it */

/* ---- syscall.c --------------------------------------------------------------------------- */

/* What syscall() does for a controlled thread.  May change the arguments. */
long rdl__call_by_number(struct rdl__thread *self, long number, long *a, uintptr_t pc);

/* syscall_rows.c: tell of the caller's memory that this call touches. */
void rdl__tell_of_number(long number, const long *arguments, uintptr_t pc);

/* The thread is about to make this call, which nobody else takes care of. */
void rdl__come_to_number(struct rdl__thread *self, long number, const long *arguments,
                         uintptr_t pc);

/* ---- number.c ---------------------------------------------------------------------------- */

pid_t rdl__thread_number(const struct rdl__thread *thread); /* what gettid says */
struct rdl__thread *rdl__thread_numbered(long number);      /* NULL: none of ours */
long rdl__number_for_kernel(long number);

#endif
