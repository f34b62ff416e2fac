/* flash.h -- the driver of a flash chip. */
#ifndef FLASH_H
#define FLASH_H

#include <stddef.h>

/* 0: it is done. */
int flash_erase(int block);

/* It may write less than it was given, and says how much. */
int flash_write(int block, const char *data, size_t length, size_t *written);

#endif
