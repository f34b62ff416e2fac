/* static_buffer.c -- a locked function returns a static buffer, rewritten before it is read.
   expect: assertion|race
   needs: sync */
#include <assert.h>
#include <stddef.h>
#include <threads.h>

static mtx_t lock;

/* "Safe for threads", as it takes a lock. */
static const char *name_of(int number)
{
#ifdef FIXED
    static thread_local char name[3];
#else
    static char name[3];
#endif

    mtx_lock(&lock);
    name[0] = 'n';
    name[1] = (char)('0' + number);
    mtx_unlock(&lock);
    return name;
}

static int check_name(void *argument)
{
    int number = *(const int *)argument;
    const char *name = name_of(number);

    assert(name[1] == '0' + number);
    return 0;
}

int main(void)
{
    int numbers[2] = {1, 2};
    thrd_t threads[2];

    mtx_init(&lock, mtx_plain);
    for (int i = 0; i < 2; i++)
        thrd_create(&threads[i], check_name, &numbers[i]);
    for (int i = 0; i < 2; i++)
        thrd_join(threads[i], NULL);
    mtx_destroy(&lock);
    return 0;
}
