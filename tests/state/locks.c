/* locks.c -- pairs about locks on files: in the wrong program each thread has the lock that the
 * other one waits for; in the right one both take them in the same order. */
#include "state.h"

#include <sys/file.h>
#include <sys/syscall.h>

static int count, files[2][2]; /* of each thread */

static void make(void)
{
    own_folder();
    for (int me = 0; me < 2; me++) {
        files[me][0] = open("0", O_CREAT | O_RDWR, 0600);
        files[me][1] = open("1", O_CREAT | O_RDWR, 0600);
    }
}

static void lock_by_flock(int fd, bool locks)
{
    assert(flock(fd, locks ? LOCK_EX : LOCK_UN) == 0);
}

static void lock_by_number(int fd, bool locks)
{
    assert(syscall(SYS_flock, fd, locks ? LOCK_EX : LOCK_UN) == 0);
}

/* Locks of the open file description. */
static void lock_by_fcntl(int fd, bool locks)
{
    struct flock range = {.l_type = locks ? F_WRLCK : F_UNLCK, .l_whence = SEEK_SET, .l_len = 1};

    assert(fcntl(fd, locks ? F_OFD_SETLKW : F_OFD_SETLK, &range) == 0);
}

/* Closing the file gives it back. */
static void lock_until_close(int fd, bool locks)
{
    assert((locks ? flock(fd, LOCK_EX) : close(fd)) == 0);
}

static void count_between(void (*lock)(int fd, bool locks), int first, int second)
{
    lock(first, true);
    lock(second, true);
    count++;
    lock(second, false);
    lock(first, false);
}

static void both_counted(void)
{
    assert(count == 2);
}

#define BODIES(lock)                                                                               \
    static void lock##_any_order(int me)                                                           \
    {                                                                                              \
        count_between(lock, files[me][me], files[me][!me]);                                        \
    }                                                                                              \
    static void lock##_one_order(int me)                                                           \
    {                                                                                              \
        count_between(lock, files[me][0], files[me][1]);                                           \
    }

BODIES(lock_by_flock)
BODIES(lock_by_number)
BODIES(lock_by_fcntl)
BODIES(lock_until_close)

#define PAIR(text, lock)                                                                           \
    {                                                                                              \
        .name = text, .before = make, .body = lock##_any_order, .right_body = lock##_one_order,    \
        .after = both_counted                                                                      \
    }

const struct pair lock_pairs[] = {PAIR("flock", lock_by_flock),
                                  PAIR("flock-number", lock_by_number),
                                  PAIR("ofd", lock_by_fcntl),
                                  PAIR("flock-close", lock_until_close),
                                  {.name = NULL}};
