/* addresses.c -- says where things lie, line by line at the end of the file that it is given;
 * then fails if the second of two threads is the first to come. */
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static const char *path;
static int variable;
static _Thread_local int of_thread;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int first;

/* A whole line at once: executions may run at the same time. */
__attribute__((format(printf, 1, 2))) static void say(const char *format, ...)
{
    char line[200];
    va_list values;
    int length, fd = open(path, O_WRONLY | O_CREAT | O_APPEND, 0600);

    va_start(values, format);
    length = vsnprintf(line, sizeof line, format, values);
    va_end(values);
    if (write(fd, line, (size_t)length) != length)
        abort();
    close(fd);
}

static void say_where(const char *who)
{
    static const size_t sizes[] = {1, 24, 100, 1000, 10000, 100000, 1000000};
    int local, fd = open("/dev/null", O_RDONLY);

    printf("%s says\n", who);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        void *freed = malloc(sizes[i]), *block = malloc(sizes[i]);

        say("%s: %zu bytes at %p, then at %p\n", who, sizes[i], freed, block);
        free(freed);
    }
    say("%s: local %p, of the thread %p, self %p\n", who, (void *)&local, (void *)&of_thread,
        (void *)pthread_self());
    say("%s: mapped %p, descriptor %d\n", who,
        mmap(NULL, 5000, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), fd);
}

static void *say_in_thread(void *who)
{
    say_where(who);
    return NULL;
}

static void say_in(const char *who, size_t stack_size)
{
    pthread_attr_t attributes;
    pthread_t thread;

    pthread_attr_init(&attributes);
    if (stack_size)
        pthread_attr_setstacksize(&attributes, stack_size);
    pthread_create(&thread, &attributes, say_in_thread, (void *)who);
    pthread_join(thread, NULL);
    pthread_attr_destroy(&attributes);
}

static void *come(void *number)
{
    pthread_mutex_lock(&lock);
    if (!first)
        first = *(int *)number;
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(int argc, char **argv)
{
    static int numbers[] = {1, 2};
    struct tm local;
    time_t now = 0;
    pthread_t threads[2];

    (void)argc;
    path = argv[1];
    say("main: function %p, variable %p, of a library %p\n", (void *)(size_t)main,
        (void *)&variable, (void *)(size_t)strtol);
    say_where("main");
    say_in("a thread", 0);
    say_in("one with a large stack", 32 << 20);
    localtime_r(&now, &local); /* for which the C library allocates memory, once */
    setenv("RADDLE_TEST_ADDRESSES", "some value", 1);
    say_in("another", 0);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, come, &numbers[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return first == 2;
}
