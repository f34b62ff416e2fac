/* accesses.c -- accesses to memory, as they come in ordinary code: two threads, each of
 * which counts letters of a text again and again.
 *
 * Usage: accesses [MILLIONS]     how many accesses; each thread makes half of them
 *
 * Two accesses in three are reads: of the text, which both threads read, and of the
 * count, which is written back. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { LETTERS = 4096 };

static char text[LETTERS];
static int counts[2][64]; /* a row for each thread */
static long rounds;

static void *count_letters(void *row)
{
    int *count = row;

    for (long round = 0; round < rounds; round++)
        for (int i = 0; i < LETTERS; i++)
            count[text[i] & 63]++;
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t threads[2];

    rounds = (argc > 1 ? atol(argv[1]) : 0) * 1000000 / (2 * 3 * LETTERS);
    for (int i = 0; i < LETTERS; i++)
        text[i] = (char)('a' + i * 7 % 26);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, count_letters, counts[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return counts[0]['a' & 63] == counts[1]['a' & 63] ? 0 : 1;
}
