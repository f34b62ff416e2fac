#include <raddle.h>

struct point {
    int x, y;
};
struct tree {
    int key;
    struct tree *left, *right;
};

/* 1 */
