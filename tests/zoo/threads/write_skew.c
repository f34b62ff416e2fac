/* write_skew.c -- each of two doctors sees the other on call and goes home; nobody is left.
   expect: assertion
   needs: sync */
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>

static struct doctor {
    pthread_mutex_t lock;
    bool on_call;
    struct doctor *other;
} doctors[2] = {
    {PTHREAD_MUTEX_INITIALIZER, true, &doctors[1]},
    {PTHREAD_MUTEX_INITIALIZER, true, &doctors[0]},
};
#ifdef FIXED
static pthread_mutex_t roster = PTHREAD_MUTEX_INITIALIZER; /* held from looking to leaving */
#endif

static bool is_on_call(struct doctor *doctor)
{
    bool answer;

    pthread_mutex_lock(&doctor->lock);
    answer = doctor->on_call;
    pthread_mutex_unlock(&doctor->lock);
    return answer;
}

static void *go_home_if_possible(void *argument)
{
    struct doctor *self = argument;

#ifdef FIXED
    pthread_mutex_lock(&roster);
#endif
    if (is_on_call(self->other)) {
        pthread_mutex_lock(&self->lock);
        self->on_call = false;
        pthread_mutex_unlock(&self->lock);
    }
#ifdef FIXED
    pthread_mutex_unlock(&roster);
#endif
    return NULL;
}

int main(void)
{
    pthread_t threads[2];

    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, go_home_if_possible, &doctors[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(doctors[0].on_call || doctors[1].on_call);
    return 0;
}
