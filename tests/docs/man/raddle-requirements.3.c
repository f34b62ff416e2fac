#include <raddle.h>

struct items {
    rdl_vec(int, 2) kept;
};
struct item {
    int value;
};
RDL_TYPES(box, struct items, struct items);

/* 1 */
