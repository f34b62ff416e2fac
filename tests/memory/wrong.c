/* wrong.c -- programs that use the heap wrongly, by number; see tests/run_memory.sh. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char *shared;
static int counter; /* a race that nobody minds */
static volatile int one = 1;
char *block, *aligned, *copy; /* compilers do not know who else sees them */

static void *use(void *unused)
{
    char *seen;

    counter++;
    pthread_mutex_lock(&lock);
    seen = shared;
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
    if (seen)
        seen[3]++; /* here */
    pthread_mutex_unlock(&lock);
    return unused;
}

static void use_and_free(void)
{
    pthread_t thread;

    shared = calloc(1, 24);
    pthread_create(&thread, NULL, use, NULL);
    counter++;
    pthread_mutex_lock(&lock);
    free(shared);
    shared = NULL;
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
}

int main(int argc, char **argv)
{
    int variable;
    static int fixed;

    block = malloc(24);
    aligned = aligned_alloc(64, 100);
    switch (argc > 1 ? atoi(argv[1]) : 0) {
    case 1:
        block[24 * one] = 1;
        break;
    case 2:
        block[-one] = 1;
        break;
    case 3:
        memset(block, 0, 24 + one);
        break;
    case 4:
        free(block);
        free(block);
        break;
    case 5:
        free(block + 8 * one);
        break;
    case 6:
        copy = (char *)&variable;
        free(copy);
        break;
    case 7:
        copy = (char *)&fixed;
        free(copy);
        break;
    case 8:
        strcpy(block, "a text of more than 24 letters");
        break;
    case 9:
        snprintf(block, 25 * one, "%s", "a text of more than 24 letters");
        break;
    case 10:
        copy = realloc(block, 25);
        block[0] = *copy = 1;
        break;
    case 11:
        copy = strdup("hello");
        putchar(copy[6 * one]);
        break;
    case 12:
        aligned[100 * one] = 1;
        break;
    case 13:
        aligned[-one] = 1;
        break;
    case 14:
        copy = malloc(0);
        putchar(*copy);
        break;
    case 15:
        free(block);
        block[one]++;
        break;
    default:
        use_and_free();
        break;
    }
    puts("done");
    return 0;
}
