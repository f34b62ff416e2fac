/* flash.c -- functions that are mocked. */
#include "flash.h"

static volatile int last;

__attribute__((noipa)) int flash_write(int block, const char *data, size_t length)
{
    last = block;
    return data[0] + (int)length;
}

__attribute__((noipa)) int flash_short(int block, const char *data, size_t length)
{
    return last = block + data[0] + (int)length;
}
