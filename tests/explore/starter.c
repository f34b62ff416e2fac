/* starter.c -- starts ./bank, or a process with threads of its own, in the way that its first
 * argument names. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;

static void *forwards(void *unused)
{
    pthread_mutex_lock(&first);
    pthread_mutex_lock(&second);
    pthread_mutex_unlock(&second);
    pthread_mutex_unlock(&first);
    return unused;
}

static void *backwards(void *unused)
{
    pthread_mutex_lock(&second);
    pthread_mutex_lock(&first);
    pthread_mutex_unlock(&first);
    pthread_mutex_unlock(&second);
    return unused;
}

/* Two threads that may end in a deadlock. */
static int have_threads(void)
{
    pthread_t one, two;

    pthread_create(&one, NULL, forwards, NULL);
    pthread_create(&two, NULL, backwards, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}

static int await(pid_t child)
{
    int status;

    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 3;
}

static void *wait_a_little(void *unused)
{
    return unused;
}

static int start_by(const char *way, char **own, char **argv, char **environment)
{
    static char *nothing[] = {NULL};
    int fd = open("./bank", O_PATH);
    pid_t child;

    if (strcmp(way, "execve") == 0)
        return execve("./bank", argv, environment);
    if (strcmp(way, "bare") == 0)
        return execve("./bank", argv, nothing);
    if (strcmp(way, "execv") == 0)
        return execv("./bank", argv);
    if (strcmp(way, "execvp") == 0)
        return execvp("bank", argv);
    if (strcmp(way, "execvpe") == 0)
        return execvpe("bank", argv, environment);
    if (strcmp(way, "execl") == 0)
        return execl("./bank", "bank", argv[1], NULL);
    if (strcmp(way, "execlp") == 0)
        return execlp("bank", "bank", argv[1], NULL);
    if (strcmp(way, "execle") == 0)
        return execle("./bank", "bank", argv[1], NULL, environment);
    if (strcmp(way, "fexecve") == 0)
        return fexecve(fd, argv, environment);
    if (strcmp(way, "execveat") == 0)
        return execveat(AT_FDCWD, "./bank", argv, environment, 0);
    if (strcmp(way, "execveat-fd") == 0)
        return execveat(fd, "", argv, environment, AT_EMPTY_PATH);
    if (strcmp(way, "syscall") == 0)
        return (int)syscall(SYS_execve, "./bank", argv, environment);
    if (strcmp(way, "itself") == 0)
        return execl("/proc/self/exe", own[0], "threads", NULL);
    if (strcmp(way, "spawn") == 0)
        return posix_spawn(&child, "./bank", NULL, NULL, argv, environment) == 0 ? await(child) : 4;
    if (strcmp(way, "spawnp") == 0)
        return posix_spawnp(&child, "bank", NULL, NULL, argv, environment) == 0 ? await(child) : 4;
    return 5;
}

/* Processes that are copies of this one. */
static int copy(const char *who)
{
    pid_t child = fork();

    if (child == 0)
        exit(strcmp(who, "parent") == 0 ? 0 : have_threads());
    return await(child) || (strcmp(who, "child") != 0 && have_threads());
}

int main(int argc, char **argv)
{
    static char *environment[] = {"CHANGED=1", "PATH=/bin", NULL};
    const char *way = argc > 1 ? argv[1] : "";
    pthread_t thread;
    FILE *stream;

    if (strcmp(way, "threads") == 0)
        return have_threads();
    if (strcmp(way, "fails") == 0 && execl("./nowhere", "nowhere", NULL) < 0)
        return have_threads();
    if (strcmp(way, "fork") == 0)
        return copy(argv[2]);
    if (strcmp(way, "system") == 0)
        return system("./bank") != 0;
    if (strcmp(way, "popen") == 0)
        return !(stream = popen("./bank", "r")) || pclose(stream) != 0;
    if (strcmp(way, "helped") == 0) {
        pthread_create(&thread, NULL, wait_a_little, NULL);
        return system("exit 0") != 0 || pthread_join(thread, NULL) != 0;
    }
    if (strcmp(way, "environment") == 0) {
        for (char **next = environ; *next; next++)
            puts(*next);
        pthread_create(&thread, NULL, wait_a_little, NULL);
        return pthread_join(thread, NULL);
    }
    return start_by(way, argv, argv + 1, environment);
}
