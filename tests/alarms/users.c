/* users.c -- threads that meet in an object that is not instrumented: users WAY.
 *
 * lock, box, callback  right: its lock, its mailbox, a function of ours that it calls
 * spin-lock, spin-box  right: the same, where waiting keeps others from running
 * spin-box-never       wrong: nobody puts anything there
 * count                right, but Raddle cannot tell that it is waited there
 * logged               wrong: all they do there is to log what they have done
 * lock-too-late, box-too-late, spin-box-too-late, callback-too-early
 *                      wrong: they use what they share outside of that */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>

#include "plain.h"

static const char *way;
static int total;

static int is(const char *name)
{
    return strcmp(way, name) == 0;
}

static void *lock(void *unused)
{
    for (int i = 0; i < 2; i++) {
        if (is("lock-too-late"))
            total++;
        if (is("spin-lock"))
            plain_spin_lock();
        else
            plain_lock();
        if (!is("lock-too-late"))
            total++;
        plain_unlock();
    }
    return unused;
}

static void *put(void *unused)
{
    total = 1;
    if (!is("spin-box-never"))
        plain_put(&total);
    if (is("box-too-late") || is("spin-box-too-late"))
        total = 2;
    return unused;
}

static void *take(void *unused)
{
    int *letter = is("count")                    ? plain_count_and_take()
                  : strncmp(way, "spin", 4) == 0 ? plain_spin_take()
                                                 : plain_take();

    (*letter)++;
    return unused;
}

static void set_total(void)
{
    total = 1;
}

static void *call(void *unused)
{
    plain_call(set_total);
    return unused;
}

static void *take_after_call(void *unused)
{
    if (is("callback-too-early"))
        total++;
    plain_take();
    if (is("callback"))
        total++;
    return unused;
}

static void *log_it(void *unused)
{
    plain_log("begins");
    total++;
    plain_log("ends");
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t threads[2];
    void *(*first)(void *) = log_it, *(*second)(void *) = log_it;

    way = argc > 1 ? argv[1] : "";
    if (strncmp(way, "lock", 4) == 0 || is("spin-lock")) {
        first = second = lock;
    } else if (strncmp(way, "box", 3) == 0 || strncmp(way, "spin-box", 8) == 0 || is("count")) {
        first = put;
        second = take;
    } else if (strncmp(way, "callback", 8) == 0) {
        first = call;
        second = take_after_call;
    } else if (is("logged")) {
        first = second = log_it;
    }
    pthread_create(&threads[0], NULL, first, NULL);
    pthread_create(&threads[1], NULL, second, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(!(is("lock") || is("spin-lock")) || total == 4);
    return 0;
}
