/* stubs.c -- to be replaced. */
#include <stdlib.h>

#include "spec/spec.h"
void rdl__test_linear(struct rdl_case *t)
{
    (void)t;
    abort();
}
