#include <raddle.h>
#include <stdlib.h>

static struct journal {
    int block;
} journal;
int flash_erase(int block);
int flash_write(int block, const char *data, size_t length, size_t *written);
int journal_store(struct journal *j, const char *text);

/* 1 */

RDL_PROPERTY(calls)
{
    /* 2 */
    /* 3 */
}
