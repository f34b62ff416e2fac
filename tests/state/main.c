/* main.c -- runs one of the pairs; see state.h. */
#include "state.h"

#include <ftw.h>

static const struct pair *chosen;
static bool is_right;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char folder[64];

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *walk)
{
    (void)status, (void)kind, (void)walk;
    return remove(path);
}

static void remove_folder(void)
{
    if (folder[0] && chdir("/") == 0)
        nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

void own_folder(void)
{
    snprintf(folder, sizeof folder, "%s/state-XXXXXX",
             getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
    if (!mkdtemp(folder) || chdir(folder) != 0)
        abort();
}

int number_in(const char *text)
{
    return text ? atoi(text) : 0;
}

static void *run(void *argument)
{
    int me = (int)(intptr_t)argument;

    if (!is_right)
        chosen->body(me);
    else if (chosen->right_body)
        chosen->right_body(me);
    else {
        pthread_mutex_lock(&lock);
        chosen->body(me);
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

static void choose(const struct pair *pairs, const char *name)
{
    for (; pairs->name; pairs++)
        if (strcmp(pairs->name, name) == 0)
            chosen = pairs;
}

static void list(const struct pair *pairs)
{
    for (; pairs->name; pairs++)
        printf("%s %s\n", pairs->name, pairs->instrumented ? "instrumented" : "plain");
}

int main(int argc, char **argv)
{
    pthread_t threads[2];

    if (argc < 3) {
        list(memory_pairs);
        list(file_pairs);
        list(call_pairs);
        list(lock_pairs);
        return 0;
    }
    choose(memory_pairs, argv[1]);
    choose(file_pairs, argv[1]);
    choose(call_pairs, argv[1]);
    choose(lock_pairs, argv[1]);
    is_right = strcmp(argv[2], "right") == 0;
    if (!chosen)
        return 3;
    if (chosen->before)
        chosen->before();
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, run, (void *)(intptr_t)i);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    if (chosen->after)
        chosen->after();
    remove_folder();
    return 0;
}
