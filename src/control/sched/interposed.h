/* interposed.h -- the names of the C library that are ours as well.
 *
 * Not among them: those of the allocator (heap.c), which a sanitizer may bring itself,
 * what compilers call in instrumented code (__tsan_...), and annotations (annotate.c). */
#ifndef RDL__INTERPOSED_H
#define RDL__INTERPOSED_H

/* clang-format off */
#define RDL__INTERPOSED(X) \
    X(_Fork) X(__assert_fail) X(__assert_perror_fail) X(__cxa_guard_abort) X(__cxa_guard_acquire)  \
    X(__cxa_guard_release) X(__cxa_thread_atexit_impl) X(__fgets_chk) X(__fread_chk) X(__getdelim) \
    X(__poll_chk) X(__ppoll_chk) X(__read_chk) X(__recv_chk) X(__recvfrom_chk) X(__wrap__ZdaPv)    \
    X(__wrap__ZdaPvm) X(__wrap__ZdlPv) X(__wrap__ZdlPvm) X(__wrap_free) X(__wrap_memcmp)           \
    X(__wrap_memcpy) X(__wrap_memmove) X(__wrap_memset) X(__wrap_realloc) X(__wrap_reallocarray)   \
    X(__wrap_strcat) X(__wrap_strchr) X(__wrap_strcmp) X(__wrap_strcpy) X(__wrap_strlen)           \
    X(__wrap_strncmp) X(__wrap_strncpy) X(__wrap_strrchr) X(accept) X(accept4) X(alarm)            \
    X(call_once) X(clock) X(clock_gettime) X(clock_nanosleep) X(close) X(cnd_broadcast)            \
    X(cnd_destroy) X(cnd_signal) X(cnd_timedwait) X(cnd_wait) X(connect) X(dlclose) X(dlopen)      \
    X(dup2) X(dup3) X(epoll_ctl) X(epoll_pwait) X(epoll_pwait2) X(epoll_wait) X(eventfd)           \
    X(eventfd_read) X(eventfd_write) X(fclose) X(fgetc) X(fgets) X(flockfile) X(fork) X(fread)     \
    X(ftrylockfile) X(funlockfile) X(getc) X(getchar) X(getdelim) X(getitimer) X(getline)          \
    X(gettid) X(gettimeofday) X(kill) X(mtx_destroy) X(mtx_lock) X(mtx_timedlock) X(mtx_trylock)   \
    X(mtx_unlock) X(nanosleep) X(open) X(open64) X(openat) X(openat64) X(pause) X(pipe) X(pipe2)   \
    X(poll) X(popen) X(posix_spawn) X(posix_spawnp) X(ppoll) X(pselect) X(pthread_barrier_destroy) \
    X(pthread_barrier_init) X(pthread_barrier_wait) X(pthread_cancel) X(pthread_clockjoin_np)      \
    X(pthread_cond_broadcast) X(pthread_cond_clockwait) X(pthread_cond_destroy)                    \
    X(pthread_cond_init) X(pthread_cond_signal) X(pthread_cond_timedwait) X(pthread_cond_wait)     \
    X(pthread_create) X(pthread_detach) X(pthread_exit) X(pthread_getname_np) X(pthread_join)      \
    X(pthread_key_create) X(pthread_key_delete) X(pthread_kill) X(pthread_mutex_clocklock)         \
    X(pthread_mutex_consistent) X(pthread_mutex_destroy) X(pthread_mutex_lock)                     \
    X(pthread_mutex_timedlock) X(pthread_mutex_trylock) X(pthread_mutex_unlock) X(pthread_once)    \
    X(pthread_rwlock_clockrdlock) X(pthread_rwlock_clockwrlock) X(pthread_rwlock_destroy)          \
    X(pthread_rwlock_rdlock) X(pthread_rwlock_timedrdlock) X(pthread_rwlock_timedwrlock)           \
    X(pthread_rwlock_tryrdlock) X(pthread_rwlock_trywrlock) X(pthread_rwlock_unlock)               \
    X(pthread_rwlock_wrlock) X(pthread_setcancelstate) X(pthread_setcanceltype)                    \
    X(pthread_setname_np) X(pthread_sigmask) X(pthread_sigqueue) X(pthread_spin_destroy)           \
    X(pthread_spin_lock) X(pthread_spin_trylock) X(pthread_spin_unlock) X(pthread_testcancel)      \
    X(pthread_timedjoin_np) X(pthread_tryjoin_np) X(raise) X(read) X(readv) X(recv) X(recvfrom)    \
    X(recvmmsg) X(recvmsg) X(sched_yield) X(select) X(sem_clockwait) X(sem_close) X(sem_destroy)   \
    X(sem_getvalue) X(sem_init) X(sem_open) X(sem_post) X(sem_timedwait) X(sem_trywait)            \
    X(sem_unlink) X(sem_wait) X(send) X(sendfile) X(sendmmsg) X(sendmsg) X(sendto) X(setitimer)    \
    X(shutdown) X(sigaction) X(signal) X(sigpending) X(sigprocmask) X(sigqueue) X(sigsuspend)      \
    X(sigtimedwait) X(sigwait) X(sigwaitinfo) X(sleep) X(socketpair) X(splice) X(syscall)          \
    X(system) X(tgkill) X(thrd_create) X(thrd_detach) X(thrd_exit) X(thrd_join) X(thrd_sleep)      \
    X(thrd_yield) X(time) X(timer_create) X(timerfd_create) X(timerfd_gettime) X(timerfd_settime)  \
    X(timespec_get) X(tss_create) X(tss_delete) X(usleep) X(vfork) X(wait) X(wait3) X(wait4)       \
    X(waitid) X(waitpid) X(write) X(writev)                                                       
/* clang-format on */

#endif
