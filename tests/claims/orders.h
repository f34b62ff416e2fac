/* orders.h -- the steps of a random program's threads in every order, without threads.
 *
 *     orders [PROGRAM]
 *
 * Each order is tried in a process of its own, so that all begin alike. */
#include <stdbool.h>
#include <sys/wait.h>

typedef int step(int v);

enum { THREADS_MAX = 4 };

struct program {
    void (*prepare)(void); /* NULL: not all statements can be steps */
    int threads;           /* the last one is main */
    step *const *steps[THREADS_MAX];
};

static int place; /* of the program's outcomes */

static void run_in_order(const struct program *program, const int *order, int length)
{
    int v[THREADS_MAX] = {0}, next[THREADS_MAX] = {0}, main_thread = program->threads - 1;

    set_up(place);
    program->prepare();
    for (int i = 0; i < length; i++)
        v[order[i]] = program->steps[order[i]][next[order[i]]++](v[order[i]]);
    for (int i = 0; i < main_thread; i++)
        told((void *)(intptr_t)i, v[i]);
    finish(v[main_thread]);
}

static void try_orders(const struct program *program, int *order, int length)
{
    bool is_whole = true;

    for (int thread = 0; thread < program->threads; thread++) {
        int done = 0;

        for (int i = 0; i < length; i++)
            done += order[i] == thread;
        if (!program->steps[thread][done])
            continue;
        is_whole = false;
        order[length] = thread;
        try_orders(program, order, length + 1);
    }
    if (!is_whole)
        return;
    if (fork() == 0) {
        run_in_order(program, order, length);
        _exit(0);
    }
    wait(NULL);
}

static int run(int argc, char **argv, const struct program *const *programs)
{
    int order[THREADS_MAX * 4], program = argc > 1 ? atoi(argv[1]) : -1;

    if (program < 0)
        close_leftovers();
    for (int i = 0; programs[i]; i++)
        if ((program < 0 || program == i) && programs[i]->prepare) {
            place = program < 0 ? i : 0;
            try_orders(programs[i], order, 0);
        }
    return 0;
}
