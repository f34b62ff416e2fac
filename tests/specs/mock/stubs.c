/* stubs.c -- the device that is missing. */
#include <raddle/mock.h>

#include "store.h"

RDL_STUB(flash_write, block, data, length, written);
RDL_STUB(flash_erase, block);
RDL_STUB(flash_log);
