/* again.c -- run a program again and again.
 *
 * Usage: again TIMES PROGRAM [ARGUMENT]...
 *
 * Prints how long it took by the clock, and how often the program did not end with 0. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

int main(int argc, char **argv)
{
    posix_spawn_file_actions_t quietly;
    int times = argc > 2 ? atoi(argv[1]) : 0, failures = 0;
    double began = now();

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
    printf("wall=%.6f failures=%d\n", now() - began, failures);
    return 0;
}
