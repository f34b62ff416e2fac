/* overflow.c -- a sum that does not fit, under some schedules.
 *
 * One thread sets the number back before the other counts on, or it does not.  With -DTEST it is
 * a test, else a program; UBSan of any compiler has something to say. */
#include <limits.h>
#include <pthread.h>
#ifdef TEST
#include <raddle.h>
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int number;

static int next_after(int n)
{
    return n + 1;
}

static void *count_on(void *unused)
{
    pthread_mutex_lock(&lock);
    number = next_after(number);
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *set_back(void *unused)
{
    pthread_mutex_lock(&lock);
    number = 0;
    pthread_mutex_unlock(&lock);
    return unused;
}

static void use_number(void)
{
    pthread_t setter, counter;

    number = INT_MAX;
    pthread_create(&setter, NULL, set_back, NULL);
    pthread_create(&counter, NULL, count_on, NULL);
    pthread_join(setter, NULL);
    pthread_join(counter, NULL);
}

#ifdef TEST
RDL_EXPLORE(numbers_fit)
{
    use_number();
}

RDL_MAIN
#else
int main(void)
{
    use_number();
    return 0;
}
#endif
