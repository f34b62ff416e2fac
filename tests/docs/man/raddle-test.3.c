#include <errno.h>
#include <raddle.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CODECS = 2 };
static const struct {
    const char *name;
} codecs[CODECS];
static struct rdl_test tests[CODECS];
void round_trip(struct rdl_case *t);

/* 1 */

/* 2 */
