#include <raddle.h>

struct customer {
    int number;
};

/* 1 */
