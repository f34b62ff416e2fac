/* clock.c -- real time, and numbers from the kernel. */
#include "port/clock.h"

#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "base/hash.h"

uint64_t rdl__now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint64_t rdl__entropy(void)
{
    uint64_t number;

    if (getrandom(&number, sizeof number, GRND_NONBLOCK) == (ssize_t)sizeof number)
        return number;
    return rdl__mix(rdl__now_ns() ^ (uint64_t)getpid() << 40);
}
