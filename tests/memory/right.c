/* right.c -- blocks of all makes, used rightly. */
#define _GNU_SOURCE
#include <malloc.h>
#include <netdb.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <wchar.h>

enum { LARGE = 40 << 20 };

/* An allocator in one large block. */
static char *arena;
static size_t used;

static void *get(size_t size)
{
    void *block = arena + used;

    used += size;
    return block;
}

__attribute__((constructor)) static void begin(void)
{
    arena = malloc(4096);
    arena[4095] = 1;
}

__attribute__((destructor)) static void end(void)
{
    arena[0]++;
    free(arena);
}

static void check(int holds)
{
    if (!holds)
        abort();
}

static void use_sizes(void)
{
    for (size_t size = 0; size < 3000; size += 7) {
        char *block = malloc(size), *other;

        memset(block, 1, malloc_usable_size(block));
        block = realloc(block, size + 5);
        block[size + 4] = 2;
        other = calloc(size + 1, 3);
        for (size_t i = 0; i < 3 * size + 3; i++)
            check(other[i] == 0);
        check(size < 4 || block[3] == 1);
        free(block);
        free(other);
    }
}

static void use_large(void)
{
    char *block = malloc(LARGE), *other = calloc(1, LARGE);

    block[LARGE - 1] = other[LARGE - 1] = 1;
    block = realloc(block, LARGE + 100);
    check(block[LARGE - 1] == 1);
    block[LARGE + 99] = 1;
    free(other);
    free(block);
}

static void use_aligned(void)
{
    for (size_t alignment = 8; alignment <= 8192; alignment *= 2) {
        void *block;
        char *other = memalign(alignment, 33);

        check(posix_memalign(&block, alignment, 100) == 0 && (size_t)block % alignment == 0);
        memset(block, 1, 100);
        memset(other, 1, 33);
        block = realloc(block, 300);
        memset(block, 1, 300);
        free(block);
        free(other);
    }
    free(valloc(10));
}

static void use_texts(void)
{
    char *line = NULL, *text, **all = NULL, *copy = strdup("some"), *end = strndup("text", 2);
    wchar_t *wide = wcsdup(L"wide");
    size_t room = 0, size;
    FILE *file = fopen("/proc/self/maps", "r"), *memory = open_memstream(&text, &size);
    int count = 0;

    while (getline(&line, &room, file) > 0 && count < 50) {
        fputs(line, memory);
        all = reallocarray(all, (size_t)count + 1, sizeof *all);
        all[count++] = strdup(line);
    }
    fclose(file);
    fclose(memory);
    check(strlen(text) == size);
    for (int i = 0; i < count; i++)
        free(all[i]);
    check(asprintf(&all[0], "%s %s %ls", copy, end, wide) == 12);
    check(strlen(all[0]) == 12);
    free(all[0]);
    free(all);
    free(text);
    free(line);
    free(copy);
    free(end);
    free(wide);
    free(realpath("/", NULL));
    free(getcwd(NULL, 0));
}

static void use_addresses(void)
{
    struct addrinfo *found = NULL, hints = {.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV};

    if (getaddrinfo("127.0.0.1", "80", &hints, &found) == 0) {
        check(found->ai_addr != NULL);
        freeaddrinfo(found);
    }
}

static void *churn(void *unused)
{
    char *blocks[20] = {0};

    for (int i = 0; i < 60; i++) {
        free(blocks[i % 20]);
        blocks[i % 20] = malloc((size_t)i * 3);
        memset(blocks[i % 20], i, (size_t)i * 3);
    }
    for (int i = 0; i < 20; i++)
        free(blocks[i]);
    return unused;
}

static void use_children(void)
{
    char *block = calloc(1, 100);
    pid_t child = fork();
    int status;

    if (child == 0) {
        churn(NULL);
        block[99] = 1;
        free(block);
        _exit(3);
    }
    waitpid(child, &status, 0);
    check(WEXITSTATUS(status) == 3 && block[99] == 0);
    free(block);
    check(system("exit 4") >> 8 == 4);
}

int main(void)
{
    pthread_t threads[2];

    use_sizes();
    use_large();
    use_aligned();
    use_texts();
    use_addresses();
    use_children();
    for (int i = 0; i < 10; i++)
        memset(get(100), i, 100);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, churn, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    puts("done");
    return 0;
}
