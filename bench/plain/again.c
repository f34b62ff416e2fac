/* again.c -- run a program again and again.
 *
 * Usage: again TIMES PROGRAM [ARGUMENT]...
 *
 * Prints how long it took by the clock, how often the program did not end with 0, and what
 * the children used: CPU time of all, memory of the largest.  (A small parent is needed for
 * that: the peak of a process is at least what its parent had when it was made.) */
#define _GNU_SOURCE
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static double seconds_of(struct timeval t)
{
    return (double)t.tv_sec + (double)t.tv_usec * 1e-6;
}

int main(int argc, char **argv)
{
    posix_spawn_file_actions_t quietly;
    int times = argc > 2 ? atoi(argv[1]) : 0, failures = 0;
    double began = now();
    struct rusage used;

    if (times == 0)
        return 2;
    posix_spawn_file_actions_init(&quietly);
    posix_spawn_file_actions_addopen(&quietly, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&quietly, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    for (int i = 0; i < times; i++) {
        int status = 0;
        pid_t child;

        if (posix_spawnp(&child, argv[2], &quietly, NULL, argv + 2, environ) != 0)
            return 2;
        waitpid(child, &status, 0);
        failures += status != 0;
    }
    getrusage(RUSAGE_CHILDREN, &used);
    printf("wall=%.6f failures=%d cpu=%.6f kib=%ld\n", now() - began, failures,
           seconds_of(used.ru_utime) + seconds_of(used.ru_stime), used.ru_maxrss);
    return 0;
}
