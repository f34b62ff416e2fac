/* test_publish.c -- messages published by locks, conditions and atomics order what they should. */
#include "publish.h"
